// Weighted Rips filtrations: birth of the edge between two weighted points, on the scale of
// diameters.
//
// A ball of weight w is born at w and has the diameter (t^p - w^p)^(1/p) at time t; an edge is born
// when its two balls touch (Anai, Chazal, Glisse, Ike, Inakoshi, Tinarrage, Umeda 2020, "DTM-based
// filtrations", section 3), but not before either ball. Without weights it is born at the distance.
// In and out: values, distances that become times; weight (n,). `power` is 1, 2, or 0 for infinity.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <cmath>
#endif

ITEM Real weighted_time(Real d, Real w_x, Real w_y, Int32 power) {
  const Real later = w_x > w_y ? w_x : w_y, earlier = w_x > w_y ? w_y : w_x;
  const Real sum = later > 1 ? later / 2 + earlier / 2 : (later + earlier) / 2;  // half of it
  Real time = d;
  if (power == 1) {
    time = 2 * d <= later - earlier ? later : d + sum;
  } else if (power == 2) {
    // Quotients by 2 d, halved first where it is large: squares of lengths might leave float64.
    const bool is_large = later > 1 || d > 1;
    const Real a = is_large ? sum / d : (later + earlier) / (2 * d);
    const Real b = is_large ? (later - earlier) / 2 / d : (later - earlier) / (2 * d);
    if (!(d > 0) || a * b >= 1 || a > 1e100) {
      time = later;  // so far beyond the distance that it is half the sum, the births being equal
    } else {  // sqrt((sum^2 + 4 d^2) (difference^2 + 4 d^2)) / 4 d
      time = d * sqrt((1 + a * a) * (1 + b * b));
    }
  }
  return time > later ? time : later;
}

KERNEL(rips_weigh_matrix, (const Real* weight, Index n, Int32 power, Real* values), const Index x = i / n;
       const Index y = i - x * n; if (x != y) values[i] = weighted_time(values[i], weight[x], weight[y], power))
KERNEL(rips_weigh_edges, (const Real* weight, const Int32* ends, Int32 power, Real* values),
       values[i] = weighted_time(values[i], weight[ends[2 * i]], weight[ends[2 * i + 1]], power))
