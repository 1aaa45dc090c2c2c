// Chains of squares on V-paths between saddles: the graph on which pairs of saddles of several pieces are canceled.
//
// Nodes are the marked squares, then sources: critical squares, and squares at which V-paths enter a piece. A chain
// begins at a head: a source, or a square that several others lead to, or one that leads to several. It continues
// while a square leads to a single one that is not a head. A reversed V-path contains all squares of a chain or none of
// them, and pairs each with the next one's edge. So a cancellation sees a chain as one square: its own edge is that
// of the head, and it leads to the heads and 1-saddles after its last square.
#pragma once
#include "common/sort.h"
#include "cubical/connector_minor.h"
#include "cubical/reversal.h"
#include "morse/saddle_log.h"

enum { WAYS = 4, NOT_TURNED = 4, IS_LINK = 1 << 16 };  // the second is the width of the graph, too

ITEM void list_squares_of(const Word* marks, Index run, Index node, Index* keys) {
  for (Index w = run * MARK_WORDS; w < (run + 1) * MARK_WORDS; ++w)
    for (Word rest = marks[w] & PATH_MARKS; rest; rest &= rest - 1) {
      const int place = lowest_bit(rest);
      keys[node++] = (4 * w + place / 8) << 2 | (place % 8 - ON_PATH);
    }
}
KERNEL(list_path_squares, (const Word* marks, const Index* first_node, Index* keys),
       list_squares_of(marks, i, first_node[i], keys))

KERNEL(key_squares, (Grid grid, const Index* ids, Index* keys), keys[i] = square_key(grid, cell_at(grid, ids[i])))

ITEM Index id_of_key(Grid grid, Index key) {
  const Cell square = square_of_key(grid, key);
  return cell_id(grid, square.anchor, square.type);
}
KERNEL(identify_squares, (Grid grid, const Index* keys, Index* ids), ids[i] = id_of_key(grid, keys[i]))

// Out: the nodes of squares, NONE if they are not marked.
ITEM Int32 node_of_key(Nodes nodes, Index key) {
  const Anchor v = (Anchor)(key >> 2);
  const int axis = (int)(key & 3);
  return is_marked(nodes.marks, v, ON_PATH + axis) ? nodes.node_of(v, axis) : (Int32)NONE;
}
KERNEL(number_path_squares, (const Word* marks, const Index* first_node, const Index* keys, Int32* numbers),
       numbers[i] = node_of_key({{}, nullptr, marks, first_node, nullptr, nullptr}, keys[i]))

// Out: where each node leads to, WAYS slots: nodes, codes of sinks, NONE; and the directions, in four bits each.
ITEM void list_ways(Nodes nodes, Index key, Int32* onward, Word* directions) {
  int to[WAYS];
  const int n = nodes.onward(square_of_key(nodes.grid, key), onward, to);
  Word packed = 0;
  for (int k = 0; k < WAYS; ++k) {
    if (k < n) packed |= (Word)to[k] << 4 * k;
    else onward[k] = NONE;
  }
  *directions = packed;
}
KERNEL(list_path_ways, (Grid grid, const Word* words, const Word* marks, const Index* first_node, const Index* sinks,
                        const Int32* sink_rows, const Index* keys, Int32* onward, Word* directions),
       list_ways({grid, words, marks, first_node, sinks, sink_rows}, keys[i], onward + WAYS * i, directions + i))

ITEM void count_way(Int32 to, Int32* n_into) {
  if (to >= 0) count_one(n_into + to);
}
KERNEL(count_path_ways, (const Int32* onward, Int32* n_into), count_way(onward[i], n_into))

// Out: the square before each one that continues a chain.
ITEM void link_chain(const Int32* onward, const Int32* n_into, Int32 node, Int32* before) {
  if (onward[1] == NONE && onward[0] >= 0 && n_into[onward[0]] == 1) before[onward[0]] = node;
}
KERNEL(link_chains, (const Int32* onward, const Int32* n_into, Int32* before),
       link_chain(onward + WAYS * i, n_into, (Int32)i, before))

// In: the chain of each node. Out: the names of the heads and sinks after each chain, and which squares continue one.
ITEM void end_chain(const Int32* onward, const Int32* chain_of, const Int32* names, Int32 first_name, Index node,
                    Word* directions, Int32* below) {
  const Int32* const to = onward + WAYS * node;
  const Int32 chain = chain_of[node];
  if (to[1] == NONE && to[0] >= 0 && chain_of[to[0]] == chain) {
    directions[node] |= IS_LINK;
    return;
  }
  for (int k = 0; k < WAYS; ++k)
    below[WAYS * (Index)chain + k] =
        to[k] == NONE ? (Int32)NONE : to[k] >= 0 ? first_name + chain_of[to[k]] : names[label_code(to[k])];
}
KERNEL(end_chains, (const Int32* onward, const Int32* chain_of, const Int32* names, Int32 first_name, Word* directions,
                    Int32* below),
       end_chain(onward, chain_of, names, first_name, i, directions, below))

// === a level
// Out: the way of each chain that a log has turned, which is initially NOT_TURNED.
ITEM void turn_chain(Wide entry, Byte* ways) { ways[logged_cell(entry)] = (Byte)logged_code(entry); }
KERNEL(choose_ways, (const Wide* entries, Index n, Word event, Byte* ways),
       if (is_last_logged(entries, n, event, i)) turn_chain(entries[i], ways))

ITEM void turn_square(Grid grid, const Word* raw, Index key, Word directions, int way, Word* words) {
  if (way == NOT_TURNED) return;
  const Cell square = square_of_key(grid, key);
  const int to = (int)(directions >> (directions & IS_LINK ? 0 : 4 * way) & 7);
  turn(grid, raw, square, to, words);
  turn(grid, raw, stepped(grid, square, axis_of(to), sign_of(to)), opposite(to), words);
}
KERNEL(turn_squares, (Grid grid, const Word* raw, const Index* keys, const Word* directions, const Int32* chain_of,
                      const Byte* ways, Word* words),
       turn_square(grid, raw, keys[i], directions[i], ways[chain_of[i]], words))

// Saddles that an extremum cancels are no longer critical: an edge is paired with a vertex, a square with a voxel.
ITEM void retire(Grid grid, Cell saddle, Word* words) {
  const bool is_square = population((Word)saddle.type) == 2;
  const int to = PLUS_X + 2 * (is_square ? axis_of_type(saddle.type) : lowest_bit((Word)saddle.type));
  xor_into(words + vertex_id(grid, saddle.anchor), (Word)(CRITICAL ^ to) << 4 * saddle.type);
}
KERNEL(retire_saddles, (Grid grid, const Index* saddles, Word* words), retire(grid, cell_at(grid, saddles[i]), words))
