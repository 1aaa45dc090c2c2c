// Cached lists of a mesh for its relations: edges and triangles by their upper vertices, the two tetrahedra of
// each triangle, and the boundary.
#pragma once
#include "simplicial/build.h"

// === simplices by the vertices that are not their lowest
KERNEL(count_edges_below, (const Int32* edge_upper, Int32* counts), count_one(counts + edge_upper[i]))
KERNEL(place_edges_below, (const Int32* edge_upper, Int32* cursors, Int32* listed),
       listed[count_one(cursors + edge_upper[i])] = (Int32)i)
KERNEL(count_triangles_below, (const Int32* edge_upper, const Int32* triangle_edge, const Int32* triangle_third,
                               Int32* counts),
       count_one(counts + edge_upper[triangle_edge[i]]);
       count_one(counts + triangle_third[i]))
KERNEL(place_triangles_below, (const Int32* edge_upper, const Int32* triangle_edge, const Int32* triangle_third,
                               Int32* cursors, Int32* listed),
       listed[count_one(cursors + edge_upper[triangle_edge[i]])] = (Int32)i;
       listed[count_one(cursors + triangle_third[i])] = (Int32)i)

// === the tetrahedra of each triangle. Out: triangle_tets (F, 2), the lowest two, NONE if there are
// fewer; is_crowded (F,): whether there are more.
ITEM void pair_tets_at(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                       const Int32* star_tets, const Int32* edge_begin, const Int32* edge_upper,
                       const Int32* triangle_begin, const Int32* triangle_third, Int32* triangle_tets,
                       Byte* is_crowded) {
  const Int32 first = edge_begin[v], end = edge_begin[v + 1];
  for (Int32 f = triangle_begin[first]; f < triangle_begin[end]; ++f) {
    triangle_tets[2 * (Index)f] = triangle_tets[2 * (Index)f + 1] = NONE;
    is_crowded[f] = 0;
  }
  const bool is_hub = end - first > MOST_IN_MATRIX;
  UpperList list;
  load_uppers(edge_upper + first, is_hub ? 0 : end - first, list);
  visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32 t, const Int32* row) {
    visit_triangles_above(row, v, [&](Int32 b, Int32 c) {
      const Int32 edge = is_hub ? place_among(edge_upper, first, end, b) : first + n_uppers_below(list, b);
      Int32* pair = triangle_tets + 2 * (Index)triangle_on(edge, c, triangle_begin, triangle_third);
      if (pair[0] == NONE)
        pair[0] = t;
      else if (pair[1] == NONE)
        pair[1] = t;
      else
        is_crowded[(pair - triangle_tets) / 2] = 1;
    });
  });
}
KERNEL(pair_tets, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin, const Int32* star_tets,
                   const Int32* edge_begin, const Int32* edge_upper, const Int32* triangle_begin,
                   const Int32* triangle_third, Int32* triangle_tets, Byte* is_crowded),
       pair_tets_at((Int32)i, tets, tet_begin, star_begin, star_tets, edge_begin, edge_upper, triangle_begin,
                    triangle_third, triangle_tets, is_crowded))

// === the boundary: facets of exactly one cell, and all their faces and cells
KERNEL(mark_boundary_triangles, (const Int32* triangle_tets, Byte* is_outer),
       is_outer[i] = triangle_tets[2 * i + 1] == NONE)
// The same without the tetrahedra of each triangle: bits of those seen once, and of those seen
// again, at their lowest vertex.
ITEM void mark_outer_above(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                           const Int32* star_tets, const Int32* edge_begin, const Int32* edge_upper,
                           const Int32* triangle_begin, const Int32* triangle_third, Byte* is_outer) {
  const Int32 first = edge_begin[v], end = edge_begin[v + 1];
  if (end - first > MOST_IN_MATRIX) {
    const Byte fresh = 2;
    for (Int32 f = triangle_begin[first]; f < triangle_begin[end]; ++f) is_outer[f] = fresh;
    visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32, const Int32* row) {
      visit_triangles_above(row, v, [&](Int32 b, Int32 c) {
        Byte& mark = is_outer[triangle_on(place_among(edge_upper, first, end, b), c, triangle_begin, triangle_third)];
        mark = mark == fresh;
      });
    });
    return;
  }
  UpperList list;
  load_uppers(edge_upper + first, end - first, list);
  Wide once[MOST_IN_MATRIX], again[MOST_IN_MATRIX];
  for (Int32 k = 0; k < list.n; ++k) once[k] = again[k] = 0;
  visit_places_above(v, tets, tet_begin, star_begin, star_tets, list, [&](Int32 i, Int32 j) {
    const Wide bit_of = (Wide)1 << j;
    again[i] |= once[i] & bit_of;
    once[i] |= bit_of;
  });
  Byte* mark = is_outer + triangle_begin[first];
  for (Int32 k = 0; k < list.n; ++k)
    for (Wide left = once[k]; left; left &= left - 1) *mark++ = !(again[k] & left & (~left + 1));
}
KERNEL(find_outer_triangles, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                              const Int32* star_tets, const Int32* edge_begin, const Int32* edge_upper,
                              const Int32* triangle_begin, const Int32* triangle_third, Byte* is_outer),
       mark_outer_above((Int32)i, tets, tet_begin, star_begin, star_tets, edge_begin, edge_upper, triangle_begin,
                        triangle_third, is_outer))
// In: rows (n, width) of faces of all facets. Out: is_on_boundary, one byte per face.
ITEM void mark_row(const Int32* row, Index width, Byte* is_on_boundary) {
  for (Index k = 0; k < width; ++k) mark(is_on_boundary + row[k]);
}
KERNEL(mark_faces_of_outer, (const Byte* is_outer, const Int32* rows, Index width, Byte* is_on_boundary),
       if (is_outer[i]) mark_row(rows + width * i, width, is_on_boundary))
// Out: whether a cell has one of the facets in its row.
ITEM Byte has_marked(const Int32* row, Index width, const Byte* is_outer) {
  Byte found = 0;
  for (Index k = 0; k < width; ++k) found |= is_outer[row[k]];
  return found;
}
KERNEL(mark_cells_of_outer, (const Byte* is_outer, const Int32* rows, Index width, Byte* is_on_boundary),
       is_on_boundary[i] = has_marked(rows + width * i, width, is_outer))
