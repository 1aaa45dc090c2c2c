// Balls from lengths: each center and radius is validated and rounded once to the fixed-point grid.
//
// A coordinate x becomes rint(x / resolution), a radius rint((r + probe) / resolution), and a weight the nearest
// number of squared steps: ties go to the even number. The summary contains the bounding box, the largest R, and the invalid input.
#pragma once
#include "alpha/sizes.h"

enum { MAX_COORDINATE = 500000000 };    // grid units: squared distances fit 62 bits
enum { MAX_GRID_RADIUS = 94906265 };    // its square fits the 53 bits of a double

// Summary (SUMMARY_SIZE,) Index: minima start at the largest Index, maxima at the least, counts at 0.
enum {
  LOWEST = 0,             // x, y, z of the balls' box
  HIGHEST = 3,            // x, y, z
  LARGEST = 6,            // the largest R^2; negative: no ball is left
  N_VANISHED = 7,         // balls with R^2 < 0
  BAD_CENTER = 8,         // first row with a coordinate that is not finite
  N_BAD_CENTERS = 9,
  FAR_CENTER = 10,        // first row beyond MAX_COORDINATE
  N_FAR_CENTERS = 11,
  BAD_SIZE = 12,          // first weight that is not finite, or radius that is not positive, either; zero is
  N_BAD_SIZES = 13,       // allowed unless alpha is
  LARGE_SIZE = 14,        // first radius beyond MAX_GRID_RADIUS, or weight beyond 2^52
  N_LARGE_SIZES = 15,
  MOST_MEETING = 16,      // ball_neighbors.h
  N_UNDECIDED = 17,       // line_clip.h
  SMALL_RADIUS = 18,      // first radius of 0 steps, unless alpha makes it grow
  N_SMALL_RADII = 19,
  N_EDGE_SLOTS = 20,      // search_at_once.h; so are the counters below and the words of its barriers
  N_CANDIDATES = 21,
  ENDS_OF_KEPT = 22,      // of vertices, edges, and triangles with tetrahedra
  N_NEIGHBORS = 32,      // partial sums, so that no counter is a bottleneck
  N_TESTS = 64,
  N_EXACT_EDGE_SIGNS = 96,
  N_EXACT_SIGNS = 128,
  N_SMALL_ENOUGH = 160,
  N_PARTIAL_SUMS = 32,
  ARRIVED_TO_COUNT = 192,
  ARRIVED_TO_SEARCH = 225,
  ARRIVED_TO_MEASURE = 258,
  SUMMARY_SIZE = 291
};
ITEM Index* counter_of(Index* summary, int what, Index item) { return summary + what + item % N_PARTIAL_SUMS; }

