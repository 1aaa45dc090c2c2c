// Lunes of points in Euclidean space: no distance is stored, and few edges are listed.
//
// An edge matters only if its lune is empty or has several components. All points of the lune are
// nearer to a point at the middle of the edge, up to 1 - sqrt(3)/2 of its length, than the edge is
// long, so such a lune has one component. One such point often excludes all edges between two boxes
// of the tree. The value of an edge that is not listed is the sum over a triangle with any point of
// its lune, and is computed when it is needed.
//
// If edges of equal length have a common triangle, and one of them is listed, then all of them are.
#pragma once
#include "common/hash_set.h"
#include "rips/lunes.h"
#include "rips/point_tree.h"

#if !ON_GPU
#include <cstring>
#include <set>
#include <unordered_map>

namespace rips {

template <int D>
class PointLunes {
public:
  typedef rips::Edge<Real> Edge;
  static constexpr bool ON_DEMAND = true;
  enum { NEAREST = 24, FEW = 128, MANY = 1024 };
  static constexpr Real NEAR_MIDDLE = 0.1339, MARGIN = 1e-12, GROWTH = 1.12, LATE_GROWTH = 1.03;

  PointLunes(const Real* points, Index n, Int32 d, Real limit, int n_threads)
      : tree(points, n, d), limit(limit), n_threads(n_threads) {
    Real largest = 0;
    for (Index k = 0; k < n * d; ++k) largest = std::max(largest, std::abs(points[k]));
    rounding = 1e-14 * d * largest;
  }

  // The relative neighborhood graph, in order. Edges are not counted.
  std::vector<Edge> links(Index&) const {
    std::vector<std::vector<Edge>> found((size_t)n_threads);
    deal_out(n_threads, tree.size(), 256, [&](int thread, Index u) { links_of((Int32)u, found[thread]); });
    std::vector<Edge> all;
    for (const auto& mine : found) all.insert(all.end(), mine.begin(), mine.end());
    std::sort(all.begin(), all.end());
    return all;
  }

  void begin(const Int32* links, Index n_links) {
    for (Index k = n_links / 2; k < n_links && until == 0; ++k)
      until = edge(tree.place_of(links[2 * k]), tree.place_of(links[2 * k + 1])).length / GROWTH;
    first = until;
    tree.search([&](Int32 box) {
      if (tree.node(box).right == 0) leaves.push_back(box);
      return true;
    }, [](Int32) { return true; });
  }

  // The next edges by length whose lune may not be connected, in order; false if none is left up to the limit.
  bool next(std::vector<Edge>& batch) {
    for (batch.clear(); batch.empty(); has_begun = true) {
      if (has_begun && !(until < limit)) return false;
      const Real from = has_begun ? least_square(until, true) : 0;
      if (until == 0) until = limit;
      until = std::min(limit, until * (until < 8 * first ? GROWTH : LATE_GROWTH));
      list(from, least_square(until, true), batch);
    }
    return true;
  }

  static bool is_near_held(const Edge&) { return true; }

  // The last vertex of each component of the lune, descending; none if there is only one.
  void components(const Edge& e, std::vector<Int32>& last) {
    last.clear();
    const Real below = least_square(e.length, false);
    common.clear();
    for_lune(tree.place_of(e.high), tree.place_of(e.low), below, [&](Int32 w) { common.push_back(w); });
    std::sort(common.begin(), common.end(), [&](Int32 a, Int32 b) { return tree.name(a) < tree.name(b); });
    while (!common.empty()) {
      last.push_back(tree.name(common.back()));
      remove_component(common, below);
    }
    if (last.size() == 1) last.clear();
  }
  // All vertices w of triangles of the same diameter.
  void vertices(const Edge& e, std::vector<Int32>& found) const {
    found.clear();
    for_lune(tree.place_of(e.high), tree.place_of(e.low), least_square(e.length, true),
             [&](Int32 w) { found.push_back(tree.name(w)); });
  }
  // A vertex of the lune, or -1.
  Int32 inside(Int32 u, Int32 v) const {
    const Int32 a = tree.place_of(u), b = tree.place_of(v);
    const Int32 w = middle(a, b, least_square(edge(a, b).length, false));
    return w < 0 ? w : tree.name(w);
  }

