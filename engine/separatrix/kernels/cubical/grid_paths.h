// Cancellation of saddle pairs of a grid, and the replay of their log up to a level.
#pragma once
#include "cubical/grid_cells.h"
#include "cubical/reversal.h"
#include "morse/saddle_log.h"

#if !ON_GPU
static Index cancel_grid_saddles_in(GridCells cells, SaddlePairs pairs, bool joins_others, int n_threads, Index* sizes) {
  for (Index* column : {pairs.upper, pairs.lower})
    for (Index k = 0; k < pairs.n; ++k) column[k] = cells.of_id(column[k]);
  return saddle_log_of(cells, pairs, joins_others, n_threads, sizes);
}
#endif

// `upper` and `lower` are modified. Out: sizes (3,) of the log, which is the number returned: events,
// turned squares, tries.
HOST_TASK(cancel_grid_saddles, (Grid grid, Word* words, const Word* keys, Byte tell_apart, Index n_pairs, Index* upper,
                                Index* lower, const Real* persistence, const Real* upper_value,
                                const Real* lower_value, Byte joins_others, Int32 n_threads, Index* sizes),
          cancel_grid_saddles_in({grid, words, keys, tell_apart != 0}, {n_pairs, upper, lower, persistence, upper_value, lower_value},
                                 joins_others != 0, n_threads, sizes))

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
