// Reductions on the host that choose pairs: extrema, the k least, counts, and lists.
//
// The traversal is that of reduce.h. The values of a segment are tested 16 at once; only a segment with a
// better value than the row has is read value by value. The choice does not depend on the order: by
// value, with ties to the lower index of the caller. NaN and the neutral infinity are never chosen.
#pragma once
#include "sums/reduce.h"

#if !ON_GPU
template <class Float> static ALWAYS_INLINE Float least_of(const Float* v, Index n) {
  Float lane[SUM_LANES];
  for (int k = 0; k < SUM_LANES; ++k) lane[k] = infinity((Float)0);
  for (Index at = 0; at < n; at += SUM_LANES)
    for (int k = 0; k < SUM_LANES; ++k) lane[k] = v[at + k] < lane[k] ? v[at + k] : lane[k];
  for (int half = SUM_LANES / 2; half; half /= 2)
    for (int k = 0; k < half; ++k) lane[k] = lane[k + half] < lane[k] ? lane[k + half] : lane[k];
  return lane[0];
}

// === the k least, ascending by (value, index): out (n_rows, k), indices (n_rows, k), -1 for missing ones.
// A `sign` of -1 gives the greatest. k is 1 for min, max, argmin, and argmax.
template <class Float> struct LeastOfRows {
  const Index* column_order;
  int k;
  Float sign;
  Float* out;
  Index* indices;
  int n_found[ROWS_TOGETHER];
  Float value[ROWS_TOGETHER][MOST_NEIGHBORS];
  Index index[ROWS_TOGETHER][MOST_NEIGHBORS];

  static Float neutral() { return -infinity((Float)0) * 0; }  // NaN
  static int n_results() { return 1; }
  ALWAYS_INLINE void begin(int row, Index) { n_found[row] = 0; }
  ALWAYS_INLINE void take(int row, Float* v, Index position, Index n) {
    if (sign < 0) for (Index at = 0; at < n; ++at) v[at] = -v[at];
    const Float best = least_of(v, n);
    const bool is_full = n_found[row] == k;
    const Float bound = is_full ? value[row][k - 1] : infinity((Float)0);
    if (!(best <= bound) || best == infinity((Float)0)) return;
    for (Index at = 0; at < n; ++at)
      if (v[at] <= bound) insert(row, v[at], column_order[position + at]);
  }
  void insert(int row, Float v, Index j) {
    int& n = n_found[row];
    if (v == infinity((Float)0)) return;
    if (n == k && !comes_first(v, j, value[row][k - 1], index[row][k - 1])) return;
    int place = n < k ? n++ : k - 1;
    for (; place > 0 && comes_first(v, j, value[row][place - 1], index[row][place - 1]); --place) {
      value[row][place] = value[row][place - 1];
      index[row][place] = index[row][place - 1];
    }
    value[row][place] = v;
    index[row][place] = j;
  }
  void end_chunk(int) {}
  ALWAYS_INLINE void finish(int row, Index at) {
    for (int n = 0; n < k; ++n) {
      bool is_found = n < n_found[row];
      out[at * k + n] = sign * (is_found ? value[row][n] : infinity((Float)0)) + 0;  // -0 becomes +0
      indices[at * k + n] = is_found ? index[row][n] : -1;
    }
  }
};

