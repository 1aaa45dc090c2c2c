// Squares and edges of a grid for morse/saddle_search.h, and the replay of the log up to a level.
//
// A cell is 8 * its anchor + its type. Without periods each step is an addition, and boundaries
// need no checks, because the nibble of a missing cell is 0. The fourth bit of a nibble means that
// the height of the cell has changed.
#pragma once
#include "cubical/reversal.h"
#include "morse/saddle_log.h"

#if !ON_GPU
  #include <atomic>

// Numbers of cells, in 8 bytes each, by open addressing. Cells of one place begin in one cache line.
class ChangedHeights {
 public:
  ChangedHeights() : entries(64, NO_ENTRY) {}
  // Of a cell that is there.
  Word at(Word cell) const { return (Word)entries[place_of(cell)]; }
  void set(Word cell, Word number) {
    const std::size_t at = place_of(cell);
    const bool is_new = entries[at] == NO_ENTRY;
    entries[at] = (Wide)cell << 32 | number;
    if (is_new && 4 * ++n > 3 * entries.size()) grow();
  }

 private:
  static constexpr Wide NO_ENTRY = ~(Wide)0;
  std::vector<Wide> entries;
  std::size_t n = 0;

  std::size_t place_of(Word cell) const {
    const std::size_t mask = entries.size() - 1;
    std::size_t at = (std::size_t)(((cell >> 6) * 0x9e3779b97f4a7c15ull >> 32 << 3) + (cell >> 3 & 7)) & mask;
    while (entries[at] != NO_ENTRY && entries[at] >> 32 != cell) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Wide> old(2 * entries.size(), NO_ENTRY);
    old.swap(entries);
    for (const Wide entry : old)
      if (entry != NO_ENTRY) entries[place_of((Word)(entry >> 32))] = entry;
  }
};

class Locked {
 public:
  explicit Locked(std::atomic_flag& flag) : flag(flag) {
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Locked() { flag.clear(std::memory_order_release); }

 private:
  std::atomic_flag& flag;
};

class GridCells {
 public:
  // `keys` do not decrease as values increase. Vertices with equal keys compare by their ids if
  // `tell_apart`, which requires that different values have different keys. `words` (n,) are
  // modified.
  GridCells(Grid grid, Word* words, const Word* keys, bool tell_apart)
      : grid(grid), words(words), keys(keys), ids(tell_apart ? 0xffffffffu : 0), end(8 * (Index)n_vertices(grid)),
        has_periods(::has_periods(grid)), stride_y(vertex_stride(grid, 1)), stride_z(vertex_stride(grid, 2)), heights(64) {
    for (Index k = 0; k < end / 8; ++k) words[k] &= 0x77777777u;
    for (int type = 0; type < 8; ++type)
      for (int to = PLUS_X; to <= MINUS_Z; ++to) {
        const int axis = axis_of(to), odd = type >> axis & 1, shift = odd ? to % 2 : -(to % 2 == 0);
        step[type][to] = (odd ? -(1 << axis) : 1 << axis) + 8 * (Index)shift * vertex_stride(grid, axis);
      }
  }
  // Of a cell id of the doubled grid.
  Index of_id(Index id) const {
    const Cell cell = cell_at(grid, id);
    return 8 * (Index)vertex_id(grid, cell.anchor) + cell.type;
  }
  Index square_of(Index edge) const { return partner(edge, 0); }
  Index edge_of(Index square) const { return partner(square, 1); }
  bool is_critical(Index cell) const { return code(cell) == CRITICAL; }
  template <class Visit> void for_edges_of(Index square, Visit visit) const {
    for (int axis = 0; axis < 3; ++axis)
      if (square >> axis & 1) {
        visit(beside(square, MINUS_X + 2 * axis));
        visit(beside(square, PLUS_X + 2 * axis));
      }
  }
  template <class Visit> void for_squares_at(Index edge, Visit visit) const {
    for (int axis = 0; axis < 3; ++axis)
      if (!(edge >> axis & 1))
        for (int to = MINUS_X + 2 * axis; to >= PLUS_X + 2 * axis; --to) {
          const Index square = beside(edge, to);
          if (square >= 0 && square < end && code(square) != NO_CELL) visit(square);
        }
  }
  Wide height(Index cell) const {
    if (!(word(cell) >> (4 * (cell & 7) + 3) & 1)) return own_height(cell);
    const Word number = heights[cell >> 6 & 63].changed.at(in_shard(cell));
    return ids ? height_of(number) : (Wide)number << 32;
  }
  void set_height(Index cell, Wide height) {
    Shard& shard = heights[cell >> 6 & 63];
    const Locked locked(shard.lock);
    shard.changed.set(in_shard(cell), (Word)(ids ? height : height >> 32));
    __atomic_fetch_or(words + (cell >> 3), (Word)8 << 4 * (cell & 7), __ATOMIC_RELAXED);
  }
  void pair(Index square, Index edge) {
    set_code(square, direction(square, edge));
    set_code(edge, direction(edge, square));
  }
  Index log_cell(Index square) const { return square >> 3 << 2 | (square & 7) >> 1; }
  int log_code(Index square, Index edge) const { return direction(square, edge); }
  Int32 place(Index cell) const { return (Int32)(cell >> 6); }  // of the cells of eight vertices
  Index n_places() const { return (end >> 6) + 1; }
  // Forced inline, because GCC removes calls of a function that does nothing else.
  ITEM_MEMBER void prefetch(Index cell) const {
    for (const Index row : {(Index)0, stride_y, -stride_y, stride_z, -stride_z}) __builtin_prefetch(words + (cell >> 3) + row);
  }
  ITEM_MEMBER void prefetch_heights(Index cell) const {
    for (const Index row : {(Index)0, stride_y, -stride_y, stride_z, -stride_z, stride_y + stride_z})
      __builtin_prefetch(keys + (cell >> 3) + row);
  }

