// The edges of points whose lune may be empty or have several components.
//
// All points of a lune are nearer to a point at the middle of the edge, up to 1 - sqrt(3)/2 of its length, than the
// edge is long, so such a lune has one component. Around a few points, all of their neighbors are compared with each
// edge. Where an edge is so long that these are many, one point often excludes all edges between two boxes of the tree.
//
// If edges of equal length have a common triangle, and one of them is listed, then all of them are.
#pragma once
#include "rips/point_search.h"

#if !ON_GPU
#include <cstring>
#include <set>

namespace rips {

template <int D>
class DividedLunes {
public:
  typedef rips::Edge<Real> Edge;

  DividedLunes(const PointSearch<D>& lunes, int n_threads)
      : lunes(lunes), tree(lunes.tree), n_threads(n_threads), listed((size_t)n_threads) {
    Real largest = 0;
    for (int axis = 0; axis < tree.d(); ++axis)
      largest = std::max({largest, std::abs(tree.low(0)[axis]), std::abs(tree.high(0)[axis])});
    rounding = 1e-14 * tree.d() * largest;
  }

  // Appends those with squares from `from` to less than `to`, in order.
  void list(Real from, Real to, std::vector<Edge>& batch) {
    deal_out(n_threads, (Index)lunes.blocks.size(), 8, [&](int thread, Index i) {
      const Int32 block = lunes.blocks[i];
      Mine& mine = listed[thread];
      mine.has_all = lunes.find_near(block, block, std::sqrt(to) + rounding, std::min<Index>(MANY, FEW << tree.d()), mine.near);
      if (mine.has_all) visit_near(block, from, to, mine);
      else
        tree.search([&](Int32 leaf) {
          if (tree.node(leaf).right == 0) visit(leaf, 0, from, to, mine);
          return tree.node(leaf).right != 0;
        }, [](Int32) { return true; }, block);
    });
    std::set<std::pair<Int32, Int32>> seen;
    for (Mine& mine : listed) {
      batch.insert(batch.end(), mine.edges.begin(), mine.edges.end());
      while (!mine.tied.empty()) {
        const auto [a, b] = mine.tied.back();
        mine.tied.pop_back();
        if (!seen.insert({std::min(a, b), std::max(a, b)}).second) continue;
        batch.push_back(lunes.edge(a, b));
        const Real length = batch.back().length;
        lunes.for_lune(a, b, least_square(length, true), [&, a = a, b = b](Int32 w) {
          for (const Int32 end : {a, b})
            if (lunes.edge(end, w).length == length) mine.tied.push_back({end, w});
        });
      }
      mine.edges.clear();
    }
    std::sort(batch.begin(), batch.end());
    const auto same = [](const Edge& a, const Edge& b) { return a.high == b.high && a.low == b.low; };
    batch.erase(std::unique(batch.begin(), batch.end(), same), batch.end());
  }

private:
  enum { FEW = 64, MANY = 1024, LANES = 16 };
  static constexpr Real NEAR_MIDDLE = 0.1339;
  struct Mine {  // of a thread
    std::vector<Edge> edges;
    std::vector<std::pair<Int32, Int32>> tied;
    std::vector<Int32> near, ends, others, lune;
    std::vector<Real> axes, squares;
    std::vector<float> scaled, to_a, to_b, to_center;
    bool has_all;  // whether `near` includes the lunes, not only points near the middles
  };

  // === edges between a block and all points near it

