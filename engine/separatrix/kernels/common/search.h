// Binary search among ascending keys. O(log n).
#pragma once
#include "common/types.h"

// The first of the keys (n,) that is at least the wanted one; n if there is none.
template <class Key> ITEM Index first_at_least(const Key* keys, Index n, Key wanted) {
  Index low = 0, high = n;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (keys[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The first place of a wanted key, or NONE.
template <class Key> ITEM Index place_among(const Key* keys, Index n, Key wanted) {
  const Index place = first_at_least(keys, n, wanted);
  return place < n && keys[place] == wanted ? place : (Index)NONE;
}
