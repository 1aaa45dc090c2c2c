// Reductions of a formula on the host, over the intervals of a block-sparse pattern, row by row.
//
// Threads process groups of rows with similar numbers of pairs. Up to 32 rows of a block traverse its
// intervals together, cut at the chunks of lanes.h and at SEGMENT columns, which stay in the first-level
// cache. fill.h computes values through `fill`, the address of the function of a formula; those of
// columns outside the interval are replaced by `neutral`, which does not affect a reduction: 0 for sums
// and counts, otherwise -inf or +inf.
//
// In: rows (n, row_length) and columns (any, stride) sorted, coordinates padded with zeros to 3, then
// variables; values (n_values, stride) sorted, padded to a multiple of 16 and aligned to 128 bytes; row_order, column_order: the
// caller's index of a sorted position; parameters (8,); blocks (B, 2), offsets (B+1,), intervals
// (T, 2); item i reduces rows cuts[i] to cuts[i + 1] - 1, which begin in block first_block[i].
// Results are in the caller's rows; rows that are in no block keep their initial values.
#pragma once
#include "sums/fill.h"

#if !ON_GPU
#include <algorithm>

enum { ROWS_TOGETHER = 32, MOST_COMPONENTS = 4, MOST_NEIGHBORS = 64 };

#define VECTOR_OF(type) __attribute__((vector_size(SUM_LANES * sizeof(type))))
template <class Float> struct VectorOf;
template <> struct VectorOf<float> { typedef float Type VECTOR_OF(float); };
template <> struct VectorOf<double> { typedef double Type VECTOR_OF(double); };

// Flushes float32 denormals to zero, as on the GPU (-ftz=true); restored at the end.
template <class Float> struct FlushDenormals {
#if defined(__x86_64__)
  unsigned int before = __builtin_ia32_stmxcsr();
  FlushDenormals() { if (sizeof(Float) == 4) __builtin_ia32_ldmxcsr(before | 0x8040); }
  ~FlushDenormals() { __builtin_ia32_ldmxcsr(before); }
#elif defined(__aarch64__)
  Wide before;
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before));
    if (sizeof(Float) == 4) asm volatile("msr fpcr, %0" : : "r"(before | 1 << 24));
  }
  ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(before)); }
#endif
};

template <class Float> struct PairProblem {
  const Float *rows, *columns, *values;
  const Index *row_order, *column_order;
  const Float* parameters;
  const Index *blocks, *offsets, *intervals;
  Wide fill;
  Index stride;
  Real squared_radius;
  Int32 n_dimensions, row_length;
  Int32 triangle;  // 1: only columns after the row, -1: before it, 0: all
};

// Traverses rows first_row to end_row - 1 through their blocks. A Reduction has neutral(), n_results() and, for rows 0 to
// 31 that are processed together, begin(row, caller's index), take(row, values, position, n),
// end_chunk(row), and finish(row, caller's index).
template <class Float, class Reduction>
static ALWAYS_INLINE void walk_pairs(const PairProblem<Float>& in, Index first_row, Index end_row, Index block, Reduction& reduction) {
  typedef void (*Fill)(const void*, Index, Index, void*);
  const Fill fill = (Fill)in.fill;
  const FlushDenormals<Float> guard;
  alignas(128) Float buffer[SEGMENT * MOST_COMPONENTS];
  Meeting<Float> meet = {in.rows, in.columns, in.values, in.column_order, in.parameters, in.stride, 0,
                         (Float)in.squared_radius, Reduction::neutral(), in.n_dimensions};
  for (Index first = first_row; first < end_row;) {
    while (in.blocks[2 * block + 1] <= first) ++block;
    first = std::max(first, in.blocks[2 * block]);
    const Index last = std::min({first + ROWS_TOGETHER, in.blocks[2 * block + 1], end_row});
    for (Index row = first; row < last; ++row) reduction.begin((int)(row - first), in.row_order[row]);
    Index chunk = -1;
    for (Index t = in.offsets[block]; t < in.offsets[block + 1]; ++t) {
      const Index end = in.intervals[2 * t + 1];
      for (Index at = in.intervals[2 * t], stop; at < end; at = stop) {
        stop = std::min(end, (at / SEGMENT + 1) * SEGMENT);
        if (at / CHUNK != chunk) {
          if (chunk >= 0) for (Index row = first; row < last; ++row) reduction.end_chunk((int)(row - first));
          chunk = at / CHUNK;
        }
        const Index from = at / SUM_LANES * SUM_LANES, to = (stop + SUM_LANES - 1) / SUM_LANES * SUM_LANES;
        for (Index row = first; row < last; ++row) {
          meet.row = in.rows + row * in.row_length;
          meet.row_index = in.row_order[row];
          fill(&meet, from, to, buffer);
          const Index begin = in.triangle > 0 ? std::min(std::max(at, row + 1), to) : at;
          const Index beyond = in.triangle < 0 ? std::max(std::min(stop, row), from) : stop;
          for (Float* values = buffer; values < buffer + SEGMENT * reduction.n_results(); values += SEGMENT) {
            for (Index k = from; k < begin; ++k) values[k - from] = meet.neutral;
            for (Index k = beyond; k < to; ++k) values[k - from] = meet.neutral;
          }
          reduction.take((int)(row - first), buffer, from, to - from);
        }
      }
    }
    for (Index row = first; row < last; ++row) {
      if (chunk >= 0) reduction.end_chunk((int)(row - first));
      reduction.finish((int)(row - first), in.row_order[row]);
    }
    first = last;
  }
}

