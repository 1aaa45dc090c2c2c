// The alpha complex as tables in lexicographic order; the balls of each simplex ascend.
//
// Slots of edges are sorted by (i, j), candidates of triangles by (i, j, k), and the at most two tetrahedra of
// each by their last vertex, so the simplices that are kept are in lexicographic order.
// Facets are rows of the table one dimension below, facet m being opposite to vertex m.
#pragma once
#include "alpha/kept_triangles.h"

// A face is interior iff it has cofaces and all of one dimension more are: about an edge triangles and
// tetrahedra alternate, and the edges at a vertex lie on a sphere, its link.
ITEM Int8 kind_of(Byte has_coface, Byte is_open) { return !has_coface ? SINGULAR : is_open ? REGULAR : INTERIOR; }

// === simplices of the complex: an edge or a vertex iff it is Gabriel or has a coface
struct Vertices {
  const Byte* is_gabriel;
  Wide* size;
  Byte* has_coface;
  Byte* is_open;
};
// Items are slots up to a bound of their number.
ITEM void settle_edge(Index slot, Index n_balls, const Int32* balls, const Edges& edges, const Vertices& vertices,
                      const Measure& measure, Index* is_kept) {
  is_kept[slot] = 0;
  if (slot >= edges.rows.rows[n_balls]) return;
  const Int32 i = edges.rows.row_of[slot], j = edges.rows.to[slot];
  if (j < i) return;
  if (edges.is_gabriel[slot]) {
    const Edge edge = edge_along(edges.rows.row(i)[slot]);
    edges.size[slot] = order_image(size_of(edge, ball_at(balls, i).squared, measure));
  }
  if (edges.size[slot] == NO_SIZE) return;
  is_kept[slot] = 1;
  const bool is_closed = kind_of(edges.has_coface[slot], edges.is_open[slot]) == INTERIOR;
  for (int end = 0; end < 2; ++end) {
    const Int32 v = end ? j : i;
    if (!vertices.is_gabriel[v]) lower_to(vertices.size + v, edges.size[slot]);
    mark(vertices.has_coface + v);
    if (!is_closed) mark(vertices.is_open + v);
  }
}
KERNEL(settle_edges, (Index n_balls, const Int32* balls, const Index* edge_rows, const Int32* edge_row_of,
                      const Int32* edge_to, const Int32* edge_spokes, const Byte* is_gabriel_edge, Wide* edge_size,
                      Byte* has_coface, Byte* is_open, Index alpha, SquaredUnit unit, const Byte* is_gabriel,
                      Wide* vertex_size, Byte* vertex_has_coface, Byte* is_open_vertex, Index* is_kept),
       settle_edge(i, n_balls, balls,
                   {{edge_rows, edge_row_of, edge_to, edge_spokes}, is_gabriel_edge, edge_size, has_coface, is_open},
                   {is_gabriel, vertex_size, vertex_has_coface, is_open_vertex}, {alpha, unit}, is_kept))

ITEM void settle_vertex(Index i, const Int32* balls, const Byte* is_gabriel, const Measure& measure, Wide* vertex_size,
                        Index* is_kept) {
  if (is_gabriel[i]) vertex_size[i] = order_image(size_of_vertex(ball_at(balls, i).squared, measure));
  is_kept[i] = vertex_size[i] != NO_SIZE;
}
KERNEL(settle_vertices, (const Int32* balls, Index alpha, SquaredUnit unit, const Byte* is_gabriel, Wide* vertex_size,
                         Index* is_kept),
       settle_vertex(i, balls, is_gabriel, {alpha, unit}, vertex_size, is_kept))

// === tables
// One scan over vertices, edges, and candidates gives the rows, which are counted from 0 for each kind.
ITEM Index row_at(const Index* scan, Index item) { return scan[item] - scan[0]; }
ITEM bool is_kept(const Index* scan, Index item) { return scan[item + 1] > scan[item]; }

struct Table {
  Int32* simplices;
  Real* size;
  Byte* is_gabriel;
  Int8* kind;
};
ITEM void fill_vertex(Index i, const Index* vertex_at, const Vertices& vertices, const Table& table) {
  if (!is_kept(vertex_at, i)) return;
  const Index at = row_at(vertex_at, i);
  table.simplices[at] = (Int32)i;
  from_image(vertices.size[i], table.size + at);
  table.is_gabriel[at] = vertices.is_gabriel[i];
  table.kind[at] = kind_of(vertices.has_coface[i], vertices.is_open[i]);
}

