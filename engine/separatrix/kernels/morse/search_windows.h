// Searches of saddle_log.h in order, those of a window in parallel.
//
// The pairs of a window are searched on the gradient as it is at its beginning, and each path claims
// the places where its reversal would change cells. Results are then accepted in order. A search
// that has looked at a place claimed by an earlier pair is repeated, after that pair's path has been
// reversed. Paths of other pairs have no cell in common and are reversed in parallel at the end of
// the window. The results do not depend on the number of threads.
//
// `Owner` has is_gone(candidate), n_events(), the number of events so far, and reversed(thread,
// path, event), which is called for each path that was reversed, by threads.
#pragma once
#include "morse/claims.h"
#include "morse/nearest_saddles.h"
#include "morse/seen_search.h"

#if !ON_GPU
  #include <memory>

// Sizes of windows: pairs are searched in parallel from `least` on. If `most` is 0, it depends on the
// number of threads, whose caches should hold the cells of a window.
struct Windows {
  Index least = 128, most = 0;
};

// The 2-saddle of one pair and the 1-saddle of another or the same; its last search found no or
// several paths.
struct Candidate {
  Int32 upper, lower;
  Seen* seen;
};

template <class Cells, class Owner>
class SearchWindows {
 public:
  ChangeTimes<Cells> times;
  Index reach = ANY_REACH;  // of a search, in squares

  SearchWindows(Cells& cells, SaddlePairs pairs, int n_threads, Windows sizes, Owner& owner)
      : times(cells), cells(cells), pairs(pairs), n_threads(n_threads), least(sizes.least),
        most(sizes.most ? sizes.most : 256 * (Index)n_threads), owner(owner), window(std::min<Index>(1024, most)),
        searches((std::size_t)n_threads, SaddleSearch<Cells>(cells)) {}

  // Calls settle(k, result) in order for each candidate of which both saddles remain; the result
  // is nullptr where it is that of the last search.
  template <class CandidateAt, class Settle> void run(Index n, CandidateAt candidate, Settle settle) {
    const bool in_windows = n_threads > 1 && n >= least;
    results.resize((std::size_t)std::max(in_windows ? most : 1, (Index)results.size()));
    pending.resize(results.size(), 0);
    for (Index begin = 0, size; begin < n; begin += size) {
      size = in_windows ? std::min(n - begin, window) : 1;
      Index n_repeated = 0;
      const auto at = [&](Index k) { return candidate(std::min(n - 1, begin + k)); };
      const Word n_events = owner.n_events();
      bool surprised = false;  // whether a repeated search has changed places that it had not claimed
      if (in_windows) search_ahead(size, at);
      for (Index k = 0; k < size; ++k) {
        throw_if_canceled_at(begin + k);
        const Candidate one = at(k);
        if (owner.is_gone(one)) continue;
        SaddleSearchResult& result = results[k];
        if (in_windows && ahead[k] != UNKNOWN && (!surprised || is_unchanged(one, k, n_events))) {
          settle(begin + k, ahead[k] == SAME ? nullptr : &result);
          pending[k] = ahead[k] == SEARCHED && result.outcome == ONE ? owner.n_events() : 0;
          continue;
        }
        bool is_same;
        do {
          is_same = finds_the_same(one, result);
          if (in_windows && is_same) list_all_places(one, result);
        } while (in_windows && one.seen && reverse_claimed(result.looked_at, k));
        if (is_same) {
          if (!in_windows) one.seen->set_time(n_events);
          settle(begin + k, nullptr);
          continue;
        }
        if (in_windows) reverse_claimed(result.looked_at, k);
        do search(at, k, 0, result);
        while (in_windows && reverse_claimed(result.looked_at, k));
        ++n_repeated;
        settle(begin + k, &result);
        if (result.outcome != ONE) continue;
        pending[k] = owner.n_events();
        reverse(0, k);
        const auto is_surprise = [&](Int32 place) { return !claims.has_before(k + 1, place); };
        if (in_windows) surprised |= std::any_of(result.changed.begin(), result.changed.end(), is_surprise);
      }
      if (!in_windows) continue;
      deal_out(n_threads, size, GRAIN, [&](int thread, Index k) {
        if (pending[k]) reverse(thread, k);
      });
      if (8 * n_repeated > size) window = std::max(least, window / 2);
      else if (32 * n_repeated < size) window = std::min(most, window * 2);
    }
  }

