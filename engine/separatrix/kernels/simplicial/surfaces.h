// 2-separatrices of a tetrahedral mesh: the simplices on V-paths from a saddle, and their polygons.
//
// Descending from a critical triangle, V-paths lead from a triangle through its edges to the triangles that these
// are paired with. Ascending from a critical edge, they lead from an edge through its triangles to the edges that
// these are paired with, along arcs that are listed once. Keys are source << 33 | simplex << 2 (cubical/surfaces.h).
// The polygon of a triangle is itself; that of an edge passes through the barycenters of the tetrahedra around
// it and, at the boundary of the mesh, of the boundary triangles and the edge. A corner is 4 * simplex + dimension.
#pragma once
#include "common/hash_set.h"
#include "common/sort.h"
#include "simplicial/forests.h"

ITEM Wide mesh_surface_key(Index source, Int32 simplex) { return (Wide)source << 33 | (Wide)simplex << 2; }
ITEM Int32 simplex_of_key(Wide key) { return (Int32)(key >> 2 & 0x7fffffff); }
KERNEL(start_mesh_surfaces, (const Int32* saddles, Index first_source, Wide* slots, Wide mask, Index capacity,
                             Wide* reached, Index* counters),
       reach_key(mesh_surface_key(first_source + i, saddles[i]), slots, mask, capacity, reached, counters))
template <class Trie>
ITEM void expand_falling(const Trie& trie, const Int32* up, Wide key, Wide* slots, Wide mask, Index capacity,
                         Wide* reached, Index* counters) {
  const Int32 triangle = simplex_of_key(key);
  Int32 edges[3];
  trie.edges_of(triangle, edges);
  for (int k = 0; k < 3; ++k) {
    const Int32 onward = up[edges[k]];
    if (onward != NONE && onward != triangle)
      reach_key(mesh_surface_key((Index)(key >> 33), onward), slots, mask, capacity, reached, counters);
  }
}
KERNEL(expand_falling_surfaces, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                                 const Int32* triangle_edge, const Int32* triangle_third, const Int32* up, Index begin,
                                 Wide* slots, Wide mask, Index capacity, Wide* reached, Index* counters),
       MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
       expand_falling(trie, up, reached[begin + i], slots, mask, capacity, reached, counters))

// === ascending arcs from edge to edge: of each triangle paired with an edge, from its two others to that one
struct RisingArcs {
  Int32 edges[3];
  int to;  // number of the edge that they lead to, above 2 if there is none
};
ITEM RisingArcs rising_arcs(MeshTrie trie, const Byte* codes, Index triangle) {
  RisingArcs arcs;
  arcs.to = codes[triangle];
  if (arcs.to < 3) trie.edges_of((Int32)triangle, arcs.edges);
  return arcs;
}
KERNEL(count_rising_arcs, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                           const Int32* triangle_edge, const Int32* triangle_third, const Byte* codes, Int32* count),
       MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
       const RisingArcs arcs = rising_arcs(trie, codes, i);
       if (arcs.to < 3) for (int k = 0; k < 3; ++k) if (k != arcs.to) count_one(count + arcs.edges[k]))
KERNEL(fill_rising_arcs, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                          const Int32* triangle_edge, const Int32* triangle_third, const Byte* codes,
                          const Index* offsets, Int32* filled, Int32* above),
       MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
       const RisingArcs arcs = rising_arcs(trie, codes, i);
       if (arcs.to < 3) for (int k = 0; k < 3; ++k) if (k != arcs.to)
         above[offsets[arcs.edges[k]] + count_one(filled + arcs.edges[k])] = arcs.edges[arcs.to])
KERNEL(expand_rising_surfaces, (const Index* offsets, const Int32* above, Index begin, Wide* slots, Wide mask,
                                Index capacity, Wide* reached, Index* counters),
       const Wide key = reached[begin + i];
       const Int32 edge = simplex_of_key(key);
       for (Index at = offsets[edge]; at < offsets[edge + 1]; ++at)
         reach_key(mesh_surface_key((Index)(key >> 33), above[at]), slots, mask, capacity, reached, counters))
// A triangle at each critical edge, which is not paired: the greatest one.
KERNEL(find_triangles_at, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                           const Int32* triangle_edge, const Int32* triangle_third, const Byte* edge_codes,
                           Int32* triangle_at),
       MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
       Int32 edges[3];
       trie.edges_of((Int32)i, edges);
       for (int k = 0; k < 3; ++k)
         if (edge_codes[edges[k]] == CRITICAL_SIMPLEX) raise_to(triangle_at + edges[k], (Int32)i))

