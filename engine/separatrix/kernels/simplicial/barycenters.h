// Positions at which simplices of a mesh are drawn: the means of their corners.
//
// In: ids (k,) of simplices of one dimension; points (n, 3) by the user's point. Out: centers (k, 3).
// Corners are added in mesh order, so the result has the same bits on any device.
#pragma once
#include "simplicial/simplices.h"

ITEM void mean_of(const Int32* corners, int n, const Int32* point_of, const Real* points, Real* center) {
  for (int axis = 0; axis < 3; ++axis) {
    Real sum = points[3 * (Index)point_of[corners[0]] + axis];
    for (int k = 1; k < n; ++k) sum += points[3 * (Index)point_of[corners[k]] + axis];
    center[axis] = sum / n;
  }
}
ITEM void center_of_edge(Int32 e, const Int32* edge_lower, const Int32* edge_upper, const Int32* point_of,
                         const Real* points, Real* center) {
  Int32 corners[2];
  edge_vertices(e, edge_lower, edge_upper, corners);
  mean_of(corners, 2, point_of, points, center);
}
ITEM void center_of_triangle(Int32 f, const Int32* edge_lower, const Int32* edge_upper, const Int32* triangle_edge,
                             const Int32* triangle_third, const Int32* point_of, const Real* points, Real* center) {
  Int32 corners[3];
  triangle_vertices(f, edge_lower, edge_upper, triangle_edge, triangle_third, corners);
  mean_of(corners, 3, point_of, points, center);
}
KERNEL(place_edges, (const Int32* ids, const Int32* edge_lower, const Int32* edge_upper, const Int32* point_of, const Real* points, Real* centers),
       center_of_edge(ids[i], edge_lower, edge_upper, point_of, points, centers + 3 * i))
KERNEL(place_triangles, (const Int32* ids, const Int32* edge_lower, const Int32* edge_upper, const Int32* triangle_edge, const Int32* triangle_third, const Int32* point_of, const Real* points, Real* centers),
       center_of_triangle(ids[i], edge_lower, edge_upper, triangle_edge, triangle_third, point_of, points, centers + 3 * i))
KERNEL(place_tets, (const Int32* ids, const Int32* tets, const Int32* point_of, const Real* points, Real* centers),
       mean_of(tets + 4 * (Index)ids[i], 4, point_of, points, centers + 3 * i))
