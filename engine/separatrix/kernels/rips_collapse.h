// Edge collapse of a flag filtration on the CPU: edges that change no homology are delayed or deleted.
//
// An edge e = uv of rank r(e) has at time s the common neighbours N_s = {x : r(ux), r(vx) <= s}; it is
// dominated at s if some w in N_s has r(wx) <= s for all other x in N_s. Then taking e out of the
// complex at s is a homotopy equivalence (Boissonnat, Pritam 2020), so e may be delayed to the first
// time at which it is not dominated, and deleted if there is none: all bars stay (Glisse, Pritam 2022).
//
// Waves. Edges come by descending rank, so many at a time; each of a wave is tested against the graph
// as it was at the wave's beginning, and notes by whom it is dominated until when. A move holds if none
// of the edges that it leans on, those from a dominator to a common neighbour or to u, v, is moved by an
// earlier edge of the wave: executed in their order, the moves that hold are then all legal, since the
// others only make N_s smaller. The rest are tested again in the next wave. Nothing depends on
// threads or on the device: rips_collapse_blocks.h does the same on a GPU.
//
// Vertices are labelled so that the most central one is the last: it dominates most, and is tried first.
// State of the waves, Index (COLLAPSE_STATE,): edges taken from `order` so far, edges in `queue`, waves
// so far, tests, refused moves.
#pragma once
#include "grid.h"

enum { COLLAPSE_CHAIN = 4, COLLAPSE_STATE = 5, COLLAPSE_PAD = 64 };
constexpr Word NO_RANK = 0xFFFFFFFFu;  // ABSENT: no edge, or never

// Where an edge of a wave goes: to `target`, dominated by by[k] before until[k], k < length.
struct CollapseMove {
  Word target;
  Int32 length;
  Int32 by[COLLAPSE_CHAIN];
  Word until[COLLAPSE_CHAIN];
};

#if !ON_GPU
#include <algorithm>
#include <vector>

