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

  enum { REACH = JOIN_REACH, N_SLOTS = 2 * REACH, N_WAYS = 3 * REACH + 1, N_READY = REACH / 32 };
  enum { WAYS_AT = REACH + N_SLOTS / 2, COUNTS_AT = WAYS_AT + N_WAYS / 2 + 1, READY_AT = COUNTS_AT + REACH / 4 };
  enum { N_WORDS = READY_AT + N_READY };
  enum { NO_WAY = 0xffff, ENDS = 0xfff0 };  // ways: the number of a square, none, or ENDS + the side of a critical edge
  enum { ONE_WAIT = 1, ONE_PATH_HERE = 8 };  // a byte per square: squares before it that wait, V-paths

  ITEM_MEMBER Word* squares() const { return memory; }

  // All lanes return the same. Lists `n` squares, on which the result depends.
  OUTLINE_MEMBER Join of(Word pair, Word p, Word* n_squares) const {
    const Word n = *n_squares = number_squares(p);
    count_paths();
    Join nearest = {EMPTY_SLOT, pair, NOWHERE};
    for (Word at = (Word)lane(); at <= 3 * n; at += LANES) {
      const Word way = ways()[at];
      if (way < ENDS || way == NO_WAY) continue;
      const Word edge = cells.facet(squares()[at < 4 ? 0 : (at - 1) / 3], (int)(way - ENDS)), other = added.pair_of(edge);
      if (other == NOWHERE || n_paths_to(edge) != 1) continue;
      const Wide difference = bits_of(upper_value[pair] - lower_value[other]) << 1 >> 1;
      if (difference < nearest.difference || (difference == nearest.difference && other < nearest.lower))
        nearest.difference = difference, nearest.lower = other;
    }
    const Wide least = least_of_lanes(nearest.difference);
    return {least, pair, least_of_lanes(nearest.difference == least ? nearest.lower : NOWHERE)};
  }

 private:
  ITEM_MEMBER HalfWord* slots() const { return (HalfWord*)(memory + REACH); }
  ITEM_MEMBER HalfWord* ways() const { return (HalfWord*)(memory + WAYS_AT); }
  ITEM_MEMBER Word* counts() const { return memory + COUNTS_AT; }
  ITEM_MEMBER Word* ready() const { return memory + READY_AT; }
  ITEM_MEMBER Word count(Word k) const { return peek(counts() + k / 4) >> 8 * (k % 4) & 0xff; }
  // The paths of a square, or 2 if there are more.
  ITEM_MEMBER Word n_paths(Word k) const { return count(k) / ONE_PATH_HERE < 2 ? count(k) / ONE_PATH_HERE : 2; }
  ITEM_MEMBER Word slot_of(Word square) const {
    Word at = (Word)mixed(square) % N_SLOTS;
    while (slots()[at] != NO_WAY && squares()[slots()[at]] != square) at = (at + 1) % N_SLOTS;
    return at;
  }
  // Each lane may add another square.
  ITEM_MEMBER void add(Word square, Word number) const {
    squares()[number] = square;
    Word at = (Word)mixed(square) % N_SLOTS;
    while (exchange_if(slots() + at, (HalfWord)NO_WAY, (HalfWord)number) != NO_WAY) at = (at + 1) % N_SLOTS;
  }
  ITEM_MEMBER Word n_paths_to(Word edge) const {
    Word n = 0;
    for (int side = 0; side < 4; ++side) {
      const Word square = cells.cofacet(edge, side);
      if (square == NOWHERE) continue;
      const Word k = slots()[slot_of(square)];
      if (k != NO_WAY) n += n_paths(k);
    }
    return n;
  }
  // Three ways from a square, except through its own edge; four from p, which has none.
  ITEM_MEMBER Word place_of_way(Word k, Word square, int side, Word own) const {
    Word place = (Word)side;
    if (k > 0 && side == 3)
      while (place-- > 0 && cells.facet(square, (int)place) != own) {
      }
    return (k ? 3 * k + 1 : 0) + place;
  }
  ITEM_MEMBER Word number_squares(Word p) const {
    sync_lanes();
    for (Word at = (Word)lane(); at < N_SLOTS; at += LANES) slots()[at] = NO_WAY;
    for (Word at = (Word)lane(); at < REACH / 4; at += LANES) counts()[at] = 0;
    for (Word at = (Word)lane(); at < N_READY; at += LANES) ready()[at] = 0;
    sync_lanes();
    if (lane() == 0) {
      add(p, 0);
      counts()[0] = ONE_PATH_HERE;
      ready()[0] = 1;
    }
    sync_lanes();
    Word n = 1;
    for (Word item = 0, n_items; item < 4 * n; item += n_items) {
      n_items = 4 * n - item < LANES ? 4 * n - item : LANES;
      const Word k = (item + (Word)lane()) / 4;
      const int side = (int)(item + (Word)lane()) % 4 ^ 1;
      Word next = NOWHERE, way = NO_WAY, place = NOWHERE;
      if ((Word)lane() < n_items) {
        const Word square = squares()[k], edge = cells.facet(square, side), own = cells.edge_of(square);
        next = cells.square_of(edge);
        if (edge != own) place = place_of_way(k, square, side, own);
        else next = NOWHERE;
        if (place != NOWHERE && next == NOWHERE && cells.is_critical(edge)) way = ENDS + (Word)side;
        if (next != NOWHERE) way = slots()[slot_of(next)];
      }
      sync_lanes();
      const bool is_new = next != NOWHERE && way == NO_WAY;
      const int leader = lowest_bit(lanes_with(is_new ? next : NOWHERE));
      Word before;
      const Word n_new = count_lanes(is_new && leader == lane(), &before);
      const Word number = from_lane(leader, n + before);
      if (is_new && number < REACH) {
        way = number;
        if (leader == lane()) add(next, number);
      }
      n = n + n_new < REACH ? n + n_new : REACH;
      if (place != NOWHERE) ways()[place] = (HalfWord)way;
      if (next != NOWHERE && way != NO_WAY) add_to(counts() + way / 4, (Word)ONE_WAIT << 8 * (way % 4));
      sync_lanes();
    }
    return n;
  }
  // Kahn 1962. A square that no longer waits is ready.
  ITEM_MEMBER void count_paths() const {
    for (bool any = true; any_lane(any);) {
      any = false;
      for (Word first = 0; first < N_READY; first += LANES) {
        const Word at = first + (Word)lane();
        Word taken = at < N_READY ? exchange(ready() + at, 0) : 0;
        any |= taken != 0;
        sync_lanes();
        for (; taken; taken &= taken - 1) leave(32 * at + (Word)lowest_bit(taken));
        sync_lanes();
      }
    }
  }
  ITEM_MEMBER void leave(Word k) const {
    for (Word at = k ? 3 * k + 1 : 0; at <= 3 * k + 3; ++at) {
      const Word to = ways()[at];
      if (to >= REACH) continue;
      const Word before = add_to(counts() + to / 4, (n_paths(k) * ONE_PATH_HERE - ONE_WAIT) << 8 * (to % 4));
      if ((before >> 8 * (to % 4)) % ONE_PATH_HERE == ONE_WAIT) or_shared(ready() + to / 32, bit((int)(to % 32)));
    }
  }
};