 private:
  static constexpr Index GRAIN = 16;
  Cells& cells;
  const SaddlePairs pairs;
  const int n_threads;
  const Index least, most;
  Owner& owner;
  Index window;  // halved where many searches are repeated
  std::vector<SaddleSearch<Cells>> searches;      // one per thread
  std::vector<SaddleSearchResult> results;        // of a window
  enum Ahead : Byte { UNKNOWN, SEARCHED, SAME };  // SAME: as the last search
  std::vector<Ahead> ahead;   // of a window
  std::vector<Word> pending;  // of a window: the event whose path is still to be reversed, or 0
  Claims claims;

  bool is_unchanged(const Candidate& one, Index k, Word n_events) {
    SaddleSearchResult& result = results[k];
    if (ahead[k] == SAME) list_all_places(one, result);
    const auto has_changed = [&](Int32 place) { return times.at(place) > n_events; };
    return std::none_of(result.looked_at.begin(), result.looked_at.end(), has_changed);
  }
  // Whether a search would find the same as the last one, and the places that this depends on, unless nothing has
  // changed near them.
  bool finds_the_same(const Candidate& one, SaddleSearchResult& result) {
    return one.seen && one.seen->is_found_again(cells, pairs.upper[one.upper], pairs.lower[one.lower], times, result.looked_at);
  }
  void list_all_places(const Candidate& one, SaddleSearchResult& result) {
    if (result.looked_at.empty())
      one.seen->list_places(cells, pairs.upper[one.upper], pairs.lower[one.lower], result.looked_at);
  }
  template <class CandidateAt> void search(CandidateAt at, Index k, int thread, SaddleSearchResult& result) {
    const Candidate one = at(k), soon = at(k + 8);
    for (const Index cell : {pairs.upper[soon.upper], pairs.lower[soon.lower]}) {
      cells.prefetch(cell);
      times.prefetch(cells.place(cell));
    }
    searches[thread].run(pairs.upper[one.upper], pairs.lower[one.lower], result, reach);
  }
  // Searches the candidates of a window. Those that depend on earlier ones are left UNKNOWN.
  template <class CandidateAt> void search_ahead(Index n, CandidateAt at) {
    ahead.assign((std::size_t)n, UNKNOWN);
    claims.clear();
    const Word n_events = owner.n_events();
    deal_out(n_threads, n, GRAIN, [&](int thread, Index k) {
      const Candidate one = at(k);
      if (owner.is_gone(one)) return;
      ahead[k] = finds_the_same(one, results[k]) ? SAME : SEARCHED;
      if (ahead[k] == SAME) return one.seen->set_time(n_events);
      search(at, k, thread, results[k]);
      if (!claims.add((Int32)k, results[k].changed)) ahead[k] = UNKNOWN;
    });
    if (claims.empty()) return;
    deal_out(n_threads, n, GRAIN, [&](int, Index k) {
      if (ahead[k] == UNKNOWN) return;
      if (ahead[k] == SAME) list_all_places(at(k), results[k]);
      const std::vector<Int32>& places = results[k].looked_at;
      if (std::any_of(places.begin(), places.end(), [&](Int32 place) { return claims.has_before(k, place); })) ahead[k] = UNKNOWN;
    });
  }
  // Reverses the path of a candidate of the window.
  void reverse(int thread, Index k) {
    const SaddleSearchResult& path = results[k];
    const Word event = pending[k];
    pending[k] = 0;
    reverse_path(cells, path);
    for (Int32 place : path.changed) times.mark(place, event);
    owner.reversed(thread, path, event);
  }
  // Reverses the pending paths that have claimed any of these places before the k-th candidate.
  // Returns whether there were any.
  bool reverse_claimed(const std::vector<Int32>& places, Index k) {
    bool any = false;
    for (Int32 place : places)
      claims.any_before(k, place, [&](Int32 candidate) {
        if (!pending[candidate]) return false;
        reverse(0, candidate);
        any = true;
        return false;
      });
    return any;
  }
};
#endif
