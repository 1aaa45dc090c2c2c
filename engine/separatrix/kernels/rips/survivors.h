// CPU: a stream of the simplices of one dimension, which keeps only those without an apparent pair.
//
// A prefix v_d > ... > v_1 has the row M[u] = max of the ranks (u, v_i), so its simplices v_0 <
// v_1, and their cofacets u, cost one maximum each, BLOCK of them at once. First the lanes are v_0
// and all try the same u, from the top down; when few are left, each is processed with u as the
// lanes. Prefixes beyond the limit are skipped. GPU form: warps.h; item functions: fate.h.
//
// Two graphs: the matrix of all ranks, or rows of neighbors (CSR), of which the neighborhood of one vertex
// after the other is made a small matrix, the vertex being the top of its simplices.
// Out: vertices (capacity, d + 1) and ranks of those wanted, survivors (or deaths), in no order; counts:
// simplices, births, deaths, those wanted, exact even beyond the capacity.
#pragma once
#include "rips/fate.h"

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
    Rank reach[BLOCK], highest = 0;
    for (int k = 0; k < BLOCK; ++k) reach[k] = rows[0][begin + k];
    for (int i = 1; i < n_rows; ++i)
      for (int k = 0; k < BLOCK; ++k) reach[k] = std::max(reach[k], rows[i][begin + k]);
    const Rank width = (Rank)(end - begin);
    for (int k = 0; k < BLOCK; ++k) {
      const Rank place = (Rank)(k + 1);
      highest = std::max(highest, reach[k] <= L && place <= width ? place : (Rank)0);
    }
    const Int32 found = begin + (Int32)highest - 1;
    if (highest > 0) return found > above ? found : -1;
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

// A graph by rows of neighbors, ascending.
struct RipsGraph {
  Index n;
  const Index* offsets;
  const Int32* neighbors;
  const Word* ranks;
  // Whether a vertex above `above` is reached from each of s but s[without] by ranks at most L: the rows
  // are walked from their ends.
  bool is_reached(const Int32* s, int d, int without, Word L, Int32 above) const {
    Index at[RIPS_VERTICES], begin[RIPS_VERTICES];
    int n_rows = 0;
    for (int i = 0; i <= d; ++i)
      if (i != without) at[n_rows] = offsets[s[i] + 1], begin[n_rows++] = offsets[s[i]];
    for (Index first = at[0]; first-- > begin[0] && neighbors[first] > above;) {
      const Int32 u = neighbors[first];
      if (ranks[first] > L) continue;
      bool all = true;
      for (int i = 1; i < n_rows && all; ++i) {
        while (at[i] > begin[i] && neighbors[at[i] - 1] > u) --at[i];
        if (at[i] == begin[i]) return false;
        all = neighbors[at[i] - 1] == u && ranks[at[i] - 1] <= L;
      }
      if (all) return true;
    }
    return false;
  }
};

// The neighborhood of one vertex as a matrix; a vertex not in it may matter to simplices without the top.
template <class Rank, int LANES> struct RipsStar : RipsRows<Rank, LANES> {
  const RipsGraph* whole = nullptr;
  const Int32* label = nullptr;  // local -> global, ascending
  Int32 highest(const Int32* s, int d, int without, Rank L, Int32 from, Int32 above) const {
    if (without != 0) return RipsRows<Rank, LANES>::highest(s, d, without, L, from, above);
    Int32 global[RIPS_VERTICES];
    for (int i = 0; i <= d; ++i) global[i] = label[s[i]];
    return whole->is_reached(global, d, 0, L, label[above]) ? 0 : -1;
  }
};

struct RipsFound {
  Int32* vertices;
  Word* ranks;
  Index capacity;
  Index* counts;
  Int32 wanted;      // the fate of those that are kept
  const Byte* stop;  // set by another thread: end early, the counts mean nothing then
  Index* done;       // items so far, about
  bool stopped() const { return must_stop(stop); }
  void reached(Index item) const {
    if (item % 64 == 0) __atomic_store_n(done, item, __ATOMIC_RELAXED);
  }
};