  Int32 id(Int32 u, Int32 v) const {
    const auto found = ids.find(key(u, v));
    return found == ids.end() ? UNKNOWN : found->second;
  }
  void set_id(Int32 u, Int32 v, Int32 id) { ids[key(u, v)] = id; }
  void add(const Edge&) {}
  void hold(const Edge& e, Int32 value) {
    if (value != 0) set_id(e.high, e.low, value);
  }
  template <class IsZero>
  void release(const IsZero& is_zero) {
    for (auto at = ids.begin(); at != ids.end();) at = is_zero(at->second) ? ids.erase(at) : std::next(at);
  }

private:
  struct Mix {
    size_t operator()(Wide key) const { return (size_t)mixed(key); }
  };
  struct Waiting {  // a box or, if it is negative, the complement of a point
    Real square;
    Int32 item;
    bool operator<(const Waiting& other) const { return square > other.square; }
  };
  struct Position {
    Real known[D > 0 ? D : 1];
    std::vector<Real> others;
    explicit Position(int d) : others(D > 0 ? 0 : (size_t)d) {}
    operator Real*() { return D > 0 ? known : others.data(); }
  };
  struct Mine {  // of a thread
    std::vector<Edge> edges;
    std::vector<std::pair<Int32, Int32>> tied;
    std::vector<Int32> near, ends, lune;
    std::vector<Real> room;
    bool has_all;  // whether `near` includes the lunes, not only points near the middles
  };

  static Wide key(Int32 u, Int32 v) { return (Wide)std::max(u, v) << 32 | (Wide)std::min(u, v); }
  Real squared(Int32 a, Int32 b) const { return tree.squared(tree.at(a), tree.at(b)); }
  Edge edge(Int32 a, Int32 b) const {
    const Int32 u = tree.name(a), v = tree.name(b);
    return {std::sqrt(squared(a, b)), std::max(u, v), std::min(u, v)};
  }

  // use(w) for all points of the lune: those whose squared distances to both ends are below a bound.
  template <class Use>
  void for_lune(Int32 a, Int32 b, Real below, const Use& use) const {
    const Real *const u = tree.at(a), *const v = tree.at(b);
    tree.search([&](Int32 box) { return tree.nearest(box, u) < below && tree.nearest(box, v) < below; },
                [&](Int32 w) {
                  if (w != a && w != b && tree.squared(tree.at(w), u) < below && tree.squared(tree.at(w), v) < below)
                    use(w);
                  return true;
                });
  }
  // The point of the lune that is nearest to the middle of the edge, or -1.
  Int32 middle(Int32 a, Int32 b, Real below) const {
    const Real *const u = tree.at(a), *const v = tree.at(b);
    Real best = std::numeric_limits<Real>::infinity();
    Int32 found = -1;
    Position to(tree.d());
    for (int axis = 0; axis < tree.d(); ++axis) to[axis] = u[axis] + (v[axis] - u[axis]) / 2;
    tree.search_near(to, [&](Int32 box) {
      return tree.nearest(box, to) < best && tree.nearest(box, u) < below && tree.nearest(box, v) < below;
    }, [&](Int32 w) {
      const Real square = tree.squared(tree.at(w), to);
      if (square < best && tree.squared(tree.at(w), u) < below && tree.squared(tree.at(w), v) < below)
        best = square, found = w;
      return true;
    });
    return found;
  }
  // Removes the component of the last point from a list of points of a lune.
  void remove_component(std::vector<Int32>& left, Real below) const {
    std::vector<Int32> waiting(1, left.back());
    left.pop_back();
    while (!waiting.empty() && !left.empty()) {
      const Real* const w = tree.at(waiting.back());
      waiting.pop_back();
      size_t kept = 0;
      for (const Int32 x : left)
        if (tree.squared(tree.at(x), w) < below) waiting.push_back(x);
        else left[kept++] = x;
      left.resize(kept);
    }
  }

  // === the relative neighborhood graph

