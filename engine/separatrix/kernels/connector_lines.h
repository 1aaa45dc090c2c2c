// Saddle connectors as lines: for each connected pair of saddles all V-paths between them, as a network.
//
// The squares of a connector are those that its 2-saddle reaches and from which its 1-saddle is reached,
// keys (connector, square) in a hash set; see surfaces.h. Upwards, from an edge to squares, each square
// goes on at its partner edge. A network branches at squares that are left by several edges and at edges
// that are left upwards by several squares; its lines run between those and the two saddles. So every
// cell but a branch or a saddle lies on one line, once.
#pragma once
#include "connector_marks.h"

ITEM bool holds_key(const Wide* slots, Wide mask, Wide key) {
  for (Wide slot = mixed(key) & mask; slots[slot] != EMPTY_SLOT; slot = (slot + 1) & mask)
    if (slots[slot] == key) return true;
  return false;
}

// === reached squares: forward from 2-saddles (keys of sources), then backward from 1-saddles
struct Reaching {
  Grid grid;
  const Word* words;
  const Word* marks;
  Wide* slots;
  Wide mask;
  Index capacity;
  Wide* reached;
  Index* counters;  // keys that found no room; keys reached

  ITEM_MEMBER int direction(Cell cell) const { return direction_of(words[vertex_id(grid, cell.anchor)], cell.type); }
  ITEM_MEMBER bool is_on_a_path(Cell square) const {
    return is_marked(marks, vertex_id(grid, square.anchor), ON_PATH + axis_of_type(square.type));
  }
  ITEM_MEMBER void reach(Wide key) const {
    if (!insert_key(slots, mask, key, counters)) return;
    Index at = add_to(counters + 1, 1);
    if (at < capacity) reached[at] = key;
    else add_to(counters, 1);
  }
  ITEM_MEMBER void down_from(Cell square, Index source) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (!(square.type >> axis & 1)) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        Cell edge = stepped(grid, square, axis, sign);
        int to = direction(edge);
        if (to == CRITICAL) continue;
        Cell onward = stepped(grid, edge, axis_of(to), sign_of(to));
        if (population((Word)onward.type) == 2 && is_on_a_path(onward)) reach(surface_key(grid, source, onward));
      }
    }
  }
  ITEM_MEMBER void up_from(Cell edge, Index connector, Index source, const Wide* below, Wide below_mask) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (edge.type >> axis & 1) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        Cell square = stepped(grid, edge, axis, sign);
        if (!exists(grid, square) || !is_on_a_path(square)) continue;
        if (holds_key(below, below_mask, surface_key(grid, source, square)))
          reach(surface_key(grid, connector, square));
      }
    }
  }
};
ITEM Cell partner_of(const Reaching& from, Cell cell) {
  int to = from.direction(cell);
  return stepped(from.grid, cell, axis_of(to), sign_of(to));
}

KERNEL(start_below, (Grid grid, const Word* words, const Word* marks, const Index* squares, Wide* slots, Wide mask,
                     Index capacity, Wide* reached, Index* counters),
       Reaching from = {grid, words, marks, slots, mask, capacity, reached, counters};
       from.down_from(cell_at(grid, squares[i]), i))
KERNEL(expand_below, (Grid grid, const Word* words, const Word* marks, Index begin, Wide* slots, Wide mask,
                      Index capacity, Wide* reached, Index* counters),
       Reaching from = {grid, words, marks, slots, mask, capacity, reached, counters};
       from.down_from(cell_of_key(grid, reached[begin + i], 2), (Index)(reached[begin + i] >> 33)))
// `source_of` each connector: which of the squares that `below` was started from.
KERNEL(start_networks, (Grid grid, const Word* words, const Word* marks, const Index* edges, const Int32* source_of,
                        const Wide* below, Wide below_mask, Wide* slots, Wide mask, Index capacity, Wide* reached,
                        Index* counters),
       Reaching from = {grid, words, marks, slots, mask, capacity, reached, counters};
       from.up_from(cell_at(grid, edges[i]), i, source_of[i], below, below_mask))
KERNEL(expand_networks, (Grid grid, const Word* words, const Word* marks, Index begin, const Int32* source_of,
                         const Wide* below, Wide below_mask, Wide* slots, Wide mask, Index capacity, Wide* reached,
                         Index* counters),
       Reaching from = {grid, words, marks, slots, mask, capacity, reached, counters};
       Index connector = (Index)(reached[begin + i] >> 33);
       from.up_from(partner_of(from, cell_of_key(grid, reached[begin + i], 2)), connector, source_of[connector], below,
                    below_mask))

// === lines
constexpr Wide LOWER_SADDLE = 3;  // in place of a square in a key: there are axes 0, 1, 2

struct Network {
  Grid grid;
  const Word* words;
  const Word* marks;
  const Wide* slots;
  Wide mask;
  Index connector, lower, upper;  // the saddles' cell ids

  ITEM_MEMBER int direction(Cell cell) const { return direction_of(words[vertex_id(grid, cell.anchor)], cell.type); }
  ITEM_MEMBER Cell partner(Cell cell) const {
    int to = direction(cell);
    return stepped(grid, cell, axis_of(to), sign_of(to));
  }
  ITEM_MEMBER bool is_on_a_path(Cell square) const {
    return is_marked(marks, vertex_id(grid, square.anchor), ON_PATH + axis_of_type(square.type));
  }
  ITEM_MEMBER bool holds(Cell square) const { return holds_key(slots, mask, surface_key(grid, connector, square)); }

