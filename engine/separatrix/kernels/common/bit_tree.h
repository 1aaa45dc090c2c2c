// A set of numbers as a tree of bits (Bauer, Kerber, Reininghaus, Wagner 2017: PHAT): flip and maximum in O(log_64 n).
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <vector>

// A set of numbers below n. On level 0, a bit is set if its number is in the set. On the levels
// above, bit b of a word is set if the b-th of the 64 words below it is not zero.
class BitTree {
public:
  explicit BitTree(Index n) {
    do levels.emplace_back((size_t)(n = (n + 63) / 64) + 1, (Wide)0);
    while (n > 1);
  }
  void flip(Int32 number) {
    for (auto& level : levels) {
      Wide& word = level[number >> 6];
      const Wide before = word;
      word ^= (Wide)1 << (number & 63);
      if (before != 0 && word != 0) return;  // the word was nonempty and still is
      number >>= 6;
    }
  }
  Int32 maximum() const {
    if (levels.back()[0] == 0) return NONE;
    Int32 word = 0;
    for (size_t level = levels.size(); level-- > 0;) word = word << 6 | (63 - __builtin_clzll(levels[level][word]));
    return word;
  }

private:
  std::vector<std::vector<Wide>> levels;
};
#endif
