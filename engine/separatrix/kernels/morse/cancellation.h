// Cancellation of critical pairs in a given order, as a log from which the complex at any moment is read.
//
// A saddle pair (p, q) that exactly one V-path joins is canceled by reversing that path. Then every a above
// q reaches every b below p through it: m(a, b) += m(a, q) * m(p, b), and p and q are gone with their
// arcs. The sum keeps the parity of the true number of V-paths and bounds it from above, so that 1 is
// truly 1. Forman 1998, section 11, for the reversal; Edelsbrunner, Harer, Zomorodian 2003, for the
// order. A pair of an extremum and a saddle is always canceled; here only the saddle's arcs go with it.
//
// Where the gradient is given, a pair whose sum is odd but not 1 is traced on it, reversed as far as that event:
// V-paths from a to b come and go only when a sum m(a, b) changes, so it is done once for each sum, and the
// arc that turns out to be one V-path has been that since the sum was made.
//
// Skipped pairs come back at a moment that depends on the events so far alone: one whose arc was absent when
// an event gives it one V-path, with a gradient each one whose sum becomes another odd number; one that was
// too dense at checkpoints, each a quarter further down the list, and at its end. So the first e events are the same whatever is asked for after them.
//
// An event's level is its pair's persistence, or that of the event before if it is higher. Nobody asks for
// the complex between two events of one level: arcs that come and go in between leave no trace, without
// which plateaus of noise would fill the memory.
//
// In: connectors by 2-saddle (offsets, lower ascending, multiplicity); the list of pairs: the k-th 2-saddle and
// the k-th 1-saddle that each takes away, NONE for none, and its persistence; max_fill, the most arcs that one
// cancellation may make, and max_versions, all of them; the packed gradient, which is changed, with the ids of
// the saddles, or n_words = 0. Out: event (n_pairs,) that cancels each, or NEVER;
// turn, how many events came before its own turn; dead_upper, dead_lower, by saddle; and every version of every
// arc by (upper, lower), alive while born <= event < dead. Returns how many versions there are.
#pragma once
#include "cubical/grid_paths.h"
#include "morse/connector_paths.h"

enum : Word { NEVER = 0xffffffffu };

#if !ON_GPU
#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

inline Wide saturating_product(Wide a, Wide b) {
  Wide product;
  const bool overflows = __builtin_mul_overflow(a, b, &product);
  return overflows || product >= MULTIPLICITY_LIMIT ? MULTIPLICITY_LIMIT | (a & b & 1) : product;
}

struct ArcVersion {
  Int32 upper, lower;
  Wide multiplicity;
  Word born, dead;
};

// The gradient as it is after some of the cancellations. They are made when someone looks at it.
template <class Cells>
class ReversedGradient {
public:
  ReversedGradient(bool is_given, Cells cells, const Index* upper_cells, const Index* lower_cells)
      : is_given(is_given), upper_cells(upper_cells), lower_cells(lower_cells), path(cells) {}

  void cancel(Int32 p, Int32 q) {
    if (is_given) waiting.push_back({p, q});
  }
  bool joins_by_one_path(Int32 p, Int32 q) {
    for (const auto& pair : waiting) {
      check_cancelled();
      const Index q_cell = lower_cells[pair.second];
      if (path.find(upper_cells[pair.first], q_cell)) path.reverse(q_cell);
      else lacks_path = true;
    }
    waiting.clear();
    return path.is_only(upper_cells[p], lower_cells[q]);
  }
  const bool is_given;
  bool lacks_path = false;

private:
  const Index *upper_cells, *lower_cells;
  SaddlePath<Cells> path;
  std::vector<std::pair<Int32, Int32>> waiting;
};

