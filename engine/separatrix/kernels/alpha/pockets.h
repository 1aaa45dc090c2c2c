// Pockets of an alpha complex: empty tetrahedra of a larger complex without a flow to the outside.
//
// Edelsbrunner, Facello, Liang 1998, sections 3 to 5. A tetrahedron flows through a facet to the next one iff its
// opposite vertex violates the Gabriel test of the facet; the next one is then larger. The outside is everything not in the
// larger complex. Ancestors of the outside are removed; the rest forms pockets, connected by triangles that are
// not in the smaller complex, the solid. Such a triangle next to the outside or an ancestor is open; open
// triangles of a pocket that share an edge not in the solid form a mouth.
// Facet k of a tetrahedron is opposite to its vertex k.
#pragma once
#include "alpha/ball_measures.h"
#include "alpha/triangulated.h"
#include "common/sets.h"

// In: rows (m,) of the tetrahedra not in the solid, sites as in triangulated.h, tets (n, 4), their facets' rows, which
// triangles are Gabriel. Out: flows (m, 4).
KERNEL(find_flows, (const Int32* rows, const Real* sites, const Int32* tets, const Int32* triangles_of,
                    const Byte* is_gabriel, Byte* flows), {
  const Int32* tet = tets + 4 * (Index)rows[i / 4];
  const int k = (int)(i % 4);
  const auto corner = [&](int m) { return site_at(sites, tet[m]); };
  flows[i] = !is_gabriel[triangles_of[4 * (Index)rows[i / 4] + k]] &&
             violates_triangle(corner(k == 0), corner(k <= 1 ? 2 : 1), corner(k <= 2 ? 3 : 2), corner(k));
})

// Volume of a tetrahedron outside of the solid, negative if its orientation is, and the parts of the balls of the
// solid in it, by inner angles: shares (m, 4, 2), volume and area, by its vertices. Items: rows of the tetrahedra.
struct SolidFaces {
  const Int32 *tets, *triangles_of, *edges_of, *vertices_of;
  const Byte *has_vertex, *has_edge, *has_triangle;  // of the larger complex's rows: whether they are in the solid
};
ITEM void measure_empty_tet(Index i, const Int32* rows, const Union& balls, const SolidFaces& faces, Real* volume,
                            Real* shares) {
  const Index row = rows[i];
  GrownBall ball[4];
  Real radius[4];
  UNROLL for (int a = 0; a < 4; ++a) {
    ball[a] = balls.at(faces.tets[4 * row + a]);
    radius[a] = radius_of(ball[a]);
  }
  const Real six =
      real_of(det(offset_to(ball[0], ball[1]), offset_to(ball[0], ball[2]), offset_to(ball[0], ball[3])));
  volume[i] = six / 6;
  Share sum[4];
  bool has[4];
  Real solid[4];
  UNROLL for (int a = 0; a < 4; ++a) sum[a] = {0, 0}, has[a] = false, solid[a] = -0.25;
  for (int k = 0; k < 4; ++k) {
    const int at[3] = {k == 0, k <= 1 ? 2 : 1, k <= 2 ? 3 : 2};
    const Index triangle = faces.triangles_of[4 * row + k];
    if (faces.has_triangle[triangle]) {
      const GrownBall* three[3] = {&ball[at[0]], &ball[at[1]], &ball[at[2]]};
      const Real radii[3] = {radius[at[0]], radius[at[1]], radius[at[2]]};
      Share share[3];
      share_three(three, radii, share);
      for (int m = 0; m < 3; ++m) sum[at[m]] = sum[at[m]] + 0.5 * share[m];
    }
    for (int m = 0; m < 3; ++m) {  // edges: each from the first facet that has it
      const int a = at[m == 0], b = at[m <= 1 ? 2 : 1], c = at[m], d = k;
      if (k > c) continue;
      const Real part = dihedral_part(offset_to(ball[a], ball[b]), offset_to(ball[a], ball[c]), offset_to(ball[a], ball[d]), six);
      solid[a] += part / 2, solid[b] += part / 2;
      const Index edge = faces.edges_of[3 * triangle + m];
      has[a] = has[a] || faces.has_vertex[faces.vertices_of[2 * edge + 1]];
      has[b] = has[b] || faces.has_vertex[faces.vertices_of[2 * edge]];
      if (!faces.has_edge[edge]) continue;
      const Index g = squared_distance(ball[a], ball[b]), l = l_between(ball[a], ball[b], g);
      sum[a] = sum[a] + -part * share_of_two(radius[a], l, g);
      sum[b] = sum[b] + -part * share_of_two(radius[b], 2 * g - l, g);
    }
  }
  for (int a = 0; a < 4; ++a) {
    if (has[a]) sum[a] = sum[a] + solid[a] * share_of_one(radius[a]);
    shares[8 * i + 2 * a] = sum[a].volume, shares[8 * i + 2 * a + 1] = sum[a].area;
  }
}
KERNEL(measure_empty_tets, (const Int32* rows, const Real* sites, Real alpha, const Int32* tets, const Int32* triangles_of,
                            const Int32* edges_of, const Int32* vertices_of, const Byte* has_vertex,
                            const Byte* has_edge, const Byte* has_triangle, Real* volume, Real* shares),
       measure_empty_tet(i, rows, {sites, alpha}, {tets, triangles_of, edges_of, vertices_of, has_vertex, has_edge, has_triangle},
                         volume, shares))

