// Voids of the lower links of vertices whose link is neither a sphere nor a disc, one vertex after another.
//
// A lower link L consists of the triangles opposite v in the tetrahedra whose highest vertex is v. b2 of L over
// Z/2 is the number of its triangles minus the rank of their boundaries: columns of three edges that become
// empty when reduced as in Edelsbrunner, Letscher, Zomorodian 2002. In a sphere or a disc L has a void only if it
// is the whole sphere (critical_points.h).
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <vector>

typedef std::vector<Wide> LinkColumn;  // edges of a link: their ends in 32 bits each, ascending

inline Wide link_edge(Int32 a, Int32 b) { return a < b ? (Wide)a << 32 | (Word)b : (Wide)b << 32 | (Word)a; }
inline Int32 voids_of_link(Int32 v, const Int32* corners, const Int32* ranks, Index n) {
  std::unordered_map<Wide, LinkColumn> column_of;  // by highest edge
  LinkColumn sum;
  Int32 n_voids = 0;
  for (Index t = 0; t < n; ++t) {
    const Int32 *tet = corners + 4 * t, *rank = ranks + 4 * t;
    const Index top = std::max_element(rank, rank + 4) - rank;
    if (tet[top] != v) continue;
    const Int32 face[3] = {tet[top == 0], tet[top < 2 ? 2 : 1], tet[top < 3 ? 3 : 2]};
    LinkColumn column = {link_edge(face[0], face[1]), link_edge(face[0], face[2]), link_edge(face[1], face[2])};
    std::sort(column.begin(), column.end());
    for (auto at = column_of.end(); !column.empty() && (at = column_of.find(column.back())) != column_of.end();) {
      sum.clear();
      std::set_symmetric_difference(column.begin(), column.end(), at->second.begin(), at->second.end(),
                                    std::back_inserter(sum));
      column.swap(sum);
    }
    if (column.empty())
      ++n_voids;
    else
      column_of.emplace(column.back(), column);
  }
  return n_voids;
}
inline Index voids_of_links(const Int32* vertices, Index n, const Index* offsets, const Int32* corners,
                            const Int32* ranks, Int32* voids) {
  for (Index i = 0; i < n; ++i, throw_if_canceled())
    voids[i] = voids_of_link(vertices[i], corners + 4 * offsets[i], ranks + 4 * offsets[i], offsets[i + 1] - offsets[i]);
  return n;
}
#endif
// Tetrahedra around vertices (n,): corners (m, 4) and their ranks, rows offsets (n + 1,). Out: voids (n,).
HOST_TASK(count_link_voids, (const Int32* vertices, Index n, const Index* offsets, const Int32* corners,
                             const Int32* ranks, Int32* voids),
          voids_of_links(vertices, n, offsets, corners, ranks, voids))
