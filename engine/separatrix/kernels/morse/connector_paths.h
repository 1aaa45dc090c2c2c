// Number of V-paths from each 2-saddle to each 1-saddle, counted on the minor of junctions.
//
// For each source, the terminals on its paths are collected with their in-degrees. Each terminal passes on its
// number of paths after all of its predecessors (Kahn 1962). Numbers saturate: a sum at or above
// MULTIPLICITY_LIMIT, which is even, becomes the limit plus the sum's parity. Thus the lowest bit is always exact,
// and addition is commutative and associative, so the order does not matter. Sources with paths to more than
// SMALL_REACH terminals are counted in connector_large.h.
#pragma once
#include "common/types.h"

constexpr Wide MULTIPLICITY_LIMIT = 1ull << 62;
ITEM Wide saturating_sum(Wide a, Wide b) {
  Wide sum = a + b;  // both are at most the limit + 1: no overflow
  return sum < MULTIPLICITY_LIMIT ? sum : MULTIPLICITY_LIMIT | (sum & 1);
}

// The graph: up to 4 terminals from each source, up to 3 from each junction, NONE after the last.
struct Minor {
  const Int32* starts;
  const Int32* successors;
  Int32 n_sinks;
};

// Paths from one source, in a table of reached terminals: `size` of them, with in-degree and number of
// paths each. `place_of` finds or inserts a terminal; NONE if there is no room.
template <class Reached>
ITEM bool count_from(const Minor& minor, Index source, Reached& reached) {
  for (int k = 0; k < 4 && minor.starts[4 * source + k] != NONE; ++k) {
    Int32 at = reached.place_of(minor.starts[4 * source + k]);
    if (at == NONE) return false;
    reached.paths[at] = saturating_sum(reached.paths[at], 1);
  }
  for (Int32 k = 0; k < reached.size; ++k) {
    if (reached.terminal[k] < minor.n_sinks) continue;
    const Int32* onward = minor.successors + 3 * (Index)(reached.terminal[k] - minor.n_sinks);
    for (int s = 0; s < 3 && onward[s] != NONE; ++s) {
      Int32 at = reached.place_of(onward[s]);
      if (at == NONE) return false;
      reached.waits_for[at] += 1;
    }
  }
  Int32 n_ready = 0;
  for (Int32 k = 0; k < reached.size; ++k)
    if (!reached.waits_for[k] && reached.terminal[k] >= minor.n_sinks) reached.ready[n_ready++] = k;
  while (n_ready) {
    Int32 from = reached.ready[--n_ready];
    const Int32* onward = minor.successors + 3 * (Index)(reached.terminal[from] - minor.n_sinks);
    for (int s = 0; s < 3 && onward[s] != NONE; ++s) {
      Int32 at = reached.place_of(onward[s]);
      reached.paths[at] = saturating_sum(reached.paths[at], reached.paths[from]);
      if (!--reached.waits_for[at] && onward[s] >= minor.n_sinks) reached.ready[n_ready++] = at;
    }
  }
  return true;
}

// The table of a thread: open addressing from terminals to places by bytes.
enum { SMALL_REACH = 32, SMALL_SLOTS = 64, SMALL_SHIFT = 26 };  // SMALL_SLOTS = 2^(32 - SMALL_SHIFT)
struct SmallReach {
  Int32 size;
  Int32 terminal[SMALL_REACH];
  Byte waits_for[SMALL_REACH];  // at most three edges from each
  Byte ready[SMALL_REACH];
  Wide paths[SMALL_REACH];
  Byte place[SMALL_SLOTS];  // + 1; 0: free

  ITEM_MEMBER void clear() {
    size = 0;
    for (int k = 0; k < SMALL_SLOTS; ++k) place[k] = 0;
  }
  ITEM_MEMBER Int32 place_of(Int32 wanted) {
    Word slot = (Word)wanted * 0x9e3779b1u >> SMALL_SHIFT;  // Fibonacci hashing (Knuth 1973, 6.4)
    for (; place[slot]; slot = (slot + 1) % SMALL_SLOTS)
      if (terminal[place[slot] - 1] == wanted) return place[slot] - 1;
    if (size == SMALL_REACH) return NONE;
    terminal[size] = wanted, waits_for[size] = 0, paths[size] = 0;
    place[slot] = (Byte)++size;
    return size - 1;
  }
};

// Place for `n` entries. Active lanes of a warp reserve together, because there is only one counter.
#if ON_GPU
ITEM Index reserve(Index* counter, Int32 n) {
  const Word together = __activemask();
  const int lane = threadIdx.x % 32, leader = lowest_bit(together);
  Index before = 0, all = 0, at = 0;
  for (Word rest = together; rest; rest &= rest - 1) {
    Int32 theirs = __shfl_sync(together, n, lowest_bit(rest));
    if (lowest_bit(rest) < lane) before += theirs;
    all += theirs;
  }
  if (lane == leader) at = add_to(counter, all);
  return __shfl_sync(together, at, leader) + before;
}
#else
ITEM Index reserve(Index* counter, Int32 n) { return add_to(counter, n); }
#endif

// Rows are written to a pool in any order; `begin` and `length` locate each. Length NONE: not counted.
// Items are rows of `sources`. n_used may exceed the capacity; nothing is written beyond it.
ITEM void put_small_row(const Minor& minor, const SmallReach& reached, Index source, Index capacity, Index* begin,
                        Int32* length, Int32* pool_lower, Wide* pool_paths, Index* n_used) {
  Int32 n = 0;
  for (Int32 k = 0; k < reached.size; ++k) n += reached.terminal[k] < minor.n_sinks;
  Index at = reserve(n_used, n);
  begin[source] = at;
  length[source] = n;
  if (at + n > capacity) return;
  for (Int32 k = 0; k < reached.size; ++k) {
    if (reached.terminal[k] >= minor.n_sinks) continue;
    Int32 rank = 0;
    for (Int32 j = 0; j < reached.size; ++j) rank += reached.terminal[j] < reached.terminal[k];
    pool_lower[at + rank] = reached.terminal[k];
    pool_paths[at + rank] = reached.paths[k];
  }
}
ITEM void count_small(const Minor& minor, Int32 max_reach, Index source, Index capacity, Index* begin, Int32* length,
                      Int32* pool_lower, Wide* pool_paths, Index* n_used) {
  SmallReach reached;
  reached.clear();
  length[source] = NONE;
  if (count_from(minor, source, reached) && reached.size <= max_reach)
    put_small_row(minor, reached, source, capacity, begin, length, pool_lower, pool_paths, n_used);
}
KERNEL(count_small_reaches, (const Int32* starts, const Int32* successors, Int32 n_sinks, Int32 max_reach,
                             Index capacity, Index* begin, Int32* length, Int32* pool_lower, Wide* pool_paths,
                             Index* n_used),
       count_small({starts, successors, n_sinks}, max_reach, i, capacity, begin, length, pool_lower, pool_paths, n_used))

KERNEL(move_rows, (const Index* rows, Index by, Index* begin), begin[rows[i]] += by)

// Copies the rows of the pool to their places in order.
ITEM void copy_row(Index begin, Index to, Index end, const Int32* pool_lower, const Wide* pool_paths, Int32* lower,
                   Wide* paths) {
  for (; to < end; ++to, ++begin) lower[to] = pool_lower[begin], paths[to] = pool_paths[begin];
}
KERNEL(gather_rows, (const Index* begin, const Index* offsets, const Int32* pool_lower, const Wide* pool_paths,
                     Int32* lower, Wide* paths),
       copy_row(begin[i], offsets[i], offsets[i + 1], pool_lower, pool_paths, lower, paths))
