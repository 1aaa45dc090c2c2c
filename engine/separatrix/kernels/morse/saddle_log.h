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
// step 2. With `joins_others`, all searches except the first of each pair give up beyond
// SEARCH_REACH squares, because paths that are joined lead far through noise.
//
// Out: for each event, numbered from 1, the pairs whose 2-saddle and 1-saddle it cancels, and the
// number of pairs processed so far; for each square whose partner an event changes, one word: cell
// 33 bits, event 28, code 3 (in large images 35, 27, and 2 bits); for each skipped pair, the
// outcome of its search and the preceding event, whenever the outcome differs from that of its
// previous search which did not give up.
#pragma once
#include "common/freed_memory.h"
#include "morse/search_windows.h"

#ifdef LARGE_IMAGES
enum { LARGE_LOG_EVENT_BITS = 27, LOG_EVENT_BITS = LARGE_LOG_EVENT_BITS };
enum { LARGE_LOG_CODE_BITS = 2, LOG_CODE_BITS = LARGE_LOG_CODE_BITS };
#else
enum { LOG_EVENT_BITS = 28, LOG_CODE_BITS = 3 };
#endif
enum { LOG_CELL_SHIFT = LOG_EVENT_BITS + LOG_CODE_BITS };
constexpr Real CHECKPOINT_GROWTH = 1.25;
constexpr Index MANY_PAIRS = 1 << 20;  // whose cancellation takes seconds

ITEM Index logged_cell(Wide entry) { return (Index)(entry >> LOG_CELL_SHIFT); }
ITEM Word logged_event(Wide entry) { return (Word)(entry >> LOG_CODE_BITS) & ((1u << LOG_EVENT_BITS) - 1); }
ITEM int logged_code(Wide entry) { return (int)(entry & ((1 << LOG_CODE_BITS) - 1)); }
// The log is sorted. Of the entries of a square, the last one up to the event of the level applies.
ITEM bool is_last_logged(const Wide* entries, Index n, Word event, Index i) {
  if (logged_event(entries[i]) > event) return false;
  return i + 1 == n || logged_cell(entries[i + 1]) != logged_cell(entries[i]) || logged_event(entries[i + 1]) > event;
}

#if !ON_GPU
  #include <deque>
  #include <memory>
  #include <unordered_map>

struct SaddleLog {
  struct Try {
    Int32 pair;
    Word event;
    Outcome outcome;
  };
  std::vector<Int32> upper, n_turns;
  std::vector<Int32> lower;  // empty unless saddles of different pairs are joined
  std::vector<std::deque<Wide>> turned;  // by each thread; a deque grows without a copy
  std::vector<Try> tries;
};

template <class Cells>
class SaddleCancellation {
 public:
  SaddleCancellation(Cells& cells, SaddlePairs pairs, bool joins_others, int n_threads, Windows sizes)
      : cells(cells), pairs(pairs), joins_others(joins_others), last((std::size_t)pairs.n, ONE),
        upper_is_gone((std::size_t)pairs.n, 0), lower_is_gone((std::size_t)pairs.n, 0), nearest(cells, pairs, n_threads),
        windows(cells, pairs, n_threads, sizes, *this) {
    log.turned.resize((std::size_t)n_threads);
  }

  SaddleLog run() {
    for (auto* column : {&log.upper, &log.n_turns}) column->reserve((std::size_t)pairs.n);
    Real next = 0;
    for (Index i = 0, end; i < pairs.n; i = end) {
      if (pairs.persistence[i] > 0 && pairs.persistence[i] >= next) {
        retry();
        join_others();
        next = CHECKPOINT_GROWTH * pairs.persistence[i];
      }
      for (end = i + 1; end < pairs.n && !(pairs.persistence[end] > 0 && pairs.persistence[end] >= next);) ++end;
      windows.reach = ANY_REACH;
      windows.run(
          end - i, [&](Index k) { return Candidate{(Int32)(i + k), (Int32)(i + k), nullptr}; },
          [&](Index k, SaddleSearchResult* found) {
            n_turns = (Int32)(i + k) + 1;
            settle((Int32)(i + k), *found);
          });
    }
    retry();
    join_others();
    return std::move(log);
  }

  bool is_gone(const Candidate& one) const { return upper_is_gone[one.upper] || lower_is_gone[one.lower]; }
  Word n_events() const { return (Word)log.upper.size(); }
  void reversed(int thread, const SaddleSearchResult& path, Word event) {
    for (Index edge : path.edges) nearest.mark(edge);
    for (std::size_t at = 0; at < path.squares.size(); ++at)
      log.turned[thread].push_back((Wide)cells.log_cell(path.squares[at]) << LOG_CELL_SHIFT | (Wide)event << LOG_CODE_BITS |
                                   (Wide)cells.log_code(path.squares[at], path.edges[at]));
  }

 private:
  // A pair whose saddles both remain, and its last search.
  struct Skipped {
    Int32 pair;
    Seen seen;
  };

