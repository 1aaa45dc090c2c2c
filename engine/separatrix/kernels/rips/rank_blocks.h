// CPU: blocks of ranks that are compared at once. Explicit, because the compiler vectorizes only some of these loops.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <cstring>

template <class Rank, int SIZE> class RipsBlock {
  enum { BYTES = SIZE * (int)sizeof(Rank), PART = BYTES < 64 ? BYTES : 64, N_PARTS = BYTES / PART };
  enum { IN_PART = PART / (int)sizeof(Rank), N_WORDS = SIZE / 8 };
  typedef Rank Lanes __attribute__((vector_size(PART)));
  typedef signed char Flags __attribute__((vector_size(IN_PART)));

public:
  RipsBlock() {}
  explicit RipsBlock(const Rank* ranks) { std::memcpy(part, ranks, sizeof part); }
  void put(Rank* ranks) const { std::memcpy(ranks, part, sizeof part); }

  void raise_to(const RipsBlock& other) {
    for (int i = 0; i < N_PARTS; ++i) part[i] = part[i] > other.part[i] ? part[i] : other.part[i];
  }
  void raise_to(Rank least) {
    for (int i = 0; i < N_PARTS; ++i) part[i] = part[i] > least ? part[i] : Lanes{} + least;
  }
  // Lanes where the other block is at most this one become zero.
  void clear_reached(const RipsBlock& other) {
    for (int i = 0; i < N_PARTS; ++i) part[i] = other.part[i] <= part[i] ? Lanes{} : part[i];
  }
  void clear_above(Rank limit) {
    for (int i = 0; i < N_PARTS; ++i) part[i] = part[i] <= limit ? part[i] : Lanes{};
  }
  void clear_from(Int32 place) {
    static const RipsBlock places = numbered();
    for (int i = 0; i < N_PARTS; ++i) part[i] = places.part[i] < (Rank)place ? part[i] : Lanes{};
  }

  // A set of lanes, a byte each.
  class Set {
  public:
    int size() const {
      int n_bits = 0;
      for (int k = 0; k < N_WORDS; ++k) n_bits += __builtin_popcountll(bytes[k]);
      return n_bits / 8;
    }
    // The last lane, NONE if there is none.
    Int32 last() const {
      for (int k = N_WORDS; k-- > 0;)
        if (bytes[k]) return 8 * k + (63 - __builtin_clzll(bytes[k])) / 8;
      return NONE;
    }
    template <class Use> void each(const Use& use) const {
      for (int k = 0; k < N_WORDS; ++k)
        for (Wide left = bytes[k]; left; left &= ~((Wide)0xFF << __builtin_ctzll(left) / 8 * 8))
          use(8 * k + __builtin_ctzll(left) / 8);
    }
    void keep_first(Int32 n) {
      for (int k = 0; k < N_WORDS; ++k, n -= 8)
        if (n < 8) bytes[k] &= n <= 0 ? 0 : ((Wide)1 << 8 * n) - 1;
    }

  private:
    friend class RipsBlock;
    Wide bytes[N_WORDS];
  };
  Set at_most(Rank limit) const {
    Set found;
    for (int i = 0; i < N_PARTS; ++i) copy_flags(i, __builtin_convertvector(part[i] <= limit, Flags), found);
    return found;
  }
  Set not_zero() const {
    Set found;
    for (int i = 0; i < N_PARTS; ++i) copy_flags(i, __builtin_convertvector(part[i] != 0, Flags), found);
    return found;
  }

private:
  static RipsBlock numbered() {
    Rank places[SIZE];
    for (int k = 0; k < SIZE; ++k) places[k] = (Rank)k;
    return RipsBlock(places);
  }
  static void copy_flags(int i, Flags flags, Set& found) {
    std::memcpy((char*)found.bytes + i * sizeof flags, &flags, sizeof flags);
  }
  Lanes part[N_PARTS];
};
#endif
