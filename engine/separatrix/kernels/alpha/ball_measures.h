// Volume and area of a union of balls, by ball: inclusion-exclusion over the alpha complex.
//
// Edelsbrunner 1995: each simplex of the complex adds or subtracts the intersection of its balls; that of the four
// balls of a tetrahedron follows from its inner angles (fractions of the full sphere or circle). Thus, for ball i,
//
//   volume = sum T_i + W_i V_i - sum W_ij V_ij + sum W_ijk V_ijk,   area = the same of A, without T,
//
// where T_i is the part of a tetrahedron that is nearest to i by power, and W_s = 1 - the inner angles at s of the
// tetrahedra around s, which is 1 - n / 2 for a triangle of n tetrahedra. Each simplex adds to its balls
// independently. Sums are integers in a unit that the caller chooses, so they do not depend on the order, and the
// vertices of a simplex are sorted by position, so they do not depend on the numbering of balls.
// In: sites (n, 4) and alpha, see offsets.h; simplices of each dimension with indices of balls; kinds of the triangles,
// which are their numbers of tetrahedra. In and out: volume, area (n,) in units of 1 / scale.
#pragma once
#include "alpha/ball_shares.h"

struct MeasureScale {
  Real volume, area;
};

ITEM bool is_before(const GrownBall& a, const GrownBall& b) {
  return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}
struct Union {
  const Real* sites;
  Real alpha;
  ITEM_MEMBER GrownBall at(Int32 i) const { return grown_ball_at(sites, alpha, i); }
};
template <int N> struct Balls {
  GrownBall ball[N];
  Int32 id[N];
  Real radius[N];
};
template <int N> ITEM Balls<N> balls_of(const Union& balls, const Int32* simplex) {
  Balls<N> b;
  UNROLL for (int a = 0; a < N; ++a) b.ball[a] = balls.at(b.id[a] = simplex[a]);
  UNROLL for (int round = N - 1; round > 0; --round)
    UNROLL for (int a = 0; a < N - 1; ++a)
      if (a < round && is_before(b.ball[a + 1], b.ball[a])) {
        GrownBall ball = b.ball[a];
        Int32 id = b.id[a];
        b.ball[a] = b.ball[a + 1], b.id[a] = b.id[a + 1];
        b.ball[a + 1] = ball, b.id[a + 1] = id;
      }
  UNROLL for (int a = 0; a < N; ++a) b.radius[a] = radius_of(b.ball[a]);
  return b;
}

ITEM Index in_units(Real x, Real scale) { return (Index)(x * scale + (x < 0 ? -0.5 : 0.5)); }
ITEM void add_share(Int32 id, const Share& share, const MeasureScale& scale, Index* volume, Index* area) {
  add_to(volume + id, in_units(share.volume, scale.volume));
  add_to(area + id, in_units(share.area, scale.area));
}

ITEM void measure_vertex(const Union& balls, Int32 id, const MeasureScale& scale, Index* volume, Index* area) {
  add_share(id, share_of_one(radius_of(balls.at(id))), scale, volume, area);
}

ITEM void measure_edge(const Union& balls, const Int32* edge, const MeasureScale& scale, Index* volume, Index* area) {
  const Balls<2> b = balls_of<2>(balls, edge);
  const Index g = squared_distance(b.ball[0], b.ball[1]), l = l_between(b.ball[0], b.ball[1], g);
  add_share(b.id[0], -1.0 * share_of_two(b.radius[0], l, g), scale, volume, area);
  add_share(b.id[1], -1.0 * share_of_two(b.radius[1], 2 * g - l, g), scale, volume, area);
}

ITEM void measure_triangle(const Union& balls, const Int32* triangle, Int8 n_tets, const MeasureScale& scale,
                           Index* volume, Index* area) {
  if (n_tets == 2) return;
  const Balls<3> b = balls_of<3>(balls, triangle);
  const GrownBall* three[3] = {&b.ball[0], &b.ball[1], &b.ball[2]};
  Share share[3];
  share_three(three, b.radius, share);
  const Real weight = 1 - 0.5 * n_tets;
  UNROLL for (int a = 0; a < 3; ++a) add_share(b.id[a], weight * share[a], scale, volume, area);
}

