// Value ranges of labeled vertices, as order images (regions.h), and conversion of images to values. An item is a
// run of vertices; equal labels in a run are combined first. The label -1 is skipped.
#pragma once
#include "common/order.h"
#include "morse/regions.h"

enum { REGION_RUN = 64 };

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
