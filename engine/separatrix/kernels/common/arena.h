// Memory of columns that other threads may still read when they have been replaced.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <memory>
#include <vector>

// Memory that grows and stays where it is: other threads read a column long after it was replaced.
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
