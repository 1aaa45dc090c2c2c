// Sets of numbers joined by many threads at once (union-find with path halving).
//
// A parent is never greater than its child, so the root of a set is its least number, in whatever
// order the sets are joined. At the beginning each number is its own parent.
#pragma once
#include "common/types.h"

ITEM Int32 root_of(Int32* parent, Int32 item) {
  while (true) {
    const Int32 above = peek(parent + item);
    if (above == item) return item;
    const Int32 beyond = peek(parent + above);
    if (beyond != above) poke(parent + item, beyond);
    item = beyond;
  }
}
ITEM void join_sets(Int32* parent, Int32 one, Int32 other) {
  while (true) {
    one = root_of(parent, one), other = root_of(parent, other);
    if (one == other) return;
    const Int32 least = one < other ? one : other, root = one < other ? other : one;
    if (replace_if(parent + root, root, least)) return;
  }
}
