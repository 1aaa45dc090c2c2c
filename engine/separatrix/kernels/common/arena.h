// Storage of columns, which other threads may still read after they have been replaced.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <memory>
#include <vector>

// Storage that grows without moving its items, because other threads may read a column long after
// it has been replaced.
template <class Item>
class Arena {
public:
  Item* take(size_t n) {
    if (used + n > size) {
      size = std::max(n, (size_t)1 << 16);
      blocks.emplace_back(new Item[size]);
      used = 0;
    }
    used += n;
    return blocks.back().get() + used - n;
  }

private:
  std::vector<std::unique_ptr<Item[]>> blocks;
  size_t used = 0, size = 0;
};
#endif
