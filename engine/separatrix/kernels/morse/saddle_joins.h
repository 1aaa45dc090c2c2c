// Step 2 of saddle_log.h in rounds: each remaining 2-saddle chooses a 1-saddle, and the choices are sorted.
//
// A 2-saddle chooses again only if a place that it has read was written since, or is at a 1-saddle that was added since.
// Places that it reads then replace those that it has read before.
#pragma once
#include "morse/lane_nearest.h"
#include "morse/speculation.h"

template <class Cells>
struct SaddleJoins {
  Speculation<Cells>& all;
  const Real *persistence, *upper_value, *lower_value;  // by pair
  AddedSaddles added;
  Word* is_added;  // by pair
  Word* traced;    // the pairs that were added, in any order
  Join* joins;     // by pair: the nearest; then two lists
  Index n_traced;

  ITEM_MEMBER Join* list(int parity) const { return joins + (1 + parity) * all.n_pairs; }

  // Adds pairs that are left, and lists the joins whose difference is at most the level, in order. Returns the parity of
  // the list. All threads take part.
  ITEM_MEMBER int choose(const Word* left, Index n_left, Real level, Index* n_joins) {
    const Index before = n_traced;
    for (Index k = thread(); k < n_left; k += n_threads()) {
      const Word pair = left[k];
      if (is_added[pair]) continue;
      is_added[pair] = 1;
      traced[add_to(all.state + N_TRACED, 1)] = pair;
      added.add(all.lower[pair], pair);
      note(pair, 0);
    }
    barrier(all.n_arrived);
    n_traced = all.state[N_TRACED];
    for (Index k = warp(); k < n_traced; k += n_warps()) choose_for(traced[k], bits_of(level));
    all.rooms.small().prepare();
    barrier(all.n_arrived);
    for (Index k = before + thread(); k < n_traced; k += n_threads()) note(traced[k], NOWHERE);
    *n_joins = all.state[N_JOINS];
    const int parity = sort(*n_joins);
    if (thread() == 0) all.state[N_JOINS] = 0;
    barrier(all.n_arrived);
    return parity;
  }

  // Whether a pair may have another nearest saddle, or one that is near enough, than when it chose. All lanes take part.
  ITEM_MEMBER bool may_choose(Word pair, Real level) const {
    if (all.time_of[pair] != NOWHERE) return false;
    const bool is_near = joins[pair].lower != NOWHERE && joins[pair].difference <= bits_of(level);
    return is_near || !all.is_current(all.kept[2 * all.n_pairs + pair]);
  }

 private:
  enum { RUN = 32 };
  ITEM_MEMBER void note(Word pair, Word change) const {
    for (int side = 0; side < 4; ++side) {
      const Word square = all.cells.cofacet(all.lower[pair], side);
      if (square != NOWHERE) *all.cells.changed(all.cells.place(square)) = change;
    }
  }
  ITEM_MEMBER void choose_for(Word pair, Wide level) const {
    if (all.time_of[pair] != NOWHERE) return;
    Kept& kept = all.kept[2 * all.n_pairs + pair];
    const Kept before = kept;
    const auto is_changed = [&](Word place) { return *all.cells.changed(place) != NOWHERE; };
    if (!all.is_current(before) || all.any_read(before.read_at, before.n_read, is_changed)) trace(pair, kept);
    sync_lanes();
    const Join nearest = joins[pair];
    if (lane() == 0 && nearest.lower != NOWHERE && nearest.difference <= level) list(0)[add_to(all.state + N_JOINS, 1)] = nearest;
  }
  ITEM_MEMBER void trace(Word pair, Kept& kept) const {
    Word n = 0;
    const LaneNearest<Cells> tracer = {all.cells, added, upper_value, lower_value, all.rooms.own_memory()};
    const Join nearest = tracer.of(pair, all.upper[pair], &n);
    Word at = all.holds(kept) ? kept.read_at : NOWHERE;
    sync_lanes();
    if (lane() == 0) {
      joins[pair] = nearest;
      if (at == NOWHERE) at = reserved();
      kept = {at, at == NOWHERE ? NOWHERE : n, (Word)all.pass.clock - 1, 0, (Word)all.state[EPOCH]};
    }
    at = from_first_lane(at);
    for (Word j = (Word)lane(); at != NOWHERE && j < n; j += LANES) all.reads[at + j] = all.cells.place(tracer.squares()[j]);
  }
  // Room for what a 2-saddle reads, in the half of the pool that searches leave.
  ITEM_MEMBER Word reserved() const {
    if (peek(all.state + USED_READS) + JOIN_REACH > all.state[READS] / 2) return NOWHERE;
    const Index at = add_to(all.state + USED_READS, (Index)JOIN_REACH);
    return at + JOIN_REACH > all.state[READS] ? NOWHERE : (Word)at;
  }
  // By ranks: runs of RUN, then merges of two runs each. Joins differ in their 2-saddles.
  ITEM_MEMBER int sort(Index n) const {
    int parity = 0;
    for (Index i = thread(); i < n; i += n_threads()) {
      const Index begin = i / RUN * RUN, end = begin + RUN < n ? begin + RUN : n;
      Index rank = 0;
      for (Index j = begin; j < end; ++j) rank += list(0)[j].precedes(list(0)[i]);
      list(1)[begin + rank] = list(0)[i];
    }
    parity = 1;
    barrier(all.n_arrived);
    for (Index run = RUN; run < n; run *= 2) {
      const Join* const from = list(parity);
      for (Index i = thread(); i < n; i += n_threads()) {
        const Index own = i / run * run, other = own / run % 2 ? own - run : own + run;
        const Index end = other + run < n ? other + run : n;
        Index low = other < n ? other : n, high = end;
        while (low < high) {
          const Index middle = (low + high) / 2;
          if (from[middle].precedes(from[i])) low = middle + 1;
          else high = middle;
        }
        const Index rank = other < n ? low - other : 0;
        list(1 - parity)[(own < other ? own : other) + (i - own) + rank] = from[i];
      }
      parity = 1 - parity;
      barrier(all.n_arrived);
    }
    return parity;
  }
};
