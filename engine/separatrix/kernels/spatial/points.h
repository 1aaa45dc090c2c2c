// Bounds of a point set, and its invalid coordinates.
//
// A coordinate is usable if it is finite and at most 1e150 in magnitude, because larger squares
// overflow. Points are (n, d) float64; there is one result per run of POINT_RUN points.
#pragma once
#include "common/types.h"

enum { POINT_RUN = 64 };

ITEM bool is_usable(Real v) { return v >= -1e150 && v <= 1e150; }  // false for NaN

// Row of a run in `bounds` (n_runs, 2 d + 2): its lowest coordinates, its highest ones, the number of points
// with an unusable coordinate, and the first of them, or n.
ITEM void bound_run(const Real* points, Index n, Index d, Index run, Real* bounds) {
  Index begin = run * POINT_RUN, end = begin + POINT_RUN < n ? begin + POINT_RUN : n;
  Real* row = bounds + run * (2 * d + 2);
  for (Index a = 0; a < d; ++a) {
    Real lowest = points[begin * d + a], highest = lowest;
    for (Index p = begin + 1; p < end; ++p) {
      Real v = points[p * d + a];
      lowest = v < lowest ? v : lowest;
      highest = v > highest ? v : highest;
    }
    row[a] = lowest;
    row[d + a] = highest;
  }
  Index n_bad = 0, first = n;
  for (Index p = begin; p < end; ++p) {
    bool usable = true;
    for (Index a = 0; a < d; ++a) usable &= is_usable(points[p * d + a]);
    if (!usable && !n_bad++) first = p;
  }
  row[2 * d] = (Real)n_bad;
  row[2 * d + 1] = (Real)first;
}

// The row of POINT_RUN runs together.
ITEM void join_runs(const Real* bounds, Index n_runs, Index d, Index group, Real* joined) {
  Index begin = group * POINT_RUN, end = begin + POINT_RUN < n_runs ? begin + POINT_RUN : n_runs;
  Index width = 2 * d + 2;
  Real* row = joined + group * width;
  for (Index k = 0; k < width; ++k) {
    Real v = bounds[begin * width + k];
    for (Index run = begin + 1; run < end; ++run) {
      Real other = bounds[run * width + k];
      if (k == 2 * d) v += other;
      else if (k >= d && k < 2 * d) v = other > v ? other : v;
      else v = other < v ? other : v;
    }
    row[k] = v;
  }
}

KERNEL(bound_points, (const Real* points, Index n, Index d, Real* bounds), bound_run(points, n, d, i, bounds))
KERNEL(join_bounds, (const Real* bounds, Index n_runs, Index d, Real* joined), join_runs(bounds, n_runs, d, i, joined))
