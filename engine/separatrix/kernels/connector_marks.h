// Squares on V-paths from 2-saddles to 1-saddles of a volume, as marks on a byte a vertex.
//
// A V-path leaves a critical square by an edge, goes on at the square that the edge is paired with, and
// so on, until the edge is critical. First, forward: squares that a critical square reaches. Then, from
// critical edges backward: those of them that lead to one, and so are on a V-path. (The other way round
// marks 1.4 to 2 times as many squares first, on noisy data.) Bit `axis` of a vertex's byte says reached,
// bit 3 + axis on a V-path, of the square anchored there that does not extend along the axis.
//
// Who sets a mark goes on from there. On the host every thread walks depth first from a seed with a
// small stack, on a GPU a block walks breadth first, its lanes sharing what waits in shared memory. What
// finds no room there, or is left after max_steps, waits in a queue for the next launch.
// If the queue is full too, the mark is taken back and counted as lost: all marked squares are walked
// again then. Which thread comes first does not matter: the set of marks is that of reachable squares.
// Subhash, Pandey, Natarajan 2020, section 3.2, mark from one side, a level a launch.
#pragma once
#include "surfaces.h"

#if ON_GPU
ITEM Word marks_at(const Word* word) { return *(const volatile Word*)word; }
ITEM Word fetch_or(Word* word, Word bits) { return atomicOr(word, bits); }
ITEM void take_back(Word* word, Word bits) { atomicAnd(word, ~bits); }
ITEM void set_marks(Word* word, Word bits) { *(volatile Word*)word = bits; }
enum { WALK_STACK = 24 };
#else
ITEM Word marks_at(const Word* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
ITEM Word fetch_or(Word* word, Word bits) { return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED); }
ITEM void take_back(Word* word, Word bits) { __atomic_fetch_and(word, ~bits, __ATOMIC_RELAXED); }
ITEM void set_marks(Word* word, Word bits) { __atomic_store_n(word, bits, __ATOMIC_RELAXED); }
enum { WALK_STACK = 512 };
#endif

constexpr Word REACHED_MARKS = 0x07070707u, PATH_MARKS = 0x38383838u;  // of the four vertices of a word
enum { REACHED = 0, ON_PATH = 3 };

ITEM Word mark_bit(Int32 v, int mark) { return (Word)1 << (8 * (v & 3) + mark); }
ITEM bool is_marked(const Word* marks, Int32 v, int mark) { return marks_at(marks + (v >> 2)) & mark_bit(v, mark); }
// True for exactly one of those who set it.
ITEM bool set_mark(Word* marks, Int32 v, int mark) {
  return !is_marked(marks, v, mark) && !(fetch_or(marks + (v >> 2), mark_bit(v, mark)) & mark_bit(v, mark));
}

ITEM Index square_key(Grid grid, Cell square) {
  return (Index)vertex_id(grid, square.anchor) << 2 | axis_of_type(square.type);
}
ITEM Cell square_of_key(Grid grid, Index key) {
  return {vertex_at(grid, (Int32)(key >> 2)), type_of_axis((int)(key & 3), 2)};
}

// Where the squares wait that a thread has marked and goes on from.
struct Stack {
  int n = 0;
  Index keys[WALK_STACK];
  ITEM_MEMBER bool put(Index key) {
    if (n == WALK_STACK) return false;
    keys[n++] = key;
    return true;
  }
};

template <class Room>
struct Walk {
  Grid grid;
  const Word* words;
  Word* marks;
  Index capacity;
  Index* queue;
  Index* counters;  // waiting in the queue; lost
  Room room;

  ITEM_MEMBER int direction(Cell cell) const { return direction_of(words[vertex_id(grid, cell.anchor)], cell.type); }

  ITEM_MEMBER void wait(Index key, int mark) {
    Index at = add_to(counters, 1);
    if (at < capacity) {
      queue[at] = key;
    } else {
      take_back(marks + (key >> 4), mark_bit((Int32)(key >> 2), mark + (int)(key & 3)));
      add_to(counters + 1, 1);
    }
  }
  ITEM_MEMBER void reach(Cell square, int mark) {
    if (!set_mark(marks, vertex_id(grid, square.anchor), mark + axis_of_type(square.type))) return;
    Index key = square_key(grid, square);
    if (!room.put(key)) wait(key, mark);
  }
  // Reached squares whose V-paths pass the edge next: cofacets that are paired with another edge.
  ITEM_MEMBER void back_from(Cell edge) {
    for (int axis = 0; axis < 3; ++axis) {
      if (edge.type >> axis & 1) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        Cell square = stepped(grid, edge, axis, sign);
        if (!exists(grid, square)) continue;
        int to = direction(square);
        if (to == CRITICAL || !(square.type >> axis_of(to) & 1)) continue;
        if (axis_of(to) == axis && sign_of(to) == -sign) continue;  // the edge's own partner
        if (is_marked(marks, vertex_id(grid, square.anchor), axis_of_type(square.type))) reach(square, ON_PATH);
      }
    }
  }
  // Squares that V-paths from a square pass next: edges other than its partner lead there.
  ITEM_MEMBER void forth_from(Cell square) {
    const int partner = direction(square);
    for (int axis = 0; axis < 3; ++axis) {
      if (!(square.type >> axis & 1)) continue;
      for (int sign = -1; sign <= 1; sign += 2) {
        if (axis_of(partner) == axis && sign_of(partner) == sign) continue;
        Cell edge = stepped(grid, square, axis, sign);
        int to = direction(edge);
        if (to == CRITICAL) continue;
        Cell onward = stepped(grid, edge, axis_of(to), sign_of(to));
        if (population((Word)onward.type) == 2) reach(onward, REACHED);
      }
    }
  }
  ITEM_MEMBER void leave(Cell square, int mark) {
    if (mark == REACHED) return forth_from(square);
    int to = direction(square);
    back_from(stepped(grid, square, axis_of(to), sign_of(to)));
  }
};

