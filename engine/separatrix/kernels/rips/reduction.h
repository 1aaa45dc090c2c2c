// Persistent cohomology of a flag filtration over Z/p: reduction of the columns that no shortcut
// paired.
//
// Column j is a simplex s, the birth of a bar. Its pivot, after additions from the left, is the
// death. The reduction (Bauer 2021, section 3) considers the oldest entry t of the coboundary of V.
// If t is an apparent death, it is eliminated by its apparent facet; if a column further left owns
// t, by the V of that column; otherwise t is the pivot. Columns are processed in any order by
// several threads (Morozov, Nigmetov 2020): a cell of the table of pivots holds the column that
// owns one. A column further left takes the pivot over, and the previous owner is reduced further.
// Pairs are unique; V is not, but it is the same in every run with one thread. Records are
// immutable, so a column that was read from a cell can be added even if the cell changes
// afterwards.
// In: columns (m, k) vertices, descending in a row, and rank (m,), youngest first: the order of processing.
// Out: death (m, k + 1) and death_rank (m,), untouched where the bar is essential.
#pragma once
#include "common/arena.h"
#include "rips/chains.h"
#include "rips/column.h"
#include "rips/postponed.h"

#if !ON_GPU
#include <array>
#include <atomic>
#include <memory>

namespace rips {

enum Counts { EMERGENT, ADDITIONS, ELIMINATIONS, COFACETS, WINDOWS, STOLEN, LONGEST, POSTPONED, DONE, STEPS, N_COUNTS };

struct Task {  // what the callers of every form hand over
  const Int32* columns;
  const Word* rank;
  Index m;
  int k;
  Index n_ranks, prime;
  int bits, n_threads;
  Int32* death;
  Word* death_rank;
  Index most_steps;  // cofacets, additions, and eliminations, after which it gives up
  Index* counts;
  Index most_eliminations;  // of a column that is not postponed, if the key has one word and p = 2; 0: no limit
  const Byte* stop;
};

template <class Graph, class Key, class Field>
class CochainReduction {
public:
  typedef WorkingColumn<Graph, Key, Field> Column;
  typedef typename Column::Term Term;

  CochainReduction(const Graph& graph, const Task& task)
      : graph(graph), task(task), packing{task.bits}, field(task.prime), k(task.k) {
    if (task.most_eliminations > 0)
      least_postponed = std::min(task.most_eliminations, FEW_ELIMINATIONS + task.m / PIVOTS_PER_ELIMINATION);
    if (task.m > 0 && Column::uses_link(graph, k)) edge_of = edges_of_ranks(graph, task.n_ranks);
    Index size = 64;
    while (size < 2 * task.m) size *= 2;
    table = std::vector<std::atomic<const Record*>>((size_t)size);
    for (auto& cell : table) cell.store(nullptr, std::memory_order_relaxed);
    workers.resize((size_t)task.n_threads);
  }

  void run() {
    std::vector<const Record*> first((size_t)task.m, nullptr);
    for_all(task.m, 256, [&](Worker& worker, Index j) { first[j] = emergent(worker, (Int32)j); });
    for_all(task.m, 4096, [&](Worker& worker, Index j) {
      const Record* held = nullptr;
      if (first[j] != nullptr) cell_of(first[j]->pivot.key, held);
      if (held != first[j]) first[j] = nullptr;
      worker.counts[EMERGENT] += first[j] != nullptr;
    });
    std::vector<Int32> left;
    for (Index j = 0; j < task.m; ++j)
      if (first[j] == nullptr) left.push_back((Int32)j);
    n_left.store((Index)left.size(), std::memory_order_relaxed);
    for_all((Index)left.size(), 1, [&](Worker& worker, Index i) {
      reduce(worker, left[i]);
      n_left.fetch_sub(1, std::memory_order_relaxed);
      tell_steps(worker, STEPS_AT_ONCE);
      if (worker.number == 0) __atomic_store_n(task.counts + DONE, (Index)left[i], __ATOMIC_RELAXED);
    });
  }

  // Ready to continue in another task.
  void begin_task(const Byte* stop, Index most_eliminations) {
    task.stop = stop;
    task.most_eliminations = most_eliminations;
    least_postponed = most_eliminations > 0 ? most_eliminations : NEVER;
  }
  // Columns that are left, with those of the last call.
  void take_postponed(std::vector<Postponed>& columns) {
    for (auto& worker : workers) {
      if (worker == nullptr) continue;
      for (Postponed& column : worker->postponed) columns.push_back(std::move(column));
      worker->counts[POSTPONED] += (Index)worker->postponed.size();
      worker->postponed.clear();
    }
  }
  // The number of pivots and of terms of their columns; and both, by ascending pivot.
  void count_pivots(Index& n_pivots, Index& n_terms) const {
    n_pivots = n_terms = 0;
    for (const Record* record : records()) ++n_pivots, n_terms += (Index)record->size;
  }
  void list_pivots(Wide* pivots, Int32* columns, Index* begins, Wide* terms) const {
    auto found = records();
    std::sort(found.begin(), found.end(), [](auto* a, auto* b) { return a->pivot < b->pivot; });
    begins[0] = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      pivots[i] = found[i]->pivot.key, columns[i] = found[i]->column;
      begins[i + 1] = begins[i] + (Index)found[i]->size;
      for (const Term& term : *found[i]) *terms++ = term.key;
    }
  }
  // Gives a postponed column its pivot, and continues the column that had it.
  template <class Terms>
  void finish(Int32 j, Word rank, const Term& pivot, const Terms& chain) {
    Worker& worker = worker_of(0);
    const Record* other;
    if (!claim(record(worker, j, rank, pivot, chain), other) || other == nullptr) return;
    ++worker.counts[STOLEN];
    worker.column.begin(*other, other->rank);
    reduce_begun(worker, other->column);
  }
  void reduce(Int32 j) { reduce(worker_of(0), j); }

