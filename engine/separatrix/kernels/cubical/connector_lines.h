// The networks of V-paths between saddles of a grid; see morse/networks.h for the lines drawn of them.
//
// The squares of a connector are those that its 2-saddle reaches and from which its 1-saddle is reached,
// keys (connector, square) in a hash set; see surfaces.h.
#pragma once
#include "cubical/connector_marks.h"
#include "morse/networks.h"

// === reached squares: forward from 2-saddles (keys of sources), then backward from 1-saddles
struct Reaching {
  Grid grid;
  const Word* words;
  const Word* marks;
  Wide* slots;
  Wide mask;
  Index capacity;
  Wide* reached;
  Index* counters;  // keys that did not fit; keys reached

  ITEM_MEMBER int direction(Cell cell) const { return direction_of(words[vertex_id(grid, cell.anchor)], cell.type); }
  ITEM_MEMBER bool is_on_a_path(Cell square) const {
    return is_marked(marks, vertex_id(grid, square.anchor), ON_PATH + axis_of_type(square.type));
  }
  ITEM_MEMBER Wide reach(Wide key, Wide other) const {
    return reach_key(key, slots, mask, capacity, reached, counters) ? key : other;
  }
  // Both return a new key, or EMPTY_SLOT.
  ITEM_MEMBER Wide down_from(Cell square, Index source) const {
    Wide last = EMPTY_SLOT;
    for (int axis = 0; axis < 3; ++axis) {
      if (!(square.type >> axis & 1)) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        Cell edge = stepped(grid, square, axis, sign);
        int to = direction(edge);
        if (to == CRITICAL) continue;
        Cell onward = stepped(grid, edge, axis_of(to), sign_of(to));
        if (population((Word)onward.type) == 2 && is_on_a_path(onward))
          last = reach(surface_key(grid, source, onward), last);
      }
    }
    return last;
  }
  ITEM_MEMBER Wide up_from(Cell edge, Index connector, Index source, const Wide* below, Wide below_mask) const {
    Wide last = EMPTY_SLOT;
    for (int axis = 0; axis < 3; ++axis) {
      if (edge.type >> axis & 1) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        Cell square = stepped(grid, edge, axis, sign);
        if (!exists(grid, square) || !is_on_a_path(square)) continue;
        if (holds_key(below, below_mask, surface_key(grid, source, square)))
          last = reach(surface_key(grid, connector, square), last);
      }
    }
    return last;
  }
};
ITEM Cell partner_of(const Reaching& from, Cell cell) {
  int to = from.direction(cell);
  return stepped(from.grid, cell, axis_of(to), sign_of(to));
}

struct ReachingDown {
  Reaching from;
  ITEM_MEMBER Wide onward(Wide key) const {
    return from.down_from(cell_of_key(from.grid, key, 2), source_of_key(key));
  }
};
struct ReachingUp {
  Reaching from;
  const Int32* source_of;
  const Wide* below;
  Wide below_mask;
  ITEM_MEMBER Wide onward(Wide key) const {
    const Index connector = source_of_key(key);
    return from.up_from(partner_of(from, cell_of_key(from.grid, key, 2)), connector, source_of[connector], below,
                        below_mask);
  }
};

ROW_KERNEL(start_below, (Grid grid, const Word* words, const Word* marks, const Index* squares, Wide* slots, Wide mask,
                         Index capacity, Wide* reached, Index* counters),
           Reaching from = {grid, words, marks, slots, mask, capacity, reached, counters};
           from.down_from(cell_at(grid, squares[i]), i))
ROW_KERNEL(expand_below, (Grid grid, const Word* words, const Word* marks, Index begin, Wide* slots, Wide mask,
                          Index capacity, Wide* reached, Index* counters),
           Reaching from = {grid, words, marks, slots, mask, capacity, reached, counters};
           follow_key(ReachingDown{from}, reached[begin + i]))
// `source_of`: the number of each connector's square among those from which `below` was started.
ROW_KERNEL(start_networks, (Grid grid, const Word* words, const Word* marks, const Index* edges, const Int32* source_of,
                            const Wide* below, Wide below_mask, Wide* slots, Wide mask, Index capacity, Wide* reached,
                            Index* counters),
           Reaching from = {grid, words, marks, slots, mask, capacity, reached, counters};
           from.up_from(cell_at(grid, edges[i]), i, source_of[i], below, below_mask))
ROW_KERNEL(expand_networks, (Grid grid, const Word* words, const Word* marks, Index begin, const Int32* source_of,
                             const Wide* below, Wide below_mask, Wide* slots, Wide mask, Index capacity, Wide* reached,
                             Index* counters),
           Reaching from = {grid, words, marks, slots, mask, capacity, reached, counters};
           follow_key(ReachingUp{from, source_of, below, below_mask}, reached[begin + i]))

// === lines
// Up to four squares that precede an edge on V-paths.
struct GridWays {
  int n;
  Cell squares[4];
  ITEM_MEMBER Cell at(int k) const { return squares[k]; }
};
struct GridNetwork {
  typedef GridWays Ways;
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

  // At least one square is marked; if it is the only one, no key is looked up.
  ITEM_MEMBER GridWays up(Cell edge) const {
    GridWays ways;
    int n = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (edge.type >> axis & 1) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        Cell square = stepped(grid, edge, axis, sign);
        if (!exists(grid, square)) continue;
        int to = direction(square);
        if (axis_of(to) == axis && sign_of(to) == -sign) continue;  // the partner of the edge
        if (to == CRITICAL ? cell_id(grid, square.anchor, square.type) == upper : is_on_a_path(square))
          ways.squares[n++] = square;
      }
    }
    ways.n = n;
    if (n == 1) return ways;
    int n_held = 0;
    for (int k = 0; k < n; ++k)
      if (direction(ways.squares[k]) == CRITICAL || holds(ways.squares[k])) ways.squares[n_held++] = ways.squares[k];
    ways.n = n_held;
    return ways;
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
  ITEM_MEMBER Cell square_of_key(Wide key) const { return cell_of_key(grid, key, 2); }
  ITEM_MEMBER Cell lower_saddle() const { return cell_at(grid, lower); }
  ITEM_MEMBER bool is_upper(Cell square) const { return direction(square) == CRITICAL; }
  ITEM_MEMBER Index id_of_square(Cell cell) const { return cell_id(grid, cell.anchor, cell.type); }
  ITEM_MEMBER Index id_of_edge(Cell cell) const { return cell_id(grid, cell.anchor, cell.type); }
};

ROW_KERNEL(measure_connectors, (Grid grid, const Word* words, const Word* marks, const Wide* keys, const Wide* slots,
                                Wide mask, const Index* lower, const Index* upper, Int32* n_lines, Index* n_cells),
           const Index k = source_of_key(keys[i]);
           measure_network(GridNetwork{grid, words, marks, slots, mask, k, lower[k], upper[k]}, keys[i], n_lines + i,
                           n_cells + i))
ROW_KERNEL(fill_connectors, (Grid grid, const Word* words, const Word* marks, const Wide* keys, const Wide* slots,
                             Wide mask, const Index* lower, const Index* upper, const Index* first_line,
                             const Index* first_cell, Index* cells, Index* ends, Index* connectors),
           const Index k = source_of_key(keys[i]);
           fill_network(GridNetwork{grid, words, marks, slots, mask, k, lower[k], upper[k]}, keys[i], first_line[i],
                        first_cell[i], cells, ends, connectors))
