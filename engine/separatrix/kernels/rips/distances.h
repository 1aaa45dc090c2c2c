// Euclidean distances of points among themselves: an item is a run of columns of one row.
//
// float64, squares added from left to right, then the root, which IEEE 754 rounds correctly: the same bits
// on every device. In: coordinates (d, stride), a row an axis. Out: distances (n, n). Or in: points (n, d), and the
// ends of pairs.
#pragma once
#include "common/search.h"
#include "common/types.h"

#if !ON_GPU
#include <cmath>
#endif

ITEM void rips_distance_run(const Real* coordinates, Index stride, Int32 d, Index row, Index begin, Index end,
                            Real* out) {
  for (Index j = begin; j < end; ++j) out[j] = 0;
  for (Int32 axis = 0; axis < d; ++axis) {
    const Real* x = coordinates + axis * stride;
    const Real at = x[row];
    for (Index j = begin; j < end; ++j) {
      const Real difference = at - x[j];
      out[j] += difference * difference;
    }
  }
  for (Index j = begin; j < end; ++j) out[j] = sqrt(out[j]);
}

ROW_KERNEL(rips_euclidean, (const Real* coordinates, Index stride, Int32 d, Index n, Index width, Real* distances), {
  const Index runs = (n + width - 1) / width, row = i / runs, begin = i % runs * width;
  const Index end = begin + width < n ? begin + width : n;
  rips_distance_run(coordinates, stride, d, row, begin, end, distances + row * n);
})

ITEM Real rips_distance_between(const Real* a, const Real* b, Int32 d) {
  Real square = 0;
  for (Int32 axis = 0; axis < d; ++axis) square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sqrt(square);
}
KERNEL(rips_measure_pairs, (const Real* points, Int32 d, const Int32* u, const Int32* v, Real* lengths),
       lengths[i] = rips_distance_between(points + (Index)u[i] * d, points + (Index)v[i] * d, d))

// The place of a length in ascending levels, or ~0.
ITEM Word rips_rank_of(const Real* levels, Index m, Real length) {
  const Index place = place_among(levels, m, length);
  return place < 0 ? ~0u : (Word)place;
}
KERNEL(rips_rank_lengths, (const Real* levels, Index m, const Real* lengths, Word* ranks),
       ranks[i] = rips_rank_of(levels, m, lengths[i]))

KERNEL(rips_copy_reals, (const Real* given, Real* found), found[i] = given[i])
