// Labels of a level, looked up by raw labels in tables, and the sizes and value ranges of its regions, merged from
// those of the raw regions. Ranges are order images, which are merged by integer atomics, so the order of threads
// does not matter.
#pragma once
#include "common/extremes.h"

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
