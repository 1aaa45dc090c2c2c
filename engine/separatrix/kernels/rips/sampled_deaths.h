// When the loops die that are alive at some length, by a sample of the points.
//
// Let all points X be within e of the sample S, and k loops of X be alive at r. To replace points by the nearest ones of
// S lengthens edges by at most 2 e, so the map of homology S(r) -> S(t + 2 e), by inclusion, is S(r) -> X(r) -> X(t)
// -> S(t + 2 e). If k loops of the sample are born up to r and alive at t + 2 e, it has rank k or more, so X(r) -> X(t)
// has rank k: none of the k loops of X dies up to t. All of them come from S(r), so they die no later than its loops do.
#pragma once
#include "rips/point_search.h"

#if !ON_GPU

namespace rips {

// Points of a tree, no two of them within a distance, such that each point is within that of one of them. None if they
// would be too many.
template <int D>
std::vector<Int32> sample_within(const PointTree<D>& tree, Real distance, Index most) {
  std::vector<Int32> chosen;
  std::vector<bool> is_near((size_t)tree.size(), false);
  const Real enough = distance * distance;
  for (Int32 k = 0; k < (Int32)tree.size(); ++k) {
    if (is_near[k]) continue;
    chosen.push_back(k);
    if ((Index)chosen.size() > most) return {};
    const Real* const x = tree.at(k);
    tree.search([&](Int32 box) { return tree.nearest(box, x) <= enough; }, [&](Int32 other) {
      if (tree.squared(tree.at(other), x) <= enough) is_near[other] = true;
      return true;
    });
  }
  return chosen;
}

struct Lifetime {
  Real birth, death;
};
struct Deaths {  // all of them are later than `after`, and the earliest ones are probably up to `until`
  Real after, until;
};

// The deaths of all loops that are alive at a length; none are known if `after` is that length. In: their number, the
// loops of a sample, and the distance of all points to the sample, at most.
inline Deaths deaths_by_sample(std::vector<Lifetime> sampled, size_t n_alive, Real length, Real distance) {
  const Deaths unknown{length, std::numeric_limits<Real>::infinity()};
  const auto is_late = [=](const Lifetime& one) { return one.birth > length; };
  sampled.erase(std::remove_if(sampled.begin(), sampled.end(), is_late), sampled.end());
  if (n_alive == 0 || sampled.size() < n_alive) return unknown;
  std::sort(sampled.begin(), sampled.end(), [](auto& a, auto& b) { return a.death > b.death; });
  const Real margin = 1e-9 * length;  // larger than roundings
  const Real first = sampled[n_alive - 1].death, after = (1 - 1e-9) * first - 2 * distance - margin;
  if (!(after > length)) return unknown;
  size_t last = 0;
  while (sampled[last].death > 1.1 * first) ++last;
  return {after, sampled[last].death + margin};
}

}  // namespace rips
#endif
