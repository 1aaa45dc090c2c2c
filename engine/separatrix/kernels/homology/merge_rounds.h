// Merges of pieces in parallel rounds, with the result of merge_tree.h.
//
// In each round, a set of pieces whose first edge to another set leads to an older one ends there: no
// earlier edge changes its oldest piece, and the other set can only become older. A set is named by its
// oldest piece; edges within a set are dropped. As in Boruvka's algorithm, the first remaining edge merges two
// sets in every round.
//
// In: order (k,) of the edges; alive (a,), places in the order, ascending; ends (2 m,), pieces or NONE, which
// is older than all; age (n,), lower is older. parent (n + 1,) leads each piece to its set, OUTSIDE is n.
#pragma once
#include "common/types.h"

enum { NO_EDGE = 0x7fffffff };

ITEM void lower_to(Int32* slot, Int32 value) {
  Int32 now = peek(slot);
  while (value < now && !replace_if(slot, now, value)) now = peek(slot);
}

// The sets at both ends of the edges that are alive, and the first of these edges of each set.
ITEM void find_first_edge(Index i, const Int32* order, const Int32* alive, const Int32* ends, const Int32* parent,
                          Int32 n, Int32* sets, Byte* is_between, Int32* first_edge) {
  const Index edge = order[alive[i]];
  for (int end = 0; end < 2; ++end) {
    const Int32 piece = ends[2 * edge + end];
    sets[2 * i + end] = parent[piece == NONE ? n : piece];
  }
  is_between[i] = sets[2 * i] != sets[2 * i + 1];
  for (int end = 0; end < 2; ++end)
    if (is_between[i]) lower_to(first_edge + sets[2 * i + end], (Int32)i);
}
KERNEL(find_first_edges, (const Int32* order, const Int32* alive, const Int32* ends, const Int32* parent, Int32 n,
                          Int32* sets, Byte* is_between, Int32* first_edge),
       find_first_edge(i, order, alive, ends, parent, n, sets, is_between, first_edge))

ITEM void end_set(Int32 set, const Int32* order, const Int32* alive, const Int32* age, Int32 n, const Int32* sets,
                  Int32* first_edge, Int32* parent, Int32* victim, Byte* side) {
  const Index at = first_edge[set];
  if (at == NO_EDGE) return;
  first_edge[set] = NO_EDGE;
  const Byte end = sets[2 * at] == set ? 0 : 1;
  const Int32 other = sets[2 * at + 1 - end];
  if (set == n || (other != n && age[set] < age[other])) return;
  parent[set] = other;
  victim[order[alive[at]]] = set;
  side[order[alive[at]]] = end;
}
KERNEL(end_sets, (const Int32* order, const Int32* alive, const Int32* age, Int32 n, const Int32* sets, Int32* first_edge,
                  Int32* parent, Int32* victim, Byte* side),
       end_set((Int32)i, order, alive, age, n, sets, first_edge, parent, victim, side))

// Each set leads to an older one, so there are no cycles.
ITEM void lead_to_set(Int32 piece, Int32* parent) {
  Int32 end = peek(parent + piece);
  for (Int32 next = peek(parent + end); next != end; next = peek(parent + end)) end = next;
  poke(parent + piece, end);
}
KERNEL(lead_to_sets, (Int32* parent), lead_to_set((Int32)i, parent))

// For each piece that ends at an edge, this edge and the piece at its other end, or `outside`.
ITEM void lead_beyond_edge(Index edge, const Int32* ends, const Int32* victim, const Byte* side, Int32 outside,
                           Int32* parent, Int32* edge_of) {
  const Int32 piece = victim[edge];
  if (piece == NONE) return;
  const Int32 far = ends[2 * edge + 1 - side[edge]];
  parent[piece] = far == NONE ? outside : far;
  edge_of[piece] = (Int32)edge;
}
KERNEL(lead_beyond_edges, (const Int32* ends, const Int32* victim, const Byte* side, Int32 outside, Int32* parent,
                           Int32* edge_of),
       lead_beyond_edge(i, ends, victim, side, outside, parent, edge_of))
