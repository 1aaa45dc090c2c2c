// The part of the plateau-aware order of an image that reads values: the sides of every vertex.
#pragma once
#include "common/order.h"
#include "cubical/domain.h"
#include "cubical/plateau.h"

template <class Value>
ITEM Byte sides_of(Grid grid, const Value* values, const Byte* types, Index n_types, Int32 v, Byte* has_plateaus) {
  const auto own = order_image(values[v]);
  int sides = 0;
  UNROLL for (int direction = PLUS_X; direction <= MINUS_Z; ++direction) {
    Int32 beside = vertex_neighbor(grid, v, axis_of(direction), sign_of(direction));
    if (beside == NONE) continue;
    if (n_types && !holds_edge(types, v, beside, axis_of(direction), sign_of(direction))) continue;
    auto other = order_image(values[beside]);
    sides |= other == own ? 1 << (direction - 1) : other < own ? HAS_LOWER : HAS_HIGHER;
  }
  if (sides & LEVEL_SIDES && !is_raised(has_plateaus)) mark(has_plateaus);  // avoids writes of all threads to one slot
  return (Byte)sides;
}
VALUE_KERNEL(describe_sides, (Grid grid, const Value* values, const Byte* types, Index n_types, Byte* sides, Byte* has_plateaus),
             sides[i] = sides_of(grid, values, types, n_types, (Int32)i, has_plateaus))