template <class Cells>
class Cancellation {
public:
  Cancellation(Index n_upper, Index n_lower, const Index* offsets, const Int32* lower, const Wide* multiplicity,
               Index n_pairs, const Int32* pair_upper, const Int32* pair_lower, const Real* persistence, Index max_fill,
               Index max_versions, ReversedGradient<Cells> gradient, Word* event, Word* turn, Word* dead_upper,
               Word* dead_lower)
      : n_pairs(n_pairs), max_fill(max_fill), max_versions(max_versions), pair_upper(pair_upper),
        pair_lower(pair_lower), persistence(persistence), event(event), turn(turn), dead_upper(dead_upper),
        dead_lower(dead_lower), low((size_t)n_upper), up((size_t)n_lower), pair_of((size_t)n_upper, NONE),
        is_new((size_t)n_upper, 0), gradient(gradient) {
    std::fill_n(event, n_pairs, NEVER);
    std::fill_n(dead_upper, n_upper, NEVER);
    std::fill_n(dead_lower, n_lower, NEVER);
    log.reserve((size_t)offsets[n_upper] * 2);
    std::vector<Int32> n_above((size_t)n_lower, 0);
    for (Index i = 0; i < offsets[n_upper]; ++i) ++n_above[lower[i]];
    for (Index q = 0; q < n_lower; ++q) up[q].reserve((size_t)n_above[q]);
    for (Index p = 0; p < n_upper; ++p) {
      check_cancelled_at(p);
      low[p].reserve((size_t)(offsets[p + 1] - offsets[p]));
      for (Index i = offsets[p]; i < offsets[p + 1]; ++i) {
        low[p].push_back({lower[i], (Int32)log.size()});
        up[lower[i]].push_back((Int32)p);
        log.push_back({(Int32)p, lower[i], multiplicity[i], 0, NEVER});
      }
    }
    for (Index i = 0; i < n_pairs; ++i)
      if (pair_upper[i] != NONE && pair_lower[i] != NONE) pair_of[pair_upper[i]] = (Int32)i;
  }

  void run() {
    Index checkpoint = 1024;
    for (Index i = 0; i < n_pairs; ++i) {
      if (i == checkpoint) {
        retry_dense();
        checkpoint += checkpoint / 4;
      }
      check_cancelled_at(i);
      turn[i] = n_events;
      had_turn = i;
      attempt((Int32)i);
      retry_found();
    }
    retry_dense();
  }

  bool lacks_path() const { return gradient.lacks_path; }

  // Versions by (upper, lower): two passes of counting sort. At any event one of an arc's is alive at most.
  Index write(Int32* upper, Int32* lower, Wide* multiplicity, Word* born, Word* dead) const {
    std::vector<Int32> used;
    for (size_t i = 0; i < log.size(); ++i)
      if (log[i].upper != NONE) used.push_back((Int32)i);
    const auto by_lower = sorted(used, up.size(), [](const ArcVersion& v) { return v.lower; });
    const auto order = sorted(by_lower, low.size(), [](const ArcVersion& v) { return v.upper; });
    for (size_t i = 0; i < order.size(); ++i) {
      check_cancelled_at((Index)i);
      const ArcVersion& v = log[order[i]];
      upper[i] = v.upper;
      lower[i] = v.lower;
      multiplicity[i] = v.multiplicity;
      born[i] = v.born;
      dead[i] = std::min(v.dead, std::min(dead_upper[v.upper], dead_lower[v.lower]));
    }
    return (Index)order.size();
  }

private:
  struct Arc {
    Int32 lower, version;
  };
  typedef std::vector<Arc> Arcs;

