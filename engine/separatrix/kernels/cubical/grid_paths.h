// Squares and edges of a grid as morse/saddle_paths.h searches them, and the log of its reversals.
#pragma once
#include "cubical/surfaces.h"
#include "morse/saddle_paths.h"

#if !ON_GPU
struct GridCells {
  Grid grid;
  Word* words;

  Index id_of(Cell cell) const { return cell_id(grid, cell.anchor, cell.type); }
  int direction(Cell cell) const { return direction_of(words[vertex_id(grid, cell.anchor)], cell.type); }
  Byte direction(Index id) const { return (Byte)direction(cell_at(grid, id)); }
  Index partner(Index id) const {
    Cell cell = cell_at(grid, id);
    int to = direction(cell);
    return id_of(stepped(grid, cell, axis_of(to), sign_of(to)));
  }
  Index square_of(Index edge) const { return partner(edge); }
  Index edge_of(Index square) const { return partner(square); }
  bool leads_to_square(Cell edge) const {
    const int to = direction(edge);
    return to != CRITICAL && to != NO_CELL && !(edge.type >> axis_of(to) & 1);
  }
  bool has_edge(Index square) const {
    Cell cell = cell_at(grid, square);
    int to = direction(cell);
    return to != CRITICAL && to != NO_CELL && (cell.type >> axis_of(to) & 1);
  }
  template <class Visit> void for_neighbors(Index id, int odd, Visit visit) const {
    Cell cell = cell_at(grid, id);
    for (int axis = 0; axis < 3; ++axis)
      if ((cell.type >> axis & 1) == odd)
        for (int sign = -1; sign <= 1; sign += 2) {
          Cell other = stepped(grid, cell, axis, sign);
          if (exists(grid, other)) visit(other);
        }
  }
  template <class Visit> void for_edges_of(Index square, Visit visit) const { for_neighbors(square, 1, visit); }
  template <class Visit> void for_squares_at(Index edge, Visit visit) const {
    for_neighbors(edge, 0, [&](Cell square) { visit(id_of(square)); });
  }
  void pair(Index square, Index edge) {
    set_direction(square, edge);
    set_direction(edge, square);
  }
  void set_direction(Index from, Index to) {
    Cell cell = cell_at(grid, from);
    int code = PLUS_X;
    for (; code < MINUS_Z; ++code) {
      Cell beside = stepped(grid, cell, axis_of(code), sign_of(code));
      if (exists(grid, beside) && id_of(beside) == to) break;
    }
    Word* word = words + vertex_id(grid, cell.anchor);
    *word = (*word & ~((Word)7 << 4 * cell.type)) | (Word)code << 4 * cell.type;
  }
};

// Reverses the paths of pairs `begin` to `end` in `words` as far as the log has room for them. Out: which
// cell turns where, and where[k + 1], the turns after pair begin + k. Returns the number of pairs done.
static Index reverse_saddle_paths_in(Grid grid, Word* words, const Index* uppers, const Index* lowers, Index begin,
                                     Index end, Index capacity, Index* cells, Byte* directions, Index* where) {
  SaddlePath<GridCells> path({grid, words});
  where[0] = 0;
  for (Index k = begin; k < end; ++k) {
    check_cancelled();
    if (!path.find(uppers[k], lowers[k])) return NO_SUCH_PATH;
    Index used = where[k - begin], n_turns = 2 * path.n_squares();
    if (used + n_turns > capacity) return k - begin;
    path.reverse(lowers[k]);
    for (Index at = 0; at < n_turns; ++at) {  // the square towards its edge, the edge towards the square
      cells[used + at] = at & 1 ? path.edge(at / 2) : path.square(at / 2);
      directions[used + at] = path.pairing().direction(cells[used + at]);
    }
    where[k - begin + 1] = used + n_turns;
  }
  return end - begin;
}
#endif

HOST_TASK(reverse_saddle_paths, (Grid grid, Word* words, const Index* uppers, const Index* lowers, Index begin, Index end,
                                 Index capacity, Index* cells, Byte* directions, Index* where),
          reverse_saddle_paths_in(grid, words, uppers, lowers, begin, end, capacity, cells, directions, where))

