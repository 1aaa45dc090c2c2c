// Labels of a level from the raw ones by tables, and what regions of one label hold: their number of vertices
// and their range of values.
//
// Ranges are kept as order images, whose minimum and maximum are integer atomics: no order of threads shows.
// An item that reads voxels is a run of them; equal labels in a run are put together first.
#pragma once
#include "order.h"

enum { REGION_RUN = 64 };

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

// === raw labels to those of a level; labels below 0 stay
KERNEL(translate_labels, (const Int32* labels, const Int32* table, Int32* out),
       out[i] = labels[i] < 0 ? labels[i] : table[labels[i]])
// Item: a raw region. It adds to the region of the level in which it lies.
KERNEL(merge_sizes, (const Int32* table, const Index* raw, Index* sizes),
       if (table[i] >= 0) add_to(sizes + table[i], raw[i]))
KERNEL(merge_ranges, (const Int32* table, const Wide* raw_low, const Wide* raw_high, Wide* low, Wide* high),
       if (table[i] >= 0) {
         min_into(low + table[i], raw_low[i]);
         max_into(high + table[i], raw_high[i]);
       })

// === ranges of values, the label -1 left out
template <class Value>
ITEM void range_of_run(const Int32* labels, const Value* values, Index n, Index run, Wide* low, Wide* high) {
  Index begin = run * REGION_RUN, end = begin + REGION_RUN < n ? begin + REGION_RUN : n;
  Int32 label = labels[begin];
  Wide least = ~0ull, most = 0;
  for (Index v = begin; v <= end; ++v) {
    if (v == end || labels[v] != label) {
      if (label >= 0) {
        min_into(low + label, least);
        max_into(high + label, most);
      }
      if (v == end) return;
      label = labels[v];
      least = ~0ull;
      most = 0;
    }
    Wide image = order_image(values[v]);
    if (image < least) least = image;
    if (image > most) most = image;
  }
}
VALUE_KERNEL(measure_ranges, (const Int32* labels, const Value* values, Index n, Wide* low, Wide* high),
             range_of_run(labels, values, n, i, low, high))
VALUE_KERNEL(values_of_images, (const Wide* images, Value* values), from_image(images[i], values + i))
