// Cancellation of saddle pairs on the gradient of a volume, as a log that can be replayed up to any
// level.
//
// In: n pairs (p, q) of a 2-saddle and a 1-saddle in the order of their persistence, with the
// values of the cells. At its turn, a pair that exactly one V-path connects is canceled by
// reversing this path; other pairs are skipped.
//   1. Whenever the persistence has grown by a quarter, and at the end, skipped pairs are tried
//      again in order until a pass changes nothing.
//   2. Then, if `joins_others`, each remaining 2-saddle chooses the nearest remaining 1-saddle, by
//      (|difference of values|, place in the list), among those that differ by at most the
//      persistence of the last pair and to which exactly one V-path leads through the first
//      JOIN_REACH squares of a breadth-first search. The choices are tried in the order of
//      (difference, place of the 2-saddle), except those with a saddle that was canceled in the
//      meantime. This is repeated until it cancels nothing.
// Saddles of pairs that are not below the level, and saddles paired with extrema, are excluded from
// step 2.
//
// Out: for each event, numbered from 1, the pairs whose 2-saddle and 1-saddle it cancels, and the
// number of pairs processed so far; for each square whose partner an event changes, one word: cell
// 33 bits, event 28, code 3; for each skipped pair, the outcome of its search and the preceding
// event, whenever the outcome differs from the previous one.
#pragma once
#include "morse/saddle_search.h"

enum { LOG_EVENT_BITS = 28, LOG_CODE_BITS = 3, LOG_CELL_SHIFT = LOG_EVENT_BITS + LOG_CODE_BITS };
constexpr Real CHECKPOINT_GROWTH = 1.25;
constexpr Index JOIN_REACH = 512;

ITEM Index logged_cell(Wide entry) { return (Index)(entry >> LOG_CELL_SHIFT); }
ITEM Word logged_event(Wide entry) { return (Word)(entry >> LOG_CODE_BITS) & ((1u << LOG_EVENT_BITS) - 1); }
ITEM int logged_code(Wide entry) { return (int)(entry & ((1 << LOG_CODE_BITS) - 1)); }
// The log is sorted. Of the entries of a square, the last one up to the event of the level applies.
ITEM bool is_last_logged(const Wide* entries, Index n, Word event, Index i) {
  if (logged_event(entries[i]) > event) return false;
  return i + 1 == n || logged_cell(entries[i + 1]) != logged_cell(entries[i]) || logged_event(entries[i + 1]) > event;
}

#if !ON_GPU
  #include <cmath>
  #include <memory>

struct SaddlePairs {
  Index n;
  const Index *upper, *lower;
  const Real *persistence, *upper_value, *lower_value;
};

struct SaddleLog {
  struct Try {
    Int32 pair;
    Word event;
    Outcome outcome;
  };
  std::vector<Int32> upper, lower, n_turns;
  std::vector<Wide> turned;
  std::vector<Try> tries;
};

template <class Cells>
class SaddleCancellation {
 public:
  SaddleCancellation(Cells& cells, SaddlePairs pairs, bool joins_others, int n_threads)
      : cells(cells), pairs(pairs), joins_others(joins_others), n_threads(n_threads), search(cells),
        last((std::size_t)pairs.n, ONE), upper_is_gone((std::size_t)pairs.n, 0), lower_is_gone((std::size_t)pairs.n, 0) {}

  SaddleLog run() {
    Real next = 0;
    for (Index i = 0; i < pairs.n; ++i) {
      check_cancelled_at(i);
      if (i + 8 < pairs.n) {
        cells.prefetch(pairs.upper[i + 8]);
        cells.prefetch(pairs.lower[i + 8]);
      }
      if (pairs.persistence[i] > 0 && pairs.persistence[i] >= next) {
        retry();
        join_others();
        next = CHECKPOINT_GROWTH * pairs.persistence[i];
      }
      n_turns = (Int32)i + 1;
      attempt((Int32)i);
    }
    retry();
    join_others();
    return std::move(log);
  }

 private:
  // An arc that step 2 may cancel.
  struct Arc {
    Real difference;
    Int32 upper, lower;
    bool operator<(const Arc& other) const {
      return difference != other.difference ? difference < other.difference : upper < other.upper;
    }
  };
  // The arc of a 2-saddle, and the blocks of cells that were read to find it. It is searched again
  // only if one of these blocks has changed.
  struct Traced {
    Int32 upper;
    Arc arc;
    Word when;  // 0: never
    std::vector<Int32> blocks;
  };
  // What is needed to trace the arcs of a 2-saddle.
  struct Tracer {
    std::vector<Word> seen;  // blocks, by the number of the tracing
    Word now = 0;
    CellMap<Int32> place;
    std::vector<Index> squares;
    std::vector<Int32> onward, waits_for, ready;  // up to 4 squares from each
    std::vector<Byte> paths;                      // 0, 1, or 2 for more
    std::vector<std::pair<Index, Byte>> ends;
  };

