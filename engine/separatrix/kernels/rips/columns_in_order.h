// Simplices of one dimension as columns in processing order: rank descending, then combinatorial index ascending.
//
// A simplex that destroyed a class of the lower dimension creates none, so it is left out (Chen, Kerber 2011).
// In: vertices (m, k), descending in a row, with ranks (m,), in any order; cleared (n_cleared, k), of which some may be
// among them. Out: the columns, with room for m, and their ranks.
#pragma once
#include "common/hash_set.h"
#include "rips/reduction_graph.h"
#include "spatial/cells.h"

#if !ON_GPU
#include <vector>

namespace rips {

struct Unordered {
  const Int32* vertices;
  const Word* rank;
  Index m;
  const Int32* cleared;
  Index n_cleared;
  int k, bits;
  Word highest;  // the highest rank
};

template <class Key>
class SimplexSet {
public:
  SimplexSet(Packing<Key> packing, const Int32* rows, Index n, int k) {
    size_t size = 1;
    while (n > 0 && size < 2 * (size_t)n) size *= 2;
    slots.assign(size, EMPTY);
    for (Index i = 0; i < n; ++i) {
      const Key key = packing.pack(rows + i * k, k);
      slots[place_of(key)] = key;
    }
  }
  bool has(Key key) const { return slots[place_of(key)] == key; }

private:
  static constexpr Key EMPTY = ~(Key)0;  // vertices differ, so it is no simplex
  size_t place_of(Key key) const {
    const Wide hash = mixed((Wide)key ^ mixed((Wide)(key >> (4 * sizeof key))));
    size_t at = hash & (slots.size() - 1);
    while (slots[at] != EMPTY && slots[at] != key) at = (at + 1) & (slots.size() - 1);
    return at;
  }
  std::vector<Key> slots;
};

// Calls use(key, rank) for the simplices that are not cleared.
template <class Key, class Use>
void for_columns(const Unordered& given, const Use& use) {
  const Packing<Key> packing{given.bits};
  const SimplexSet<Key> cleared(packing, given.cleared, given.n_cleared, given.k);
  for (Index i = 0; i < given.m; ++i) {
    throw_if_canceled_at(i);
    const Key key = packing.pack(given.vertices + i * given.k, given.k);
    if (given.n_cleared == 0 || !cleared.has(key)) use(key, given.rank[i]);
  }
}

// If a rank and a simplex fit in 63 bits, as one number.
inline Index columns_of_words(const Unordered& given, Int32* vertices, Word* rank) {
  enum { FEW = 1 << 11 };  // that are sorted in less time by comparisons
  const int shift = given.k * given.bits, bits = shift + 32 - __builtin_clz(given.highest | 1);
  std::vector<Index> keys;
  keys.reserve((size_t)given.m);
  for_columns<Wide>(given, [&](Wide key, Word r) { keys.push_back((Index)((Wide)(given.highest - r) << shift | key)); });
  const Index n = (Index)keys.size();
  std::vector<Int32> order((size_t)n);
  if (n < FEW) std::sort(keys.begin(), keys.end());
  else sort_keys(keys.data(), n, bits, order.data());
  const Packing<Wide> packing{given.bits};
  for (Index i = 0; i < n; ++i) {
    packing.unpack((Wide)keys[i], given.k, vertices + i * given.k);
    rank[i] = given.highest - (Word)(keys[i] >> shift);
  }
  return n;
}

inline Index columns_of_pairs(const Unordered& given, Int32* vertices, Word* rank) {
  std::vector<std::pair<Word, Wide2>> keys;
  for_columns<Wide2>(given, [&](Wide2 key, Word r) { keys.emplace_back(~r, key); });
  std::sort(keys.begin(), keys.end());
  const Packing<Wide2> packing{given.bits};
  for (size_t i = 0; i < keys.size(); ++i) {
    packing.unpack(keys[i].second, given.k, vertices + i * given.k);
    rank[i] = ~keys[i].first;
  }
  return (Index)keys.size();
}

inline Index columns_in_order(const Unordered& given, Int32* vertices, Word* rank) {
  const bool fits = given.k * given.bits + 32 - __builtin_clz(given.highest | 1) <= 63;
  return (fits ? columns_of_words : columns_of_pairs)(given, vertices, rank);
}

}  // namespace rips
#endif

// Returns the number of columns.
HOST_TASK(rips_columns_in_order, (const Int32* vertices, const Word* rank, Index m, const Int32* cleared, Index n_cleared,
                                  Int32 k, Int32 bits, Word highest, Int32* columns, Word* column_rank),
          rips::columns_in_order({vertices, rank, m, cleared, n_cleared, k, bits, highest}, columns, column_rank))