struct LongOffset {
  Long x, y, z;
};
ITEM Real real_dot(const LongOffset& a, const Offset& b) {
  return real_of(a.x) * (Real)b.x + real_of(a.y) * (Real)b.y + real_of(a.z) * (Real)b.z;
}

// Distances from the center of a tetrahedron to its facets, inwards positive, times twice the area of the facet;
// facet f is opposite to vertex f. The center is p_0 + P / 2 six,
// six = det(d_1, d_2, d_3).
ITEM void center_over_facets(const Balls<4>& b, const Offset d[4], Real six, Real over[4]) {
  Index l[4];
  UNROLL for (int a = 1; a < 4; ++a) l[a] = l_between(b.ball[0], b.ball[a], dot(d[a], d[a]));
  const Offset n1 = cross(d[2], d[3]), n2 = cross(d[3], d[1]), n3 = cross(d[1], d[2]);
  const LongOffset p = {(Long)l[1] * n1.x + (Long)l[2] * n2.x + (Long)l[3] * n3.x,
                        (Long)l[1] * n1.y + (Long)l[2] * n2.y + (Long)l[3] * n3.y,
                        (Long)l[1] * n1.z + (Long)l[2] * n2.z + (Long)l[3] * n3.z};
  const Offset n0 = {-n1.x - n2.x - n3.x, -n1.y - n2.y - n3.y, -n1.z - n2.z - n3.z};
  const Real twice = 2 * (six < 0 ? -six : six);
  over[0] = twice / 2 + real_dot(p, n0) / twice;
  over[1] = real_dot(p, n1) / twice, over[2] = real_dot(p, n2) / twice, over[3] = real_dot(p, n3) / twice;
}

// Dihedral angle, as a fraction of the full one, at the edge from a to b; c and d are the other vertices.
ITEM Real dihedral_part(const Offset& b, const Offset& c, const Offset& d, Real six) {
  const Index length = dot(b, b);
  const Long x = (Long)length * dot(c, d) - (Long)dot(b, c) * dot(b, d);
  return angle_of(sqrt((Real)length) * (six < 0 ? -six : six), real_of(x)) / (2 * PI);
}

ITEM void measure_tet(const Union& balls, const Int32* tet, const MeasureScale& scale, Index* volume, Index* area) {
  const Balls<4> b = balls_of<4>(balls, tet);
  Offset d[4];
  UNROLL for (int a = 0; a < 4; ++a) d[a] = offset_to(b.ball[0], b.ball[a]);
  const Real six = real_of(det(d[1], d[2], d[3]));
  Real over[4];
  center_over_facets(b, d, six, over);

  Share sum[4];
  UNROLL for (int a = 0; a < 4; ++a) sum[a] = {0, 0};
  UNROLL for (int f = 0; f < 4; ++f) {
    const int at[3] = {f == 0, f <= 1 ? 2 : 1, f <= 2 ? 3 : 2};
    const GrownBall* three[3] = {&b.ball[at[0]], &b.ball[at[1]], &b.ball[at[2]]};
    const TriangleShape facet = shape_of(three);
    UNROLL for (int a = 0; a < 3; ++a) sum[at[a]].volume += cone_at(facet, three, a) * (over[f] / facet.root) / 3;
  }
  Real solid[4] = {-0.25, -0.25, -0.25, -0.25};  // fractions of the full solid angle
  UNROLL for (int a = 0; a < 3; ++a)
    UNROLL for (int c = 1; c < 4; ++c)
      if (c > a) {
        const int e = a == 0 ? (c == 1 ? 2 : 1) : 0, f = 6 - a - c - e;
        Real part = dihedral_part(offset_to(b.ball[a], b.ball[c]), offset_to(b.ball[a], b.ball[e]),
                                  offset_to(b.ball[a], b.ball[f]), six);
        const Index g = squared_distance(b.ball[a], b.ball[c]), l = l_between(b.ball[a], b.ball[c], g);
        sum[a] = sum[a] + part * share_of_two(b.radius[a], l, g);
        sum[c] = sum[c] + part * share_of_two(b.radius[c], 2 * g - l, g);
        solid[a] += part / 2, solid[c] += part / 2;
      }
  UNROLL for (int a = 0; a < 4; ++a)
    add_share(b.id[a], sum[a] + -solid[a] * share_of_one(b.radius[a]), scale, volume, area);
}

