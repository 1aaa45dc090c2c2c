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
// A pair that is left keeps the places on which its result depends. It is searched again only if one of them was written
// since.
//
// A candidate's time is its number among all candidates that were ever tried, so it orders them.
#pragma once
#include "morse/lane_search.h"

// A cell with this bit names its height, without it its partner.
constexpr Word HEIGHT = 1u << 31;
enum { ROUND_EVENT_SHIFT = 3, ROUND_CELL_SHIFT = 31 };  // of the log, as in saddle_log.h

// What a candidate wrote to a cell; `next` is another version of a cell of the same anchor.
struct Version {
  Word cell, value, next, time;
};
// The writes of a candidate, those of partners first, and the places that it has read, as ranges of pools.
struct Guess {
  Word at, n_partners, n_heights, read_at, n_read, end;
};
// What a pair that is left has read, and its time; nothing if the pools were emptied since.
struct Kept {
  Word read_at, n_read, time, end, epoch;
};
// A candidate that is searched in a round: its place in the window, and what it would have written before.
struct Attempt {
  Guess now, before;
  Word candidate, differs;
};

enum RoundsStatus { RUNNING, FINISHED, NEEDS_LOG, NEEDS_HEIGHTS, NEEDS_POOL, TOO_LARGE };
enum RoundsMode { FIRST_TRY, AGAIN };

template <class Cells>
struct SaddleRounds {
  Cells cells;  // at the time 0, which sees the base
  const Word *upper, *lower;  // cells by pair
  const Index* ends;          // of the segments between checkpoints
  Index n_segments, n_pairs;
  Word *heads, *changed;  // by place: the first version, and the least time of a candidate that writes something else
  Word* written;          // by place: the greatest time of a candidate that has written, and is final
  Version* versions;
  Word* reads;
  Guess* window;
  Attempt* attempts;
  Word *dirty, *large;        // dirty: two lists
  Word *left, *is_left;       // left: two lists of pairs
  Word *time_of, *n_turns_of;  // by pair: of its cancellation, else NOWHERE
  Byte* last;                 // by pair: what its last search found
  Kept* kept;                 // by pair
  Wide* turned;
  Word* tries;  // three each: pair, time, what was found
  SearchRooms rooms;
  Wide* n_arrived;
  Index* state;

  // --- one candidate
  ITEM_MEMBER Word pair_of(Index k) const {
    return mode == FIRST_TRY ? (Word)(begin + k) : left_list(left_parity)[k];
  }
  ITEM_MEMBER Word* left_list(int parity) const { return left + parity * n_pairs; }
  ITEM_MEMBER Guess& guess(Index k) const { return window[k % state[WINDOW]]; }
  ITEM_MEMBER Word time(Index k) const { return (Word)(clock + k); }