// === sums: out (n_rows, n_components). Values that the formula does not read are factors of its only
// result; otherwise each component is a result of the formula.
template <class Float, class Lane, template <class> class Sum> struct SumOfRows {
  typedef typename VectorOf<Float>::Type Values;
  typedef typename VectorOf<Lane>::Type Lanes;
  const Float* factors;  // (n_components, stride), or null
  Index stride;
  int n_components;
  Float* out;
  Sum<Lanes> lanes[ROWS_TOGETHER][MOST_COMPONENTS];
  SumTotal totals[ROWS_TOGETHER][MOST_COMPONENTS];

  static Float neutral() { return 0; }
  ALWAYS_INLINE int n_results() const { return factors ? 1 : n_components; }
  ALWAYS_INLINE void begin(int row, Index) {
    for (int e = 0; e < n_components; ++e) lanes[row][e] = Sum<Lanes>(), totals[row][e] = {0, 0};
  }
  ALWAYS_INLINE void take(int row, const Float* v, Index position, Index n) {
    for (int e = 0; e < n_components; ++e) {
      Sum<Lanes> sum = lanes[row][e];
      if (factors) {
        const Float* b = factors + e * stride + position;
        for (Index k = 0; k < n; k += SUM_LANES) sum.add(__builtin_convertvector(*(const Values*)(v + k) * *(const Values*)(b + k), Lanes));
      } else {
        const Float* value = v + e * SEGMENT;
        for (Index k = 0; k < n; k += SUM_LANES) sum.add(__builtin_convertvector(*(const Values*)(value + k), Lanes));
      }
      lanes[row][e] = sum;
    }
  }
  ALWAYS_INLINE void end_chunk(int row) {
    for (int e = 0; e < n_components; ++e) {
      Sum<Lane> each[SUM_LANES];
      for (int lane = 0; lane < SUM_LANES; ++lane) each[lane] = lane_of(lanes[row][e], lane);
      for (int half = SUM_LANES / 2; half; half /= 2)
        for (int lane = 0; lane < half; ++lane) each[lane].fold(each[lane + half]);
      add_chunk(totals[row][e], each[0]);
      lanes[row][e] = Sum<Lanes>();
    }
  }
  static PlainSum<Lane> lane_of(const PlainSum<Lanes>& sums, int lane) { return {sums.sum[lane]}; }
  static CompensatedSum<Lane> lane_of(const CompensatedSum<Lanes>& sums, int lane) {
    return {sums.sum[lane], sums.error[lane]};
  }
  ALWAYS_INLINE void finish(int row, Index index) {
    for (int e = 0; e < n_components; ++e)
      out[index * n_components + e] = (Float)(totals[row][e].sum + totals[row][e].error);
  }
};

