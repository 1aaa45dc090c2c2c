// Parents in the forests of minima and maxima of a mesh (forests.h), from the stars of its vertices alone: edges,
// triangles, and the sides of facets need not exist.
#pragma once
#include "simplicial/relations.h"

// A vertex is paired with the edge to its lowest neighbor, the first of its lower star (lower_star.h).
ITEM Int32 lowest_neighbor(Int32 v, const Int32* rank, const Int32* tets, const Int32* tet_begin,
                           const Int32* star_begin, const Int32* star_tets) {
  Int32 lowest = v;
  visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32, const Int32* row) {
    UNROLL for (int k = 0; k < 4; ++k)
      if (row[k] != NO_VERTEX && rank[row[k]] < rank[lowest]) lowest = row[k];
  });
  return lowest == v ? (Int32)NONE : lowest;
}
KERNEL(link_lowest_neighbors, (const Int32* rank, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                               const Int32* star_tets, Int32* forest),
       forest[i] = lowest_neighbor((Int32)i, rank, tets, tet_begin, star_begin, star_tets))

// The top simplex across the facet that a top simplex is paired with, or NONE on the boundary.
ITEM Int32 top_across(int dimension, Byte code, Int32 top, const Int32* tets, const Int32* tet_begin,
                      const Int32* star_begin, const Int32* star_tets) {
  if (code > dimension) return NONE;
  const Int32* corner = tets + 4 * (Index)top;
  const int lacking = dimension - code;
  const Int32 x = corner[lacking < 1], y = corner[lacking < 2 ? 2 : 1], z = corner[lacking < 3 ? 3 : 2];
  Int32 found = NONE;
  const auto visit = [&](Int32 t) {
    if (t != top && found == NONE) found = t;
  };
  if (dimension == 2) visit_tets_of_edge(x, y, tets, tet_begin, star_begin, star_tets, visit);
  else visit_tets_of_triangle(x, y, z, tets, tet_begin, star_begin, star_tets, visit);
  return found;
}
// In: corners (k, dimension) of facets. Out: the first two top simplices of each (k, 2), or NONE.
ITEM void find_sides(int dimension, const Int32* corner, const Int32* tets, const Int32* tet_begin,
                     const Int32* star_begin, const Int32* star_tets, Int32* sides) {
  sides[0] = sides[1] = NONE;
  const auto visit = [&](Int32 t) {
    if (sides[0] == NONE) sides[0] = t;
    else if (sides[1] == NONE) sides[1] = t;
  };
  if (dimension == 2) visit_tets_of_edge(corner[0], corner[1], tets, tet_begin, star_begin, star_tets, visit);
  else visit_tets_of_triangle(corner[0], corner[1], corner[2], tets, tet_begin, star_begin, star_tets, visit);
}
KERNEL(find_sides_of_facets, (Int32 dimension, const Int32* corners, const Int32* tets, const Int32* tet_begin,
                              const Int32* star_begin, const Int32* star_tets, Int32* sides),
       find_sides(dimension, corners + dimension * i, tets, tet_begin, star_begin, star_tets, sides + 2 * i))
KERNEL(link_tops_across, (Int32 dimension, const Byte* codes, const Int32* tets, const Int32* tet_begin,
                          const Int32* star_begin, const Int32* star_tets, Int32* forest),
       forest[i] = top_across(dimension, codes[i], (Int32)i, tets, tet_begin, star_begin, star_tets))