  // Does what pair i asks for, if it can be done.
  void attempt(Int32 i) {
    const Int32 p = pair_upper[i], q = pair_lower[i];
    if (p == NONE || q == NONE) {
      begin_event(i);
      if (p != NONE) dead_upper[p] = n_events;
      if (q != NONE) dead_lower[q] = n_events;
      return;
    }
    const Arc* arc = find(low[p], q);
    if (arc == nullptr || !is_one_path(p, q, log[arc->version].multiplicity)) return;
    drop_dead(p, q);
    const Index n_new = (Index)(up[q].size() - 1) * (Index)(low[p].size() - 1);
    if (n_new > max_fill || (Index)(log.size() - unused.size()) + n_new > max_versions) {
      dense.push_back(i);
      return;
    }
    begin_event(i);
    dead_upper[p] = dead_lower[q] = n_events;
    gradient.cancel(p, q);
    for (Int32 a : up[q])
      if (a != p) join(a, q, low[p]);
    check_cancelled();
    for (Arc below : low[p]) forget(below.version);
    Arcs().swap(low[p]);
    std::vector<Int32>().swap(up[q]);
  }

  // Makes the sum of a pair 1 if it is that truly.
  bool is_one_path(Int32 p, Int32 q, Wide& sum) {
    if (sum == 1 || !(sum & 1) || !is_new[p]) return sum == 1;
    is_new[p] = 0;
    if (gradient.joins_by_one_path(p, q)) sum = 1;
    return sum == 1;
  }

  void begin_event(Int32 i) {
    event[i] = ++n_events;
    if (n_events > 1 && persistence[i] <= level) return;
    level = persistence[i];
    level_begins = n_events;
  }

  // Arcs that went with a saddle at their other end leave the lists of p and q.
  void drop_dead(Int32 p, Int32 q) {
    const auto is_gone = [&](Arc arc) { return dead_lower[arc.lower] != NEVER; };
    low[p].erase(std::remove_if(low[p].begin(), low[p].end(), is_gone), low[p].end());
    const auto is_dead = [&](Int32 a) { return dead_upper[a] != NEVER; };
    up[q].erase(std::remove_if(up[q].begin(), up[q].end(), is_dead), up[q].end());
  }

  // m(a, b) += m(a, q) * m(p, b) for each b below p but q, which is dead by now.
  void join(Int32 a, Int32 q, const Arcs& below) {
    check_cancelled_at(n_joined++);
    const Int32 by = find(low[a], q)->version;
    const Wide through = log[by].multiplicity;
    forget(by);
    merged.clear();
    const auto keep = [&](Arc arc) {
      if (dead_lower[arc.lower] == NEVER) merged.push_back(arc);
    };
    auto mine = low[a].begin();
    for (Arc theirs : below) {
      const Int32 b = theirs.lower;
      if (b == q) continue;
      for (; mine != low[a].end() && mine->lower < b; ++mine) keep(*mine);
      const Wide more = saturating_product(through, log[theirs.version].multiplicity);
      if (mine != low[a].end() && mine->lower == b) {
        const Int32 old = (mine++)->version;
        const Wide sum = saturating_sum(log[old].multiplicity, more);
        note_sum(a, b, sum, false);
        if (is_of_this_level(old)) {
          log[old].multiplicity = sum;
          merged.push_back({b, old});
        } else {
          merged.push_back({b, new_version(a, b, sum)});
          log[old].dead = n_events;
        }
        continue;
      }
      merged.push_back({b, new_version(a, b, more)});
      up[b].push_back(a);
      note_sum(a, b, more, true);
    }
    for (; mine != low[a].end(); ++mine) keep(*mine);
    low[a] = merged;
  }

  void note_sum(Int32 a, Int32 b, Wide sum, bool is_first) {
    const Int32 pair = pair_of[a];
    if (pair == NONE || pair_lower[pair] != b) return;
    is_new[a] = gradient.is_given;
    if (pair <= had_turn && ((is_first && sum == 1) || (is_new[a] && sum & 1))) found.push(pair);
  }

  bool is_of_this_level(Int32 version) const { return log[version].born >= level_begins; }
  void forget(Int32 version) {
    if (!is_of_this_level(version)) return;
    log[version].upper = NONE;
    unused.push_back(version);
  }
  Int32 new_version(Int32 a, Int32 b, Wide multiplicity) {
    const ArcVersion version = {a, b, multiplicity, n_events, NEVER};
    if (unused.empty()) {
      log.push_back(version);
      return (Int32)log.size() - 1;
    }
    const Int32 at = unused.back();
    unused.pop_back();
    log[at] = version;
    return at;
  }

