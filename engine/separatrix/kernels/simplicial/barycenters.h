// Positions at which simplices of a mesh are drawn: the means of their corners.
//
// In: corners (k, n) of k simplices; points (V, 3) by the user's point. Out: centers (k, 3).
// Corners are added in mesh order, so the result has the same bits on any device.
#pragma once
#include "common/types.h"

ITEM void mean_of(const Int32* corners, Int32 n, const Int32* point_of, const Real* points, Real* center) {
  for (int axis = 0; axis < 3; ++axis) {
    Real sum = points[3 * (Index)point_of[corners[0]] + axis];
    for (Int32 k = 1; k < n; ++k) sum += points[3 * (Index)point_of[corners[k]] + axis];
    center[axis] = sum / n;
  }
}
KERNEL(place_simplices, (const Int32* corners, Int32 n, const Int32* point_of, const Real* points, Real* centers),
       mean_of(corners + n * i, n, point_of, points, centers + 3 * i))
