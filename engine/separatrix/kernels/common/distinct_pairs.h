// Distinct pairs (first, last), as keys first * stride + last: a counting sort by the first, and a sort of each row.
//
// Rows of few pairs are sorted in a fraction of the time of all keys.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <vector>

inline Index keep_distinct_of(Index* keys, Index n, Index stride, Index n_first) {
  std::vector<Index> begins((size_t)n_first + 1, 0), sorted((size_t)n);
  for (Index k = 0; k < n; ++k) ++begins[(size_t)(keys[k] / stride)];
  Index sum = 0;
  for (Index& begin : begins) {
    const Index count = begin;
    begin = sum;
    sum += count;
  }
  for (Index k = 0; k < n; ++k) {
    throw_if_canceled_at(k);
    sorted[(size_t)begins[(size_t)(keys[k] / stride)]++] = keys[k];
  }
  Index n_kept = 0;
  for (Index row = 0, begin = 0; row < n_first; begin = begins[(size_t)row++]) {  // its end by now
    throw_if_canceled_at(row);
    const auto first = sorted.begin() + begin, end = sorted.begin() + begins[(size_t)row];
    std::sort(first, end);
    n_kept = std::unique_copy(first, end, keys + n_kept) - keys;
  }
  return n_kept;
}
#endif

// keys (n,), each below stride * n_first: in and out, the distinct ones first, ascending. The task returns their number.
HOST_TASK(keep_distinct, (Index* keys, Index n, Index stride, Index n_first), keep_distinct_of(keys, n, stride, n_first))
