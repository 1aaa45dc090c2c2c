// Squares and edges of a grid for morse/saddle_search.h, and the replay of the log up to a level.
//
// A cell is 8 * its anchor + its type. Without periods each step is an addition, and boundaries
// need no checks, because the nibble of a missing cell is 0. The fourth bit of a nibble means that
// the height of the cell has changed.
#pragma once
#include "cubical/reversal.h"
#include "morse/saddle_log.h"

// A square and the direction from it to one of its edges, as the log stores them.
#ifdef LARGE_IMAGES
ITEM Index logged_square(Index anchor, int type) { return 3 * anchor + axis_of_type(type); }
ITEM Cell square_of_log(Grid grid, Index cell) { return {vertex_at(grid, cell / 3), type_of_axis((int)(cell % 3), 2)}; }
ITEM int logged_direction(int type, int to) { return 2 * (axis_of(to) > lowest_bit((Word)type)) + (sign_of(to) < 0); }
ITEM int direction_of_log(int type, int code) {
  const Word axes = (Word)type & (code & 2 ? (Word)type - 1 : 7u);  // without the lowest one
  return PLUS_X + 2 * lowest_bit(axes) + (code & 1);
}
#else
ITEM Index logged_square(Index anchor, int type) { return anchor << 2 | type >> 1; }
ITEM Cell square_of_log(Grid grid, Index cell) {
  const int k = (int)(cell & 3);
  return {vertex_at(grid, (Int32)(cell >> 2)), 2 * k + (k < 3)};
}
ITEM int logged_direction(int, int to) { return to; }
ITEM int direction_of_log(int, int code) { return code; }
#endif

#if !ON_GPU
  #include <atomic>

// A number of each cell whose height has changed, packed by place in the order of the cells. The rank
// of a cell among the changed ones of its place is known from the words, so no cells are stored.
class ChangedHeights {
 public:
  explicit ChangedHeights(Index n_places) : first((std::size_t)n_places, 0), numbers(1, 0) {}
  Word at(Index place, int rank) const { return numbers[first[(std::size_t)place] + (Word)rank]; }
  void set(Index place, int rank, Word number) { numbers[first[(std::size_t)place] + (Word)rank] = number; }
  // Adds a number at a rank to the `n` of a place.
  void insert(Index place, int n, int rank, Word number) {
    Word& begin = first[(std::size_t)place];
    if (room_for(n + 1) > room_for(n)) {
      const Word from = begin;
      begin = take(room_for(n + 1));
      std::copy_n(numbers.begin() + from, n, numbers.begin() + begin);
      if (n) free[room_for(n)].push_back(from);
    }
    const auto there = numbers.begin() + begin + rank;
    std::copy_backward(there, there + (n - rank), there + (n - rank) + 1);
    *there = number;
  }

 private:
  std::vector<Word> first;     // by place; of no meaning if it has no numbers
  std::vector<Word> numbers;
  std::vector<Word> free[65];  // runs that were left, by length

  static int room_for(int n) { return n <= 4 ? n : n <= 16 ? (n + 3) & ~3 : (n + 15) & ~15; }
  Word take(int length) {
    if (!free[length].empty()) {
      const Word begin = free[length].back();
      free[length].pop_back();
      return begin;
    }
    const std::size_t begin = numbers.size();
    // By a quarter, to save memory.
    if (begin + length > numbers.capacity()) numbers.reserve(begin + begin / 4 + 64);
    numbers.resize(begin + length);
    return (Word)begin;
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

namespace {  // because large images have others
class GridCells {
 public:
  // `keys` do not decrease as values increase. Vertices with equal keys compare by their ids if
  // `tell_apart`, which requires that different values have different keys. `words` (n,) are
  // modified.
  GridCells(Grid grid, Word* words, const Word* keys, bool tell_apart)
      : grid(grid), words(words), keys(keys), ids(tell_apart ? 0xffffffffu : 0), end(8 * (Index)n_vertices(grid)),
        has_periods(::has_periods(grid)), stride_y(vertex_stride(grid, 1)), stride_z(vertex_stride(grid, 2)) {
    for (int k = 0; k < 64; ++k) heights.emplace_back((n_places() >> 6) + 1);
    for (Index k = 0; k < end / 8; ++k)
      if (words[k] & 0x88888888u) words[k] &= 0x77777777u;
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
    if (!is_changed(cell)) return own_height(cell);
    const Word number = heights[cell >> 6 & 63].changed.at(cell >> 12, rank(cell));
    return ids ? height_of(number) : (Wide)number << 32;
  }
  void set_height(Index cell, Wide height) {
    Shard& shard = heights[cell >> 6 & 63];
    const Locked locked(shard.lock);
    const Word number = (Word)(ids ? height : height >> 32);
    if (is_changed(cell)) return shard.changed.set(cell >> 12, rank(cell), number);
    shard.changed.insert(cell >> 12, n_changed(cell >> 6, 64), rank(cell), number);
    __atomic_fetch_or(words + (cell >> 3), (Word)8 << 4 * (cell & 7), __ATOMIC_RELAXED);
  }
  void pair(Index square, Index edge) {
    set_code(square, direction(square, edge));
    set_code(edge, direction(edge, square));
  }
  Index log_cell(Index square) const { return logged_square(square >> 3, (int)(square & 7)); }
  int log_code(Index square, Index edge) const { return logged_direction((int)(square & 7), direction(square, edge)); }
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
    explicit Shard(Index n_places) : changed(n_places) {}
    std::atomic_flag lock = ATOMIC_FLAG_INIT;
    ChangedHeights changed;  // the vertices of these heights, or their keys if these alone are compared
  };
  std::deque<Shard> heights;

  bool is_changed(Index cell) const { return word(cell) >> (4 * (cell & 7) + 3) & 1; }
  // The number of cells with a changed height among the first n of a place.
  int n_changed(Index place, int n) const {
    int found = 0;
    const Word* const first = words + 8 * place;
    const int last = (int)std::min<Index>(n >> 3, end / 8 - 8 * place);
    for (int k = 0; k < last; ++k) found += population(__atomic_load_n(first + k, __ATOMIC_RELAXED) & 0x88888888u);
    if (n & 7) found += population(__atomic_load_n(first + last, __ATOMIC_RELAXED) & 0x88888888u & (bit(4 * (n & 7)) - 1));
    return found;
  }
  int rank(Index cell) const { return n_changed(cell >> 6, (int)(cell & 63)); }

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
    const Cell there = stepped(grid, {vertex_at(grid, (Anchor)(cell >> 3)), (int)(cell & 7)}, axis_of(to), sign_of(to));
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
    const Cell at = {has_periods ? vertex_at(grid, (Anchor)(cell >> 3)) : Vertex{0, 0, 0}, (int)(cell & 7)};
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
}  // namespace

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
