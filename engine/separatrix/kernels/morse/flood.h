// A simplified field: vertices are raised to the saddle at which their minimum drains, or lowered to the
// one at which their maximum does.
#pragma once
#include "common/order.h"

#if !ON_GPU
  #include <vector>
#endif

// `level` and `is_flooded` by label; labels below 0 keep their values. `sign` 1 raises, -1 lowers.
template <class Value>
ITEM void flood_vertex(const Int32* labels, const Byte* is_flooded, const Value* level, Int32 sign, Index v,
                       Value* values) {
  Int32 label = labels[v];
  if (label < 0 || !is_flooded[label]) return;
  auto here = order_image(values[v]), there = order_image(level[label]);
  if (sign > 0 ? here < there : here > there) values[v] = level[label];
}
VALUE_KERNEL(flood_values, (const Int32* labels, const Byte* is_flooded, const Value* level, Int32 sign, Value* values),
             flood_vertex(labels, is_flooded, level, sign, i, values))

// In the forest of extrema at an event (event[i] <= now: i leads to parent[i] through saddle[i]): the saddle
// with the extreme rank * sign on the path from each to its root, -1 for roots. Each path is walked once: O(n).
#if !ON_GPU
inline Index extreme_saddles(const Int32* parent, const Word* event, const Int32* saddle, Word now, const Int32* rank,
                             Int32 sign, Int32* extreme, Index n) {
  const Int32 unknown = -128;
  std::vector<Int32> way;
  for (Index i = 0; i < n; ++i) extreme[i] = event[i] <= now ? unknown : -1;
  for (Index i = 0; i < n; ++i) {
    check_cancelled_at(i);
    way.clear();
    Int32 at = (Int32)i;
    for (; at >= 0 && extreme[at] == unknown; at = parent[at]) way.push_back(at);
    Int32 best = at >= 0 ? extreme[at] : -1;
    for (; !way.empty(); way.pop_back()) {
      Int32 own = saddle[way.back()];
      if (best < 0 || sign * (Index)rank[own] > sign * (Index)rank[best]) best = own;
      extreme[way.back()] = best;
    }
  }
  return n;
}
#endif
HOST_TASK(drain_saddles, (const Int32* parent, const Word* event, const Int32* saddle, Word now, const Int32* rank,
                          Int32 sign, Int32* extreme, Index n),
          extreme_saddles(parent, event, saddle, now, rank, sign, extreme, n))