// One thread's stream through the simplices of a graph, of dimension d and at most the limit.
template <class Graph, class Rank> class RipsStream {
public:
  RipsStream(int d, Rank limit, const RipsFound& found) : d(d), limit(limit), found(found) {}
  ~RipsStream() {
    flush();
    for (int k = 0; k < 3; ++k) add_to(found.counts + k, counts[k]);
  }
  // All simplices that begin with these vertices.
  void from(const Graph& graph_, const Int32* labels_, const Int32* first, int n_first) {
    graph = &graph_;
    labels = labels_;
    if (reach.size() < (size_t)(d * graph->stride)) reach.resize((size_t)(d * graph->stride));
    Rank diameter = 0;
    for (int k = 0; k < n_first; ++k) {
      if (k > 0) diameter = std::max(diameter, level(k - 1)[first[k]]);
      if (diameter > limit) return;
      enter(k, first[k]);
    }
    descend(n_first, diameter);
  }

private:
  enum { BLOCK = Graph::BLOCK };
  const int d;
  const Rank limit;
  const RipsFound& found;
  const Graph* graph = nullptr;
  const Int32* labels = nullptr;
  Int32 s[RIPS_VERTICES];
  std::vector<Rank> reach;  // of prefixes, d rows
  Index counts[3] = {0, 0, 0};
  Int32 kept[RIPS_FLUSH * RIPS_VERTICES];
  Word kept_ranks[RIPS_FLUSH];
  int n_kept = 0;

  // Of a prefix of k + 1 vertices; that of one vertex is its own row.
  const Rank* level(int k) const { return k == 0 ? graph->row(s[0]) : reach.data() + k * graph->stride; }

  // Vertices below v, and those above the first, by the largest rank to the prefix that ends with v.
  void enter(int k, Int32 v) {
    s[k] = v;
    if (k == 0) return;
    const Rank *row = graph->row(v), *before = level(k - 1);
    Rank* now = reach.data() + k * graph->stride;
    for (Int32 u = 0; u < v; ++u) now[u] = std::max(before[u], row[u]);
    for (Int32 u = s[0] + 1; u < graph->n; ++u) now[u] = std::max(before[u], row[u]);
  }

  void descend(int k, Rank diameter) {
    if (k == d) return end(diameter);
    for (Int32 v = s[k - 1] - 1; v >= d - k && !found.stopped(); --v) {
      const Rank longer = std::max(diameter, level(k - 1)[v]);
      if (longer > limit) continue;
      enter(k, v);
      descend(k + 1, longer);
    }
  }

  // The simplices of a prefix.
  void end(Rank diameter) {
    const Rank* prefix = level(d - 1);
    const Int32 top = s[0];
    for (Int32 begin = 0; begin < s[d - 1]; begin += BLOCK) {
      const int width = std::min<Int32>(BLOCK, s[d - 1] - begin);
      Rank rank[BLOCK];  // 0: ended
      for (int k = 0; k < BLOCK; ++k) {
        const Rank r = std::max(diameter, prefix[begin + k]);
        rank[k] = r <= limit && k < width ? r : (Rank)0;
      }
      const int n_here = n_left(rank);
      counts[0] += n_here;
      int left = n_here;
      Int32 u = graph->n - 1;
      while (u > top && left > RIPS_FEW) {
        for (const Int32 until = std::max(top, u - RIPS_TRIES); u > until; --u) {
          const Rank* row = graph->row(u) + begin;
          const Rank to_prefix = prefix[u];
          for (int k = 0; k < BLOCK; ++k) rank[k] = std::max(to_prefix, row[k]) <= rank[k] ? (Rank)0 : rank[k];
        }
        left = n_left(rank);
      }
      counts[1] += n_here - left;
      for (int k = 0; left > 0; ++k)
        if (rank[k]) one(begin + k, rank[k], u), --left;
    }
  }

  // Minima, since GCC 12 turns a sum of 16 comparisons of two bytes into its negative.
  static int n_left(const Rank* rank) {
    Rank left = 0;
    for (int k = 0; k < BLOCK; ++k) left += std::min(rank[k], (Rank)1);
    return left;
  }

  void one(Int32 v, Rank rank, Int32 from) {
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
    if (++n_kept == RIPS_FLUSH) flush();
  }

  void flush() {
    const Index first = add_to(found.counts + 3, n_kept), room = std::max<Index>(found.capacity - first, 0);
    const Index fits = std::min<Index>(n_kept, room);
    std::copy(kept, kept + fits * (d + 1), found.vertices + first * (d + 1));
    std::copy(kept_ranks, kept_ranks + fits, found.ranks + first);
    n_kept = 0;
  }
};

// One a thread. Their destructors hand over what they have found.
template <class Graph, class Rank>
std::vector<std::unique_ptr<RipsStream<Graph, Rank>>> rips_streams(Int32 n_threads, Int32 d, Rank limit,
                                                                   const RipsFound& found) {
  std::vector<std::unique_ptr<RipsStream<Graph, Rank>>> streams;
  for (Int32 thread = 0; thread < n_threads; ++thread) streams.emplace_back(new RipsStream<Graph, Rank>(d, limit, found));
  return streams;
}

// Items: the first vertex (d = 1) or pairs of first vertices, the greatest first.
template <class Rank>
Index rips_of_matrix(const Rank* rank, Index stride, Int32 n, Int32 d, Word limit, Int32 n_threads,
                     const RipsFound& found) {
  RipsRows<Rank> graph;
  graph.rank = rank;
  graph.stride = stride;
  graph.n = n;
  const Index n_items = d > 1 ? (Index)n * n : n;
  auto streams = rips_streams<RipsRows<Rank>, Rank>(n_threads, d, (Rank)limit, found);
  const Index grain = n_items < (1 << 16) ? 1 : 8;  // of few vertices, the first pairs have most simplices
  deal_out(n_threads, n_items, grain, [&](int thread, Index item) {
    if (found.stopped()) return;
    found.reached(item);
    Int32 pair[2] = {(Int32)(n - 1 - item), 0};
    if (d > 1) {
      pair[0] = (Int32)(n - 1 - item / n);
      pair[1] = (Int32)(n - 1 - item % n);
      if (pair[1] >= pair[0]) return;
    }
    streams[thread]->from(graph, nullptr, pair, d > 1 ? 2 : 1);
  });
  streams.clear();  // hands over what the last have found
  return found.counts[3];
}

