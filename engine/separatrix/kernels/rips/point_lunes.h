// Lunes of points in Euclidean space: no distance is stored, and few edges are listed.
//
// An edge matters only if its lune is empty or has several components. The value of an edge that is not listed is the
// sum over a triangle with any point of its lune, and is computed when it is needed.
#pragma once
#include "rips/divided_lunes.h"
#include "rips/point_links.h"
#include "rips/value_map.h"

#if !ON_GPU

namespace rips {

template <int D>
class PointLunes {
public:
  typedef rips::Edge<Real> Edge;
  static constexpr bool ON_DEMAND = true;

  PointLunes(const Real* points, Index n, Int32 d, Real limit, int n_threads)
      : lunes(points, n, d), tree(lunes.tree), limit(limit), n_threads(n_threads), divided(lunes, n_threads) {}

  Real bound_by_enclosing_radius() {
    const Real radius = tree.enclosing_radius();
    limit = std::min(limit, radius);
    return radius;
  }

  // The relative neighborhood graph, in order. Edges are not counted.
  std::vector<Edge> links(Index&) const { return PointLinks<D>(lunes, limit).run(n_threads); }

  void begin(const Int32* links, Index n_links) {
    for (Index k = n_links / 2; k < n_links && until == 0; ++k)
      until = lunes.edge(tree.place_of(links[2 * k]), tree.place_of(links[2 * k + 1])).length / GROWTH;
    first = until;
  }

  // The next edges by length whose lune may not be connected, in order; false if none is left up to the limit.
  bool next(std::vector<Edge>& batch) {
    for (batch.clear(); batch.empty(); has_begun = true) {
      if (has_begun && !(until < limit)) return false;
      const Real from = has_begun ? least_square(until, true) : 0;
      if (until == 0) until = limit;
      until = std::min(limit, until * (until < 8 * first ? GROWTH : LATE_GROWTH));
      divided.list(from, least_square(until, true), batch);
    }
    return true;
  }

  static bool is_near_held(const Edge&) { return true; }

  // The last vertex of each component of the lune, descending; none if there is only one.
  void components(const Edge& e, std::vector<Int32>& last) {
    last.clear();
    const Real below = least_square(e.length, false);
    common.clear();
    lunes.for_lune(tree.place_of(e.high), tree.place_of(e.low), below, [&](Int32 w) { common.push_back(w); });
    std::sort(common.begin(), common.end(), [&](Int32 a, Int32 b) { return tree.name(a) < tree.name(b); });
    while (!common.empty()) {
      last.push_back(tree.name(common.back()));
      lunes.remove_component(common, below);
    }
    if (last.size() == 1) last.clear();
  }
  // All vertices w of triangles of the same diameter.
  void vertices(const Edge& e, std::vector<Int32>& found) const {
    found.clear();
    lunes.for_lune(tree.place_of(e.high), tree.place_of(e.low), least_square(e.length, true),
                   [&](Int32 w) { found.push_back(tree.name(w)); });
  }
  // A vertex of the lune, or -1.
  Int32 inside(Int32 u, Int32 v) const {
    const Int32 a = tree.place_of(u), b = tree.place_of(v);
    const Int32 w = lunes.inside(a, b, least_square(lunes.edge(a, b).length, false));
    return w < 0 ? w : tree.name(w);
  }

  Int32 id(Int32 u, Int32 v) const {
    const auto* const found = ids.find(key(u, v));
    return found == nullptr ? UNKNOWN : found->id;
  }
  void set_id(Int32 u, Int32 v, Int32 id) { ids.set(key(u, v), id); }
  void add(const Edge&) {}
  void hold(const Edge& e, Int32 value) {
    if (value != 0) set_id(e.high, e.low, value);
  }
  template <class IsZero>
  void release(const IsZero& is_zero) {
    ids.keep_if([&](const ValueMap::Entry& entry) { return !is_zero(entry.id); });
  }

private:
  static constexpr Real GROWTH = 1.2, LATE_GROWTH = 1.03;
  static Wide key(Int32 u, Int32 v) { return (Wide)std::max(u, v) << 32 | (Wide)std::min(u, v); }

  const PointSearch<D> lunes;
  const PointTree<D>& tree;
  Real limit;
  const int n_threads;
  DividedLunes<D> divided;
  Real first = 0, until = 0;
  bool has_begun = false;
  std::vector<Int32> common;
  ValueMap ids;
};

}  // namespace rips
#endif
