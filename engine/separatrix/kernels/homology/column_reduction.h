// Persistence by column reduction of a boundary matrix over Z/2.
//
// While an earlier column of the filtration has the same pivot (last row), it is added; a later column with
// this pivot loses it and is reduced further. Edelsbrunner, Letscher, Zomorodian 2002; in any order and by
// several threads: Morozov, Nigmetov 2020. Pairs are unique, so they do not depend on the order or the threads.
// Columns are processed in the caller's numbering, where neighbors share rows and memory. The earliest column
// that ends at a row owns this pivot first, which already determines most pairs.
// The current column is a set of places in a bit tree (Bauer, Kerber, Reininghaus, Wagner 2017: PHAT), with
// flip and maximum in O(log_64 n). Clearing and compression (Bauer, Kerber, Reininghaus 2014): `order` omits
// columns that are known to vanish, and rows that cannot be pivots have no place.
// In: offsets (n_columns + 1,), rows (entries,), numbers (entries,), of which even ones vanish, or none if
// all are odd; order (m,) of the columns to reduce; place (n_rows,) of each row in the filtration, or NONE. Out: pivot (n_columns,), the row
// of each column, unchanged if the column vanishes.
#pragma once
#include "common/arena.h"
#include "common/bit_tree.h"
#include "common/types.h"

enum { NO_COLUMN = 0x7fffffff };  // the owner of a place that is not a pivot

#if !ON_GPU
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

// Stored columns consist of the number of entries and their places, the last one first. Columns that were not
// stored by then are read from the model, which also says when each column occurs in the filtration.
template <class Model>
class Reduction {
public:
  Reduction(const Model& model, Index n_columns, Index n_places, std::atomic<Int32>* owner, Int32 n_threads)
      : model(model), reduced((size_t)n_columns), owner(owner) {
    for (Int32 thread = 0; thread < n_threads; ++thread) workers.emplace_back(new Worker(n_places));
  }

  // body(worker, item) for items below n.
  template <class Body>
  void for_all(Index n, int grain, const Body& body) {
    deal_out((int)workers.size(), n, grain, [&](int thread, Index item) { body(*workers[thread], item); });
  }

  struct Worker {
    Worker(Index n_places) : column(n_places) {}
    BitTree column;
    Arena<Int32> arena;
    std::vector<Int32> entries;
  };

  const Int32* stored(Int32 j) const {
    const Int32* column = reduced[j].load();
    return column ? column : model.given(j);
  }
  void store(Worker& worker, Int32 j) {
    Int32* column = worker.arena.take(worker.entries.size() + 1);
    column[0] = (Int32)worker.entries.size();
    std::copy(worker.entries.begin(), worker.entries.end(), column + 1);
    reduced[j].store(column);
  }

  // Reduces column j until it owns a pivot, then the column that it took the pivot from, and so on.
  void reduce(Worker& worker, Int32 j) {
    BitTree& column = worker.column;
    add(stored(j), column);
    for (Int32 last = column.maximum(); last != NONE; last = column.maximum()) {
      throw_if_canceled();
      Int32 other = owner[last].load();
      if (other != NO_COLUMN && model.when(other) < model.when(j)) {
        const Int32* earlier = stored(other);
        if (earlier[1] == last) add(earlier, column);
        continue;  // otherwise it has just lost this pivot to another column
      }
      worker.entries.clear();
      for (Int32 at = last; at != NONE; at = column.maximum()) {
        worker.entries.push_back(at);
        column.flip(at);
      }
      store(worker, j);
      if (!owner[last].compare_exchange_strong(other, j)) {
        for (Int32 at : worker.entries) column.flip(at);
        continue;
      }
      if (other == NO_COLUMN) return;
      j = other;
      add(stored(j), column);
    }
  }

private:
  static void add(const Int32* column, BitTree& sum) {
    for (Int32 i = 1; i <= column[0]; ++i) sum.flip(column[i]);
  }

  const Model model;
  std::vector<std::atomic<const Int32*>> reduced;  // by column
  std::atomic<Int32>* owner;                       // by place of a row: the column whose pivot it is
  std::vector<std::unique_ptr<Worker>> workers;
};

// Columns of a matrix, all of which are stored before any is reduced.
struct StoredColumns {
  const Int32* place_of;  // of each column in the filtration, or NONE

  Int32 when(Int32 j) const { return place_of[j]; }
  const Int32* given(Int32) const { return nullptr; }
};
class MatrixReduction {
public:
  MatrixReduction(const Index* offsets, const Int32* rows, const Index* numbers, Index n_numbers, Index n_columns,
                  const Int32* order, Index m, const Int32* place, Index n_places, Int32 n_threads)
      : offsets(offsets), rows(rows), numbers(n_numbers ? numbers : nullptr), n_columns(n_columns), place(place),
        when((size_t)n_columns, NONE), waits((size_t)n_columns, 0), owner((size_t)n_places),
        reduction({when.data()}, n_columns, n_places, owner.data(), n_threads) {
    for (Index i = 0; i < m; ++i) when[order[i]] = (Int32)i;
    for (auto& column : owner) column.store(NO_COLUMN, std::memory_order_relaxed);
  }

