// The 1-saddle that is nearest in value to a 2-saddle, as in nearest_saddles.h, by the lanes of a warp.
//
// Squares are numbered in the order of a sequential breadth-first search, because it ends at JOIN_REACH of them: lanes visit
// consecutive sides at once, and the first of those that found the same new square numbers it.
#pragma once
#include "common/order.h"
#include "morse/reaches.h"
#include "morse/rounds_state.h"

// The 1-saddles to which 2-saddles may be joined: `cell << 32 | pair`, by open addressing.
struct AddedSaddles {
  Wide* slots;
  Word mask;

  ITEM_MEMBER void add(Word edge, Word pair) const {
    Word at = (Word)mixed(edge) & mask;
    while (exchange_if(slots + at, EMPTY_SLOT, (Wide)edge << 32 | pair) != EMPTY_SLOT) at = (at + 1) & mask;
  }
  ITEM_MEMBER Word pair_of(Word edge) const {
    for (Word at = (Word)mixed(edge) & mask;; at = (at + 1) & mask) {
      const Wide held = peek(slots + at);
      if (held == EMPTY_SLOT) return NOWHERE;
      if (held >> 32 == edge) return (Word)held;
    }
  }
};

template <class Cells>
struct LaneNearest {
  Cells cells;  // at the time 0
  AddedSaddles added;
  const Real *upper_value, *lower_value;  // by pair
  Word* memory;                           // N_WORDS

  enum { REACH = JOIN_REACH, N_SLOTS = 2 * REACH, N_ENDS = 3 * REACH + 1 };
  enum { ENDS_AT = REACH + N_SLOTS / 2, N_WORDS = ENDS_AT + N_ENDS / 2 + 1 };
  enum { NO_SQUARE = 0xffff };

  ITEM_MEMBER Word* squares() const { return memory; }

  // All lanes return the same. Lists `n` squares, on which the result depends.
  OUTLINE_MEMBER Join of(Word pair, Word p, Word* n_squares) const {
    Word n_ends = 0;
    *n_squares = number_squares(p, &n_ends);
    Join nearest = {EMPTY_SLOT, pair, NOWHERE};
    for (Word at = (Word)lane(); at < n_ends; at += LANES) {
      const Word edge = cells.facet(squares()[ends()[at] / 4], ends()[at] % 4), other = added.pair_of(edge);
      if (other == NOWHERE) continue;
      const Wide difference = bits_of(upper_value[pair] - lower_value[other]) << 1 >> 1;
      const bool is_nearer = difference < nearest.difference || (difference == nearest.difference && other < nearest.lower);
      if (is_nearer && has_one_path(p, edge)) nearest.difference = difference, nearest.lower = other;
    }
    const Wide least = least_of_lanes(nearest.difference);
    return {least, pair, least_of_lanes(nearest.difference == least ? nearest.lower : NOWHERE)};
  }

 private:
  ITEM_MEMBER HalfWord* slots() const { return (HalfWord*)(memory + REACH); }
  // Critical edges, as 4 * the number of a square + the side.
  ITEM_MEMBER HalfWord* ends() const { return (HalfWord*)(memory + ENDS_AT); }
  ITEM_MEMBER Word slot_of(Word square) const {
    Word at = (Word)mixed(square) % N_SLOTS;
    while (slots()[at] != NO_SQUARE && squares()[slots()[at]] != square) at = (at + 1) % N_SLOTS;
    return at;
  }
  ITEM_MEMBER bool has(Word square) const { return slots()[slot_of(square)] != NO_SQUARE; }
  // Each lane may add another square.
  ITEM_MEMBER void add(Word square, Word number) const {
    squares()[number] = square;
    Word at = (Word)mixed(square) % N_SLOTS;
    while (exchange_if(slots() + at, (HalfWord)NO_SQUARE, (HalfWord)number) != NO_SQUARE) at = (at + 1) % N_SLOTS;
  }
  // Whether the path from p to an edge that was reached does not divide on the way back: all squares were reached.
  ITEM_MEMBER bool has_one_path(Word p, Word edge) const {
    for (Word square = NOWHERE; square != p; edge = cells.edge_of(square)) {
      Word before = NOWHERE;
      for (int side = 0; side < 4; ++side) {
        const Word other = cells.cofacet(edge, side);
        if (other == NOWHERE || other == square || !has(other)) continue;
        if (before != NOWHERE) return false;
        before = other;
      }
      square = before;
    }
    return true;
  }
  ITEM_MEMBER Word number_squares(Word p, Word* n_ends) const {
    sync_lanes();
    for (Word at = (Word)lane(); at < N_SLOTS; at += LANES) slots()[at] = NO_SQUARE;
    sync_lanes();
    if (lane() == 0) add(p, 0);
    sync_lanes();
    Word n = 1;
    for (Word item = 0, n_items; item < 4 * n; item += n_items) {
      n_items = 4 * n - item < LANES ? 4 * n - item : LANES;
      const Word k = (item + (Word)lane()) / 4;
      const int side = (int)(item + (Word)lane()) % 4 ^ 1;
      Word next = NOWHERE;
      bool is_end = false;
      if ((Word)lane() < n_items) {
        const Word square = squares()[k], edge = cells.facet(square, side);
        next = cells.square_of(edge);
        if (next == square) next = NOWHERE;
        is_end = next == NOWHERE && cells.is_critical(edge);
      }
      const bool is_new = next != NOWHERE && !has(next);
      const int leader = lowest_bit(lanes_with(is_new ? next : NOWHERE));
      Word before;
      const Word n_new_ends = count_lanes(is_end, &before);
      if (is_end) ends()[*n_ends + before] = (HalfWord)(4 * k + (Word)side);
      *n_ends += n_new_ends;
      const Word n_new = count_lanes(is_new && leader == lane(), &before);
      if (is_new && leader == lane() && n + before < REACH) add(next, n + before);
      n = n + n_new < REACH ? n + n_new : REACH;
      sync_lanes();
    }
    return n;
  }
};
