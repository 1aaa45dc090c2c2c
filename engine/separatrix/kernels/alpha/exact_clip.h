// Triangles that doubles cannot decide, clipped by exact signs; ties by simulation of simplicity.
#pragma once
#include "alpha/line_clip.h"

struct Bound {
  Tet tet;
  bool is_there, is_violator;  // violates the triangle
};
struct ExactClip {
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
ITEM ExactClip clipped_exactly(const Row& row, const Triangle& t, const Signs& signs) {
  ExactClip clip;
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
ITEM bool is_kept(const Triangle& t, const Bound& bound, Int32 squared, const Signs& signs) {
  return bound.is_there && !is_too_large(t, bound.tet, squared, signs);
}
ITEM Byte decided_state(const Clipping& clipping, Int32 optimizations, const Signs& signs, Int32* bounds) {
  const Triangle& t = clipping.t;
  const bool is_large = is_too_large(t, clipping.squared, signs);
  if (is_large && (optimizations & DROP_LARGE)) return 0;
  const ExactClip clip = clipped_exactly(clipping.row, t, signs);
  if (clip.is_dead || is_large) return IS_SMALL_ENOUGH;
  bounds[0] = clip.above.is_there ? clip.above.tet.c.id : (Int32)NO_BALL;
  bounds[1] = clip.below.is_there ? clip.below.tet.c.id : (Int32)NO_BALL;
  return kept_state(!clip.above.is_violator && !clip.below.is_violator,
                    is_kept(t, clip.above, clipping.squared, signs), is_kept(t, clip.below, clipping.squared, signs));
}
// Items are places in `undecided` up to a bound of their number.
KERNEL(decide_triangles, (const Index* n_undecided, const Int32* undecided, const Int32* sides, const Int32* balls,
                          const Index* rows, const Int32* neighbor, const Int32* spokes, const Byte* is_gabriel,
                          const Index* edge_rows, const Int32* edge_row_of, const Int32* edge_to,
                          const Int32* edge_spokes, Int32 optimizations, SignErrors errors, Byte* state, Int32* bounds,
                          Index* summary), {
  if (i < *n_undecided) {
    const Index c = undecided[i];
    const Int32 center = edge_row_of[sides[3 * c]];
    const Clipping clip =
        clipping_of(sides + 3 * c, balls, {center, rows[center], rows[center + 1], neighbor, spokes}, is_gabriel,
                    {edge_rows, edge_row_of, edge_to, edge_spokes});
    state[c] = decided_state(clip, optimizations, {errors, counter_of(summary, N_EXACT_SIGNS, c)}, bounds + 2 * c);
  }
})
