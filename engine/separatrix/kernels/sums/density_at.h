// Density of weighted points at other points, in float64: each position sums the points in the cells near it,
// in the order of the sorted points.
#pragma once
#include "spatial/neighbors.h"
#include "sums/profile.h"

struct DensitySum {
  Real value, along[3];
};
// `scales`: one square of (unit / length) for each point.
template <int KIND>
ITEM DensitySum density_sum(Cells cells, Points points, Query at, Real radius2, Real wide, const Real* weights,
                            const Real* scales, Profile<KIND, Real> profile) {
  DensitySum sum = {0, {0, 0, 0}};
  const Real *x = points.planes, *y = x + points.stride, *z = y + points.stride;
  look_around(cells, points, at, radius2, wide, FROM_START, [&](Index j, Word within) {
    for (; within; within &= within - 1) {
      const Index p = j + lowest_bit(within), own = points.order[p];
      const Real dx = at.x - x[p], dy = at.y - y[p], dz = at.z - z[p];
      const Real d2 = (dx * dx + dy * dy + dz * dz) * scales[own];
      if (!(d2 < profile.p1)) continue;
      const Real slope = weights[own] * scales[own] * profile.slope(d2);
      sum.value += weights[own] * profile.value(d2);
      sum.along[0] += slope * dx;
      sum.along[1] += slope * dy;
      sum.along[2] += slope * dz;
    }
  });
  return sum;
}
ITEM void put_density(DensitySum sum, Index row, Real* values, Real* gradient) {
  values[row] = sum.value;
  for (int a = 0; a < 3; ++a) gradient[3 * row + a] = sum.along[a];
}
#define DENSITY_OF(KIND) density_sum<KIND>(cells, points, at, radius2, wide, weights, scales, {p0, p1, p2})
ITEM DensitySum density_of_kind(Cells cells, Points points, Query at, Real radius2, Real wide, const Real* weights,
                                const Real* scales, Index kind, Real p0, Real p1, Real p2) {
  switch (kind) {
    case GAUSSIAN: return DENSITY_OF(GAUSSIAN);
    case LAPLACIAN: return DENSITY_OF(LAPLACIAN);
    case EPANECHNIKOV: return DENSITY_OF(EPANECHNIKOV);
    case WENDLAND: return DENSITY_OF(WENDLAND);
    default: return DENSITY_OF(CUBIC_SPLINE);
  }
}
// In: cells and planes of the points, planes of the positions, weights and scales (n,) by the caller's rows.
// Out, by the caller's positions: values (m,), gradient (m, 3) along the planes.
ROW_KERNEL(density_at_points, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts,
                               const Real* planes, Index stride, Index d, const Int32* order, const Real* queries,
                               Index query_stride, const Int32* query_order, Real radius2, Real wide,
                               const Real* weights, const Real* scales, Index kind, Real p0, Real p1, Real p2,
                               Real* values, Real* gradient),
           put_density(density_of_kind({grid, keys, n_keys, starts}, {planes, stride, d, order},
               query_at({queries, query_stride, d, query_order}, i), radius2, wide, weights, scales, kind, p0, p1,
               p2), query_order[i], values, gradient))
