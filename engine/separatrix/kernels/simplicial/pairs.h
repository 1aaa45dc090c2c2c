// The cofacet that a simplex of a mesh is paired with: one pass over the codes of the next dimension.
//
// In: codes (lower_star.h) of the simplices, and the simplices in mesh order as in
// star_entries.h. Out: up, of the simplices of one dimension less: the cofacet, initially NONE. Each
// entry is written at most once.
#pragma once
#include "simplicial/simplices.h"

ITEM void pair_ends(Index e, const Byte* codes, const Int32* edge_lower, const Int32* edge_upper, Int32* up) {
  if (codes[e] < 2) up[codes[e] ? edge_upper[e] : edge_lower[e]] = (Int32)e;
}
KERNEL(pair_vertices_up, (const Byte* codes, const Int32* edge_lower, const Int32* edge_upper, Int32* up),
       pair_ends(i, codes, edge_lower, edge_upper, up))

// Facets ab, ac, bc of a triangle.
ITEM void pair_sides(Index e, const Byte* codes, const Int32* edge_begin, const Int32* edge_lower, const Int32* edge_upper,
                     const Int32* triangle_begin, const Int32* triangle_third, Int32* up) {
  for (Int32 t = triangle_begin[e]; t < triangle_begin[e + 1]; ++t) {
    if (codes[t] > 2) continue;
    const Int32 c = triangle_third[t], at = codes[t] == 1 ? edge_lower[e] : edge_upper[e];
    up[codes[t] == 0 ? (Int32)e : edge_between(at, c, edge_begin, edge_upper)] = t;
  }
}
KERNEL(pair_edges_up, (const Byte* codes, const Int32* edge_begin, const Int32* edge_lower, const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third, Int32* up),
       pair_sides(i, codes, edge_begin, edge_lower, edge_upper, triangle_begin, triangle_third, up))

// Facets abc, abd, acd, bcd of a tetrahedron: facet k lacks corner 3 - k.
ITEM void pair_faces(Index t, const Byte* codes, const Int32* tets, const Int32* edge_begin, const Int32* edge_upper,
                     const Int32* triangle_begin, const Int32* triangle_third, Int32* up) {
  const int lacking = 3 - codes[t];
  if (lacking < 0) return;
  const Int32* corner = tets + 4 * t;
  const Int32 a = corner[lacking == 0], b = corner[lacking < 2 ? 2 : 1], c = corner[lacking < 3 ? 3 : 2];
  up[triangle_of(a, b, c, edge_begin, edge_upper, triangle_begin, triangle_third)] = (Int32)t;
}
KERNEL(pair_triangles_up, (const Byte* codes, const Int32* tets, const Int32* edge_begin, const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third, Int32* up),
       pair_faces(i, codes, tets, edge_begin, edge_upper, triangle_begin, triangle_third, up))
