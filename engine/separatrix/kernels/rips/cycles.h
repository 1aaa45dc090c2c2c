// Cycles of selected bars of a flag filtration, by homology that is reduced for these bars only.
//
// Involuted homology (Cufar, Virk 2021): the pairs are known from cohomology, so the boundary of a
// bar's death is reduced only by columns of deaths, which are looked up by their births. The
// youngest simplex of a cycle is a birth. If it is the birth of the bar itself, the cycle is
// complete. If it is that of another bar, the reduced boundary of that bar's death is subtracted;
// it is computed in the same way and stored. Otherwise it is the birth of an apparent pair, and the
// boundary of its death is generated when needed. The cycle is born with the bar and becomes a
// boundary at its death, not before. An essential bar has no death: the boundary of its birth is
// reduced to zero one dimension below, and the sum of the simplices used is the cycle.
// In: columns (m, k), rank (m,), death (m, k + 1), -1 where essential: the survivors of one dimension; starts
// (n_starts, k + 1): deaths whose reduced boundaries are wanted, of the columns `wanted` (n_starts,); where that
// is NONE, births of the dimension above.
#pragma once
#include "rips/chains.h"
#include "rips/reduction_graph.h"

#if !ON_GPU

namespace rips {

struct CycleTask {
  const Int32* columns;
  Index m;
  int k;
  const Int32* death;
  const Int32* starts;
  const Int32* wanted;
  Index n_starts, prime;
  int bits;
};

enum { NO_SUCH_PAIR = -1 };

template <class Graph, class Key>
class CycleReduction {
public:
  CycleReduction(const Graph& graph, const CycleTask& task)
      : graph(graph), task(task), packing{task.bits}, field(task.prime), k(task.k), reduced((size_t)task.m) {
    for (Index j = 0; j < task.m; ++j)
      if (task.death[j * (k + 1)] >= 0) birth_of.push_back({packing.pack(task.columns + j * k, k), (Int32)j});
    std::sort(birth_of.begin(), birth_of.end(), [](auto& a, auto& b) { return a.key < b.key; });
  }

  Index run(Kept& kept) {
    kept.offsets.assign(1, 0);
    for (Index i = 0; i < task.n_starts; ++i) {
      const Index failed = solve(task.wanted[i], task.starts + i * (k + 1));
      if (failed) return failed;
      const bool essential = task.wanted[i] < 0;
      if (essential) collect(kernel.sum, field);
      give(essential ? kernel.sum : reduced[task.wanted[i]]->chain, essential ? k + 1 : k,
           packing.pack(essential ? task.starts + i * (k + 1) : task.columns + (Index)task.wanted[i] * k,
                        essential ? k + 1 : k),
           kept);
    }
    return 0;
  }

private:
  typedef Term<Key, Residue> Simplex;
  struct Aged : Simplex {
    Word rank;
    Aged(const Simplex& simplex, Word rank) : Simplex(simplex), rank(rank) {}
    // Younger ones come first out of a heap: the greater rank, then the smaller combinatorial index.
    bool operator<(const Aged& other) const {
      return this->rank != other.rank ? this->rank < other.rank : this->key > other.key;
    }
  };
  struct Reduced {
    std::vector<Simplex> chain;  // the cycle
    std::vector<Simplex> sum;    // of which simplices it is the boundary, if that is asked for
    Word leading;                // coefficient of the birth
  };
  struct Frame {  // a boundary at work
    Int32 column;
    std::vector<Aged> heap;
    std::vector<Simplex> sum;
  };
  struct Birth {
    Key key;
    Int32 column;
  };

  Word rank_of(Key simplex, int size) const {
    Int32 s[MOST_VERTICES];
    packing.unpack(simplex, size, s);
    return diameter(graph, s, size);
  }

  void add_boundary(Frame& frame, const Int32* t, Word coefficient) const {
    frame.sum.push_back({packing.pack(t, k + 1), coefficient});
    Int32 s[MOST_VERTICES];
    for (int out = 0; out <= k; ++out) {
      for (int i = 0, kept = 0; i <= k; ++i)
        if (i != out) s[kept++] = t[i];
      const Word with_sign = out % 2 == 0 ? coefficient : field.negative(coefficient);
      push(frame, {packing.pack(s, k), with_sign}, diameter(graph, s, k));
    }
  }
  static void push(Frame& frame, const Simplex& simplex, Word rank) {
    frame.heap.emplace_back(simplex, rank);
    std::push_heap(frame.heap.begin(), frame.heap.end());
  }
  bool pivot(Frame& frame, Simplex& found, Word& rank) const {
    auto& heap = frame.heap;
    while (!heap.empty()) {
      found = {heap.front().key, 0};
      rank = heap.front().rank;
      while (!heap.empty() && heap.front().key == found.key) {
        found.residue = field.sum(found.residue, heap.front().value());
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
      }
      if (found.residue != 0) return true;
    }
    return false;
  }

