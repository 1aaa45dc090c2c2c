// A k-d tree of points, for lunes of edges that are never listed.
//
// Squared distances are added from left to right, as in rips/distances.h, and rounding is monotone:
// the distance to a box is never greater than that to a point in it. D is the number of coordinates,
// or 0 if it is only known at run time.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace rips {

// The least square whose root is at least this length or, if `above`, greater.
inline Real least_square(Real length, bool above) {
  const auto is_enough = [=](Real square) { return above ? std::sqrt(square) > length : std::sqrt(square) >= length; };
  Real square = length * length;
  while (!is_enough(square)) square = std::nextafter(square, std::numeric_limits<Real>::infinity());
  while (square > 0 && is_enough(std::nextafter(square, 0.0))) square = std::nextafter(square, 0.0);
  return square;
}

template <int D, class Number = Real>
struct Position {
  Number known[D > 0 ? D : 1];
  std::vector<Number> others;
  explicit Position(int d) : others(D > 0 ? 0 : (size_t)d) {}
  operator Number*() { return D > 0 ? known : others.data(); }
};

template <int D>
class PointTree {
public:
  enum { LEAF = 8 };
  struct Node {
    Int32 begin, end, right;  // points in order of the tree; the left child follows the node; right is 0 in a leaf
    Int32 axis = 0;
    Real middle = 0;  // coordinate of the first point on the right side of the axis
  };

  // Threads share the first splits, then build the subtrees.
  PointTree(const Real* points, Index n, Int32 given, int n_threads)
      : dims(given), names((size_t)n), place((size_t)n), nodes((size_t)n_nodes((Int32)n).first),
        boxes(2 * nodes.size() * (size_t)d()), coordinates((size_t)(n * d())) {
    enum { PARTS_PER_THREAD = 8, RUN = 1 << 14 };
    std::iota(names.begin(), names.end(), 0);
    std::vector<Part> parts{{0, (Int32)n, 0}};
    while (n_threads > 1 && !parts.empty() && parts.size() < (size_t)(PARTS_PER_THREAD * n_threads)) {
      deal_out(n_threads, (Index)parts.size(), 1, [&](int, Index i) { split(points, parts[i]); });
      std::vector<Part> split_parts;
      for (const Part& part : parts)
        if (const Int32 right = nodes[part.node].right) {
          const Int32 middle = nodes[right].begin;
          split_parts.insert(split_parts.end(), {{part.begin, middle, part.node + 1}, {middle, part.end, right}});
        }
      parts.swap(split_parts);
    }
    deal_out(n_threads, (Index)parts.size(), 1, [&](int, Index i) { build(points, parts[i]); });
    deal_out(n_threads, n, RUN, [&](int, Index k) {
      place[names[k]] = (Int32)k;
      std::copy_n(points + (Index)names[k] * d(), d(), coordinates.begin() + k * d());
    });
  }

  int d() const { return D > 0 ? D : dims; }
  Index size() const { return (Index)names.size(); }
  Int32 name(Index k) const { return names[k]; }
  Int32 place_of(Int32 name) const { return place[name]; }
  const Real* at(Index k) const { return coordinates.data() + k * d(); }
  const Node& node(Int32 k) const { return nodes[k]; }
  const Real* low(Int32 k) const { return boxes.data() + 2 * (Index)k * d(); }
  const Real* high(Int32 k) const { return low(k) + d(); }

  Real squared(const Real* a, const Real* b) const {
    Real total = 0;
    for (int axis = 0; axis < d(); ++axis) total += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    return total;
  }
  Real nearest(Int32 k, const Real* to) const {  // squared distance of the box
    Real total = 0;
    const Real *const from = low(k), *const until = high(k);
    for (int axis = 0; axis < d(); ++axis) {
      const Real outside = std::max(std::max(from[axis] - to[axis], to[axis] - until[axis]), 0.0);
      total += outside * outside;
    }
    return total;
  }
  Real gap(Int32 a, Int32 b) const {  // squared distance of two boxes
    Real total = 0;
    for (int axis = 0; axis < d(); ++axis) {
      const Real outside = std::max(std::max(low(b)[axis] - high(a)[axis], low(a)[axis] - high(b)[axis]), 0.0);
      total += outside * outside;
    }
    return total;
  }
  Real farthest(Int32 k, const Real* to) const {
    Real total = 0;
    const Real *const from = low(k), *const until = high(k);
    for (int axis = 0; axis < d(); ++axis) {
      const Real outside = std::max(to[axis] - from[axis], until[axis] - to[axis]);
      total += outside * outside;
    }
    return total;
  }