#if !ON_GPU
enum : Int32 { WALL = -2 };  // a facet in the solid; NONE is the outside
inline Index gather_pockets_of(const Int32* rows, const Byte* flows, Index n_tets, const Int32* triangles_of,
                               const Int32* edges_of, const Byte* has_triangle, Index n_triangles, const Byte* has_edge,
                               Index n_edges, Int32* pocket, Int32* mouth) {
  // === the entry 4 * tet + facet across each facet. Flows never cross walls: a triangle in the solid is Gabriel, or
  // smaller than both tetrahedra next to it only if one of them is in the solid.
  std::vector<Int32> across((size_t)(4 * n_tets), WALL), before((size_t)n_triangles, NONE);
  const auto triangle_of = [&](Index i) { return (Index)triangles_of[4 * (Index)rows[i / 4] + i % 4]; };
  for (Index i = 0; i < 4 * n_tets; ++i) {
    throw_if_canceled_at(i);
    const Index t = triangle_of(i);
    if (has_triangle[t]) continue;
    across[i] = before[t];
    if (across[i] != NONE) across[across[i]] = (Int32)i;
    before[t] = (Int32)i;
  }
  // === ancestors of the outside, backwards along the flow
  std::vector<Byte> is_gone((size_t)n_tets, 0);
  std::vector<Int32> stack;
  for (Index i = 0; i < 4 * n_tets; ++i)
    if (flows[i] && across[i] == NONE && !is_gone[i / 4]) is_gone[i / 4] = 1, stack.push_back((Int32)(i / 4));
  while (!stack.empty()) {
    const Index tet = stack.back();
    stack.pop_back();
    throw_if_canceled_at((Index)stack.size());
    for (Index i = 4 * tet; i < 4 * tet + 4; ++i) {
      const Int32 other = across[i];
      if (other >= 0 && flows[other] && !is_gone[other / 4]) is_gone[other / 4] = 1, stack.push_back(other / 4);
    }
  }
  // === pockets, and their mouths
  Sets joined(n_tets);
  for (Index i = 0; i < 4 * n_tets; ++i) {
    throw_if_canceled_at(i);
    if (across[i] > (Int32)i && !is_gone[i / 4] && !is_gone[across[i] / 4]) joined.join(i / 4, across[i] / 4);
  }
  Index n_pockets = 0;
  for (Index t = 0; t < n_tets; ++t) {
    const Int32 name = is_gone[t] ? NONE : joined.name(t);
    pocket[t] = name == NONE ? NONE : name == t ? (Int32)n_pockets++ : pocket[name];
  }
  // An edge not in the solid may be in the mouths of several pockets: each pocket joins its own triangles.
  std::vector<Int32> entries;
  for (Index i = 0; i < 4 * n_tets; ++i) {
    mouth[i] = NONE;
    if (is_gone[i / 4] || across[i] == WALL) continue;
    if (across[i] == NONE || is_gone[across[i] / 4]) entries.push_back((Int32)i);
  }
  std::stable_sort(entries.begin(), entries.end(), [&](Int32 a, Int32 b) { return pocket[a / 4] < pocket[b / 4]; });
  std::vector<Int32> last((size_t)n_edges, NONE);
  Sets rims((Index)entries.size());
  for (size_t e = 0; e < entries.size(); ++e)
    for (int m = 0; m < 3; ++m) {
      const Int32 edge = edges_of[3 * triangle_of(entries[e]) + m];
      if (has_edge[edge]) continue;
      const Int32 other = last[edge];
      if (other != NONE && pocket[entries[other] / 4] == pocket[entries[e] / 4]) rims.join(other, (Index)e);
      last[edge] = (Int32)e;
    }
  Int32 n_mouths = 0;
  for (size_t e = 0; e < entries.size(); ++e) {
    const Int32 name = rims.name((Index)e);
    mouth[entries[e]] = name == (Int32)e ? n_mouths++ : mouth[entries[name]];
  }
  return n_pockets;
}
#endif

// In: rows (n_tets,) as in find_flows; has_*, whether rows of the larger complex are in the solid. Out: pocket (n_tets,)
// and mouth (n_tets, 4), numbers from 0 or NONE; the task returns the number of pockets.
HOST_TASK(gather_pockets, (const Int32* rows, const Byte* flows, Index n_tets, const Int32* triangles_of,
                           const Int32* edges_of, const Byte* has_triangle, Index n_triangles, const Byte* has_edge,
                           Index n_edges, Int32* pocket, Int32* mouth),
          gather_pockets_of(rows, flows, n_tets, triangles_of, edges_of, has_triangle, n_triangles, has_edge, n_edges,
                            pocket, mouth))

// The largest distance of the centroid of a tetrahedron of pocket p from the nearest center of a mouth; 0 without mouths.
// A centroid that is nearer to some center than the farthest one so far does not matter.
ITEM Real depth_of(Index p, const Real* places, const Int32* tets, const Index* tets_of, const Real* centers,
                   const Index* mouths_of) {
  Real farthest = 0;
  for (Index t = tets_of[p]; t < tets_of[p + 1]; ++t) {
    Real at[3], nearest = 1e300;
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] = 0;
      for (int k = 0; k < 4; ++k) at[axis] += places[3 * (Index)tets[4 * t + k] + axis];
      at[axis] /= 4;
    }
    for (Index m = mouths_of[p]; m < mouths_of[p + 1] && nearest > farthest; ++m) {
      const Real x = at[0] - centers[3 * m], y = at[1] - centers[3 * m + 1], z = at[2] - centers[3 * m + 2];
      const Real squared = x * x + y * y + z * z;
      nearest = squared < nearest ? squared : nearest;
    }
    if (mouths_of[p] < mouths_of[p + 1] && nearest > farthest) farthest = nearest;
  }
  return sqrt(farthest);
}
COARSE_KERNEL(measure_depths, (const Real* places, const Int32* tets, const Index* tets_of, const Real* centers,
                               const Index* mouths_of, Real* depth),
              depth[i] = depth_of(i, places, tets, tets_of, centers, mouths_of))
