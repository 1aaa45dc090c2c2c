// CPU: a stream of the simplices of a dimension, which keeps only those without an apparent pair.
//
// A prefix v_d > ... > v_1 has the row M[u] = max of the ranks (u, v_i), so its simplices v_0 <
// v_1, and their cofacets u, cost one maximum each, BLOCK of them at once. First the lanes are v_0
// and all try the same u, from the top down; when few are left, each is processed with u as the
// lanes. Prefixes beyond the limit are skipped. GPU form: warps.h; item functions: fate.h.
//
// Several dimensions may be processed at once, because they have the same prefixes.
// Out, for one dimension after the other: vertices (capacity, d + 1) and ranks (capacity,) of those wanted, survivors
// (or deaths), in no order; counts: simplices, births, deaths, those wanted, exact even beyond the capacity.
#pragma once
#include "rips/fate.h"
#include "rips/rank_blocks.h"

#if !ON_GPU
#include <algorithm>
#include <memory>
#include <vector>

// RIPS_SMALL_BLOCK is for graphs with at most RIPS_FEW_NEIGHBORS neighbors per vertex.
enum { RIPS_BLOCK = 64, RIPS_SMALL_BLOCK = 16, RIPS_FEW_NEIGHBORS = 32, RIPS_TRIES = 4, RIPS_FEW = 1, RIPS_FLUSH = 128 };

// Largest v in (above, from] with the maximum of the rows at most L; -1 if there is none. Rows are padded.
template <int BLOCK, class Rank>
inline Int32 rips_highest(const Rank* const* rows, int n_rows, Rank L, Int32 from, Int32 above) {
  for (Int32 end = from + 1; end > above + 1; end -= BLOCK) {
    const Int32 begin = std::max(0, end - BLOCK);
    RipsBlock<Rank, BLOCK> reach(rows[0] + begin);
    for (int i = 1; i < n_rows; ++i) reach.raise_to(RipsBlock<Rank, BLOCK>(rows[i] + begin));
    auto hits = reach.at_most(L);
    if (end < BLOCK) hits.keep_first(end);
    const Int32 last = hits.last();
    if (last >= 0) return begin + last > above ? begin + last : -1;
  }
  return -1;
}

template <class Rank, int LANES = RIPS_BLOCK> struct RipsRows : RipsMatrix<Rank> {
  enum { BLOCK = LANES };
  Int32 highest(const Int32* s, int d, int without, Rank L, Int32 from, Int32 above) const {
    const Rank* rows[RIPS_VERTICES];
    int n_rows = 0;
    for (int i = 0; i <= d; ++i)
      if (i != without) rows[n_rows++] = this->row(s[i]);
    return rips_highest<BLOCK>(rows, n_rows, L, from, above);
  }
};

struct RipsFound {
  Int32 first_d, last_d;  // dimensions
  Int32* vertices;
  Word* ranks;
  Index capacity;    // of each dimension
  Index* counts;     // four of each dimension
  Int32 wanted;      // the fate of those that are kept
  const Byte* stop;  // set by another thread: end early, the counts mean nothing then
  Index* done;       // items so far, about
  bool stopped() const { return must_stop(stop); }
  void reached(Index item) const {
    if (item % 64 == 0) __atomic_store_n(done, item, __ATOMIC_RELAXED);
  }
  Int32* vertices_of(Int32 d) const { return vertices + capacity * ((d + first_d + 1) * (d - first_d) / 2); }
  Word* ranks_of(Int32 d) const { return ranks + capacity * (d - first_d); }
};