  Frame begun(Int32 column, const Int32* t) const {
    Frame frame{column, {}, {}};
    add_boundary(frame, t, 1);
    return frame;
  }

  // Reduces the boundary of t, and before it those that it needs. What is not yet reduced waits on a stack.
  Index solve(Int32 column, const Int32* t) {
    if (column >= 0 && reduced[column]) return 0;
    std::vector<Frame> frames;
    frames.push_back(begun(column, t));
    while (!frames.empty()) {
      throw_if_canceled();
      Frame& frame = frames.back();
      Simplex youngest;
      Word rank;
      if (!pivot(frame, youngest, rank)) {
        if (frame.column >= 0) return NO_SUCH_PAIR;  // a death has a birth
        kernel.sum.swap(frame.sum);
        return 0;
      }
      auto birth = std::lower_bound(birth_of.begin(), birth_of.end(), youngest.key,
                                    [](const Birth& a, Key key) { return a.key < key; });
      if (birth != birth_of.end() && birth->key == youngest.key) {
        if (birth->column == frame.column) {
          finish(frame, youngest);
          frames.pop_back();
        } else if (const Reduced* other = reduced[birth->column].get()) {
          const Word ratio = field.negative(field.product(youngest.value(), field.inverse(other->leading)));
          for (const Simplex& s : other->chain)
            if (s.key != youngest.key) push(frame, {s.key, field.product(s.value(), ratio)}, rank_of(s.key, k));
          for (const Simplex& s : other->sum) frame.sum.push_back({s.key, field.product(s.value(), ratio)});
        } else {
          push(frame, youngest, rank);
          frames.push_back(begun(birth->column, task.death + (Index)birth->column * (k + 1)));
        }
        continue;
      }
      Int32 s[MOST_VERTICES], cofacet[MOST_VERTICES];
      packing.unpack(youngest.key, k, s);
      const Int32 u = apparent_cofacet(graph, s, k, rank, cofacet);
      if (u < 0) return NO_SUCH_PAIR;
      int at = 0;
      while (cofacet[at] != u) ++at;
      push(frame, youngest, rank);
      add_boundary(frame, cofacet, at % 2 == 0 ? field.negative(youngest.value()) : youngest.value());
    }
    return 0;
  }

  void finish(Frame& frame, const Simplex& birth) {
    std::unique_ptr<Reduced> made(new Reduced);
    made->leading = birth.value();
    made->chain.assign(frame.heap.begin(), frame.heap.end());
    made->chain.push_back(birth);
    collect(made->chain, field);
    made->sum.swap(frame.sum);
    collect(made->sum, field);
    reduced[frame.column] = std::move(made);
  }

  // The chain, with coefficient 1 at the birth of its bar.
  void give(const std::vector<Simplex>& chain, int size, Key birth, Kept& kept) const {
    Word leading = 1;
    for (const Simplex& s : chain)
      if (s.key == birth) leading = s.value();
    const Word ratio = field.inverse(leading);
    Int32 vertices[MOST_VERTICES];
    for (const Simplex& s : chain) {
      packing.unpack(s.key, size, vertices);
      kept.vertices.insert(kept.vertices.end(), vertices, vertices + size);
      kept.coefficients.push_back((Int32)field.product(s.value(), ratio));
    }
    kept.offsets.push_back((Index)kept.coefficients.size());
  }

  const Graph& graph;
  const CycleTask task;
  const Packing<Key> packing;
  const ModPrime field;
  const int k;
  std::vector<Birth> birth_of;  // by key
  std::vector<std::unique_ptr<Reduced>> reduced;
  Reduced kernel;
};

template <class Graph>
Index cycles_in(const Graph& graph, const CycleTask& task) {
  std::unique_ptr<Kept> kept(new Kept);
  const Index failed = (task.k + 1) * task.bits > 64 ? CycleReduction<Graph, Wide2>(graph, task).run(*kept)
                                                     : CycleReduction<Graph, Wide>(graph, task).run(*kept);
  return failed ? failed : (Index)kept.release();
}

}  // namespace rips
#endif

// Return the cycles as a handle for take_kept_chains, or NO_SUCH_PAIR.
HOST_TASK(dense_cycles, (Index n, const Word* matrix, const Int32* columns, Index m, Int32 k, const Int32* death,
                         const Int32* starts, const Int32* wanted, Index n_starts, Index prime, Int32 bits),
          rips::cycles_in(rips::Dense<Word>(n, matrix),
                          rips::CycleTask{columns, m, k, death, starts, wanted, n_starts, prime, bits}))

HOST_TASK(sparse_cycles, (Index n, const Index* offsets, const Int32* neighbors, const Word* ranks,
                          const Int32* columns, Index m, Int32 k, const Int32* death, const Int32* starts,
                          const Int32* wanted, Index n_starts, Index prime, Int32 bits),
          rips::cycles_in(rips::Sparse(n, offsets, neighbors, ranks),
                          rips::CycleTask{columns, m, k, death, starts, wanted, n_starts, prime, bits}))