  // One way on there is always: when marks leave one only, no key is looked up.
  ITEM_MEMBER int up(Cell edge, Cell* squares) const {
    int n = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (edge.type >> axis & 1) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        Cell square = stepped(grid, edge, axis, sign);
        if (!exists(grid, square)) continue;
        int to = direction(square);
        if (axis_of(to) == axis && sign_of(to) == -sign) continue;  // the edge's own partner
        if (to == CRITICAL ? cell_id(grid, square.anchor, square.type) == upper : is_on_a_path(square))
          squares[n++] = square;
      }
    }
    if (n == 1) return 1;
    int n_held = 0;
    for (int k = 0; k < n; ++k)
      if (direction(squares[k]) == CRITICAL || holds(squares[k])) squares[n_held++] = squares[k];
    return n_held;
  }
  ITEM_MEMBER int n_down(Cell square) const {
    const int partner = direction(square);
    Cell squares[4];
    int n_squares = 0, n = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (!(square.type >> axis & 1)) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        if (axis_of(partner) == axis && sign_of(partner) == sign) continue;
        Cell edge = stepped(grid, square, axis, sign);
        int to = direction(edge);
        if (to == CRITICAL) {
          n += cell_id(grid, edge.anchor, edge.type) == lower;
          continue;
        }
        Cell onward = stepped(grid, edge, axis_of(to), sign_of(to));
        if (population((Word)onward.type) == 2 && is_on_a_path(onward)) squares[n_squares++] = onward;
      }
    }
    if (n + n_squares == 1) return 1;
    for (int k = 0; k < n_squares; ++k) n += holds(squares[k]);
    return n;
  }
};

// The lines that start at the cells of a key; `cells` and `ends` may be null to measure them only.
struct Pen {
  Grid grid;
  Index* cells;
  Index* ends;  // of each line, counted from the first cell
  Index n_cells;
  Int32 n_lines;

  ITEM_MEMBER void put(Cell cell) {
    if (cells) cells[n_cells] = cell_id(grid, cell.anchor, cell.type);
    ++n_cells;
  }
  ITEM_MEMBER void lift() {
    if (ends) ends[n_lines] = n_cells;
    ++n_lines;
  }
};
ITEM void climb(const Network& network, Cell square, Pen& pen) {
  while (true) {
    pen.put(square);
    if (network.direction(square) == CRITICAL || network.n_down(square) > 1) break;
    Cell edge = network.partner(square), onward[4];
    pen.put(edge);
    if (network.up(edge, onward) != 1) break;
    square = onward[0];
  }
  pen.lift();
}
ITEM void draw_from(const Network& network, Wide key, Pen& pen) {
  Cell onward[4];
  const bool is_saddle = (key & 3) == LOWER_SADDLE;
  Cell square = cell_of_key(network.grid, is_saddle ? 0 : key, 2);
  Cell edge = is_saddle ? cell_at(network.grid, network.lower) : network.partner(square);
  const int n = network.up(edge, onward);
  if (!is_saddle && network.n_down(square) > 1) {
    pen.put(square);
    pen.put(edge);
    if (n == 1) climb(network, onward[0], pen);
    else pen.lift();
  }
  if (is_saddle || n > 1)
    for (int k = 0; k < n; ++k) {
      pen.put(edge);
      climb(network, onward[k], pen);
    }
}
// In: sorted keys, one of LOWER_SADDLE a connector among them. Out: lines and cells that start there.
ITEM void measure_lines_of(Grid grid, const Word* words, const Word* marks, Wide key, const Wide* slots, Wide mask, const Index* lower,
                           const Index* upper, Index i, Int32* n_lines, Index* n_cells) {
  Index connector = (Index)(key >> 33);
  Network network = {grid, words, marks, slots, mask, connector, lower[connector], upper[connector]};
  Pen pen = {grid, nullptr, nullptr, 0, 0};
  draw_from(network, key, pen);
  n_lines[i] = pen.n_lines;
  n_cells[i] = pen.n_cells;
}
ITEM void fill_lines_of(Grid grid, const Word* words, const Word* marks, Wide key, const Wide* slots, Wide mask, const Index* lower,
                        const Index* upper, Index first_line, Index first_cell, Index* cells, Index* ends,
                        Index* connectors) {
  Index connector = (Index)(key >> 33);
  Network network = {grid, words, marks, slots, mask, connector, lower[connector], upper[connector]};
  Pen pen = {grid, cells + first_cell, ends + first_line, 0, 0};
  draw_from(network, key, pen);
  for (Int32 k = 0; k < pen.n_lines; ++k) {
    ends[first_line + k] += first_cell;
    connectors[first_line + k] = connector;
  }
}
KERNEL(measure_connectors, (Grid grid, const Word* words, const Word* marks, const Wide* keys, const Wide* slots, Wide mask,
                            const Index* lower, const Index* upper, Int32* n_lines, Index* n_cells),
       measure_lines_of(grid, words, marks, keys[i], slots, mask, lower, upper, i, n_lines, n_cells))
KERNEL(fill_connectors, (Grid grid, const Word* words, const Word* marks, const Wide* keys, const Wide* slots, Wide mask,
                         const Index* lower, const Index* upper, const Index* first_line, const Index* first_cell,
                         Index* cells, Index* ends, Index* connectors),
       fill_lines_of(grid, words, marks, keys[i], slots, mask, lower, upper, first_line[i], first_cell[i], cells, ends,
                     connectors))