// === the polygon around an edge ab: triangles abx are named by their third corner x
ITEM void sorted_triangle(Int32 a, Int32 b, Int32 third, Int32* out) {  // a < b
  out[0] = third < a ? third : a;
  out[1] = third < a ? a : third < b ? third : b;
  out[2] = third < b ? b : third;
}
// The stored triangles and tetrahedra around an edge.
struct StoredFan {
  MeshTrie trie;
  const Int32* sides;
  Int32 a, b;

  ITEM_MEMBER Int32 triangle(Int32 third) const {
    Int32 v[3];
    sorted_triangle(a, b, third, v);
    return triangle_of(v[0], v[1], v[2], trie.edge_begin, trie.edge_upper, trie.triangle_begin, trie.triangle_third);
  }
  ITEM_MEMBER Int32 first_tet(Int32 third) const { return sides[2 * (Index)triangle(third)]; }
  ITEM_MEMBER Int32 tet_across(Int32 third, Int32 tet) const { return across(sides, triangle(third), tet); }
  ITEM_MEMBER const Int32* corners_of(Int32 tet) const { return trie.tets + 4 * (Index)tet; }
};
template <class Fan>
struct Turning {
  const Fan& fan;
  Int32 third;  // of the current triangle
  Int32 tet;    // the next one, NONE at the boundary

  ITEM_MEMBER void step() {
    const Int32* corners = fan.corners_of(tet);
    int at = 0;
    while (corners[at] == fan.a || corners[at] == fan.b || corners[at] == third) ++at;
    third = corners[at];
    tet = fan.tet_across(third, tet);
  }
};
// Corners in order around the edge, from `first`, the third corner of a triangle at it; only counted if corners is null.
template <class Fan>
ITEM Int32 turn_round(const Fan& fan, Int32 edge, Int32 first, Index* corners) {
  Int32 n_before = 0, n = 0;
  Turning<Fan> back = {fan, first, fan.first_tet(first)};
  do {
    if (back.tet == NONE) break;
    back.step();
    ++n_before;
  } while (back.third != first);
  const bool is_closed = back.third == first && n_before > 0;
  const Int32 start = back.third;
  Turning<Fan> walk = {fan, start, fan.first_tet(start)};
  if (!is_closed) {  // from one end of the fan to the other
    if (corners) corners[n] = 4 * (Index)fan.triangle(start) + 2;
    ++n;
  }
  while (walk.tet != NONE) {
    if (corners) corners[n] = 4 * (Index)walk.tet + 3;
    ++n;
    walk.step();
    if (is_closed && walk.third == start) return n;
  }
  if (corners) corners[n] = 4 * (Index)fan.triangle(walk.third) + 2, corners[n + 1] = 4 * (Index)edge + 1;
  return n + 2;
}
ITEM Int32 turn_stored(MeshTrie trie, const Int32* sides, Int32 edge, Int32 triangle, Index* corners) {
  const StoredFan fan = {trie, sides, trie.edge_lower[edge], trie.edge_upper[edge]};
  const Int32 ab = trie.triangle_edge[triangle], c = trie.triangle_third[triangle];
  Int32 first = trie.edge_lower[ab];
  if (first == fan.a || first == fan.b) first = trie.edge_upper[ab];
  if (first == fan.a || first == fan.b) first = c;
  return turn_round(fan, edge, first, corners);
}
KERNEL(measure_edge_polygons, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                               const Int32* triangle_edge, const Int32* triangle_begin, const Int32* triangle_third,
                               const Int32* tets, const Int32* sides, const Int32* edges, const Int32* triangle_at,
                               Int32* count),
       count[i] = turn_stored({edge_lower, edge_begin, edge_upper, triangle_edge, triangle_begin, triangle_third, tets},
                              sides, edges[i], triangle_at[i], nullptr))
KERNEL(draw_edge_polygons, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                            const Int32* triangle_edge, const Int32* triangle_begin, const Int32* triangle_third,
                            const Int32* tets, const Int32* sides, const Int32* edges, const Int32* triangle_at,
                            const Index* offsets, Index* corners),
       turn_stored({edge_lower, edge_begin, edge_upper, triangle_edge, triangle_begin, triangle_third, tets}, sides,
                   edges[i], triangle_at[i], corners + offsets[i]))
