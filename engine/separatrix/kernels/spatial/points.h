// Bounds of a point set, and its invalid coordinates.
//
// A coordinate is usable if it is finite and at most 1e150 in magnitude, because larger squares
// overflow. Points are (n, d) float64; there is one result per run of POINT_RUN points.
#pragma once
#include "common/types.h"

enum { POINT_RUN = 64 };

ITEM bool is_usable(Real v) { return v >= -1e150 && v <= 1e150; }  // false for NaN

// Out: low, high (n_runs, d) of each run; bad (n_runs,), the number of points with an unusable coordinate,
// and first_bad (n_runs,), the first of them, or n.
ITEM void bound_run(const Real* points, Index n, Index d, Index run, Real* low, Real* high,
                    Int32* bad, Index* first_bad) {
  Index begin = run * POINT_RUN, end = begin + POINT_RUN < n ? begin + POINT_RUN : n;
  for (Index a = 0; a < d; ++a) {
    Real lowest = points[begin * d + a], highest = lowest;
    for (Index p = begin + 1; p < end; ++p) {
      Real v = points[p * d + a];
      lowest = v < lowest ? v : lowest;
      highest = v > highest ? v : highest;
    }
    low[run * d + a] = lowest;
    high[run * d + a] = highest;
  }
  Int32 n_bad = 0;
  Index first = n;
  for (Index p = begin; p < end; ++p) {
    bool usable = true;
    for (Index a = 0; a < d; ++a) usable &= is_usable(points[p * d + a]);
    if (!usable && !n_bad++) first = p;
  }
  bad[run] = n_bad;
  first_bad[run] = first;
}

KERNEL(bound_points, (const Real* points, Index n, Index d, Real* low, Real* high, Int32* bad,
                      Index* first_bad),
       bound_run(points, n, d, i, low, high, bad, first_bad))
