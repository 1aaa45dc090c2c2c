// Triangles and tetrahedra of the alpha complex: each triangle of edges is decided on its line.
//
// The points tied between the balls i < j < k of a triangle form the line c + t n, n = d_j x d_k. Each other
// ball q restricts it to a ray: with det = n.d_q, t is bounded above where det > 0 and below where det < 0; if
// det = 0, all of the line or nothing. On one side q replaces the bound b iff it violates the tetrahedron
// (i, j, k, b); if the upper bound violates the tetrahedron of the lower one, nothing is left, and the triangle is
// not in the complex. Otherwise (i, j, k, bound) are in the complex unless too large, the triangle is
// Gabriel iff neither bound violates it, and it is in the complex iff it is Gabriel or one of its
// tetrahedra is.
//
// Which q: the ends of i's edges, if i is a Gabriel vertex. Let q violate a center c within alpha. The segment
// from p_i to c stays in ball i and leaves i's cell through a facet, whose ball j gives an edge (i, j) with a
// center within alpha, not dead; beyond the facet j is nearer than i, so j violates c too. Else all of N(i).
//
// There are two passes: this one in doubles, which lists the triangles with an uncertain sign, and that of
// exact_clip.h, which decides those in integers. kept_triangles.h then measures the simplices of the complex.
#pragma once
#include "alpha/dead_edges.h"

enum { NO_BALL = -1 };

// === candidates: triangles whose edges all exist, by (i, j, k)
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

ITEM Row nearest_of(const Row& near) {
  Row nearest = near;
  nearest.end = near.end - near.begin > LONG_BALL_ROW ? near.begin + N_NEAREST : near.begin;
  return nearest;
}

// === results
// Edges in both directions, by ball.
struct EdgeRows {
  const Index* rows;
  const Int32* row_of;
  const Int32* to;
  const Int32* spokes;

  ITEM_MEMBER Row row(Int32 i) const { return {i, rows[i], rows[i + 1], to, spokes}; }
};
// State of each candidate, and the balls that bound its line above and below.
struct Clipped {
  Byte* state;
  Int32* bounds;  // (n, 2)
};
enum { IS_SMALL_ENOUGH = 1, IS_KEPT = 2, IS_GABRIEL = 4, HAS_ABOVE = 8, HAS_BELOW = 16, IS_UNDECIDED = 32 };

// Input for clipping a triangle.
struct Clipping {
  Triangle t;
  Row row, near;
  Int32 squared;
};
ITEM Clipping clipping_of(const Int32* side, const Int32* balls, const Row& near, const Byte* is_gabriel,
                          const EdgeRows& edges) {
  const Int32 i = near.i;
  const Row row = edges.row(i);
  return {triangle_of(row[side[0]], row[side[1]]), is_gabriel[i] ? row : near, near, ball_at(balls, i).squared};
}
ITEM Byte kept_state(bool is_empty, bool has_above, bool has_below) {
  const int kept = IS_KEPT | (is_empty ? IS_GABRIEL : 0) | (has_above ? HAS_ABOVE : 0) | (has_below ? HAS_BELOW : 0);
  return (Byte)(IS_SMALL_ENOUGH | (is_empty || has_above || has_below ? kept : 0));
}
// 1: larger than alpha, -1: not, 0: uncertain.
ITEM int size_in_doubles(const Clipping& clip, const End& end, const SignErrors& errors, Spoke& q, Real sign) {
  if (end.slot == NO_BALL) return 1;
  q = clip.row[end.slot];
  const Tet tet = tet_of(clip.t, q, sign * end.det);
  const Real x = dot(tet.p, tet.p) - 4 * (Real)clip.squared * (tet.det * tet.det);
  return is_clear(x, errors.size) ? sign_of(x) : 0;
}
// The state of a candidate, and its bounds if it is kept.
ITEM Byte clipped_in_doubles(const Clipping& clip, Int32 optimizations, const SignErrors& errors, Int32* bounds) {
  const Triangle& t = clip.t;
  if (is_degenerate(t)) return 0;
  const Real large = t.u * t.a.l + t.v * t.b.l - 4 * (Real)clip.squared * t.g;
  const bool is_size_clear = is_clear(large, errors.triangle), is_large_dropped = optimizations & DROP_LARGE;
  if (!is_size_clear) return IS_UNDECIDED;
  if (is_large_dropped && large > 0) return 0;

  const Row nearest = nearest_of(clip.near);
  if (nearest.begin < nearest.end) {  // any balls of N(i) may be tested; they discard most triangles of long rows
    const Ends ends = ends_in_doubles(nearest, t, errors.line);
    if (ends.is_dead && !ends.is_unclear) return IS_SMALL_ENOUGH;
  }
  const Ends ends = ends_in_doubles(clip.row, t, errors.line);
  if (ends.is_unclear) return IS_UNDECIDED;
  if (ends.is_dead || large > 0) return IS_SMALL_ENOUGH;
  Spoke above, below;
  above.id = below.id = NO_BALL;
  const int above_size = size_in_doubles(clip, ends.above, errors, above, 1),
            below_size = size_in_doubles(clip, ends.below, errors, below, -1);
  if (above_size == 0 || below_size == 0) return IS_UNDECIDED;
  bounds[0] = above.id, bounds[1] = below.id;
  return kept_state(ends.above.f >= 0 && ends.below.f >= 0, above_size < 0, below_size < 0);
}
ITEM void clip_triangle(Index c, const Clipping& clip, Int32 optimizations, const SignErrors& errors,
                        const Clipped& found, Index* n_undecided, Int32* undecided) {
  const Byte state = clipped_in_doubles(clip, optimizations, errors, found.bounds + 2 * c);
  found.state[c] = state;
  if (state == IS_UNDECIDED) undecided[next_place(n_undecided)] = (Int32)c;
}
KERNEL(clip_triangles, (const Int32* sides, const Int32* balls, const Index* rows, const Int32* neighbor,
                        const Int32* spokes, const Byte* is_gabriel, const Index* edge_rows, const Int32* edge_row_of,
                        const Int32* edge_to, const Int32* edge_spokes, Int32 optimizations, SignErrors errors,
                        Byte* state, Int32* bounds, Index* n_undecided, Int32* undecided), {
  const Int32 center = edge_row_of[sides[3 * i]];
  clip_triangle(i,
                clipping_of(sides + 3 * i, balls, {center, rows[center], rows[center + 1], neighbor, spokes},
                            is_gabriel, {edge_rows, edge_row_of, edge_to, edge_spokes}),
                optimizations, errors, {state, bounds}, n_undecided, undecided);
})