  void settle(Int32 i, SaddleSearchResult& result) {
    if (result.outcome == ONE) return cancel(i, i);
    if (result.outcome != TOO_FAR && result.outcome != last[i]) {
      log.tries.push_back({i, (Word)log.upper.size(), result.outcome});
      last[i] = result.outcome;
    }
    skip({i, Seen(cells, result, n_events())});
  }
  // Appends to the skipped pairs, which a retry replaces in place.
  void skip(Skipped&& one) {
    if (n_kept == skipped.size()) skipped.push_back(std::move(one));
    else if (&skipped[n_kept] != &one) skipped[n_kept] = std::move(one);
    ++n_kept;
  }
  // Cancels the 2-saddle of pair i with the 1-saddle of pair j. Their path is reversed later.
  void cancel(Int32 i, Int32 j) {
    upper_is_gone[i] = lower_is_gone[j] = 1;
    log.upper.push_back(i);
    if (joins_others) log.lower.push_back(j);
    log.n_turns.push_back(n_turns);
  }

  void retry() {
    if (joins_others) windows.reach = SEARCH_REACH;
    for (bool changes = true; changes;) {
      n_kept = 0;
      const Word n_before = n_events();
      windows.run(
          (Index)skipped.size(), [&](Index k) { return Candidate{skipped[k].pair, skipped[k].pair, &skipped[k].seen}; },
          [&](Index k, SaddleSearchResult* found) {
            if (found) settle(skipped[k].pair, *found);
            else skip(std::move(skipped[k]));
          });
      skipped.erase(skipped.begin() + (std::ptrdiff_t)n_kept, skipped.end());
      changes = n_events() > n_before;
    }
  }

  void join_others() {
    if (!joins_others) return;
    for (const Skipped& one : skipped) left.push_back(one.pair);
    std::sort(left.begin(), left.end());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    left.erase(std::remove_if(left.begin(), left.end(), [&](Int32 i) { return upper_is_gone[i] && lower_is_gone[i]; }),
               left.end());
    nearest.add(left, upper_is_gone, lower_is_gone);
    const Real level = n_turns ? pairs.persistence[n_turns - 1] : 0;
    for (bool changes = true; changes;) {
      const std::vector<SaddleArc>& arcs = nearest.arcs(upper_is_gone, level);
      const Word n_before = n_events();
      windows.run(
          (Index)arcs.size(), [&](Index k) { return Candidate{arcs[k].upper, arcs[k].lower, last_search(arcs[k])}; },
          [&](Index k, SaddleSearchResult* found) {
            if (!found) return;
            if (found->outcome == ONE) cancel(arcs[k].upper, arcs[k].lower);
            else refused.insert_or_assign(arcs[k].upper, Refused{arcs[k].lower, Seen(cells, *found, n_events())});
          });
      changes = n_events() > n_before;
    }
  }
  Seen* last_search(const SaddleArc& arc) {
    const auto there = refused.find(arc.upper);
    return there != refused.end() && there->second.lower == arc.lower ? &there->second.seen : nullptr;
  }

  // The 1-saddle with which a 2-saddle was tried last in step 2.
  struct Refused {
    Int32 lower;
    Seen seen;
  };
  Cells& cells;
  const SaddlePairs pairs;
  const bool joins_others;
  SaddleLog log;
  Int32 n_turns = 0;
  std::vector<Outcome> last;  // what each pair's search found last
  std::vector<Byte> upper_is_gone, lower_is_gone;
  std::deque<Skipped> skipped;
  std::size_t n_kept = 0;    // of the skipped pairs in this pass
  std::vector<Int32> left;  // pairs of which a saddle is left over
  std::unordered_map<Int32, Refused> refused;  // by 2-saddle
  NearestSaddles<Cells> nearest;
  SearchWindows<Cells, SaddleCancellation> windows;
};

template <class Cells>
Index saddle_log_of(Cells&& cells, SaddlePairs pairs, bool joins_others, int n_threads, Index* sizes, Windows windows = {}) {
  const bool is_large = pairs.n >= MANY_PAIRS;
  if (is_large) return_freed_memory();
  auto log = std::make_unique<SaddleLog>(SaddleCancellation<Cells>(cells, pairs, joins_others, n_threads, windows).run());
  if (is_large) return_freed_memory();
  sizes[0] = (Index)log->upper.size();
  sizes[1] = 0;
  for (const auto& entries : log->turned) sizes[1] += (Index)entries.size();
  sizes[2] = (Index)log->tries.size();
  return (Index)log.release();
}
#endif

HOST_TASK(take_saddle_log, (Index log, Int32* upper, Int32* lower, Int32* n_turns, Wide* turned, Int32* tried,
                            Word* tried_after, Byte* found),
          ([&] {
            std::unique_ptr<SaddleLog> taken((SaddleLog*)log);
            const bool is_large = (Index)taken->upper.size() >= MANY_PAIRS;
            const auto take = [](std::vector<Int32>& column, Int32* to) {
              std::copy(column.begin(), column.end(), to);
              std::vector<Int32>().swap(column);
            };
            if (taken->lower.empty()) std::copy(taken->upper.begin(), taken->upper.end(), lower);
            else take(taken->lower, lower);
            take(taken->upper, upper);
            take(taken->n_turns, n_turns);
            for (auto& entries : taken->turned) {
              turned = std::copy(entries.begin(), entries.end(), turned);
              std::deque<Wide>().swap(entries);
            }
            for (const SaddleLog::Try& one : taken->tries)
              *tried++ = one.pair, *tried_after++ = one.event, *found++ = one.outcome;
            taken.reset();
            if (is_large) return_freed_memory();
            return 0;
          }()))

HOST_TASK(drop_saddle_log, (Index log), (delete (SaddleLog*)log, 0))
