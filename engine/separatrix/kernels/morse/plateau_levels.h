// Levels of the plateau-aware orders: numbers that are compared like (value, 2 * low - high).
//
// Vertices of equal levels compare by id. cubical/plateau.h defines low and high.
#pragma once
#include "common/order.h"

// In: lowest (1,), a lower bound of the values; range, above all 2 * low + highest - high; highest, of `high`.
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
