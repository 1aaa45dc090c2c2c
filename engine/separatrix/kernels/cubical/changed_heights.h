// The heights of cells that cancellation has changed, as numbers, packed by place in the order of the
// cells. The rank of a cell among the changed ones of its place is known elsewhere, so no cells are stored.
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <algorithm>
  #include <atomic>
  #include <memory>
  #include <vector>

class Locked {
 public:
  explicit Locked(std::atomic_flag& flag) : flag(flag) {
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Locked() { flag.clear(std::memory_order_release); }

 private:
  std::atomic_flag& flag;
};

// Distributed by the last bits of the place to reduce contention between threads.
class ChangedHeights {
 public:
  explicit ChangedHeights(Index n_places) : first((std::size_t)n_places, 0), shards(new Shard[N_SHARDS]) {}
  std::atomic_flag& lock(Index place) { return shard(place).lock; }
  void prefetch(Index place) const { __builtin_prefetch(first.data() + place); }
  Word* at(Index place, int rank) const { return shard(place).numbers.data() + first[(std::size_t)place] + (Word)rank; }
  // Adds a number at a rank to the `n` of a place.
  void insert(Index place, int n, int rank, Word number) {
    Word& begin = first[(std::size_t)place];
    std::vector<Word>& numbers = shard(place).numbers;
    if (room_for(n + 1) > room_for(n)) {
      const Word from = begin;
      begin = shard(place).take(room_for(n + 1));
      std::copy_n(numbers.begin() + from, n, numbers.begin() + begin);
      if (n) shard(place).free[room_for(n)].push_back(from);
    }
    const auto there = numbers.begin() + begin + rank;
    std::copy_backward(there, there + (n - rank), there + (n - rank) + 1);
    *there = number;
  }

 private:
  static constexpr Index N_SHARDS = 64;
  static int room_for(int n) { return n <= 4 ? n : n <= 16 ? (n + 3) & ~3 : (n + 15) & ~15; }

  struct Shard {
    std::vector<Word> numbers;
    std::vector<Word> free[65];  // runs that were left, by length
    std::atomic_flag lock = ATOMIC_FLAG_INIT;

    Word take(int length) {
      if (!free[length].empty()) {
        const Word begin = free[length].back();
        free[length].pop_back();
        return begin;
      }
      const std::size_t begin = numbers.size();
      // By a quarter, to save memory.
      if (begin + length > numbers.capacity()) numbers.reserve(begin + begin / 4 + 64);
      numbers.resize(begin + length);
      return (Word)begin;
    }
  };
  std::vector<Word> first;  // by place; of no meaning if it has no numbers
  std::unique_ptr<Shard[]> shards;

  Shard& shard(Index place) const { return shards[place & (N_SHARDS - 1)]; }
};
#endif