// All ranks as a matrix, rows padded to COLLAPSE_PAD: vectors run along the rows.
template <class Rank> class DenseRanks {
public:
  static constexpr Rank absent = (Rank)~(Rank)0;
  DenseRanks(Index n, Rank* rank, Word* stamp)
      : n(n), stride((n + COLLAPSE_PAD - 1) / COLLAPSE_PAD * COLLAPSE_PAD), rank(rank), stamp(stamp) {}

  void set(Int32, Int32 u, Int32 v, Word to) {
    rank[u * stride + v] = rank[v * stride + u] = to == NO_RANK ? absent : (Rank)to;
  }
  void set_stamp(Int32, Int32 u, Int32 v, Word to) { stamp[u * n + v] = stamp[v * n + u] = to; }
  bool any_moved(Int32 w, Word first, Word slot) const {
    const Word* at = stamp + w * n;
    int any = 0;
    for (Index x = 0; x < n; ++x) any |= at[x] - first < slot;
    return any;
  }

  // The common neighbours of an edge: arrival[x] is when x becomes one.
  class Link {
  public:
    explicit Link(const DenseRanks& graph) : graph(graph), arrival((size_t)graph.stride), worst((size_t)graph.stride) {}
    void of(Int32, Int32 u, Int32 v) {
      ends[0] = u, ends[1] = v;
      const Rank *ru = graph.rank + u * graph.stride, *rv = graph.rank + v * graph.stride;
      Rank* a = arrival.data();
      for (Index x = 0; x < graph.stride; ++x) a[x] = std::max(ru[x], rv[x]);
      a[u] = a[v] = absent;
      for (Index x = graph.n; x < graph.stride; ++x) a[x] = absent;
    }
    // Whoever dominates at t, the last one first, and until when; NONE if nobody does.
    Int32 dominator(Word now, Word& until) {
      const Rank t = (Rank)now;
      Int32 w = (Int32)graph.n - 1;
      for (int tries = 0; tries < 6 && w >= 0; --w) {
        if (arrival[w] > t) continue;
        ++tries;
        if ((until = end_of(w, now)) != now) return w;
      }
      if (w < 0 || (w = last_of_all(t)) == NONE) return NONE;
      until = end_of(w, now);
      return w;
    }
    // Whether one of the dominator's edges that matter before `until` is moved by an earlier slot.
    bool leans_on_moved(Int32 w, Word until, Word first, Word slot) const {
      const Word* at = graph.stamp + w * graph.n;
      for (Int32 x = 0; x < graph.n; ++x)
        if (at[x] - first < slot && (x == ends[0] || x == ends[1] || arrival[x] < (Rank)until)) return true;
      return false;
    }

  private:
    Word end_of(Int32 w, Word now) const {
      const Rank *row = graph.rank + w * graph.stride, *a = arrival.data(), t = (Rank)now;
      Rank least = absent;
      for (Index begin = 0; begin < graph.stride; begin += COLLAPSE_PAD) {
        for (Index x = begin; x < begin + COLLAPSE_PAD; ++x) {
          const Rank since = std::max(a[x], t);
          least = std::min(least, row[x] > since ? since : absent);
        }
        if (least == t) return now;
      }
      return least == absent ? NO_RANK : (Word)least;
    }
    // worst[w] = when w has come and is joined to all neighbours of time t looked at so far.
    Int32 last_of_all(Rank t) {
      neighbours.clear();
      for (Int32 x = 0; x < graph.n; ++x)
        if (arrival[x] <= t) neighbours.push_back(x);
      Rank* state = worst.data();
      std::copy(arrival.begin(), arrival.end(), worst.begin());
      for (size_t k = 0; k < neighbours.size(); k += 4) {
        const Rank* row[4];
        for (size_t j = 0; j < 4; ++j)
          row[j] = graph.rank + neighbours[std::min(k + j, neighbours.size() - 1)] * graph.stride;
        const Rank *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
        Rank least = absent;
        for (Index w = 0; w < graph.stride; ++w) {
          state[w] = std::max(state[w], std::max(std::max(r0[w], r1[w]), std::max(r2[w], r3[w])));
          least = std::min(least, state[w]);
        }
        if (least > t) return NONE;
      }
      for (Int32 w = (Int32)graph.n - 1; w >= 0; --w)
        if (state[w] <= t) return w;
      return NONE;
    }

    const DenseRanks& graph;
    std::vector<Rank> arrival, worst;
    std::vector<Int32> neighbours;
    Int32 ends[2];
  };

  const Index n, stride;
  Rank* const rank;
  Word* const stamp;
};

// Rows of neighbours, ascending; place (2 E,) of each edge's two entries. `bits`: which pairs are
// joined, n rows of words, or null.
class SparseRanks {
public:
  SparseRanks(Index n, const Index* offsets, const Int32* items, Word* rank, Word* stamp, const Index* place,
              const Wide* bits)
      : n(n), n_words((n + 63) / 64), offsets(offsets), items(items), rank(rank), stamp(stamp), place(place),
        bits(bits) {}
  void set(Int32 edge, Int32, Int32, Word to) { rank[place[2 * (Index)edge]] = rank[place[2 * (Index)edge + 1]] = to; }
  void set_stamp(Int32 edge, Int32, Int32, Word to) {
    stamp[place[2 * (Index)edge]] = stamp[place[2 * (Index)edge + 1]] = to;
  }
  bool any_moved(Int32, Word, Word) const { return true; }

  class Link {
  public:
    explicit Link(const SparseRanks& graph) : graph(graph) {}
    void of(Int32, Int32 u, Int32 v) {
      ends[0] = u, ends[1] = v;
      links.clear();
      Index i = graph.offsets[u], j = graph.offsets[v];
      const Index i_end = graph.offsets[u + 1], j_end = graph.offsets[v + 1];
      while (i < i_end && j < j_end) {
        const Int32 x = graph.items[i], y = graph.items[j];
        if (x == y) {
          const Word at = std::max(graph.rank[i], graph.rank[j]);
          if (at != NO_RANK) links.push_back({x, at});
        }
        i += x <= y, j += y <= x;
      }
    }
    Int32 dominator(Word now, Word& until) const {
      for (size_t k = links.size(); k-- > 0;)
        if (links[k].arrival <= now && (until = end_of(links[k].vertex, now)) != now) return links[k].vertex;
      return NONE;
    }
    bool leans_on_moved(Int32 w, Word until, Word first, Word slot) const {
      for (Index at = graph.offsets[w]; at < graph.offsets[w + 1]; ++at) {
        if (graph.stamp[at] - first >= slot) continue;
        const Int32 x = graph.items[at];
        if (x == ends[0] || x == ends[1]) return true;
        const auto found = std::lower_bound(links.begin(), links.end(), x,
                                            [](const Neighbour& a, Int32 b) { return a.vertex < b; });
        if (found != links.end() && found->vertex == x && found->arrival < until) return true;
      }
      return false;
    }

