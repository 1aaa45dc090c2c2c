// Reductions on a GPU that choose pairs; reduce_chosen.h is the host form.
//
// The four quarters of a row find its least pair and its count, which are combined; lists of the k least,
// and of all that count, have one thread per row. Results do not depend on the order.
#pragma once
#include "sums/tiles.h"

#if ON_GPU

enum { MOST_LISTED = 64 };

// Share of this warp with one row per thread and QUARTERS_ threads per row, common to all four kernels.
#define CHOOSING(QUARTERS_)                                                                                  \
  enum { STRIDE = WARP / QUARTERS_ };                                                                        \
  const Index item = blockIdx.x * (Index)WARPS + threadIdx.x / WARP;                                         \
  if (item >= n_groups) return;                                                                              \
  const Share share = share_of(item, 0, STRIDE, n_columns, block_of_group, group_offsets, blocks, offsets);  \
  const int quarter = threadIdx.x % QUARTERS_, place = threadIdx.x % WARP / QUARTERS_;                       \
  const Float r2 = (Float)squared_radius;                                                                    \
  RowsOfThread<1> mine;                                                                                      \
  mine.load(share, place, STRIDE, rows, row_order);                                                          \
  const bool is_stored = quarter == 0 && mine.is_stored(share, place, STRIDE, 0);                            \
  const auto no_chunks = [](Index) {};                                                                       \
  const auto value_of = [&](const Record& column, Index c, bool is_inside, bool& counts) {                   \
    Float d2 = squared_distance_to(mine.point[0], column.at);                                                \
    counts = is_inside && (!HAS_RADIUS || d2 <= r2) && is_in_triangle(mine.row[0], c);                                                                          \
    return pair_value(mine.point[0], mine.caller[0], column, d2, parameters, column_order[c]);               \
  };

// out, indices (n_rows,): the least pair of each row, or the greatest if sign is -1.
extern "C" __global__ void __launch_bounds__(TILE_THREADS) least_of_tiles(
    const Float* rows, const Float* columns, const Index* row_order, const Index* column_order,
    const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals,
    const Index* group_offsets, const Index* block_of_group, Index n_groups, Index n_columns,
    Real squared_radius, Int32 sign, Float* out, Index* indices) {
  CHOOSING(QUARTERS)
  Float least = infinity((Float)0);
  Index at = -1;
  visit_columns<QUARTERS>(share, intervals, (const Record*)columns, quarter,
    [&](const Record& column, Index c, int, bool is_inside) {
      bool counts;
      Float v = value_of(column, c, is_inside, counts);
      v = sign < 0 ? -v : v;
      if (counts && v <= least && v < infinity((Float)0)) {
        Index j = column_order[c];
        if (comes_first(v, j, least, at)) least = v, at = j;
      }
    }, no_chunks);
  UNROLL for (int other = 2; other; other /= 2) {
    Float v = from_quarter(least, other);
    Index j = from_quarter(at, other);
    if (j >= 0 && (at < 0 || comes_first(v, j, least, at))) least = v, at = j;
  }
  if (!is_stored) return;
  out[mine.caller[0]] = (Float)sign * least + 0;
  indices[mine.caller[0]] = at;
}

// out, indices (n_rows, k): the k least of each row, ascending by (value, index).
extern "C" __global__ void __launch_bounds__(TILE_THREADS) k_least_of_tiles(
    const Float* rows, const Float* columns, const Index* row_order, const Index* column_order,
    const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals,
    const Index* group_offsets, const Index* block_of_group, Index n_groups, Index n_columns,
    Real squared_radius, Int32 sign, Int32 k, Float* out, Index* indices) {
  CHOOSING(1)
  Float value[MOST_LISTED];
  Index index[MOST_LISTED];
  for (int n = 0; n < k; ++n) value[n] = infinity((Float)0), index[n] = -1;
  Float bound = infinity((Float)0);
  visit_columns<1>(share, intervals, (const Record*)columns, quarter,
    [&](const Record& column, Index c, int, bool is_inside) {
      bool counts;
      Float v = value_of(column, c, is_inside, counts);
      v = sign < 0 ? -v : v;
      if (!counts || !(v <= bound) || v == infinity((Float)0)) return;
      Index j = column_order[c];
      if (!comes_first(v, j, value[k - 1], index[k - 1])) return;
      int n = k - 1;
      for (; n > 0 && comes_first(v, j, value[n - 1], index[n - 1]); --n) {
        value[n] = value[n - 1];
        index[n] = index[n - 1];
      }
      value[n] = v;
      index[n] = j;
      bound = value[k - 1];
    }, no_chunks);
  if (!is_stored) return;
  for (int n = 0; n < k; ++n) {
    out[mine.caller[0] * k + n] = (Float)sign * value[n] + 0;
    indices[mine.caller[0] * k + n] = index[n];
  }
}

// counts (n_rows,): pairs whose value is neither 0 nor NaN.
extern "C" __global__ void __launch_bounds__(TILE_THREADS) count_of_tiles(
    const Float* rows, const Float* columns, const Index* row_order, const Index* column_order,
    const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals,
    const Index* group_offsets, const Index* block_of_group, Index n_groups, Index n_columns,
    Real squared_radius, Index* counts_of_rows) {
  CHOOSING(QUARTERS)
  Index found = 0;
  visit_columns<QUARTERS>(share, intervals, (const Record*)columns, quarter,
    [&](const Record& column, Index c, int, bool is_inside) {
      bool counts;
      Float v = value_of(column, c, is_inside, counts);
      found += counts && (v < 0 || v > 0);
    }, no_chunks);
  found += from_quarter(found, 2);
  found += from_quarter(found, 1);
  if (is_stored) counts_of_rows[mine.caller[0]] = found;
}

// keys from starts[row]: row * n_columns + column of these pairs, unordered.
extern "C" __global__ void __launch_bounds__(TILE_THREADS) list_of_tiles(
    const Float* rows, const Float* columns, const Index* row_order, const Index* column_order,
    const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals,
    const Index* group_offsets, const Index* block_of_group, Index n_groups, Index n_columns,
    Real squared_radius, const Index* starts, Index* keys) {
  CHOOSING(1)
  Index next = starts[mine.caller[0]];
  visit_columns<1>(share, intervals, (const Record*)columns, quarter,
    [&](const Record& column, Index c, int, bool is_inside) {
      bool counts;
      Float v = value_of(column, c, is_inside, counts);
      if (counts && is_stored && (v < 0 || v > 0)) keys[next++] = mine.caller[0] * n_columns + column_order[c];
    }, no_chunks);
}
#endif
