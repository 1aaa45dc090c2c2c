// V-paths from sources with paths to more terminals than the table of one thread holds.
//
// On a GPU a warp or a block counts a source in a table of fixed size; on the host a thread uses a table that
// grows. connector_paths.h defines the count. Entries that do not fit in the pool are only counted in n_used.
#pragma once
#include "common/hash_set.h"
#include "morse/connector_paths.h"

#if !ON_GPU
  #include <algorithm>
  #include <new>
  #include <vector>
#endif

#if ON_GPU
enum { LARGE_THREADS = 128, WARP = 32, MIDDLE_REACH = 256 };

// A table of a group: terminals in their slots, NONE if free, and the slots in use.
struct LargeReach {
  Int32 n_slots, capacity;  // capacity: half of them, a power of two
  Int32* terminal;
  Int32* waits_for;
  Wide* paths;
  Int32* used;
  Int32* ready;
  Int32* size;  // shared by the group: slots in use, ready ones, whether the table overflowed
  Int32* n_ready;
  Int32* is_full;

  ITEM_MEMBER Int32 place_of(Int32 wanted) {  // as in common/hash_set.h
    Word mask = (Word)n_slots - 1, slot = (Word)mixed((Wide)wanted) & mask;
    while (true) {
      Int32 held = peek(terminal + slot);
      if (held == NONE) held = atomicCAS(terminal + slot, (Int32)NONE, wanted);
      if (held == wanted) return (Int32)slot;
      if (held == NONE) break;
      slot = (slot + 1) & mask;
    }
    Int32 at = atomicAdd(size, 1);  // at most 3 per thread beyond the capacity: there are twice as many slots
    if (at < capacity) used[at] = (Int32)slot;
    else *(volatile Int32*)is_full = 1;
    return (Int32)slot;
  }
  ITEM_MEMBER void add_paths(Int32 at, Wide more) {
    Wide held = peek(paths + at), seen;
    while ((seen = exchange_if(paths + at, held, saturating_sum(held, more))) != held) held = seen;
  }
  ITEM_MEMBER void make_ready(Int32 at) { ready[atomicAdd(n_ready, 1)] = at; }
};

// The threads that count one source together: a warp, or a block.
template <int SIZE>
struct ThreadGroup {
  ITEM_MEMBER static int lane() { return threadIdx.x % SIZE; }
  ITEM_MEMBER static void sync() {
    if (SIZE == WARP) __syncwarp();
    else __syncthreads();
  }
  ITEM_MEMBER static bool any(bool here) { return SIZE == WARP ? __any_sync(~0u, here) : __syncthreads_or(here); }
};

