// Candidates of saddle_rounds.h: their searches, versions, and writes, by the lanes of a warp each, long searches by a block.
//
// A candidate's time is its number among all candidates that were ever tried, so it orders them. By place, `Cells` has the
// head, which is the first version, and `changed`, the least time of a candidate that writes something else.
#pragma once
#include "morse/lane_search.h"
#include "morse/reaches.h"

// The candidates of a pass, numbered from 0: pairs from `begin` on, listed pairs, or joins.
struct Pass {
  int mode;
  Index begin, n, clock;  // clock: the time of the first candidate
  Word n_turns;           // pairs that were tried for the first time until then
  const Word* pairs;
  const Join* joins;
};

template <class Cells>
struct Speculation {
  Cells cells;  // at the time 0, which sees the base
  const Word *upper, *lower;  // cells by pair
  Index n_pairs;
  Word* written;          // by place: the greatest time of a candidate that has written
  Version* versions;
  Word* reads;
  Guess* window;
  Word* is_left;               // by candidate
  Word *time_of, *n_turns_of;  // by pair whose 2-saddle is canceled, else NOWHERE
  Word* lower_of;              // by pair: that of the 1-saddle with which its 2-saddle was tried last
  Byte* last;                  // by pair: what its last search found
  Kept* kept;                  // by pair, of pairs, of joins, and of traces
  Wide* turned;
  Word* tries;  // three each: pair, time, what was found
  SearchRooms rooms;
  Wide* n_arrived;
  Index* state;
  Pass pass;

  // The pair of a candidate's 2-saddle, and that of its 1-saddle.
  ITEM_MEMBER Word pair_of(Index k) const {
    if (pass.mode == JOIN_OTHERS) return pass.joins[k].upper;
    return pass.mode == FIRST_TRY ? (Word)(pass.begin + k) : pass.pairs[k];
  }
  ITEM_MEMBER Word pair_below(Index k) const { return pass.mode == JOIN_OTHERS ? pass.joins[k].lower : pair_of(k); }
  // Guesses of the preceding window stay until its versions are dropped.
  ITEM_MEMBER Guess& guess(Index k) const { return window[(Word)k % (Word)(2 * state[WINDOW])]; }
  ITEM_MEMBER Word time(Index k) const { return (Word)(pass.clock + k); }
  ITEM_MEMBER Kept& kept_of(Index k) const { return kept[(pass.mode == JOIN_OTHERS ? n_pairs : 0) + pair_of(k)]; }
  ITEM_MEMBER bool holds(const Kept& one) const { return one.epoch == (Word)state[EPOCH] && one.n_read != NOWHERE; }

