// Simplices of a given regular triangulation: their sizes, and which are Gabriel simplices.
//
// A simplex of the triangulation that is not Gabriel has a coface of the next dimension with the same
// filtration value whose additional ball violates it, because the point of its dual cell nearest to its center
// is on that of the coface. Thus it suffices to test the balls of its cofaces, its link.
#pragma once
#include "alpha/exact_clip.h"
#include "alpha/sizes.h"

struct Link {
  const Index* begin;
  const Int32* balls;
};
template <class Violates> ITEM Byte is_empty_of_link(Index i, const Link& link, Violates violates) {
  for (Index k = link.begin[i]; k < link.begin[i + 1]; ++k)
    if (violates(link.balls[k])) return 0;
  return 1;
}
ITEM Spoke spoke_from(const Int32* balls, Int32 i, Int32 j) { return spoke_between(ball_at(balls, i), ball_at(balls, j), j); }

KERNEL(measure_given_vertices, (const Int32* balls, const Int32* vertices, const Index* links, const Int32* linked,
                                Index alpha, SquaredUnit unit, Byte* is_gabriel, Real* size), {
  const Int32 v = vertices[i];
  is_gabriel[i] =
      is_empty_of_link(i, {links, linked}, [&](Int32 q) { return violates_vertex(v, spoke_from(balls, v, q)); });
  size[i] = size_of_vertex(ball_at(balls, v).squared, {alpha, unit});
})
KERNEL(measure_given_edges, (const Int32* balls, const Int32* edges, const Index* links, const Int32* linked,
                             Index alpha, SquaredUnit unit, SignErrors errors, Byte* is_gabriel, Real* size,
                             Index* summary), {
  const Int32 v = edges[2 * i];
  const Edge edge = edge_along(spoke_from(balls, v, edges[2 * i + 1]));
  const Signs signs = {errors, counter_of(summary, N_EXACT_EDGE_SIGNS, i)};
  is_gabriel[i] = is_empty_of_link(i, {links, linked}, [&](Int32 other) {
    const Spoke q = spoke_from(balls, v, other);
    const int side = side_of_edge(edge, q, signs);
    return side < 0 || (side == 0 && violates_tied_edge(v, edge, q));
  });
  size[i] = size_of(edge, ball_at(balls, v).squared, {alpha, unit});
})
KERNEL(measure_given_triangles, (const Int32* balls, const Int32* triangles, const Index* links, const Int32* linked,
                                 Index alpha, SquaredUnit unit, SignErrors errors, Byte* is_gabriel, Real* size,
                                 Index* summary), {
  const Int32 v = triangles[3 * i];
  const Triangle t = triangle_of(spoke_from(balls, v, triangles[3 * i + 1]), spoke_from(balls, v, triangles[3 * i + 2]));
  const Signs signs = {errors, counter_of(summary, N_EXACT_SIGNS, i)};
  is_gabriel[i] = is_empty_of_link(
      i, {links, linked}, [&](Int32 q) { return violates_triangle(v, t, spoke_from(balls, v, q), signs); });
  size[i] = size_of(t, ball_at(balls, v).squared, {alpha, unit});
})
KERNEL(measure_given_tets, (const Int32* balls, const Int32* tets, Index alpha, SquaredUnit unit, Real* size), {
  const Int32 v = tets[4 * i];
  const Triangle t = triangle_of(spoke_from(balls, v, tets[4 * i + 1]), spoke_from(balls, v, tets[4 * i + 2]));
  const Spoke c = spoke_from(balls, v, tets[4 * i + 3]);
  size[i] = size_of(t, tet_of(t, c, dot(t.normal, c)), ball_at(balls, v).squared, {alpha, unit});
})
