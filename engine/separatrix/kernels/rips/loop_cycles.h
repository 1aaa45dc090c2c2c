// Cycles of selected bars of dimension 1 of a graph with all edges, which are not listed.
//
// The reduction of rips/cycles.h. An edge that is not a given birth is that of a pair of zero length, whose death has
// the last vertex of the lune of the edge; it is searched when it is needed. Edges of equal length that share a vertex
// may be paired otherwise, so their pairs must be given.
// In: births (m, 2), deaths (m, 3), -1 where essential, with descending vertices; chosen (n_chosen,), of which all have
// deaths. Out: chains of edges, with coefficient 1 at the birth.
#pragma once
#include "rips/loop_tasks.h"

#if !ON_GPU
#include <unordered_map>

namespace rips {

typedef rips::Edge<Real> LongEdge;

// All lengths as a matrix (n, n).
class LengthMatrix {
public:
  LengthMatrix(const Real* matrix, Index n) : matrix(matrix), n((Int32)n) {}
  LongEdge edge(Int32 u, Int32 v) const { return {matrix[(Index)u * n + v], std::max(u, v), std::min(u, v)}; }
  // The last vertex of the lune of an edge, or NONE.
  Int32 last_of_lune(const LongEdge& e) const {
    const Real *const to_high = matrix + (Index)e.high * n, *const to_low = matrix + (Index)e.low * n;
    for (Int32 w = n; w-- > 0;)
      if (to_high[w] <= e.length && to_low[w] <= e.length && w != e.high && w != e.low && edge(w, e.high) < e &&
          edge(w, e.low) < e)
        return w;
    return NONE;
  }

private:
  const Real* const matrix;
  const Int32 n;
};

template <int D>
class LengthsOfPoints {
public:
  LengthsOfPoints(const Real* points, Index n, Int32 d) : lunes(points, n, d, 1), tree(lunes.tree) {}
  LongEdge edge(Int32 u, Int32 v) const { return lunes.edge(tree.place_of(u), tree.place_of(v)); }
  // A large lune contains one of the last vertices; those of a small one are found in the tree.
  Int32 last_of_lune(const LongEdge& e) const {
    const Int32 a = tree.place_of(e.high), b = tree.place_of(e.low);
    const Real above = least_square(e.length, true);
    const auto is_inside = [&](Int32 w) {
      return w != a && w != b && lunes.squared(w, a) < above && lunes.squared(w, b) < above && lunes.edge(a, w) < e &&
             lunes.edge(b, w) < e;
    };
    const Int32 n = (Int32)tree.size(), first = std::max(n - TRIED, 0);
    for (Int32 w = n; w-- > first;)
      if (is_inside(tree.place_of(w))) return w;
    const Real *const u = tree.at(a), *const v = tree.at(b);
    Int32 last = NONE;
    tree.search([&](Int32 box) { return tree.nearest(box, u) < above && tree.nearest(box, v) < above; },
                [&](Int32 w) {
                  if (tree.name(w) > last && is_inside(w)) last = tree.name(w);
                  return true;
                });
    return last;
  }

private:
  enum : Int32 { TRIED = 64 };
  const PointSearch<D> lunes;
  const PointTree<D>& tree;
};

struct LoopCycleTask {
  const Int32 *births, *deaths;
  Index m;
  const Int32* chosen;
  Index n_chosen, prime;
};

enum MissingPairs { NO_SUCH_DEATH = -1, NO_SUCH_BIRTH = -2 };

template <class Lengths>
class LoopCycles {
public:
  LoopCycles(const Lengths& lengths, const LoopCycleTask& task)
      : lengths(lengths), task(task), field(task.prime), cycles((size_t)task.m) {
    for (Index j = 0; j < task.m; ++j) column_of[key(task.births[2 * j], task.births[2 * j + 1])] = (Int32)j;
  }

  // Where the cycles are kept until take_kept_chains, or one of MissingPairs.
  Index run() {
    std::unique_ptr<Kept> kept(new Kept);
    kept->offsets.assign(1, 0);
    for (Index i = 0; i < task.n_chosen; ++i) {
      const Int32 column = task.chosen[i];
      if (const Index failed = solve(column)) return failed;
      for (const Entry& entry : cycles[column]) {
        kept->vertices.insert(kept->vertices.end(), {entry.edge.high, entry.edge.low});
        kept->coefficients.push_back((Int32)entry.value);
      }
      kept->offsets.push_back((Index)kept->coefficients.size());
    }
    return (Index)kept.release();
  }

private:
  struct Entry {
    LongEdge edge;
    Word value;
    bool operator<(const Entry& other) const { return edge < other.edge; }  // the youngest is on top of a heap
  };
  struct Boundary {
    Int32 column;
    std::vector<Entry> heap;
  };

