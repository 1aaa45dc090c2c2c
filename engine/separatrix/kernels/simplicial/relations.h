// Relations of a mesh, one row at a time: the boundary of a simplex, its cofaces, its neighbors.
//
// Row i is of simplex chosen[i], or of begin + i if n_chosen is 0; a chosen NONE has an empty row. Items
// are mesh ids, or names[id] if n_names is not 0. Written items ascend
// in rows of cofaces, neighbors and boundaries, except TE, TF, FE, whose mesh ids ascend in the canonical
// order (simplices.h), and TT, whose slot k is across face k.
//
// Cofaces of a simplex contain its lowest vertex, so they are found in the star of this vertex. "Own" simplices of
// a vertex, in which it is the lowest, form an interval; lists (V + 1; items) contain the others. Liu et al. 2025,
// sections 4.3 and 4.4.
#pragma once
#include "simplicial/build.h"

ITEM Int32 chosen_simplex(const Int32* chosen, Index n_chosen, Index begin, Index i) {
  return n_chosen ? chosen[i] : (Int32)(begin + i);
}
ITEM void name_row(Int32* row, Index n, const Int32* names, Index n_names) {
  if (n_names == 0) return;
  for (Index k = 0; k < n; ++k)
    if (row[k] != NONE) row[k] = names[row[k]];
}
#if !ON_GPU
typedef Int32 EightItems __attribute__((vector_size(32)));
#endif
// Distinct items in ascending order. On a CPU by counting the items below each, eight at a time, without
// branches: the vector type ensures that these eight are vectorized.
ITEM void order_row(Int32* row, Index n) {
#if !ON_GPU
  if (n <= SHORT_LIST) {
    EightItems blocks[SHORT_LIST / 8 + 1];
    Int32* items = (Int32*)blocks;
    for (Index k = 0; k < n; ++k) items[k] = row[k];
    for (Index k = n; k % 8; ++k) items[k] = 0;
    for (Index block = 0; 8 * block < n; ++block) {
      EightItems n_below = {};
      for (Index j = 0; j < n; ++j) n_below -= items[j] < blocks[block];
      const Index left = n - 8 * block;
      for (Index k = 0; k < (left < 8 ? left : 8); ++k) row[n_below[k]] = items[8 * block + k];
    }
    return;
  }
#endif
  sort_list(row, n);
}
ITEM void name_and_sort_row(Int32* row, Index n, const Int32* names, Index n_names) {
  if (n_names == 0) return;
  name_row(row, n, names, n_names);
  order_row(row, n);
}
// The corners of a simplex, in ascending order of their names.
template <int N>
ITEM void name_corners(Int32* row, const Int32* names, Index n_names) {
  if (n_names == 0) return;
  UNROLL for (int k = 0; k < N; ++k) row[k] = names[row[k]];
  UNROLL for (int pass = 1; pass < N; ++pass) UNROLL for (int k = 0; k < N - pass; ++k) put_in_order(row[k], row[k + 1]);
}

// === boundaries
KERNEL(write_ev, (const Int32* chosen, Index n_chosen, Index begin, const Int32* edge_lower, const Int32* edge_upper,
                  const Int32* names, Index n_names, Int32* rows),
       Int32* row = rows + 2 * i;
       edge_vertices(chosen_simplex(chosen, n_chosen, begin, i), edge_lower, edge_upper, row);
       name_corners<2>(row, names, n_names))
KERNEL(write_fv, (const Int32* chosen, Index n_chosen, Index begin, const Int32* edge_lower, const Int32* edge_upper,
                  const Int32* triangle_edge, const Int32* triangle_third, const Int32* names, Index n_names,
                  Int32* rows),
       Int32* row = rows + 3 * i; const Int32 f = chosen_simplex(chosen, n_chosen, begin, i);
       if (f == NONE) row[0] = row[1] = row[2] = NONE;
       else {
         triangle_vertices(f, edge_lower, edge_upper, triangle_edge, triangle_third, row);
         name_corners<3>(row, names, n_names);
       })
KERNEL(write_fe, (const Int32* chosen, Index n_chosen, Index begin, const Int32* edge_lower, const Int32* edge_begin,
                  const Int32* edge_upper, const Int32* triangle_edge, const Int32* triangle_third, Int32* rows),
       Int32* row = rows + 3 * i; const Int32 f = chosen_simplex(chosen, n_chosen, begin, i);
       if (f == NONE) row[0] = row[1] = row[2] = NONE;
       else edges_of_triangle(f, edge_lower, edge_begin, edge_upper, triangle_edge, triangle_third, row))
KERNEL(write_tv, (const Int32* chosen, Index n_chosen, Index begin, const Int32* tets, const Int32* names,
                  Index n_names, Int32* rows),
       Int32* row = rows + 4 * i; const Int32 t = chosen_simplex(chosen, n_chosen, begin, i);
       for (int k = 0; k < 4; ++k) row[k] = t == NONE ? NONE : tets[4 * (Index)t + k];
       if (t != NONE) name_corners<4>(row, names, n_names))
KERNEL(write_te, (const Int32* chosen, Index n_chosen, Index begin, const Int32* tets, const Int32* edge_begin,
                  const Int32* edge_upper, Int32* rows),
       Int32* row = rows + 6 * i; const Int32 t = chosen_simplex(chosen, n_chosen, begin, i);
       if (t == NONE) for (int k = 0; k < 6; ++k) row[k] = NONE;
       else edges_of_tet(tets + 4 * (Index)t, edge_begin, edge_upper, row))
