// Values of a formula on the host, for one row and a run of columns, 16 at once.
//
// The compiler vectorizes the loop over columns, which has no branches or calls and aligned, padded
// columns. Reductions read the values from a buffer in the first-level cache, so a formula is compiled
// once per dtype for all reductions.
#pragma once
#include "sums/lanes.h"
#include "sums/pairs.h"

#if !ON_GPU

#define ALWAYS_INLINE __attribute__((always_inline)) inline
// One binary for all x86-64 machines selects the widest available form; FMA matters most. Clang does
// not emit the inline functions that only clones use.
#if defined(SEPARATRIX_PORTABLE) && defined(__x86_64__) && !defined(__clang__)
  #define CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
  #define CLONED
#endif

enum { SEGMENT = 512 };  // columns in the buffer at once

// A row and the columns it meets. `neutral` is the value of pairs beyond the radius.
template <class Float> struct Meeting {
  const Float* row;
  const Float* columns;  // (any, stride), aligned to 128 bytes
  const Float* values;   // (n_values, stride)
  const Index* column_order;
  const Float* parameters;
  Index stride, row_index;
  Float squared_radius, neutral;
  Int32 n_dimensions;
};

// Results of a formula are SEGMENT apart.
template <class Float> static ALWAYS_INLINE void store(Float* out, Float v, bool counts, Float neutral) {
  *out = counts ? v : neutral;
}
template <class Float, int N>
static ALWAYS_INLINE void store(Float* out, const Several<Float, N>& v, bool counts, Float neutral) {
  UNROLL for (int e = 0; e < N; ++e) out[e * SEGMENT] = counts ? v.at[e] : neutral;
}

template <class Formula, class Float>
static ALWAYS_INLINE void fill_values(const Meeting<Float>& meet, Index begin, Index end, Float* __restrict out) {
  typedef Strided<Float> At;
  const Float* columns = meet.columns + begin;
  const Float* values = meet.values + begin;
  const Index* order = meet.column_order + begin;
  const Float r2 = meet.squared_radius, neutral = meet.neutral;
  const Index stride = meet.stride, n = end - begin, row_index = meet.row_index;
  const At row = {meet.row, 1};
  const Float* p = meet.parameters;
  if (meet.n_dimensions <= 3) {
    const Float x0 = row[0], x1 = row[1], x2 = row[2];
    _Pragma("GCC ivdep")
    for (Index at = 0; at < n; ++at) {
      const Float d2 = squared_length(x0 - columns[at], x1 - columns[at + stride], x2 - columns[at + 2 * stride]);
      const At column = {columns + at, stride};
      const auto v = Formula::template of<Float>(row, column, d2,
                                                 At{values + at, stride}, p, row_index, order[at]);
      store(out + at, v, d2 <= r2, neutral);
    }
    return;
  }
  for (Index at = 0; at < n; ++at) out[at] = 0;
  for (int axis = 0; axis < meet.n_dimensions; ++axis) {
    const Float x = row[axis];
    const Float* y = columns + axis * stride;
    _Pragma("GCC ivdep")
    for (Index at = 0; at < n; ++at) {
      Float dx = x - y[at];
      out[at] = with_square(out[at], dx);
    }
  }
  _Pragma("GCC ivdep")
  for (Index at = 0; at < n; ++at) {
    const Float d2 = out[at];
    const At column = {columns + at, stride};
    const auto v = Formula::template of<Float>(row, column, d2,
                                               At{values + at, stride}, p, row_index, order[at]);
    store(out + at, v, d2 <= r2, neutral);
  }
}

#define FILLS_OF(formula, dtype, type)                                                                   \
  extern "C" EXPORT CLONED void fill_##formula##_##dtype(const void* meeting, Index begin, Index end,  \
                                                        void* out) {                                   \
    fill_values<formulas::formula>(*(const Meeting<type>*)meeting, begin, end, (type*)out);                   \
  }
#define FILLS(formula) FILLS_OF(formula, float32, float) FILLS_OF(formula, float64, double)

#endif