// Both have the same result in any order. Most calls change nothing.
ITEM void lower_to(Index* slot, Index value) {
  if (peek(slot) <= value) return;
#if ON_GPU
  atomicMin(slot, value);
#else
  Index held = peek(slot);
  while (held > value && !__atomic_compare_exchange_n(slot, &held, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#endif
}
ITEM void raise_to(Index* slot, Index value) {
  if (peek(slot) >= value) return;
#if ON_GPU
  atomicMax(slot, value);
#else
  Index held = peek(slot);
  while (held < value && !__atomic_compare_exchange_n(slot, &held, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#endif
}
ITEM void lower_to(Wide* slot, Wide value) {
  if (peek(slot) <= value) return;
#if ON_GPU
  atomicMin(slot, value);
#else
  Wide held = peek(slot);
  while (held > value && !__atomic_compare_exchange_n(slot, &held, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#endif
}

// The same for a warp: if all threads are active, one of them updates the summary.
ITEM void lower_together(Index* slot, Index value) {
#if ON_GPU
  if (__activemask() == ~0u) {
    UNROLL for (int apart = 16; apart; apart >>= 1) {
      const Index other = __shfl_xor_sync(~0u, value, apart);
      value = other < value ? other : value;
    }
    if (threadIdx.x & 31) return;
  }
#endif
  lower_to(slot, value);
}
ITEM void raise_together(Index* slot, Index value) {
#if ON_GPU
  if (__activemask() == ~0u) {
    UNROLL for (int apart = 16; apart; apart >>= 1) {
      const Index other = __shfl_xor_sync(~0u, value, apart);
      value = other > value ? other : value;
    }
    if (threadIdx.x & 31) return;
  }
#endif
  raise_to(slot, value);
}

ITEM Real rounded(Real x) {
#if ON_GPU
  return rint(x);
#else
  return __builtin_rint(x);
#endif
}
ITEM void report(Index* summary, int what, Index i) {
  lower_to(summary + what, i);
  add_to(summary + what + 1, 1);
}

// A ball's size: its radius, or its weight, which is its squared radius and may be negative.
struct Size {
  Index squared;  // steps
  bool is_bad, is_large, is_small;
};
ITEM Size size_of_weight(Real weight, const SquaredUnit& unit) {
  const Real squared = rounded(weight * unit.divisor / unit.factor);
  const bool is_large = !(squared < 0x1p52 && squared > -0x1p52);
  return {is_large ? 0 : (Index)squared, !is_finite(weight), is_large, false};
}
ITEM Size size_of_radius(Real radius, Real resolution, Real probe, Index alpha) {
  const Real steps = rounded((radius + probe) / resolution);
  const bool is_bad = !(is_finite(radius) && (radius > 0 || (radius == 0 && alpha != 0)));
  const bool is_large = !(steps <= MAX_GRID_RADIUS);
  return {is_large ? 0 : (Index)steps * (Index)steps, is_bad, is_large, steps < 1 && alpha == 0};
}
// Out: balls (n, 4), see spokes.h; R^2 is NONE where r^2 + alpha < 0.
ITEM void snap_ball(Index i, const Real* centers, const Size& size, Real resolution, Index alpha, Int32* balls,
                    Index* summary) {
  Real position[3];
  bool is_bad = false, is_far = false;
  UNROLL for (int axis = 0; axis < 3; ++axis) {
    Real x = centers[3 * i + axis];
    position[axis] = rounded(x / resolution);
    is_bad |= !is_finite(x);
    is_far |= !(position[axis] <= MAX_COORDINATE && position[axis] >= -MAX_COORDINATE);
  }
  if (is_bad) report(summary, BAD_CENTER, i);
  else if (is_far) report(summary, FAR_CENTER, i);
  if (size.is_bad) report(summary, BAD_SIZE, i);
  else if (size.is_large) report(summary, LARGE_SIZE, i);
  else if (size.is_small) report(summary, SMALL_RADIUS, i);
  balls[4 * i + 3] = NONE;
  if (is_bad | is_far | size.is_bad | size.is_large | size.is_small) return;

  UNROLL for (int axis = 0; axis < 3; ++axis) balls[4 * i + axis] = (Int32)position[axis];
  const Index squared = size.squared + alpha;
  if (squared < 0) {
    add_to(summary + N_VANISHED, 1);
    return;
  }
  balls[4 * i + 3] = squared <= 0x7fffffff ? (Int32)squared : 0x7fffffff;
  raise_together(summary + LARGEST, squared);
  UNROLL for (int axis = 0; axis < 3; ++axis) {
    lower_together(summary + LOWEST + axis, (Index)position[axis]);
    raise_together(summary + HIGHEST + axis, (Index)position[axis]);
  }
}
KERNEL(snap_balls, (const Real* centers, const Real* sizes, Index are_weights, Real resolution, Real probe,
                    SquaredUnit unit, Index alpha, Int32* balls, Index* summary),
       snap_ball(i, centers,
                 are_weights ? size_of_weight(sizes[i], unit) : size_of_radius(sizes[i], resolution, probe, alpha),
                 resolution, alpha, balls, summary))

// Frames of n_balls each, side by side along x, so far apart that they do not meet.
KERNEL(shift_frames, (Index n_balls, Int32 stride, Int32* balls), balls[4 * i] += (Int32)(i / n_balls) * stride)
