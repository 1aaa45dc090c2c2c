// Edges whose lune may not be connected, between boxes of a tree.
//
// A point w of a lune shows that it is connected if it is nearer to all other points of the lune than the edge is long.
// A point at the middle of the edge, up to 1 - sqrt(3)/2 of its length, always is. Otherwise, w may have exceptions.
// For all edges between two boxes, they are among the points x that are as far from w as the shortest edge is long, and
// as far from w as from the farther box, since an edge with x in its lune is at least as long as x is far from its ends.
//
// Lengths are processed in ascending ranges. A pair of boxes that is not covered is divided, and divided pairs wait for
// the range in which their shortest edge is, so each pair is tested about once.
#pragma once
#include "rips/lune_test.h"

#if !ON_GPU

namespace rips {

struct BoxPair {
  Int32 a, b;
  Real square;  // no shorter edges between the boxes are left
};

template <int D>
class FarLunes {
public:
  explicit FarLunes(const PointSearch<D>& lunes) : lunes(lunes), tree(lunes.tree) {}

  // Appends the edges from points of each first box to earlier points of the second one, and keeps the pairs of boxes
  // that have longer edges. In: squares of lengths, and a bound of all of them.
  void take(std::vector<BoxPair>& pairs, Real from, Real to, Real limit, std::vector<Candidate>& found) {
    range = {from, to, limit};
    later.clear();
    near.assign(1, 0);
    for (const BoxPair& pair : pairs)
      if (pair.square < to) visit(pair.a, pair.b, {0, 1}, found);
      else later.push_back(pair);
    pairs.swap(later);
  }

private:
  static constexpr Real NEAR_MIDDLE = 0.1339;  // less than 1 - sqrt(3)/2
  static constexpr Real APART = 0.35;          // half the sizes of two boxes, relative to their distance
  static constexpr Real COARSE = 32;           // square of the size of boxes of points, relative to the pair
  enum { FEW = 32, MOST_EXCEPTIONS = 1 << 11 };  // FEW: points of boxes that are not divided further

  struct Range {
    Real from, to, limit;
  };
  struct Between {  // two boxes: bounds of squares of edges
    Int32 a, b;
    Real least, most, shortest, radii;  // shortest: of the lengths; radii: the sum of half the diagonals
  };
  struct Segment {  // of `near`: boxes that contain all points of the lunes
    size_t begin, end;
  };

  void visit(Int32 a, Int32 b, Segment around, std::vector<Candidate>& found) {
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
    if (most < range.from || gap > range.limit) return;
    if (!(gap < range.to)) return later.push_back({a, b, gap});
    const Real radii = (std::sqrt(sizes[0]) + std::sqrt(sizes[1])) / 2, distance = std::sqrt(between);
    const Between boxes{a, b, std::max(gap, range.from), std::min(most, range.limit),
                        std::max(distance - radii, std::sqrt(range.from)), radii};
    const bool is_small = std::max(first.end - first.begin, second.end - second.begin) <= FEW;
    const size_t height = near.size();
    Int32 center = NONE;
    bool is_covered = false;
    exceptions.clear();
    if (radii < APART * distance) {
      const Segment own{height, 0};
      for (size_t k = around.begin; k < around.end; ++k) narrow(boxes, near[k]);
      around = {own.begin, near.size()};
      is_covered = are_covered(boxes, around, is_small, center);
    }
    const bool is_last = (first.right == 0 && second.right == 0) || (is_small && center != NONE);
    if (is_last && !is_covered) {
      visit_points(a, b, center, found);
    } else if (is_covered) {  // nothing is left
    } else if (first.right != 0 && (sizes[0] >= sizes[1] || second.right == 0)) {
      visit(a + 1, b, around, found);
      visit(first.right, b, around, found);
    } else {
      visit(a, b + 1, around, found);
      visit(a, second.right, around, found);
    }
    near.resize(height);
  }

  // Appends the parts of a box that may have points of a lune.
  void narrow(const Between& boxes, Int32 box) {
    const Real above = boxes.most * (1 + MARGIN);
    if (tree.gap(box, boxes.a) > above || tree.gap(box, boxes.b) > above) return;
    const auto& node = tree.node(box);
    Real size = 0;
    for (int axis = 0; axis < tree.d(); ++axis)
      size += (tree.high(box)[axis] - tree.low(box)[axis]) * (tree.high(box)[axis] - tree.low(box)[axis]);
    if (node.right == 0 || size <= COARSE * boxes.radii * boxes.radii) return near.push_back(box);
    narrow(boxes, box + 1);
    narrow(boxes, node.right);
  }

