// The alpha complex as tables: each simplex by its balls ascending, lists lexicographic.
//
// Slots of edges lie by (i, j), candidates of triangles by (i, j, k), the at most two tetrahedra of each by
// their last vertex: whatever is kept of them, in place, is in lexicographic order.
// Facets are rows of the table one dimension below, facet m being opposite to vertex m.
#pragma once
#include "line_clip.h"

// A face is interior iff it has cofaces and all of one dimension more are: about an edge triangles and
// tetrahedra alternate, and the edges at a vertex lie on a sphere, its link.
ITEM Int8 kind_of(Byte has_coface, Byte is_open) { return !has_coface ? SINGULAR : is_open ? REGULAR : INTERIOR; }

// === what is in the complex: an edge iff it is Gabriel or in a triangle, a vertex likewise
ITEM void settle_edge(Index slot, Index n_balls, const Int32* balls, const Byte* is_gabriel, const Index* edge_rows,
                      const Int32* edge_row_of, const Int32* edge_to, const Int32* edge_spokes, const Byte* is_gabriel_edge,
                      const Byte* has_coface, const Byte* is_open, const Measure& measure, Wide* edge_size, Wide* vertex_size,
                      Byte* vertex_has_coface, Byte* is_open_vertex, Byte* is_kept) {
  is_kept[slot] = 0;
  if (slot >= edge_rows[n_balls]) return;
  Int32 i = edge_row_of[slot], j = edge_to[slot];
  if (j < i) return;
  if (is_gabriel_edge[slot]) {
    const Edge edge = edge_along(spoke_at(edge_spokes, slot, j));
    edge_size[slot] = order_image(size_of(edge, ball_at(balls, i).squared, measure));
  }
  if (edge_size[slot] == NO_SIZE) return;
  is_kept[slot] = 1;
  for (int end = 0; end < 2; ++end) {
    const Int32 v = end ? j : i;
    if (!is_gabriel[v]) lower_to(vertex_size + v, edge_size[slot]);
    mark(vertex_has_coface + v);
    if (kind_of(has_coface[slot], is_open[slot]) != INTERIOR) mark(is_open_vertex + v);
  }
}
KERNEL(settle_edges, (Index n_balls, const Int32* balls, const Byte* is_gabriel, const Index* edge_rows,
                      const Int32* edge_row_of, const Int32* edge_to, const Int32* edge_spokes, const Byte* is_gabriel_edge,
                      const Byte* has_coface, const Byte* is_open, Index alpha, SquaredUnit unit, Wide* edge_size,
                      Wide* vertex_size, Byte* vertex_has_coface, Byte* is_open_vertex, Byte* is_kept),
       settle_edge(i, n_balls, balls, is_gabriel, edge_rows, edge_row_of, edge_to, edge_spokes, is_gabriel_edge, has_coface, is_open,
                   {alpha, unit}, edge_size, vertex_size, vertex_has_coface, is_open_vertex, is_kept))

ITEM void settle_vertex(Index i, const Int32* balls, const Byte* is_gabriel, const Measure& measure, Wide* vertex_size,
                        Byte* is_kept) {
  if (is_gabriel[i]) vertex_size[i] = order_image(size_of_vertex(ball_at(balls, i).squared, measure));
  is_kept[i] = vertex_size[i] != NO_SIZE;
}
KERNEL(settle_vertices, (const Int32* balls, const Byte* is_gabriel, Index alpha, SquaredUnit unit, Wide* vertex_size,
                         Byte* is_kept),
       settle_vertex(i, balls, is_gabriel, {alpha, unit}, vertex_size, is_kept))

// === tables
ITEM void fill_vertex(Index i, const Index* vertex_at, const Wide* vertex_size, const Byte* is_gabriel, const Byte* has_coface,
                      const Byte* is_open, Int32* vertices, Real* sizes, Byte* gabriel, Int8* kind) {
  Index at = vertex_at[i];
  if (at == vertex_at[i + 1]) return;
  vertices[at] = (Int32)i;
  from_image(vertex_size[i], sizes + at);
  gabriel[at] = is_gabriel[i];
  kind[at] = kind_of(has_coface[i], is_open[i]);
}
KERNEL(fill_vertices, (const Index* vertex_at, const Wide* vertex_size, const Byte* is_gabriel, const Byte* has_coface,
                       const Byte* is_open, Int32* vertices, Real* sizes, Byte* gabriel, Int8* kind),
       fill_vertex(i, vertex_at, vertex_size, is_gabriel, has_coface, is_open, vertices, sizes, gabriel, kind))

