// Simplices of the complex among the clipped triangles: sizes of triangles and tetrahedra, and the
// properties of edges that follow.
#pragma once
#include "alpha/exact_clip.h"
#include "alpha/sizes.h"

// Properties of each slot of an edge: sizes are those of the smallest triangles so far, if not Gabriel.
struct Edges {
  EdgeRows rows;
  const Byte* is_gabriel;
  Wide* size;
  Byte* has_coface;
  Byte* is_open;  // in a triangle that is not interior
};
// Properties of candidate triangles, with their tetrahedra whose last vertex is above k, ascending.
struct Found {
  Index* n_kept;   // triangles + (tetrahedra << 32)
  Real* size;
  Int32* tet_end;  // (n, 2)
  Real* tet_size;  // (n, 2)
};
// Kinds at alpha (Edelsbrunner, Muecke 1994): in no larger simplex; on the boundary; all cofaces are there.
enum { SINGULAR = 0, REGULAR = 1, INTERIOR = 2 };
ITEM Int8 kind_of_triangle(Byte state) { return (Int8)(((state & HAS_ABOVE) != 0) + ((state & HAS_BELOW) != 0)); }

// `bounds` and found.tet_end are one array; entries of a candidate are read before they are written.
ITEM void measure_triangle(Index c, const Int32* side, const Int32* balls, Byte state, const Measure& measure,
                           const Edges& edges, const Found& found) {
  found.n_kept[c] = 0;
  if (!(state & IS_KEPT)) return;
  const Row row = edges.rows.row(edges.rows.row_of[side[0]]);
  const Triangle t = triangle_of(row[side[0]], row[side[1]]);
  const Ball center = ball_at(balls, row.i);
  const bool is_empty = state & IS_GABRIEL;
  Int32 ends[2] = {found.tet_end[2 * c], found.tet_end[2 * c + 1]};
  bool has[2] = {(state & HAS_ABOVE) != 0, (state & HAS_BELOW) != 0};
  if (ends[1] < ends[0]) {
    const Int32 end = ends[0];
    const bool had = has[0];
    ends[0] = ends[1], has[0] = has[1];
    ends[1] = end, has[1] = had;
  }
  Wide size = is_empty ? order_image(size_of(t, center.squared, measure)) : NO_SIZE;
  Index n_tets = 0;
  for (int turn = 0; turn < 2; ++turn) {
    const bool is_last = ends[turn] > t.b.id;
    if (!has[turn] || (is_empty && !is_last)) continue;
    const Spoke q = spoke_between(center, ball_at(balls, ends[turn]), ends[turn]);
    const Real tet_size = size_of(t, tet_of(t, q, dot(t.normal, q)), center.squared, measure);
    if (!is_empty && order_image(tet_size) < size) size = order_image(tet_size);
    if (!is_last) continue;
    found.tet_end[2 * c + n_tets] = ends[turn];
    found.tet_size[2 * c + n_tets++] = tet_size;
  }
  found.n_kept[c] = 1 + (n_tets << 32);
  from_image(size, found.size + c);
  const bool is_interior = kind_of_triangle(state) == INTERIOR;
  for (int m = 0; m < 3; ++m) {
    if (!edges.is_gabriel[side[m]]) lower_to(edges.size + side[m], size);
    mark(edges.has_coface + side[m]);
    if (!is_interior) mark(edges.is_open + side[m]);
  }
}
KERNEL(measure_triangles, (const Int32* sides, const Int32* balls, const Byte* state, const Index* edge_rows,
                           const Int32* edge_row_of, const Int32* edge_to, const Int32* edge_spokes,
                           const Byte* is_gabriel_edge, Wide* edge_size, Byte* has_coface, Byte* is_open, Index alpha,
                           SquaredUnit unit, Index* n_kept, Real* size, Int32* tet_end, Real* tet_size),
       measure_triangle(i, sides + 3 * i, balls, state[i], {alpha, unit},
                        {{edge_rows, edge_row_of, edge_to, edge_spokes}, is_gabriel_edge, edge_size, has_coface, is_open},
                        {n_kept, size, tet_end, tet_size}))