// One thread's stream through the simplices of a graph up to the limit.
template <class Graph, class Rank> class RipsStream {
public:
  RipsStream(Rank limit, const RipsFound& found)
      : limit(limit), found(found), of_dimension((size_t)(found.last_d - found.first_d + 1)) {}
  ~RipsStream() {
    for (int d = found.first_d; d <= found.last_d; ++d) {
      flush(d);
      for (int k = 0; k < 3; ++k) add_to(found.counts + 4 * (d - found.first_d) + k, at(d).counts[k]);
    }
  }
  // All simplices that begin with these vertices, or are an edge that begins with the first.
  void from(const Graph& of, const Int32* its_labels, Int32 top) {
    begin(of, its_labels, top);
    descend(1, 0);
  }
  void from_pair(const Graph& of, Int32 top, Int32 next) {
    begin(of, nullptr, top);
    const Rank diameter = level(0)[next];
    if (diameter > limit) return;
    enter(1, next);
    descend(2, diameter);
  }
  void edges(const Graph& of, Int32 top) {
    begin(of, nullptr, top);
    end(1, 0);
  }

private:
  enum { BLOCK = Graph::BLOCK };
  typedef RipsBlock<Rank, BLOCK> Block;
  struct OfDimension {
    Index counts[3] = {0, 0, 0};
    Int32 kept[RIPS_FLUSH * RIPS_VERTICES];
    Word kept_ranks[RIPS_FLUSH];
    int n_kept = 0;
  };
  const Rank limit;
  const RipsFound& found;
  const Graph* graph = nullptr;
  const Int32* labels = nullptr;
  Int32 s[RIPS_VERTICES];
  std::vector<Rank> reach;  // of prefixes, a row each
  std::vector<OfDimension> of_dimension;

  OfDimension& at(int d) { return of_dimension[(size_t)(d - found.first_d)]; }

  void begin(const Graph& of, const Int32* its_labels, Int32 top) {
    graph = &of, labels = its_labels;
    const size_t size = (size_t)(found.last_d * graph->stride);
    if (reach.size() < size) reach.resize(size);
    s[0] = top;
  }

  // Of a prefix of k + 1 vertices; that of one vertex is its own row.
  const Rank* level(int k) const { return k == 0 ? graph->row(s[0]) : reach.data() + k * graph->stride; }

  // Vertices below v, and those above the first, by the largest rank to the prefix that ends with v. Rows are padded.
  void enter(int k, Int32 v) {
    s[k] = v;
    const Rank *row = graph->row(v), *before = level(k - 1);
    Rank* now = reach.data() + k * graph->stride;
    const auto fill = [&](Int32 from, Int32 until) {
      for (Int32 begin = from / BLOCK * BLOCK; begin < until; begin += BLOCK) {
        Block reach(before + begin);
        reach.raise_to(Block(row + begin));
        reach.put(now + begin);
      }
    };
    fill(0, v);
    fill(std::max(s[0] + 1, (v + BLOCK - 1) / BLOCK * BLOCK), graph->n);
  }

  // A prefix of k vertices.
  void descend(int k, Rank diameter) {
    if (k >= found.first_d) end(k, diameter);
    if (k == found.last_d) return;
    for (Int32 v = s[k - 1] - 1; v >= std::max(found.first_d - k, 1) && !found.stopped(); --v) {
      const Rank longer = std::max(diameter, level(k - 1)[v]);
      if (longer > limit) continue;
      enter(k, v);
      descend(k + 1, longer);
    }
  }

  // The simplices of dimension d of a prefix.
  void end(int d, Rank diameter) {
    Index* const counts = at(d).counts;
    const Rank* prefix = level(d - 1);
    const Int32 top = s[0];
    for (Int32 begin = 0; begin < s[d - 1]; begin += BLOCK) {
      Block left(prefix + begin);  // ranks, 0 if ended
      left.raise_to(diameter);
      left.clear_above(limit);
      if (s[d - 1] - begin < BLOCK) left.clear_from(s[d - 1] - begin);
      const int n_here = left.not_zero().size();
      counts[0] += n_here;
      int n_left = n_here;
      Int32 u = graph->n - 1;
      while (u > top && n_left > RIPS_FEW) {
        for (const Int32 until = std::max(top, u - RIPS_TRIES); u > until; --u) {
          Block reach(graph->row(u) + begin);
          reach.raise_to(prefix[u]);
          left.clear_reached(reach);
        }
        n_left = left.not_zero().size();
      }
      counts[1] += n_here - n_left;
      if (n_left == 0) continue;
      Rank rank[BLOCK];
      left.put(rank);
      left.not_zero().each([&](int k) { one(d, begin + k, rank[k], u); });
    }
  }

  void one(int d, Int32 v, Rank rank, Int32 from) {
    auto& [counts, kept, kept_ranks, n_kept] = at(d);
    s[d] = v;
    const Rank* rows[2] = {level(d - 1), graph->row(v)};
    if (rips_highest<BLOCK>(rows, 2, rank, from, s[0]) >= 0) {
      ++counts[1];
      return;
    }
    const RipsFate fate = rips_fate(*graph, s, d, rank, s[0] - 1);
    if (fate != RIPS_SURVIVES) ++counts[fate];
    if (fate != found.wanted) return;
    for (int i = 0; i <= d; ++i) kept[n_kept * (d + 1) + i] = labels ? labels[s[i]] : s[i];
    kept_ranks[n_kept] = rank;
    if (++n_kept == RIPS_FLUSH) flush(d);
  }

  void flush(int d) {
    auto& [counts, kept, kept_ranks, n_kept] = at(d);
    const Index first = add_to(found.counts + 4 * (d - found.first_d) + 3, n_kept);
    const Index room = std::max<Index>(found.capacity - first, 0), fits = std::min<Index>(n_kept, room);
    std::copy(kept, kept + fits * (d + 1), found.vertices_of(d) + first * (d + 1));
    std::copy(kept_ranks, kept_ranks + fits, found.ranks_of(d) + first);
    n_kept = 0;
  }
};

