// Whether the lune of an edge of points, with the points of triangles of the same diameter, is connected.
#pragma once
#include "rips/point_search.h"

#if !ON_GPU
#include <tuple>

namespace rips {

// An edge by the places of its points, descending, and what is known about its lune.
struct Candidate {
  enum { UNTESTED = RIPS_DIVIDED + 1 };
  Real square;
  Int32 i, j, lune;
  bool operator<(const Candidate& other) const {
    return std::make_tuple(square, i, j) < std::make_tuple(other.square, other.i, other.j);
  }
};

template <int D>
class LuneTest {
public:
  typedef rips::Edge<Real> Edge;

  explicit LuneTest(const PointSearch<D>& lunes) : lunes(lunes), tree(lunes.tree) {}

  // By a list of points that includes the lune. Links that are not tied may be omitted, as if they were connected.
  RipsLune of_list(Int32 i, Int32 j, const std::vector<Int32>& near, bool omits_links) {
    const Real length = lunes.edge(i, j).length, below = least_square(length, false), above = least_square(length, true);
    const Real *const u = tree.at(i), *const v = tree.at(j);
    lune.clear();
    for (const Int32 w : near) {
      const Real to_u = tree.squared(tree.at(w), u), to_v = tree.squared(tree.at(w), v);
      if (w == i || w == j || !(to_u < above && to_v < above)) continue;
      if (!(to_u < below && to_v < below)) return RIPS_TIED;
      lune.push_back(w);
    }
    if (lune.empty()) return omits_links ? RIPS_CONNECTED : RIPS_DIVIDED;
    lunes.remove_component(lune, below, [](Int32) {});
    return lune.empty() ? RIPS_CONNECTED : RIPS_DIVIDED;
  }
  // Without such a list. Components of the lune, which may have many points, are not compared.
  RipsLune of(Int32 i, Int32 j) const {
    const Real length = lunes.edge(i, j).length, below = least_square(length, false), above = least_square(length, true);
    if (is_around_middle(i, j, below, above)) return RIPS_CONNECTED;
    const Real *const u = tree.at(i), *const v = tree.at(j);
    const bool is_tied = !tree.search(
        [&](Int32 box) {
          return tree.nearest(box, u) < above && tree.nearest(box, v) < above &&
                 (!(tree.farthest(box, u) < below) || !(tree.farthest(box, v) < below));
        },
        [&](Int32 w) {
          const Real to_u = tree.squared(tree.at(w), u), to_v = tree.squared(tree.at(w), v);
          return w == i || w == j || !(to_u < above && to_v < above) || (to_u < below && to_v < below);
        });
    return is_tied ? RIPS_TIED : RIPS_DIVIDED;
  }

private:
  // Whether all points of triangles of the same diameter are nearer to one point than the edge is long.
  bool is_around_middle(Int32 i, Int32 j, Real below, Real above) const {
    const Int32 center = lunes.middle(i, j, below);
    if (center < 0) return false;
    const Real *const u = tree.at(i), *const v = tree.at(j), *const w = tree.at(center);
    return tree.search(
        [&](Int32 box) {
          return tree.nearest(box, u) < above && tree.nearest(box, v) < above && !(tree.farthest(box, w) < below);
        },
        [&](Int32 x) {
          return x == i || x == j || tree.squared(tree.at(x), w) < below ||
                 !(tree.squared(tree.at(x), u) < above && tree.squared(tree.at(x), v) < above);
        });
  }

  const PointSearch<D>& lunes;
  const PointTree<D>& tree;
  std::vector<Int32> lune;
};

}  // namespace rips
#endif