 private:
  const Grid grid;
  Word* const words;
  const Word* const keys;
  const Word ids;  // mask of the bits of ids that are compared
  const Index end;
  const bool has_periods;
  const Index stride_y, stride_z;
  Index step[8][8];  // by type and direction
  // Changed heights, distributed by the last bits of the place to reduce contention between threads.
  struct Shard {
    std::atomic_flag lock = ATOMIC_FLAG_INIT;
    ChangedHeights changed;  // the vertices of these heights, or their keys if these alone are compared
  };
  static Word in_shard(Index cell) { return (Word)(cell >> 12 << 6 | (cell & 63)); }
  std::vector<Shard> heights;

  Word word(Index cell) const { return __atomic_load_n(words + (cell >> 3), __ATOMIC_RELAXED); }
  int code(Index cell) const { return (int)(word(cell) >> 4 * (cell & 7) & 7); }
  // Threads change different cells, but these may share a word.
  void set_code(Index cell, int to) {
    __atomic_fetch_xor(words + (cell >> 3), (Word)(code(cell) ^ to) << 4 * (cell & 7), __ATOMIC_RELAXED);
  }
  // The partner of a cell; NONE unless the bit of the cell's type for the axis of its arrow is
  // `odd`.
  Index partner(Index cell, int odd) const {
    const int to = code(cell);
    if (to == CRITICAL || (int)(cell >> axis_of(to) & 1) != odd) return NONE;
    return beside(cell, to);
  }
  Index beside(Index cell, int to) const {
    if (!has_periods) return cell + step[cell & 7][to];
    const Cell there = stepped(grid, {vertex_at(grid, (Int32)(cell >> 3)), (int)(cell & 7)}, axis_of(to), sign_of(to));
    return exists(grid, there) ? 8 * (Index)vertex_id(grid, there.anchor) + there.type : NONE;
  }
  int direction(Index from, Index to_cell) const {
    for (int to = PLUS_X; to < MINUS_Z; ++to)
      if (beside(from, to) == to_cell) return to;
    return MINUS_Z;
  }
  Wide height_of(Index vertex) const { return (Wide)keys[vertex] << 32 | ((Word)vertex & ids); }
  // The key of the highest vertex, then its id.
  Wide own_height(Index cell) const {
    Wide highest = 0;
    const Cell at = {has_periods ? vertex_at(grid, (Int32)(cell >> 3)) : Vertex{0, 0, 0}, (int)(cell & 7)};
    for (int corner = at.type; corner >= 0; corner = corner ? (corner - 1) & at.type : NONE) {
      Index v = cell >> 3;
      if (has_periods) v = corner_of(grid, at, corner);
      else
        for (int axis = 0; axis < 3; ++axis)
          if (corner >> axis & 1) v += vertex_stride(grid, axis);
      highest = std::max(highest, height_of(v));
    }
    return highest;
  }
};

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
  const Index cell = logged_cell(entry);
  const int k = (int)(cell & 3), to = logged_code(entry);
  const Cell square = {vertex_at(grid, (Int32)(cell >> 2)), 2 * k + (k < 3)};
  turn(grid, raw, square, to, words);
  turn(grid, raw, stepped(grid, square, axis_of(to), sign_of(to)), opposite(to), words);
}
KERNEL(replay_turns, (Grid grid, const Word* raw, const Wide* entries, Index n, Word event, Word* words),
       if (is_last_logged(entries, n, event, i)) turn_as_logged(grid, raw, entries[i], words))
