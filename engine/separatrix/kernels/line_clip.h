// Triangles and tetrahedra of the alpha complex: each triangle of edges decides itself on its line.
//
// The points tied between the balls i < j < k of a triangle form the line c + t n, n = d_j x d_k. Each other
// ball q leaves a ray of it: with det = n.d_q, t is bounded above where det > 0 and below where det < 0; if
// det = 0, all of the line or nothing. On one side q replaces the bound b iff it violates the tetrahedron
// (i, j, k, b); if the upper bound violates the lower one's tetrahedron nothing is left, and the triangle is
// no face of the complex. Otherwise (i, j, k, bound) are in the complex unless too large, the triangle is
// Gabriel iff neither bound violates it, and it is in the complex iff it is Gabriel or one of its
// tetrahedra is.
//
// Which q: the ends of i's edges, if i is a Gabriel vertex. Let q violate a centre c within alpha. The segment
// from p_i to c stays in ball i and leaves i's cell through a facet, whose ball j gives an edge (i, j) with a
// centre within alpha, not dead; beyond the facet j is nearer than i, so j violates c too. Else all of N(i).
#pragma once
#include "dead_edges.h"
#include "sizes.h"

enum { NO_BALL = -1 };

// === candidates: triangles all of whose edges are there, by (i, j, k)
// Calls visit(slot of (i, k), slot of (j, k)) for k > j ascending.
template <class Visit>
ITEM void for_common_ends(Index slot, const Index* edge_rows, const Int32* edge_row_of, const Int32* edge_to,
                          Visit visit) {
  Int32 i = edge_row_of[slot], j = edge_to[slot];
  if (j < i) return;
  Index at_i = slot + 1, end_i = edge_rows[i + 1], at_j = edge_rows[j], end_j = edge_rows[j + 1];
  while (at_i < end_i && at_j < end_j) {
    Int32 from_i = edge_to[at_i], from_j = edge_to[at_j];
    if (from_i == from_j) visit(at_i, at_j);
    at_i += from_i <= from_j;
    at_j += from_j <= from_i;
  }
}
// Items are slots up to a bound of their number; n_triangles_of is 0 beyond it.
ITEM void count_common_ends(Index slot, Index n_balls, const Index* edge_rows, const Int32* edge_row_of,
                            const Int32* edge_to, Int32* n_triangles_of) {
  Int32 n = 0;
  if (slot < edge_rows[n_balls])
    for_common_ends(slot, edge_rows, edge_row_of, edge_to, [&](Index, Index) { ++n; });
  n_triangles_of[slot] = n;
}
KERNEL(count_triangles, (Index n_balls, const Index* edge_rows, const Int32* edge_row_of, const Int32* edge_to,
                         Int32* n_triangles_of),
       count_common_ends(i, n_balls, edge_rows, edge_row_of, edge_to, n_triangles_of))

// sides (n, 3): slots of (i, j), (i, k), (j, k).
ITEM void list_common_ends(Index slot, const Index* edge_rows, const Int32* edge_row_of, const Int32* edge_to,
                           const Index* triangles, Int32* sides) {
  Index at = 3 * triangles[slot];
  if (triangles[slot] == triangles[slot + 1]) return;
  for_common_ends(slot, edge_rows, edge_row_of, edge_to, [&](Index ik, Index jk) {
    sides[at] = (Int32)slot, sides[at + 1] = (Int32)ik, sides[at + 2] = (Int32)jk;
    at += 3;
  });
}
KERNEL(list_triangles, (const Index* edge_rows, const Int32* edge_row_of, const Int32* edge_to, const Index* triangles,
                        Int32* sides),
       list_common_ends(i, edge_rows, edge_row_of, edge_to, triangles, sides))

// === the clip in doubles
// With F = l_q G - w.d_q, w = u d_j + v d_k, the ray of q ends at F / 2G det: on either side the least
// F / |det| is the bound, and nothing is left if the two sum to less than 0. Fractions are compared by
// cross products. Whatever is nearer than its rounding error (256 units of D^6 for F) is left to integers.
struct End {
  Real f, det;  // |det|; of no ball: infinitely far
  Index slot;
};
struct Ends {
  End above, below;
  bool is_dead, is_unclear;
};
ITEM Ends ends_in_doubles(const Row& row, const Triangle& t, Real error) {
  const Real wx = t.u * t.a.x + t.v * t.b.x, wy = t.u * t.a.y + t.v * t.b.y, wz = t.u * t.a.z + t.v * t.b.z;
  Ends ends = {{1e200, 0, NO_BALL}, {1e200, 0, NO_BALL}, false, false};
  for (Index k = row.begin; k < row.end; ++k) {
    const Spoke q = row[k];
    if (q.id == t.a.id || q.id == t.b.id) continue;
    const Real signed_det = dot(t.normal, q), det = signed_det < 0 ? -signed_det : signed_det;
    const Real f = q.l * t.g - (wx * q.x + wy * q.y + wz * q.z);
    End& own = signed_det < 0 ? ends.below : ends.above;
    const Real nearer = own.f * det - f * own.det, tolerance = error * (own.det + det);
    ends.is_unclear |= det == 0 ? f <= error : !is_clear(nearer, tolerance);
    if (nearer <= 0 || det == 0) continue;
    own = {f, det, k};
    const Real left = ends.above.f * ends.below.det + ends.below.f * ends.above.det,
               doubt = error * (ends.above.det + ends.below.det);
    ends.is_unclear |= !is_clear(left, doubt);
    ends.is_dead = left < 0;
    if (ends.is_dead | ends.is_unclear) break;
  }
  ends.is_unclear |= !is_clear(ends.above.f, error) || !is_clear(ends.below.f, error);
  return ends;
}