  void write() {
    for_all((Index)table.size(), 4096, [&](Worker&, Index at) {
      const Record* record = table[(size_t)at].load(std::memory_order_relaxed);
      if (record == nullptr) return;
      packing.unpack(record->pivot.key, k + 1, task.death + (Index)record->column * (k + 1));
      task.death_rank[record->column] = record->rank;
    });
    for (auto& worker : workers) {
      if (worker == nullptr) continue;
      tell_steps(*worker, 1);
      worker->counts[COFACETS] = worker->column.cofacets();
      worker->counts[WINDOWS] = worker->column.windows();
      for (int i = 0; i < N_COUNTS; ++i)
        if (i == LONGEST) task.counts[i] = std::max(task.counts[i], worker->counts[i]);
        else task.counts[i] += worker->counts[i];
    }
  }

  // Columns of zero leave no record: their V is what `essential` remembers.
  void keep(Kept& kept) const {
    std::vector<const Record*> of(task.m, nullptr);
    for (auto& cell : table)
      if (const Record* record = cell.load()) of[record->column] = record;
    for (auto& worker : workers)
      if (worker != nullptr)
        for (const Record* record : worker->essential) of[record->column] = record;
    kept.offsets.assign(1, 0);
    Int32 s[MOST_VERTICES];
    for (const Record* record : of) {
      for (const Term& term : *record) {
        packing.unpack(term.key, k, s);
        kept.vertices.insert(kept.vertices.end(), s, s + k);
        kept.coefficients.push_back((Int32)term.value());
      }
      kept.offsets.push_back((Index)kept.coefficients.size());
    }
  }
  bool keeps = false;

private:
  // Listing all pivots for another device takes as long as some eliminations.
  enum : Index { STEPS_AT_ONCE = 1 << 14, FEW_LEFT = 2, FEW_ELIMINATIONS = 1 << 9, PIVOTS_PER_ELIMINATION = 32 };
  static constexpr Index NEVER = (Index)1 << 62;
  struct Record {
    Int32 column;
    Word rank;   // of the pivot
    Term pivot;  // with its coefficient in the coboundary of V
    size_t size;
    const Term* terms;
    const Term* begin() const { return terms; }
    const Term* end() const { return terms + size; }
  };
  struct Worker {
    Worker(const CochainReduction& of, int number)
        : number(number), column(of.graph, of.packing, of.k, of.task.n_ranks, of.field, of.edge_of) {}
    const int number;
    Column column;
    Arena<Term> terms;
    Arena<Record> records;
    std::vector<const Record*> essential;
    std::vector<Postponed> postponed;
    Index counts[N_COUNTS] = {0}, n_told = 0;  // n_told: steps that were added to the sum of all threads
  };

  std::vector<const Record*> records() const {
    std::vector<const Record*> found;
    for (auto& cell : table)
      if (const Record* record = cell.load()) found.push_back(record);
    return found;
  }

  // Each thread makes its own, because a worker has large tables.
  Worker& worker_of(int thread) {
    auto& own = workers[(size_t)thread];
    if (own == nullptr) own.reset(new Worker(*this, thread));
    return *own;
  }
  template <class Body>
  void for_all(Index n, int grain, Body body) {
    deal_out((int)workers.size(), n, grain, [&](int thread, Index j) {
      if (!stopped()) body(worker_of(thread), j);
    });
  }
  bool stopped() const {
    return must_stop(task.stop) || __atomic_load_n(task.counts + STEPS, __ATOMIC_RELAXED) > task.most_steps;
  }
  void tell_steps(Worker& worker, Index at_least) {
    const Index n_steps = worker.column.cofacets() + worker.counts[ADDITIONS] + worker.counts[ELIMINATIONS];
    if (n_steps - worker.n_told < at_least) return;
    __atomic_fetch_add(task.counts + STEPS, n_steps - worker.n_told, __ATOMIC_RELAXED);
    worker.n_told = n_steps;
  }

