// Piecewise-linear critical points of a mesh: Banchoff 1970; pieces of the lower and upper links.
//
// The lower link of v holds the faces, opposite v, of the simplices whose highest vertex is v; its
// points are edges of the mesh, its edges triangles. So every edge of the mesh is a point of one
// lower link, that of its higher end, and of one upper link, and all pieces of all links are found
// at once: in each of two arrays over the edges, each triangle joins the two of its edges that meet
// in its highest vertex (lowest, for upper links). The lowest edge of a piece is its root. Numbers
// of pieces do not depend on the order in which atomics join them.
//
// With b0, b1, b2 the Betti numbers of the lower link L and chi its Euler characteristic, v owns
// c0 = [L empty], else c1 = b0 - 1, c2 = b1 = b0 + b2 - chi, c3 = b2 critical simplices. b2 counts
// the voids that L encloses: if the link is a sphere, one if there is no higher neighbor; if it is a
// disc, none; otherwise they are counted explicitly (link_voids.h).
#pragma once
#include "common/concurrent_sets.h"
#include "simplicial/simplices.h"

enum { MINIMUM_POINT = 0, SADDLE_1_POINT = 1, SADDLE_2_POINT = 2, MAXIMUM_POINT = 3, DEGENERATE_POINT = 4, REGULAR_POINT = 5 };

// link (n,): pieces of the lower link << 32, plus its Euler characteristic.
ITEM void join_at_edge(Index e, const Int32* rank, const Int32* edge_begin, const Int32* edge_lower,
                       const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third,
                       Int32* below, Int32* above, Index* link) {
  const Int32 a = edge_lower[e], b = edge_upper[e], rank_a = rank[a], rank_b = rank[b], ab = (Int32)e;
  const Int32 end_a = edge_begin[a + 1], end_b = edge_begin[b + 1];
  const Int32 highest = rank_a > rank_b ? rank_a : rank_b, lowest = rank_a > rank_b ? rank_b : rank_a;
  Int32 ac = ab + 1, bc = edge_begin[b];  // both ascend, because the third corners do
  Index n_own = 0;
  for (Int32 t = triangle_begin[e]; t < triangle_begin[e + 1]; ++t) {
    const Int32 c = triangle_third[t], rank_c = rank[c];
    ac = place_among(edge_upper, ac, end_a, c);
    bc = place_among(edge_upper, bc, end_b, c);
    if (rank_c > highest) add_to(link + c, -1);
    else ++n_own;
    join_sets(below, rank_c < highest && rank_a < rank_b ? bc : ac, rank_c > highest ? bc : ab);
    join_sets(above, rank_c > lowest && rank_a > rank_b ? bc : ac, rank_c < lowest ? bc : ab);
  }
  if (n_own) add_to(link + (rank_a > rank_b ? a : b), -n_own);
}
KERNEL(join_link_pieces, (const Int32* rank, const Int32* edge_begin, const Int32* edge_lower, const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third, Int32* below, Int32* above, Index* link),
       join_at_edge(i, rank, edge_begin, edge_lower, edge_upper, triangle_begin, triangle_third, below, above, link))

// Out: link as above; upper (n,) pieces of the upper link; rim (2n,): whether a vertex has a lower,
// and whether it has a higher neighbor in the boundary.
ITEM void count_at_link_point(Int32 n, Index e, const Int32* rank, const Int32* edge_lower, const Int32* edge_upper,
                              const Int32* below, const Int32* above, const Byte* on_boundary, Index* link,
                              Index* upper, Byte* rim) {
  const Int32 a = edge_lower[e], b = edge_upper[e];
  const bool a_is_higher = rank[a] > rank[b];
  const Int32 high = a_is_higher ? a : b, low = a_is_higher ? b : a;
  add_to(link + high, 1 + ((Index)(below[e] == e) << 32));
  if (above[e] == e) add_to(upper + low, 1);
  if (on_boundary[a] && on_boundary[b]) {
    mark(rim + high);
    mark(rim + n + low);
  }
}
KERNEL(count_link_pieces, (Int32 n, const Int32* rank, const Int32* edge_lower, const Int32* edge_upper, const Int32* below, const Int32* above, const Byte* on_boundary, Index* link, Index* upper, Byte* rim),
       count_at_link_point(n, i, rank, edge_lower, edge_upper, below, above, on_boundary, link, upper, rim))