// === the clip by exact signs
struct Bound {
  Tet tet;
  bool is_there, is_violator;  // violates the triangle
};
struct Clip {
  Bound above, below;
  bool is_dead;
};
// q on the side of `own`; `other` is the bound on the other side.
ITEM void bound_by(Int32 i, const Triangle& t, const Spoke& q, Real det, Bound& own, const Bound& other, bool& is_dead,
                   const Signs& signs) {
  if (own.is_there && !violates_tet(i, t, own.tet, q, signs)) return;
  own.tet = tet_of(t, q, det);
  own.is_there = true;
  is_dead = other.is_there && violates_tet(i, t, other.tet, q, signs);
}
ITEM Clip clipped_exactly(const Row& row, const Triangle& t, const Signs& signs) {
  Clip clip;
  clip.above.is_there = clip.below.is_there = clip.is_dead = false;
  for (Index k = row.begin; k < row.end && !clip.is_dead; ++k) {
    const Spoke q = row[k];
    if (q.id == t.a.id || q.id == t.b.id) continue;
    Real det = dot(t.normal, q);
    if (det > 0) bound_by(row.i, t, q, det, clip.above, clip.below, clip.is_dead, signs);
    else if (det < 0) bound_by(row.i, t, q, det, clip.below, clip.above, clip.is_dead, signs);
    else clip.is_dead = violates_triangle(row.i, t, q, signs);
  }
  clip.above.is_violator = clip.above.is_there && violates_triangle(row.i, t, clip.above.tet.c, signs);
  clip.below.is_violator = clip.below.is_there && violates_triangle(row.i, t, clip.below.tet.c, signs);
  return clip;
}
ITEM Bound bound_at(const End& end, Real sign, const Row& row, const Triangle& t) {
  Bound bound;
  bound.is_there = end.slot != NO_BALL;
  bound.is_violator = end.f < 0;
  if (bound.is_there) bound.tet = tet_of(t, row[end.slot], sign * end.det);
  return bound;
}
ITEM Row nearest_of(const Row& near) {
  Row nearest = near;
  nearest.end = near.end - near.begin > LONG_BALL_ROW ? near.begin + N_NEAREST : near.begin;
  return nearest;
}
// `nearest` may be any balls of N(i): most triangles of long rows end there.
ITEM Clip clipped(const Row& row, const Row& nearest, const Triangle& t, const Signs& signs) {
  Clip clip;
  if (nearest.begin < nearest.end) {
    const Ends ends = ends_in_doubles(nearest, t, signs.errors.line);
    clip.is_dead = ends.is_dead && !ends.is_unclear;
    if (clip.is_dead) return clip;
  }
  const Ends ends = ends_in_doubles(row, t, signs.errors.line);
  if (ends.is_unclear) {
    add_to(signs.n_exact, 1);
    return clipped_exactly(row, t, signs);
  }
  clip.is_dead = ends.is_dead;
  if (!clip.is_dead) clip.above = bound_at(ends.above, 1, row, t), clip.below = bound_at(ends.below, -1, row, t);
  return clip;
}

// === what is found
// What lies on each slot of an edge: sizes are those of smallest triangles so far, on edges that are not Gabriel.
struct Edges {
  const Index* rows;
  const Int32* row_of;
  const Int32* to;
  const Int32* spokes;
  const Byte* is_gabriel;
  Wide* size;
  Byte* has_coface;
  Byte* is_open;  // in a triangle that is no interior one

  ITEM_MEMBER Row row(Int32 i) const { return {i, rows[i], rows[i + 1], to, spokes}; }
};
// Of candidate triangles, with their tetrahedra whose last vertex is above k, ascending.
struct Found {
  Byte* state;
  Index* n_kept;   // triangles + (tetrahedra << 32)
  Real* size;
  Int32* tet_end;  // (n, 2)
  Real* tet_size;  // (n, 2)
};
enum { IS_SMALL_ENOUGH = 1, IS_KEPT = 2, IS_GABRIEL = 4, KIND_AT = 3 };
// Kinds at alpha (Edelsbrunner, Muecke 1994): in no larger simplex; on the boundary; all cofaces are there.
enum { SINGULAR = 0, REGULAR = 1, INTERIOR = 2 };