  static Wide key(Int32 high, Int32 low) { return (Wide)high << 32 | (Wide)low; }
  static bool are_same(const LongEdge& a, const LongEdge& b) { return a.high == b.high && a.low == b.low; }

  static void push(Boundary& boundary, const LongEdge& edge, Word value) {
    boundary.heap.push_back({edge, value});
    std::push_heap(boundary.heap.begin(), boundary.heap.end());
  }
  // Removes the youngest edge, with the sum of its values; false if none is left.
  bool pop(Boundary& boundary, Entry& found) const {
    auto& heap = boundary.heap;
    while (!heap.empty()) {
      found = {heap.front().edge, 0};
      while (!heap.empty() && are_same(heap.front().edge, found.edge)) {
        found.value = field.sum(found.value, heap.front().value);
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
      }
      if (found.value != 0) return true;
    }
    return false;
  }
  // Adds the sides of a triangle a > b > c, with a factor: ab + bc - ac.
  void add(Boundary& boundary, Int32 a, Int32 b, Int32 c, Word factor) const {
    push(boundary, lengths.edge(a, b), factor);
    push(boundary, lengths.edge(b, c), factor);
    push(boundary, lengths.edge(a, c), field.negative(factor));
  }
  Boundary begun(Int32 column) const {
    const Int32* const t = task.deaths + 3 * (Index)column;
    Boundary boundary{column, {}};
    add(boundary, t[0], t[1], t[2], 1);
    return boundary;
  }

  // The cycle of a column, and before it those that it needs. What is not yet reduced waits on a stack.
  Index solve(Int32 column) {
    if (!cycles[column].empty()) return 0;
    std::vector<Boundary> waiting{begun(column)};
    while (!waiting.empty()) {
      throw_if_canceled();
      Boundary& boundary = waiting.back();
      const Int32* const birth = task.births + 2 * (Index)boundary.column;
      Entry youngest;
      if (!pop(boundary, youngest)) return NO_SUCH_BIRTH;
      const LongEdge& e = youngest.edge;
      if (e.high == birth[0] && e.low == birth[1]) {
        finish(boundary, youngest);
        waiting.pop_back();
        continue;
      }
      const auto needed = column_of.find(key(e.high, e.low));
      if (needed != column_of.end()) {
        if (task.deaths[3 * (Index)needed->second] < 0) return NO_SUCH_DEATH;
        const auto& cycle = cycles[needed->second];
        if (cycle.empty()) {
          push(boundary, e, youngest.value);
          waiting.push_back(begun(needed->second));
          continue;
        }
        const Word factor = field.negative(youngest.value);
        for (const Entry& entry : cycle)
          if (!are_same(entry.edge, e)) push(boundary, entry.edge, field.product(entry.value, factor));
        continue;
      }
      const Int32 w = lengths.last_of_lune(e);
      if (w < 0) return NO_SUCH_DEATH;
      push(boundary, e, youngest.value);
      const bool is_outer = w < e.high && w > e.low;  // e is the side whose coefficient is -1
      const Word factor = is_outer ? youngest.value : field.negative(youngest.value);
      if (w > e.high) add(boundary, w, e.high, e.low, factor);
      else if (is_outer) add(boundary, e.high, w, e.low, factor);
      else add(boundary, e.high, e.low, w, factor);
    }
    return 0;
  }
  void finish(Boundary& boundary, const Entry& birth) {
    const Word ratio = field.inverse(birth.value);
    auto& cycle = cycles[boundary.column];
    cycle.push_back({birth.edge, 1});
    for (Entry entry; pop(boundary, entry);) cycle.push_back({entry.edge, field.product(entry.value, ratio)});
  }

  const Lengths& lengths;
  const LoopCycleTask task;
  const ModPrime field;
  std::vector<std::vector<Entry>> cycles;  // empty until they are known
  std::unordered_map<Wide, Int32> column_of;  // by births
};

template <class Lengths>
Index loop_cycles(const Lengths& lengths, const LoopCycleTask& task) {
  return LoopCycles<Lengths>(lengths, task).run();
}

}  // namespace rips
#endif

HOST_TASK(rips_cycles_of_lengths, (const Real* matrix, Index n, Real limit, const Int32* births, const Int32* deaths, Index m,
                                   const Int32* chosen, Index n_chosen, Index prime),
          rips::loop_cycles(rips::LengthMatrix(matrix, n), {births, deaths, m, chosen, n_chosen, prime}))
HOST_TASK(rips_cycles_of_points, (const Real* points, Index n, Int32 d, Real limit, const Int32* births,
                                  const Int32* deaths, Index m, const Int32* chosen, Index n_chosen, Index prime),
          rips::by_dimension(d, [&](auto known) {
            return rips::loop_cycles(rips::LengthsOfPoints<known()>(points, n, d), {births, deaths, m, chosen, n_chosen, prime});
          }))
