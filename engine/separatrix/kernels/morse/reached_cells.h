// The cells that a search of saddle_search.h has reached from its two ends, in the order in which
// they were reached, and a hash table of both with one word each: the cell, the number of the search,
// and the ends. The table begins small with each search, so that it stays in fast memory.
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <vector>

enum ReachedFrom { FROM_P = 1, TO_Q = 2 };
struct ReachedCell {
  Index cell;
  Wide height;
};

class ReachedCells {
 public:
  std::vector<ReachedCell> from_p, to_q;

  ReachedCells() : slots(LEAST) {}
  void clear() {
    from_p.clear();
    to_q.clear();
    mask = LEAST - 1;
    begin_round();
  }
  // The slot of a cell, or an empty one, and the ends from which the cell was reached.
  struct Found {
    std::size_t slot;
    int ends;
  };
  Found find(Index cell) const {
    const Wide key = key_of(cell);
    for (std::size_t at = (std::size_t)((Wide)cell * 0x9e3779b97f4a7c15ull >> 32);; ++at) {
      at &= mask;
      const Wide there = slots[at];
      if (there >> END_BITS == key) return {at, (int)(there & (FROM_P | TO_Q))};
      if ((there >> END_BITS & ROUNDS) != round) return {at, 0};
    }
  }
  int ends_of(Index cell) const { return find(cell).ends; }
  // Adds a cell, as found, to those reached from an end.
  void add(ReachedFrom end, ReachedCell one, Found found) {
    (end == FROM_P ? from_p : to_q).push_back(one);
    slots[found.slot] = key_of(one.cell) << END_BITS | (Wide)(found.ends | end);
    if (2 * (from_p.size() + to_q.size()) > mask) grow();
  }

 private:
  static constexpr std::size_t LEAST = 128;
  static constexpr int END_BITS = 2, ROUND_BITS = 25;  // 37 are left for cells, also of large images
  static constexpr Wide ROUNDS = ((Wide)1 << ROUND_BITS) - 1;
  std::vector<Wide> slots;
  std::size_t mask = LEAST - 1;
  Wide round = 0;

  Wide key_of(Index cell) const { return (Wide)cell << ROUND_BITS | round; }
  void begin_round() {
    if (++round <= ROUNDS) return;
    slots.assign(slots.size(), 0);
    round = 1;
  }
  void grow() {
    mask = 2 * mask + 1;
    if (mask >= slots.size()) slots.resize(mask + 1);
    begin_round();
    for (const ReachedCell& one : from_p) slots[find(one.cell).slot] = key_of(one.cell) << END_BITS | FROM_P;
    for (const ReachedCell& one : to_q) {
      const Found found = find(one.cell);
      slots[found.slot] = key_of(one.cell) << END_BITS | (Wide)(found.ends | TO_Q);
    }
  }
};
#endif
