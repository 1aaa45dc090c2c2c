// The edges of points whose lune may be empty or have several components.
//
// Around a few points, all of their neighbors are compared with each edge. Where an edge is so long that these are many,
// pairs of boxes are excluded instead.
#pragma once
#include "rips/far_lunes.h"
#include "rips/near_lunes.h"

#if !ON_GPU

namespace rips {

template <int D>
class DividedLunes {
public:
  typedef rips::Edge<Real> Edge;

  DividedLunes(const PointSearch<D>& lunes, int n_threads) : lunes(lunes), workers((size_t)n_threads, Worker(lunes)) {}

  typedef std::set<std::pair<Int32, Int32>> Pairs;

  // Appends those with squares from `from` to less than `to`, in order. Returns the tied ones, as places.
  Pairs list(Real from, Real to, std::vector<Edge>& batch, bool omits_links = false) {
    for (Worker& worker : workers) worker.test.omits_links = omits_links;
    const Real longest = std::sqrt(to) + lunes.rounding;
    deal_out((int)workers.size(), (Index)lunes.groups.size(), 1, [&](int thread, Index i) {
      const auto& group = lunes.groups[i];
      Worker& worker = workers[thread];
      if (!worker.near.begin(group.box, longest)) return worker.far.take(group.box, 0, from, to, worker.test);
      for (size_t k = group.begin; k < group.end; ++k)
        if (!worker.near.take(lunes.blocks[k], from, to, longest, worker.test))
          worker.far.take(lunes.blocks[k], 0, from, to, worker.test);
    });
    Pairs seen;
    for (Worker& worker : workers) worker.test.move_to(batch, seen);
    std::sort(batch.begin(), batch.end());
    const auto same = [](const Edge& a, const Edge& b) { return a.high == b.high && a.low == b.low; };
    batch.erase(std::unique(batch.begin(), batch.end(), same), batch.end());
    return seen;
  }

private:
  struct Worker {  // of a thread
    LuneTest<D> test;
    NearLunes<D> near;
    FarLunes<D> far;
    explicit Worker(const PointSearch<D>& lunes) : test(lunes), near(lunes), far(lunes) {}
  };

  const PointSearch<D>& lunes;
  std::vector<Worker> workers;
};

}  // namespace rips
#endif
