// Sorts one list in one thread: by insertion, or by heapsort if the list is long, such as that of a
// hub.
#pragma once
#include "common/types.h"

enum { SHORT_LIST = 48 };

// Increments a shared counter in relaxed memory order and returns its previous value.
#if ON_GPU
ITEM Int32 count_one(Int32* counter) { return atomicAdd(counter, 1); }
#else
ITEM Int32 count_one(Int32* counter) { return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }
#endif

template <class Item>
ITEM void sink_in_heap(Item* items, Index at, Index n) {
  const Item sinking = items[at];
  for (Index child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && items[child] < items[child + 1]) ++child;
    if (!(sinking < items[child])) break;
    items[at] = items[child];
  }
  items[at] = sinking;
}
template <class Item>
ITEM void sort_list(Item* items, Index n) {
  if (n <= SHORT_LIST) {
    for (Index i = 1; i < n; ++i) {
      const Item moving = items[i];
      Index at = i;
      for (; at > 0 && moving < items[at - 1]; --at) items[at] = items[at - 1];
      items[at] = moving;
    }
    return;
  }
  for (Index at = n / 2; at-- > 0;) sink_in_heap(items, at, n);
  for (Index left = n - 1; left > 0; --left) {
    const Item last = items[left];
    items[left] = items[0];
    items[0] = last;
    sink_in_heap(items, 0, left);
  }
}
// Removes duplicates from a sorted list and returns the number of items that remain.
template <class Item>
ITEM Index keep_each_once(Item* items, Index n) {
  Index kept = 0;
  for (Index i = 0; i < n; ++i)
    if (i == 0 || items[kept - 1] < items[i]) items[kept++] = items[i];
  return kept;
}