ITEM void fill_edge(Index slot, const Index* vertex_at, const Index* edge_at, const Int32* edge_row_of,
                    const Int32* edge_to, const Wide* edge_size, const Byte* is_gabriel_edge,
                    const Byte* has_coface, const Byte* is_open, Int32* edges, Real* sizes, Byte* gabriel, Int8* kind,
                    Int32* facets) {
  Index at = edge_at[slot];
  if (at == edge_at[slot + 1]) return;
  Int32 i = edge_row_of[slot], j = edge_to[slot];
  edges[2 * at] = i, edges[2 * at + 1] = j;
  facets[2 * at] = (Int32)vertex_at[j], facets[2 * at + 1] = (Int32)vertex_at[i];
  from_image(edge_size[slot], sizes + at);
  gabriel[at] = is_gabriel_edge[slot];
  kind[at] = kind_of(has_coface[slot], is_open[slot]);
}
KERNEL(fill_edges, (const Index* vertex_at, const Index* edge_at, const Int32* edge_row_of, const Int32* edge_to,
                    const Wide* edge_size, const Byte* is_gabriel_edge, const Byte* has_coface, const Byte* is_open,
                    Int32* edges, Real* sizes, Byte* gabriel, Int8* kind, Int32* facets),
       fill_edge(i, vertex_at, edge_at, edge_row_of, edge_to, edge_size, is_gabriel_edge, has_coface, is_open, edges,
                 sizes, gabriel, kind, facets))

// Candidates and their kept triangles and tetrahedra: triangles by slot, kept_at as n_kept's sums.
struct Candidates {
  const Int32* edge_row_of;
  const Int32* edge_to;
  const Index* triangles;
  const Int32* sides;
  const Index* kept_at;
};
// Row of the kept triangle on the edge of a slot whose last vertex is `end`.
ITEM Int32 triangle_row(const Candidates& all, Index slot, Int32 end) {
  Index low = all.triangles[slot], high = all.triangles[slot + 1] - 1;
  while (low < high) {
    Index middle = (low + high) / 2;
    if (all.edge_to[all.sides[3 * middle + 1]] < end) low = middle + 1;
    else high = middle;
  }
  return (Int32)(all.kept_at[low] & 0xffffffff);
}
ITEM void fill_triangle(Index c, const Candidates& all, const Index* edge_at, const Byte* state, const Real* size,
                        const Int32* tet_end, const Real* tet_size, Int32* triangles, Real* triangle_sizes,
                        Byte* gabriel, Int8* kind, Int32* facets, Int32* tets, Real* tet_sizes, Byte* tet_gabriel,
                        Int8* tet_kind, Int32* tet_facets) {
  if (!(state[c] & IS_KEPT)) return;
  const Int32* side = all.sides + 3 * c;
  Int32 i = all.edge_row_of[side[0]], j = all.edge_to[side[0]], k = all.edge_to[side[1]];
  Index at = all.kept_at[c] & 0xffffffff;
  triangles[3 * at] = i, triangles[3 * at + 1] = j, triangles[3 * at + 2] = k;
  for (int m = 0; m < 3; ++m) facets[3 * at + m] = (Int32)edge_at[side[2 - m]];
  triangle_sizes[at] = size[c];
  gabriel[at] = (state[c] & IS_GABRIEL) != 0;
  kind[at] = (Int8)(state[c] >> KIND_AT);
  Index first = all.kept_at[c] >> 32, end = all.kept_at[c + 1] >> 32;
  for (Index tet = first; tet < end; ++tet) {
    Int32 l = tet_end[2 * c + (tet - first)];
    tets[4 * tet] = i, tets[4 * tet + 1] = j, tets[4 * tet + 2] = k, tets[4 * tet + 3] = l;
    tet_sizes[tet] = tet_size[2 * c + (tet - first)];
    tet_gabriel[tet] = 1;
    tet_kind[tet] = INTERIOR;
    for (int m = 0; m < 3; ++m) tet_facets[4 * tet + m] = triangle_row(all, side[2 - m], l);
    tet_facets[4 * tet + 3] = (Int32)at;
  }
}
KERNEL(fill_triangles, (const Int32* edge_row_of, const Int32* edge_to, const Index* candidates, const Int32* sides,
                        const Index* kept_at, const Index* edge_at, const Byte* state, const Real* size, const Int32* tet_end, const Real* tet_size,
                        Int32* triangles, Real* triangle_sizes, Byte* gabriel, Int8* kind, Int32* facets,
                        Int32* tets, Real* tet_sizes, Byte* tet_gabriel, Int8* tet_kind, Int32* tet_facets),
       fill_triangle(i, {edge_row_of, edge_to, candidates, sides, kept_at}, edge_at, state, size, tet_end,
                     tet_size, triangles, triangle_sizes, gabriel, kind, facets, tets, tet_sizes,
                     tet_gabriel, tet_kind, tet_facets))
