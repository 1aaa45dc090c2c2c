// The minor of junctions: the marked squares after chains are contracted.
//
// A node is a square marked as on a V-path; nodes are numbered by (vertex, axis) through counts per run of marks.
// A node leads to one cell (a link of a chain) or to several (a junction). Terminals are the ends of
// chains: 0 .. n_sinks - 1 are the critical edges in their order, n_sinks + j is the j-th junction. A slot
// holds the node that a link leads to (>= 0) or the code of a terminal (label_code, < -1), as in
// morse/forest.h, whose pointer jumping then turns every slot into a code.
// Subhash, Pandey, Natarajan 2020, section 3.3 (the minor).
#pragma once
#include "cubical/connector_marks.h"
#include "morse/forest.h"

enum { MARK_RUN = 16, MARK_WORDS = 4 };  // vertices and words whose nodes are counted together

ITEM Int32 n_marked_in(const Word* marks, Index run, Word of) {
  Int32 n = 0;
  for (int w = 0; w < MARK_WORDS; ++w) n += population(marks[run * MARK_WORDS + w] & of);
  return n;
}
KERNEL(count_nodes, (const Word* marks, Int32* count), count[i] = n_marked_in(marks, i, PATH_MARKS))

struct Nodes {
  Grid grid;
  const Word* words;
  const Word* marks;
  const Index* first_node;  // of each run
  const Index* sinks;       // cell ids of the critical edges, ascending
  const Int32* sink_rows;   // first of them in each row of the doubled grid

  ITEM_MEMBER Int32 node_of(Int32 v, int axis) const {
    Index run = v / MARK_RUN;
    const Word* word = marks + run * MARK_WORDS;
    Index node = first_node[run];
    for (; word < marks + (v >> 2); ++word) node += population(marks_at(word) & PATH_MARKS);
    return (Int32)(node + population(marks_at(word) & PATH_MARKS & (mark_bit(v, ON_PATH + axis) - 1)));
  }
  ITEM_MEMBER Int32 number_of_sink(Cell edge) const {
    Index row = cell_coordinate(edge, 1) + cell_coordinate(edge, 2) * (2 * (Index)grid.ny - 1 + grid.py);
    Index id = cell_id(grid, edge.anchor, edge.type);
    Int32 low = sink_rows[row], high = sink_rows[row + 1] - 1;
    while (low < high) {
      Int32 middle = low + (high - low) / 2;
      if (sinks[middle] < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  // Successors of a square by each of its edges, in their order: nodes and codes of sinks, at most 4, and directions.
  ITEM_MEMBER int onward(Cell square, Int32* slots, int* directions = nullptr) const {
    const int partner = direction_of(words[vertex_id(grid, square.anchor)], square.type);
    int n = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (!(square.type >> axis & 1)) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        if (axis_of(partner) == axis && sign_of(partner) == sign) continue;
        Cell edge = stepped(grid, square, axis, sign);
        int to = direction_of(words[vertex_id(grid, edge.anchor)], edge.type);
        if (directions) directions[n] = MINUS_X + 2 * axis - (sign > 0);
        if (to == CRITICAL) {
          slots[n++] = label_code(number_of_sink(edge));
          continue;
        }
        Cell next = stepped(grid, edge, axis_of(to), sign_of(to));
        if (population((Word)next.type) != 2) continue;
        Int32 v = vertex_id(grid, next.anchor);
        int across = axis_of_type(next.type);
        if (is_marked(marks, v, ON_PATH + across)) slots[n++] = node_of(v, across);
      }
    }
    return n;
  }
};

// Out: slots of the links. The remaining marks then denote junctions.
ITEM void link_run(Nodes nodes, Index run, Word* marks, Int32* slots, Int32* n_junctions) {
  Index node = nodes.first_node[run];
  Int32 found = 0;
  for (Index w = run * MARK_WORDS; w < (run + 1) * MARK_WORDS; ++w) {
    Word marked = marks[w] & PATH_MARKS, junctions = 0;
    if (!marked) continue;
    for (Word rest = marked; rest; rest &= rest - 1, ++node) {
      int place = lowest_bit(rest);
      Index key = (4 * w + place / 8) << 2 | (place % 8 - ON_PATH);
      Int32 onward[4];
      if (nodes.onward(square_of_key(nodes.grid, key), onward) == 1) slots[node] = onward[0];
      else junctions |= bit(place - ON_PATH);
    }
    if (marks_at(marks + w) != (marked | junctions)) set_marks(marks + w, marked | junctions);  // not shared with other threads
    found += population(junctions);
  }
  n_junctions[run] = found;
}
KERNEL(link_nodes, (Grid grid, const Word* words, Word* marks, const Index* first_node, const Index* sinks,
                    const Int32* sink_rows, Int32* slots, Int32* n_junctions),
       link_run({grid, words, marks, first_node, sinks, sink_rows}, i, marks, slots, n_junctions))

// Out: key of the square of each junction, and its code in its slot.
ITEM void list_junctions_of(const Word* marks, Index run, const Index* first_node, const Index* first_junction,
                            Int32 n_sinks, Int32* slots, Index* keys) {
  Index node = first_node[run], junction = first_junction[run];
  for (Index w = run * MARK_WORDS; w < (run + 1) * MARK_WORDS; ++w)
    for (Word rest = marks[w] & PATH_MARKS; rest; rest &= rest - 1, ++node) {
      int place = lowest_bit(rest);
      if (!(marks[w] & bit(place - ON_PATH))) continue;
      slots[node] = label_code(n_sinks + (Int32)junction);
      keys[junction++] = (4 * w + place / 8) << 2 | (place % 8 - ON_PATH);
    }
}
KERNEL(list_junctions, (const Word* marks, const Index* first_node, const Index* first_junction, Int32 n_sinks,
                        Int32* slots, Index* keys),
       list_junctions_of(marks, i, first_node, first_junction, n_sinks, slots, keys))

// Out: the terminals at which chains from a square end, NONE if there are fewer than `width`.
ITEM void list_terminals(Nodes nodes, const Int32* slots, Cell square, int width, Int32* terminals) {
  Int32 onward[4];
  int n = nodes.onward(square, onward);
  for (int k = 0; k < width; ++k)
    terminals[k] = k >= n ? (Int32)NONE : label_code(onward[k] >= 0 ? slots[onward[k]] : onward[k]);
}
KERNEL(follow_junctions, (Grid grid, const Word* words, const Word* marks, const Index* first_node, const Index* sinks,
                          const Int32* sink_rows, const Int32* slots, const Index* keys, Int32* successors),
       list_terminals({grid, words, marks, first_node, sinks, sink_rows}, slots, square_of_key(grid, keys[i]), 3,
                      successors + 3 * i))
KERNEL(follow_sources, (Grid grid, const Word* words, const Word* marks, const Index* first_node, const Index* sinks,
                        const Int32* sink_rows, const Int32* slots, const Index* saddles, Int32* starts),
       list_terminals({grid, words, marks, first_node, sinks, sink_rows}, slots, cell_at(grid, saddles[i]), 4,
                      starts + 4 * i))