  // Searches the candidate of an attempt; false if the room is too small.
  ITEM_MEMBER bool search(Attempt& attempt, SearchRoom first) const {
    const Index k = attempt.candidate;
    const Word reach = pass.mode == FIRST_TRY || state[ADDED_SLOTS] == 0 ? NOWHERE : SEARCH_REACH;
    LaneSearch<Cells> one{cells.at(time(k)), rooms, first, upper[pair_of(k)], lower[pair_below(k)], reach};
    const SearchEnd end = one.run();
    const SearchRoom room = one.room;
    if (end == NO_ROOM) return room.clear(), false;
    Guess now = {0, 0, 0, 0, room.counters[N_READ] - one.first_read, (Word)end};
    if (end == ONE_PATH) now.n_partners = 2 * one.length, now.n_heights = one.n_moved();
    room.sync();
    if (room.rank() == 0) {
      room.counters[N_MOVED] = 0;
      room.counters[WRITTEN_AT] = reserved(USED_VERSIONS, now.n_partners + now.n_heights, VERSIONS);
      room.counters[READ_AT] = reserved(USED_READS, now.n_read, READS);
    }
    room.sync();
    now.at = room.counters[WRITTEN_AT];
    now.read_at = room.counters[READ_AT];
    if (now.at == NOWHERE || now.read_at == NOWHERE) now = {0, 0, 0, 0, 0, NO_ROOM};
    for (Word j = room.rank(); j < now.n_read; j += room.n_ranks()) reads[now.read_at + j] = room.reads[one.first_read + j];
    for (Word j = room.rank(); 2 * j < now.n_partners; j += room.n_ranks()) {
      const Word square = one.square_at(j), edge = one.edge_at(j);
      write(now.at + 2 * j, square, (Word)cells.direction(square, edge));
      write(now.at + 2 * j + 1, edge, (Word)cells.direction(edge, square));
    }
    if (now.n_heights)
      one.for_moved([&](Word cell) {
        const Word j = add_to(room.counters + N_MOVED, 1u);
        write(now.at + now.n_partners + j, cell | HEIGHT, cells.number_of(one.is_down ? one.high : one.low));
      });
    if (room.rank() == 0) {
      attempt.now = now;
      attempt.before = guess(k);
    }
    room.clear();
    return true;
  }
  ITEM_MEMBER Word reserved(int used, Word n, int capacity) const {
    const Index at = add_to(state + used, (Index)n);
    if (at + n <= state[capacity]) return (Word)at;
    state[LACKS_ROOM] = 1;
    return NOWHERE;
  }
  ITEM_MEMBER void write(Word at, Word cell, Word value) const {
    versions[at].cell = cell;
    versions[at].value = value;
  }
  ITEM_MEMBER Word place_of(Word cell) const { return cells.place(cell & ~HEIGHT); }
  ITEM_MEMBER bool has_written(Word time, const Version& wanted) const {
    for (Word at = *cells.head(place_of(wanted.cell)); at != NOWHERE; at = versions[at].next)
      if (versions[at].time == time && versions[at].cell == wanted.cell && versions[at].value == wanted.value) return true;
    return false;
  }
  // Calls visit(place) for the places where a search notices one of the writes of a guess. All lanes take part.
  template <class Visit> ITEM_MEMBER void for_changed(const Guess& guess, Visit visit) const {
    for (Word j = (Word)lane(); j < guess.n_partners + guess.n_heights; j += LANES) {
      const Word cell = versions[guess.at + j].cell;
      visit(place_of(cell));
      if (j >= guess.n_partners || j % 2 == 0) continue;
      for (int side = 0; side < 4; ++side) {
        const Word square = cells.cofacet(cell, side);
        if (square != NOWHERE) visit(cells.place(square));
      }
    }
  }
  ITEM_MEMBER void compare(Attempt& attempt) const {
    const Guess &now = attempt.now, &before = attempt.before;
    bool same = now.n_partners == before.n_partners && now.n_heights == before.n_heights;
    const Word t = time(attempt.candidate);
    for (Word j = (Word)lane(); same && j < now.n_partners + now.n_heights; j += LANES) same = has_written(t, versions[now.at + j]);
    const bool differs = any_lane(!same);
    if (differs) {
      const auto note = [&](Word place) { lower_to(cells.changed(place), t); };
      for_changed(now, note);
      for_changed(before, note);
    }
    if (lane() == 0) attempt.differs = differs;
  }
  ITEM_MEMBER void replace_versions(const Attempt& attempt) const {
    const Guess &now = attempt.now, &before = attempt.before;
    const Word t = time(attempt.candidate);
    if (attempt.differs) {
      retract(before);
      for_changed(now, [&](Word place) { raise_to(written + place, t); });
      for (Word j = (Word)lane(); j < now.n_partners + now.n_heights; j += LANES) {
        Version& one = versions[now.at + j];
        one.time = t;
        one.next = exchange(cells.head(place_of(one.cell)), now.at + j);
      }
    }
    if (lane() == 0) {
      Guess& kept = guess(attempt.candidate);
      kept = now;
      if (!attempt.differs) kept.at = before.at;
    }
  }
  // Whether is(place) for a place that a search has read. Each lane loads several at once. All lanes take part.
  template <class Is> ITEM_MEMBER bool any_read(Word at, Word n, Is is) const {
    enum { AT_ONCE = 4 };
    bool found = false;
    for (Word j = (Word)lane(); !found && j < n; j += AT_ONCE * LANES)
      UNROLL for (Word k = 0; k < AT_ONCE; ++k) found |= is(reads[at + (j + k * LANES < n ? j + k * LANES : n - 1)]);
    return any_lane(found);
  }
  // Whether nothing was written that a search has read since.
  ITEM_MEMBER bool is_current(const Kept& one) const {
    return holds(one) && !any_read(one.read_at, one.n_read, [&](Word place) { return written[place] > one.time; });
  }
  ITEM_MEMBER bool is_dirty(Index k) const {
    const Guess& one = guess(k);
    return one.end == NO_ROOM || any_read(one.read_at, one.n_read, [&](Word place) { return *cells.changed(place) < time(k); });
  }
  // The base has the versions of a final candidate: readers would prefer them to later ones that were dropped.
  ITEM_MEMBER void retract(const Guess& guess) const {
    for (Word j = (Word)lane(); j < guess.n_partners + guess.n_heights; j += LANES) versions[guess.at + j].time = NOWHERE;
  }
  // Drops, at the places of the versions of a guess, those behind the last one that counts: of no candidate that is final.
  ITEM_MEMBER void drop_versions(const Guess& guess, Word first_time) const {
    for (Word j = (Word)lane(); j < guess.n_partners + guess.n_heights; j += LANES) {
      Word* end = cells.head(place_of(versions[guess.at + j].cell));
      for (Word at = *end; at != NOWHERE; at = versions[at].next)
        if (versions[at].time >= first_time && versions[at].time != NOWHERE) end = &versions[at].next;
      *end = NOWHERE;
    }
  }
  // Whether a candidate that becomes final in the same round writes to the same cell later.
  ITEM_MEMBER bool is_overwritten(Word cell, Word after, Word until) const {
    for (Word at = *cells.head(place_of(cell)); at != NOWHERE; at = versions[at].next)
      if (versions[at].cell == cell && versions[at].time > after && versions[at].time < until) return true;
    return false;
  }
  ITEM_MEMBER void apply(Index k, Index until) const {
    const Guess one = guess(k);
    const Word pair = pair_of(k);
    Index turned_at = 0;
    if (lane() == 0) {
      if (one.end != ONE_PATH && !holds(kept_of(k))) kept_of(k) = {one.read_at, one.n_read, time(k), one.end, (Word)state[EPOCH]};
      if (one.end == ONE_PATH || pass.mode == JOIN_OTHERS) lower_of[pair] = pair_below(k);
      is_left[k] = one.end != ONE_PATH && one.end != SADDLE_GONE;
      if (one.end == ONE_PATH) {
        time_of[pair] = time(k);
        n_turns_of[pair] = pass.mode == FIRST_TRY ? pair + 1 : pass.n_turns;
        turned_at = add_to(state + N_TURNED, (Index)(one.n_partners / 2));
      } else if (pass.mode != JOIN_OTHERS && one.end <= SEVERAL_PATHS && last[pair] != one.end) {
        Word* const try_ = tries + 3 * add_to(state + N_TRIES, 1);
        try_[0] = pair, try_[1] = time(k), try_[2] = one.end;
        last[pair] = (Byte)one.end;
      }
    }
    turned_at = from_first_lane(turned_at);
    for (Word j = (Word)lane(); j < one.n_partners + one.n_heights; j += LANES) {
      const Version& written = versions[one.at + j];
      if (j < one.n_partners && j % 2 == 0)
        turned[turned_at + j / 2] =
            (Wide)cells.log_cell(written.cell) << ROUND_CELL_SHIFT | (Wide)pair << ROUND_EVENT_SHIFT | written.value;
      if (is_overwritten(written.cell, time(k), time(until))) continue;
      if (written.cell & HEIGHT) cells.set_height(written.cell & ~HEIGHT, written.value, state + N_CHANGED_HEIGHTS);
      else cells.set_partner(written.cell, (int)written.value);
    }
  }
  // Adds candidates to the window. Those whose last search would find the same again are not dirty.
  ITEM_MEMBER void admit(Index from, Index to, Word* dirty, Index* n_dirty) const {
    for (Index k = from + warp(); k < to; k += n_warps()) {
      const Kept before = kept_of(k);
      const bool was_tried = pass.mode == AGAIN || (pass.mode == JOIN_OTHERS && lower_of[pair_of(k)] == pair_below(k));
      const bool same = was_tried && is_current(before);
      sync_lanes();
      if (lane() != 0) continue;
      if (same) {
        guess(k) = {0, 0, 0, before.read_at, before.n_read, before.end};
      } else {
        kept_of(k).n_read = NOWHERE;
        guess(k) = {0, 0, 0, 0, 0, NO_ROOM};
        dirty[add_to(n_dirty, 1)] = (Word)k;
      }
    }
  }
};