  static const Arc* find(const Arcs& arcs, Int32 lower) {
    auto at = std::lower_bound(arcs.begin(), arcs.end(), lower, [](Arc arc, Int32 q) { return arc.lower < q; });
    return at != arcs.end() && at->lower == lower ? &*at : nullptr;
  }

  void retry_found() {
    while (!found.empty()) {
      const Int32 i = found.top();
      found.pop();
      attempt(i);
    }
  }

  void retry_dense() {
    std::vector<Int32> waiting;
    waiting.swap(dense);
    std::sort(waiting.begin(), waiting.end());
    waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
    for (Int32 i : waiting) {
      attempt(i);
      retry_found();
    }
  }

  template <class Key>
  std::vector<Int32> sorted(const std::vector<Int32>& versions, size_t n_keys, Key key) const {
    std::vector<Index> place(n_keys + 1, 0);
    for (Int32 v : versions) ++place[key(log[v]) + 1];
    for (size_t k = 0; k < n_keys; ++k) place[k + 1] += place[k];
    std::vector<Int32> order(versions.size());
    for (Int32 v : versions) order[place[key(log[v])]++] = v;
    check_cancelled();
    return order;
  }

  const Index n_pairs, max_fill, max_versions;
  const Int32 *pair_upper, *pair_lower;
  const Real* persistence;
  Word *event, *turn, *dead_upper, *dead_lower;
  std::vector<Arcs> low;               // by 2-saddle, lower ascending; may hold arcs to dead saddles
  std::vector<std::vector<Int32>> up;  // by 1-saddle, in any order; may hold dead saddles
  std::vector<Int32> pair_of;          // 2-saddle -> its place in the list, if its partner is a saddle
  std::vector<Byte> is_new;            // by 2-saddle: its pair's sum has changed since it was traced
  ReversedGradient<Cells> gradient;
  std::vector<ArcVersion> log;
  std::vector<Int32> unused;  // places in it of arcs that came and went within one level
  std::vector<Int32> dense;  // pairs skipped as too dense
  std::priority_queue<Int32, std::vector<Int32>, std::greater<Int32>> found;  // arcs that appeared or changed
  Arcs merged;
  Word n_events = 0, level_begins = 0;
  Real level = 0;
  Index had_turn = NONE, n_joined = 0;
};

template <class Cells>
Index cancel_in_order(Cancellation<Cells> cancellation, Int32* upper, Int32* lower, Wide* multiplicity, Word* born,
                             Word* dead) {
  cancellation.run();
  if (cancellation.lacks_path()) return NO_SUCH_PATH;
  return cancellation.write(upper, lower, multiplicity, born, dead);
}
#endif

HOST_TASK(cancel_pairs, (Index n_upper, Index n_lower, const Index* offsets, const Int32* arc_lower,
                         const Wide* arc_multiplicity, Index n_pairs, const Int32* pair_upper,
                         const Int32* pair_lower, const Real* persistence, Index max_fill, Index max_versions,
                         Grid grid, Index n_words, Word* words, const Index* upper_cells, const Index* lower_cells,
                         Word* event, Word* turn, Word* dead_upper, Word* dead_lower, Int32* upper, Int32* lower,
                         Wide* multiplicity, Word* born, Word* dead),
          cancel_in_order<GridCells>({n_upper, n_lower, offsets, arc_lower, arc_multiplicity, n_pairs, pair_upper,
                                      pair_lower, persistence, max_fill, max_versions,
                                      {n_words > 0, {grid, words}, upper_cells, lower_cells}, event, turn, dead_upper,
                                      dead_lower},
                                     upper, lower, multiplicity, born, dead))
