// Simplices of one dimension that share a facet (triangles an edge, tetrahedra a triangle) or, of edges,
// a vertex; and the tetrahedra of triangles. Rows and names as in relations.h.
//
// Two simplices share at most one facet, so no neighbor occurs twice.
#pragma once
#include "simplicial/relations.h"

ITEM Int32 degree_of(Int32 v, const Int32* below_begin, const Int32* edge_begin) {
  return below_begin[v + 1] - below_begin[v] + edge_begin[v + 1] - edge_begin[v];
}
KERNEL(count_ee, (const Int32* chosen, Index n_chosen, Index begin, const Int32* below_begin, const Int32* edge_lower,
                  const Int32* edge_begin, const Int32* edge_upper, Int32* counts),
       const Int32 e = chosen_simplex(chosen, n_chosen, begin, i);
       counts[i] = degree_of(edge_lower[e], below_begin, edge_begin) +
                   degree_of(edge_upper[e], below_begin, edge_begin) - 2)
// Edges at both ends of ab. Ids ascend by the lower vertex: first those below a, merged with those below b that
// precede ab, then a's own, then the remaining ones below b, then b's own.
ITEM void write_edges_at_ends(Int32 e, const Int32* below_begin, const Int32* below_edges, const Int32* edge_lower,
                              const Int32* edge_begin, const Int32* edge_upper, Int32* row) {
  const Int32 a = edge_lower[e], b = edge_upper[e];
  Int32 j = below_begin[a], k = below_begin[b];
  const Int32 end_a = below_begin[a + 1], end_b = below_begin[b + 1];
  while (j < end_a || below_edges[k] != e) {
    const bool from_a = j < end_a && (below_edges[k] == e || below_edges[j] < below_edges[k]);
    *row++ = below_edges[from_a ? j++ : k++];
  }
  for (Int32 own = edge_begin[a]; own < edge_begin[a + 1]; ++own)
    if (own != e) *row++ = own;
  while (++k < end_b) *row++ = below_edges[k];
  for (Int32 own = edge_begin[b]; own < edge_begin[b + 1]; ++own) *row++ = own;
}
KERNEL(write_ee, (const Int32* chosen, Index n_chosen, Index begin, const Int32* below_begin, const Int32* below_edges,
                  const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper, const Index* offsets,
                  Int32* items),
       write_edges_at_ends(chosen_simplex(chosen, n_chosen, begin, i), below_begin, below_edges, edge_lower,
                           edge_begin, edge_upper, items + offsets[i]))

// edge_degrees (E,): triangles of each edge.
KERNEL(count_ff, (const Int32* chosen, Index n_chosen, Index begin, const Int32* edge_degrees, const Int32* edge_lower,
                  const Int32* edge_begin, const Int32* edge_upper, const Int32* triangle_edge,
                  const Int32* triangle_third, Int32* counts),
       const Int32 f = chosen_simplex(chosen, n_chosen, begin, i); Int32 edges[3] = {}; Int32 n = 0;
       if (f != NONE) {
         edges_of_triangle(f, edge_lower, edge_begin, edge_upper, triangle_edge, triangle_third, edges);
         for (int k = 0; k < 3; ++k) n += edge_degrees[edges[k]] - 1;
       }
       counts[i] = n)
// edge_offsets (E + 1), edge_triangles: all of EF in mesh ids.
KERNEL(write_ff, (const Int32* chosen, Index n_chosen, Index begin, const Index* edge_offsets,
                  const Int32* edge_triangles, const Int32* edge_lower, const Int32* edge_begin,
                  const Int32* edge_upper, const Int32* triangle_edge, const Int32* triangle_third,
                  const Index* offsets, const Int32* names, Index n_names, Int32* items),
       const Int32 f = chosen_simplex(chosen, n_chosen, begin, i); Int32* row = items + offsets[i]; Index n = 0;
       Int32 edges[3];
       if (f != NONE) {
         edges_of_triangle(f, edge_lower, edge_begin, edge_upper, triangle_edge, triangle_third, edges);
         for (int k = 0; k < 3; ++k)
           for (Index at = edge_offsets[edges[k]]; at < edge_offsets[edges[k] + 1]; ++at)
             if (edge_triangles[at] != f) row[n++] = edge_triangles[at];
         name_row(row, n, names, n_names);
         order_row(row, n);
       })

// === at most two tetrahedra per triangle: tables with NONE for missing ones
KERNEL(write_ft_table, (const Int32* chosen, Index n_chosen, Index begin, const Int32* triangle_tets,
                        const Int32* names, Index n_names, Int32* rows),
       const Int32* pair = triangle_tets + 2 * (Index)chosen_simplex(chosen, n_chosen, begin, i);
       Int32* row = rows + 2 * i; row[0] = pair[0]; row[1] = pair[1];
       name_row(row, 2, names, n_names);
       if (row[1] != NONE) put_in_order(row[0], row[1]))
