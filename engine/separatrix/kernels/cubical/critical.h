// Critical cells, read from the packed gradient: counted per run of words, then listed in order.
//
// The list is by dimension, then by anchor, then by type; counts are laid out dimension first, so
// that their exclusive scan gives every run its place in the list.
#pragma once
#include "cubical/grid.h"

enum { CRITICAL_RUN = 64 };

// Nibbles equal to CRITICAL (all three bits set), one bit each; and those of one dimension.
ITEM Word critical_nibbles(Word word) { return word & word >> 1 & word >> 2 & 0x11111111u; }
ITEM Word nibbles_of_dimension(int dimension) {
  return dimension == 0 ? 0x00000001u : dimension == 1 ? 0x00010110u : dimension == 2 ? 0x01101000u : 0x10000000u;
}

// Out: count (4, n_runs).
ITEM void count_critical_in(Index n, const Word* words, Index n_runs, Index run, Int32* count) {
  Int32 found[4] = {0, 0, 0, 0};
  Index end = (run + 1) * CRITICAL_RUN < n ? (run + 1) * CRITICAL_RUN : n;
  for (Index v = run * CRITICAL_RUN; v < end; ++v)
    if (Word critical = critical_nibbles(words[v]))
      UNROLL for (int d = 0; d < 4; ++d) found[d] += population(critical & nibbles_of_dimension(d));
  UNROLL for (int d = 0; d < 4; ++d) count[d * n_runs + run] = found[d];
}
// In: place (4, n_runs), the exclusive scan of the counts. Out: cell ids.
ITEM void list_critical_in(Grid grid, const Word* words, Index n_runs, const Index* place, Index run, Index* cells) {
  Index n = n_vertices(grid);
  Index at[4] = {place[run], place[n_runs + run], place[2 * n_runs + run], place[3 * n_runs + run]};
  Index end = (run + 1) * CRITICAL_RUN < n ? (run + 1) * CRITICAL_RUN : n;
  for (Index v = run * CRITICAL_RUN; v < end; ++v)
    if (Word critical = critical_nibbles(words[v])) {
      Vertex anchor = vertex_at(grid, (Int32)v);
      UNROLL for (int d = 0; d < 4; ++d)
        for (Word rest = critical & nibbles_of_dimension(d); rest; rest &= rest - 1)
          cells[at[d]++] = cell_id(grid, anchor, lowest_bit(rest) >> 2);
    }
}

KERNEL(count_critical, (Index n, const Word* words, Index n_runs, Int32* count),
       count_critical_in(n, words, n_runs, i, count))
KERNEL(list_critical, (Grid grid, const Word* words, Index n_runs, const Index* place, Index* cells),
       list_critical_in(grid, words, n_runs, place, i, cells))
