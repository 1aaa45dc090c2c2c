// The neighbors of each point of a mesh that have the same value, and whether others are lower or higher.
#pragma once
#include "common/order.h"
#include "morse/plateau.h"

// In: neighbors (offsets (n + 1,)) of each point. Out: sides, of which HAS_LOWER and HAS_HIGHER are used;
// the number of neighbors with the same value.
template <class Value>
ITEM Int32 count_level_at(const Value* values, const Index* offsets, const Int32* neighbors, Index v, Byte* sides) {
  const auto own = order_image(values[v]);
  int found = 0;
  Int32 n_level = 0;
  for (Index k = offsets[v]; k < offsets[v + 1]; ++k) {
    const auto other = order_image(values[neighbors[k]]);
    if (other == own) ++n_level;
    else found |= other < own ? HAS_LOWER : HAS_HIGHER;
  }
  sides[v] = (Byte)found;
  return n_level;
}
VALUE_KERNEL(count_level_neighbors, (const Value* values, const Index* offsets, const Int32* neighbors, Byte* sides,
                                     Int32* n_level),
             n_level[i] = count_level_at(values, offsets, neighbors, i, sides))
template <class Value>
ITEM void list_level_at(const Value* values, const Index* offsets, const Int32* neighbors, Index v, Int32* level) {
  const auto own = order_image(values[v]);
  for (Index k = offsets[v]; k < offsets[v + 1]; ++k) {
    if (order_image(values[neighbors[k]]) == own) *level++ = neighbors[k];
  }
}
VALUE_KERNEL(list_level_neighbors, (const Value* values, const Index* offsets, const Int32* neighbors, const Index* begin,
                                    Int32* level),
             list_level_at(values, offsets, neighbors, i, level + begin[i]))
