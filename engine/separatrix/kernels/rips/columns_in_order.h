// Simplices of one dimension as columns in processing order: rank descending, then combinatorial index ascending.
//
// A simplex that destroyed a class of the lower dimension creates none, so it is left out (Chen, Kerber 2011).
// In: vertices (m, k), descending in a row, with ranks (m,), in any order, or keys of both; cleared (n_cleared, k), of
// which some may be among them. Out: the columns, with room for m, and their ranks.
#pragma once
#include "rips/reduction_graph.h"
#include "spatial/cells.h"

// A rank and a simplex as one number below 2^63, in processing order.
ITEM Index rips_column_key(const Int32* vertices, Int32 k, Int32 bits, Word below_highest) {
  Wide key = below_highest;
  for (Int32 i = 0; i < k; ++i) key = key << bits | (Wide)vertices[i];
  return (Index)key;
}
KERNEL(rips_pack_columns, (const Int32* vertices, const Word* rank, Int32 k, Int32 bits, Word highest, Index* keys),
       keys[i] = rips_column_key(vertices + i * k, k, bits, highest - rank[i]))

#if !ON_GPU
#include <vector>

namespace rips {

template <class Key>
class SimplexSet {
public:
  SimplexSet(Packing<Key> packing, const Int32* rows, Index n, int k) {
    for (; n > 0 && ((Index)1 << n_bits) < 2 * n; ++n_bits) {}
    slots.assign((size_t)1 << n_bits, EMPTY);
    for (Index i = 0; i < n; ++i) {
      const Key key = packing.pack(rows + i * k, k);
      slots[place_of(key)] = key;
    }
  }
  bool has(Key key) const { return slots[place_of(key)] == key; }

private:
  static constexpr Key EMPTY = ~(Key)0;  // vertices differ, so it is no simplex
  size_t place_of(Key key) const {
    const Wide folded = (Wide)key ^ (Wide)(key >> (4 * sizeof key)) * 0xC2B2AE3D27D4EB4Full;
    size_t at = (folded * 0x9E3779B97F4A7C15ull) >> (64 - n_bits);
    while (slots[at] != EMPTY && slots[at] != key) at = (at + 1) & (slots.size() - 1);
    return at;
  }
  std::vector<Key> slots;
  int n_bits = 1;
};

struct Columns {
  const Int32* cleared;
  Index n_cleared;
  int k, bits;
  Int32* vertices;
  Word* rank;
};

// Of keys, which are overwritten.
inline Index columns_of_keys(Index* keys, Index m, bool are_sorted, Word highest, const Columns& columns) {
  enum { FEW = 1 << 11 };  // that are sorted in less time by comparisons
  const Packing<Wide> packing{columns.bits};
  const int shift = columns.k * columns.bits;
  const SimplexSet<Wide> cleared(packing, columns.cleared, columns.n_cleared, columns.k);
  Index n = columns.n_cleared > 0 ? 0 : m;
  if (columns.n_cleared > 0)
    for (Index i = 0; i < m; ++i)
      if (!cleared.has((Wide)keys[i] & (((Wide)1 << shift) - 1))) keys[n++] = keys[i];
  if (!are_sorted && n < FEW) std::sort(keys, keys + n);
  else if (!are_sorted) {
    std::vector<Int32> order((size_t)n);
    sort_keys(keys, n, shift + 32 - __builtin_clz(highest | 1), order.data());
  }
  for (Index i = 0; i < n; ++i) {
    packing.unpack((Wide)keys[i], columns.k, columns.vertices + i * columns.k);
    columns.rank[i] = highest - (Word)(keys[i] >> shift);
  }
  return n;
}

// Of simplices that do not fit in keys.
inline Index columns_of_simplices(const Int32* vertices, const Word* rank, Index m, const Columns& columns) {
  const Packing<Wide2> packing{columns.bits};
  const SimplexSet<Wide2> cleared(packing, columns.cleared, columns.n_cleared, columns.k);
  std::vector<std::pair<Word, Wide2>> left;
  for (Index i = 0; i < m; ++i) {
    throw_if_canceled_at(i);
    const Wide2 key = packing.pack(vertices + i * columns.k, columns.k);
    if (!cleared.has(key)) left.emplace_back(~rank[i], key);
  }
  std::sort(left.begin(), left.end());
  for (size_t i = 0; i < left.size(); ++i) {
    packing.unpack(left[i].second, columns.k, columns.vertices + (Index)i * columns.k);
    columns.rank[i] = ~left[i].first;
  }
  return (Index)left.size();
}

}  // namespace rips
#endif

// Both return the number of columns.
HOST_TASK(rips_columns_of_keys, (Index* keys, Index m, Index are_sorted, Word highest, const Int32* cleared,
                                 Index n_cleared, Int32 k, Int32 bits, Int32* columns, Word* column_rank),
          rips::columns_of_keys(keys, m, are_sorted, highest, {cleared, n_cleared, k, bits, columns, column_rank}))
HOST_TASK(rips_columns_of_simplices, (const Int32* vertices, const Word* rank, Index m, const Int32* cleared,
                                      Index n_cleared, Int32 k, Int32 bits, Int32* columns, Word* column_rank),
          rips::columns_of_simplices(vertices, rank, m, {cleared, n_cleared, k, bits, columns, column_rank}))