KERNEL(write_tt_table, (const Int32* chosen, Index n_chosen, Index begin, const Int32* tets, const Int32* edge_begin,
                        const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third,
                        const Int32* triangle_tets, const Int32* names, Index n_names, Int32* rows),
       const Int32 t = chosen_simplex(chosen, n_chosen, begin, i); Int32* row = rows + 4 * i;
       Int32 faces[4] = {};
       if (t != NONE)
         triangles_of_tet(tets + 4 * (Index)t, edge_begin, edge_upper, triangle_begin, triangle_third, faces);
       for (int k = 0; k < 4; ++k) {
         const Int32* pair = triangle_tets + 2 * (Index)faces[k];
         row[k] = t == NONE ? NONE : pair[pair[0] == t];
       }
       name_row(row, 4, names, n_names))
// Rows of a table (n, width) without NONE, ascending.
KERNEL(count_present, (const Int32* table, Index width, Int32* counts),
       Int32 n = 0; for (Index k = 0; k < width; ++k) n += table[width * i + k] != NONE; counts[i] = n)
KERNEL(write_present, (const Int32* table, Index width, const Index* offsets, Int32* items),
       Int32* row = items + offsets[i]; Index n = 0;
       for (Index k = 0; k < width; ++k) if (table[width * i + k] != NONE) row[n++] = table[width * i + k];
       order_row(row, n))

// === triangles with more tetrahedra
ITEM void corners_of_face(const Int32* tet, int k, Int32* v) {
  for (int j = 0, n = 0; j < 4; ++j)
    if (j != 3 - k) v[n++] = tet[j];
}
KERNEL(count_ft, (const Int32* chosen, Index n_chosen, Index begin, const Int32* edge_lower, const Int32* edge_upper,
                  const Int32* triangle_edge, const Int32* triangle_third, const Int32* tets, const Int32* tet_begin,
                  const Int32* star_begin, const Int32* star_tets, Int32* counts),
       Int32 v[3]; Int32 n = 0;
       triangle_vertices(chosen_simplex(chosen, n_chosen, begin, i), edge_lower, edge_upper, triangle_edge,
                         triangle_third, v);
       visit_tets_of_triangle(v[0], v[1], v[2], tets, tet_begin, star_begin, star_tets, [&](Int32) { ++n; });
       counts[i] = n)
KERNEL(write_ft, (const Int32* chosen, Index n_chosen, Index begin, const Int32* edge_lower, const Int32* edge_upper,
                  const Int32* triangle_edge, const Int32* triangle_third, const Int32* tets, const Int32* tet_begin,
                  const Int32* star_begin, const Int32* star_tets, const Index* offsets, const Int32* names,
                  Index n_names, Int32* items),
       Int32 v[3]; Int32* row = items + offsets[i]; Index n = 0;
       triangle_vertices(chosen_simplex(chosen, n_chosen, begin, i), edge_lower, edge_upper, triangle_edge,
                         triangle_third, v);
       visit_tets_of_triangle(v[0], v[1], v[2], tets, tet_begin, star_begin, star_tets, [&](Int32 t) { row[n++] = t; });
       name_and_sort_row(row, n, names, n_names))
template <class Visit>
ITEM void visit_tets_across(Int32 t, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                            const Int32* star_tets, Visit visit) {
  if (t == NONE) return;
  for (int k = 0; k < 4; ++k) {
    Int32 v[3];
    corners_of_face(tets + 4 * (Index)t, k, v);
    visit_tets_of_triangle(v[0], v[1], v[2], tets, tet_begin, star_begin, star_tets, [&](Int32 other) {
      if (other != t) visit(other);
    });
  }
}
KERNEL(count_tt, (const Int32* chosen, Index n_chosen, Index begin, const Int32* tets, const Int32* tet_begin,
                  const Int32* star_begin, const Int32* star_tets, Int32* counts),
       Int32 n = 0;
       visit_tets_across(chosen_simplex(chosen, n_chosen, begin, i), tets, tet_begin, star_begin, star_tets,
                         [&](Int32) { ++n; });
       counts[i] = n)
KERNEL(write_tt, (const Int32* chosen, Index n_chosen, Index begin, const Int32* tets, const Int32* tet_begin,
                  const Int32* star_begin, const Int32* star_tets, const Index* offsets, const Int32* names,
                  Index n_names, Int32* items),
       Int32* row = items + offsets[i]; Index n = 0;
       visit_tets_across(chosen_simplex(chosen, n_chosen, begin, i), tets, tet_begin, star_begin, star_tets,
                         [&](Int32 other) { row[n++] = other; });
       name_row(row, n, names, n_names);
       order_row(row, n))