KERNEL(write_tf, (const Int32* chosen, Index n_chosen, Index begin, const Int32* tets, const Int32* edge_begin,
                  const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third, Int32* rows),
       Int32* row = rows + 4 * i; const Int32 t = chosen_simplex(chosen, n_chosen, begin, i);
       if (t == NONE) for (int k = 0; k < 4; ++k) row[k] = NONE;
       else triangles_of_tet(tets + 4 * (Index)t, edge_begin, edge_upper, triangle_begin, triangle_third, row))

// === cofaces of vertices: the listed ones come before the own ones
KERNEL(write_vertex_cofaces, (const Int32* chosen, Index n_chosen, Index begin, const Int32* list_begin,
                              const Int32* listed, const Int32* own_begin, const Index* offsets, const Int32* names,
                              Index n_names, Int32* items),
       const Int32 v = chosen_simplex(chosen, n_chosen, begin, i); Int32* row = items + offsets[i]; Index n = 0;
       for (Int32 k = list_begin[v]; k < list_begin[v + 1]; ++k) row[n++] = listed[k];
       for (Int32 own = own_begin[v]; own < own_begin[v + 1]; ++own) row[n++] = own;
       name_and_sort_row(row, n, names, n_names))
// below_begin (V + 1), below_edges (E): edges by their upper vertex.
KERNEL(write_vv, (const Int32* chosen, Index n_chosen, Index begin, const Int32* below_begin,
                  const Int32* below_edges, const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                  const Index* offsets, const Int32* names, Index n_names, Int32* items),
       const Int32 v = chosen_simplex(chosen, n_chosen, begin, i); Int32* row = items + offsets[i]; Index n = 0;
       for (Int32 k = below_begin[v]; k < below_begin[v + 1]; ++k) row[n++] = edge_lower[below_edges[k]];
       for (Int32 e = edge_begin[v]; e < edge_begin[v + 1]; ++e) row[n++] = edge_upper[e];
       name_and_sort_row(row, n, names, n_names))

// === cofaces of edges and triangles
// Triangles axy, then xmy, then xyz of the edge xy: visit(triangle), ascending.
template <class Visit>
ITEM void visit_triangles_of_edge(Int32 e, const Int32* below_begin, const Int32* below_edges, const Int32* edge_lower,
                                  const Int32* edge_begin, const Int32* edge_upper, const Int32* triangle_begin,
                                  const Int32* triangle_third, Visit visit) {
  const Int32 x = edge_lower[e], y = edge_upper[e];
  for (Int32 k = below_begin[x]; k < below_begin[x + 1]; ++k) {
    const Int32 f = triangle_on(below_edges[k], y, triangle_begin, triangle_third);
    if (f != NONE) visit(f);
  }
  const Int32 own = triangle_begin[e];
  for (Int32 f = triangle_begin[edge_begin[x]]; f < own; ++f)
    if (triangle_third[f] == y) visit(f);
  for (Int32 f = own; f < triangle_begin[e + 1]; ++f) visit(f);
}
KERNEL(write_ef, (const Int32* chosen, Index n_chosen, Index begin, const Int32* below_begin, const Int32* below_edges,
                  const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                  const Int32* triangle_begin, const Int32* triangle_third, const Index* offsets, const Int32* names,
                  Index n_names, Int32* items),
       Int32* row = items + offsets[i]; Index n = 0;
       visit_triangles_of_edge(chosen_simplex(chosen, n_chosen, begin, i), below_begin, below_edges, edge_lower,
                               edge_begin, edge_upper, triangle_begin, triangle_third, [&](Int32 f) { row[n++] = f; });
       name_and_sort_row(row, n, names, n_names))

// Tetrahedra of the edge xy, or of the triangle xyz: visit(tet), ascending.
template <class Visit>
ITEM void visit_tets_of_edge(Int32 x, Int32 y, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                             const Int32* star_tets, Visit visit) {
  visit_star(x, tets, tet_begin, star_begin, star_tets, [&](Int32 t, const Int32* row) {
    if ((row[1] == y) | (row[2] == y) | (row[3] == y)) visit(t);
  });
}
template <class Visit>
ITEM void visit_tets_of_triangle(Int32 x, Int32 y, Int32 z, const Int32* tets, const Int32* tet_begin,
                                 const Int32* star_begin, const Int32* star_tets, Visit visit) {
  visit_star(x, tets, tet_begin, star_begin, star_tets, [&](Int32 t, const Int32* row) {
    if (((row[1] == y) & (row[2] == z)) | ((row[1] == y) & (row[3] == z)) | ((row[2] == y) & (row[3] == z))) visit(t);
  });
}
KERNEL(write_et, (const Int32* chosen, Index n_chosen, Index begin, const Int32* edge_lower, const Int32* edge_upper,
                  const Int32* tets, const Int32* tet_begin, const Int32* star_begin, const Int32* star_tets,
                  const Index* offsets, const Int32* names, Index n_names, Int32* items),
       const Int32 e = chosen_simplex(chosen, n_chosen, begin, i); Int32* row = items + offsets[i]; Index n = 0;
       visit_tets_of_edge(edge_lower[e], edge_upper[e], tets, tet_begin, star_begin, star_tets,
                          [&](Int32 t) { row[n++] = t; });
       name_and_sort_row(row, n, names, n_names))
