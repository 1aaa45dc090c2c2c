// CPU: the stream of survivors.h in a graph by rows of neighbors (CSR).
//
// The neighborhood of one vertex after the other is made a small matrix, the vertex being the top of its simplices.
// In and out: see survivors.h.
#pragma once
#include "rips/survivors.h"

#if !ON_GPU

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

// The neighborhoods of the vertices, each as a matrix. `local` is -1 for vertices that are not in it, so their ranks
// are written before the row, to the padding of the row above.
template <int BLOCK, class Rank>
Index rips_of_stars(const RipsGraph& whole, Word limit, Int32 n_threads, const RipsFound& found) {
  typedef RipsStar<Rank, BLOCK> Star;
  struct Room {
    std::vector<Int32> local, label;
    std::vector<Rank> matrix;
  };
  auto streams = rips_streams<Star, Rank>(n_threads, (Rank)limit, found);
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
    streams[thread]->from(star, label.data(), local[top]);
    for (Int32 i = 0; i < n; ++i) local[label[i]] = -1;
  });
  streams.clear();
  return found.counts[3];
}

template <class Rank>
Index rips_of_graph(const RipsGraph& whole, Word limit, Int32 n_threads, const RipsFound& found) {
  const bool has_few = whole.offsets[whole.n] <= whole.n * RIPS_FEW_NEIGHBORS;
  return has_few ? rips_of_stars<RIPS_SMALL_BLOCK, Rank>(whole, limit, n_threads, found)
                 : rips_of_stars<RIPS_BLOCK, Rank>(whole, limit, n_threads, found);
}
#endif

HOST_TASK(rips_graph_survivors_16, (const Index* offsets, const Int32* neighbors, const Word* edge_ranks, Index n,
                                    Int32 first_d, Int32 last_d, Word limit, Int32 n_threads, Index capacity,
                                    Int32* vertices, Word* ranks, Index* counts, Int32 wanted, Index* done),
          rips_of_graph<HalfWord>({n, offsets, neighbors, edge_ranks}, limit, n_threads,
                                  {first_d, last_d, vertices, ranks, capacity, counts, wanted, stop_flag, done}))
HOST_TASK(rips_graph_survivors_32, (const Index* offsets, const Int32* neighbors, const Word* edge_ranks, Index n,
                                    Int32 first_d, Int32 last_d, Word limit, Int32 n_threads, Index capacity,
                                    Int32* vertices, Word* ranks, Index* counts, Int32 wanted, Index* done),
          rips_of_graph<Word>({n, offsets, neighbors, edge_ranks}, limit, n_threads,
                              {first_d, last_d, vertices, ranks, capacity, counts, wanted, stop_flag, done}))
