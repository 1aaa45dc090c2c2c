// The search of saddle_search.h by a warp or a block, as its room says, on the gradient as one candidate of a round sees it.
//
// `Cells` defines facet(square, k) and cofacet(edge, k) for k < 4, or NOWHERE beyond the domain; square_of(edge),
// edge_of(square), is_critical(cell), height(cell), number_of(height), direction(square, edge), and place(cell).
// The sets that a search reaches do not depend on the order of its threads.
#pragma once
#include "morse/search_rooms.h"

template <class Cells>
struct LaneSearch {
  Cells cells;
  const SearchRooms& rooms;
  SearchRoom room;
  Word p, q;
  Word reach;  // the squares beyond which a search gives up whose saddles may be gone, else NOWHERE
  Wide low, high;
  bool is_down;
  Word length;      // squares of the path
  Word first_read;  // of the places that count

  // All threads return the same.
  ITEM_MEMBER SearchEnd run() {
    length = first_read = 0;
    if (room.rank() == 0) read(p), read(q);
    room.sync();
    if (reach != NOWHERE && !(cells.is_critical(p) && cells.is_critical(q))) return SADDLE_GONE;
    low = cells.height(q), high = cells.height(p);
    if (low > high) return NO_PATH;
    if (room.rank() == 0) insert_below(p, room.first_slot(p), NOWHERE);
    for (Word k = room.rank(); k < 4; k += room.n_ranks()) step_back(cells.cofacet(q, (int)k), NOWHERE);
    room.sync();
    bool had_p = false;
    for (Word n_left = 0, n_entered = 0;;) {  // squares whose neighbors were visited
      const Word n_below = room.counters[N_BELOW], n_above = room.counters[N_ABOVE];
      const bool has_p = room.has(room.from_q(), p);
      const Word n_front = n_below - n_left, n_back = n_above - n_entered - (Word)(has_p && !had_p);
      is_down = n_back == 0;
      if (n_front == 0 || n_back == 0) break;
      if (n_below + n_above > reach) return TOO_LONG;
      const bool forward = n_front <= n_back;
      while (true) {
        room.sync();
        const Word n = forward ? n_below - n_left : n_above - n_entered;
        for (Word t = room.rank(); t < 4 * n; t += room.n_ranks()) {
          if (forward) leave(n_left + t / 4, (int)(t % 4));
          else enter(n_entered + t / 4, (int)(t % 4));
        }
        room.sync();
        if (!room.counters[IS_FULL]) break;
        if (!move(n_below, n_above)) return NO_ROOM;
      }
      if (forward) n_left = n_below;
      else n_entered = n_above, had_p = has_p;
    }
    while (true) {
      length = first_read = 0;
      const SearchEnd found = walk();
      room.sync();
      if (found == ONE_PATH) count_moved();
      room.sync();
      if (!room.counters[IS_FULL]) return found;
      if (!move(room.counters[N_BELOW], room.counters[N_ABOVE])) return NO_ROOM;
    }
  }
  ITEM_MEMBER Word n_moved() const { return room.counters[N_MOVED]; }
  // Calls write(cell) once for each cell that has another height after a reversal.
  template <class Write> ITEM_MEMBER void for_moved(Write write) const {
    if (is_down) {
      for (Word k = room.rank(); k < room.counters[N_ABOVE]; k += room.n_ranks())
        if (cells.height(square_above(k)) < high) write(square_above(k));
      for (Word k = room.rank(); k < room.counters[N_CRITICAL]; k += room.n_ranks()) write(critical_above(k));
    } else {
      for (Word k = room.rank(); k < room.counters[N_BELOW]; k += room.n_ranks()) {
        const Word square = square_below(k);
        if (cells.height(square) > low) write(square);
        for (int side = 0; side < 4; ++side) {
          const Word edge = cells.facet(square, side);
          if (cells.is_critical(edge) && cells.height(edge) > low && is_first_below(square, edge)) write(edge);
        }
      }
    }
  }
  // The k-th square of the path from p, and the edge through which the path leaves it.
  ITEM_MEMBER Word square_at(Word k) const { return path()[is_down ? k : length - 1 - k]; }
  ITEM_MEMBER Word edge_at(Word k) const { return k + 1 < length ? cells.edge_of(square_at(k + 1)) : q; }

