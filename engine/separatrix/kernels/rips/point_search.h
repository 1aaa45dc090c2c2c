// Searches for points of a lune in a k-d tree. Points are given by their places in the tree, edges by their names.
#pragma once
#include "rips/lunes.h"
#include "rips/point_tree.h"

#if !ON_GPU

namespace rips {

template <int D>
class PointSearch {
public:
  typedef rips::Edge<Real> Edge;

  PointSearch(const Real* points, Index n, Int32 d, int n_threads) : tree(points, n, d, n_threads) {
    Int32 end = 0;  // of the last group
    tree.search([&](Int32 box) {
      const auto& node = tree.node(box);
      if (node.end - node.begin <= GROUP && node.end > end) {
        groups.push_back({box, blocks.size(), 0});
        end = node.end;
      }
      const bool is_small = node.end - node.begin <= BLOCK;
      if (is_small) blocks.push_back(box), groups.back().end = blocks.size();
      return !is_small;
    }, [](Int32) { return true; });
    Real largest = 0;
    for (int axis = 0; axis < d; ++axis)
      largest = std::max({largest, std::abs(tree.low(0)[axis]), std::abs(tree.high(0)[axis])});
    rounding = 1e-14 * d * largest;
    by_axis.resize((size_t)(n * d));
    for (Index k = 0; k < n; ++k)
      for (int axis = 0; axis < d; ++axis) by_axis[axis * n + k] = tree.at(k)[axis];
  }

  const PointTree<D> tree;
  Real rounding;  // more than that of sums of coordinates
  std::vector<Real> by_axis;  // (d, n) coordinates
  std::vector<Int32> blocks;  // boxes of a few points that contain all points
  struct Group {  // a box that contains a range of blocks
    Int32 box;
    size_t begin, end;
  };
  std::vector<Group> groups;  // contain all blocks

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
  // A point of the lune; -1 if there is none. The second one is the nearest to the middle of the edge.
  Int32 inside(Int32 a, Int32 b, Real below) const { return near_middle(a, b, below, true); }
  Int32 middle(Int32 a, Int32 b, Real below) const { return near_middle(a, b, below, false); }

  // Removes the component of the last point from a list of points of a lune; use(w) for all of its points.
  template <class Use>
  void remove_component(std::vector<Int32>& left, Real below, const Use& use) const {
    std::vector<Int32> waiting(1, left.back());
    left.pop_back();
    while (!waiting.empty()) {
      const Real* const w = tree.at(waiting.back());
      use(waiting.back());
      waiting.pop_back();
      size_t kept = 0;
      for (const Int32 x : left)
        if (tree.squared(tree.at(x), w) < below) waiting.push_back(x);
        else left[kept++] = x;
      left.resize(kept);
    }
  }

  // === all points near a box

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
  // Lists the coordinates by axis, and measures squares from a position to all points of such a list.
  void list_axes(const std::vector<Int32>& points, std::vector<Real>& axes) const {
    const size_t m = points.size();
    axes.resize((size_t)tree.d() * m);
    for (size_t k = 0; k < m; ++k)
      for (int axis = 0; axis < tree.d(); ++axis) axes[axis * m + k] = tree.at(points[k])[axis];
  }
  template <class Number>
  void measure(const Number* __restrict axes, Index m, const Number* x, Number* __restrict squares) const {
    for (Index k = 0; k < m; ++k) {
      Number square = 0;
      for (int axis = 0; axis < tree.d(); ++axis)
        square += (axes[axis * m + k] - x[axis]) * (axes[axis * m + k] - x[axis]);
      squares[k] = square;
    }
  }

private:
  enum : Int32 { BLOCK = 16, GROUP = 128, AROUND = 8 };
  Int32 near_middle(Int32 a, Int32 b, Real below, bool may_be_any) const {
    const Real *const u = tree.at(a), *const v = tree.at(b);
    Real best = std::numeric_limits<Real>::infinity();
    Int32 found = NONE;
    Position<D> to(tree.d());
    for (int axis = 0; axis < tree.d(); ++axis) to[axis] = u[axis] + (v[axis] - u[axis]) / 2;
    const auto take = [&](Int32 w) {
      const Real square = tree.squared(tree.at(w), to);
      if (square < best && tree.squared(tree.at(w), u) < below && tree.squared(tree.at(w), v) < below)
        best = square, found = w;
      return true;
    };
    if (may_be_any) {  // points at neighboring places are usually near
      const auto size = (Int32)tree.size();
      for (const Int32 end : {a, b})
        for (Int32 w = std::max(end - AROUND, 0); w < std::min(end + AROUND, size); ++w) take(w);
      if (found >= 0) return found;
      const auto& leaf = tree.node(tree.leaf_near(to));
      for (Int32 w = leaf.begin; w < leaf.end; ++w) take(w);
      if (found >= 0) return found;
    }
    tree.search_near(to, [&](Int32 box) {
      return tree.nearest(box, to) < best && tree.nearest(box, u) < below && tree.nearest(box, v) < below;
    }, take);
    return found;
  }
};

// The points near each block of a group, by one search around all of them.
template <int D>
class NearPoints {
public:
  explicit NearPoints(const PointSearch<D>& lunes) : lunes(lunes), tree(lunes.tree) {}

  // Returns whether they are few enough to be listed. In: a bound of the distances.
  bool around(Int32 group, Real reach) {
    is_listed = lunes.find_near(group, group, reach, MANY, all);
    if (is_listed) lunes.list_axes(all, axes);
    return is_listed;
  }
  // The same as PointSearch::find_near of a block of the group.
  bool find(Int32 block, Real reach, Index most, std::vector<Int32>& near) {
    if (!is_listed) return lunes.find_near(block, block, reach, most, near);
    const size_t m = all.size();
    is_near.assign(m, 1);
    for (int axis = 0; axis < tree.d(); ++axis) {
      const Real low = tree.low(block)[axis] - reach, high = tree.high(block)[axis] + reach;
      for (size_t k = 0; k < m; ++k) is_near[k] &= (axes[axis * m + k] >= low) & (axes[axis * m + k] <= high);
    }
    near.resize(m);
    size_t n_near = 0;
    for (size_t k = 0; k < m; ++k) {
      near[n_near] = all[k];
      n_near += is_near[k];
    }
    near.resize(n_near);
    return (Index)n_near <= most;
  }

private:
  enum { MANY = 4096 };
  const PointSearch<D>& lunes;
  const PointTree<D>& tree;
  bool is_listed = false;
  std::vector<Int32> all;
  std::vector<Real> axes;
  std::vector<Byte> is_near;
};

}  // namespace rips
#endif