// One a thread. Their destructors hand over what they have found.
template <class Graph, class Rank>
std::vector<std::unique_ptr<RipsStream<Graph, Rank>>> rips_streams(Int32 n_threads, Rank limit, const RipsFound& found) {
  std::vector<std::unique_ptr<RipsStream<Graph, Rank>>> streams;
  for (Int32 thread = 0; thread < n_threads; ++thread) streams.emplace_back(new RipsStream<Graph, Rank>(limit, found));
  return streams;
}

// Items: pairs of first vertices, the greatest first; of equal ones, that vertex alone, if there are edges to be found.
template <class Rank>
Index rips_of_matrix(const Rank* rank, Index stride, Int32 n, Word limit, Int32 n_threads, const RipsFound& found) {
  RipsRows<Rank> graph;
  graph.rank = rank;
  graph.stride = stride;
  graph.n = n;
  const Index n_items = found.last_d > 1 ? (Index)n * n : n;
  auto streams = rips_streams<RipsRows<Rank>, Rank>(n_threads, (Rank)limit, found);
  const Index grain = n_items < (1 << 16) ? 1 : 8;  // of few vertices, the first pairs have most simplices
  deal_out(n_threads, n_items, grain, [&](int thread, Index item) {
    if (found.stopped()) return;
    found.reached(item);
    const Int32 a = (Int32)(n - 1 - item * n / n_items), b = n_items > n ? (Int32)(n - 1 - item % n) : a;
    if (a > b) streams[thread]->from_pair(graph, a, b);
    else if (a == b && found.first_d == 1) streams[thread]->edges(graph, a);
  });
  streams.clear();  // hands over what the last have found
  return found.counts[3];
}
#endif

HOST_TASK(rips_matrix_survivors_16, (const HalfWord* rank, Index stride, Int32 n, Int32 first_d, Int32 last_d,
                                     Word limit, Int32 n_threads, Index capacity, Int32* vertices, Word* ranks,
                                     Index* counts, Int32 wanted, Index* done),
          rips_of_matrix(rank, stride, n, limit, n_threads,
                         {first_d, last_d, vertices, ranks, capacity, counts, wanted, stop_flag, done}))
HOST_TASK(rips_matrix_survivors_32, (const Word* rank, Index stride, Int32 n, Int32 first_d, Int32 last_d,
                                     Word limit, Int32 n_threads, Index capacity, Int32* vertices, Word* ranks,
                                     Index* counts, Int32 wanted, Index* done),
          rips_of_matrix(rank, stride, n, limit, n_threads,
                         {first_d, last_d, vertices, ranks, capacity, counts, wanted, stop_flag, done}))