// Depth first, as far as max_steps goes.
ITEM void walk_on(Walk<Stack>& walk, int mark, Int32 max_steps) {
  Stack& stack = walk.room;
  for (Int32 step = 0; stack.n && step < max_steps; ++step)
    walk.leave(square_of_key(walk.grid, stack.keys[--stack.n]), mark);
  while (stack.n) walk.wait(stack.keys[--stack.n], mark);
}
// `mark` is REACHED, forward from critical squares, or ON_PATH, backward from critical edges.
ITEM void mark_from_saddle(Grid grid, const Word* words, Int32 mark, Index saddle, Int32 max_steps, Word* marks,
                           Index capacity, Index* queue, Index* counters) {
  Walk<Stack> walk = {grid, words, marks, capacity, queue, counters, {}};
  Cell cell = cell_at(grid, saddle);
  if (mark == REACHED) walk.forth_from(cell);
  else walk.back_from(cell);
  walk_on(walk, mark, max_steps);
}
ITEM void mark_from_square(Grid grid, const Word* words, Int32 mark, Index key, Int32 max_steps, Word* marks,
                           Index capacity, Index* queue, Index* counters) {
  Walk<Stack> walk = {grid, words, marks, capacity, queue, counters, {}};
  walk.leave(square_of_key(grid, key), mark);
  walk_on(walk, mark, max_steps);
}
KERNEL(mark_from_saddles, (Grid grid, const Word* words, Int32 mark, const Index* saddles, Int32 max_steps, Word* marks,
                           Index capacity, Index* queue, Index* counters),
       mark_from_saddle(grid, words, mark, saddles[i], max_steps, marks, capacity, queue, counters))

#if ON_GPU

enum { MARK_THREADS = 256, MARK_ROOM = 2048 };

// What a block reaches in a turn, in shared memory.
struct Turn {
  Index* keys;
  Int32* n;
  ITEM_MEMBER bool put(Index key) {
    Int32 at = atomicAdd(n, 1);
    if (at >= MARK_ROOM) return false;
    keys[at] = key;
    return true;
  }
};

// In each turn the lanes leave all squares that the block holds, and take `share` from those that wait
// while it holds fewer. When none waits any more, max_turns are left; what is held then waits for others.
extern "C" __global__ void __launch_bounds__(MARK_THREADS) mark_from_queue(
    Grid grid, const Word* words, Int32 mark, const Index* waiting, Index n_waiting, Int32 share, Int32 max_turns,
    Word* marks, Index capacity, Index* queue, Index* counters) {
  __shared__ Index held[2][MARK_ROOM];
  __shared__ Int32 n_held[2], n_taken;
  __shared__ Index taken;
  const Int32 thread = threadIdx.x;
  if (thread < 2) n_held[thread] = 0;
  Int32 turns_left = max_turns;
  __syncthreads();
  for (int now = 0;; now ^= 1) {
    const Int32 n_before = n_held[now] < MARK_ROOM ? n_held[now] : MARK_ROOM;
    if (thread == 0) {
      n_taken = 0;
      if (n_before < share && turns_left == max_turns) {
        taken = add_to(counters + 2, share);
        n_taken = taken >= n_waiting ? 0 : n_waiting - taken < share ? (Int32)(n_waiting - taken) : share;
      }
      n_held[now ^ 1] = 0;
    }
    __syncthreads();
    const Int32 n = n_before + n_taken;
    if (n_before < share && n_taken < share) --turns_left;
    for (Int32 k = thread; k < n_taken; k += MARK_THREADS) held[now][n_before + k] = waiting[taken + k];
    __syncthreads();
    if (n == 0) return;
    Walk<Turn> walk = {grid, words, marks, capacity, queue, counters, {held[now ^ 1], &n_held[now ^ 1]}};
    for (Int32 k = thread; k < n; k += MARK_THREADS)
      if (turns_left < 0) walk.wait(held[now][k], mark);
      else walk.leave(square_of_key(grid, held[now][k]), mark);
    __syncthreads();
    if (turns_left < 0) return;
  }
}

#else

COARSE_KERNEL(mark_from_queue, (Grid grid, const Word* words, Int32 mark, const Index* waiting, Int32 max_steps,
                                Word* marks, Index capacity, Index* queue, Index* counters),
              mark_from_square(grid, words, mark, waiting[i], max_steps, marks, capacity, queue, counters))

#endif

// After a loss: every marked square of a vertex is walked from again.
ITEM void mark_from_vertex(Grid grid, const Word* words, Int32 mark, Int32 v, Int32 max_steps, Word* marks,
                           Index capacity, Index* queue, Index* counters) {
  for (int axis = 0; axis < 3; ++axis)
    if (is_marked(marks, v, mark + axis))
      mark_from_square(grid, words, mark, (Index)v << 2 | axis, max_steps, marks, capacity, queue, counters);
}
KERNEL(mark_again, (Grid grid, const Word* words, Int32 mark, Int32 max_steps, Word* marks, Index capacity,
                    Index* queue, Index* counters),
       mark_from_vertex(grid, words, mark, (Int32)i, max_steps, marks, capacity, queue, counters))
