// Places of flags, and the order of keys. CuPy compiles a kernel for each of its operations on arrays when it
// first runs, so chains of them are kernels here.
#pragma once
#include "common/types.h"

enum { FLAGS_AT_ONCE = 64 };  // of an item

// The end of the flags of item i.
ITEM Index end_of_flags(Index n, Index i) {
  const Index end = (i + 1) * FLAGS_AT_ONCE;
  return end < n ? end : n;
}
// In: flags (n,). Returns how many of item i are not zero.
ITEM Index flags_that_are_set(const Byte* flags, Index n, Index i) {
  Index count = 0;
  for (Index f = i * FLAGS_AT_ONCE; f < end_of_flags(n, i); ++f) count += flags[f] != 0;
  return count;
}
// Writes the places of those; places end at ends[i].
ITEM void place_flags_of(const Byte* flags, Index n, const Index* ends, Index i, Index* places) {
  Index at = i > 0 ? ends[i - 1] : 0;
  if (at == ends[i]) return;
  for (Index f = i * FLAGS_AT_ONCE; f < end_of_flags(n, i); ++f)
    if (flags[f]) places[at++] = f;
}

KERNEL(count_flags, (const Byte* flags, Index n, Index* counts), counts[i] = flags_that_are_set(flags, n, i))
KERNEL(place_flags, (const Byte* flags, Index n, const Index* ends, Index* places),
       place_flags_of(flags, n, ends, i, places))

// keys (n,) become (key, index), which are distinct, so that every sort gives the same order.
KERNEL(follow_order, (const Index* order, const Index* keys, Int32* narrow_order, Index* sorted),
       (narrow_order[i] = (Int32)order[i], sorted[i] = keys[order[i]]))
KERNEL(join_indices, (Index index_bits, Index* keys), keys[i] = keys[i] << index_bits | i)
KERNEL(part_indices, (Index index_bits, Index* keys, Int32* order),
       (order[i] = (Int32)(keys[i] & ((1ll << index_bits) - 1)), keys[i] >>= index_bits))
