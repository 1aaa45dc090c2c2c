// Places of the sides that open edges lead to, so that the host adds values without a search.
//
// A side is a pair of points, high << 32 | low. Its value is that of two other sides, of the triangle with the middle of
// its lune, and these are shorter. See rips/lune_rows.h for the sides, and rips/loop_columns.h for the values.
#pragma once
#include "rips/lune_rows.h"

// The open edge itself, and the sides of the triangles with all points found.
KERNEL(rips_reach_open_edges, (const Int32* ends, const Index* begin, const Int32* found, Wide* slots, Wide mask,
                               Index capacity, Wide* reached, Index* counters), {
  reach_key(rips_side(ends[2 * i], ends[2 * i + 1]), slots, mask, capacity, reached, counters);
  for (Index k = begin[i]; k < begin[i + 1]; ++k)
    for (int end = 0; end < 2; ++end)
      reach_key(rips_side(ends[2 * i + end], found[k]), slots, mask, capacity, reached, counters);
})
// In: the place of the first of these keys.
KERNEL(rips_place_sides, (const Wide* keys, Index n_before, const Wide* slots, Wide mask, Int32* places),
       places[slot_of(slots, mask, keys[i])] = (Int32)(n_before + i))

struct RipsPlaces {
  const Wide* slots;
  Wide mask;
  const Int32* places;  // by slot
  ITEM_MEMBER Int32 operator()(Int32 a, Int32 b) const { return places[slot_of(slots, mask, rips_side(a, b))]; }
};
// The places of the other sides of each triangle, or NONE. In: keys and middles of new sides.
KERNEL(rips_list_children, (const Wide* keys, const Int32* middles, const Wide* slots, Wide mask, const Int32* places,
                            Int32* children), {
  const Int32 u = (Int32)(keys[i] >> 32), v = (Int32)(keys[i] & 0xFFFFFFFFu), w = middles[i];
  const RipsPlaces place_of{slots, mask, places};
  children[2 * i] = w < 0 ? (Int32)NONE : place_of(u, w);
  children[2 * i + 1] = w < 0 ? (Int32)NONE : place_of(v, w);
})
// The place of each open edge, and those of the sides of its triangles.
KERNEL(rips_place_open_edges, (const Int32* ends, const Index* begin, const Int32* found, const Wide* slots, Wide mask,
                               const Int32* places, Int32* own, Int32* sides), {
  const Int32 u = ends[2 * i], v = ends[2 * i + 1];
  const RipsPlaces place_of{slots, mask, places};
  own[i] = place_of(u, v);
  for (Index k = begin[i]; k < begin[i + 1]; ++k) {
    sides[2 * k] = place_of(u, found[k]);
    sides[2 * k + 1] = place_of(v, found[k]);
  }
})
