// The cells that a search of saddle_search.h has reached from its two ends, in the order in which
// they were reached, and a hash table of both with one word each: the cell, the number of the search,
// and the ends. The table begins small with each search, so that it stays in fast memory.
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <vector>

enum ReachedFrom { FROM_P = 1, TO_Q = 2 };

class ReachedCells {
 public:
  std::vector<Index> from_p, to_q;

  ReachedCells() : slots(LEAST) {}
  void clear() {
    from_p.clear();
    to_q.clear();
    mask = LEAST - 1;
    begin_round();
  }
  // The slot of a cell, or an empty one.
  std::size_t slot_of(Index cell) const {
    std::size_t at = (std::size_t)((Wide)cell * 0x9e3779b97f4a7c15ull >> 32) & mask;
    for (const Wide key = key_of(cell); slots[at] >> END_BITS != key && is_taken(at);) at = (at + 1) & mask;
    return at;
  }
  // The ends from which the cell of a slot was reached.
  int ends(std::size_t slot) const { return is_taken(slot) ? (int)(slots[slot] & (FROM_P | TO_Q)) : 0; }
  int ends_of(Index cell) const { return ends(slot_of(cell)); }
  // Adds a cell, whose slot this is, to those reached from an end.
  void add(ReachedFrom end, Index cell, std::size_t slot) {
    (end == FROM_P ? from_p : to_q).push_back(cell);
    slots[slot] = key_of(cell) << END_BITS | (Wide)(ends(slot) | end);
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
  bool is_taken(std::size_t at) const { return (slots[at] >> END_BITS & ROUNDS) == round; }
  void begin_round() {
    if (++round <= ROUNDS) return;
    slots.assign(slots.size(), 0);
    round = 1;
  }
  void grow() {
    mask = 2 * mask + 1;
    if (mask >= slots.size()) slots.resize(mask + 1);
    begin_round();
    for (const Index cell : from_p) slots[slot_of(cell)] = key_of(cell) << END_BITS | FROM_P;
    for (const Index cell : to_q) {
      const std::size_t at = slot_of(cell);
      slots[at] = key_of(cell) << END_BITS | (Wide)(ends(at) | TO_Q);
    }
  }
};
#endif