// === log of the sum of exponentials: out (n_rows,)
template <class Float> struct LogSumOfRows {
  Float* out;
  Float m[ROWS_TOGETHER][SUM_LANES], s[ROWS_TOGETHER][SUM_LANES];
  LogSum<double> totals[ROWS_TOGETHER];

  static Float neutral() { return -infinity((Float)0); }
  static int n_results() { return 1; }
  ALWAYS_INLINE void clear(int row) {
    for (int lane = 0; lane < SUM_LANES; ++lane) m[row][lane] = neutral(), s[row][lane] = 0;
  }
  ALWAYS_INLINE void begin(int row, Index) {
    clear(row);
    totals[row] = no_terms<double>();
  }
  ALWAYS_INLINE void take(int row, const Float* v, Index, Index n) {
    for (Index k = 0; k < n; k += SUM_LANES)
      for (int lane = 0; lane < SUM_LANES; ++lane) {
        LogSum<Float> each = {m[row][lane], s[row][lane]};
        each.add(v[k + lane], v[k + lane] > neutral());
        m[row][lane] = each.m;
        s[row][lane] = each.s;
      }
  }
  ALWAYS_INLINE void end_chunk(int row) {
    LogSum<Float> each[SUM_LANES];
    for (int lane = 0; lane < SUM_LANES; ++lane) each[lane] = {m[row][lane], s[row][lane]};
    for (int half = SUM_LANES / 2; half; half /= 2)
      for (int lane = 0; lane < half; ++lane) each[lane].fold(each[lane + half]);
    totals[row].fold({(double)each[0].m, (double)each[0].s});
    clear(row);
  }
  ALWAYS_INLINE void finish(int row, Index index) { out[index] = (Float)totals[row].logarithm(); }
};

// Compiled for several instruction sets if the library is portable.
#define SUMS_OF(Float)                                                                                             \
  CLONED static void sum_rows(const PairProblem<Float>& in, Index first, Index end, Index block, int kind,             \
                              int n_components, bool has_factors, Float* out) {                                    \
    const Float* factors = has_factors ? in.values : nullptr;                                                      \
    if (kind == PLAIN_SUM) {                                                                                       \
      SumOfRows<Float, Float, PlainSum> sum = {factors, in.stride, n_components, out, {}, {}};                     \
      walk_pairs(in, first, end, block, sum);                                                                            \
    } else if (kind == WIDE_SUM) {                                                                                 \
      SumOfRows<Float, double, PlainSum> sum = {factors, in.stride, n_components, out, {}, {}};                    \
      walk_pairs(in, first, end, block, sum);                                                                            \
    } else {                                                                                                       \
      SumOfRows<Float, Float, CompensatedSum> sum = {factors, in.stride, n_components, out, {}, {}};               \
      walk_pairs(in, first, end, block, sum);                                                                            \
    }                                                                                                              \
  }                                                                                                                \
  CLONED static void log_sum_rows(const PairProblem<Float>& in, Index first, Index end, Index block, Float* out) {     \
    LogSumOfRows<Float> sums = {out, {}, {}, {}};                                                                  \
    walk_pairs(in, first, end, block, sums);                                                                             \
  }
SUMS_OF(float)
SUMS_OF(double)

FILLS(squared_distance)
FILLS(distance)
FILLS(gaussian)
FILLS(shifted_gaussian)
FILLS(laplacian)
FILLS(power)
FILLS(within)
FILLS(wendland)
#endif

HOST_LOOPS(sum_over_pairs,
  (const Float* rows, const Float* columns, const Float* values, const Index* row_order, const Index* column_order,
   const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals, Wide fill,
   Index stride, Real squared_radius, Int32 n_dimensions, Int32 row_length, Int32 triangle, const Index* cuts, const Index* first_block,
   Int32 kind, Int32 n_components, Int32 has_factors, Float* out),
  sum_rows(PairProblem<Float>{rows, columns, values, row_order, column_order, parameters, blocks, offsets, intervals, fill,
                   stride, squared_radius, n_dimensions, row_length, triangle}, cuts[i], cuts[i + 1], first_block[i], kind, n_components,
                  has_factors, out))

HOST_LOOPS(log_sum_over_pairs,
  (const Float* rows, const Float* columns, const Float* values, const Index* row_order, const Index* column_order,
   const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals, Wide fill,
   Index stride, Real squared_radius, Int32 n_dimensions, Int32 row_length, Int32 triangle, const Index* cuts, const Index* first_block, Float* out),
  log_sum_rows(PairProblem<Float>{rows, columns, values, row_order, column_order, parameters, blocks, offsets, intervals, fill,
                stride, squared_radius, n_dimensions, row_length, triangle}, cuts[i], cuts[i + 1], first_block[i], out))
