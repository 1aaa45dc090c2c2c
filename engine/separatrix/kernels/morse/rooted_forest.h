// For each canceled extremum, the raw arc that is reversed.
// Without directions, these arcs form a forest over the raw extrema and OUTSIDE, rooted at the survivors, because each
// extremum is canceled once. Leaves are removed: the last arc of an extremum leads toward the root. In: ends (saddles, 2) of
// extrema, -1 OUTSIDE; for each extremum, the saddle that cancels it, and the event. Each extremum holds the sum of its arcs,
// 2^32 + saddle, which tells the last one.
#pragma once
#include "common/types.h"

constexpr Wide ONE_ARC = (Wide)1 << 32;
KERNEL(sum_arcs, (const Int32* ends, const Int32* saddle, const Word* died, Word event, Wide* arcs),
       if (died[i] <= event)
         for (int side = 0; side < 2; ++side) {
           const Int32 at = ends[2 * saddle[i] + side];
           if (at >= 0) add_to((Index*)arcs + at, (Index)(ONE_ARC + (Wide)saddle[i]));
         })

// Out: sides, by canceled extremum: 2 * saddle + side, whose end is the extremum.
ITEM void remove_leaves(const Int32* ends, const Word* died, Word event, Int32 leaf, Wide* arcs, Int32* sides) {
  for (Int32 at = leaf; at >= 0 && died[at] <= event;) {
    const Wide last = peek(arcs + at);
    if (last >> 32 != 1 || exchange_if(arcs + at, last, 0) != last) return;
    const Int32 saddle = (Int32)last, side = ends[2 * saddle] != at;
    sides[at] = 2 * saddle + side;
    at = ends[2 * saddle + 1 - side];
    if (at >= 0) add_to((Index*)arcs + at, -(Index)last);
  }
}
KERNEL(root_at_survivors, (const Int32* ends, const Word* died, Word event, Wide* arcs, Int32* sides),
       remove_leaves(ends, died, event, (Int32)i, arcs, sides))
