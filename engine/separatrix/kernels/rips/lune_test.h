// The edges of points whose lune, with the points of triangles of the same diameter, is not connected.
//
// If edges of equal length have a common triangle, and one of them is listed, then all of them are.
#pragma once
#include "rips/point_search.h"

#if !ON_GPU
#include <functional>
#include <set>

namespace rips {

template <int D>
class LuneTest {
public:
  typedef rips::Edge<Real> Edge;

  explicit LuneTest(const PointSearch<D>& lunes) : lunes(lunes), tree(lunes.tree) {}

  bool omits_links = false;  // those that are not tied

  // Lists an edge unless its lune is connected, by a list of points that includes the lune.
  void take(Int32 i, Int32 j, const std::vector<Int32>& near) {
    const Edge e = lunes.edge(i, j);
    const Real below = least_square(e.length, false), above = least_square(e.length, true);
    const Real *const u = tree.at(i), *const v = tree.at(j);
    lune.clear();
    for (const Int32 w : near) {
      const Real to_u = tree.squared(tree.at(w), u), to_v = tree.squared(tree.at(w), v);
      if (w == i || w == j || !(to_u < above && to_v < above)) continue;
      if (!(to_u < below && to_v < below)) return tied.push_back({i, j});
      lune.push_back(w);
    }
    const bool is_link = lune.empty();
    if (!is_link) lunes.remove_component(lune, below, [](Int32) {});
    if (is_link ? !omits_links : !lune.empty()) edges.push_back(e);
  }
  // Without such a list. Components of the lune, which may have many points, are not compared.
  void take(Int32 i, Int32 j) {
    const Edge e = lunes.edge(i, j);
    const Real below = least_square(e.length, false), above = least_square(e.length, true);
    const Real *const u = tree.at(i), *const v = tree.at(j);
    if (is_around_middle(i, j, below, above)) return;
    const bool is_tied = !tree.search(
        [&](Int32 box) {
          return tree.nearest(box, u) < above && tree.nearest(box, v) < above &&
                 (!(tree.farthest(box, u) < below) || !(tree.farthest(box, v) < below));
        },
        [&](Int32 w) {
          const Real to_u = tree.squared(tree.at(w), u), to_v = tree.squared(tree.at(w), v);
          return w == i || w == j || !(to_u < above && to_v < above) || (to_u < below && to_v < below);
        });
    if (is_tied) tied.push_back({i, j});
    else edges.push_back(e);
  }

  // Appends the listed edges. In: the edges with equal ones that were already appended.
  void move_to(std::vector<Edge>& batch, std::set<std::pair<Int32, Int32>>& seen) {
    batch.insert(batch.end(), edges.begin(), edges.end());
    edges.clear();
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
  std::vector<Edge> edges;
  std::vector<std::pair<Int32, Int32>> tied;  // edges with a triangle of the same diameter
  std::vector<Int32> lune;
};

}  // namespace rips
#endif
