// Distances of a Rips filtration on the CPU: validation of a matrix, ranks of the sorted edges, and components.
//
// Nonnegative floating-point numbers sort like their bits.
#pragma once
#include "common/concurrent_sets.h"

#if !ON_GPU
#include <algorithm>
#include <cstring>
#include <vector>

// Whether all entries are 0 or more, the diagonal zero, and both triangles equal. O(n^2) by tiles.
inline Index rips_is_distance(const Real* matrix, Index n, Int32 n_threads) {
  enum { TILE = 32 };
  bool good = true;
  deal_out(n_threads, (n + TILE - 1) / TILE, 1, [&](int, Index item) {
    const Index row = item * TILE, last = std::min(row + TILE, n);
    bool tile = true;
    for (Index column = 0; column <= row; column += TILE)
      for (Index i = row; i < last; ++i)
        for (Index j = column; j < std::min(column + TILE, i); ++j) {
          const Real d = matrix[i * n + j];
          tile &= (d >= 0) & (d == matrix[j * n + i]);
        }
    for (Index i = row; i < last; ++i) tile &= matrix[i * n + i] == 0;
    if (!tile) __atomic_store_n(&good, false, __ATOMIC_RELAXED);
  });
  return good;
}

// Sorts values stably. Out: order (m,), ascending; rank (m,) of each value in this order, from 1;
// `levels`, the value of each rank, from 1. Returns the number of ranks. Values are sorted by their
// leading bits in two passes, then within runs of equal leading bits.
inline Index rips_sorted(const Real* values, Index m, Int32* order, Word* rank, Real* levels) {
  enum { DIGIT = 11, BUCKETS = 1 << DIGIT };
  const auto key_of = [=](Index at) {
    const Real value = values[at] + 0.0;  // -0 is 0
    Wide key;
    std::memcpy(&key, &value, sizeof key);
    return key;
  };
  Wide least = ~(Wide)0, most = 0;
  for (Index at = 0; at < m; ++at) least = std::min(least, key_of(at)), most = std::max(most, key_of(at));
  int bits = 0;
  while (m > 0 && most - least >> bits != 0) ++bits;
  const int skipped = std::max(0, bits - 2 * DIGIT);
  std::vector<Wide> from((size_t)m), to((size_t)m);  // leading bits, and below them the place
  for (Index at = 0; at < m; ++at) from[at] = (key_of(at) - least) >> skipped << 32 | (Wide)at;
  for (int digit = 0; digit < 2; ++digit) {
    throw_if_canceled();
    const int shift = 32 + digit * DIGIT;
    Index begin[BUCKETS + 1] = {0};
    for (const Wide entry : from) ++begin[(entry >> shift & (BUCKETS - 1)) + 1];
    for (int bucket = 0; bucket < BUCKETS; ++bucket) begin[bucket + 1] += begin[bucket];
    for (const Wide entry : from) to[begin[entry >> shift & (BUCKETS - 1)]++] = entry;
    from.swap(to);
  }
  for (Index k = 0; k < m; ++k) order[k] = (Int32)(from[k] & 0xFFFFFFFFu);
  const auto is_before = [=](Int32 a, Int32 b) { return values[a] != values[b] ? values[a] < values[b] : a < b; };
  for (Index k = 0, end = 0; k < m; k = end) {
    throw_if_canceled_at(end);
    while (end < m && from[end] >> 32 == from[k] >> 32) ++end;
    if (!std::is_sorted(order + k, order + end, is_before)) std::sort(order + k, order + end, is_before);
  }
  Index last = -1;
  for (Index k = 0; k < m; ++k) {
    const Real value = values[order[k]] + 0.0;
    if (last < 0 || value != levels[last]) levels[++last] = value;
    rank[k] = (Word)(last + 1);
  }
  return last + 1;
}

// Out: the smallest vertex of the component of each vertex (n,). Returns the number of components.
inline Index rips_joined(const Int32* ends, Index m, Index n, Int32* component) {
  for (Index v = 0; v < n; ++v) component[v] = (Int32)v;
  for (Index k = 0; k < m; ++k) {
    throw_if_canceled_at(k);
    join_sets(component, ends[2 * k], ends[2 * k + 1]);
  }
  Index n_components = 0;
  for (Index v = 0; v < n; ++v) {
    component[v] = component[component[v]];  // a parent is smaller, and already points to the root
    n_components += component[v] == v;
  }
  return n_components;
}
#endif

HOST_TASK(rips_check_distances, (const Real* matrix, Index n, Int32 n_threads), rips_is_distance(matrix, n, n_threads))
HOST_TASK(rips_sort_values, (const Real* values, Index m, Int32* order, Word* rank, Real* levels),
          rips_sorted(values, m, order, rank, levels))
HOST_TASK(rips_join_components, (const Int32* ends, Index m, Index n, Int32* component), rips_joined(ends, m, n, component))
