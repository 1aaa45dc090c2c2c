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
// In parallel, the pairs of a window are searched on the gradient as it is at its beginning, and
// each path claims the places where its reversal would change cells. Results are then accepted in
// order. A search that has looked at a place claimed by an earlier pair is repeated, after that
// pair's path has been reversed. Paths of other pairs have no cell in common and are reversed in
// parallel at the end of the window. The log does not depend on the number of threads.
//
// Out: for each event, numbered from 1, the pairs whose 2-saddle and 1-saddle it cancels, and the
// number of pairs processed so far; for each square whose partner an event changes, one word: cell
// 33 bits, event 28, code 3 (of large images, 35, 27, and 2 bits); for each skipped pair, the outcome of its search and the preceding
// event, whenever the outcome differs from that of its previous search which did not give up.
#pragma once
#include "morse/nearest_saddles.h"

#ifdef LARGE_IMAGES
enum { LARGE_LOG_EVENT_BITS = 27, LOG_EVENT_BITS = LARGE_LOG_EVENT_BITS, LOG_CODE_BITS = 2 };
#else
enum { LOG_EVENT_BITS = 28, LOG_CODE_BITS = 3 };
#endif
enum { LOG_CELL_SHIFT = LOG_EVENT_BITS + LOG_CODE_BITS };
constexpr Real CHECKPOINT_GROWTH = 1.25;

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
  std::vector<Int32> upper, lower, n_turns;
  std::vector<std::deque<Wide>> turned;  // by each thread; a deque grows without a copy
  std::vector<Try> tries;
};

// Sizes of windows: pairs are searched in parallel from `least` on. If `most` is 0, it depends on the
// number of threads, whose caches should hold the cells of a window.
struct Windows {
  Index least = 128, most = 0;
};

template <class Cells>
class SaddleCancellation {
 public:
  SaddleCancellation(Cells& cells, SaddlePairs pairs, bool joins_others, int n_threads, Windows windows)
      : cells(cells), pairs(pairs), joins_others(joins_others), n_threads(n_threads),
        windows{windows.least, windows.most ? windows.most : 256 * (Index)n_threads},
        searches((std::size_t)n_threads, SaddleSearch<Cells>(cells)), last((std::size_t)pairs.n, ONE),
        upper_is_gone((std::size_t)pairs.n, 0), lower_is_gone((std::size_t)pairs.n, 0),
        changed((std::size_t)cells.n_places(), 0), nearest(cells, pairs, n_threads) {
    log.turned.resize((std::size_t)n_threads);
  }

