// Persistence by column reduction of a boundary matrix over Z/p, p prime.
//
// Columns from left to right: as long as an earlier column has the same pivot (greatest row in the
// filtration), a multiple of it is added. Edelsbrunner, Letscher, Zomorodian 2002. A column
// whose pivot no earlier one has is reduced as it stands, so shallow pairs cost one look. The column at work
// is a set of places in a bit tree (Bauer, Kerber, Reininghaus, Wagner 2017: PHAT): flip and
// maximum in O(log_64 n). Clearing and compression (Bauer, Kerber, Reininghaus 2014): columns that are
// known to reduce to zero are left out of `order`, rows that are known to be no pivots have no place.
// In: offsets (columns + 1,), rows and coefficients (entries,); order (m,) of the columns to reduce;
// place (n_rows,) of each row in the filtration, or NONE. Out: pivot, a row by column, untouched where the
// column is zero.
#pragma once
#include "grid.h"

#if !ON_GPU
#include <algorithm>
#include <utility>
#include <vector>

// A set of numbers below n. Bit b of a word tells, on level 0, that the number is in the set, and on the
// levels above that word b of its 64 below is not empty.
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
      if (before != 0 && word != 0) return;  // neither became empty nor was it
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

struct Entry {
  Int32 place, coefficient;
};

// The column at work over Z/2: coefficients are 1 and need no memory.
class ColumnModTwo {
public:
  typedef Int32 Stored;
  ColumnModTwo(Index n_places, Index) : support(n_places) {}
  static Int32 place_of(Stored entry) { return entry; }
  static Stored stored(Entry entry) { return entry.place; }
  void add(const Stored* begin, const Stored* end) {
    for (; begin != end; ++begin) support.flip(*begin);
  }
  void eliminate(const Stored* begin, const Stored* end) { add(begin, end); }
  Int32 pivot() const { return support.maximum(); }
  Stored pop(Int32 pivot) {
    support.flip(pivot);
    return pivot;
  }

private:
  BitTree support;
};

// Over Z/p: a dense coefficient a place, zero wherever the support has no bit.
class ColumnModPrime {
public:
  typedef Entry Stored;
  ColumnModPrime(Index n_places, Index prime) : support(n_places), coefficient((size_t)n_places, 0), prime(prime) {}
  static Int32 place_of(Stored entry) { return entry.place; }
  static Stored stored(Entry entry) { return entry; }
  void add(const Stored* begin, const Stored* end) { add_multiple(begin, end, 1); }
  // Adds the multiple of a column with the same pivot that makes it vanish here.
  void eliminate(const Stored* begin, const Stored* end) {
    Index factor = coefficient[begin->place] * inverse(begin->coefficient) % prime;
    add_multiple(begin, end, prime - factor);
  }
  Int32 pivot() const { return support.maximum(); }
  Stored pop(Int32 pivot) {
    Stored entry = {pivot, (Int32)coefficient[pivot]};
    coefficient[pivot] = 0;
    support.flip(pivot);
    return entry;
  }

private:
  void add_multiple(const Stored* begin, const Stored* end, Index factor) {
    for (; begin != end; ++begin) {
      Index& sum = coefficient[begin->place];
      const bool was_there = sum != 0;
      sum = (sum + factor * begin->coefficient) % prime;
      if (was_there != (sum != 0)) support.flip(begin->place);
    }
  }
  Index inverse(Index number) const {  // Fermat: number^(p - 2)
    Index power = 1;
    for (Index exponent = prime - 2; exponent > 0; exponent >>= 1, number = number * number % prime)
      if (exponent & 1) power = power * number % prime;
    return power;
  }

  BitTree support;
  std::vector<Index> coefficient;
  Index prime;
};

// Entries of a column that have a place and do not vanish mod p, greatest place first.
inline void take_column(const Int32* rows, const Index* coefficients, Index begin, Index end, const Int32* place,
                        Index prime, std::vector<Entry>& column) {
  column.clear();
  for (Index i = begin; i < end; ++i) {
    Index coefficient = coefficients[i] % prime;
    if (coefficient < 0) coefficient += prime;
    if (place[rows[i]] != NONE && coefficient != 0) column.push_back({place[rows[i]], (Int32)coefficient});
  }
  std::sort(column.begin(), column.end(), [](Entry a, Entry b) { return a.place > b.place; });
}

template <class Column>
Index reduce_by(Index prime, const Index* offsets, const Int32* rows, const Index* coefficients, const Int32* order,
                Index m, const Int32* place, Index n_rows, Index n_places, Int32* pivot) {
  typedef typename Column::Stored Stored;
  std::vector<Int32> row_at((size_t)n_places, NONE);
  for (Index row = 0; row < n_rows; ++row)
    if (place[row] != NONE) row_at[place[row]] = (Int32)row;
  std::vector<std::pair<Index, Index>> reduced((size_t)n_places, {0, 0});  // by pivot: a span of `entries`
  std::vector<Stored> entries;
  std::vector<Entry> given;
  Column column(n_places, prime);
  Index n_pivots = 0;
  const auto is_pivot = [&](Int32 at) { return reduced[at].second != 0; };
  for (Index i = 0; i < m; ++i) {
    const Int32 j = order[i];
    take_column(rows, coefficients, offsets[j], offsets[j + 1], place, prime, given);
    if (given.empty()) continue;
    const Index begin = (Index)entries.size();
    for (Entry entry : given) entries.push_back(Column::stored(entry));
    Int32 last = given[0].place;
    if (is_pivot(last)) {
      column.add(entries.data() + begin, entries.data() + entries.size());
      entries.resize((size_t)begin);
      while (last != NONE && is_pivot(last)) {
        column.eliminate(entries.data() + reduced[last].first, entries.data() + reduced[last].second);
        last = column.pivot();
      }
      for (Int32 at = last; at != NONE; at = column.pivot()) entries.push_back(column.pop(at));
    }
    if (last == NONE) continue;
    reduced[last] = {begin, (Index)entries.size()};
    pivot[j] = row_at[last];
    ++n_pivots;
  }
  return n_pivots;
}
#endif

HOST_TASK(reduce_matrix, (Index prime, const Index* offsets, const Int32* rows, const Index* coefficients,
                          const Int32* order, Index m, const Int32* place, Index n_rows, Index n_places, Int32* pivot),
          prime == 2 ? reduce_by<ColumnModTwo>(prime, offsets, rows, coefficients, order, m, place, n_rows, n_places, pivot)
                     : reduce_by<ColumnModPrime>(prime, offsets, rows, coefficients, order, m, place, n_rows, n_places, pivot))
