// A forest by slots: a slot holds its parent (>= 0) or the code of a label (< 0), -1 OUTSIDE, -2 - k the k-th extremum.
//
// Pointer jumping replaces parents by codes. A concurrent read returns either of them; both lead to the same
// root, so the order of threads does not matter.
#pragma once
#include "common/types.h"

enum { OUTSIDE = -1 };
ITEM Int32 label_code(Int32 label) { return -2 - label; }  // its own inverse; OUTSIDE is label -1

// Initializes the roots: the k-th extremum, given by its anchor.
KERNEL(init_labels, (const Int32* anchors, Int32* forest), forest[anchors[i]] = label_code((Int32)i))

ITEM void chase(Int32* forest, Int32 start) {
  Int32 end = peek(forest + start);
  while (end >= 0) end = peek(forest + end);
#if ON_GPU
  poke(forest + start, end);
#else  // compress the whole path, so that later walks stop at once
  for (Int32 at = start; at >= 0;) {
    Int32 parent = peek(forest + at);
    poke(forest + at, end);
    at = parent;
  }
#endif
}
KERNEL(pointer_jump, (Int32* forest), chase(forest, (Int32)i))
KERNEL(decode_labels, (Int32* labels), labels[i] = label_code(labels[i]))
