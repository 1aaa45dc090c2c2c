// Persistence by column reduction of a boundary matrix over Z/p, p prime.
//
// While an earlier column of the filtration has the same pivot (last row), a multiple of it is added; a later
// column with this pivot gives it up and is reduced further. Edelsbrunner, Letscher, Zomorodian 2002; in any
// order and by several threads: Morozov, Nigmetov 2020. Pairs are unique, so they do not depend on the order
// or the threads. Columns are processed in the caller's numbering, where neighbors share rows and memory. The
// earliest column that ends at a row owns this pivot first, which already settles most pairs.
// The current column is a set of places in a bit tree (Bauer, Kerber, Reininghaus, Wagner 2017: PHAT), with
// flip and maximum in O(log_64 n). Clearing and compression (Bauer, Kerber, Reininghaus 2014): `order` omits
// columns that are known to vanish, and rows that cannot be pivots have no place.
// In: offsets (n_columns + 1,), rows and coefficients (entries,); order (m,) of the columns to reduce;
// place (n_rows,) of each row in the filtration, or NONE. Out: pivot (n_columns,), the row of each
// column, unchanged if the column vanishes.
#pragma once
#include "common/arena.h"
#include "common/bit_tree.h"
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

struct Entry {
  Int32 place, coefficient;
};

// The current column over Z/2, whose coefficients are 1 and not stored.
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

// Over Z/p: a coefficient per place, zero where the support has no bit.
class ColumnModPrime {
public:
  typedef Entry Stored;
  ColumnModPrime(Index n_places, Index prime) : support(n_places), coefficient((size_t)n_places, 0), prime(prime) {}
  static Int32 place_of(Stored entry) { return entry.place; }
  static Stored stored(Entry entry) { return entry; }
  void add(const Stored* begin, const Stored* end) { add_multiple(begin, end, 1); }
  // Adds the multiple of a column with the same pivot that cancels the pivot.
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
class Reduction {
public:
  typedef typename Column::Stored Stored;
  Reduction(Index prime, const Index* offsets, const Int32* rows, const Index* coefficients, Index n_columns,
            const Int32* order, Index m, const Int32* place, Index n_places, Int32 n_threads)
      : prime(prime), offsets(offsets), rows(rows), coefficients(coefficients), n_columns(n_columns), place(place),
        when((size_t)n_columns, NONE), waits((size_t)n_columns, 0), reduced((size_t)n_columns),
        owner((size_t)n_places) {
    for (Index i = 0; i < m; ++i) when[order[i]] = (Int32)i;
    for (auto& column : owner) column.store(NONE, std::memory_order_relaxed);
    for (Int32 thread = 0; thread < n_threads; ++thread) workers.emplace_back(new Worker(n_places, prime));
  }

  void run() {
    for_all(1024, [&](Worker& worker, Index j) { take(worker, (Int32)j); });
    for_all(4096, [&](Worker&, Index j) {
      const Stored* column = reduced[j].load();
      waits[j] = column != nullptr && owner[last_place(column)].load() != (Int32)j;
    });
    for_all(64, [&](Worker& worker, Index j) {
      if (waits[j]) reduce(worker, (Int32)j);
    });
  }

  Index write(Index n_rows, Int32* pivot) const {
    Index n_pivots = 0;
    for (Index row = 0; row < n_rows; ++row) {
      const Int32 column = place[row] == NONE ? NONE : owner[place[row]].load();
      if (column == NONE) continue;
      pivot[column] = (Int32)row;
      ++n_pivots;
    }
    return n_pivots;
  }

private:
  struct Worker {
    Worker(Index n_places, Index prime) : column(n_places, prime) {}
    Column column;
    Arena<Stored> arena;
    std::vector<Entry> given;
    std::vector<Stored> entries;
  };

