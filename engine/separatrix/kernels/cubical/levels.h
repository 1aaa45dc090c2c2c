// What of the plateau-aware order reads values: the sides of every vertex, and its level, a number that
// is compared like (value, 2 * low - high). Vertices of equal levels compare by id.
#pragma once
#include "common/order.h"
#include "cubical/plateau.h"

template <class Value>
ITEM Byte sides_of(Grid grid, const Value* values, Int32 v, Byte* has_plateaus) {
  const auto own = order_image(values[v]);
  int sides = 0;
  UNROLL for (int direction = PLUS_X; direction <= MINUS_Z; ++direction) {
    Int32 beside = vertex_neighbor(grid, v, axis_of(direction), sign_of(direction));
    if (beside == NONE) continue;
    auto other = order_image(values[beside]);
    sides |= other == own ? 1 << (direction - 1) : other < own ? HAS_LOWER : HAS_HIGHER;
  }
  if (sides & LEVEL_SIDES && !is_raised(has_plateaus)) mark(has_plateaus);  // not all into one slot
  return (Byte)sides;
}
VALUE_KERNEL(describe_sides, (Grid grid, const Value* values, Byte* sides, Byte* has_plateaus),
             sides[i] = sides_of(grid, values, (Int32)i, has_plateaus))

// In: lowest (1,), no value is lower; range, more than 2 * low + highest - high ever is; highest, of `high`.
template <class Value>
ITEM Wide level_of(Value value, Value lowest, Int32 low, Int32 high, Wide range, Index highest) {
  return (Wide)(order_image(value) - order_image(lowest)) * range + (Wide)(2 * (Index)low + highest - high);
}
VALUE_KERNEL(refine_words, (const Value* values, const Value* lowest, const Int32* low, const Int32* high, Wide range,
                            Index highest, Word* levels),
             levels[i] = (Word)level_of(values[i], lowest[0], low[i], high[i], range, highest))
VALUE_KERNEL(refine_wides, (const Value* values, const Value* lowest, const Int32* low, const Int32* high, Wide range,
                            Index highest, Wide* levels),
             levels[i] = level_of(values[i], lowest[0], low[i], high[i], range, highest))