  private:
    struct Neighbour {
      Int32 vertex;
      Word arrival;
    };
    Word end_of(Int32 w, Word now) const {
      Word least = NO_RANK;
      const Int32 *begin = graph.items + graph.offsets[w], *end = graph.items + graph.offsets[w + 1];
      const Wide* joined = graph.bits ? graph.bits + w * graph.n_words : nullptr;
      const Int32* at = begin;
      for (const Neighbour& x : links) {
        if (x.vertex == w) continue;
        const Word since = std::max(x.arrival, now);
        if (since >= least) continue;
        Word value = NO_RANK;
        if (!joined || joined[x.vertex >> 6] >> (x.vertex & 63) & 1) {
          at = std::lower_bound(at, end, x.vertex);
          if (at != end && *at == x.vertex) value = graph.rank[at - graph.items];
        }
        if (value <= since) continue;
        if (since == now) return now;
        least = since;
      }
      return least;
    }

    const SparseRanks& graph;
    std::vector<Neighbour> links;
    Int32 ends[2];
  };

  const Index n, n_words;
  const Index* const offsets;
  const Int32* const items;
  Word* const rank;
  Word* const stamp;
  const Index* const place;
  const Wide* const bits;
};

// Where an edge of rank `from` goes.
template <class Link> CollapseMove collapse_move(Link& link, Word from) {
  CollapseMove move = {from, 0, {}, {}};
  while (move.length < COLLAPSE_CHAIN && move.target != NO_RANK) {
    Word until = NO_RANK;
    const Int32 w = link.dominator(move.target, until);
    if (w == NONE) break;
    move.by[move.length] = w;
    move.until[move.length++] = move.target = until;
  }
  return move;
}

// Up to max_waves waves; returns 1 while there is more to do.
template <class Graph>
Index collapse_by_waves(Graph graph, const Int32* ends, Word* rank, const Int32* order, Index n_edges, Int32* queue,
                        Index* state, Int32 wave_size, Int32 max_waves, Int32 n_threads) {
  std::vector<CollapseMove> moves((size_t)wave_size);
  std::vector<Byte> holds((size_t)wave_size);
  Index &taken = state[0], &queued = state[1], &waves = state[2];
#pragma omp parallel num_threads(n_threads) if (n_threads > 1)
  {
    typename Graph::Link link(graph);
    for (Int32 wave = 0; wave < max_waves; ++wave) {
      const Index size = std::min((Index)wave_size, queued + n_edges - taken);
      if (size == 0) break;
      const Word first = (Word)(waves * wave_size + 1);
#pragma omp for schedule(dynamic, 8)
      for (Index slot = 0; slot < size; ++slot) {
        if (slot >= queued) queue[slot] = order[taken + slot - queued];
        const Int32 edge = queue[slot], u = ends[2 * (Index)edge], v = ends[2 * (Index)edge + 1];
        link.of(edge, u, v);
        moves[slot] = collapse_move(link, rank[edge]);
        if (moves[slot].length) graph.set_stamp(edge, u, v, first + (Word)slot);
      }
#pragma omp for schedule(dynamic, 8)
      for (Index slot = 0; slot < size; ++slot) {
        const CollapseMove& move = moves[slot];
        holds[slot] = 1;
        if (!move.length) continue;
        const Int32 edge = queue[slot];
        bool is_known = false;
        for (Int32 k = 0; k < move.length && holds[slot]; ++k) {
          if (!graph.any_moved(move.by[k], first, (Word)slot)) continue;
          if (!is_known) link.of(edge, ends[2 * (Index)edge], ends[2 * (Index)edge + 1]);
          is_known = true;
          holds[slot] = !link.leans_on_moved(move.by[k], move.until[k], first, (Word)slot);
        }
      }
#pragma omp single
      {
        Index left = 0;
        for (Index slot = 0; slot < size; ++slot) {
          const CollapseMove& move = moves[slot];
          const Int32 edge = queue[slot];
          if (holds[slot] && move.length) {
            rank[edge] = move.target;
            graph.set(edge, ends[2 * (Index)edge], ends[2 * (Index)edge + 1], move.target);
          }
          const bool is_cut = move.length == COLLAPSE_CHAIN && move.target != NO_RANK;
          if (!holds[slot] || is_cut) queue[left++] = edge;
          state[4] += !holds[slot];
        }
        taken += size - queued;
        queued = left;
        state[3] += size;
        ++waves;
      }
    }
  }
  return queued + n_edges - taken > 0;
}

