// Squares on V-paths from 2-saddles to 1-saddles of a volume, as marks in one byte per vertex.
//
// A V-path leaves a critical square by an edge, continues at the square that the edge is paired with, and
// so on, until the edge is critical. Squares that are reachable from a critical square are marked first, forward.
// Then, backward from critical edges, those that lead to one, which are on a V-path. (On noisy data, the reverse
// order marks 1.4 to 2 times as many squares in the first step.) Bit `axis` of a vertex's byte means reachable,
// and bit 3 + axis on a V-path, for the square anchored there that does not extend along the axis.
//
// At a level, only squares can be on V-paths between saddles that were on one, or 2-saddles, in the raw complex:
// a square on a reversed path was reachable from its 2-saddle and led to its 1-saddle. Their bits are set at first.
//
// Subhash, Pandey, Natarajan 2020, section 3.2, mark from one side, one level per launch.
#pragma once
#include "cubical/surfaces.h"
#include "morse/marking.h"

constexpr Word PATH_MARKS = 0x38383838u;  // of the four vertices of a word
enum { REACHED = 0, ON_PATH = 3, REACHED_WITHIN = 6 };  // the last: if the bit on a V-path is set

ITEM Word mark_bit(Anchor v, int mark) { return (Word)1 << (8 * (v & 3) + mark); }
ITEM bool is_marked(const Word* marks, Anchor v, int mark) { return marks_at(marks + (v >> 2)) & mark_bit(v, mark); }
// True for exactly one of the threads that set it.
ITEM bool set_mark(Word* marks, Anchor v, int mark) {
  return !is_marked(marks, v, mark) && !(fetch_or(marks + (v >> 2), mark_bit(v, mark)) & mark_bit(v, mark));
}

ITEM Index square_key(Grid grid, Cell square) {
  return (Index)vertex_id(grid, square.anchor) << 2 | axis_of_type(square.type);
}
ITEM Cell square_of_key(Grid grid, Index key) {
  return {vertex_at(grid, (Anchor)(key >> 2)), type_of_axis((int)(key & 3), 2)};
}

// Steps of a walk over squares in the direction `way`: REACHED or REACHED_WITHIN, forward from critical squares, or
// ON_PATH, backward from critical edges.
struct GridSteps {
  Grid grid;
  const Word* words;
  Int32 way;
  Word* marks;

  ITEM_MEMBER int direction(Cell cell) const { return direction_of(words[vertex_id(grid, cell.anchor)], cell.type); }
  ITEM_MEMBER bool is_forward() const { return way != ON_PATH; }
  ITEM_MEMBER int bit(Index key) const { return (way == ON_PATH ? ON_PATH : REACHED) + (int)(key & 3); }
  ITEM_MEMBER bool mark(Index key) const {
    const Anchor v = (Anchor)(key >> 2);
    return (way != REACHED_WITHIN || is_marked(marks, v, ON_PATH + (int)(key & 3))) && set_mark(marks, v, bit(key));
  }
  ITEM_MEMBER void take_back(Index key) const { ::take_back(marks + (key >> 4), mark_bit((Anchor)(key >> 2), bit(key))); }
  // Reachable squares from which V-paths continue to the edge: cofacets paired with another edge.
  template <class Walking> ITEM_MEMBER void back_from(Cell edge, Walking& walk) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (edge.type >> axis & 1) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        Cell square = stepped(grid, edge, axis, sign);
        if (!exists(grid, square)) continue;
        int to = direction(square);
        if (to == CRITICAL || to == NO_CELL || !(square.type >> axis_of(to) & 1)) continue;
        if (axis_of(to) == axis && sign_of(to) == -sign) continue;  // the edge's own partner
        if (is_marked(marks, vertex_id(grid, square.anchor), axis_of_type(square.type))) walk.reach(square_key(grid, square));
      }
    }
  }
  // Squares to which V-paths from a square continue, through the edges except its partner.
  template <class Walking> ITEM_MEMBER void forth_from(Cell square, Walking& walk) const {
    const int partner = direction(square);
    for (int axis = 0; axis < 3; ++axis) {
      if (!(square.type >> axis & 1)) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        if (axis_of(partner) == axis && sign_of(partner) == sign) continue;
        Cell edge = stepped(grid, square, axis, sign);
        int to = direction(edge);
        if (to == CRITICAL) continue;
        Cell onward = stepped(grid, edge, axis_of(to), sign_of(to));
        if (population((Word)onward.type) == 2) walk.reach(square_key(grid, onward));
      }
    }
  }
  template <class Walking> ITEM_MEMBER void start(Index saddle, Walking& walk) const {
    Cell cell = cell_at(grid, saddle);
    if (is_forward()) forth_from(cell, walk);
    else back_from(cell, walk);
  }
  template <class Walking> ITEM_MEMBER void leave(Index key, Walking& walk) const {
    Cell square = square_of_key(grid, key);
    if (is_forward()) return forth_from(square, walk);
    int to = direction(square);
    back_from(stepped(grid, square, axis_of(to), sign_of(to)), walk);
  }
};

COARSE_KERNEL(mark_from_saddles, (Grid grid, const Word* words, Int32 mark, const Index* saddles, Int32 max_steps,
                                  Word* marks, Index capacity, Index* queue, Index* counters),
              mark_from_seed(GridSteps{grid, words, mark, marks}, saddles[i], max_steps, capacity, queue, counters))

#if ON_GPU
extern "C" __global__ void __launch_bounds__(MARK_THREADS) mark_from_queue(
    Grid grid, const Word* words, Int32 mark, const Index* waiting, Index n_waiting, Int32 share, Int32 max_turns,
    Word* marks, Index capacity, Index* queue, Index* counters) {
  mark_by_blocks(GridSteps{grid, words, mark, marks}, waiting, n_waiting, share, max_turns, capacity, queue, counters);
}
#else
COARSE_KERNEL(mark_from_queue, (Grid grid, const Word* words, Int32 mark, const Index* waiting, Int32 max_steps,
                                Word* marks, Index capacity, Index* queue, Index* counters),
              mark_from_key(GridSteps{grid, words, mark, marks}, waiting[i], max_steps, capacity, queue, counters))
#endif

KERNEL(mark_saddles, (Grid grid, const Index* saddles, Word* marks),
       const Index key = square_key(grid, cell_at(grid, saddles[i]));
       set_mark(marks, (Anchor)(key >> 2), ON_PATH + (int)(key & 3)))

// After a loss: continue from every marked square of a vertex again.
ITEM void mark_from_vertex(GridSteps steps, Anchor v, Int32 max_steps, Index capacity, Index* queue, Index* counters) {
  for (int axis = 0; axis < 3; ++axis)
    if (is_marked(steps.marks, v, steps.bit(axis)))
      mark_from_key(steps, (Index)v << 2 | axis, max_steps, capacity, queue, counters);
}
KERNEL(mark_again, (Grid grid, const Word* words, Int32 mark, Int32 max_steps, Word* marks, Index capacity,
                    Index* queue, Index* counters),
       mark_from_vertex({grid, words, mark, marks}, (Anchor)i, max_steps, capacity, queue, counters))
