// Edges whose lune may not be connected, between boxes of a tree.
//
// All points of a lune are nearer to a point at the middle of the edge, up to 1 - sqrt(3)/2 of its length, than the
// edge is long, so such a lune has one component. One such point often excludes all edges between two boxes.
#pragma once
#include "rips/lune_test.h"

#if !ON_GPU

namespace rips {

template <int D>
class FarLunes {
public:
  explicit FarLunes(const PointSearch<D>& lunes) : lunes(lunes), tree(lunes.tree) {}

  // The edges from points of a box to earlier points of another one.
  void take(Int32 a, Int32 b, Real from, Real to, LuneTest<D>& test) {
    const auto &first = tree.node(a), &second = tree.node(b);
    if (second.begin >= first.end) return;
    Real most = 0, between = 0, sizes[2] = {0, 0};
    for (int axis = 0; axis < tree.d(); ++axis) {
      const Real la = tree.low(a)[axis], ha = tree.high(a)[axis], lb = tree.low(b)[axis], hb = tree.high(b)[axis];
      const Real span = std::max(hb - la, ha - lb);
      most += span * span;
      between += ((lb - la) + (hb - ha)) * ((lb - la) + (hb - ha)) / 4;
      sizes[0] += (ha - la) * (ha - la), sizes[1] += (hb - lb) * (hb - lb);
    }
    const Real gap = tree.gap(a, b);
    if (!(gap < to) || most < from) return;
    const Real least = std::max(gap, from);
    most = std::min(most, to);
    const Real radii = (std::sqrt(sizes[0]) + std::sqrt(sizes[1])) / 2;
    const Real shortest = std::max(std::sqrt(between) - radii, std::sqrt(from));
    const Real reach = NEAR_MIDDLE * shortest - radii / 2 - lunes.rounding;
    center = NONE;
    if (reach > 0 && are_covered(a, b, reach, least, most)) return;
    const bool is_larger = first.end - first.begin >= second.end - second.begin;
    if (first.right != 0 && (is_larger || second.right == 0)) {
      take(a + 1, b, from, to, test);
      take(first.right, b, from, to, test);
    } else if (second.right != 0) {
      take(a, b + 1, from, to, test);
      take(a, second.right, from, to, test);
    } else visit_points(a, b, from, to, std::sqrt(most), test);
  }
private:
  static constexpr Real NEAR_MIDDLE = 0.1339;  // less than 1 - sqrt(3)/2

  // Whether the point nearest to the middle between two boxes shows that the lunes of all edges are connected: it is
  // within `reach` of the middle, or nearer to all points of any lune than the shortest edge. Squares of lengths
  // are from `least` to `most`.
  bool are_covered(Int32 a, Int32 b, Real reach, Real least, Real most) {
    Position<D> to(tree.d());
    for (int axis = 0; axis < tree.d(); ++axis)
      to[axis] = (tree.low(a)[axis] + tree.high(a)[axis] + tree.low(b)[axis] + tree.high(b)[axis]) / 4;
    const Real enough = reach * reach;
    Real best = least / 4;
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
  // The edges between two leaves; `longest` is a bound of their lengths. The point nearest to their middle proves for
  // most of them that the lune is connected, so other points are rarely listed.
  void visit_points(Int32 a, Int32 b, Real from, Real to, Real longest, LuneTest<D>& test) {
    const auto &first = tree.node(a), &second = tree.node(b);
    bool has_near = false;
    for (Int32 i = first.begin; i < first.end; ++i)
      for (Int32 j = second.begin; j < (a == b ? i : second.end); ++j) {
        const Real square = lunes.squared(i, j);
        if (square < from || !(square < to)) continue;
        const auto is_center_of_edge = [&](Int32 w) {
          return is_center(square, lunes.squared(w, i), lunes.squared(w, j), MARGIN * square * square);
        };
        if (center >= 0 && is_center_of_edge(center)) continue;
        if (!has_near) has_near = lunes.find_near(a, b, NEAR_MIDDLE * longest, tree.size(), near);
        if (std::none_of(near.begin(), near.end(), is_center_of_edge)) test.take(i, j);
      }
  }

  const PointSearch<D>& lunes;
  const PointTree<D>& tree;
  std::vector<Int32> near;
  Int32 center = NONE;  // nearest to the middle between two boxes, if it was looked for
};

}  // namespace rips
#endif