// Lanes take the terminals found in the previous turn, until a turn finds none.
template <int SIZE>
ITEM bool reach_from(const Minor& minor, Index source, LargeReach& reached) {
  const int lane = ThreadGroup<SIZE>::lane();
  if (lane < 4 && minor.starts[4 * source + lane] != NONE)
    reached.add_paths(reached.place_of(minor.starts[4 * source + lane]), 1);
  ThreadGroup<SIZE>::sync();
  for (Int32 begin = 0, end = peek(reached.size); begin < end; begin = end, end = peek(reached.size)) {
    ThreadGroup<SIZE>::sync();  // every thread has read the end before it changes
    for (Int32 turn = begin; turn < end; turn += SIZE) {
      Int32 terminal = turn + lane < end ? peek(reached.terminal + peek(reached.used + turn + lane)) : 0;
      if (terminal >= minor.n_sinks) {
        const Int32* onward = minor.successors + 3 * (Index)(terminal - minor.n_sinks);
        for (int s = 0; s < 3 && onward[s] != NONE; ++s) atomicAdd(reached.waits_for + reached.place_of(onward[s]), 1);
      }
      ThreadGroup<SIZE>::sync();
      if (ThreadGroup<SIZE>::any(peek(reached.is_full))) return false;
    }
  }
  return true;
}
template <int SIZE>
ITEM void pass_on(const Minor& minor, LargeReach& reached) {
  const int lane = ThreadGroup<SIZE>::lane();
  const Int32 n_reached = peek(reached.size);
  for (Int32 k = lane; k < n_reached; k += SIZE) {
    Int32 at = peek(reached.used + k);
    if (!peek(reached.waits_for + at) && peek(reached.terminal + at) >= minor.n_sinks) reached.make_ready(at);
  }
  ThreadGroup<SIZE>::sync();
  for (Int32 begin = 0, end = peek(reached.n_ready); begin < end; begin = end, end = peek(reached.n_ready)) {
    ThreadGroup<SIZE>::sync();
    for (Int32 k = begin + lane; k < end; k += SIZE) {
      Int32 from = peek(reached.ready + k);
      Wide paths = peek(reached.paths + from);
      const Int32* onward = minor.successors + 3 * (Index)(peek(reached.terminal + from) - minor.n_sinks);
      for (int s = 0; s < 3 && onward[s] != NONE; ++s) {
        Int32 at = reached.place_of(onward[s]);
        reached.add_paths(at, paths);
        __threadfence_block();
        if (atomicSub(reached.waits_for + at, 1) == 1 && onward[s] >= minor.n_sinks) reached.make_ready(at);
      }
    }
    ThreadGroup<SIZE>::sync();
  }
}
// Writes the entries of the sinks to the pool and empties the table.
template <int SIZE>
ITEM void put_large_row(const Minor& minor, LargeReach& reached, bool is_counted, Index source, Index capacity,
                        Int32* length, Wide* entries, Wide* entry_paths, Index* n_used) {
  const int lane = ThreadGroup<SIZE>::lane();
  const Int32 n_reached = peek(reached.size);
  if (is_counted) {
    if (lane == 0) poke(length + source, 0);
    Int32 n_mine = 0;
    for (Int32 k = lane; k < n_reached; k += SIZE)
      n_mine += peek(reached.terminal + peek(reached.used + k)) < minor.n_sinks;
    ThreadGroup<SIZE>::sync();
    Index at = reserve(n_used, n_mine);
    for (Int32 k = lane; k < n_reached; k += SIZE) {
      Int32 slot = peek(reached.used + k), terminal = peek(reached.terminal + slot);
      if (terminal >= minor.n_sinks) continue;
      if (at < capacity) entries[at] = (Wide)source << 32 | (Wide)terminal, entry_paths[at] = peek(reached.paths + slot);
      ++at;
    }
    if (n_mine) atomicAdd(length + source, n_mine);
    ThreadGroup<SIZE>::sync();  // every thread has read the table
  }
  // After an overflow some slots in use are not listed, so all are emptied.
  const Int32 n_emptied = is_counted ? n_reached : reached.n_slots;
  for (Int32 k = lane; k < n_emptied; k += SIZE) {
    Int32 slot = is_counted ? peek(reached.used + k) : k;
    poke(reached.terminal + slot, NONE);
    poke(reached.waits_for + slot, 0);
    *(volatile Wide*)(reached.paths + slot) = 0;
  }
  __threadfence_block();
  ThreadGroup<SIZE>::sync();
}
// A counter assigns rows to the groups one by one.
template <int SIZE>
ITEM void count_rows(const Minor& minor, LargeReach& reached, Int32* next, const Index* rows, Index n_rows,
                     Index capacity, Int32* length, Wide* entries, Wide* entry_paths, Index* counters) {
  while (true) {
    if (ThreadGroup<SIZE>::lane() == 0) {
      poke(next, (Int32)add_to(counters + 1, 1));
      poke(reached.size, 0);
      poke(reached.n_ready, 0);
      poke(reached.is_full, 0);
    }
    ThreadGroup<SIZE>::sync();
    const Int32 row = peek(next);
    if (row >= n_rows) return;
    const Index source = rows[row];
    bool is_counted = reach_from<SIZE>(minor, source, reached);
    if (is_counted) pass_on<SIZE>(minor, reached);
    ThreadGroup<SIZE>::sync();
    put_large_row<SIZE>(minor, reached, is_counted, source, capacity, length, entries, entry_paths, counters);
  }
}

