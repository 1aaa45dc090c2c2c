// V-paths from the 2-saddles to the 1-saddles of a tetrahedral mesh, as a graph without geometry.
//
// Triangles on V-paths from critical triangles are marked by one bit each (morse/marking.h). They and the critical
// triangles are the nodes, numbered in the order of their ids through counts per word of marks. Terminals are the
// nodes and, after them, the critical edges. Each edge of a node except its partner leads to a terminal: the
// triangle paired with it, or the critical edge. `below` (nodes, 3) is indexed by the number of the facet, NONE if
// it leads nowhere; `above` is the converse, as rows of terminals.
// Terminal x also names an edge: the one that node x is paired with, or the critical edge.
// Subhash, Pandey, Natarajan 2020, section 3.2 (marking), Robins, Wood, Sheppard 2011, section 3.3.
#pragma once
#include "common/sort.h"
#include "morse/forest.h"
#include "morse/marking.h"
#include "simplicial/lower_star.h"
#include "simplicial/trie.h"

ITEM bool has_bit(const Word* marks, Index key) { return marks_at(marks + (key >> 5)) >> (key & 31) & 1; }

// Marks, one bit per key.
struct BitMarks {
  Word* marks;
  ITEM_MEMBER bool mark(Index key) const {
    return !has_bit(marks, key) && !(fetch_or(marks + (key >> 5), bit((int)(key & 31))) & bit((int)(key & 31)));
  }
  ITEM_MEMBER void take_back(Index key) const { ::take_back(marks + (key >> 5), bit((int)(key & 31))); }
};

// === forward: triangles that are reachable from a triangle
template <class Trie>
struct MeshSteps : BitMarks {
  Trie trie;
  const Int32* up;  // the triangle that each edge is paired with

  ITEM_MEMBER MeshSteps(Trie trie, const Int32* up, Word* marks) : BitMarks{marks}, trie(trie), up(up) {}
  template <class Walking> ITEM_MEMBER void leave(Index triangle, Walking& walk) const {
    Int32 edges[3];
    trie.edges_of((Int32)triangle, edges);
    for (int k = 0; k < 3; ++k) {
      const Int32 onward = up[edges[k]];
      if (onward != NONE && onward != (Int32)triangle) walk.reach(onward);
    }
  }
  template <class Walking> ITEM_MEMBER void start(Index triangle, Walking& walk) const { leave(triangle, walk); }
};
COARSE_KERNEL(mark_triangles_from_saddles, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                                            const Int32* triangle_edge, const Int32* triangle_third, const Int32* up,
                                            const Int32* saddles, Int32 max_steps, Word* marks, Index capacity,
                                            Index* queue, Index* counters),
              MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
              mark_from_seed(MeshSteps<MeshTrie>(trie, up, marks), saddles[i], max_steps, capacity, queue, counters))
#if ON_GPU
extern "C" __global__ void __launch_bounds__(MARK_THREADS) mark_triangles_from_queue(
    const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper, const Int32* triangle_edge,
    const Int32* triangle_third, const Int32* up, const Index* waiting, Index n_waiting, Int32 share, Int32 max_turns,
    Word* marks, Index capacity, Index* queue, Index* counters) {
  MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
  mark_by_blocks(MeshSteps<MeshTrie>(trie, up, marks), waiting, n_waiting, share, max_turns, capacity, queue, counters);
}
#else
COARSE_KERNEL(mark_triangles_from_queue, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                                          const Int32* triangle_edge, const Int32* triangle_third, const Int32* up,
                                          const Index* waiting, Int32 max_steps, Word* marks, Index capacity,
                                          Index* queue, Index* counters),
              MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
              mark_from_key(MeshSteps<MeshTrie>(trie, up, marks), waiting[i], max_steps, capacity, queue, counters))
#endif
KERNEL(mark_triangles_again, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                              const Int32* triangle_edge, const Int32* triangle_third, const Int32* up,
                              Int32 max_steps, Word* marks, Index capacity, Index* queue, Index* counters),
       if (has_bit(marks, i)) {
         MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
         mark_from_key(MeshSteps<MeshTrie>(trie, up, marks), i, max_steps, capacity, queue, counters);
       })

