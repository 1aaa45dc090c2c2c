// Cancellation of saddle pairs of a grid, and the replay of their log up to a level.
#pragma once
#include "cubical/grid_cells.h"
#include "cubical/reversal.h"
#include "morse/saddle_log.h"

#if !ON_GPU
// The ids of the k-th 2-saddle and of the k-th 1-saddle.
struct SaddleIds {
  const Index *upper, *lower;
};
template <class Cells>
Index cancel_grid_saddles_in(Cells&& cells, SaddleIds ids, SaddlePairs pairs, Word* upper, Word* lower, bool joins_others,
                             int n_threads, Index* sizes, Windows windows = {}) {
  const Index end = 64 * cells.n_places();
  const CellsInPlace squares(upper, pairs.n, end, [&](Word k) { return cells.of_id(ids.upper[k]); });
  const CellsInPlace edges(lower, pairs.n, end, [&](Word k) { return cells.of_id(ids.lower[k]); });
  pairs.upper = squares.cells();
  pairs.lower = edges.cells();
  return saddle_log_of(cells, pairs, joins_others, n_threads, sizes, windows);
}
#endif

// Pairs consist of the upper[k]-th 2-saddle and the lower[k]-th 1-saddle, which are overwritten. Out: sizes (3,) of the
// log, which is the number returned: events, turned squares, tries.
HOST_TASK(cancel_grid_saddles, (Grid grid, Word* words, const Word* keys, Byte are_floats, Byte tell_apart, const Index* squares,
                                const Index* edges, Index n_pairs, Word* upper, Word* lower, const Real* persistence,
                                const Real* upper_value, const Real* lower_value, Byte joins_others, Int32 n_threads, Index* sizes),
          cancel_grid_saddles_in(GridCells(grid, words, keys, are_floats != 0, tell_apart != 0), {squares, edges},
                                 {n_pairs, {}, {}, persistence, upper_value, lower_value}, upper, lower, joins_others != 0,
                                 n_threads, sizes))

// Pairs the square of an entry with its edge. Nibbles change by exclusive or, because words are
// shared.
ITEM void turn_as_logged(Grid grid, const Word* raw, Wide entry, Word* words) {
  const Cell square = square_of_log(grid, logged_cell(entry));
  const int to = direction_of_log(square.type, logged_code(entry));
  turn(grid, raw, square, to, words);
  turn(grid, raw, stepped(grid, square, axis_of(to), sign_of(to)), opposite(to), words);
}
KERNEL(replay_turns, (Grid grid, const Word* raw, const Wide* entries, Index n, Word event, Word* words),
       if (is_last_logged(entries, n, event, i)) turn_as_logged(grid, raw, entries[i], words))