ITEM void fill_edge(Index slot, const Index* vertex_at, const Index* edge_at, const Edges& edges, const Table& table,
                    Int32* facets) {
  if (!is_kept(edge_at, slot)) return;
  const Index at = row_at(edge_at, slot);
  const Int32 i = edges.rows.row_of[slot], j = edges.rows.to[slot];
  table.simplices[2 * at] = i, table.simplices[2 * at + 1] = j;
  facets[2 * at] = (Int32)row_at(vertex_at, j), facets[2 * at + 1] = (Int32)row_at(vertex_at, i);
  from_image(edges.size[slot], table.size + at);
  table.is_gabriel[at] = edges.is_gabriel[slot];
  table.kind[at] = kind_of(edges.has_coface[slot], edges.is_open[slot]);
}

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
  return (Int32)(row_at(all.kept_at, low) & 0xffffffff);
}
ITEM void fill_triangle(Index c, Byte state, const Candidates& all, const Index* edge_at, const Found& found,
                        const Table& triangles, Int32* facets, const Table& tets, Int32* tet_facets) {
  if (!(state & IS_KEPT)) return;
  const Int32* side = all.sides + 3 * c;
  const Int32 i = all.edge_row_of[side[0]], j = all.edge_to[side[0]], k = all.edge_to[side[1]];
  const Index row = row_at(all.kept_at, c), at = row & 0xffffffff;
  triangles.simplices[3 * at] = i, triangles.simplices[3 * at + 1] = j, triangles.simplices[3 * at + 2] = k;
  for (int m = 0; m < 3; ++m) facets[3 * at + m] = (Int32)row_at(edge_at, side[2 - m]);
  triangles.size[at] = found.size[c];
  triangles.is_gabriel[at] = (state & IS_GABRIEL) != 0;
  triangles.kind[at] = kind_of_triangle(state);

  const Index first = row >> 32, end = row_at(all.kept_at, c + 1) >> 32;
  for (Index tet = first; tet < end; ++tet) {
    const Int32 l = found.tet_end[2 * c + (tet - first)];
    Int32* simplex = tets.simplices + 4 * tet;
    simplex[0] = i, simplex[1] = j, simplex[2] = k, simplex[3] = l;
    tets.size[tet] = found.tet_size[2 * c + (tet - first)];
    tets.is_gabriel[tet] = 1;
    tets.kind[tet] = INTERIOR;
    for (int m = 0; m < 3; ++m) tet_facets[4 * tet + m] = triangle_row(all, side[2 - m], l);
    tet_facets[4 * tet + 3] = (Int32)at;
  }
}

// Where the columns of all tables start in their block, in bytes.
struct TableStarts {
  Index simplices_0, size_0, gabriel_0, kind_0, simplices_1, size_1, gabriel_1, kind_1, simplices_2, size_2, gabriel_2, kind_2, simplices_3, size_3, gabriel_3, kind_3;
};
ITEM Table table_at(Byte* block, Index simplices, Index size, Index gabriel, Index kind) {
  return {(Int32*)(block + simplices), (Real*)(block + size), block + gabriel, (Int8*)(block + kind)};
}
struct FoundTables {
  TableStarts at;
  Byte* block;
  Int32 *edge_facets, *triangle_facets, *tet_facets;
};
// Items are those of the scan.
ITEM void fill_row(Index i, Index n_balls, Index n_slots, const Index* scan, const Vertices& vertices,
                   const Edges& edges, const Index* candidates, const Int32* sides, const Byte* state,
                   const Found& found, const FoundTables& to) {
  const TableStarts& at = to.at;
  const Index* edge_at = scan + n_balls;
  const Index slot = i - n_balls, c = slot - n_slots;
  if (slot < 0) {
    fill_vertex(i, scan, vertices, table_at(to.block, at.simplices_0, at.size_0, at.gabriel_0, at.kind_0));
  } else if (c < 0) {
    fill_edge(slot, scan, edge_at, edges, table_at(to.block, at.simplices_1, at.size_1, at.gabriel_1, at.kind_1),
              to.edge_facets);
  } else {
    fill_triangle(c, state[c], {edges.rows.row_of, edges.rows.to, candidates, sides, edge_at + n_slots}, edge_at, found,
                  table_at(to.block, at.simplices_2, at.size_2, at.gabriel_2, at.kind_2), to.triangle_facets,
                  table_at(to.block, at.simplices_3, at.size_3, at.gabriel_3, at.kind_3), to.tet_facets);
  }
}
KERNEL(fill_tables, (Index n_balls, Index n_slots, const Index* scan, const Byte* is_gabriel, Wide* vertex_size,
                     Byte* vertex_has_coface, Byte* is_open_vertex, const Int32* edge_row_of, const Int32* edge_to,
                     const Byte* is_gabriel_edge, Wide* edge_size, Byte* has_coface, Byte* is_open,
                     const Index* candidates, const Int32* sides, const Byte* state, Real* found_size, Int32* tet_end,
                     Real* tet_size, TableStarts at, Byte* block, Int32* edge_facets, Int32* triangle_facets,
                     Int32* tet_facets),
       fill_row(i, n_balls, n_slots, scan, {is_gabriel, vertex_size, vertex_has_coface, is_open_vertex},
                {{nullptr, edge_row_of, edge_to, nullptr}, is_gabriel_edge, edge_size, has_coface, is_open}, candidates,
                sides, state, {nullptr, found_size, tet_end, tet_size},
                {at, block, edge_facets, triangle_facets, tet_facets}))
// Sums over vertices, edges, and candidates.
KERNEL(take_ends, (Index n_balls, Index n_slots, Index n_all, const Index* scan, Index* ends),
       ends[i] = scan[i == 0 ? n_balls : i == 1 ? n_balls + n_slots : n_all])
