// Edges and triangles of a mesh that are not stored: their vertices and ids from the stars of the vertices.
//
// Ids are ranks (simplices.h), so the edges and triangles with the same lowest vertex are intervals, bounded by
// edge_begin and own_begin (V + 1). Within them, places follow from the cells around the vertex: upper neighbors
// are gathered, and triangles are bits of a matrix over them (build.h). No vertex may be a hub.
#pragma once
#include "simplicial/build.h"
#include "simplicial/forests.h"
#include "simplicial/paths.h"

// What the cells around a vertex tell: its upper neighbors, ascending, and its triangles among them.
struct StarPlaces {
  UpperList upper;
  Wide rows[MOST_IN_MATRIX];
};
struct StarTrie {
  const Int32* tets;
  const Int32* tet_begin;
  const Int32* star_begin;
  const Int32* star_tets;
  const Int32* edge_begin;
  const Int32* own_begin;
  Int32 n_vertices;

  ITEM_MEMBER void load_uppers_of(Int32 v, UpperList& upper) const {
    UpperList found;
    gather_uppers(v, tets, tet_begin, star_begin, star_tets, found);
    upper = found;
    for (Int32 k = 0; k < found.n; ++k) upper.vertex[n_uppers_below(found, found.vertex[k])] = found.vertex[k];
  }
  ITEM_MEMBER void load(Int32 v, StarPlaces& star) const {
    load_uppers_of(v, star.upper);
    fill_matrix(v, tets, tet_begin, star_begin, star_tets, star.upper, star.rows);
  }
  ITEM_MEMBER Int32 edge_of(Int32 a, Int32 b) const {  // a < b
    UpperList found;
    gather_uppers(a, tets, tet_begin, star_begin, star_tets, found);
    return edge_begin[a] + n_uppers_below(found, b);
  }
  // The lowest vertex of a triangle, and the places of the others among its upper neighbors.
  ITEM_MEMBER Int32 find(Int32 triangle, StarPlaces& star, Int32& i, Int32& j) const {
    const Int32 a = interval_of(own_begin, n_vertices, triangle);
    load(a, star);
    Int32 left = triangle - own_begin[a];
    for (i = 0;; ++i) {
      const Int32 n = population((Word)star.rows[i]) + population((Word)(star.rows[i] >> 32));
      if (left < n) break;
      left -= n;
    }
    Wide row = star.rows[i];
    for (; left > 0; --left) row &= row - 1;
    j = lowest_place(row);
    return a;
  }
  ITEM_MEMBER void edges_of(Int32 triangle, Int32* out) const {
    StarPlaces star;
    Int32 i, j;
    const Int32 a = find(triangle, star, i, j);
    out[0] = edge_begin[a] + i;
    out[1] = edge_begin[a] + j;
    out[2] = edge_of(star.upper.vertex[i], star.upper.vertex[j]);
  }
  ITEM_MEMBER Int32 triangle_at(Int32 a, Int32 b, Int32 c) const {  // a < b < c
    StarPlaces star;
    load(a, star);
    const Int32 i = n_uppers_below(star.upper, b), j = n_uppers_below(star.upper, c);
    Int32 triangle = own_begin[a];
    for (Int32 k = 0; k <= i; ++k) {
      const Wide row = k < i ? star.rows[k] : star.rows[i] & (((Wide)1 << j) - 1);
      triangle += population((Word)row) + population((Word)(row >> 32));
    }
    return triangle;
  }
  // As MeshTrie's.
  ITEM_MEMBER Int32 facet_of(int dimension, Int32 top, int k) const {
    const Int32* t = tets + 4 * (Index)top;
    const int lacking = dimension - k;
    if (dimension == 2) return edge_of(t[lacking < 1], t[lacking < 2 ? 2 : 1]);
    return triangle_at(t[lacking < 1], t[lacking < 2 ? 2 : 1], t[lacking < 3 ? 3 : 2]);
  }
  ITEM_MEMBER void corners_of(int dimension, Int32 id, Int32* out) const {
    StarPlaces star;
    if (dimension == 1) {
      out[0] = interval_of(edge_begin, n_vertices, id);
      load_uppers_of(out[0], star.upper);
      out[1] = star.upper.vertex[id - edge_begin[out[0]]];
      return;
    }
    Int32 i, j;
    out[0] = find(id, star, i, j);
    out[1] = star.upper.vertex[i];
    out[2] = star.upper.vertex[j];
  }
};

// Out: numbers (V,) of edges and triangles whose lowest vertex is v; a hub has MOST_IN_MATRIX + 1 edges.
ITEM void count_at_star(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                        const Int32* star_tets, Int32* n_edges, Int32* n_triangles) {
  StarPlaces star;
  *n_triangles = 0;
  *n_edges = gather_uppers(v, tets, tet_begin, star_begin, star_tets, star.upper);
  if (*n_edges > MOST_IN_MATRIX) return;
  fill_matrix(v, tets, tet_begin, star_begin, star_tets, star.upper, star.rows);
  for (Int32 k = 0; k < star.upper.n; ++k)
    *n_triangles += population((Word)star.rows[k]) + population((Word)(star.rows[k] >> 32));
}
KERNEL(count_star_simplices, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                              const Int32* star_tets, Int32* n_edges, Int32* n_triangles),
       count_at_star((Int32)i, tets, tet_begin, star_begin, star_tets, n_edges + i, n_triangles + i))

