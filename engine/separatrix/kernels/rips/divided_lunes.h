// The edges of points whose lune may be empty or have several components.
//
// Around a few points, all of their neighbors are compared with each edge. Where an edge is so long that these are many,
// pairs of boxes are excluded instead. If edges of equal length have a common triangle, and one of them is listed, then
// all of them are.
#pragma once
#include "rips/far_lunes.h"
#include "rips/near_lunes.h"

#if !ON_GPU
#include <set>

namespace rips {

template <int D>
class DividedLunes {
public:
  typedef rips::Edge<Real> Edge;
  typedef std::set<std::pair<Int32, Int32>> Pairs;

  DividedLunes(const PointSearch<D>& lunes, int n_threads)
      : lunes(lunes), workers((size_t)n_threads, Worker(lunes)), far_pairs(lunes.groups.size()) {}

  // Lists those with squares from `from` to less than `to`, and to the limit. Ranges ascend.
  void list(Real from, Real to, Real limit, bool omits_links) {
    const Real longest = std::sqrt(to) + lunes.rounding;
    deal_out((int)workers.size(), (Index)lunes.groups.size(), 1, [&](int thread, Index i) {
      const auto& group = lunes.groups[i];
      auto& [near, far, found] = workers[thread];
      if (!far_pairs[i].is_used) {
        bool is_near = near.begin(group.box, longest);
        for (size_t k = group.begin; k < group.end && is_near; ++k)
          is_near = near.take(lunes.blocks[k], from, to, longest, omits_links, found);
        if (is_near) return;
        far_pairs[i] = {true, {{group.box, 0, from}}};
      }
      far.take(far_pairs[i].pairs, from, to, limit, found);
    });
    candidates.clear();
    for (Worker& worker : workers) {
      candidates.insert(candidates.end(), worker.found.begin(), worker.found.end());
      worker.found.clear();
    }
    std::sort(candidates.begin(), candidates.end());
    n_taken = 0;
  }
  bool is_empty() const { return n_taken == candidates.size(); }
  Real last_length() const { return last; }  // of the edges that were taken

  // Appends the next edges, in order, after the remaining tests. Returns the tied ones, as places.
  Pairs next(std::vector<Edge>& batch) {
    const size_t begin = n_taken;
    for (Index n_tests = 0; n_taken < candidates.size(); ++n_taken) {
      const auto& here = candidates[n_taken];
      if (n_tests >= MANY && std::sqrt(candidates[n_taken - 1].square) < std::sqrt(here.square)) break;
      n_tests += here.lune == Candidate::UNTESTED;
    }
    deal_out((int)workers.size(), (Index)(n_taken - begin), 16, [&](int, Index k) {
      auto& [square, i, j, lune] = candidates[begin + k];
      if (lune == Candidate::UNTESTED) lune = LuneTest<D>(lunes).of(i, j);
    });
    Pairs seen;
    std::vector<std::pair<Int32, Int32>> tied;
    for (size_t k = begin; k < n_taken; ++k) {
      const auto& [square, i, j, lune] = candidates[k];
      last = std::sqrt(square);
      if (lune == RIPS_DIVIDED) batch.push_back(lunes.edge(i, j));
      if (lune == RIPS_TIED) tied.push_back({i, j});
    }
    add_tied(tied, batch, seen);
    std::sort(batch.begin(), batch.end());
    const auto same = [](const Edge& a, const Edge& b) { return a.high == b.high && a.low == b.low; };
    batch.erase(std::unique(batch.begin(), batch.end(), same), batch.end());
    return seen;
  }

private:
  enum { MANY = 1 << 13 };  // edges that are tested before it is known whether the last loop has ended

  void add_tied(std::vector<std::pair<Int32, Int32>>& tied, std::vector<Edge>& batch, Pairs& seen) const {
    while (!tied.empty()) {
      const auto [a, b] = tied.back();
      tied.pop_back();
      if (!seen.insert({std::min(a, b), std::max(a, b)}).second) continue;
      batch.push_back(lunes.edge(a, b));
      const Real length = batch.back().length;
      lunes.for_lune(a, b, least_square(length, true), [&, a = a, b = b](Int32 w) {
        for (const Int32 end : {a, b})
          if (lunes.edge(end, w).length == length) tied.push_back({end, w});
      });
    }
  }

  struct Worker {  // of a thread
    NearLunes<D> near;
    FarLunes<D> far;
    std::vector<Candidate> found;
    explicit Worker(const PointSearch<D>& lunes) : near(lunes), far(lunes) {}
  };
  struct FarPairs {  // of a group, whose points have many others near them
    bool is_used = false;
    std::vector<BoxPair> pairs;
  };

  const PointSearch<D>& lunes;
  std::vector<Worker> workers;
  std::vector<FarPairs> far_pairs;
  std::vector<Candidate> candidates;  // in order
  size_t n_taken = 0;
  Real last = 0;
};

}  // namespace rips
#endif