 private:
  // Moves to the larger room, if there is one, with what was reached before the step at which the room was full; the step is
  // repeated there.
  ITEM_MEMBER bool move(Word n_below, Word n_above) {
    const SearchRoom larger = rooms.larger_than(room);
    if (larger.n_slots == 0) return false;
    const Word n_critical = at_most(N_CRITICAL, room.critical_capacity()), n_read = at_most(N_READ, room.n_reads);
    const auto copy = [&](const Word* slots, Word slot, Word* to) {
      const Word held = peek(slots + slot);
      Word at = larger.first_slot(held & ~SEVERAL_WAYS);
      larger.claim(to, held & ~SEVERAL_WAYS, &at);
      to[at] = held;
      return at;
    };
    for (Word k = room.rank(); k < n_below; k += room.n_ranks()) {
      larger.below()[k] = copy(room.from_p(), room.below()[k], larger.from_p());
      larger.below_from()[k] = room.below_from()[k];
    }
    for (Word k = room.rank(); k < n_above; k += room.n_ranks()) {
      larger.above()[k] = copy(room.from_q(), room.above()[k], larger.from_q());
      larger.above_from()[k] = room.above_from()[k];
    }
    for (Word k = room.rank(); k < n_critical; k += room.n_ranks())
      larger.critical()[k] = copy(room.from_q(), room.critical()[k], larger.from_q());
    for (Word k = room.rank(); k < n_read; k += room.n_ranks()) larger.reads[k] = room.reads[k];
    room.sync();
    room.prepare();
    if (room.rank() == 0) {
      room.counters[N_BELOW] = n_below, room.counters[N_ABOVE] = n_above;
      room.counters[N_CRITICAL] = n_critical, room.counters[N_READ] = n_read;
    }
    room = larger;
    room.sync();
    for (Word k = room.rank(); k < n_below; k += room.n_ranks()) read(square_below(k));
    for (Word k = room.rank(); k < n_above; k += room.n_ranks()) read(square_above(k));
    for (Word k = room.rank(); k < n_critical; k += room.n_ranks()) read(critical_above(k));
    room.sync();
    return true;
  }
  ITEM_MEMBER Word at_most(int counter, Word most) const {
    const Word n = room.counters[counter];
    return n < most ? n : most;
  }
  // Slots are read past caches, because lanes claim them there.
  ITEM_MEMBER Word square_below(Word k) const { return peek(room.from_p() + room.below()[k]) & ~SEVERAL_WAYS; }
  ITEM_MEMBER Word square_above(Word k) const { return peek(room.from_q() + room.above()[k]) & ~SEVERAL_WAYS; }
  ITEM_MEMBER Word critical_above(Word k) const { return peek(room.from_q() + room.critical()[k]) & ~SEVERAL_WAYS; }
  // The search that was not completed no longer needs where its squares come from.
  ITEM_MEMBER Word* path() const { return is_down ? room.below_from() : room.above_from(); }
  // Whether no square before this one at the edge has been reached from p.
  ITEM_MEMBER bool is_first_below(Word square, Word edge) const {
    for (int side = 0; side < 4; ++side) {
      const Word other = cells.cofacet(edge, side);
      if (other < square && room.has(room.from_p(), other)) return false;
    }
    return true;
  }
  ITEM_MEMBER void read(Word cell) const { room.append(room.reads, room.n_reads, N_READ, cells.place(cell)); }
  ITEM_MEMBER void leave(Word k, int side) const {
    const Word square = square_below(k), onward = cells.square_of(cells.facet(square, side));
    Word slot;
    if (onward == NOWHERE || onward == square || room.has_again(room.from_p(), onward, &slot)) return;
    read(onward);
    if (cells.height(onward) >= low) insert_below(onward, slot, k);
  }
  ITEM_MEMBER void insert_below(Word square, Word slot, Word from) const {
    room.insert(room.from_p(), square, slot, room.below(), room.below_from(), from, N_BELOW);
  }
  ITEM_MEMBER void enter(Word k, int side) const {
    const Word square = square_above(k);
    if (square == p) return;
    const Word before = cells.cofacet(cells.edge_of(square), side);
    if (before != square) step_back(before, k);
  }
  ITEM_MEMBER void step_back(Word square, Word from) const {
    Word slot;
    if (square == NOWHERE || room.has_again(room.from_q(), square, &slot)) return;
    read(square);
    if (square != p && cells.edge_of(square) == NOWHERE) {
      if (cells.is_critical(square) && cells.height(square) < high) room.insert_critical(square, slot);
      return;
    }
    if (cells.height(square) <= high) room.insert(room.from_q(), square, slot, room.above(), room.above_from(), from, N_ABOVE);
  }
  // The squares to which a path continues from a square, toward q or toward p, among those that lead there: their number,
  // the first and the last of them. q stands for itself.
  ITEM_MEMBER int ways_down(Word square, Word* first, Word* last) const {
    int n = 0;
    for (int side = lane(); side < 4; side += LANES) {
      const Word edge = cells.facet(square, side), onward = edge == q ? q : cells.square_of(edge);
      if (edge != q && (onward == NOWHERE || onward == square || !room.has(room.from_q(), onward))) continue;
      *last = onward;
      if (n++ == 0) *first = onward;
    }
    return gathered(n, first, last);
  }
  ITEM_MEMBER int ways_up(Word square, Word* first, Word* last) const {
    const Word edge = square == q ? q : cells.edge_of(square);
    int n = 0;
    for (int side = lane(); side < 4; side += LANES) {
      const Word before = cells.cofacet(edge, side);
      if (before == NOWHERE || before == square || !room.has(room.from_p(), before)) continue;
      *last = before;
      if (n++ == 0) *first = before;
    }
    return gathered(n, first, last);
  }
  // The place of a square in the order of the completed search.
  ITEM_MEMBER Word place_of(Word square) const {
    Word held;
    const Word slot = room.slot_of(is_down ? room.from_q() : room.from_p(), square, &held);
    const Word *const list = is_down ? room.above() : room.below(), n = room.counters[is_down ? N_ABOVE : N_BELOW];
    for (Word k = room.rank(); k < n; k += room.n_ranks())
      if (list[k] == slot) room.counters[FOUND_AT] = k;
    room.sync();
    const Word found = room.counters[FOUND_AT];
    room.sync();
    return found;
  }
  // Where the completed search came from: its paths lead to q, or to p. All threads walk.
  ITEM_MEMBER Word came_from(Word k) const { return is_down ? room.above_from()[k] : room.below_from()[k]; }
  ITEM_MEMBER Word held_at(Word k) const {
    return is_down ? peek(room.from_q() + room.above()[k]) : peek(room.from_p() + room.below()[k]);
  }
  ITEM_MEMBER SearchEnd walk() {
    Word first = p, last = NOWHERE;
    if (is_down ? !room.has(room.from_q(), p) : ways_up(q, &first, &last) == 0) return NO_PATH;
    if (!is_down && first != last) return several(first, last);
    for (Word k = place_of(first); k != NOWHERE; k = came_from(k), ++length)
      if (room.rank() == 0) path()[length] = k;
    if (room.rank() == 0) room.counters[FOUND_AT] = NOWHERE;
    room.sync();
    for (Word j = room.rank(); j < length; j += room.n_ranks()) {
      const Word held = held_at(path()[j]);
      path()[j] = held & ~SEVERAL_WAYS;
      if (held & SEVERAL_WAYS) lower_to(room.counters + FOUND_AT, j);
    }
    room.sync();
    const Word divides_at = room.counters[FOUND_AT];
    if (divides_at == NOWHERE) return ONE_PATH;
    length = divides_at + 1;
    const Word square = path()[divides_at];
    is_down ? ways_down(square, &first, &last) : ways_up(square, &first, &last);
    return several(first, last);
  }
  // There are several paths while the squares of two of them stay as they are, so these alone count as read.
  ITEM_MEMBER SearchEnd several(Word one, Word other) {
    room.sync();
    first_read = room.counters[N_READ];
    Word n = first_read;
    const Word ways[] = {one, other};
    for (const Word way : ways)
      for (Word k = way == q ? NOWHERE : place_of(way); k != NOWHERE; k = came_from(k), ++n)
        if (room.rank() == 0 && n < room.n_reads) room.reads[n] = k;
    room.sync();
    for (Word j = first_read + room.rank(); j < n && j < room.n_reads; j += room.n_ranks())
      room.reads[j] = cells.place(held_at(room.reads[j]) & ~SEVERAL_WAYS);
    if (room.rank() == 0) {
      room.counters[N_READ] = n;
      if (n > room.n_reads) room.counters[IS_FULL] = 1;
    }
    room.sync();
    if (room.rank() == 0) read(p), read(q);
    for (Word k = room.rank(); k < length; k += room.n_ranks()) read(path()[k]);
    return SEVERAL_PATHS;
  }
  ITEM_MEMBER void count_moved() const {
    for_moved([&](Word cell) {
      add_to(room.counters + N_MOVED, 1u);
    });
    if (is_down) return;
    for (Word k = room.rank(); k < room.counters[N_BELOW]; k += room.n_ranks())
      for (int side = 0; side < 4; ++side) {
        const Word edge = cells.facet(square_below(k), side);
        if (cells.is_critical(edge)) read(edge);
      }
  }
};