// === pairs whose value is neither 0 nor NaN: counts (n_rows,), or their columns in rows of a CSR.
template <class Float> struct CountOfRows {
  Index* counts;
  Index n_found[ROWS_TOGETHER];
  static Float neutral() { return 0; }
  static int n_results() { return 1; }
  ALWAYS_INLINE void begin(int row, Index) { n_found[row] = 0; }
  ALWAYS_INLINE void take(int row, const Float* v, Index, Index n) {
    Int32 found = 0;
    for (Index at = 0; at < n; ++at) found += (v[at] < 0) | (v[at] > 0);
    n_found[row] += found;
  }
  void end_chunk(int) {}
  ALWAYS_INLINE void finish(int row, Index at) { counts[at] = n_found[row]; }
};
template <class Float> struct ListOfRows {
  const Index *column_order, *starts;
  Index* items;
  Index* end_of[ROWS_TOGETHER];

  static Float neutral() { return 0; }
  static int n_results() { return 1; }
  ALWAYS_INLINE void begin(int row, Index at) { end_of[row] = items + starts[at]; }
  ALWAYS_INLINE void take(int row, const Float* v, Index position, Index n) {
    Int32 found = 0;
    for (Index at = 0; at < n; ++at) found += (v[at] < 0) | (v[at] > 0);
    for (Index at = 0; found; ++at)
      if (v[at] < 0 || v[at] > 0) *end_of[row]++ = column_order[position + at], --found;
  }
  void end_chunk(int) {}
  ALWAYS_INLINE void finish(int row, Index at) { std::sort(items + starts[at], end_of[row]); }
};

#define CHOICES_OF(Float)                                                                                          \
  CLONED static void least_of_rows(const PairProblem<Float>& in, Index first, Index end, Index block, int k, int sign, \
                                   Float* out, Index* indices) {                                                   \
    LeastOfRows<Float> least = {in.column_order, k, (Float)sign, out, indices, {}, {}, {}};                        \
    walk_pairs(in, first, end, block, least);                                                                            \
  }                                                                                                                \
  CLONED static void count_rows(const PairProblem<Float>& in, Index first, Index end, Index block, Index* counts) {    \
    CountOfRows<Float> found = {counts, {}};                                                                       \
    walk_pairs(in, first, end, block, found);                                                                            \
  }                                                                                                                \
  CLONED static void list_rows(const PairProblem<Float>& in, Index first, Index end, Index block, const Index* starts, \
                               Index* items) {                                                                     \
    ListOfRows<Float> found = {in.column_order, starts, items, {}};                                                \
    walk_pairs(in, first, end, block, found);                                                                            \
  }
CHOICES_OF(float)
CHOICES_OF(double)
#endif

HOST_LOOPS(least_over_pairs,
  (const Float* rows, const Float* columns, const Float* values, const Index* row_order, const Index* column_order,
   const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals, Wide fill,
   Index stride, Real squared_radius, Int32 n_dimensions, Int32 row_length, Int32 triangle, const Index* cuts, const Index* first_block,
   Int32 k, Int32 sign, Float* out, Index* indices),
  least_of_rows(PairProblem<Float>{rows, columns, values, row_order, column_order, parameters, blocks, offsets, intervals, fill,
               stride, squared_radius, n_dimensions, row_length, triangle}, cuts[i], cuts[i + 1], first_block[i], k, sign, out, indices))

HOST_LOOPS(count_over_pairs,
  (const Float* rows, const Float* columns, const Float* values, const Index* row_order, const Index* column_order,
   const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals, Wide fill,
   Index stride, Real squared_radius, Int32 n_dimensions, Int32 row_length, Int32 triangle, const Index* cuts, const Index* first_block,
   Index* counts),
  count_rows(PairProblem<Float>{rows, columns, values, row_order, column_order, parameters, blocks, offsets, intervals, fill,
               stride, squared_radius, n_dimensions, row_length, triangle}, cuts[i], cuts[i + 1], first_block[i], counts))

HOST_LOOPS(list_over_pairs,
  (const Float* rows, const Float* columns, const Float* values, const Index* row_order, const Index* column_order,
   const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals, Wide fill,
   Index stride, Real squared_radius, Int32 n_dimensions, Int32 row_length, Int32 triangle, const Index* cuts, const Index* first_block,
   const Index* starts, Index* items),
  list_rows(PairProblem<Float>{rows, columns, values, row_order, column_order, parameters, blocks, offsets, intervals, fill,
               stride, squared_radius, n_dimensions, row_length, triangle}, cuts[i], cuts[i + 1], first_block[i], starts, items))
