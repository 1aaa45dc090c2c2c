// Forests of a mesh's minima (over vertices) and maxima (over top simplices), and the arcs in them.
//
// Every vertex except minima is paired with an edge, whose other end is its parent. Every top simplex except
// maxima is paired with a facet; the simplex across it is its parent. If the facet has one side, the path
// leaves the mesh. Labels are set and propagated as in morse/forest.h.
#pragma once
#include "morse/forest.h"
#include "morse/regions.h"
#include "simplicial/lower_star.h"
#include "simplicial/trie.h"

// === the two sides of each facet
#if ON_GPU
ITEM void raise_to(Int32* held, Int32 value) { atomicMax(held, value); }
#else
ITEM void raise_to(Int32* held, Int32 value) {
  Int32 now = peek(held);
  while (value > now && !__atomic_compare_exchange_n(held, &now, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
#endif
// In: sides (n, 2) of the lowest int32. Out: the highest top simplex at each facet, and the complement of the
// lowest: maxima, which do not depend on the order.
ITEM void raise_sides(MeshTrie trie, int dimension, Int32 top, Int32* sides) {
  for (int k = 0; k <= dimension; ++k) {
    const Index facet = trie.facet_of(dimension, top, k);
    raise_to(sides + 2 * facet, top);
    raise_to(sides + 2 * facet + 1, ~top);
  }
}
KERNEL(raise_mesh_sides, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                          const Int32* triangle_edge, const Int32* triangle_begin, const Int32* triangle_third,
                          const Int32* tets, Int32 dimension, Int32* sides),
       raise_sides({edge_lower, edge_begin, edge_upper, triangle_edge, triangle_begin, triangle_third, tets}, dimension,
                   (Int32)i, sides))
// Converts to (least, other), NONE if there is no other.
ITEM void settle_sides(Int32* sides) {
  const Int32 high = sides[0], low = ~sides[1];
  sides[0] = low;
  sides[1] = high == low ? (Int32)NONE : high;
}
KERNEL(settle_mesh_sides, (Int32* sides), settle_sides(sides + 2 * i))

ITEM Int32 across(const Int32* sides, Int32 facet, Int32 top) {
  const Int32 one = sides[2 * (Index)facet];
  return one == top ? sides[2 * (Index)facet + 1] : one;
}

// === parents
ITEM Int32 other_end(const Int32* edge_lower, const Int32* edge_upper, Int32 edge, Int32 v) {
  return edge_lower[edge] == v ? edge_upper[edge] : edge_lower[edge];
}
KERNEL(link_mesh_vertices, (const Int32* up, const Int32* edge_lower, const Int32* edge_upper, Int32* forest),
       forest[i] = up[i] == NONE ? (Int32)NONE : other_end(edge_lower, edge_upper, up[i], (Int32)i))
ITEM Int32 parent_of_top(MeshTrie trie, int dimension, const Byte* codes, const Int32* sides, Int32 top) {
  return codes[top] > dimension ? (Int32)NONE : across(sides, trie.facet_of(dimension, top, codes[top]), top);
}
KERNEL(link_mesh_tops, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                        const Int32* triangle_edge, const Int32* triangle_begin, const Int32* triangle_third,
                        const Int32* tets, Int32 dimension, const Byte* codes, const Int32* sides, Int32* forest),
       forest[i] = parent_of_top({edge_lower, edge_begin, edge_upper, triangle_edge, triangle_begin, triangle_third, tets},
                                 dimension, codes, sides, (Int32)i))

// === a vertex gets the label of the incident top simplex that is highest in (owner, G order)
// Its two highest ranks decide first, then the others: two maxima of integers, which do not depend on the order.
struct RanksOfTop {
  Int32 vertex[4];
  Wide high, low;
};
ITEM RanksOfTop ranks_of_top(const Int32* tets, const Int32* rank, int dimension, Index top) {
  RanksOfTop found;
  Int32 sorted[4] = {NONE, NONE, NONE, NONE};
  for (int k = 0; k <= dimension; ++k) {
    found.vertex[k] = tets[4 * top + k];
    Int32 held = rank[found.vertex[k]];
    UNROLL for (int at = 0; at < 4; ++at)
      if (held > sorted[at]) {
        const Int32 lower = sorted[at];
        sorted[at] = held;
        held = lower;
      }
  }
  found.high = (Wide)sorted[0] << 32 | (Word)sorted[1];
  found.low = (Wide)sorted[2] << 32 | (Word)(sorted[3] + 1);
  return found;
}
ITEM void raise_high(const Int32* tets, const Int32* rank, int dimension, Index top, Wide* high) {
  const RanksOfTop of = ranks_of_top(tets, rank, dimension, top);
  for (int k = 0; k <= dimension; ++k)
    if (peek(high + of.vertex[k]) < of.high) max_into(high + of.vertex[k], of.high);
}
ITEM void raise_low(const Int32* tets, const Int32* rank, int dimension, Index top, const Wide* high, Wide* low) {
  const RanksOfTop of = ranks_of_top(tets, rank, dimension, top);
  for (int k = 0; k <= dimension; ++k)
    if (high[of.vertex[k]] == of.high) max_into(low + of.vertex[k], of.low);
}
// Labels lie in the user's order of points.
ITEM void label_vertices(const Int32* tets, const Int32* rank, int dimension, Index top, const Wide* high,
                         const Wide* low, const Int32* top_labels, const Int32* point_of, Int32* labels) {
  const RanksOfTop of = ranks_of_top(tets, rank, dimension, top);
  for (int k = 0; k <= dimension; ++k) {
    const Int32 v = of.vertex[k];
    if (high[v] == of.high && low[v] == of.low) labels[point_of[v]] = top_labels[top];
  }
}
KERNEL(raise_high_ranks, (const Int32* tets, const Int32* rank, Int32 dimension, Wide* high),
       raise_high(tets, rank, dimension, i, high))
KERNEL(raise_low_ranks, (const Int32* tets, const Int32* rank, Int32 dimension, const Wide* high, Wide* low),
       raise_low(tets, rank, dimension, i, high, low))
KERNEL(label_vertices_by_tops, (const Int32* tets, const Int32* rank, Int32 dimension, const Wide* high, const Wide* low,
                                const Int32* top_labels, const Int32* point_of, Int32* labels),
       label_vertices(tets, rank, dimension, i, high, low, top_labels, point_of, labels))

// === arcs: item 2 * saddle + side, from the first vertex or top simplex on that side, NONE if there is none
// Out: the number of vertices or top simplices on it, and the extremum, NONE if it leaves the mesh.
ITEM void measure_mesh_arc(Int32 start, const Int32* forest, const Byte* codes, Int32* length, Int32* end) {
  Int32 n = 0, last = NONE;
  for (Int32 at = start; at != NONE; at = forest[at]) last = at, ++n;
  *length = n;
  *end = last != NONE && codes[last] == CRITICAL_SIMPLEX ? last : (Int32)NONE;
}
ROW_KERNEL(measure_mesh_arcs, (const Int32* starts, const Int32* forest, const Byte* codes, Int32* length, Int32* end),
           measure_mesh_arc(starts[i], forest, codes, length + i, end + i))
// All cells of the polylines, alternately of the saddle's and the extremum's dimension; an arc that leaves the
// mesh ends with the facet through which it leaves.
ITEM void fill_descent(const Int32* saddles, const Int32* starts, Index i, const Int32* forest, const Int32* up,
                       const Index* offsets, Index* cells) {
  Index at = offsets[i];
  cells[at++] = saddles[i >> 1];
  for (Int32 v = starts[i]; v != NONE; v = forest[v]) {
    cells[at++] = v;
    if (up[v] != NONE) cells[at++] = up[v];
  }
}
ROW_KERNEL(fill_mesh_descents, (const Int32* saddles, const Int32* starts, const Int32* forest, const Int32* up,
                                const Index* offsets, Index* cells),
           fill_descent(saddles, starts, i, forest, up, offsets, cells))
template <class Trie>
ITEM void fill_ascent(const Trie& trie, int dimension, const Byte* codes, const Int32* saddles, const Int32* starts, Index i,
                      const Int32* forest, const Index* offsets, Index* cells) {
  Index at = offsets[i];
  cells[at++] = saddles[i >> 1];
  for (Int32 top = starts[i]; top != NONE; top = forest[top]) {
    cells[at++] = top;
    if (codes[top] <= dimension) cells[at++] = trie.facet_of(dimension, top, codes[top]);
  }
}
ROW_KERNEL(fill_mesh_ascents, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                               const Int32* triangle_edge, const Int32* triangle_begin, const Int32* triangle_third,
                               const Int32* tets, Int32 dimension, const Byte* codes, const Int32* saddles,
                               const Int32* starts, const Int32* forest, const Index* offsets, Index* cells),
           const MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, triangle_begin, triangle_third, tets};
           fill_ascent(trie, dimension, codes, saddles, starts, i, forest, offsets, cells))