  // The edges to earlier points, where `mine.near` has all points that are near enough. Most lunes are found to be
  // connected at once, since their points are near to the one in their middle. This is tested in float32, on the scale
  // of the longest edge, with a margin that is larger than the roundings.
  void visit_near(Int32 block, Real from, Real to, Mine& mine) const {
    const int d = tree.d();
    const Index m = (Index)mine.near.size();
    const Real scale = 1 / std::sqrt(to);
    lunes.list_axes(mine.near, mine.axes);
    mine.squares.resize((size_t)m);
    mine.ends.resize((size_t)m);
    mine.others.resize((size_t)m);
    const Real *const axes = mine.axes.data(), *const squares = mine.squares.data();
    for (Int32 a = tree.node(block).begin; a < tree.node(block).end; ++a) {
      const Real* const x = tree.at(a);
      lunes.measure(axes, m, x, mine.squares.data());
      Index n_ends = 0, n_others = 0;  // the points within `to`, and the places among them of those that make an edge
      for (Index k = 0; k < m; ++k) {
        const Int32 b = mine.near[k];
        mine.ends[n_ends] = (Int32)k;
        mine.others[n_others] = (Int32)n_ends;
        const bool is_within = (squares[k] < to) & (b != a);
        n_ends += is_within;
        n_others += is_within & (b < a) & (squares[k] >= from);
      }
      if (n_others == 0) continue;
      const Index width = (n_ends + LANES - 1) / LANES * LANES;
      mine.scaled.assign((size_t)(d * width), 4);  // those that fill up are in no lune
      for (int axis = 0; axis < d; ++axis)
        for (Index i = 0; i < n_ends; ++i)
          mine.scaled[axis * width + i] = (float)((axes[axis * m + mine.ends[i]] - x[axis]) * scale);
      for (auto* squares : {&mine.to_a, &mine.to_b, &mine.to_center}) squares->resize((size_t)width);
      for (Index i = 0; i < width; ++i) {
        mine.to_a[i] = 0;
        for (int axis = 0; axis < d; ++axis) mine.to_a[i] += mine.scaled[axis * width + i] * mine.scaled[axis * width + i];
      }
      for (Index i = 0; i < n_ends; ++i) mine.ends[i] = mine.near[mine.ends[i]];
      mine.ends.resize((size_t)n_ends);
      for (Index i = 0; i < n_others; ++i)
        if (!is_connected(mine.others[i], width, mine)) test(a, mine.ends[mine.others[i]], mine.ends, mine);
      mine.ends.resize((size_t)m);
    }
  }
  // Whether the lune of the edge to a point is found to be connected.
  bool is_connected(Int32 b, Index width, Mine& mine) const {
    const int d = tree.d();
    const float *__restrict const axes = mine.scaled.data(), *__restrict const to_a = mine.to_a.data();
    float* __restrict const to_b = mine.to_b.data();
    const float margin = 2e-6f * (float)d, low = to_a[b] - margin, high = to_a[b] + margin;
    const auto measure = [&](Index from, float* squares) {
      Position<D, float> at(d);
      for (int axis = 0; axis < d; ++axis) at[axis] = axes[axis * width + from];
      lunes.measure(axes, width, (float*)at, squares);
    };
    measure(b, to_b);
    const Int32 none = std::numeric_limits<Int32>::max();
    Int32 best = none;  // the bits of the sum of both squares, and the place
    for (Index i = 0; i < width; ++i) {
      const float sum = to_a[i] + to_b[i];
      Int32 bits;
      std::memcpy(&bits, &sum, sizeof bits);
      const Int32 is_outside = -((to_a[i] >= low) | (to_b[i] >= low));
      best = std::min(best, (((bits & ~(MANY - 1)) | (Int32)i) | is_outside) & none);
    }
    if (best == none) return false;
    const Index center = best & (MANY - 1);
    if (is_center(to_a[b], to_a[center], to_b[center], 64 * margin)) return true;
    float* __restrict const to_center = mine.to_center.data();
    measure(center, to_center);
    int is_far = 0;
    for (Index i = 0; i < width; ++i) is_far |= (to_a[i] < high) & (to_b[i] < high) & !(to_center[i] < low);
    return !is_far;
  }

  // === edges between boxes

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
    Position<D> to(tree.d());
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
        const Real square = lunes.squared(i, j);
        if (square < from || !(square < to)) continue;
        if (!has_near) has_near = lunes.find_near(a, b, NEAR_MIDDLE * longest, tree.size(), mine.near);
        if (!has_near_middle(i, j, square, mine.near)) test(i, j, mine.near, mine);
      }
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
    const Edge e = lunes.edge(i, j);
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
    if (!is_link) lunes.remove_component(mine.lune, below);
    if (is_link || !mine.lune.empty()) mine.edges.push_back(e);
  }
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
  const int n_threads;
  Real rounding = 0;
  std::vector<Mine> listed;
};

}  // namespace rips
#endif