// Out: entries (source << 32 | sink) with their paths, unordered; length stays NONE if the table is
// too small. First one warp per source, with a table in shared memory.
extern "C" __global__ void __launch_bounds__(LARGE_THREADS) count_middle_reaches(
    const Int32* starts, const Int32* successors, Int32 n_sinks, const Index* rows, Index n_rows, Index capacity,
    Int32* length, Wide* entries, Wide* entry_paths, Index* counters) {
  enum { WARPS = LARGE_THREADS / WARP, SLOTS = 2 * MIDDLE_REACH };
  __shared__ Wide paths[WARPS][SLOTS];
  __shared__ Int32 terminal[WARPS][SLOTS], waits_for[WARPS][SLOTS], used[WARPS][MIDDLE_REACH], ready[WARPS][MIDDLE_REACH];
  __shared__ Int32 state[WARPS][4];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  for (Int32 slot = lane; slot < SLOTS; slot += WARP) {
    terminal[warp][slot] = NONE;
    waits_for[warp][slot] = 0;
    paths[warp][slot] = 0;
  }
  __syncwarp();
  const Minor minor = {starts, successors, n_sinks};
  LargeReach reached = {SLOTS, MIDDLE_REACH, terminal[warp], waits_for[warp], paths[warp], used[warp], ready[warp],
                        state[warp], state[warp] + 1, state[warp] + 2};
  count_rows<WARP>(minor, reached, state[warp] + 3, rows, n_rows, capacity, length, entries, entry_paths, counters);
}
// Then one block per source, with 2 * reach_capacity slots in global memory: terminal NONE, waits_for and paths 0.
extern "C" __global__ void __launch_bounds__(LARGE_THREADS) count_large_reaches(
    const Int32* starts, const Int32* successors, Int32 n_sinks, const Index* rows, Index n_rows, Int32 reach_capacity,
    Int32* terminal, Int32* waits_for, Wide* paths, Int32* used, Int32* ready, Index capacity, Int32* length,
    Wide* entries, Wide* entry_paths, Index* counters) {
  __shared__ Int32 state[4];
  const Index table = blockIdx.x;
  const Minor minor = {starts, successors, n_sinks};
  LargeReach reached = {2 * reach_capacity, reach_capacity,
                        terminal + table * 2 * reach_capacity, waits_for + table * 2 * reach_capacity,
                        paths + table * 2 * reach_capacity, used + table * reach_capacity,
                        ready + table * reach_capacity, state, state + 1, state + 2};
  count_rows<LARGE_THREADS>(minor, reached, state + 3, rows, n_rows, capacity, length, entries, entry_paths, counters);
}

#else

// A table that grows; each thread reuses its own for all sources.
struct LargeReach {
  std::vector<Int32> terminal, waits_for, ready, slots;
  std::vector<Word> slot_of;
  std::vector<Wide> paths;
  Int32 size = 0;

  void clear() {
    for (Word slot : slot_of) slots[slot] = NONE;
    size = 0;
    terminal.clear(), waits_for.clear(), ready.clear(), slot_of.clear(), paths.clear();
    if (slots.empty()) slots.assign(256, NONE);
  }
  Word slot_with(Int32 wanted) const {
    Word mask = (Word)slots.size() - 1, slot = (Word)mixed((Wide)wanted) & mask;
    while (slots[slot] != NONE && terminal[slots[slot]] != wanted) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots.assign(2 * slots.size(), NONE);
    for (Int32 k = 0; k < size; ++k) slots[slot_of[k] = slot_with(terminal[k])] = k;
  }
  Int32 place_of(Int32 wanted) {
    if (2 * (Index)size >= (Index)slots.size()) grow();
    Word slot = slot_with(wanted);
    if (slots[slot] != NONE) return slots[slot];
    terminal.push_back(wanted), waits_for.push_back(0), ready.push_back(0), slot_of.push_back(slot), paths.push_back(0);
    return slots[slot] = size++;
  }
};

ITEM void count_large(const Minor& minor, Index source, Index capacity, Index* begin, Int32* length, Int32* pool_lower,
                      Wide* pool_paths, Index* counters) {
  static thread_local LargeReach reached;
  try {
    reached.clear();
    count_from(minor, source, reached);
    std::vector<Int32>& sinks = reached.ready;
    Int32 n = 0;
    for (Int32 k = 0; k < reached.size; ++k)
      if (reached.terminal[k] < minor.n_sinks) sinks[n++] = k;
    std::sort(sinks.begin(), sinks.begin() + n,
              [](Int32 a, Int32 b) { return reached.terminal[a] < reached.terminal[b]; });
    Index at = reserve(counters, n);
    begin[source] = at;
    length[source] = n;
    for (Int32 k = 0; k < n && at + n <= capacity; ++k)
      pool_lower[at + k] = reached.terminal[sinks[k]], pool_paths[at + k] = reached.paths[sinks[k]];
  } catch (const std::bad_alloc&) {  // exceptions must not leave a thread
    reached = LargeReach();
    add_to(counters + 1, 1);
  }
}
COARSE_KERNEL(count_large_reaches, (const Int32* starts, const Int32* successors, Int32 n_sinks, const Index* rows,
                                    Index capacity, Index* begin, Int32* length, Int32* pool_lower, Wide* pool_paths,
                                    Index* counters),
              count_large({starts, successors, n_sinks}, rows[i], capacity, begin, length, pool_lower, pool_paths,
                          counters))

#endif
