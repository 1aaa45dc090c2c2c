// Weighted Rips filtrations: when the edge of two weighted points comes, on the scale of diameters.
//
// A ball of weight w begins at w and has at time t the diameter (t^p - w^p)^(1/p); an edge comes when
// its two balls touch (Anai, Chazal, Glisse, Ike, Inakoshi, Tinarrage, Umeda 2020, "DTM-based
// filtrations", section 3). Never before both balls have begun, and without weights at the distance.
// In and out: values, distances that become times; weight (n,). `power` is 1, 2, or 0 for infinity.
#pragma once
#include "types.h"

#if !ON_GPU
#include <cmath>
#endif

ITEM Real weighted_time(Real d, Real w_x, Real w_y, Int32 power) {
  const Real later = w_x > w_y ? w_x : w_y, sum = w_x + w_y, difference = w_x - w_y;
  Real time = d;
  if (power == 1) {
    time = 2 * d <= (difference < 0 ? -difference : difference) ? later : d + sum / 2;
  } else if (power == 2) {
    const Real apart = sum * difference;
    if (4 * d * d <= (apart < 0 ? -apart : apart)) {
      time = later;
    } else {  // sqrt((sum^2 + 4 d^2) (difference^2 + 4 d^2)) / 4 d
      const Real a = sum / (2 * d), b = difference / (2 * d);
      time = d * sqrt((1 + a * a) * (1 + b * b));
    }
  }
  return time > later ? time : later;
}

KERNEL(rips_weigh_matrix, (const Real* weight, Index n, Int32 power, Real* values), const Index x = i / n;
       const Index y = i - x * n; if (x != y) values[i] = weighted_time(values[i], weight[x], weight[y], power))
KERNEL(rips_weigh_edges, (const Real* weight, const Int32* ends, Int32 power, Real* values),
       values[i] = weighted_time(values[i], weight[ends[2 * i]], weight[ends[2 * i + 1]], power))