// The triangle of a candidate in the complex; `has` of each bound: its tetrahedron is there.
ITEM void keep_triangle(Index c, const Int32* side, const Triangle& t, const Clip& clip, bool has_above, bool has_below,
                        Int32 squared, const Measure& measure, const Edges& edges, const Found& found) {
  const bool is_empty = !clip.above.is_violator && !clip.below.is_violator;
  Wide size = is_empty ? order_image(size_of(t, squared, measure)) : NO_SIZE;
  Index n_tets = 0;
  const bool above_first = has_above && has_below && clip.above.tet.c.id < clip.below.tet.c.id;
  for (int turn = 0; turn < 2; ++turn) {
    const bool is_above = (turn == 0) == above_first;
    const Tet& tet = is_above ? clip.above.tet : clip.below.tet;
    if (!(is_above ? has_above : has_below)) continue;
    const bool is_last = tet.c.id > t.b.id;
    if (is_empty && !is_last) continue;
    const Real tet_size = size_of(t, tet, squared, measure);
    if (!is_empty && order_image(tet_size) < size) size = order_image(tet_size);
    if (!is_last) continue;
    found.tet_end[2 * c + n_tets] = tet.c.id;
    found.tet_size[2 * c + n_tets++] = tet_size;
  }
  const int kind = has_above + has_below;
  found.state[c] = (Byte)(IS_SMALL_ENOUGH | IS_KEPT | (is_empty ? IS_GABRIEL : 0) | kind << KIND_AT);
  found.n_kept[c] = 1 + (n_tets << 32);
  from_image(size, found.size + c);
  for (int m = 0; m < 3; ++m) {
    if (!edges.is_gabriel[side[m]]) lower_to(edges.size + side[m], size);
    mark(edges.has_coface + side[m]);
    if (kind != INTERIOR) mark(edges.is_open + side[m]);
  }
}
ITEM bool is_kept(const Triangle& t, const Bound& bound, Int32 squared, const Signs& signs) {
  return bound.is_there && !is_too_large(t, bound.tet, squared, signs);
}
// `near`: rows of N.
ITEM void clip_triangle(Index c, const Int32* side, const Int32* balls, const Index* near_rows, const Int32* neighbour,
                        const Int32* spokes, const Byte* is_gabriel, const Edges& edges, Int32 optimisations,
                        const Signs& signs, const Measure& measure, const Found& found) {
  found.state[c] = 0;
  found.n_kept[c] = 0;
  const Int32 i = edges.row_of[side[0]], squared = ball_at(balls, i).squared;
  const Row row = edges.row(i), near = {i, near_rows[i], near_rows[i + 1], neighbour, spokes};
  const Triangle t = triangle_of(row[side[0]], row[side[1]]);
  const bool is_large_dropped = optimisations & DROP_LARGE;
  if (is_degenerate(t) || (is_large_dropped && is_too_large(t, squared, signs))) return;
  found.state[c] = IS_SMALL_ENOUGH;

  const Clip clip = clipped(is_gabriel[i] ? row : near, nearest_of(near), t, signs);
  if (clip.is_dead || (!is_large_dropped && is_too_large(t, squared, signs))) return;
  const bool has_above = is_kept(t, clip.above, squared, signs), has_below = is_kept(t, clip.below, squared, signs);
  const bool is_empty = !clip.above.is_violator && !clip.below.is_violator;
  if (is_empty || has_above || has_below)
    keep_triangle(c, side, t, clip, has_above, has_below, squared, measure, edges, found);
}
KERNEL(clip_triangles, (const Int32* sides, const Int32* balls, const Index* rows, const Int32* neighbour,
                        const Int32* spokes, const Byte* is_gabriel, const Index* edge_rows, const Int32* edge_row_of,
                        const Int32* edge_to, const Int32* edge_spokes, const Byte* is_gabriel_edge, Wide* edge_size,
                        Byte* has_coface, Byte* is_open, Int32 optimisations, SignErrors errors, Index alpha,
                        SquaredUnit unit, Byte* state, Index* n_kept, Real* size, Int32* tet_end, Real* tet_size,
                        Index* summary),
       clip_triangle(i, sides + 3 * i, balls, rows, neighbour, spokes, is_gabriel,
                     {edge_rows, edge_row_of, edge_to, edge_spokes, is_gabriel_edge, edge_size, has_coface, is_open},
                     optimisations, {errors, summary + N_EXACT_SIGNS}, {alpha, unit},
                     {state, n_kept, size, tet_end, tet_size}))
