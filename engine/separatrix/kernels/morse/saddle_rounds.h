// The log of saddle_log.h by rounds, for a GPU: candidates are searched speculatively, and repeated until nothing changes.
//
// A window holds consecutive candidates. In a round, those that are dirty are searched on the gradient as the
// preceding candidates of the window would leave it: of each cell, the version of the latest candidate before it, otherwise
// the base. What a search would write replaces its versions. A candidate is dirty again if a place that it has read
// is one where an earlier candidate has written something else than before. The candidates before the first dirty one are
// final: their writes are applied to the base, of each cell the last one, and the window moves on. The least candidate that
// is not final has read final state only, so each round settles at least one, and by induction all results are those of the
// sequential loop. Nothing is locked or undone. Gelashvili and others, Block-STM, PPoPP 2023.
//
// A pass covers several segments if checkpoints change nothing in between: until a pair is left, or something is written that
// decides on a pair that was left before. The pass then ends at the next checkpoint, and what follows it is searched again.
//
// A candidate that is left keeps the places on which its result depends. It is searched again only if one of them was
// written since. That a saddle is gone is part of what a search reads, so joins need no more than their list.
#pragma once
#include "morse/saddle_joins.h"

template <class Cells>
struct SaddleRounds {
  Speculation<Cells>& all;
  SaddleJoins<Cells> joins;
  const Index* ends;  // of the segments between checkpoints
  Index n_segments;
  Attempt* attempts;
  Word *dirty, *large;  // two lists each
  Word* left;           // two lists of pairs
  Wide* n_arrived;
  Index* state;

  // The candidates from `low` to `high` are in the window. The same in all threads.
  Index first_segment, segment, span, low, high, n_dirty, n_left, turned_before;
  int parity, left_parity, join_parity;
  bool is_idle;  // no candidate of the pass would find anything else than before

  ITEM_MEMBER void run(Index max_rounds) {
    load();
    all.rooms.small().prepare();  // the others are clean between launches
    if (state[STATUS] != RUNNING) n() == 0 ? start() : restart();
    for (Index k = 0; k < max_rounds; ++k) {
      if (all.pass.clock + n() > NOWHERE) {
        barrier(n_arrived);  // all have loaded the state
        return store(TOO_LARGE);
      }
      const RoundsStatus status = round();
      if (status != RUNNING) return store(status);
      while (low == n()) {
        end_pass();
        if (segment == n_segments) return store(FINISHED);
        start();
      }
    }
    store(RUNNING);
  }

 private:
  ITEM_MEMBER Index n() const { return all.pass.n; }
  ITEM_MEMBER Word* left_list(int parity) const { return left + parity * all.n_pairs; }
  ITEM_MEMBER Word* dirty_list(int which) const { return dirty + which * state[WINDOW]; }
  ITEM_MEMBER Index* length_of_list(int which) const { return state + N_DIRTY_OF_LIST + which; }
  ITEM_MEMBER void load() {
    is_idle = false;
    parity = (int)state[PARITY], left_parity = (int)state[LEFT_PARITY], join_parity = (int)state[JOIN_PARITY];
    first_segment = state[FIRST_SEGMENT], segment = state[SEGMENT], span = state[SPAN];
    low = state[LOW], high = state[HIGH], n_dirty = state[N_DIRTY], n_left = state[N_LEFT];
    turned_before = state[TURNED_BEFORE], joins.n_traced = state[N_TRACED];
    all.pass.mode = (int)state[MODE], all.pass.clock = state[CLOCK], all.pass.n = state[N_CANDIDATES];
    prepare_pass();
  }
  ITEM_MEMBER void store(RoundsStatus status) const {
    if (thread() != 0) return;
    state[STATUS] = status, state[PARITY] = parity, state[LEFT_PARITY] = left_parity, state[JOIN_PARITY] = join_parity;
    state[SEGMENT] = segment, state[LOW] = low, state[HIGH] = high, state[N_DIRTY] = n_dirty, state[N_LEFT] = n_left;
    state[TURNED_BEFORE] = turned_before, state[FIRST_SEGMENT] = first_segment, state[SPAN] = span;
    state[MODE] = all.pass.mode, state[CLOCK] = all.pass.clock, state[N_CANDIDATES] = n();
  }
  ITEM_MEMBER bool is_any_left() const { return n_left != 0 || joins.n_traced != 0; }
  ITEM_MEMBER void prepare_pass() {
    all.pass.begin = first_segment ? ends[first_segment - 1] : 0;
    all.pass.n_turns = (Word)ends[segment];
    all.pass.pairs = left_list(left_parity);
    all.pass.joins = joins.list(join_parity);
  }
  ITEM_MEMBER void start() {
    turned_before = state[N_TURNED];
    first_segment = segment;
    prepare_pass();
    Index& n = all.pass.n;
    if (all.pass.mode == JOIN_OTHERS) {
      join_parity = joins.choose(all.pass.pairs, n_left, joins.persistence[ends[segment] - 1], &n);
      prepare_pass();
    } else if (all.pass.mode == AGAIN) {
      n = n_left;
    } else {
      const auto fits = [&](Index last) { return last < n_segments && ends[last] - all.pass.begin <= state[WINDOW]; };
      while (segment + 1 < first_segment + span && fits(segment + 1)) ++segment;
      n = ends[segment] - all.pass.begin;
    }
    low = 0;
    restart();
    is_idle = all.pass.mode != FIRST_TRY && high == n && n_dirty == 0;
    if (is_idle) low = n;
  }
  ITEM_MEMBER void restart() {
    high = n() - low < state[WINDOW] ? n() : low + state[WINDOW];
    all.admit(low, high, dirty_list(parity), length_of_list(parity));  // which is empty
    barrier(n_arrived);
    n_dirty = *length_of_list(parity);
  }