  // Searches the candidate of an attempt; false if the room is too small.
  OUTLINE_MEMBER bool search(Attempt& attempt, SearchRoom first) const {
    const Index k = attempt.candidate;
    const Word pair = pair_of(k);
    LaneSearch<Cells> one{cells.at(time(k)), rooms, first, upper[pair], lower[pair]};
    const SearchEnd end = one.run();
    const SearchRoom room = one.room;
    if (end == NO_ROOM) return room.clear(), false;
    Guess now = {0, 0, 0, 0, room.counters[N_READ] - one.first_read, (Word)end};
    if (end == ONE_PATH) now.n_partners = 2 * one.length, now.n_heights = one.n_moved();
    sync_lanes();
    if (lane() == 0) {
      room.counters[N_MOVED] = 0;
      room.counters[WRITTEN_AT] = reserved(USED_VERSIONS, now.n_partners + now.n_heights, VERSIONS);
      room.counters[READ_AT] = reserved(USED_READS, now.n_read, READS);
    }
    sync_lanes();
    now.at = room.counters[WRITTEN_AT];
    now.read_at = room.counters[READ_AT];
    if (now.at == NOWHERE || now.read_at == NOWHERE) now = {0, 0, 0, 0, 0, NO_ROOM};
    for (Word j = (Word)lane(); j < now.n_read; j += LANES) reads[now.read_at + j] = room.reads[one.first_read + j];
    for (Word j = (Word)lane(); 2 * j < now.n_partners; j += LANES) {
      const Word square = one.square_at(j), edge = one.edge_at(j);
      write(now.at + 2 * j, square, (Word)cells.direction(square, edge));
      write(now.at + 2 * j + 1, edge, (Word)cells.direction(edge, square));
    }
    if (now.n_heights)
      one.for_moved([&](Word cell) {
        const Word j = add_to(room.counters + N_MOVED, 1u);
        write(now.at + now.n_partners + j, cell | HEIGHT, cells.number_of(one.is_down ? one.high : one.low));
      });
    if (lane() == 0) {
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
    for (Word at = heads[place_of(wanted.cell)]; at != NOWHERE; at = versions[at].next)
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
      const auto note = [&](Word place) { lower_to(changed + place, t); };
      for_changed(now, note);
      for_changed(before, note);
    }
    if (lane() == 0) attempt.differs = differs;
  }
  ITEM_MEMBER void replace_versions(const Attempt& attempt) const {
    const Guess &now = attempt.now, &before = attempt.before;
    const Word t = time(attempt.candidate);
    if (attempt.differs) {
      for (Word j = (Word)lane(); j < before.n_partners + before.n_heights; j += LANES) versions[before.at + j].time = NOWHERE;
      for (Word j = (Word)lane(); j < now.n_partners + now.n_heights; j += LANES) {
        Version& one = versions[now.at + j];
        one.time = t;
        one.next = exchange(heads + place_of(one.cell), now.at + j);
      }
    }
    if (lane() == 0) {
      Guess& kept = guess(attempt.candidate);
      kept = now;
      if (!attempt.differs) kept.at = before.at;
    }
  }
  ITEM_MEMBER bool is_dirty(Index k) const {
    const Guess& one = guess(k);
    bool dirty = one.end == NO_ROOM;
    for (Word j = (Word)lane(); !dirty && j < one.n_read; j += LANES) dirty = changed[reads[one.read_at + j]] < time(k);
    return any_lane(dirty);
  }
  // Whether a candidate that becomes final in the same round writes to the same cell later.
  ITEM_MEMBER bool is_overwritten(Word cell, Word after, Word until) const {
    for (Word at = heads[place_of(cell)]; at != NOWHERE; at = versions[at].next)
      if (versions[at].cell == cell && versions[at].time > after && versions[at].time < until) return true;
    return false;
  }
  ITEM_MEMBER void apply(Index k, Index until) const {
    const Guess one = guess(k);
    const Word pair = pair_of(k);
    Index turned_at = 0;
    if (one.end == ONE_PATH) for_changed(one, [&](Word place) { raise_to(written + place, time(k)); });
    if (lane() == 0) {
      if (one.end != ONE_PATH && !is_kept(pair)) kept[pair] = {one.read_at, one.n_read, time(k), one.end, (Word)state[EPOCH]};
      is_left[k] = one.end != ONE_PATH;
      if (one.end == ONE_PATH) {
        time_of[pair] = time(k);
        n_turns_of[pair] = mode == FIRST_TRY ? pair + 1 : (Word)ends[segment];
        turned_at = add_to(state + N_TURNED, (Index)(one.n_partners / 2));
      } else if (last[pair] != one.end) {
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

  // --- rounds
  // The candidates of a segment, or all pairs that are left, are numbered from 0; those from `low` to `high` are in the
  // window. The same in all threads.
  Index begin, segment, low, high, n, n_dirty, clock, n_left;
  int mode, parity, left_parity;

  ITEM_MEMBER void load() {
    mode = (int)state[MODE], parity = (int)state[PARITY], left_parity = (int)state[LEFT_PARITY];
    segment = state[SEGMENT], low = state[LOW], high = state[HIGH], n = state[N_CANDIDATES], n_dirty = state[N_DIRTY];
    clock = state[CLOCK], n_left = state[N_LEFT];
    begin = segment ? ends[segment - 1] : 0;
  }
  ITEM_MEMBER void store(RoundsStatus status) const {
    if (warp() != 0 || lane() != 0) return;
    state[STATUS] = status, state[MODE] = mode, state[PARITY] = parity, state[LEFT_PARITY] = left_parity;
    state[SEGMENT] = segment, state[LOW] = low, state[HIGH] = high, state[N_CANDIDATES] = n, state[N_DIRTY] = n_dirty;
    state[CLOCK] = clock, state[N_LEFT] = n_left;
  }
  ITEM_MEMBER bool is_kept(Word pair) const { return kept[pair].epoch == (Word)state[EPOCH] && kept[pair].n_read != NOWHERE; }
  // Adds candidates to the window. Those whose last search would find the same again are not dirty.
  ITEM_MEMBER void admit(Index from, Index to, Word* list) const {
    for (Index k = from + warp(); k < to; k += n_warps()) {
      const Word pair = pair_of(k);
      const Kept before = kept[pair];
      bool same = mode == AGAIN && is_kept(pair);
      for (Word j = (Word)lane(); same && j < before.n_read; j += LANES) same = written[reads[before.read_at + j]] <= before.time;
      same = !any_lane(!same);
      sync_lanes();
      if (lane() != 0) continue;
      if (same) {
        guess(k) = {0, 0, 0, before.read_at, before.n_read, before.end};
      } else {
        kept[pair].n_read = NOWHERE;
        guess(k) = {0, 0, 0, 0, 0, NO_ROOM};
        list[add_to(state + NEXT_DIRTY, 1)] = (Word)k;
      }
    }
  }
  ITEM_MEMBER Word* dirty_list(int which) const { return dirty + which * state[WINDOW]; }

  // Searches the attempts that lacked room.
  ITEM_MEMBER void search_large() const {
    while (true) {
      const Word taken = from_first_lane(lane() == 0 ? (Word)add_to(state + TAKEN_LARGE, 1) : 0u);
      if (taken >= state[N_LARGE]) return;
      if (!search(attempts[large[taken]], rooms.huge(warp()))) state[LACKS_ROOM] = 2;
    }
  }
  // Searches the window until some of it is final, and applies that. Not RUNNING: nothing was applied.
  ITEM_MEMBER RoundsStatus round() {
    const Index capacity = state[WINDOW];
    const bool leads = warp() == 0 && lane() == 0;
    rooms.release_huge();
    for (Index d = warp(); d < n_dirty; d += n_warps()) {
      Attempt& attempt = attempts[d];
      if (lane() == 0) attempt.candidate = dirty_list(parity)[d];
      sync_lanes();
      if (!search(attempt, rooms.small()) && lane() == 0) large[add_to(state + N_LARGE, 1)] = (Word)d;
    }
    if (leads) state[FIRST_DIRTY] = high;
    barrier(n_arrived);
    if (state[N_LARGE]) {
      if (warp() < state[HUGE_ROOMS]) search_large();
      barrier(n_arrived);
    }
    if (state[LACKS_ROOM]) return state[LACKS_ROOM] == 2 ? TOO_LARGE : NEEDS_POOL;
    Index n_different = 0, n_squares = 0, n_heights = 0;
    for (Index d = warp(); d < n_dirty; d += n_warps()) {
      compare(attempts[d]);
      const Attempt& one = attempts[d];
      n_different += one.differs;
      n_squares += (Index)(one.now.n_partners / 2) - (Index)(one.before.n_partners / 2);
      n_heights += (Index)one.now.n_heights - (Index)one.before.n_heights;
    }
    if (lane() == 0 && n_different) {
      add_to(state + N_DIFFERENT, n_different);
      add_to(state + PENDING_SQUARES, n_squares);
      add_to(state + PENDING_HEIGHTS, n_heights);
    }
    barrier(n_arrived);
    if (state[N_TURNED] + state[PENDING_SQUARES] > state[TURNED] || state[N_TRIES] + high - low > state[TRIES]) return NEEDS_LOG;
    if (2 * (state[N_CHANGED_HEIGHTS] + state[PENDING_HEIGHTS]) > state[HEIGHTS]) return NEEDS_HEIGHTS;
    const bool any_differs = state[N_DIFFERENT] != 0;
    for (Index d = warp(); d < n_dirty; d += n_warps()) replace_versions(attempts[d]);
    if (leads) state[N_LARGE] = state[TAKEN_LARGE] = state[TAKEN_HUGE] = 0;
    barrier(n_arrived);
    if (any_differs) {
      for (Index k = low + warp(); k < high; k += n_warps())
        if (is_dirty(k) && lane() == 0) {
          dirty_list(1 - parity)[add_to(state + NEXT_DIRTY, 1)] = (Word)k;
          lower_to(state + FIRST_DIRTY, k);
        }
      barrier(n_arrived);
    }
    const Index done = state[FIRST_DIRTY], next_high = n - done < capacity ? n : done + capacity;
    Index n_applied_squares = 0, n_applied_heights = 0;
    for (Index k = low + warp(); k < done; k += n_warps()) {
      n_applied_squares += guess(k).n_partners / 2;
      n_applied_heights += guess(k).n_heights;
      apply(k, done);
    }
    if (lane() == 0 && n_applied_squares) {
      add_to(state + PENDING_SQUARES, -n_applied_squares);
      add_to(state + PENDING_HEIGHTS, -n_applied_heights);
    }
    for (Index d = warp(); d < n_dirty; d += n_warps())
      if (attempts[d].differs) {
        const auto forget = [&](Word place) { changed[place] = NOWHERE; };
        for_changed(attempts[d].now, forget);
        for_changed(attempts[d].before, forget);
      }
    barrier(n_arrived);  // the slots of what was applied are free
    admit(high, next_high, dirty_list(1 - parity));
    if (leads) state[N_DIFFERENT] = 0;
    low = done;
    high = next_high;
    parity = 1 - parity;
    barrier(n_arrived);
    n_dirty = state[NEXT_DIRTY];
    barrier(n_arrived);
    if (leads) state[NEXT_DIRTY] = 0;
    return RUNNING;
  }
  // The candidates that were not canceled, in order, behind the pairs that were left before, if these were not tried again.
  ITEM_MEMBER void list_left() {
    const Index share = (n + n_warps() - 1) / n_warps(), first = share * warp() < n ? share * warp() : n;
    const Index past = first + share < n ? first + share : n;
    Word before, n_here = 0;
    for (Index k = first; k < past; k += LANES) n_here += count_lanes(k + lane() < past && is_left[k + lane()], &before);
    if (lane() == 0) attempts[warp()].candidate = n_here;
    barrier(n_arrived);
    Index place = 0, n_all = 0;
    for (Index w = lane(); w < n_warps(); w += LANES) {
      n_all += attempts[w].candidate;
      if (w < warp()) place += attempts[w].candidate;
    }
    place = sum_of_lanes(place), n_all = sum_of_lanes(n_all);
    const int to = mode == FIRST_TRY ? left_parity : 1 - left_parity;
    const Index kept = mode == FIRST_TRY ? n_left : 0;
    for (Index k = first; k < past; k += LANES) {
      const bool here = k + lane() < past && is_left[k + lane()];
      const Word n_now = count_lanes(here, &before);
      if (here) left_list(to)[kept + place + before] = pair_of(k + lane());
      place += n_now;
    }
    clock += n;
    const bool is_settled = mode == AGAIN && n_all == n;
    n_left = kept + n_all;
    left_parity = to;
    if (is_settled || n_left == 0) {
      ++segment;
      mode = FIRST_TRY;
    } else {
      mode = AGAIN;
    }
    barrier(n_arrived);
  }
  ITEM_MEMBER void start() {
    begin = segment ? ends[segment - 1] : 0;
    n = mode == AGAIN ? n_left : ends[segment] - begin;
    low = 0;
    restart();
  }
  ITEM_MEMBER void restart() {
    high = n - low < state[WINDOW] ? n : low + state[WINDOW];
    parity = 0;
    admit(low, high, dirty_list(0));
    barrier(n_arrived);
    n_dirty = state[NEXT_DIRTY];
    barrier(n_arrived);
    if (warp() == 0 && lane() == 0) state[NEXT_DIRTY] = 0;
  }
  ITEM_MEMBER void run(Index max_rounds) {
    load();
    rooms.small().prepare();  // the others are clean between launches
    if (state[STATUS] != RUNNING) n == 0 ? start() : restart();
    for (Index k = 0; k < max_rounds; ++k) {
      if (clock + n > NOWHERE) return store(TOO_LARGE);
      const RoundsStatus status = round();
      if (status != RUNNING) return store(status);
      while (low == n) {
        list_left();
        if (segment == n_segments) return store(FINISHED);
        start();
      }
    }
    store(RUNNING);
  }
};

// Replaces the pairs of log entries with their events.
KERNEL(number_turned, (const Word* event_of, Wide* turned),
       const Word pair = (Word)(turned[i] >> ROUND_EVENT_SHIFT) & (((Word)1 << (ROUND_CELL_SHIFT - ROUND_EVENT_SHIFT)) - 1);
       turned[i] ^= (Wide)(pair ^ event_of[pair]) << ROUND_EVENT_SHIFT)