// The neighborhoods of the vertices, each as a matrix. `local` is -1 for vertices that are not in it, so their ranks
// are written before the row, to the padding of the row above.
template <int BLOCK, class Rank>
Index rips_of_stars(const RipsGraph& whole, Int32 d, Word limit, Int32 n_threads, const RipsFound& found) {
  typedef RipsStar<Rank, BLOCK> Star;
  struct Room {
    std::vector<Int32> local, label;
    std::vector<Rank> matrix;
  };
  auto streams = rips_streams<Star, Rank>(n_threads, d, (Rank)limit, found);
  std::vector<Room> rooms((size_t)n_threads);
  for (Room& room : rooms) room.local.assign((size_t)whole.n, -1);
  deal_out(n_threads, whole.n, 1, [&](int thread, Index item) {
    if (found.stopped()) return;
    found.reached(item);
    const Int32 top = (Int32)(whole.n - 1 - item);
    const Int32 *begin = whole.neighbors + whole.offsets[top], *end = whole.neighbors + whole.offsets[top + 1];
    if (begin == end || *begin > top) return;
    auto& [local, label, matrix] = rooms[thread];
    label.assign(begin, end);
    label.insert(std::lower_bound(label.begin(), label.end(), top), top);
    const Int32 n = (Int32)label.size();
    Star star;
    star.n = n;
    star.stride = (n + BLOCK) / BLOCK * BLOCK;
    matrix.assign((size_t)(star.stride * n + BLOCK), (Rank)~(Rank)0);
    Rank* const first_row = matrix.data() + BLOCK;
    for (Int32 i = 0; i < n; ++i) {
      local[label[i]] = i;
      __builtin_prefetch(whole.neighbors + whole.offsets[label[i]]);
      __builtin_prefetch(whole.ranks + whole.offsets[label[i]]);
    }
    for (Int32 i = 0; i < n; ++i) {
      Rank* const row = first_row + i * star.stride;
      for (Index at = whole.offsets[label[i]]; at < whole.offsets[label[i] + 1]; ++at)
        row[local[whole.neighbors[at]]] = (Rank)whole.ranks[at];
      row[-1] = (Rank)~(Rank)0;
    }
    star.rank = first_row;
    star.whole = &whole;
    star.label = label.data();
    streams[thread]->from(star, label.data(), &local[top], 1);
    for (Int32 i = 0; i < n; ++i) local[label[i]] = -1;
  });
  streams.clear();
  return found.counts[3];
}

template <class Rank>
Index rips_of_graph(const RipsGraph& whole, Int32 d, Word limit, Int32 n_threads, const RipsFound& found) {
  const bool has_few = whole.offsets[whole.n] <= whole.n * RIPS_FEW_NEIGHBORS;
  return has_few ? rips_of_stars<RIPS_SMALL_BLOCK, Rank>(whole, d, limit, n_threads, found)
                 : rips_of_stars<RIPS_BLOCK, Rank>(whole, d, limit, n_threads, found);
}
#endif

HOST_TASK(rips_matrix_survivors_16, (const HalfWord* rank, Index stride, Int32 n, Int32 d, Word limit, Int32 n_threads,
                                     Index capacity, Int32* vertices, Word* ranks, Index* counts, Int32 wanted, Index* done),
          rips_of_matrix(rank, stride, n, d, limit, n_threads, {vertices, ranks, capacity, counts, wanted, stop_flag, done}))
HOST_TASK(rips_matrix_survivors_32, (const Word* rank, Index stride, Int32 n, Int32 d, Word limit, Int32 n_threads,
                                     Index capacity, Int32* vertices, Word* ranks, Index* counts, Int32 wanted, Index* done),
          rips_of_matrix(rank, stride, n, d, limit, n_threads, {vertices, ranks, capacity, counts, wanted, stop_flag, done}))
HOST_TASK(rips_graph_survivors_16, (const Index* offsets, const Int32* neighbors, const Word* edge_ranks, Index n,
                                    Int32 d, Word limit, Int32 n_threads, Index capacity, Int32* vertices, Word* ranks,
                                    Index* counts, Int32 wanted, Index* done),
          rips_of_graph<HalfWord>({n, offsets, neighbors, edge_ranks}, d, limit, n_threads,
                              {vertices, ranks, capacity, counts, wanted, stop_flag, done}))
HOST_TASK(rips_graph_survivors_32, (const Index* offsets, const Int32* neighbors, const Word* edge_ranks, Index n,
                                    Int32 d, Word limit, Int32 n_threads, Index capacity, Int32* vertices, Word* ranks,
                                    Index* counts, Int32 wanted, Index* done),
          rips_of_graph<Word>({n, offsets, neighbors, edge_ranks}, d, limit, n_threads,
                              {vertices, ranks, capacity, counts, wanted, stop_flag, done}))
