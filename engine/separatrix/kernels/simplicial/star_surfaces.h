// 2-separatrices (surfaces.h) of a mesh whose edges and triangles are not stored (star_trie.h).
#pragma once
#include "simplicial/star_forests.h"
#include "simplicial/star_trie.h"
#include "simplicial/surfaces.h"

KERNEL(expand_falling_by_stars, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                 const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin,
                                 Int32 n_vertices, const Int32* up, Index begin, Wide* slots, Wide mask, Index capacity,
                                 Wide* reached, Index* counters),
       StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
       expand_falling(trie, up, reached[begin + i], slots, mask, capacity, reached, counters))

// Visits the third corners of the triangles at an edge ab: visit(x), once for each of their tetrahedra.
template <class Visit>
ITEM void visit_thirds(const StarTrie& trie, Int32 a, Int32 b, Visit visit) {
  visit_tets_of_edge(a, b, trie.tets, trie.tet_begin, trie.star_begin, trie.star_tets, [&](Int32 t) {
    for (int k = 0; k < 4; ++k) {
      const Int32 x = trie.tets[4 * (Index)t + k];
      if (x != a && x != b) visit(x);
    }
  });
}
ITEM void expand_rising(const StarTrie& trie, const Byte* codes, Wide key, Wide* slots, Wide mask, Index capacity,
                        Wide* reached, Index* counters) {
  const Int32 edge = simplex_of_key(key);
  Int32 ends[2];
  trie.corners_of(1, edge, ends);
  visit_thirds(trie, ends[0], ends[1], [&](Int32 third) {
    Int32 v[3];
    sorted_triangle(ends[0], ends[1], third, v);
    const Byte to = codes[trie.triangle_at(v[0], v[1], v[2])];
    if (to > 2) return;
    const Int32 onward = trie.edge_of(v[to == 2], v[to == 0 ? 1 : 2]);
    if (onward != edge)
      reach_key(mesh_surface_key((Index)(key >> 33), onward), slots, mask, capacity, reached, counters);
  });
}
KERNEL(expand_rising_by_stars, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin,
                                Int32 n_vertices, const Byte* codes, Index begin, Wide* slots, Wide mask,
                                Index capacity, Wide* reached, Index* counters),
       StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
       expand_rising(trie, codes, reached[begin + i], slots, mask, capacity, reached, counters))

struct StarFan {
  const StarTrie& trie;
  Int32 a, b;

  ITEM_MEMBER Int32 triangle(Int32 third) const {
    Int32 v[3];
    sorted_triangle(a, b, third, v);
    return trie.triangle_at(v[0], v[1], v[2]);
  }
  ITEM_MEMBER Int32 first_tet(Int32 third) const { return tet_across(third, NONE); }
  // The lowest tetrahedron at a triangle, or the lowest except `tet`.
  ITEM_MEMBER Int32 tet_across(Int32 third, Int32 tet) const {
    Int32 v[3], found = NONE;
    sorted_triangle(a, b, third, v);
    visit_tets_of_triangle(v[0], v[1], v[2], trie.tets, trie.tet_begin, trie.star_begin, trie.star_tets, [&](Int32 t) {
      if (t != tet && found == NONE) found = t;
    });
    return found;
  }
  ITEM_MEMBER const Int32* corners_of(Int32 tet) const { return trie.tets + 4 * (Index)tet; }
};
// From the triangle that an edge is paired with, or from the greatest one at a critical edge.
ITEM Int32 turn_by_stars(const StarTrie& trie, const Int32* up, Int32 edge, Index* corners) {
  Int32 ends[2], of[3], first = NONE;
  trie.corners_of(1, edge, ends);
  const StarFan fan = {trie, ends[0], ends[1]};
  if (up[edge] != NONE) {
    trie.corners_of(2, up[edge], of);
    for (int k = 0; k < 3; ++k)
      if (of[k] != fan.a && of[k] != fan.b) first = of[k];
  } else {  // with equal other corners, triangles ascend with the third
    visit_thirds(trie, fan.a, fan.b, [&](Int32 third) { first = third > first ? third : first; });
  }
  return turn_round(fan, edge, first, corners);
}
KERNEL(measure_polygons_by_stars, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                   const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin,
                                   Int32 n_vertices, const Int32* up, const Int32* edges, Int32* count),
       StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
       count[i] = turn_by_stars(trie, up, edges[i], nullptr))
KERNEL(draw_polygons_by_stars, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin,
                                Int32 n_vertices, const Int32* up, const Int32* edges, const Index* offsets,
                                Index* corners),
       StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
       turn_by_stars(trie, up, edges[i], corners + offsets[i]))
