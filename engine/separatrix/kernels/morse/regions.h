// Labels of a level, looked up by raw labels in tables, and the sizes and value ranges of its regions, merged from
// those of the raw regions. Ranges are order images, which are merged by integer atomics, so the order of threads
// does not matter.
#pragma once
#include "common/types.h"

#if ON_GPU
ITEM void min_into(Wide* held, Wide image) { atomicMin(held, image); }
ITEM void max_into(Wide* held, Wide image) { atomicMax(held, image); }
#else
ITEM void min_into(Wide* held, Wide image) {
  Wide now = peek(held);
  while (image < now) {
    Wide before = exchange_if(held, now, image);
    if (before == now) return;
    now = before;
  }
}
ITEM void max_into(Wide* held, Wide image) {
  Wide now = peek(held);
  while (image > now) {
    Wide before = exchange_if(held, now, image);
    if (before == now) return;
    now = before;
  }
}
#endif

// === raw labels to those of a level; negative labels do not change
KERNEL(translate_labels, (const Int32* labels, const Int32* table, Int32* out),
       out[i] = labels[i] < 0 ? labels[i] : table[labels[i]])
// Item: a raw region. It adds to the region of the level that contains it.
KERNEL(merge_sizes, (const Int32* table, const Index* raw, Index* sizes),
       if (table[i] >= 0) add_to(sizes + table[i], raw[i]))
KERNEL(merge_ranges, (const Int32* table, const Wide* raw_low, const Wide* raw_high, Wide* low, Wide* high),
       if (table[i] >= 0) {
         min_into(low + table[i], raw_low[i]);
         max_into(high + table[i], raw_high[i]);
       })