  // The leaf on the same sides as a position.
  Int32 leaf_near(const Real* to) const {
    Int32 here = 0;
    while (nodes[here].right != 0) here = to[nodes[here].axis] < nodes[here].middle ? here + 1 : nodes[here].right;
    return here;
  }

  // use(k) for all points of the nodes that enter(node) accepts; ends if use returns false.
  template <class Enter, class Use>
  bool search(const Enter& enter, const Use& use, Int32 from = 0) const {
    if (!enter(from)) return true;
    const Node& here = nodes[from];
    if (here.right != 0) return search(enter, use, from + 1) && search(enter, use, here.right);
    for (Int32 k = here.begin; k < here.end; ++k)
      if (!use(k)) return false;
    return true;
  }
  // The same, where the child nearer to a position comes first.
  template <class Enter, class Use>
  bool search_near(const Real* to, const Enter& enter, const Use& use, Int32 from = 0) const {
    if (!enter(from)) return true;
    const Node& here = nodes[from];
    if (here.right != 0) {
      const bool is_left = nearest(from + 1, to) <= nearest(here.right, to);
      return search_near(to, enter, use, is_left ? from + 1 : here.right) &&
             search_near(to, enter, use, is_left ? here.right : from + 1);
    }
    for (Int32 k = here.begin; k < here.end; ++k)
      if (!use(k)) return false;
    return true;
  }

  // The least distance within which one point has all others.
  Real enclosing_radius() const {
    Real best = std::numeric_limits<Real>::infinity();
    Int32 last = 0;
    for (Index k = 0; k < size(); ++k) {
      throw_if_canceled_at(k);
      const Real* const x = at(k);
      Real most = squared(x, at(last));  // far from its neighbors, too
      search([&](Int32 box) { return most < best && farthest(box, x) > most; },
             [&](Int32 other) {
               const Real square = squared(x, at(other));
               if (square > most) most = square, last = other;
               return true;
             });
      best = std::min(best, most);
    }
    return std::sqrt(best);
  }

private:
  struct Part {  // of the points, below a node
    Int32 begin, end, node;
  };
  // The numbers of nodes below which there are m points, and m + 1.
  static std::pair<Int32, Int32> n_nodes(Int32 m) {
    if (m < LEAF) return {1, 1};
    const auto [less, more] = n_nodes(m / 2);
    const Int32 even = 1 + 2 * (m % 2 ? more : less), odd = 1 + less + more;
    return {m == LEAF ? 1 : m % 2 ? odd : even, m % 2 ? even : odd};
  }

  void build(const Real* points, const Part& part) {
    split(points, part);
    const Int32 right = nodes[part.node].right;
    if (right == 0) return;
    build(points, {part.begin, nodes[right].begin, part.node + 1});
    build(points, {nodes[right].begin, part.end, right});
  }
  // A leaf, or a node with its points on both sides of their median, and the first point of the right one.
  void split(const Real* points, const Part& part) {
    const auto [begin, end, here] = part;
    nodes[here] = Node{begin, end, 0};
    Real *const from = boxes.data() + 2 * (Index)here * d(), *const until = from + d();
    for (int axis = 0; axis < d(); ++axis) from[axis] = until[axis] = points[(Index)names[begin] * d() + axis];
    for (Int32 k = begin; k < end; ++k)
      for (int axis = 0; axis < d(); ++axis) {
        const Real x = points[(Index)names[k] * d() + axis];
        from[axis] = std::min(from[axis], x);
        until[axis] = std::max(until[axis], x);
      }
    if (end - begin <= LEAF) return;
    int widest = 0;
    for (int axis = 1; axis < d(); ++axis)
      if (until[axis] - from[axis] > until[widest] - from[widest]) widest = axis;
    const Int32 middle = begin + (end - begin) / 2;
    std::nth_element(names.begin() + begin, names.begin() + middle, names.begin() + end, [&](Int32 a, Int32 b) {
      return points[(Index)a * d() + widest] < points[(Index)b * d() + widest];
    });
    nodes[here].axis = widest;
    nodes[here].middle = points[(Index)names[middle] * d() + widest];
    nodes[here].right = here + 1 + n_nodes(middle - begin).first;
    nodes[nodes[here].right].begin = middle;
  }

  const Int32 dims;
  std::vector<Int32> names, place;
  std::vector<Node> nodes;
  std::vector<Real> boxes, coordinates;
};

}  // namespace rips
#endif