// Ranks of two bytes where `width` is 2, else of four.
inline Index collapse_matrix(Index n, Byte* matrix, Int32 width, Word* stamp, const Int32* ends, Word* rank,
                             const Int32* order, Index n_edges, Int32* queue, Index* state, Int32 wave_size,
                             Int32 max_waves, Int32 n_threads) {
  if (width == 2)
    return collapse_by_waves(DenseRanks<unsigned short>(n, (unsigned short*)matrix, stamp), ends, rank, order, n_edges,
                             queue, state, wave_size, max_waves, n_threads);
  return collapse_by_waves(DenseRanks<Word>(n, (Word*)matrix, stamp), ends, rank, order, n_edges, queue, state,
                           wave_size, max_waves, n_threads);
}

// Rows of a graph by counting twice: entries by their item, then by their row. O(n + E).
inline Index rows_of_edges(Index n, const Int32* ends, Index n_edges, const Word* rank, Index* offsets, Int32* items,
                           Word* rank_at, Index* place, Wide* bits, Index n_words) {
  std::vector<Index> next((size_t)n + 1, 0), by_item((size_t)(2 * n_edges));
  for (Index k = 0; k < 2 * n_edges; ++k) ++next[ends[k] + 1];
  for (Index v = 0; v < n; ++v) next[v + 1] += next[v];
  std::copy(next.begin(), next.end(), offsets);
  for (Index k = 0; k < 2 * n_edges; ++k) by_item[next[ends[k]]++] = k;
  std::copy(offsets, offsets + n + 1, next.begin());
  for (const Index k : by_item) {  // entry k: the item is ends[k], the row is its other end
    const Int32 row = ends[k ^ 1], item = ends[k];
    const Index at = next[row]++;
    items[at] = item;
    rank_at[at] = rank[k >> 1];
    place[k] = at;
    if (n_words) bits[row * n_words + (item >> 6)] |= (Wide)1 << (item & 63);
  }
  return 2 * n_edges;
}
#endif

HOST_TASK(collapse_dense, (Index n, Byte* matrix, Int32 width, Word* stamp, const Int32* ends, Word* rank,
                           const Int32* order, Index n_edges, Int32* queue, Index* state, Int32 wave_size,
                           Int32 max_waves, Int32 n_threads),
          collapse_matrix(n, matrix, width, stamp, ends, rank, order, n_edges, queue, state, wave_size, max_waves,
                          n_threads))
HOST_TASK(collapse_sparse, (Index n, const Index* offsets, const Int32* items, Word* rank_at, Word* stamp,
                            const Index* place, const Wide* bits, Byte has_bits, const Int32* ends, Word* rank,
                            const Int32* order, Index n_edges, Int32* queue, Index* state, Int32 wave_size,
                            Int32 max_waves, Int32 n_threads),
          collapse_by_waves(SparseRanks(n, offsets, items, rank_at, stamp, place, has_bits ? bits : nullptr), ends, rank,
                            order, n_edges, queue, state, wave_size, max_waves, n_threads))
HOST_TASK(collapse_rows, (Index n, const Int32* ends, Index n_edges, const Word* rank, Index* offsets, Int32* items,
                          Word* rank_at, Index* place, Wide* bits, Index n_words),
          rows_of_edges(n, ends, n_edges, rank, offsets, items, rank_at, place, bits, n_words))