  template <class Terms>
  const Record* record(Worker& worker, Int32 j, Word rank, Term pivot, const Terms& chain) {
    Term* terms = worker.terms.take(chain.size());
    std::copy(chain.begin(), chain.end(), terms);
    Record* made = worker.records.take(1);
    *made = {j, rank, pivot, chain.size(), terms};
    worker.counts[LONGEST] = std::max(worker.counts[LONGEST], (Index)chain.size());
    return made;
  }

  // The cell of a pivot: the one that holds it, or the free one where it belongs.
  std::atomic<const Record*>& cell_of(Key pivot, const Record*& held) {
    Wide hash = (Wide)pivot ^ (Wide)(sizeof pivot > 8 ? pivot >> (4 * sizeof pivot) : 0) * 0xC2B2AE3D27D4EB4Full;
    hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15ull;
    for (size_t at = hash >> 20;; ++at) {
      auto& cell = table[at & (table.size() - 1)];
      held = cell.load(std::memory_order_acquire);
      if (held == nullptr || held->pivot.key == pivot) return cell;
    }
  }

  // Claims the pivot of a record. Returns whether the record now owns it; `other` is the previous
  // or the current owner.
  bool claim(const Record* mine, const Record*& other) {
    for (;;) {
      auto& cell = cell_of(mine->pivot.key, other);
      if (other != nullptr && other->column < mine->column) return false;
      if (cell.compare_exchange_strong(other, mine, std::memory_order_acq_rel)) return true;
    }
  }

  // The oldest cofacet of equal rank is the pivot, if it is no apparent death and no column further left has it.
  const Record* emergent(Worker& worker, Int32 j) {
    const Int32* s = task.columns + (Index)j * k;
    const Word rank = task.rank[j];
    const Int32 u = graph.last_within(s, k, -1, rank);
    if (u < 0) return nullptr;
    Int32 t[MOST_VERTICES], facet[MOST_VERTICES];
    const int at = joined(s, k, u, t);
    if (apparent_facet(graph, t, k + 1, rank, facet) >= 0) return nullptr;
    const Term pivot(packing.pack(t, k + 1), at % 2 == 0 ? 1 : field.negative(1));
    const Record *mine = record(worker, j, rank, pivot, given(j)), *other;
    return claim(mine, other) ? mine : nullptr;
  }

  std::array<Term, 1> given(Index j) const { return {Term(packing.pack(task.columns + j * k, k), 1)}; }

  // Column j until it has a pivot of its own, then the one that it took that from, and so on.
  void reduce(Worker& worker, Int32 j) {
    worker.column.begin(given(j), task.rank[j]);
    reduce_begun(worker, j);
  }
  void reduce_begun(Worker& worker, Int32 j) {
    Column& column = worker.column;
    Index n_eliminations = 0;  // of this column
    Term entry;
    while (column.pivot(entry)) {
      tell_steps(worker, STEPS_AT_ONCE);
      if (stopped()) return;
      Int32 t[MOST_VERTICES], facet[MOST_VERTICES];
      packing.unpack(entry.key, k + 1, t);
      const int at = column.apparent_facet(t, facet);
      if (at >= 0) {
        column.eliminate(entry, facet, t[at], at);
        ++worker.counts[ELIMINATIONS];
        if (++n_eliminations >= least_postponed && is_postponed(n_eliminations)) return postpone(worker, j);
        continue;
      }
      const Record* other;
      cell_of(entry.key, other);
      if (other == nullptr || other->column > j) {
        const Record* mine = record(worker, j, column.rank(), entry, column.collected_chain());
        if (claim(mine, other)) {
          if (other == nullptr) return;
          ++worker.counts[STOLEN];
          j = other->column;
          n_eliminations = 0;
          column.begin(*other, other->rank);
          continue;
        }
      }
      column.put_back(entry);
      const Word ratio = field.product(entry.value(), field.inverse(other->pivot.value()));
      column.add(*other, field.negative(ratio));
      ++worker.counts[ADDITIONS];
    }
    if (keeps) worker.essential.push_back(record(worker, j, 0, Term(0, 1), column.collected_chain()));
  }
  // Whether another device continues a column; if nearly all others have ended, after fewer eliminations.
  bool is_postponed(Index n_eliminations) const {
    return n_eliminations >= task.most_eliminations || n_left.load(std::memory_order_relaxed) <= FEW_LEFT;
  }
  void postpone(Worker& worker, Int32 j) {
    worker.postponed.push_back({j, worker.column.rank(), {}});
    for (const Term& term : worker.column.collected_chain()) worker.postponed.back().chain.push_back((Wide)term.key);
  }

  const Graph& graph;
  Task task;
  const Packing<Key> packing;
  const Field field;
  const int k;
  std::vector<Int32> edge_of;  // rank: what link.h needs, if it is used
  std::vector<std::atomic<const Record*>> table;
  std::vector<std::unique_ptr<Worker>> workers;
  Index least_postponed = NEVER;
  std::atomic<Index> n_left{0};  // columns that have not ended
};

}  // namespace rips
#endif
