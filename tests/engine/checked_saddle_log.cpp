// The cancellation of saddle pairs of an image with windows of a chosen size, and with a check of
// the heights of morse/saddle_search.h and of all V-paths after each event.
#define cancel_grid_saddles cancel_unchecked
#include "cubical/grid_paths.h"
#undef cancel_grid_saddles
#include "common/crew.h"

static Windows windows;
static Index n_checks, n_failures;

class CheckedCells : public GridCells {
 public:
  CheckedCells(Grid grid, Word* words, const Word* keys, bool are_floats, bool tell_apart, bool checks)
      : GridCells(grid, words, keys, are_floats, tell_apart), checks(checks), n_cells(8 * (std::size_t)n_vertices(grid)) {
    for (Int32 v = 0; v < n_vertices(grid); ++v)
      for (int type : {3, 5, 6})
        if (exists(grid, {vertex_at(grid, v), type})) squares.push_back(8 * (Index)v + type);
  }
  // The first cells that are read after each event.
  Wide height(Index cell) const { return check(), GridCells::height(cell); }
  Index square_of(Index edge) const { return check(), GridCells::square_of(edge); }
  void pair(Index square, Index edge) {
    GridCells::pair(square, edge);
    has_changed = true;
  }
  void check() const {
    if (!checks || !has_changed) return;
    has_changed = false;
    ++n_checks;
    std::vector<Index> waits_for(n_cells, 0), ready;
    const auto for_steps = [&](Index from, auto visit) {
      if (!is_critical(from) && edge_of(from) == NONE) return;  // paired with a cube
      for_edges_of(from, [&](Index edge) {
        const Index to = GridCells::square_of(edge);
        const bool falls = GridCells::height(from) >= GridCells::height(to == NONE ? edge : to);
        n_failures += (to != NONE || is_critical(edge)) && !falls;
        if (to != NONE && to != from) visit(to);
      });
    };
    for (Index square : squares) for_steps(square, [&](Index to) { ++waits_for[to]; });
    for (Index square : squares)
      if (!waits_for[square]) ready.push_back(square);
    for (std::size_t k = 0; k < ready.size(); ++k)
      for_steps(ready[k], [&](Index to) {
        if (!--waits_for[to]) ready.push_back(to);
      });
    n_failures += ready.size() != squares.size();  // a closed V-path
  }

 private:
  const bool checks;
  const std::size_t n_cells;
  mutable bool has_changed = false;
  std::vector<Index> squares;
};

static Index cancel_checked(CheckedCells cells, SaddleIds ids, SaddlePairs pairs, Word* upper, Word* lower, bool joins_others,
                            int n_threads, Index* sizes) {
  const Index log = cancel_grid_saddles_in(cells, ids, pairs, upper, lower, joins_others, n_threads, sizes, windows);
  cells.check();
  return log;
}

HOST_TASK(cancel_grid_saddles, (Grid grid, Word* words, const Word* keys, Byte are_floats, Byte tell_apart, const Index* squares,
                                const Index* edges, Index n_pairs, Word* upper, Word* lower, const Real* persistence,
                                const Real* upper_value, const Real* lower_value, Byte joins_others, Int32 n_threads, Index* sizes),
          cancel_checked({grid, words, keys, are_floats != 0, tell_apart != 0, n_threads == 1}, {squares, edges},
                         {n_pairs, {}, {}, persistence, upper_value, lower_value}, upper, lower, joins_others != 0, n_threads,
                         sizes))

extern "C" EXPORT void choose_windows(Index least, Index most) { windows.least = least, windows.most = most; }
// Returns the number of checks since the last call, or -1 if one failed.
extern "C" EXPORT Index take_checks() {
  const Index n = n_failures ? NONE : n_checks;
  n_checks = n_failures = 0;
  return n;
}
