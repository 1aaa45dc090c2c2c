// Edges that a simplex of the alpha complex can have: pairs of balls that are not too large and not dead.
//
// Edge (i, j) is dead if some q strictly violates it and triangle (i, j, q) is degenerate or larger than
// alpha: the line where i, j and q tie then misses the disc of points within alpha on the radical plane of
// i and j, so that q is nearer to all of it, and the center of every simplex of the complex with edge (i, j)
// lies in that disc. A violator meets both balls, so the rows of i and j give the same result.
//
// In: rows of N (spatial/neighbors.h). Out: rows of edges both ways, `to` ascending in each, in the order of i.
#pragma once
#include "alpha/ball_neighbors.h"

enum { IS_EDGE = 1, IS_GABRIEL_EDGE = 2 };
enum { DROP_DEAD_EDGES = 1, DROP_LARGE = 2 };  // optimizations

// A row of spokes from ball i.
struct Row {
  Int32 i;
  Index begin, end;
  const Int32* items;
  const Int32* spokes;

  ITEM_MEMBER Spoke operator[](Index slot) const { return spoke_at(spokes, slot, items[slot]); }
};

ITEM Byte tested_edge(const Row& row, Index slot, Int32 squared, Int32 optimizations, const Signs& signs) {
  const Edge edge = edge_along(row[slot]);
  if (edge.g11 == 0) return 0;  // balls with equal centers
  bool is_gabriel = !is_edge_too_large(edge, squared, signs);
  if (!is_gabriel && (optimizations & DROP_LARGE)) return 0;
  for (Index k = row.begin; k < row.end; ++k) {
    if (k == slot) continue;
    const Spoke q = row[k];
    int side = side_of_edge(edge, q, signs);
    if (side > 0) continue;
    if (side < 0 && (optimizations & DROP_DEAD_EDGES)) {
      const Triangle t = triangle_of(edge.a, q);
      if (is_degenerate(t) || is_too_large(t, squared, signs)) return 0;
    }
    is_gabriel = is_gabriel && side == 0 && !violates_tied_edge(row.i, edge, q);
  }
  return IS_EDGE | (is_gabriel ? IS_GABRIEL_EDGE : 0);
}
// A pair is tested in the row of its lower end, and the result is stored in both rows.
ITEM void test_edge(Index slot, const Int32* balls, const Index* rows, const Int32* row_of, const Int32* neighbor,
                    const Int32* spokes, Int32 optimizations, SignErrors errors, Byte* flags, Index* n_edges_of,
                    Index* summary) {
  Int32 i = row_of[slot], j = neighbor[slot];
  if (j < i) return;
  Signs signs = {errors, counter_of(summary, N_EXACT_EDGE_SIGNS, slot)};
  Byte tested = tested_edge({i, rows[i], rows[i + 1], neighbor, spokes}, slot, ball_at(balls, i).squared,
                            optimizations, signs);
  Index mirror = rows[j];
  while (neighbor[mirror] != i) ++mirror;
  flags[slot] = flags[mirror] = tested;
  if (tested) {
    add_to(n_edges_of + i, 1);
    add_to(n_edges_of + j, 1);
  }
}
KERNEL(test_edges, (const Int32* balls, const Index* rows, const Int32* row_of, const Int32* neighbor,
                    const Int32* spokes, Int32 optimizations, SignErrors errors, Byte* flags, Index* n_edges_of,
                    Index* summary),
       test_edge(i, balls, rows, row_of, neighbor, spokes, optimizations, errors, flags, n_edges_of, summary))

// Sizes of edges are order images (common/order.h), all ones while nothing puts the edge into the complex.
constexpr Wide NO_SIZE = ~0ull;

ITEM void list_edge(Index slot, const Index* rows, const Int32* row_of, const Int32* neighbor, const Int32* spokes,
                    const Byte* flags, const Index* edge_rows, Int32* edge_row_of, Int32* edge_to, Int32* edge_spokes,
                    Byte* is_gabriel_edge, Wide* edge_size, Byte* has_coface, Byte* is_open) {
  if (!flags[slot]) return;
  Int32 i = row_of[slot], j = neighbor[slot];
  Index to = edge_rows[i];
  for (Index k = rows[i]; k < rows[i + 1]; ++k) to += flags[k] && neighbor[k] < j;
  edge_row_of[to] = i;
  edge_to[to] = j;
  put_spoke(spoke_at(spokes, slot, j), edge_spokes, to);
  is_gabriel_edge[to] = (flags[slot] & IS_GABRIEL_EDGE) != 0;
  edge_size[to] = NO_SIZE;
  has_coface[to] = is_open[to] = 0;
}
KERNEL(list_edges, (const Index* rows, const Int32* row_of, const Int32* neighbor, const Int32* spokes,
                    const Byte* flags, const Index* edge_rows, Int32* edge_row_of, Int32* edge_to, Int32* edge_spokes,
                    Byte* is_gabriel_edge, Wide* edge_size, Byte* has_coface, Byte* is_open),
       list_edge(i, rows, row_of, neighbor, spokes, flags, edge_rows, edge_row_of, edge_to, edge_spokes,
                 is_gabriel_edge, edge_size, has_coface, is_open))
