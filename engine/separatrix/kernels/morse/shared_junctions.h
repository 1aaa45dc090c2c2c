// Minors of pieces (pieces/connectors.py): the junctions that paths from some terminals reach, and names.
//
// Terminals are n_sinks sinks, then the junctions. A junction has up to three successors; NONE follows the last
// one. Names are numbers over all pieces: of 1-saddles, then of ports, then of junctions.
#pragma once
#include "morse/marking.h"

// Each byte of the marks is 1 if its junction is reached.
struct JunctionSteps {
  const Int32* successors;
  Int32 n_sinks;
  Word* marks;

  ITEM_MEMBER static Word bit(Index junction) { return (Word)1 << 8 * (junction & 3); }
  ITEM_MEMBER bool mark(Index junction) const {
    Word* word = marks + (junction >> 2);
    return !(marks_at(word) & bit(junction)) && !(fetch_or(word, bit(junction)) & bit(junction));
  }
  ITEM_MEMBER void take_back(Index junction) const { ::take_back(marks + (junction >> 2), bit(junction)); }
  template <class Walking> ITEM_MEMBER void start(Index terminal, Walking& walk) const {
    if (terminal >= n_sinks) walk.reach(terminal - n_sinks);
  }
  template <class Walking> ITEM_MEMBER void leave(Index junction, Walking& walk) const {
    for (int k = 0; k < 3; ++k) start(successors[3 * junction + k], walk);
  }
};

COARSE_KERNEL(reach_from_terminals, (const Int32* successors, Int32 n_sinks, const Index* terminals, Int32 max_steps,
                                     Word* marks, Index capacity, Index* queue, Index* counters),
              mark_from_seed(JunctionSteps{successors, n_sinks, marks}, terminals[i], max_steps, capacity, queue, counters))

#if ON_GPU
extern "C" __global__ void __launch_bounds__(MARK_THREADS) reach_from_queue(
    const Int32* successors, Int32 n_sinks, const Index* waiting, Index n_waiting, Int32 share, Int32 max_turns,
    Word* marks, Index capacity, Index* queue, Index* counters) {
  mark_by_blocks(JunctionSteps{successors, n_sinks, marks}, waiting, n_waiting, share, max_turns, capacity, queue, counters);
}
#else
COARSE_KERNEL(reach_from_queue, (const Int32* successors, Int32 n_sinks, const Index* waiting, Int32 max_steps,
                                 Word* marks, Index capacity, Index* queue, Index* counters),
              mark_from_key(JunctionSteps{successors, n_sinks, marks}, waiting[i], max_steps, capacity, queue, counters))
#endif

// After a loss: continue from every reached junction again.
ITEM void reach_from_junction(JunctionSteps steps, Index junction, Int32 max_steps, Index capacity, Index* queue,
                              Index* counters) {
  if (marks_at(steps.marks + (junction >> 2)) & JunctionSteps::bit(junction))
    mark_from_key(steps, junction, max_steps, capacity, queue, counters);
}
KERNEL(reach_again, (const Int32* successors, Int32 n_sinks, Int32 max_steps, Word* marks, Index capacity,
                     Index* queue, Index* counters),
       reach_from_junction({successors, n_sinks, marks}, i, max_steps, capacity, queue, counters))

// Names of the first `width` terminals of each row of `of`; those of NONE and of all terminals are in the table.
KERNEL(name_terminals, (const Int32* terminals, Int32 of, Int32 width, const Int32* table, Int32* names),
       names[i] = table[1 + terminals[i / width * of + i % width]])
// A piece counts its shared junctions from first_shared on; those of earlier pieces come first.
KERNEL(rename_junctions, (const Int32* names, Int32 first_shared, Int32 n_before, Int32* renamed),
       renamed[i] = names[i] + (names[i] >= first_shared ? n_before : 0))