  // Whether the point nearest to the middle between two boxes shows that the lunes of all edges are connected.
  // Otherwise, its exceptions are listed if requested, and it is NONE if these are too many.
  bool are_covered(const Between& boxes, const Segment& around, bool lists_all, Int32& center) {
    const auto [a, b, least, most, shortest, radii] = boxes;
    Position<D> to(tree.d());
    for (int axis = 0; axis < tree.d(); ++axis)
      to[axis] = (tree.low(a)[axis] + tree.high(a)[axis] + tree.low(b)[axis] + tree.high(b)[axis]) / 4;
    const Real reach = NEAR_MIDDLE * shortest - radii / 2 - lunes.rounding, enough = reach > 0 ? reach * reach : 0;
    Real best = least / 4;
    Int32 found = NONE;
    const bool is_far = tree.search_near(to, [&](Int32 box) { return tree.nearest(box, to) < best; }, [&](Int32 x) {
      const Real square = tree.squared(tree.at(x), to);
      if (square < best) best = square, found = x;
      return !(best < enough);
    });
    if (!is_far) return true;
    if (found == NONE) return false;
    const Real* const w = tree.at(found);
    const Real below = least * (1 - MARGIN), above = most * (1 + MARGIN);
    if (!(tree.farthest(a, w) < below && tree.farthest(b, w) < below)) return false;
    if (lists_all) {
      for (size_t k = around.begin; k < around.end; ++k) list_exceptions(boxes, near[k], w);
      if (exceptions.size() <= MOST_EXCEPTIONS) center = found;
      return exceptions.empty();
    }
    for (size_t k = around.begin; k < around.end; ++k) {
      const bool is_inside = tree.search(
          [&](Int32 box) { return may_have_exception(boxes, tree.low(box), tree.high(box), w); },
          [&](Int32 x) { return !may_have_exception(boxes, tree.at(x), tree.at(x), w); }, near[k]);
      if (!is_inside) {
        std::swap(near[k], near[around.begin]);
        return false;
      }
    }
    return true;
  }
  static Real larger(Real a, Real b) { return a > b ? a : b; }
  static Real positive(Real a) { return a > 0 ? a : 0; }
  bool may_have_exception(const Between& boxes, const Real* low, const Real* high, const Real* w) const {
    return !is_near_center(boxes, low, high, w) && may_be_in_lune(boxes, low, high);
  }
  // Appends the points of a box that may be exceptions by their distances.
  void list_exceptions(const Between& boxes, Int32 box, const Real* w) {
    if (!may_have_exception(boxes, tree.low(box), tree.high(box), w)) return;
    const auto& node = tree.node(box);
    const Index m = node.end - node.begin;
    const Real factor = 1 - 3 * MARGIN, above = boxes.most * (1 + MARGIN), below = boxes.least * factor;
    for (auto* squares : {&squares_to_w, &squares_to_a, &squares_to_b}) squares->assign((size_t)m, 0);
    is_far.resize((size_t)m);
    Real *__restrict const to_w = squares_to_w.data(), *__restrict const to_a = squares_to_a.data();
    Real* __restrict const to_b = squares_to_b.data();
    for (int axis = 0; axis < tree.d(); ++axis) {
      const Real* const at = lunes.by_axis.data() + axis * tree.size() + node.begin;
      const Real la = tree.low(boxes.a)[axis], ha = tree.high(boxes.a)[axis], to = w[axis];
      const Real lb = tree.low(boxes.b)[axis], hb = tree.high(boxes.b)[axis];
      for (Index k = 0; k < m; ++k) {
        const Real x = at[k], from_a = positive(larger(la - x, x - ha)), from_b = positive(larger(lb - x, x - hb));
        to_w[k] += (x - to) * (x - to), to_a[k] += from_a * from_a, to_b[k] += from_b * from_b;
      }
    }
    Byte* __restrict const flags = is_far.data();
    for (Index k = 0; k < m; ++k) {
      const Real farther = larger(to_a[k], to_b[k]);
      flags[k] = (to_w[k] >= below) & (to_w[k] >= farther * factor) & (farther <= above);
    }
    size_t n_listed = exceptions.size();
    exceptions.resize(n_listed + (size_t)m);
    for (Index k = 0; k < m; ++k) {
      exceptions[n_listed] = node.begin + (Int32)k;
      n_listed += flags[k];
    }
    exceptions.resize(n_listed);
  }
  // Whether each point of a box is nearer to w than an edge is long that has the point in its lune, since the edge is
  // longer than the point is far from its ends.
  bool is_near_center(const Between& boxes, const Real* low, const Real* high, const Real* w) const {
    const Real *const la = tree.low(boxes.a), *const ha = tree.high(boxes.a);
    const Real *const lb = tree.low(boxes.b), *const hb = tree.high(boxes.b);
    Real to_w = 0, to_a = 0, to_b = 0;
    for (int axis = 0; axis < tree.d(); ++axis) {
      const Real l = low[axis], h = high[axis], away = std::max(w[axis] - l, h - w[axis]);
      const Real from_a = std::max(std::max(la[axis] - h, l - ha[axis]), 0.0);
      const Real from_b = std::max(std::max(lb[axis] - h, l - hb[axis]), 0.0);
      to_w += away * away, to_a += from_a * from_a, to_b += from_b * from_b;
    }
    const Real farther = std::max(to_a, to_b);
    return to_w < std::max(boxes.least, farther) * (1 - 3 * MARGIN) || farther > boxes.most * (1 + MARGIN);
  }
  // Whether a point x of a box may be in the lune of an edge uv between the other boxes: then, xu + xv - 2 uv is not
  // positive, as squares. This is concave in u and in v, so it is least at corners.
  bool may_be_in_lune(const Between& boxes, const Real* low, const Real* high) const {
    const Real *const la = tree.low(boxes.a), *const ha = tree.high(boxes.a);
    const Real *const lb = tree.low(boxes.b), *const hb = tree.high(boxes.b);
    Real least = 0;
    for (int axis = 0; axis < tree.d(); ++axis) {
      const auto at_corner = [&](Real u, Real v) {
        const Real x = std::min(std::max((u + v) / 2, low[axis]), high[axis]);
        return (x - u) * (x - u) + (x - v) * (x - v) - 2 * (u - v) * (u - v);
      };
      least += std::min(std::min(at_corner(la[axis], lb[axis]), at_corner(la[axis], hb[axis])),
                        std::min(at_corner(ha[axis], lb[axis]), at_corner(ha[axis], hb[axis])));
    }
    return !(least > 8 * MARGIN * boxes.most + 16 * lunes.rounding * lunes.rounding);
  }

