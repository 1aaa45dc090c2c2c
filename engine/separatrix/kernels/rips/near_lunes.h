// Edges whose lune may not be connected, between a box of a few points and all points near it.
//
// Most lunes are found to be connected at once, since their points are near to the one in their middle. This is tested
// in float32, on the scale of the longest edge, with a margin that is larger than the roundings.
#pragma once
#include "rips/lune_test.h"

#if !ON_GPU
#include <cstring>

namespace rips {

template <int D>
class NearLunes {
public:
  explicit NearLunes(const PointSearch<D>& lunes) : lunes(lunes), tree(lunes.tree), points(lunes), test(lunes) {}

  // Before blocks of a group are processed; false if there are too many points near it. In: the longest length.
  bool begin(Int32 group, Real longest) { return points.around(group, longest); }

  // Appends edges from a box to earlier points; false if there are too many points near it. In: squares of lengths, the
  // longest length, whether links may be omitted.
  bool take(Int32 block, Real from, Real to, Real longest, bool omits_links, std::vector<Candidate>& found) {
    const int d = tree.d();
    if (!points.find(block, longest, std::min<Index>(MANY, FEW << d), near)) return false;
    const Index m = (Index)near.size();
    const Real scale = 1 / std::sqrt(to);
    lunes.list_axes(near, coordinates);
    all_squares.resize((size_t)m);
    ends.resize((size_t)m);
    others.resize((size_t)m);
    const Real *const axes = coordinates.data(), *const squares = all_squares.data();
    for (Int32 a = tree.node(block).begin; a < tree.node(block).end; ++a) {
      const Real* const x = tree.at(a);
      lunes.measure(axes, m, x, all_squares.data());
      Index n_ends = 0, n_others = 0;  // the points within `to`, and the places among them of those that make an edge
      for (Index k = 0; k < m; ++k) {
        ends[n_ends] = (Int32)k;
        n_ends += squares[k] < to;
      }
      Index kept = 0;
      for (Index i = 0; i < n_ends; ++i) {
        const Int32 k = ends[i], b = near[k];
        ends[kept] = k;
        others[n_others] = (Int32)kept;
        kept += b != a;
        n_others += (b < a) & (squares[k] >= from);
      }
      n_ends = kept;
      if (n_others == 0) continue;
      const Index width = (n_ends + LANES - 1) / LANES * LANES;
      scaled.assign((size_t)(d * width), 4);  // those that fill up are in no lune
      for (int axis = 0; axis < d; ++axis)
        for (Index i = 0; i < n_ends; ++i)
          scaled[axis * width + i] = (float)((axes[axis * m + ends[i]] - x[axis]) * scale);
      for (auto* squares : {&squares_to_a, &squares_to_b, &squares_to_center}) squares->resize((size_t)width);
      for (Index i = 0; i < width; ++i) {
        squares_to_a[i] = 0;
        for (int axis = 0; axis < d; ++axis) squares_to_a[i] += scaled[axis * width + i] * scaled[axis * width + i];
      }
      for (Index i = 0; i < n_ends; ++i) ends[i] = near[ends[i]];
      ends.resize((size_t)n_ends);
      for (Index i = 0; i < n_others; ++i)
        if (!is_connected(others[i], width)) {
          const Int32 b = ends[others[i]];
          const RipsLune lune = test.of_list(a, b, ends, omits_links);
          if (lune != RIPS_CONNECTED) found.push_back({lunes.squared(a, b), a, b, lune});
        }
      ends.resize((size_t)m);
    }
    return true;
  }

private:
  enum { FEW = 256, MANY = 1024, LANES = 16 };

  // Whether the lune of the edge to a point is found to be connected.
  bool is_connected(Int32 b, Index width) {
    const int d = tree.d();
    const float *__restrict const axes = scaled.data(), *__restrict const to_a = squares_to_a.data();
    float* __restrict const to_b = squares_to_b.data();
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
    float* __restrict const to_center = squares_to_center.data();
    measure(center, to_center);
    int is_far = 0;
    for (Index i = 0; i < width; ++i) is_far |= (to_a[i] < high) & (to_b[i] < high) & !(to_center[i] < low);
    return !is_far;
  }

  const PointSearch<D>& lunes;
  const PointTree<D>& tree;
  NearPoints<D> points;
  LuneTest<D> test;
  std::vector<Int32> near, ends, others;  // ends: the points near enough to one point; others: places among them
  std::vector<Real> coordinates, all_squares;
  std::vector<float> scaled, squares_to_a, squares_to_b, squares_to_center;
};

}  // namespace rips
#endif
