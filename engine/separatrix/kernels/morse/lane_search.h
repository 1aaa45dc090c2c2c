// The search of saddle_search.h by the lanes of a warp, on the gradient as one candidate of a round sees it.
//
// `Cells` defines facet(square, k) and cofacet(edge, k) for k < 4, or NOWHERE beyond the domain; square_of(edge),
// edge_of(square), is_critical(cell), height(cell), number_of(height), direction(square, edge), and place(cell).
// The sets that a search reaches do not depend on the order of its lanes.
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

  // All lanes return the same.
  ITEM_MEMBER SearchEnd run() {
    length = first_read = 0;
    if (lane() == 0) read(p), read(q);
    sync_lanes();
    if (reach != NOWHERE && !(cells.is_critical(p) && cells.is_critical(q))) return SADDLE_GONE;
    low = cells.height(q), high = cells.height(p);
    if (low > high) return NO_PATH;
    if (lane() == 0) room.insert(room.from_p(), p, room.below(), room.capacity(), N_BELOW);
    for (int k = lane(); k < 4; k += LANES) step_back(cells.cofacet(q, k));
    sync_lanes();
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
        sync_lanes();
        const Word n = forward ? n_below - n_left : n_above - n_entered;
        for (Word t = (Word)lane(); t < 4 * n; t += LANES) {
          if (forward) leave(square_below(n_left + t / 4), (int)(t % 4));
          else enter(square_above(n_entered + t / 4), (int)(t % 4));
        }
        sync_lanes();
        if (!room.counters[IS_FULL]) break;
        if (!move()) return NO_ROOM;
      }
      if (forward) n_left = n_below;
      else n_entered = n_above, had_p = has_p;
    }
    while (true) {
      length = first_read = 0;
      const SearchEnd found = walk();
      sync_lanes();
      if (found == ONE_PATH) count_moved();
      sync_lanes();
      if (!room.counters[IS_FULL]) return found;
      if (!move()) return NO_ROOM;
    }
  }
  ITEM_MEMBER Word n_moved() const { return room.counters[N_MOVED]; }
  // Calls write(cell) once for each cell that has another height after a reversal.
  template <class Write> ITEM_MEMBER void for_moved(Write write) const {
    if (is_down) {
      for (Word k = (Word)lane(); k < room.counters[N_ABOVE]; k += LANES)
        if (cells.height(square_above(k)) < high) write(square_above(k));
      for (Word k = (Word)lane(); k < room.counters[N_CRITICAL]; k += LANES) write(critical_above(k));
    } else {
      for (Word k = (Word)lane(); k < room.counters[N_BELOW]; k += LANES) {
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
  ITEM_MEMBER Word square_at(Word k) const { return room.path()[is_down ? k : length - 1 - k]; }
  ITEM_MEMBER Word edge_at(Word k) const { return k + 1 < length ? cells.edge_of(square_at(k + 1)) : q; }

 private:
  // Moves to the larger room, if there is one. The order of the squares stays; what the step at which the room was full
  // has not noted, it notes when it is repeated.
  ITEM_MEMBER bool move() {
    const SearchRoom larger = rooms.larger_than(room);
    if (larger.n_slots == 0) return false;
    const Word n_below = at_most(N_BELOW, room.capacity()), n_above = at_most(N_ABOVE, room.capacity());
    const Word n_critical = at_most(N_CRITICAL, room.critical_capacity()), n_read = at_most(N_READ, room.n_reads);
    for (Word k = (Word)lane(); k < n_below; k += LANES) larger.below()[k] = larger.claim(larger.from_p(), square_below(k));
    for (Word k = (Word)lane(); k < n_above; k += LANES) larger.above()[k] = larger.claim(larger.from_q(), square_above(k));
    for (Word k = (Word)lane(); k < n_critical; k += LANES) larger.critical()[k] = larger.claim(larger.from_q(), critical_above(k));
    for (Word k = (Word)lane(); k < n_read; k += LANES) larger.reads[k] = room.reads[k];
    sync_lanes();
    room.prepare();
    if (lane() == 0) {
      room.counters[N_BELOW] = n_below, room.counters[N_ABOVE] = n_above;
      room.counters[N_CRITICAL] = n_critical, room.counters[N_READ] = n_read;
    }
    room = larger;
    sync_lanes();
    for (Word k = (Word)lane(); k < n_below; k += LANES) read(square_below(k));
    for (Word k = (Word)lane(); k < n_above; k += LANES) read(square_above(k));
    for (Word k = (Word)lane(); k < n_critical; k += LANES) read(critical_above(k));
    sync_lanes();
    return true;
  }
  ITEM_MEMBER Word at_most(int counter, Word most) const {
    const Word n = room.counters[counter];
    return n < most ? n : most;
  }
  // Slots are read past caches, because lanes claim them there.
  ITEM_MEMBER Word square_below(Word k) const { return peek(room.from_p() + room.below()[k]); }
  ITEM_MEMBER Word square_above(Word k) const { return peek(room.from_q() + room.above()[k]); }
  ITEM_MEMBER Word critical_above(Word k) const { return peek(room.from_q() + room.critical()[k]); }
  // Whether no square before this one at the edge has been reached from p.
  ITEM_MEMBER bool is_first_below(Word square, Word edge) const {
    for (int side = 0; side < 4; ++side) {
      const Word other = cells.cofacet(edge, side);
      if (other < square && room.has(room.from_p(), other)) return false;
    }
    return true;
  }
  ITEM_MEMBER void read(Word cell) const { room.append(room.reads, room.n_reads, N_READ, cells.place(cell)); }
  ITEM_MEMBER void leave(Word square, int side) const {
    const Word onward = cells.square_of(cells.facet(square, side));
    if (onward == NOWHERE || onward == square || room.has(room.from_p(), onward)) return;
    read(onward);
    if (cells.height(onward) >= low) room.insert(room.from_p(), onward, room.below(), room.capacity(), N_BELOW);
  }
  ITEM_MEMBER void enter(Word square, int side) const {
    if (square == p) return;
    const Word before = cells.cofacet(cells.edge_of(square), side);
    if (before != square) step_back(before);
  }
  ITEM_MEMBER void step_back(Word square) const {
    if (square == NOWHERE || room.has(room.from_q(), square)) return;
    read(square);
    if (square != p && cells.edge_of(square) == NOWHERE) {
      if (cells.is_critical(square) && cells.height(square) < high)
        room.insert(room.from_q(), square, room.critical(), room.critical_capacity(), N_CRITICAL);
      return;
    }
    if (cells.height(square) <= high) room.insert(room.from_q(), square, room.above(), room.capacity(), N_ABOVE);
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
  // All lanes walk. In a round the gradient may have closed V-paths, hence the largest length.
  ITEM_MEMBER SearchEnd walk() {
    const Word from = is_down ? p : q, to = is_down ? q : p, most = room.counters[is_down ? N_ABOVE : N_BELOW];
    if (is_down && !room.has(room.from_q(), p)) return NO_PATH;
    for (Word at = from; at != to;) {
      if (length > most) return SEVERAL_PATHS;
      Word next = NOWHERE, other = NOWHERE;
      const int n_ways = is_down ? ways_down(at, &next, &other) : ways_up(at, &next, &other);
      const Word square = is_down ? at : next;
      if (n_ways == 0) return !is_down && at == q ? NO_PATH : SEVERAL_PATHS;
      if (n_ways > 1) return several(at, next, other);
      if (lane() == 0 && length < room.capacity()) room.path()[length] = square;
      ++length;
      at = next;
    }
    return ONE_PATH;
  }
  // There are several paths while the squares of two of them stay as they are, so these alone count as read.
  ITEM_MEMBER SearchEnd several(Word at, Word one, Word other) {
    sync_lanes();
    const Word n_before = room.counters[N_READ];
    sync_lanes();
    if (lane() == 0) read(p), read(q), read(at);
    for (Word k = (Word)lane(); k < length && k < room.capacity(); k += LANES) read(room.path()[k]);
    if (follow(one) && follow(other)) first_read = n_before;
    return SEVERAL_PATHS;
  }
  ITEM_MEMBER bool follow(Word at) {
    const Word to = is_down ? q : p;
    for (Word n = 0; at != to; ++n) {
      if (n > room.capacity()) return false;
      if (lane() == 0) read(at);
      Word next = NOWHERE, other = NOWHERE;
      if ((is_down ? ways_down(at, &next, &other) : ways_up(at, &next, &other)) == 0) return false;
      at = next;
    }
    return true;
  }
  ITEM_MEMBER void count_moved() const {
    for_moved([&](Word cell) {
      add_to(room.counters + N_MOVED, 1u);
    });
    if (is_down) return;
    for (Word k = (Word)lane(); k < room.counters[N_BELOW]; k += LANES)
      for (int side = 0; side < 4; ++side) {
        const Word edge = cells.facet(square_below(k), side);
        if (cells.is_critical(edge)) read(edge);
      }
  }
};