  void attempt(Int32 i) {
    const Outcome found = search.run(pairs.upper[i], pairs.lower[i]);
    if (found == ONE) return cancel(i, i);
    skipped.push_back(i);
    if (found != last[i]) log.tries.push_back({i, (Word)log.upper.size(), found});
    last[i] = found;
  }
  // Cancels the 2-saddle of pair i with the 1-saddle of pair j, which were searched last.
  void cancel(Int32 i, Int32 j) {
    upper_is_gone[i] = lower_is_gone[j] = 1;
    log.upper.push_back(i);
    log.lower.push_back(j);
    log.n_turns.push_back(n_turns);
    search.reverse([&](Index square) {
      if (round) changed[cells.block(square)] = round;
    });
    const Wide event = log.upper.size();
    for (std::size_t k = 0; k < search.squares.size(); ++k)
      log.turned.push_back((Wide)cells.log_cell(search.squares[k]) << LOG_CELL_SHIFT | event << LOG_CODE_BITS |
                           (Wide)cells.log_code(search.squares[k], search.edges[k]));
  }

  void retry() {
    for (bool changes = true; changes;) {
      again.clear();
      again.swap(skipped);
      const std::size_t n_events = log.upper.size();
      for (Int32 i : again)
        if (!upper_is_gone[i] && !lower_is_gone[i]) attempt(i);
      changes = log.upper.size() > n_events;
    }
  }

  void join_others() {
    if (!joins_others) return;
    left.insert(left.end(), skipped.begin(), skipped.end());
    std::sort(left.begin(), left.end());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    lowers.clear();
    traced.clear();
    std::size_t n_left = 0;
    for (Int32 i : left) {
      if (!upper_is_gone[i]) traced.push_back({i, {0, NONE, NONE}, 0, {}});
      if (!lower_is_gone[i]) lowers.push_back(i);
      if (!upper_is_gone[i] || !lower_is_gone[i]) left[n_left++] = i;
    }
    left.resize(n_left);
    changed.assign((std::size_t)cells.n_blocks(), 0);
    tracers.resize((std::size_t)n_threads);
    for (Tracer& tracer : tracers) tracer.seen.assign(changed.size(), tracer.now = 0);
    for (round = 1; join_nearest(); ++round) {
    }
    round = 0;
  }

  // One round of step 2. Returns whether anything was canceled.
  bool join_nearest() {
    const Real level = n_turns ? pairs.persistence[n_turns - 1] : 0;
    number.clear();
    for (Int32 j : lowers)
      if (!lower_is_gone[j]) number.insert(pairs.lower[j], j);
    deal_out(n_threads, (Index)traced.size(), 16, [&](int thread, Index k) {
      Traced& one = traced[k];
      if (upper_is_gone[one.upper]) return;
      const auto has_changed = [&](Int32 block) { return changed[block] >= one.when; };
      if (one.when && std::none_of(one.blocks.begin(), one.blocks.end(), has_changed)) return;
      one.when = round;
      trace_nearest(tracers[thread], one, level);
    });
    arcs.clear();
    for (const Traced& one : traced)
      if (!upper_is_gone[one.upper] && one.arc.upper != NONE) arcs.push_back(one.arc);
    std::sort(arcs.begin(), arcs.end());
    const std::size_t n_events = log.upper.size();
    for (const Arc& arc : arcs) {
      if (upper_is_gone[arc.upper] || lower_is_gone[arc.lower]) continue;
      if (search.run(pairs.upper[arc.upper], pairs.lower[arc.lower]) == ONE) cancel(arc.upper, arc.lower);
    }
    return log.upper.size() > n_events;
  }