ITEM Int32 highest_corner(const Int32* tet, const Int32* rank) {
  const Int32 ab = rank[tet[0]] > rank[tet[1]] ? tet[0] : tet[1], cd = rank[tet[2]] > rank[tet[3]] ? tet[2] : tet[3];
  return rank[ab] > rank[cd] ? ab : cd;
}
KERNEL(count_link_triangles, (const Int32* rank, const Int32* tets, Index* link),
       add_to(link + highest_corner(tets + 4 * i, rank), 1))

// === classification of vertices
struct CriticalVector {
  Int32 of[4];
  ITEM_MEMBER bool is_zero() const { return !(of[0] | of[1] | of[2] | of[3]); }
};
ITEM Int32 euler_of(Index link) { return (Int32)(Word)(Wide)link; }
ITEM Int32 pieces_of(Index link) { return (Int32)((link - euler_of(link)) >> 32); }

// Out: voids (n,) of the lower links that lie in a sphere or a disc.
KERNEL(count_planar_voids, (const Index* link, const Index* upper, const Byte* on_boundary, Int32* voids),
       voids[i] = pieces_of(link[i]) && !upper[i] && !on_boundary[i])

ITEM CriticalVector critical_vector(Index link, Index upper, Int32 voids) {
  const Int32 lower = pieces_of(link);
  if (!lower) return {{upper > 0, 0, 0, 0}};  // neither: a point without cells
  return {{0, lower - 1, lower + voids - euler_of(link), voids}};
}
// TTK's codes, and its rule for a vertex of the boundary with one piece on either side.
ITEM int point_type(int dimension, Int32 lower, Index upper, bool on_boundary, bool rim_below, bool rim_above) {
  if (lower == 1 && upper == 1) {
    if (dimension < 3 || !on_boundary || rim_below == rim_above) return REGULAR_POINT;
    return rim_above ? SADDLE_1_POINT : SADDLE_2_POINT;
  }
  if (lower == 0 && upper == 0) return REGULAR_POINT;
  if (lower == 0 && upper == 1) return MINIMUM_POINT;
  if (lower == 1 && upper == 0) return MAXIMUM_POINT;
  if (lower == 2 && upper == 1) return SADDLE_1_POINT;
  if (lower == 1 && upper == 2) return dimension < 3 ? SADDLE_1_POINT : SADDLE_2_POINT;
  if (dimension < 3 && lower == 2 && upper == 2) return SADDLE_1_POINT;
  return DEGENERATE_POINT;
}
ITEM void classify_vertex(Int32 n, Int32 dimension, Index v, const Index* link, const Index* upper, const Int32* voids,
                          const Byte* on_boundary, const Byte* rim, Byte* types, Byte* is_critical) {
  const int type = point_type(dimension, pieces_of(link[v]), upper[v], on_boundary[v], rim[v], rim[n + v]);
  const CriticalVector vector = critical_vector(link[v], upper[v], voids[v]);
  types[v] = (Byte)type;
  is_critical[v] = type != REGULAR_POINT || !vector.is_zero();
}
// Out: types (n,), is_critical (n,) also for a regular type if it owns a simplex.
KERNEL(classify_points, (Int32 n, Int32 dimension, const Index* link, const Index* upper, const Int32* voids, const Byte* on_boundary, const Byte* rim, Byte* types, Byte* is_critical),
       classify_vertex(n, dimension, i, link, upper, voids, on_boundary, rim, types, is_critical))

ITEM void describe_vertex(Index k, Int32 v, const Index* link, const Index* upper, const Int32* voids,
                          Int32* vectors, Int32* pieces) {
  const CriticalVector vector = critical_vector(link[v], upper[v], voids[v]);
  for (int d = 0; d < 4; ++d) vectors[4 * k + d] = vector.of[d];
  pieces[2 * k] = pieces_of(link[v]);
  pieces[2 * k + 1] = (Int32)upper[v];
}
// In: vertices (k,). Out: vectors (k, 4), pieces (k, 2) of the lower and upper link.
KERNEL(describe_points, (const Int32* vertices, const Index* link, const Index* upper, const Int32* voids, Int32* vectors, Int32* pieces),
       describe_vertex(i, vertices[i], link, upper, voids, vectors, pieces))