// Items: first the vertices, then the edges, triangles and tetrahedra.
ITEM void measure_simplex(Index i, const Union& balls, const Int32* vertices, Index n_vertices, const Int32* edges,
                          Index n_edges, const Int32* triangles, const Int8* kinds, Index n_triangles,
                          const Int32* tets, const MeasureScale& scale, Index* volume, Index* area) {
  if (i < n_vertices) return measure_vertex(balls, vertices[i], scale, volume, area);
  if ((i -= n_vertices) < n_edges) return measure_edge(balls, edges + 2 * i, scale, volume, area);
  if ((i -= n_edges) < n_triangles) return measure_triangle(balls, triangles + 3 * i, kinds[i], scale, volume, area);
  measure_tet(balls, tets + 4 * (i - n_triangles), scale, volume, area);
}
KERNEL(measure_simplices, (const Real* sites, Real alpha, const Int32* vertices, Index n_vertices, const Int32* edges,
                           Index n_edges, const Int32* triangles, const Int8* kinds, Index n_triangles,
                           const Int32* tets, MeasureScale scale, Index* volume, Index* area),
       measure_simplex(i, {sites, alpha}, vertices, n_vertices, edges, n_edges, triangles, kinds, n_triangles, tets,
                       scale, volume, area))
KERNEL(in_length_units, (const Index* volume, const Index* area, MeasureScale unit, Real* volumes, Real* areas),
       volumes[i] = (Real)volume[i] * unit.volume;
       areas[i] = (Real)area[i] * unit.area)

// Shares of the vertices of each edge, (n_edges, 2, 2), and of each triangle not between two tetrahedra,
// (n_triangles, 3, 2): volume and area, in the order of the simplex's vertices.
ITEM void list_edge_shares(Index i, const Union& balls, const Int32* edges, Real* shares) {
  const GrownBall a = balls.at(edges[2 * i]), b = balls.at(edges[2 * i + 1]);
  const Index g = squared_distance(a, b), l = l_between(a, b, g);
  const Share first = share_of_two(radius_of(a), l, g), second = share_of_two(radius_of(b), 2 * g - l, g);
  shares[4 * i] = first.volume, shares[4 * i + 1] = first.area;
  shares[4 * i + 2] = second.volume, shares[4 * i + 3] = second.area;
}
KERNEL(share_edges, (const Real* sites, Real alpha, const Int32* edges, Real* shares),
       list_edge_shares(i, {sites, alpha}, edges, shares))

ITEM void list_triangle_shares(Index i, const Union& balls, const Int32* triangles, const Int8* kinds, Real* shares) {
  if (kinds[i] == 2) return;
  GrownBall ball[3];
  UNROLL for (int a = 0; a < 3; ++a) ball[a] = balls.at(triangles[3 * i + a]);
  const GrownBall* three[3] = {&ball[0], &ball[1], &ball[2]};
  const Real radius[3] = {radius_of(ball[0]), radius_of(ball[1]), radius_of(ball[2])};
  Share share[3];
  share_three(three, radius, share);
  UNROLL for (int a = 0; a < 3; ++a) shares[6 * i + 2 * a] = share[a].volume, shares[6 * i + 2 * a + 1] = share[a].area;
}
KERNEL(share_triangles, (const Real* sites, Real alpha, const Int32* triangles, const Int8* kinds, Real* shares),
       list_triangle_shares(i, {sites, alpha}, triangles, kinds, shares))