  struct Differences {
    Index n, n_squares, n_heights;
  };
  ITEM_MEMBER void compare(Attempt& one, Differences& found) const {
    all.compare(one);
    found.n += one.differs;
    found.n_squares += (Index)(one.now.n_partners / 2) - (Index)(one.before.n_partners / 2);
    found.n_heights += (Index)one.now.n_heights - (Index)one.before.n_heights;
  }
  ITEM_MEMBER void add(const Differences& found) const {
    if (lane() != 0 || found.n == 0) return;
    add_to(state + N_DIFFERENT, found.n);
    add_to(state + PENDING_SQUARES, found.n_squares);
    add_to(state + PENDING_HEIGHTS, found.n_heights);
  }
  // Searches the dirty candidates, a warp each, and those that lacked room, a block each; a block each at once if there are
  // enough. The only place that does, because the search is a large part of the kernel.
  ITEM_MEMBER void search_all() const {
    const int first = n_dirty <= n_blocks() ? JOINED_ROOM : SMALL_ROOM;
    for (int size = first; size <= HUGE_ROOM; ++size) {
      Differences found = {};
      const bool by_warp = size == SMALL_ROOM;
      const bool leads = lane() == 0 && (by_warp || warp_of_block() == 0);
      const Word* const items = large + (size - 1) * state[WINDOW];
      Index n = size == first ? n_dirty : state[N_LARGE + size - 1];
      if (size == HUGE_ROOM && block() >= state[HUGE_ROOMS]) n = 0;
      if (size == JOINED_ROOM) all.rooms.joined().prepare();
      const SearchRoom room = all.rooms.of(size);
      // A block without a room takes no number: it would be that of a candidate, which nobody would search.
      for (Index next, d = by_warp ? warp() : n ? all.rooms.next_of_block(TAKEN_LARGE + size - 1) : 0; d < n;
           d = by_warp ? from_first_lane(next) : all.rooms.next_of_block(TAKEN_LARGE + size - 1)) {
        next = by_warp && lane() == 0 ? n_warps() + add_to(state + TAKEN, 1) : 0;
        const Index item = size == first ? d : items[d];
        Attempt& attempt = attempts[item];
        if (size == first && leads) attempt.candidate = dirty_list(parity)[d];
        room.sync();
        if (!all.search(attempt, room)) {
          if (leads && size == HUGE_ROOM) state[LACKS_ROOM] = 2;
          else if (leads) large[size * state[WINDOW] + add_to(state + N_LARGE + size, 1)] = (Word)item;
        } else if (by_warp || warp_of_block() == 0) {
          compare(attempt, found);
        }
      }
      add(found);
      if (size == JOINED_ROOM) all.rooms.small().prepare();
      barrier(n_arrived);
      if (size < HUGE_ROOM && !state[N_LARGE + size]) return;
    }
  }
  // Searches the window until some of it is final, and applies that. Not RUNNING: nothing was applied.
  ITEM_MEMBER RoundsStatus round() {
    const Index capacity = state[WINDOW];
    const bool leads = warp() == 0 && lane() == 0;
    all.rooms.release_huge();
    if (leads) state[FIRST_DIRTY] = state[FIRST_LEFT] = high, *length_of_list(1 - parity) = 0;
    search_all();
    if (state[LACKS_ROOM]) return state[LACKS_ROOM] == 2 ? TOO_LARGE : NEEDS_POOL;
    if (state[N_TURNED] + state[PENDING_SQUARES] > state[TURNED] || state[N_TRIES] + high - low > state[TRIES]) return NEEDS_LOG;
    if (2 * (state[N_CHANGED_HEIGHTS] + state[PENDING_HEIGHTS]) > state[HEIGHTS]) return NEEDS_HEIGHTS;
    const bool any_differs = state[N_DIFFERENT] != 0;
    for (Index d = warp(); d < n_dirty; d += n_warps()) all.replace_versions(attempts[d]);
    if (leads) state[TAKEN] = state[N_LARGE] = state[N_LARGER] = state[TAKEN_LARGE] = state[TAKEN_LARGER] = state[TAKEN_HUGE] = 0;
    barrier(n_arrived);
    const Index n_before = n();
    const bool spans = all.pass.mode == FIRST_TRY && first_segment < segment;
    if (any_differs || spans) {
      list_dirty(any_differs, spans);
      barrier(n_arrived);
    }
    const bool is_cut = spans && state[FIRST_LEFT] < state[FIRST_DIRTY] && ends_pass_after(state[FIRST_LEFT]);
    const Index done = state[FIRST_DIRTY] < n() ? state[FIRST_DIRTY] : n(), past = is_cut ? high : done;
    const Index next_high = is_cut ? high : n() - done < capacity ? n() : done + capacity;
    Index n_gone_squares = 0, n_gone_heights = 0;
    for (Index k = low + warp(); k < past; k += n_warps()) {
      n_gone_squares += all.guess(k).n_partners / 2;
      n_gone_heights += all.guess(k).n_heights;
      if (k < done) all.apply(k, done);
    }
    if (lane() == 0 && n_gone_squares) {
      add_to(state + PENDING_SQUARES, -n_gone_squares);
      add_to(state + PENDING_HEIGHTS, -n_gone_heights);
    }
    for (Index d = warp(); d < n_dirty; d += n_warps())
      if (attempts[d].differs) {
        const auto forget = [&](Word place) { *all.cells.changed(place) = NOWHERE; };
        all.for_changed(attempts[d].now, forget);
        all.for_changed(attempts[d].before, forget);
      }
    barrier(n_arrived);
    for (Index k = low + warp(); k < past; k += n_warps()) {
      all.retract(all.guess(k));
      all.drop_versions(all.guess(k), all.time(done));
    }
    for (Index d = warp(); d < n_dirty; d += n_warps())
      if (attempts[d].differs) all.drop_versions(attempts[d].before, all.time(done));
    all.admit(high, next_high, dirty_list(1 - parity), length_of_list(1 - parity));
    if (leads) state[N_DIFFERENT] = 0;
    if (leads && is_cut) *length_of_list(0) = *length_of_list(1) = 0;
    low = done;
    high = next_high;
    parity = 1 - parity;
    barrier(n_arrived);
    if (is_cut) {
      all.pass.clock += n_before;  // beyond the times of the candidates that follow the pass
      span = 0;
      restart();
    }
    n_dirty = *length_of_list(parity);
    return RUNNING;
  }
  // Lists the dirty candidates. If the pass spans segments, finds the first candidate that is left.
  ITEM_MEMBER void list_dirty(bool any_differs, bool spans) const {
    for (Index k = low + warp(); k < high; k += n_warps()) {
      const bool is_dirty = any_differs && all.is_dirty(k);
      if (lane() != 0) continue;
      if (is_dirty) {
        dirty_list(1 - parity)[add_to(length_of_list(1 - parity), 1)] = (Word)k;
        lower_to(state + FIRST_DIRTY, k);
      } else if (spans && all.guess(k).end != ONE_PATH) {
        lower_to(state + FIRST_LEFT, k);
      }
    }
    if (spans && may_try_again() && lane() == 0) lower_to(state + FIRST_LEFT, low);
  }
  // Whether a pair that was left before the pass may find something else; for a part of them.
  ITEM_MEMBER bool may_try_again() const {
    bool may = false;
    for (Index k = warp(); !may && k < n_left; k += n_warps()) may = !all.is_current(all.kept[left_list(left_parity)[k]]);
    for (Index k = warp(); !may && k < joins.n_traced; k += n_warps())
      may = joins.may_choose(joins.traced[k], joins.persistence[ends[segment] - 1]);
    return may;
  }
  // Ends the pass with the segment of a candidate. Returns whether others followed.
  ITEM_MEMBER bool ends_pass_after(Index k) {
    const Index before = segment;
    for (segment = first_segment; ends[segment] - all.pass.begin <= k;) ++segment;
    prepare_pass();
    all.pass.n = ends[segment] - all.pass.begin;
    return segment < before;
  }
  // The candidates that were not canceled, in order, behind the pairs that were left before, if these were not tried again.
  ITEM_MEMBER void list_left() {
    const Index share = (n() + n_warps() - 1) / n_warps(), first = share * warp() < n() ? share * warp() : n();
    const Index past = first + share < n() ? first + share : n();
    Word before, n_here = 0;
    for (Index k = first; k < past; k += LANES) n_here += count_lanes(k + lane() < past && all.is_left[k + lane()], &before);
    if (lane() == 0) attempts[warp()].candidate = n_here;
    barrier(n_arrived);
    Index place = 0, n_all = 0;
    for (Index w = lane(); w < n_warps(); w += LANES) {
      n_all += attempts[w].candidate;
      if (w < warp()) place += attempts[w].candidate;
    }
    place = sum_of_lanes(place), n_all = sum_of_lanes(n_all);
    const int to = all.pass.mode == FIRST_TRY ? left_parity : 1 - left_parity;
    const Index kept = all.pass.mode == FIRST_TRY ? n_left : 0;
    for (Index k = first; k < past; k += LANES) {
      const bool here = k + lane() < past && all.is_left[k + lane()];
      const Word n_now = count_lanes(here, &before);
      if (here) left_list(to)[kept + place + before] = all.pair_of(k + lane());
      place += n_now;
    }
    n_left = kept + n_all;
    left_parity = to;
    barrier(n_arrived);
  }
  // Chooses the next pass.
  ITEM_MEMBER void end_pass() {
    const bool has_changed = state[N_TURNED] != turned_before;
    int& mode = all.pass.mode;
    const Index n_left_before = n_left;
    if (mode != JOIN_OTHERS && !is_idle) list_left();
    else barrier(n_arrived);  // before the next pass counts dirty candidates
    all.pass.clock += n();
    if (mode == FIRST_TRY) span = span == 0 || n_left > n_left_before ? 1 : span < n_segments ? 2 * span : span;
    const bool tries_again = mode == JOIN_OTHERS ? has_changed : n_left != 0 && (mode == FIRST_TRY || has_changed);
    if (tries_again) {
      if (mode == FIRST_TRY) mode = AGAIN;
    } else if (mode != JOIN_OTHERS && state[ADDED_SLOTS] && is_any_left()) {
      mode = JOIN_OTHERS;
    } else {
      mode = FIRST_TRY;
      ++segment;
    }
  }
};

// Replaces the pairs of log entries with their events.
KERNEL(number_turned, (const Word* event_of, Wide* turned),
       const Word pair = (Word)(turned[i] >> ROUND_EVENT_SHIFT) & (((Word)1 << (ROUND_CELL_SHIFT - ROUND_EVENT_SHIFT)) - 1);
       turned[i] ^= (Wide)(pair ^ event_of[pair]) << ROUND_EVENT_SHIFT)
