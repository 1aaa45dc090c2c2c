// Checks of the caller's cells: invalid and unusual ones.
#pragma once
#include "common/types.h"

ITEM bool has_repeated_corner(const Int32* cell, Index n_corners) {
  bool found = false;
  for (Index j = 1; j < n_corners; ++j)
    for (Index k = 0; k < j; ++k) found |= cell[j] == cell[k];
  return found;
}
KERNEL(find_repeated_corners, (const Int32* cells, Index n_corners, Byte* is_degenerate),
       is_degenerate[i] = has_repeated_corner(cells + n_corners * i, n_corners))

// Whether a tetrahedron's volume is zero as float64 computes it. points (V, 3) in the user's order.
ITEM bool is_flat(const Real* points, const Int32* point_of, const Int32* tet) {
  Real d[3][3];
  for (int k = 0; k < 3; ++k)
    for (int axis = 0; axis < 3; ++axis)
      d[k][axis] = points[3 * (Index)point_of[tet[k + 1]] + axis] - points[3 * (Index)point_of[tet[0]] + axis];
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
             d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]) == 0;
}
KERNEL(find_flat_tets, (const Real* points, const Int32* point_of, const Int32* tets, Byte* flat),
       flat[i] = is_flat(points, point_of, tets + 4 * i))
