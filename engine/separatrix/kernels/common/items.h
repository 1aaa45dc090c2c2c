// Numbering, casting, gathering, and scattering of items. Of CuPy's operations on arrays, each pair of dtypes is
// compiled when it is first used, so those of first calls are kernels here, one instance per type of integers.
#pragma once
#include "common/types.h"

// Items of n units of `width` bytes. Copies item `source` of one array to item `target` of another.
template <class Unit> ITEM void copy_units(const Byte* from, Index source, Index n, Byte* to, Index target) {
  for (Index u = 0; u < n; ++u) ((Unit*)to)[target * n + u] = ((const Unit*)from)[source * n + u];
}
ITEM void copy_item(const Byte* from, Index source, Index width, Index n, Byte* to, Index target) {
  if (width == 8) copy_units<Wide>(from, source, n, to, target);
  else if (width == 4) copy_units<Word>(from, source, n, to, target);
  else if (width == 2) copy_units<HalfWord>(from, source, n, to, target);
  else copy_units<Byte>(from, source, n, to, target);
}

VALUE_KERNEL(count_up, (Index least, Index step, Value* numbers), numbers[i] = (Value)(least + step * i))
VALUE_KERNEL(shift_to_indices, (const Value* numbers, Index factor, Index offset, Index* shifted),
             shifted[i] = offset + factor * (Index)numbers[i])
VALUE_KERNEL(shift_to_ids, (const Value* numbers, Index factor, Index offset, Int32* shifted),
             shifted[i] = (Int32)(offset + factor * (Index)numbers[i]))
VALUE_KERNEL(flag_range, (const Value* numbers, Index least, Index most, Byte* flags),
             flags[i] = least <= (Index)numbers[i] && (Index)numbers[i] <= most)
VALUE_KERNEL(take_items, (const Value* places, Index width, Index n_units, const Byte* items, Byte* taken),
             copy_item(items, (Index)places[i], width, n_units, taken, i))
// given (n,), or (1,) with stride 0.
VALUE_KERNEL(put_items, (const Value* places, Index width, Index n_units, const Byte* given, Index stride, Byte* items),
             copy_item(given, stride * i, width, n_units, items, (Index)places[i]))
VALUE_KERNEL(measure_rows, (const Value* offsets, Int32* lengths), lengths[i] = (Int32)(offsets[i + 1] - offsets[i]))

// The index of a wanted key, or NONE: order (n,) sorts keys (n,), which are distinct.
template <class Value> ITEM Int32 index_of_key(const Value* keys, const Index* order, Index n, Value wanted) {
  Index begin = 0, end = n;
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (keys[order[middle]] < wanted) begin = middle + 1;
    else end = middle;
  }
  return begin < n && keys[order[begin]] == wanted ? (Int32)order[begin] : NONE;
}
VALUE_KERNEL(find_keys, (const Value* keys, const Index* order, Index n, const Value* wanted, Int32* found),
             found[i] = index_of_key(keys, order, n, wanted[i]))
// Whether each of the keys is the first one, or differs from the one before.
VALUE_KERNEL(flag_changes, (const Value* keys, Byte* flags), flags[i] = i == 0 || keys[i] != keys[i - 1])
VALUE_KERNEL(square_numbers, (const Value* numbers, Index* squares), squares[i] = (Index)numbers[i] * (Index)numbers[i])