  void run() {
    reduction.for_all(n_columns, 1024, [&](Worker& worker, Index j) {
      if (when[j] != NONE) take(worker, (Int32)j);
    });
    reduction.for_all(n_columns, 4096, [&](Worker&, Index j) {
      const Int32* column = reduction.stored((Int32)j);
      waits[j] = column != nullptr && owner[column[1]].load() != (Int32)j;
    });
    reduction.for_all(n_columns, 64, [&](Worker& worker, Index j) {
      if (waits[j]) reduction.reduce(worker, (Int32)j);
    });
  }

  Index write(Index n_rows, Int32* pivot) const {
    Index n_pivots = 0;
    for (Index row = 0; row < n_rows; ++row) {
      const Int32 column = place[row] == NONE ? NO_COLUMN : owner[place[row]].load();
      if (column == NO_COLUMN) continue;
      pivot[column] = (Int32)row;
      ++n_pivots;
    }
    return n_pivots;
  }

private:
  typedef Reduction<StoredColumns>::Worker Worker;

  // The unreduced column j takes its pivot from all later ones.
  void take(Worker& worker, Int32 j) {
    std::vector<Int32>& entries = worker.entries;
    entries.clear();
    for (Index i = offsets[j]; i < offsets[j + 1]; ++i)
      if (place[rows[i]] != NONE && (!numbers || numbers[i] & 1)) entries.push_back(place[rows[i]]);
    if (entries.empty()) return;
    std::sort(entries.begin(), entries.end(), std::greater<Int32>());
    reduction.store(worker, j);
    auto& slot = owner[entries[0]];
    Int32 other = slot.load();
    while ((other == NO_COLUMN || when[other] > when[j]) && !slot.compare_exchange_weak(other, j)) {}
  }

  const Index* offsets;
  const Int32* rows;
  const Index* numbers;
  const Index n_columns;
  const Int32* place;
  std::vector<Int32> when;
  std::vector<Byte> waits;  // columns that do not own their pivot
  std::vector<std::atomic<Int32>> owner;
  Reduction<StoredColumns> reduction;
};

// Columns (k, 4) of up to three entries in the order of the filtration, whose first owners are known.
struct ShortColumns {
  const Int32* columns;

  Int32 when(Int32 j) const { return j; }
  const Int32* given(Int32 j) const { return columns + 4 * (Index)j; }
};
inline Index reduce_left(const Int32* columns, Index n_columns, const Int32* waiting, Index n_waiting, Index n_places,
                         Int32 n_threads, Int32* owner) {
  static_assert(sizeof(std::atomic<Int32>) == sizeof(Int32), "owners are exchanged in place");
  Reduction<ShortColumns> reduction({columns}, n_columns, n_places, (std::atomic<Int32>*)owner, n_threads);
  reduction.for_all(n_waiting, 64, [&](auto& worker, Index i) { reduction.reduce(worker, waiting[i]); });
  return n_waiting;
}

inline Index pivots_of(const Index* offsets, const Int32* rows, const Index* numbers, Index n_numbers, Index n_columns,
                       const Int32* order, Index m, const Int32* place, Index n_rows, Index n_places,
                       Int32 n_threads, Int32* pivot) {
  MatrixReduction reduction(offsets, rows, numbers, n_numbers, n_columns, order, m, place, n_places, n_threads);
  reduction.run();
  return reduction.write(n_rows, pivot);
}
#endif

HOST_TASK(reduce_matrix, (const Index* offsets, const Int32* rows, const Index* numbers, Index n_numbers, Index n_columns,
                          const Int32* order, Index m, const Int32* place, Index n_rows, Index n_places,
                          Int32 n_threads, Int32* pivot),
          pivots_of(offsets, rows, numbers, n_numbers, n_columns, order, m, place, n_rows, n_places, n_threads, pivot))
// In: columns (n_columns, 4) in the order of the filtration: the number of entries and their places, the last one
// first; waiting (n_waiting,), the columns that do not own their last place. Out: owner (n_places,), initially the first
// column that ends at each place, or NO_COLUMN.
HOST_TASK(reduce_short_columns, (const Int32* columns, Index n_columns, const Int32* waiting, Index n_waiting,
                                 Index n_places, Int32 n_threads, Int32* owner),
          reduce_left(columns, n_columns, waiting, n_waiting, n_places, n_threads, owner))