// === arcs of canceled extrema, reversed: each cell is then paired with the next on the path. Paths are read
// from the raw forests and written to copies of the codes; they do not share cells (cubical/reversal.h).
// Arc 2 * saddle + side begins at starts[arc].
ITEM void reverse_descent(Int32 edge, int side, Int32 v, const Int32* forest, const Int32* up, Byte* vertex_codes,
                          Byte* edge_codes) {
  edge_codes[edge] = (Byte)side;
  for (; up[v] != NONE; v = forest[v]) edge_codes[up[v]] = v < forest[v];  // the number of the other end
  vertex_codes[v] = PAIRED_UP;
}
KERNEL(reverse_mesh_descents, (const Int32* starts, const Int32* forest, const Int32* up, const Int32* saddles,
                               const Int32* arcs, Byte* vertex_codes, Byte* edge_codes),
       reverse_descent(saddles[arcs[i] >> 1], arcs[i] & 1, starts[arcs[i]], forest, up, vertex_codes, edge_codes))
// The number of the facet that a top simplex has in common with another simplex.
ITEM Byte number_of_common_facet(int dimension, const Int32* row, const Int32* other, int n_other) {
  int lacking = 0;
  for (int k = 0; k <= dimension; ++k) {
    bool is_common = false;
    for (int j = 0; j < n_other; ++j) is_common |= row[k] == other[j];
    if (!is_common) lacking = k;
  }
  return (Byte)(dimension - lacking);
}
ITEM void reverse_ascent(const Int32* tets, int dimension, const Int32* forest, const Int32* corners, Int32 top,
                         Byte* top_codes) {
  const Int32* from = corners;
  for (int n_from = dimension; top != NONE; n_from = dimension + 1, top = forest[top]) {
    const Int32* row = tets + 4 * (Index)top;
    top_codes[top] = number_of_common_facet(dimension, row, from, n_from);
    from = row;
  }
}
// In: corners (c, dimension) of the saddles.
KERNEL(reverse_mesh_ascents, (const Int32* tets, Int32 dimension, const Int32* forest, const Int32* corners,
                              const Int32* starts, const Int32* saddles, const Int32* arcs, Byte* facet_codes,
                              Byte* top_codes),
       facet_codes[saddles[arcs[i] >> 1]] = PAIRED_UP;
       reverse_ascent(tets, dimension, forest, corners + dimension * (Index)(arcs[i] >> 1), starts[arcs[i]], top_codes))