  template <class Body>
  void for_all(int grain, Body body) {
    deal_out((int)workers.size(), n_columns, grain, [&](int thread, Index j) {
      if (when[j] != NONE) body(*workers[thread], j);
    });
  }

  // A stored column: the number of entries, then the entries, last place first.
  static Int32 last_place(const Stored* column) { return Column::place_of(column[1]); }
  static const Stored* begin(const Stored* column) { return column + 1; }
  static const Stored* end(const Stored* column) { return column + 1 + Column::place_of(column[0]); }
  void store(Worker& worker, Int32 j) {
    Stored* column = worker.arena.take(worker.entries.size() + 1);
    column[0] = Column::stored({(Int32)worker.entries.size(), 0});
    std::copy(worker.entries.begin(), worker.entries.end(), column + 1);
    reduced[j].store(column);
  }

  // The unreduced column j takes its pivot from all later ones.
  void take(Worker& worker, Int32 j) {
    take_column(rows, coefficients, offsets[j], offsets[j + 1], place, prime, worker.given);
    if (worker.given.empty()) return;
    worker.entries.clear();
    for (Entry entry : worker.given) worker.entries.push_back(Column::stored(entry));
    store(worker, j);
    auto& slot = owner[worker.given[0].place];
    Int32 other = slot.load();
    while ((other == NONE || when[other] > when[j]) && !slot.compare_exchange_weak(other, j)) {}
  }

  // Reduces column j until it owns a pivot, then the column that it took the pivot from, and so on.
  void reduce(Worker& worker, Int32 j) {
    Column& column = worker.column;
    column.add(begin(reduced[j]), end(reduced[j]));
    for (Int32 last = column.pivot(); last != NONE; last = column.pivot()) {
      check_cancelled();
      Int32 other = owner[last].load();
      if (other != NONE && when[other] < when[j]) {
        const Stored* earlier = reduced[other];
        if (last_place(earlier) == last) column.eliminate(begin(earlier), end(earlier));
        continue;  // otherwise it has just lost this pivot to another column
      }
      worker.entries.clear();
      for (Int32 at = last; at != NONE; at = column.pivot()) worker.entries.push_back(column.pop(at));
      store(worker, j);
      if (!owner[last].compare_exchange_strong(other, j)) {
        column.add(worker.entries.data(), worker.entries.data() + worker.entries.size());
        continue;
      }
      if (other == NONE) return;
      j = other;
      column.add(begin(reduced[j]), end(reduced[j]));
    }
  }

  const Index prime;
  const Index* offsets;
  const Int32* rows;
  const Index* coefficients;
  const Index n_columns;
  const Int32* place;
  std::vector<Int32> when;                            // place of each column in the filtration, or NONE
  std::vector<Byte> waits;                            // columns that do not own their pivot
  std::vector<std::atomic<const Stored*>> reduced;  // by column
  std::vector<std::atomic<Int32>> owner;              // by place of a row: the column whose pivot it is
  std::vector<std::unique_ptr<Worker>> workers;
};

template <class Column>
Index reduce_by(Index prime, const Index* offsets, const Int32* rows, const Index* coefficients, Index n_columns,
                const Int32* order, Index m, const Int32* place, Index n_rows, Index n_places, Int32 n_threads,
                Int32* pivot) {
  Reduction<Column> reduction(prime, offsets, rows, coefficients, n_columns, order, m, place, n_places, n_threads);
  reduction.run();
  return reduction.write(n_rows, pivot);
}
#endif

HOST_TASK(reduce_matrix, (Index prime, const Index* offsets, const Int32* rows, const Index* coefficients,
                          Index n_columns, const Int32* order, Index m, const Int32* place, Index n_rows,
                          Index n_places, Int32 n_threads, Int32* pivot),
          (prime == 2 ? reduce_by<ColumnModTwo> : reduce_by<ColumnModPrime>)(
              prime, offsets, rows, coefficients, n_columns, order, m, place, n_rows, n_places, n_threads, pivot))