  // Finds the remaining 1-saddle that is nearest in value to a 2-saddle, among those that exactly
  // one V-path connects to it.
  void trace_nearest(Tracer& t, Traced& one, Real level) const {
    const Int32 i = one.upper;
    const Index p = pairs.upper[i];
    ++t.now;
    one.blocks.clear();
    const auto read = [&](Index square) {
      const Int32 block = cells.block(square);
      if (t.seen[block] != t.now) one.blocks.push_back(block);
      t.seen[block] = t.now;
    };
    t.place.clear();
    t.squares.assign(1, p);
    t.place.insert(p, 0);
    t.onward.clear();
    t.ends.clear();
    for (std::size_t k = 0; k < t.squares.size(); ++k) {
      check_cancelled_at((Index)k);
      const Index square = t.squares[k];
      read(square);
      int n = 0;
      t.onward.resize(4 * (k + 1), NONE);
      cells.for_edges_of(square, [&](Index edge) {
        const Index next = cells.square_of(edge);
        if (next == NONE) {
          if (number.has(edge)) t.ends.push_back({edge, 0}), t.onward[4 * k + n++] = -2 - (Int32)(t.ends.size() - 1);
          return;
        }
        if (next == square) return;
        const Int32* there = t.place.find(next);
        if (there == nullptr) {
          if ((Index)t.squares.size() == JOIN_REACH) return;
          t.place.insert(next, (Int32)t.squares.size());
          t.squares.push_back(next);
        }
        t.onward[4 * k + n++] = there ? *there : (Int32)t.squares.size() - 1;
      });
    }
    t.waits_for.assign(t.squares.size(), 0);
    t.paths.assign(t.squares.size(), 0);
    for (Int32 to : t.onward)
      if (to >= 0) ++t.waits_for[to];
    t.paths[0] = 1;
    t.ready.assign(1, 0);
    while (!t.ready.empty()) {  // Kahn 1962
      const Int32 from = t.ready.back();
      t.ready.pop_back();
      for (int k = 0; k < 4 && t.onward[4 * from + k] != NONE; ++k) {
        const Int32 to = t.onward[4 * from + k];
        if (to < 0) {
          t.ends[-2 - to].second = t.paths[from];
          continue;
        }
        t.paths[to] = (Byte)std::min(2, t.paths[to] + t.paths[from]);
        if (!--t.waits_for[to]) t.ready.push_back(to);
      }
    }
    std::sort(t.ends.begin(), t.ends.end());
    Arc best = {0, NONE, NONE};
    for (std::size_t k = 0; k < t.ends.size();) {
      const Index edge = t.ends[k].first;
      int n = 0;
      for (; k < t.ends.size() && t.ends[k].first == edge; ++k) n += t.ends[k].second;
      const Int32 j = *number.find(edge);
      const Real difference = std::fabs(pairs.upper_value[i] - pairs.lower_value[j]);
      if (n != 1 || difference > level) continue;
      if (best.upper == NONE || difference < best.difference || (difference == best.difference && j < best.lower))
        best = {difference, i, j};
    }
    one.arc = best;
  }

  Cells& cells;
  const SaddlePairs pairs;
  const bool joins_others;
  const int n_threads;
  SaddleSearch<Cells> search;
  SaddleLog log;
  Int32 n_turns = 0;
  std::vector<Outcome> last;  // what each pair's search found last
  std::vector<Byte> upper_is_gone, lower_is_gone;
  std::vector<Int32> skipped, again;        // pairs of which neither saddle is gone
  std::vector<Int32> left, lowers;          // pairs of which a saddle is left over
  std::vector<Traced> traced;               // of those whose 2-saddle is
  std::vector<Word> changed;                // by block of cells: the last round in which something did
  Word round = 0;
  CellMap<Int32> number;
  std::vector<Arc> arcs;
  std::vector<Tracer> tracers;
};

template <class Cells>
Index saddle_log_of(Cells&& cells, SaddlePairs pairs, bool joins_others, int n_threads, Index* sizes) {
  SaddleCancellation<Cells> cancellation(cells, pairs, joins_others, n_threads);
  auto log = std::make_unique<SaddleLog>(cancellation.run());
  sizes[0] = (Index)log->upper.size();
  sizes[1] = (Index)log->turned.size();
  sizes[2] = (Index)log->tries.size();
  return (Index)log.release();
}
#endif

HOST_TASK(take_saddle_log, (Index log, Int32* upper, Int32* lower, Int32* n_turns, Wide* turned, Int32* tried,
                            Word* tried_after, Byte* found),
          ([&] {
            const std::unique_ptr<SaddleLog> taken((SaddleLog*)log);
            std::copy(taken->upper.begin(), taken->upper.end(), upper);
            std::copy(taken->lower.begin(), taken->lower.end(), lower);
            std::copy(taken->n_turns.begin(), taken->n_turns.end(), n_turns);
            std::sort(taken->turned.begin(), taken->turned.end());
            std::copy(taken->turned.begin(), taken->turned.end(), turned);
            for (const SaddleLog::Try& one : taken->tries)
              *tried++ = one.pair, *tried_after++ = one.event, *found++ = one.outcome;
            return 0;
          }()))

HOST_TASK(drop_saddle_log, (Index log), (delete (SaddleLog*)log, 0))
