// Leaves of an octree are intervals of the Hilbert order, for any capacity.
#pragma once
#include "common/types.h"

// Levels of the octree, 0 to 21, that two keys of 63 bits share: their common leading groups of three.
ITEM Byte shared_level(Index a, Index b) {
  Byte level = 0;
  for (Wide differing = (Wide)(a ^ b); level < 21 && (differing >> (60 - 3 * level)) == 0;) ++level;
  return level;
}
KERNEL(share_levels, (const Index* keys, Index apart, Byte* levels), levels[i] = shared_level(keys[i], keys[i + apart]))