KERNEL(find_star_corners, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin, const Int32* star_tets,
                           const Int32* edge_begin, const Int32* own_begin, Int32 n_vertices, Int32 dimension,
                           const Int32* ids, Int32* corners),
       StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
       trie.corners_of(dimension, ids[i], corners + (dimension + 1) * i))

// As pairs.h: the triangle that each edge is paired with. Facets ab, ac, bc of the triangles that a owns.
ITEM void pair_edges_at(const StarTrie& trie, Int32 a, const Byte* codes, Int32* up) {
  Int32 triangle = trie.own_begin[a];
  if (triangle == trie.own_begin[a + 1]) return;
  StarPlaces star;
  trie.load(a, star);
  for (Int32 i = 0; i < star.upper.n; ++i) {
    UpperList above;
    above.n = 0;
    for (Wide row = star.rows[i]; row; row &= row - 1, ++triangle) {
      const Int32 j = lowest_place(row);
      if (codes[triangle] > 2) continue;
      if (codes[triangle] < 2) {
        up[trie.edge_begin[a] + (codes[triangle] ? j : i)] = triangle;
        continue;
      }
      const Int32 b = star.upper.vertex[i];
      if (!above.n) gather_uppers(b, trie.tets, trie.tet_begin, trie.star_begin, trie.star_tets, above);
      up[trie.edge_begin[b] + n_uppers_below(above, star.upper.vertex[j])] = triangle;
    }
  }
}
KERNEL(pair_edges_by_stars, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                             const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin, Int32 n_vertices,
                             const Byte* codes, Int32* up),
       StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
       pair_edges_at(trie, (Int32)i, codes, up))

// The edge that each vertex is paired with, and its other end.
ITEM void pair_vertices_at(const StarTrie& trie, Int32 a, const Byte* codes, Int32* up, Int32* forest) {
  const Int32 first = trie.edge_begin[a];
  UpperList upper;
  upper.n = 0;
  for (Int32 e = first; e < trie.edge_begin[a + 1]; ++e) {
    if (codes[e] > 1) continue;
    if (!upper.n) trie.load_uppers_of(a, upper);
    const Int32 b = upper.vertex[e - first];
    up[codes[e] ? b : a] = e;
    forest[codes[e] ? b : a] = codes[e] ? a : b;
  }
}
KERNEL(pair_vertices_by_stars, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin,
                                Int32 n_vertices, const Byte* codes, Int32* up, Int32* forest),
       StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
       pair_vertices_at(trie, (Int32)i, codes, up, forest))
// The top simplex that each facet is paired with.
KERNEL(pair_facets_by_stars, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                              const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin, Int32 n_vertices,
                              Int32 dimension, const Byte* codes, Int32* up),
       if (codes[i] <= dimension) {
         StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
         up[trie.facet_of(dimension, (Int32)i, codes[i])] = (Int32)i;
       })
ROW_KERNEL(fill_star_ascents, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                               const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin,
                               Int32 n_vertices, Int32 dimension, const Byte* codes, const Int32* saddles,
                               const Int32* starts, const Int32* forest, const Index* offsets, Index* cells),
           StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
           fill_ascent(trie, dimension, codes, saddles, starts, i, forest, offsets, cells))

// === V-paths (paths.h), of meshes on the host
COARSE_KERNEL(mark_star_triangles_from_saddles, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                                 const Int32* star_tets, const Int32* edge_begin,
                                                 const Int32* own_begin, Int32 n_vertices, const Int32* up,
                                                 const Int32* saddles, Int32 max_steps, Word* marks, Index capacity,
                                                 Index* queue, Index* counters),
              StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
              mark_from_seed(MeshSteps<StarTrie>(trie, up, marks), saddles[i], max_steps, capacity, queue, counters))
COARSE_KERNEL(mark_star_triangles_from_queue, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                               const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin,
                                               Int32 n_vertices, const Int32* up, const Index* waiting,
                                               Int32 max_steps, Word* marks, Index capacity, Index* queue,
                                               Index* counters),
              StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
              mark_from_key(MeshSteps<StarTrie>(trie, up, marks), waiting[i], max_steps, capacity, queue, counters))
KERNEL(mark_star_triangles_again, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                   const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin,
                                   Int32 n_vertices, const Int32* up, Int32 max_steps, Word* marks, Index capacity,
                                   Index* queue, Index* counters),
       if (has_bit(marks, i)) {
         StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
         mark_from_key(MeshSteps<StarTrie>(trie, up, marks), i, max_steps, capacity, queue, counters);
       })
KERNEL(link_star_path_nodes, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                              const Int32* star_tets, const Int32* edge_begin, const Int32* own_begin, Int32 n_vertices,
                              const Int32* up, const Byte* edge_codes, const Word* marks, const Index* first_of_word,
                              const Int32* sinks, Int32 n_sinks, Int32 n_nodes, const Int32* triangles, Int32* below,
                              Int32* own_edge),
       StarTrie trie = {tets, tet_begin, star_begin, star_tets, edge_begin, own_begin, n_vertices};
       link_path_node(trie, up, edge_codes, marks, first_of_word, sinks, n_sinks, n_nodes, triangles[i], below + 3 * i,
                      own_edge + i))