// === nodes
KERNEL(set_bits, (const Int32* keys, Word* marks), or_shared(marks + (keys[i] >> 5), bit(keys[i] & 31)))
KERNEL(count_bits, (const Word* marks, Int32* count), count[i] = population(marks[i]))
ITEM void list_bits_of(Word word, Index w, Index at, Int32* keys) {
  for (; word; word &= word - 1) keys[at++] = (Int32)(32 * w) + lowest_bit(word);
}
KERNEL(list_bits, (const Word* marks, const Index* first_of_word, Int32* keys), list_bits_of(marks[i], i, first_of_word[i], keys))
ITEM Int32 number_of_bit(const Word* marks, const Index* first_of_word, Int32 key) {
  return (Int32)first_of_word[key >> 5] + population(marks[key >> 5] & (bit(key & 31) - 1));
}

ITEM Int32 place_in(const Int32* sorted, Int32 n, Int32 wanted) {
  Int32 low = 0, high = n - 1;
  while (low < high) {
    const Int32 middle = low + (high - low) / 2;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
// Out: terminals below a node; the mesh edge that the node names, NONE for a critical triangle's.
template <class Trie>
ITEM void link_path_node(const Trie& trie, const Int32* up, const Byte* edge_codes, const Word* marks, const Index* first_of_word,
                         const Int32* sinks, Int32 n_sinks, Int32 n_nodes, Int32 triangle, Int32* below,
                         Int32* own_edge) {
  Int32 edges[3];
  trie.edges_of(triangle, edges);
  *own_edge = NONE;
  for (int k = 0; k < 3; ++k) {
    const Int32 onward = up[edges[k]];
    below[k] = NONE;
    if (onward == triangle) *own_edge = edges[k];
    else if (onward != NONE) below[k] = number_of_bit(marks, first_of_word, onward);
    else if (edge_codes[edges[k]] == CRITICAL_SIMPLEX) below[k] = n_nodes + place_in(sinks, n_sinks, edges[k]);
  }
}
KERNEL(link_path_nodes, (const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                         const Int32* triangle_edge, const Int32* triangle_third, const Int32* up,
                         const Byte* edge_codes, const Word* marks, const Index* first_of_word, const Int32* sinks,
                         Int32 n_sinks, Int32 n_nodes, const Int32* triangles, Int32* below, Int32* own_edge),
       MeshTrie trie = {edge_lower, edge_begin, edge_upper, triangle_edge, nullptr, triangle_third, nullptr};
       link_path_node(trie, up, edge_codes, marks, first_of_word, sinks, n_sinks, n_nodes, triangles[i], below + 3 * i,
                      own_edge + i))

// === the converse; rows are sorted afterwards, because the order of threads varies
KERNEL(count_above, (const Int32* below, Int32* count),
       for (int k = 0; k < 3; ++k) if (below[3 * i + k] != NONE) count_one(count + below[3 * i + k]))
KERNEL(fill_above, (const Int32* below, const Index* offsets, Int32* filled, Int32* above),
       for (int k = 0; k < 3; ++k) if (below[3 * i + k] != NONE) {
         const Int32 to = below[3 * i + k];
         above[offsets[to] + count_one(filled + to)] = (Int32)i;
       })
KERNEL(sort_above, (const Index* offsets, Int32* above), sort_list(above + offsets[i], offsets[i + 1] - offsets[i]))

// === backward: nodes that lead to a critical edge; seeds and keys are terminals
struct BackSteps : BitMarks {
  const Index* offsets;
  const Int32* above;

  ITEM_MEMBER BackSteps(const Index* offsets, const Int32* above, Word* marks)
      : BitMarks{marks}, offsets(offsets), above(above) {}
  template <class Walking> ITEM_MEMBER void leave(Index terminal, Walking& walk) const {
    for (Index at = offsets[terminal]; at < offsets[terminal + 1]; ++at) walk.reach(above[at]);
  }
  template <class Walking> ITEM_MEMBER void start(Index terminal, Walking& walk) const { leave(terminal, walk); }
};
COARSE_KERNEL(mark_nodes_from_sinks, (const Index* offsets, const Int32* above, const Int32* sinks, Int32 max_steps,
                                      Word* marks, Index capacity, Index* queue, Index* counters),
              mark_from_seed(BackSteps(offsets, above, marks), sinks[i], max_steps, capacity, queue, counters))
#if ON_GPU
extern "C" __global__ void __launch_bounds__(MARK_THREADS) mark_nodes_from_queue(
    const Index* offsets, const Int32* above, const Index* waiting, Index n_waiting, Int32 share, Int32 max_turns,
    Word* marks, Index capacity, Index* queue, Index* counters) {
  mark_by_blocks(BackSteps(offsets, above, marks), waiting, n_waiting, share, max_turns, capacity, queue, counters);
}
#else
COARSE_KERNEL(mark_nodes_from_queue, (const Index* offsets, const Int32* above, const Index* waiting, Int32 max_steps,
                                      Word* marks, Index capacity, Index* queue, Index* counters),
              mark_from_key(BackSteps(offsets, above, marks), waiting[i], max_steps, capacity, queue, counters))
#endif
KERNEL(mark_nodes_again, (const Index* offsets, const Int32* above, Int32 max_steps, Word* marks, Index capacity,
                          Index* queue, Index* counters),
       if (has_bit(marks, i))
         mark_from_key(BackSteps(offsets, above, marks), i, max_steps, capacity, queue, counters))
// Removes nodes that lead to no critical edge.
ITEM void prune_node(const Word* marks, Int32 n_nodes, Int32* below) {
  for (int k = 0; k < 3; ++k)
    if (below[k] != NONE && below[k] < n_nodes && !has_bit(marks, below[k])) below[k] = NONE;
}
KERNEL(prune_path_nodes, (const Word* marks, Int32 n_nodes, Int32* below), prune_node(marks, n_nodes, below + 3 * i))

// === the minor: chains of nodes that lead to one node only are contracted (cubical/connector_minor.h)
// Out: slots as in cubical/connector_minor.h, junctions not yet named; is_junction, of nodes that are not sources.
ITEM void link_slot(const Int32* below, Int32 n_nodes, bool is_source, Int32* slot, Byte* is_junction) {
  Int32 n = 0, to = NONE;
  for (int k = 0; k < 3; ++k)
    if (below[k] != NONE) to = below[k], ++n;
  *is_junction = n > 1 && !is_source;
  *slot = n != 1 || is_source ? (Int32)NONE : to < n_nodes ? to : label_code(to - n_nodes);
}
KERNEL(link_slots, (const Int32* below, Int32 n_nodes, const Int32* own_edge, Int32* slots, Byte* is_junction),
       link_slot(below + 3 * i, n_nodes, own_edge[i] == NONE, slots + i, is_junction + i))
KERNEL(name_junctions, (const Index* junctions, Int32 n_sinks, Int32* slots),
       slots[junctions[i]] = label_code(n_sinks + (Int32)i))
// Out: the terminals at which chains from a node end, NONE after the last.
ITEM void follow_node(const Int32* below, Int32 n_nodes, const Int32* slots, int width, Int32* terminals) {
  int n = 0;
  for (int k = 0; k < 3; ++k)
    if (below[k] != NONE) terminals[n++] = below[k] < n_nodes ? label_code(slots[below[k]]) : below[k] - n_nodes;
  for (; n < width; ++n) terminals[n] = NONE;
}
KERNEL(follow_path_nodes, (const Int32* below, Int32 n_nodes, const Int32* slots, const Index* nodes, Int32 width,
                           Int32* terminals),
       follow_node(below + 3 * nodes[i], n_nodes, slots, width, terminals + width * i))
