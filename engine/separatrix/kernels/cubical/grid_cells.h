// Squares and edges of a grid for morse/saddle_search.h.
//
// A cell is 8 * its anchor + its type. Without periods each step is an addition, and boundaries
// need no checks, because the nibble of a missing cell is 0. The fourth bit of a nibble means that
// the height of the cell has changed. Steps and states are read from tables, because branches that
// depend on the data take longer than what they save.
#pragma once
#include "common/order.h"
#include "cubical/changed_heights.h"
#include "cubical/grid.h"
#include "morse/saddle_search.h"

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
namespace {  // because large images have others
class GridCells {
 public:
  // `keys` do not decrease as values increase, or are values themselves if they `are_floats`. Vertices
  // with equal keys compare by their ids if `tell_apart`, which requires that different values have
  // different keys. `words` (n,) are modified.
  GridCells(Grid grid, Word* words, const Word* keys, bool are_floats, bool tell_apart)
      : grid(grid), words(words), keys(keys), are_floats(are_floats), ids(tell_apart ? 0xffffffffu : 0), end(8 * (Index)n_vertices(grid)),
        has_periods(::has_periods(grid)), stride_y(vertex_stride(grid, 1)), stride_z(vertex_stride(grid, 2)),
        regions_x((grid.nx >> 4) + 1), regions_y((grid.ny >> 4) + 1), rows_per_vertex(1.0 / grid.nx), planes_per_row(1.0 / grid.ny),
        heights(n_places()) {
    for (Index k = 0; k < end / 8; ++k)
      if (words[k] & 0x88888888u) words[k] &= 0x77777777u;
    for (int type = 0; type < 8; ++type) make_tables(type);
    for (const int type : {3, 5, 6})
      for (int k = 0; k < 4; ++k) make_onward(type, k);
    for (int n = 0; n <= 64; ++n)
      for (int k = 0; k < 8; ++k) {
        const int cells = std::min(8, std::max(0, n - 8 * k));  // of the k-th word
        changed_before[n][k] = 0x88888888u & (Word)(((Wide)1 << 4 * cells) - 1);
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
  SquareState state_of(Index square) const { return states[square & 7][code(square)]; }
  template <class Visit> void for_edges_of(Index square, Visit visit) const {
    if (has_periods)
      for (const int to : edges[square & 7]) visit(beside(square, to));
    else
      for (const int to : edges[square & 7]) visit(square + step[square & 7][to]);
  }
  // Calls offer(square, state) for a few squares, of which V-paths continue with those whose state is not OFF_PATHS.
  template <class Offer> void for_steps(Index square, Offer offer) const {
    if (has_periods)
      return for_edges_of(square, [&](Index edge) {
        const Index onward = square_of(edge);
        offer(onward, onward == NONE || onward == square ? OFF_PATHS : ON_PATHS);
      });
    UNROLL for (const Onward& at : onward[square & 7]) {
      const Index step = at.steps[code_at((square >> 3) + at.vertex, at.shift)];
      offer(square + step, step ? ON_PATHS : OFF_PATHS);
    }
  }
  // The same for the squares from which V-paths continue with a square on paths.
  template <class Offer> void for_steps_to(Index square, Offer offer) const {
    for_squares_at(edge_of(square), [&](Index from) { offer(from, from == square ? OFF_PATHS : state_of(from)); });
  }
  Index most_steps(Index) const { return 4; }
  Index most_steps_to(Index) const { return 4; }
  template <class Visit> void for_squares_at(Index edge, Visit visit) const {
    const auto visit_if_there = [&](Index square) {
      if ((Wide)square < (Wide)end && code(square) != NO_CELL) visit(square);
    };
    if (has_periods)
      for (const int to : squares[edge & 7]) visit_if_there(beside(edge, to));
    else
      UNROLL for (const int to : squares[edge & 7]) visit_if_there(edge + step[edge & 7][to]);
  }
  Wide height(Index cell) const { return height_in(cell, slot_of_height(cell)); }
  // The memory of a changed height, which is prefetched, or null.
  const Word* slot_of_height(Index cell) const {
    if (!is_changed(cell)) return nullptr;
    const Word* const there = heights.at(cell >> 6, rank(cell));
    __builtin_prefetch(there);
    return there;
  }
  Wide height_in(Index cell, const Word* slot) const {
    if (!slot) return own_height(cell);
    return ids ? height_of(*slot) : (Wide)*slot << 32;
  }
  void set_height(Index cell, Wide height) {
    const Index place = cell >> 6;
    const Locked locked(heights.lock(place));
    const Word number = (Word)(ids ? height : height >> 32);
    if (is_changed(cell)) {
      *heights.at(place, rank(cell)) = number;
      return;
    }
    heights.insert(place, n_changed(place, 64), rank(cell), number);
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
  Int32 region(Int32 place) const {  // a box of 16 vertices along each axis
    // Integer divisions would be slow. With the halves, all quotients round down.
    const Index v = (Index)8 * place, row = (Index)((v + 0.5) * rows_per_vertex), plane = (Index)((row + 0.5) * planes_per_row);
    const Index box = (plane >> 4) * regions_y + ((row - plane * grid.ny) >> 4);
    return (Int32)(box * regions_x + ((v - row * grid.nx) >> 4));
  }
  Index n_regions() const { return (Index)((grid.nz >> 4) + 2) * regions_y * regions_x; }
  // Prefetches what a search reads of the neighborhood. Forced inline, because GCC removes calls of a function that does
  // nothing else.
  ITEM_MEMBER void prefetch(Index cell) const {
    heights.prefetch(cell >> 6);
    for (const Index row : {(Index)0, stride_y, -stride_y, stride_z, -stride_z, stride_y + stride_z}) {
      __builtin_prefetch(words + (cell >> 3) + row);
      __builtin_prefetch(keys + (cell >> 3) + row);
    }
  }

 private:
  const Grid grid;
  Word* const words;
  const Word* const keys;
  const bool are_floats;
  const Word ids;  // mask of the bits of ids that are compared
  const Index end;
  const bool has_periods;
  const Index stride_y, stride_z;
  const Int32 regions_x, regions_y;
  const Real rows_per_vertex, planes_per_row;
  Index step[8][8];    // by type and direction
  int edges[8][4];     // directions from a square of each type to its edges
  int squares[8][4];   // and from an edge to its squares
  // An edge of a square: its vertex as seen from that of the square, the place of its code in a word, and by its code the
  // step from the square to the one that V-paths continue with, or 0.
  struct Onward {
    Index vertex;
    int shift;
    Index steps[8];
  };
  Onward onward[8][4];       // by type of the square
  SquareState states[8][8];  // by type and code of a square
  Index corners[8][4];       // by type, as steps of vertices; those of an edge twice
  alignas(8) Word changed_before[65][8];  // of the words of a place, the bits of the first n cells that have changed
  ChangedHeights heights;  // the vertices of these heights, or their keys if these alone are compared

  void make_tables(int type) {
    int n_edges = 0, n_squares = 0, n_corners = 0;
    for (int k = 0; k < 4; ++k) edges[type][k] = squares[type][k] = NO_CELL;
    for (int to = 0; to < 8; ++to) {
      const bool is_step = to != NO_CELL && to != CRITICAL, odd = is_step && type >> axis_of(to) & 1;
      states[type][to] = odd ? ON_PATHS : to == CRITICAL ? IS_CRITICAL : OFF_PATHS;
      step[type][to] = 0;
      if (!is_step) continue;
      const int axis = axis_of(to), shift = odd ? to % 2 : -(to % 2 == 0);
      step[type][to] = (odd ? -(1 << axis) : 1 << axis) + 8 * (Index)shift * vertex_stride(grid, axis);
    }
    for (int axis = 0; axis < 3; ++axis)
      if (population((Word)type) == 2 && type >> axis & 1) {
        edges[type][n_edges++] = MINUS_X + 2 * axis;
        edges[type][n_edges++] = PLUS_X + 2 * axis;
      } else if (population((Word)type) == 1 && !(type >> axis & 1)) {
        squares[type][n_squares++] = MINUS_X + 2 * axis;
        squares[type][n_squares++] = PLUS_X + 2 * axis;
      }
    for (int corner = 0; corner < 8; ++corner)
      if (!(corner & ~type) && n_corners < 4)
        corners[type][n_corners++] = (corner & 1) + (corner >> 1 & 1) * stride_y + (corner >> 2) * stride_z;
    for (const int n = n_corners; n_corners < 4; ++n_corners) corners[type][n_corners] = corners[type][n_corners % n];
  }
  void make_onward(int type, int k) {
    const Index to_edge = type + step[type][edges[type][k]];  // from the square of vertex 0
    const int edge = (int)(to_edge & 7);
    Onward& at = onward[type][k];
    at.vertex = to_edge >> 3;
    at.shift = 4 * edge;
    for (int to = 0; to < 8; ++to) {
      const bool is_up = to != NO_CELL && to != CRITICAL && !(edge >> axis_of(to) & 1);
      at.steps[to] = is_up ? to_edge - type + step[edge][to] : 0;
    }
  }
  bool is_changed(Index cell) const { return word(cell) >> (4 * (cell & 7) + 3) & 1; }
  // The number of cells with a changed height among the first n of a place.
  int n_changed(Index place, int n) const {
    const Word* const first = words + 8 * place;
    const Word* const before = changed_before[n];
    int found = 0;
    if (8 * place + 8 <= end / 8) {
      typedef const Wide __attribute__((may_alias)) TwoWords;
      UNROLL for (int k = 0; k < 4; ++k)
        found += __builtin_popcountll(__atomic_load_n((TwoWords*)first + k, __ATOMIC_RELAXED) & ((TwoWords*)before)[k]);
    } else {
      for (Index k = 0; k < end / 8 - 8 * place; ++k)
        found += population(__atomic_load_n(first + k, __ATOMIC_RELAXED) & before[k]);
    }
    return found;
  }
  int rank(Index cell) const { return n_changed(cell >> 6, (int)(cell & 63)); }

  Word word(Index cell) const { return __atomic_load_n(words + (cell >> 3), __ATOMIC_RELAXED); }
  int code(Index cell) const { return code_at(cell >> 3, 4 * (int)(cell & 7)); }
  int code_at(Index vertex, int shift) const { return (int)(__atomic_load_n(words + vertex, __ATOMIC_RELAXED) >> shift & 7); }
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
  Word key(Index vertex) const { return are_floats ? order_image(from_bits(keys[vertex])) : keys[vertex]; }
  Wide height_of(Index vertex) const { return (Wide)key(vertex) << 32 | ((Word)vertex & ids); }
  // The key of the highest vertex, then its id.
  Wide own_height(Index cell) const {
    Wide highest = 0;
    if (has_periods) {
      const Cell at = {vertex_at(grid, (Anchor)(cell >> 3)), (int)(cell & 7)};
      for (int corner = at.type; corner >= 0; corner = corner ? (corner - 1) & at.type : NONE)
        highest = std::max(highest, height_of(corner_of(grid, at, corner)));
      return highest;
    }
    if (are_floats) return height_of(highest_vertex(cell, [&](Index v) { return from_bits(keys[v]); }));
    return height_of(highest_vertex(cell, [&](Index v) { return keys[v]; }));
  }
  // The last one of those with the highest key. Corners are in the order of their ids.
  template <class KeyOf> Index highest_vertex(Index cell, KeyOf key_of) const {
    Index highest = cell >> 3;
    auto high = key_of(highest);
    UNROLL for (int k = 1; k < 4; ++k) {
      const Index v = (cell >> 3) + corners[cell & 7][k];
      const auto key = key_of(v);
      highest += (v - highest) & -(Index)(key >= high);  // without a branch, which would often be mispredicted
      high = std::max(high, key);
    }
    return highest;
  }
};
}  // namespace
#endif
