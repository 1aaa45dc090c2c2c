// Plateaus of a field on a mesh: as those of an image (cubical/plateau.h), joined along edges.
//
// Points are the user's. Neighbors of the same value are listed once, as `begin` (n + 1,) and
// `level` (m,): level_neighbors.h. Distances are found breadth first, from all sources at once, one launch per step.
// Each distance is a minimum over paths, so the order of threads does not matter.
#pragma once
#include "common/concurrent_sets.h"
#include "morse/plateau.h"

// === one step
// The points `frontier` (n,) are `steps` from their sources; unvisited neighbors are one step further.
ITEM void spread_from(const Index* begin, const Int32* level, Int32 v, Int32 steps, Int32* reach, Int32* next,
                      Index* n_next) {
  for (Index k = begin[v]; k < begin[v + 1]; ++k) {
    const Int32 w = level[k];
    if (peek(reach + w) == FAR && replace_if(reach + w, FAR, steps + 1)) next[next_place(n_next)] = w;
  }
}
KERNEL(spread_steps, (const Int32* frontier, const Index* begin, const Int32* level, Int32 steps, Int32* reach,
                      Int32* next, Index* n_next),
       spread_from(begin, level, frontier[i], steps, reach, next, n_next))

// === flat minima
// In: low after all sources with a lower neighbor. Points of a plateau without a source become one set.
ITEM void join_flat_point(const Index* begin, const Int32* level, const Int32* low, Int32 v, Int32* parent) {
  if (low[v] != FAR) return;
  for (Index k = begin[v]; k < begin[v + 1]; ++k) {
    if (level[k] < v) join_sets(parent, v, level[k]);
  }
}
KERNEL(join_flat_points, (const Index* begin, const Int32* level, const Int32* low, Int32* parent),
       join_flat_point(begin, level, low, (Int32)i, parent))