  // Whether all points of a box are nearer to some w, itself nearer to u than they are, than to u.
  bool is_behind(Int32 box, const Real* u, Real square, const std::vector<Int32>& near) const {
    const Real *const low = tree.low(box), *const high = tree.high(box), margin = MARGIN * tree.farthest(box, u);
    for (const Int32 k : near) {
      const Real* const w = tree.at(k);
      Real least = 0, length = 0;
      for (int axis = 0; axis < tree.d(); ++axis) {
        const Real q = w[axis] - u[axis];
        least += q * ((q > 0 ? low : high)[axis] - u[axis]);
        length += q * q;
      }
      if (2 * least - length > margin && square * (1 - MARGIN) > length) return true;
    }
    return false;
  }
  void links_of(Int32 u, std::vector<Edge>& found) const {
    const Real *const x = tree.at(u), above = least_square(limit, true);
    std::vector<Waiting> heap{{0, 0}};
    std::vector<Int32> near;
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end());
      const auto [square, item] = heap.back();
      heap.pop_back();
      if (!(square < above)) return;
      if (item >= 0) {
        if (is_behind(item, x, square, near)) continue;
        const auto& box = tree.node(item);
        const auto push = [&](Real square, Int32 item) {
          heap.push_back({square, item});
          std::push_heap(heap.begin(), heap.end());
        };
        if (box.right != 0)
          for (const Int32 child : {item + 1, box.right}) push(tree.nearest(child, x), child);
        else
          for (Int32 k = box.begin; k < box.end; ++k)
            if (k != u) push(squared(u, k), ~k);
        continue;
      }
      const Int32 v = ~item;
      bool is_nearer = false;
      for (size_t i = 0; i < near.size() && !is_nearer; ++i)
        is_nearer = squared(near[i], v) < square * (1 - MARGIN) && squared(near[i], u) < square * (1 - MARGIN);
      if (square > 0 && (!is_nearer || near.size() < NEAREST)) near.push_back(v);
      if (!is_nearer && tree.name(v) < tree.name(u) && has_empty_lune(u, v)) found.push_back(edge(u, v));
    }
  }
  bool has_empty_lune(Int32 a, Int32 b) const {
    const Edge e = edge(a, b);
    const Real *const u = tree.at(a), *const v = tree.at(b), above = least_square(e.length, true);
    return tree.search(
        [&](Int32 box) { return tree.nearest(box, u) < above && tree.nearest(box, v) < above; },
        [&](Int32 w) { return w == a || w == b || !(edge(a, w) < e && edge(b, w) < e); });
  }

  // === edges whose lune may not be connected

  // Those with squares from `from` to less than `to`, in order.
  void list(Real from, Real to, std::vector<Edge>& batch) {
    listed.resize((size_t)n_threads);
    deal_out(n_threads, (Index)leaves.size(), 16, [&](int thread, Index i) {
      const Int32 leaf = leaves[i];
      Mine& mine = listed[thread];
      mine.has_all = find_near(leaf, leaf, std::sqrt(to) + rounding, std::min<Index>(MANY, FEW << (tree.d() - 1)), mine.near);
      if (mine.has_all)
        for (Int32 k = tree.node(leaf).begin; k < tree.node(leaf).end; ++k) visit_near(k, from, to, mine);
      else
        visit(leaf, 0, from, to, mine);
    });
    std::set<std::pair<Int32, Int32>> seen;
    for (Mine& mine : listed) {
      batch.insert(batch.end(), mine.edges.begin(), mine.edges.end());
      while (!mine.tied.empty()) {
        const auto [a, b] = mine.tied.back();
        mine.tied.pop_back();
        if (!seen.insert({std::min(a, b), std::max(a, b)}).second) continue;
        batch.push_back(edge(a, b));
        const Real length = batch.back().length;
        for_lune(a, b, least_square(length, true), [&, a = a, b = b](Int32 w) {
          for (const Int32 end : {a, b})
            if (edge(end, w).length == length) mine.tied.push_back({end, w});
        });
      }
      mine.edges.clear();
    }
    std::sort(batch.begin(), batch.end());
    const auto same = [](const Edge& a, const Edge& b) { return a.high == b.high && a.low == b.low; };
    batch.erase(std::unique(batch.begin(), batch.end(), same), batch.end());
  }

  // The edges to earlier points, where `mine.near` has all points that are near enough. Most lunes are found to be
  // connected at once, since their points are near to the one in their middle; roundings are far below MARGIN.
  void visit_near(Int32 a, Real from, Real to, Mine& mine) const {
    const int d = tree.d();
    const Real* const x = tree.at(a);
    mine.ends.clear();
    for (const Int32 k : mine.near)
      if (k != a && squared(a, k) < to) mine.ends.push_back(k);
    const Index m = (Index)mine.ends.size();
    mine.room.resize((size_t)((d + 3) * m));
    Real *const axes = mine.room.data(), *const to_a = axes + d * m, *const to_b = to_a + m, *const to_c = to_b + m;
    for (Index k = 0; k < m; ++k)
      for (int axis = 0; axis < d; ++axis) axes[axis * m + k] = tree.at(mine.ends[k])[axis];
    const auto measure = [&](const Real* from, Real* __restrict squares) {
      for (Index k = 0; k < m; ++k) {
        Real square = 0;
        for (int axis = 0; axis < d; ++axis)
          square += (axes[axis * m + k] - from[axis]) * (axes[axis * m + k] - from[axis]);
        squares[k] = square;
      }
    };
    measure(x, to_a);
    for (Index i = 0; i < m; ++i) {
      const Int32 b = mine.ends[i];
      if (b > a || to_a[i] < from) continue;
      const Real low = to_a[i] * (1 - MARGIN), high = to_a[i] * (1 + MARGIN);
      measure(tree.at(b), to_b);
      Index best = std::numeric_limits<Index>::max();  // the bits of the sum of both squares, and the place
      for (Index k = 0; k < m; ++k) {
        const Real sum = to_a[k] + to_b[k];
        Index bits;
        std::memcpy(&bits, &sum, sizeof bits);
        const bool is_inside = (to_a[k] < low) & (to_b[k] < low);
        best = std::min(best, is_inside ? (bits & ~(Index)(MANY - 1)) | k : std::numeric_limits<Index>::max());
      }
      if (best != std::numeric_limits<Index>::max()) {
        measure(tree.at(mine.ends[best & (MANY - 1)]), to_c);
        int is_far = 0;
        for (Index k = 0; k < m; ++k) is_far |= (to_a[k] < high) & (to_b[k] < high) & !(to_c[k] < low);
        if (!is_far) continue;
      }
      test(a, b, mine.ends, mine);
    }
  }

  // The edges from a leaf to earlier points of a box.
  void visit(Int32 a, Int32 b, Real from, Real to, Mine& mine) const {
    const auto &leaf = tree.node(a), &box = tree.node(b);
    if (box.begin >= leaf.end) return;
    Real most = 0, between = 0, sizes[2] = {0, 0};
    for (int axis = 0; axis < tree.d(); ++axis) {
      const Real la = tree.low(a)[axis], ha = tree.high(a)[axis], lb = tree.low(b)[axis], hb = tree.high(b)[axis];
      const Real span = std::max(hb - la, ha - lb);
      most += span * span;
      between += ((lb - la) + (hb - ha)) * ((lb - la) + (hb - ha)) / 4;
      sizes[0] += (ha - la) * (ha - la), sizes[1] += (hb - lb) * (hb - lb);
    }
    const Real least = tree.gap(a, b);
    if (!(least < to) || most < from) return;
    const Real radii = (std::sqrt(sizes[0]) + std::sqrt(sizes[1])) / 2;
    const Real reach = NEAR_MIDDLE * (std::sqrt(between) - radii) - radii / 2 - rounding;
    if (reach > 0 && are_covered(a, b, reach, least, most)) return;
    if (box.right == 0) return visit_points(a, b, from, to, std::sqrt(std::min(most, to)), mine);
    visit(a, b + 1, from, to, mine);
    visit(a, box.right, from, to, mine);
  }
  // Whether the point nearest to the middle between two boxes shows that the lunes of all edges are connected: it is
  // within `reach` of the middle, or nearer to all points of any lune than the shortest edge. Squares of lengths
  // are from `least` to `most`.
  bool are_covered(Int32 a, Int32 b, Real reach, Real least, Real most) const {
    Position to(tree.d());
    for (int axis = 0; axis < tree.d(); ++axis)
      to[axis] = (tree.low(a)[axis] + tree.high(a)[axis] + tree.low(b)[axis] + tree.high(b)[axis]) / 4;
    const Real enough = reach * reach;
    Real best = least / 4;
    Int32 center = -1;
    const bool is_far = tree.search_near(to, [&](Int32 box) { return tree.nearest(box, to) < best; }, [&](Int32 w) {
      const Real square = tree.squared(tree.at(w), to);
      if (square < best) best = square, center = w;
      return !(best < enough);
    });
    if (!is_far) return true;
    if (center < 0) return false;
    const Real* const w = tree.at(center);
    const Real below = least * (1 - MARGIN), above = most * (1 + MARGIN);
    if (!(tree.farthest(a, w) < below && tree.farthest(b, w) < below)) return false;
    return tree.search(
        [&](Int32 box) { return !(tree.farthest(box, w) < below) && tree.gap(box, a) <= above && tree.gap(box, b) <= above; },
        [&](Int32 x) {
          const Real* const at = tree.at(x);
          return tree.squared(at, w) < below || tree.nearest(a, at) > above || tree.nearest(b, at) > above;
        });
  }
  // The edges between two leaves; `longest` is a bound of their lengths.
  void visit_points(Int32 a, Int32 b, Real from, Real to, Real longest, Mine& mine) const {
    const auto &first = tree.node(a), &second = tree.node(b);
    bool has_near = false;
    for (Int32 i = first.begin; i < first.end; ++i)
      for (Int32 j = second.begin; j < (a == b ? i : second.end); ++j) {
        const Real square = squared(i, j);
        if (square < from || !(square < to)) continue;
        if (!has_near) has_near = find_near(a, b, NEAR_MIDDLE * longest, tree.size(), mine.near);
        if (!has_near_middle(i, j, square, mine.near)) test(i, j, mine.near, mine);
      }
  }
  // Lists the points within a distance of the middles between two boxes, or farther; false if there are too many.
  bool find_near(Int32 a, Int32 b, Real reach, Index most, std::vector<Int32>& near) const {
    near.clear();
    const auto is_near = [&](const Real* low, const Real* high) {
      for (int axis = 0; axis < tree.d(); ++axis)
        if (high[axis] < (tree.low(a)[axis] + tree.low(b)[axis]) / 2 - reach ||
            low[axis] > (tree.high(a)[axis] + tree.high(b)[axis]) / 2 + reach)
          return false;
      return true;
    };
    return tree.search([&](Int32 box) { return is_near(tree.low(box), tree.high(box)); },
                       [&](Int32 w) {
                         if (is_near(tree.at(w), tree.at(w))) near.push_back(w);
                         return (Index)near.size() <= most;
                       });
  }
  bool has_near_middle(Int32 i, Int32 j, Real square, const std::vector<Int32>& near) const {
    const Real *const u = tree.at(i), *const v = tree.at(j), most = 4 * NEAR_MIDDLE * NEAR_MIDDLE * square;
    for (const Int32 w : near) {
      Real twice = 0;
      for (int axis = 0; axis < tree.d(); ++axis) {
        const Real x = tree.at(w)[axis], sum = (x - u[axis]) + (x - v[axis]);
        twice += sum * sum;
      }
      if (twice < most) return true;
    }
    return false;
  }
  // Lists the edge unless its lune, with the points of triangles of the same diameter, is connected. If the lune
  // may have many points, its components are left to components().
  void test(Int32 i, Int32 j, const std::vector<Int32>& near, Mine& mine) const {
    const Edge e = edge(i, j);
    const Real below = least_square(e.length, false), above = least_square(e.length, true);
    const Real *const u = tree.at(i), *const v = tree.at(j);
    if (!mine.has_all) {
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
      if (is_tied) mine.tied.push_back({i, j});
      else mine.edges.push_back(e);
      return;
    }
    mine.lune.clear();
    for (const Int32 w : near) {
      const Real to_u = tree.squared(tree.at(w), u), to_v = tree.squared(tree.at(w), v);
      if (w == i || w == j || !(to_u < above && to_v < above)) continue;
      if (!(to_u < below && to_v < below)) return mine.tied.push_back({i, j});
      mine.lune.push_back(w);
    }
    const bool is_link = mine.lune.empty();
    if (!is_link) remove_component(mine.lune, below);
    if (is_link || !mine.lune.empty()) mine.edges.push_back(e);
  }
  // Whether all points of triangles of the same diameter are nearer to one point than the edge is long.
  bool is_around_middle(Int32 i, Int32 j, Real below, Real above) const {
    const Int32 center = middle(i, j, below);
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

  PointTree<D> tree;
  const Real limit;
  const int n_threads;
  Real first = 0, until = 0, rounding = 0;
  bool has_begun = false;
  std::vector<Int32> leaves, common;
  std::vector<Mine> listed;
  std::unordered_map<Wide, Int32, Mix> ids;
};

}  // namespace rips
#endif