  SaddleLog run() {
    for (auto* column : {&log.upper, &log.lower, &log.n_turns}) column->reserve((std::size_t)pairs.n);
    Real next = 0;
    for (Index i = 0, end; i < pairs.n; i = end) {
      if (pairs.persistence[i] > 0 && pairs.persistence[i] >= next) {
        retry();
        join_others();
        next = CHECKPOINT_GROWTH * pairs.persistence[i];
      }
      for (end = i + 1; end < pairs.n && !(pairs.persistence[end] > 0 && pairs.persistence[end] >= next);) ++end;
      reach = ANY_REACH;
      search_in_order(
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

 private:
  // What makes a search find no or several paths again: two paths; or that nothing has changed,
  // since a number of events, at the places that it inspected.
  struct Seen {
    std::vector<Byte> bytes;  // ways, or differences of ascending places in groups of 7 bits
    Word n_events;
    bool has_ways;
    template <class Predicate> bool any_place(Predicate is_so) const {
      Word place = 0, step = 0;
      int shift = 0;
      for (const Byte byte : bytes) {
        step |= (Word)(byte & 127) << shift;
        shift += 7;
        if (byte & 128) continue;
        place += step;
        if (is_so((Int32)place)) return true;
        step = 0, shift = 0;
      }
      return false;
    }
  };
  Seen seen_by(SaddleSearchResult& result) const {
    if (!result.ways.empty()) return {result.ways, 0, true};
    std::vector<Int32>& places = result.looked_at;
    std::sort(places.begin(), places.end());
    std::vector<Byte> bytes;
    Int32 last = NONE;
    for (const Int32 place : places) {
      if (place == last) continue;
      Word step = (Word)(place - std::max(last, 0));
      for (; step > 127; step >>= 7) bytes.push_back((Byte)(step | 128));
      bytes.push_back((Byte)step);
      last = place;
    }
    bytes.shrink_to_fit();
    return {std::move(bytes), (Word)log.upper.size(), false};
  }
  // A pair whose saddles both remain, and its last search.
  struct Skipped {
    Int32 pair;
    Seen seen;
  };
  // The 2-saddle of one pair and the 1-saddle of another or the same; its last search found no or
  // several paths.
  struct Candidate {
    Int32 upper, lower;
    const Seen* seen;
  };

  // A place that a candidate of the window would change, and the previous claim in its slot.
  struct Claim {
    Int32 candidate, place, previous;
  };

  bool is_gone(const Candidate& one) const { return upper_is_gone[one.upper] || lower_is_gone[one.lower]; }
  bool is_unchanged(const std::vector<Int32>& places, Word n_events) const {
    return std::none_of(places.begin(), places.end(), [&](Int32 place) { return changed[place] > n_events; });
  }
  // Whether a search would find the same as the last one, and the places that this depends on.
  bool finds_the_same(const Candidate& one, int thread, SaddleSearchResult& result) {
    if (!one.seen) return false;
    const Seen& seen = *one.seen;
    if (seen.has_ways)
      return searches[thread].leads_along(pairs.upper[one.upper], pairs.lower[one.lower], seen.bytes, result.looked_at);
    result.looked_at.clear();
    return !seen.any_place([&](Int32 place) {
      result.looked_at.push_back(place);
      return changed[place] > seen.n_events;
    });
  }

  // Calls settle(k, result) in order for each candidate of which both saddles remain; the result
  // is nullptr where it is that of the last search.
  template <class CandidateAt, class Settle> void search_in_order(Index n, CandidateAt candidate, Settle settle) {
    const bool in_windows = n_threads > 1 && n >= windows.least;
    results.resize((std::size_t)std::max(in_windows ? windows.most : 1, (Index)results.size()));
    pending.resize(results.size(), 0);
    for (Index begin = 0, size; begin < n; begin += size) {
      size = in_windows ? std::min(n - begin, window) : 1;
      Index n_repeated = 0;
      const auto at = [&](Index k) { return candidate(std::min(n - 1, begin + k)); };
      const Word n_events = (Word)log.upper.size();
      bool surprised = false;  // whether a repeated search has changed places that it had not claimed
      if (in_windows) search_ahead(size, at);
      for (Index k = 0; k < size; ++k) {
        throw_if_canceled_at(begin + k);
        const Candidate one = at(k);
        if (is_gone(one)) continue;
        SaddleSearchResult& result = results[k];
        const bool is_known = in_windows && ahead[k] != UNKNOWN;
        if (is_known && (!surprised || is_unchanged(result.looked_at, n_events))) {
          settle(begin + k, ahead[k] == SAME ? nullptr : &result);
          pending[k] = ahead[k] == SEARCHED && result.outcome == ONE ? (Word)log.upper.size() : 0;
          continue;
        }
        bool is_same;
        do is_same = finds_the_same(one, 0, result);
        while (in_windows && one.seen && reverse_claimed(result.looked_at, k));
        if (!is_same) {
          if (in_windows) reverse_claimed(result.looked_at, k);
          do search(at, k, 0, result);
          while (in_windows && reverse_claimed(result.looked_at, k));
          ++n_repeated;
        }
        settle(begin + k, is_same ? nullptr : &result);
        if (is_same || result.outcome != ONE) continue;
        pending[k] = (Word)log.upper.size();
        reverse(0, k);
        const auto is_surprise = [&](Int32 place) { return !is_claimed(place, k + 1); };
        if (in_windows) surprised |= std::any_of(result.changed.begin(), result.changed.end(), is_surprise);
      }
      if (!in_windows) continue;
      reverse_pending(size);
      if (8 * n_repeated > size) window = std::max(windows.least, window / 2);
      else if (32 * n_repeated < size) window = std::min(windows.most, window * 2);
    }
  }
  template <class CandidateAt> void search(CandidateAt at, Index k, int thread, SaddleSearchResult& result) {
    const Candidate one = at(k), soon = at(k + 8);
    for (const Index cell : {pairs.upper[soon.upper], pairs.lower[soon.lower]}) {
      cells.prefetch(cell);
      cells.prefetch_heights(cell);
      __builtin_prefetch(&changed[cells.place(cell)]);
    }
    searches[thread].run(pairs.upper[one.upper], pairs.lower[one.lower], result, reach);
  }
  // Searches the candidates of a window. Those that depend on earlier ones are left UNKNOWN.
  template <class CandidateAt> void search_ahead(Index n, CandidateAt at) {
    ahead.assign((std::size_t)n, UNKNOWN);
    last_claim.resize(CLAIM_SLOTS, NONE);
    claims.resize(CLAIMS);
    for (Index at = 0; at < std::min(n_claims, CLAIMS); ++at) last_claim[slot(claims[at].place)] = NONE;
    n_claims = 0;
    deal_out(n_threads, n, GRAIN, [&](int thread, Index k) {
      const Candidate one = at(k);
      if (is_gone(one)) return;
      ahead[k] = finds_the_same(one, thread, results[k]) ? SAME : SEARCHED;
      if (ahead[k] == SAME) return;
      search(at, k, thread, results[k]);
      claim(k);
    });
    deal_out(n_threads, n, GRAIN, [&](int, Index k) {
      if (ahead[k] == UNKNOWN) return;
      const std::vector<Int32>& places = results[k].looked_at;
      if (std::any_of(places.begin(), places.end(), [&](Int32 place) { return is_claimed(place, k); })) ahead[k] = UNKNOWN;
    });
  }
  // Adds the k-th candidate to the claims of the places that it would change, if there is room.
  void claim(Index k) {
    const std::vector<Int32>& places = results[k].changed;
    const Index n = (Index)places.size();
    Index at = __atomic_fetch_add(&n_claims, n, __ATOMIC_RELAXED);
    if (at + n > CLAIMS) {
      ahead[k] = UNKNOWN;
      return;
    }
    for (Int32 place : places) {
      claims[at] = {(Int32)k, place, __atomic_exchange_n(&last_claim[slot(place)], (Int32)at, __ATOMIC_RELAXED)};
      ++at;
    }
  }
  static std::size_t slot(Int32 place) { return (Word)place * 0x9e3779b1u >> (32 - CLAIM_SLOT_BITS); }
  // Whether a candidate before the k-th has claimed a place.
  bool is_claimed(Int32 place, Index k) const {
    Int32 at = last_claim[slot(place)];
    while (at != NONE && (claims[at].candidate >= k || claims[at].place != place)) at = claims[at].previous;
    return at != NONE;
  }

  void settle(Int32 i, SaddleSearchResult& result) {
    if (result.outcome == ONE) return cancel(i, i);
    if (result.outcome != TOO_FAR && result.outcome != last[i]) {
      log.tries.push_back({i, (Word)log.upper.size(), result.outcome});
      last[i] = result.outcome;
    }
    skip({i, seen_by(result)});
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
    log.lower.push_back(j);
    log.n_turns.push_back(n_turns);
  }
  // Reverses the path of a candidate of the window.
  void reverse(int thread, Index k) {
    const SaddleSearchResult& path = results[k];
    reverse_path(cells, path);
    for (Int32 place : path.changed) mark(changed[place], pending[k]);
    for (Index edge : path.edges) nearest.mark(edge);
    for (std::size_t at = 0; at < path.squares.size(); ++at)
      log.turned[thread].push_back((Wide)cells.log_cell(path.squares[at]) << LOG_CELL_SHIFT | (Wide)pending[k] << LOG_CODE_BITS |
                               (Wide)cells.log_code(path.squares[at], path.edges[at]));
    pending[k] = 0;
  }
  void reverse_pending(Index n) {
    deal_out(n_threads, n, GRAIN, [&](int thread, Index k) {
      if (pending[k]) reverse(thread, k);
    });
  }
  // Reverses the pending paths that have claimed any of these places before the k-th candidate.
  // Returns whether there were any.
  bool reverse_claimed(const std::vector<Int32>& places, Index k) {
    bool any = false;
    for (Int32 place : places)
      for (Int32 at = last_claim[slot(place)]; at != NONE; at = claims[at].previous)
        if (claims[at].place == place && claims[at].candidate < k && pending[claims[at].candidate]) {
          reverse(0, claims[at].candidate);
          any = true;
        }
    return any;
  }
  // Paths that are reversed together may share places, though no cells.
  static void mark(Word& changed, Word event) {
    Word last = __atomic_load_n(&changed, __ATOMIC_RELAXED);
    while (last < event && !__atomic_compare_exchange_n(&changed, &last, event, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }

  void retry() {
    if (joins_others) reach = SEARCH_REACH;
    for (bool changes = true; changes;) {
      n_kept = 0;
      const std::size_t n_events = log.upper.size();
      search_in_order(
          (Index)skipped.size(), [&](Index k) { return Candidate{skipped[k].pair, skipped[k].pair, &skipped[k].seen}; },
          [&](Index k, SaddleSearchResult* found) {
            if (found) settle(skipped[k].pair, *found);
            else skip(std::move(skipped[k]));
          });
      skipped.resize(n_kept);
      changes = log.upper.size() > n_events;
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
      const std::size_t n_events = log.upper.size();
      search_in_order(
          (Index)arcs.size(), [&](Index k) { return Candidate{arcs[k].upper, arcs[k].lower, last_search(arcs[k])}; },
          [&](Index k, SaddleSearchResult* found) {
            if (!found) return;
            if (found->outcome == ONE) cancel(arcs[k].upper, arcs[k].lower);
            else refused[arcs[k].upper] = {arcs[k].lower, seen_by(*found)};
          });
      changes = log.upper.size() > n_events;
    }
  }
  const Seen* last_search(const SaddleArc& arc) const {
    const auto there = refused.find(arc.upper);
    return there != refused.end() && there->second.first == arc.lower ? &there->second.second : nullptr;
  }

  static constexpr Index ANY_REACH = (Index)1 << 62;
  static constexpr Index GRAIN = 16, CLAIMS = 1 << 18;
  static constexpr int CLAIM_SLOT_BITS = 17, CLAIM_SLOTS = 1 << CLAIM_SLOT_BITS;
  Cells& cells;
  const SaddlePairs pairs;
  const bool joins_others;
  const int n_threads;
  const Windows windows;
  std::vector<SaddleSearch<Cells>> searches;         // one per thread
  Index window = std::min<Index>(1024, windows.most);  // halved where many searches are repeated
  std::vector<SaddleSearchResult> results;    // of a window
  enum Ahead : Byte { UNKNOWN, SEARCHED, SAME };  // SAME: as the last search
  std::vector<Ahead> ahead;    // of a window
  std::vector<Int32> last_claim;  // by slot
  std::vector<Claim> claims;
  Index n_claims = 0;
  std::vector<Word> pending;   // of a window: the event whose path is still to be reversed, or 0
  SaddleLog log;
  Int32 n_turns = 0;
  Index reach = ANY_REACH;              // of a search, in squares
  std::vector<Outcome> last;  // what each pair's search found last
  std::vector<Byte> upper_is_gone, lower_is_gone;
  std::vector<Word> changed;            // by place: the last event that changed a cell there
  std::deque<Skipped> skipped;
  std::size_t n_kept = 0;                // of the skipped pairs in this pass
  std::vector<Int32> left;              // pairs of which a saddle is left over
  std::unordered_map<Int32, std::pair<Int32, Seen>> refused;  // by 2-saddle: the 1-saddle last tried in step 2
  NearestSaddles<Cells> nearest;
};

template <class Cells>
Index saddle_log_of(Cells&& cells, SaddlePairs pairs, bool joins_others, int n_threads, Index* sizes, Windows windows = {}) {
  SaddleCancellation<Cells> cancellation(cells, pairs, joins_others, n_threads, windows);
  auto log = std::make_unique<SaddleLog>(cancellation.run());
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
            const std::unique_ptr<SaddleLog> taken((SaddleLog*)log);
            const auto take = [](std::vector<Int32>& column, Int32* to) {
              std::copy(column.begin(), column.end(), to);
              std::vector<Int32>().swap(column);
            };
            take(taken->upper, upper);
            take(taken->lower, lower);
            take(taken->n_turns, n_turns);
            for (auto& entries : taken->turned) {
              turned = std::copy(entries.begin(), entries.end(), turned);
              std::deque<Wide>().swap(entries);
            }
            for (const SaddleLog::Try& one : taken->tries)
              *tried++ = one.pair, *tried_after++ = one.event, *found++ = one.outcome;
            return 0;
          }()))

HOST_TASK(drop_saddle_log, (Index log), (delete (SaddleLog*)log, 0))
