// Marks the cells that V-paths reach from seeds: the walk itself, independent of geometry.
//
// `Steps` stores the marks and the successors of a marked cell; a cell is a key. The thread that sets a mark
// continues from there. On the host every thread walks depth first from a seed with a small stack; on a GPU a
// block walks breadth first, and its lanes share a list in shared memory. Cells that do not fit there, or are
// left after max_steps, wait in a queue for the next launch.
// If the queue is full, the mark is removed and counted as lost, and all marked cells are processed again. The
// marks are the set of reachable cells, so the order of threads does not matter.
//
// `Steps` provides mark(key), which is true for exactly one of the threads that set it, take_back(key), and the
// successors of a seed and of a marked cell: start(seed, walk) and leave(key, walk) call walk.reach(key) for each.
#pragma once
#include "common/types.h"

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

// The cells that a thread has marked and continues from.
struct Stack {
  int n = 0;
  Index keys[WALK_STACK];
  ITEM_MEMBER bool put(Index key) {
    if (n == WALK_STACK) return false;
    keys[n++] = key;
    return true;
  }
};

template <class Steps, class Room>
struct Walk {
  Steps steps;
  Index capacity;
  Index* queue;
  Index* counters;  // waiting in the queue; lost
  Room room;

  ITEM_MEMBER void wait(Index key) {
    Index at = add_to(counters, 1);
    if (at < capacity) {
      queue[at] = key;
    } else {
      steps.take_back(key);
      add_to(counters + 1, 1);
    }
  }
  ITEM_MEMBER void reach(Index key) {
    if (steps.mark(key) && !room.put(key)) wait(key);
  }
};

// Depth first, at most max_steps.
template <class Steps>
ITEM void walk_on(Walk<Steps, Stack>& walk, Int32 max_steps) {
  Stack& stack = walk.room;
  for (Int32 step = 0; stack.n && step < max_steps; ++step) walk.steps.leave(stack.keys[--stack.n], walk);
  while (stack.n) walk.wait(stack.keys[--stack.n]);
}
template <class Steps>
ITEM void mark_from_seed(Steps steps, Index seed, Int32 max_steps, Index capacity, Index* queue, Index* counters) {
  Walk<Steps, Stack> walk = {steps, capacity, queue, counters, {}};
  walk.steps.start(seed, walk);
  walk_on(walk, max_steps);
}
template <class Steps>
ITEM void mark_from_key(Steps steps, Index key, Int32 max_steps, Index capacity, Index* queue, Index* counters) {
  Walk<Steps, Stack> walk = {steps, capacity, queue, counters, {}};
  walk.steps.leave(key, walk);
  walk_on(walk, max_steps);
}

#if ON_GPU
enum { MARK_THREADS = 256, MARK_ROOM = 2048 };

// The cells that a block reaches in a turn, in shared memory.
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

// In each turn the lanes process all cells of the block's list, and take `share` waiting cells if it has fewer.
// When the queue is empty, max_turns remain; the cells that are left then wait for the next launch.
template <class Steps>
ITEM void mark_by_blocks(Steps steps, const Index* waiting, Index n_waiting, Int32 share, Int32 max_turns,
                         Index capacity, Index* queue, Index* counters) {
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
    Walk<Steps, Turn> walk = {steps, capacity, queue, counters, {held[now ^ 1], &n_held[now ^ 1]}};
    for (Int32 k = thread; k < n; k += MARK_THREADS)
      if (turns_left < 0) walk.wait(held[now][k]);
      else walk.steps.leave(held[now][k], walk);
    __syncthreads();
    if (turns_left < 0) return;
  }
}
#endif
