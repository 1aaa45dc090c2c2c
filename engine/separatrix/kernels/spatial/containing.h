// Points in tetrahedra, the lowest of which is found for each point. Points are sorted into cells.
#pragma once
#include "common/extremes.h"
#include "spatial/cells.h"

// In: corners (m, 4, 3); planes, order, and rows of the points; several points may have the same row. A barycentric
// coordinate may be as low as -margin. Out: found, for each row the lowest tetrahedron that contains one of its points.
ITEM void find_inside(Index tet, const Real* corners, const Cells& cells, const Real* planes, Index stride,
                      const Int32* order, const Index* rows, Real margin, Wide* found) {
  const Real* o = corners + 12 * tet;
  Real side[3][3], normal[3][3], low[3], high[3], det = 0;
  for (int axis = 0; axis < 3; ++axis) {
    Real least = o[axis], most = o[axis];
    for (int k = 0; k < 3; ++k) {
      const Real at = o[3 * (k + 1) + axis];
      side[k][axis] = at - o[axis];
      least = smaller(least, at), most = larger(most, at);
    }
    const Real first = axis == 0 ? cells.grid.low_x : axis == 1 ? cells.grid.low_y : cells.grid.low_z;
    const Real n = axis == 0 ? cells.grid.n_x : axis == 1 ? cells.grid.n_y : cells.grid.n_z;
    low[axis] = in_cells(least, first, cells.grid.size, n), high[axis] = in_cells(most, first, cells.grid.size, n);
  }
  for (int k = 0; k < 3; ++k) {
    const Real *a = side[(k + 1) % 3], *b = side[(k + 2) % 3];
    for (int axis = 0; axis < 3; ++axis) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      normal[k][axis] = a[u] * b[v] - a[v] * b[u];
    }
  }
  for (int axis = 0; axis < 3; ++axis) det += normal[0][axis] * side[0][axis];
  visit_runs(cells, low, high, 0, false, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      const Real x = planes[p] - o[0], y = planes[stride + p] - o[1], z = planes[2 * stride + p] - o[2];
      Real rest = 1;
      bool is_inside = true;
      for (int k = 0; k < 3; ++k) {
        const Real part = (normal[k][0] * x + normal[k][1] * y + normal[k][2] * z) / det;
        is_inside &= part >= -margin, rest -= part;
      }
      if (is_inside && rest >= -margin) min_into(found + rows[order[p]], (Wide)tet);
    }
  });
}
ROW_KERNEL(find_points_inside, (const Real* corners, CellGrid grid, const Index* keys, Index n_keys, const Int32* starts,
                                const Real* planes, Index stride, const Int32* order, const Index* rows, Real margin,
                                Wide* found),
           find_inside(i, corners, {grid, keys, n_keys, starts}, planes, stride, order, rows, margin, found))
