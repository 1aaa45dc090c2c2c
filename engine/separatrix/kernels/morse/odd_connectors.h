// Connectors with an odd number of V-paths between saddles that are not paired with extrema.
#pragma once
#include "common/types.h"

// In: connectors by 2-saddle, offsets (c2 + 1,), 1-saddles and numbers of paths (m,); the extrema paired with each
// 1-saddle and each 2-saddle, or NONE.
struct OddConnectors {
  const Index* offsets;
  const Int32* lower;
  const Wide* n_paths;
  const Int32* minimum_of;
  const Int32* maximum_of;

  // Writes the 1-saddles of a row, unless `kept` is null, and returns their number.
  ITEM_MEMBER Int32 keep(Index row, Int32* kept) const {
    Int32 n = 0;
    if (maximum_of[row] != NONE) return n;
    for (Index i = offsets[row]; i < offsets[row + 1]; ++i) {
      if (!(n_paths[i] & 1) || minimum_of[lower[i]] != NONE) continue;
      if (kept) kept[n] = lower[i];
      ++n;
    }
    return n;
  }
};
KERNEL(count_odd_connectors, (const Index* offsets, const Int32* lower, const Wide* n_paths, const Int32* minimum_of,
                              const Int32* maximum_of, Int32* count),
       count[i] = OddConnectors{offsets, lower, n_paths, minimum_of, maximum_of}.keep(i, nullptr))
KERNEL(list_odd_connectors, (const Index* offsets, const Int32* lower, const Wide* n_paths, const Int32* minimum_of,
                             const Int32* maximum_of, const Index* kept_offsets, Int32* kept),
       OddConnectors{offsets, lower, n_paths, minimum_of, maximum_of}.keep(i, kept + kept_offsets[i]))