  // The edges between two small boxes. In: a point whose exceptions are listed, or NONE.
  void visit_points(Int32 a, Int32 b, Int32 center, std::vector<Candidate>& found) {
    const auto &first = tree.node(a), &second = tree.node(b);
    const auto m = (Index)exceptions.size();
    if (center != NONE) {
      lunes.list_axes(exceptions, axes);
      to_center.resize((size_t)m), to_u.resize((size_t)m);
      to_v.resize((size_t)(m * (second.end - second.begin)));
      lunes.measure(axes.data(), m, tree.at(center), to_center.data());
      for (Int32 j = second.begin; j < second.end; ++j)
        lunes.measure(axes.data(), m, tree.at(j), to_v.data() + m * (j - second.begin));
    }
    Real next = std::numeric_limits<Real>::infinity();
    for (Int32 i = first.begin; i < first.end; ++i) {
      if (center != NONE) lunes.measure(axes.data(), m, tree.at(i), to_u.data());
      for (Int32 j = second.begin; j < (a == b ? i : second.end); ++j) {
        const Real square = lunes.squared(i, j);
        if (square < range.from) continue;
        if (!(square < range.to)) next = std::min(next, square);
        else if (center == NONE || !is_connected(i, j, square, center, to_v.data() + m * (j - second.begin)))
          found.push_back({square, i, j, Candidate::UNTESTED});
      }
    }
    if (next <= range.limit) later.push_back({a, b, next});
  }
  bool is_connected(Int32 i, Int32 j, Real square, Int32 center, const Real* to_j) const {
    const Real below = square * (1 - MARGIN), above = square * (1 + MARGIN);
    const Real center_to_i = lunes.squared(center, i), center_to_j = lunes.squared(center, j);
    if (is_center(square, center_to_i, center_to_j, MARGIN * square * square)) return true;
    if (!(center_to_i < below && center_to_j < below)) return false;
    const auto m = (Index)to_u.size();
    const Real *const to_i = to_u.data(), *const to_w = to_center.data();
    int is_open = 0;
    for (Index k = 0; k < m; ++k) is_open |= (to_i[k] <= above) & (to_j[k] <= above) & (to_w[k] >= below);
    return !is_open;
  }

  const PointSearch<D>& lunes;
  const PointTree<D>& tree;
  Range range{0, 0, 0};
  std::vector<BoxPair> later;
  std::vector<Int32> near, exceptions;  // near: a stack
  std::vector<Byte> is_far;
  std::vector<Real> squares_to_w, squares_to_a, squares_to_b;
  std::vector<Real> axes, to_center, to_u, to_v;  // of the exceptions, and their squared distances
};

}  // namespace rips
#endif
