// Edge collapse of a flag filtration on the CPU: edges that change no homology are delayed or deleted.
//
// An edge e = uv of rank r(e) has at time s the common neighbors N_s = {x : r(ux), r(vx) <= s}; it is
// dominated at s if some w in N_s has r(wx) <= s for all other x in N_s. Then taking e out of the
// complex at s is a homotopy equivalence (Boissonnat, Pritam 2020), so e may be delayed to the first
// time at which it is not dominated, and deleted if there is none: all bars stay (Glisse, Pritam 2022).
//
// Waves: edges are taken in batches by descending rank. Each edge of a wave is tested against the
// graph at the beginning of the wave, and records the vertices that dominate it, and until when. A
// move is valid if none of the edges that it depends on, those from a dominator to a common
// neighbor or to u, v, is moved by an earlier edge of the wave. Executed in order, valid moves
// remain legal, because the others only make N_s smaller. The remaining edges are tested again in
// the next wave. The result does not depend on threads or the device: collapse_blocks.h does the
// same on a GPU.
//
// Vertices are labeled so that the most central one is the last: it dominates most, and is tried first.
// State of the waves, Index (COLLAPSE_STATE,): edges taken from `order` so far, edges in `queue`, waves
// so far, tests, refused moves.
#pragma once
#include "common/types.h"

enum { COLLAPSE_CHAIN = 4, COLLAPSE_STATE = 5, COLLAPSE_PAD = 64, COLLAPSE_AHEAD = 4 };
constexpr Word NO_RANK = 0xFFFFFFFFu;  // ABSENT: no edge, or never

// The move of an edge of a wave to the rank `target`; it is dominated by by[k] before until[k], k <
// length.
struct CollapseMove {
  Word target;
  Int32 length;
  Int32 by[COLLAPSE_CHAIN];
  Word until[COLLAPSE_CHAIN];
};

#if !ON_GPU
#include <algorithm>
#include <memory>
#include <vector>

// All ranks as a matrix, rows padded to COLLAPSE_PAD with absent ones: vectors run along the rows.
template <class Rank> class DenseRanks {
public:
  static constexpr Rank absent = (Rank)~(Rank)0;
  DenseRanks(Index n, Rank* rank)
      : n(n), stride((n + COLLAPSE_PAD - 1) / COLLAPSE_PAD * COLLAPSE_PAD), rank(rank) {}
  void set(Int32 u, Int32 v, Word to) {
    rank[u * stride + v] = rank[v * stride + u] = to == NO_RANK ? absent : (Rank)to;
  }
  Word rank_of(Int32 u, Int32 v) const {
    const Rank found = rank[u * stride + v];
    return found == absent ? NO_RANK : (Word)found;
  }
  void fetch(Int32, Int32) const {}

  // The common neighbors of an edge; arrival[x] is the rank at which x becomes one. A witness is a
  // neighbor to which some candidate is not connected in time; open[w] is the rank from which w is
  // present and connected to all witnesses found so far.
  class Link {
    enum { LANES = 64 / sizeof(Rank) };  // explicit: the compiler does not find the conditional minima
    typedef Rank Lanes __attribute__((vector_size(64)));

  public:
    explicit Link(const DenseRanks& graph) : graph(graph), arrival((size_t)graph.stride), open((size_t)graph.stride) {}
    void of(Int32 u, Int32 v) {
      const Rank *ru = graph.rank + u * graph.stride, *rv = graph.rank + v * graph.stride;
      for (Index x = 0; x < graph.stride; x += LANES) {
        const Lanes to_u = at(ru + x), to_v = at(rv + x), later = to_u > to_v ? to_u : to_v;
        put(&arrival[x], later);
        put(&open[x], later);
      }
      arrival[u] = arrival[v] = open[u] = open[v] = absent;
    }
    // Returns the last vertex that dominates at rank `now`, NONE if no vertex does, and until when
    // it does.
    Int32 dominator(Word now, Word& until) {
      const Rank t = (Rank)now;
      for (Index w = last_open(graph.stride, t); w >= 0; w = last_open(w, t)) {
        const Rank* row = graph.rank + w * graph.stride;
        const Rank farthest = farthest_neighbor(row, t);
        if (farthest <= t) {
          until = end_of(row, t);
          return (Int32)w;
        }
        Index witness = 0;
        while (row[witness] != farthest || arrival[witness] > t) ++witness;
        const Rank* seen = graph.rank + witness * graph.stride;
        for (Index x = 0; x < graph.stride; x += LANES) {
          const Lanes before = at(&open[x]), now_seen = at(seen + x);
          put(&open[x], before > now_seen ? before : now_seen);
        }
      }
      return NONE;
    }

  private:
    // The last candidate before `end`, -1 if no such candidate exists.
    Index last_open(Index end, Rank t) const {
      while (end % COLLAPSE_PAD)
        if (open[--end] <= t) return end;
      for (; end > 0; end -= COLLAPSE_PAD) {
        Lanes least = at(&open[end - COLLAPSE_PAD]);
        for (Index x = end - COLLAPSE_PAD + LANES; x < end; x += LANES) {
          const Lanes more = at(&open[x]);
          least = more < least ? more : least;
        }
        if (least_of(least) > t) continue;
        while (open[end - 1] > t) --end;
        return end - 1;
      }
      return -1;
    }
    Rank farthest_neighbor(const Rank* row, Rank t) const {
      const Lanes nothing = {}, times = nothing + t;
      Lanes farthest = nothing;
      for (Index x = 0; x < graph.stride; x += LANES) {
        const Lanes to = at(&arrival[x]) > times ? nothing : at(row + x);
        farthest = to > farthest ? to : farthest;
      }
      return (Rank)~least_of(~farthest);
    }
    // The rank of the first neighbor to which a dominator at rank t is not connected by then.
    Word end_of(const Rank* row, Rank t) const {
      const Lanes times = Lanes{} + t, never = Lanes{} + absent;
      Lanes first = never;
      for (Index x = 0; x < graph.stride; x += LANES) {
        const Lanes a = at(&arrival[x]), since = a > times ? a : times, broken = at(row + x) > since ? since : never;
        first = broken < first ? broken : first;
      }
      const Rank found = least_of(first);
      return found == absent ? NO_RANK : (Word)found;
    }
    static Lanes at(const Rank* place) {
      Lanes found;
      __builtin_memcpy(&found, place, sizeof found);
      return found;
    }
    static void put(Rank* place, Lanes lanes) { __builtin_memcpy(place, &lanes, sizeof lanes); }
    static Rank least_of(Lanes lanes) {
      Rank least = absent;
      for (int k = 0; k < LANES; ++k) least = lanes[k] < least ? lanes[k] : least;
      return least;
    }

    const DenseRanks& graph;
    std::vector<Rank> arrival, open;
  };

  const Index n, stride;
  Rank* const rank;
};

// Rows of neighbors, ascending, with as many entries as edges are left: vertex << 32 | rank.
class SparseRanks {
public:
  SparseRanks(Index n, const Index* offsets, Int32* sizes, Wide* entries)
      : n(n), offsets(offsets), sizes(sizes), entries(entries) {}
  void set(Int32 u, Int32 v, Word to) { set_in_row(u, v, to), set_in_row(v, u, to); }
  Word rank_of(Int32 u, Int32 v) const {
    const Wide *const end = row(u) + sizes[u], *const at = entry_of(u, v);
    return at != end && vertex(*at) == v ? (Word)*at : NO_RANK;
  }
  void fetch(Int32 u, Int32 v) const { fetch(u), fetch(v); }

  // The common neighbors of an edge, ascending, from 1, with the same arrays as for a matrix. slot[x] is the place of x
  // among them, 0 for any other vertex, so a row is read without comparisons.
  class Link {
  public:
    explicit Link(const SparseRanks& graph) : graph(graph), slot((size_t)graph.n, 0) {}
    void of(Int32 u, Int32 v) {
      for (Int32 k = 1; k <= size; ++k) slot[vertices[k]] = 0;
      const Wide *const of_u = graph.row(u), *const of_v = graph.row(v);
      const Int32 n_u = graph.sizes[u], n_v = graph.sizes[v];
      make_room(std::min(n_u, n_v) + 2);
      for (Int32 i = 0; i < n_u; ++i) slot[vertex(of_u[i])] = i + 1;
      size = 0;
      for (Int32 j = 0; j < n_v; ++j) {
        const Int32 x = vertex(of_v[j]), place = slot[x];
        vertices[size + 1] = x;
        arrival[size + 1] = std::max((Word)of_v[j], (Word)of_u[std::max(place - 1, 0)]);
        size += place != 0;
      }
      for (Int32 i = 0; i < n_u; ++i) slot[vertex(of_u[i])] = 0;
      for (Int32 k = 1; k <= size; ++k) {
        slot[vertices[k]] = k;
        open[k] = arrival[k];
        graph.fetch(vertices[k]);
      }
    }
    Int32 dominator(Word now, Word& until) {
      for (Int32 k = size; k > 0; --k) {
        if (open[k] > now) continue;
        read_row(k);
        until = NO_RANK;
        Int32 witness = 0;
        for (Int32 x = 1; x <= size && until > now; ++x) {
          const Word since = std::max(arrival[x], now);
          if (row[x] > since && since < until) until = since, witness = x;
        }
        if (until > now) return vertices[k];
        read_row(witness);
        for (Int32 x = 1; x <= size; ++x) open[x] = std::max(open[x], row[x]);
      }
      return NONE;
    }

  private:
    void make_room(Int32 n_more) {
      if ((Int32)vertices.size() >= n_more) return;
      for (auto* ranks : {&arrival, &open, &row}) ranks->resize((size_t)n_more);
      vertices.resize((size_t)n_more);
    }
    // The ranks of the edges from the vertex at place k to the others.
    void read_row(Int32 k) {
      std::fill(row.begin(), row.begin() + size + 1, NO_RANK);
      const Wide* const entry = graph.row(vertices[k]);
      for (Int32 i = 0, n = graph.sizes[vertices[k]]; i < n; ++i) row[slot[vertex(entry[i])]] = (Word)entry[i];
      row[k] = 0;
    }

    const SparseRanks& graph;
    Int32 size = 0;
    std::vector<Int32> slot, vertices;
    std::vector<Word> arrival, open, row;
  };

private:
  static Int32 vertex(Wide entry) { return (Int32)(entry >> 32); }
  Wide* row(Int32 u) const { return entries + offsets[u]; }
  Wide* entry_of(Int32 u, Int32 v) const { return std::lower_bound(row(u), row(u) + sizes[u], (Wide)v << 32); }
  void set_in_row(Int32 u, Int32 v, Word to) {
    Wide *const end = row(u) + sizes[u], *const at = entry_of(u, v);
    if (to != NO_RANK) *at = (Wide)v << 32 | to;
    else std::copy(at + 1, end, at), --sizes[u];
  }
  void fetch(Int32 u) const {
    enum { FETCHED = 3 };  // cache lines
    for (Index line = 0; line < FETCHED; ++line) __builtin_prefetch(row(u) + 8 * line);
  }

  const Index n;
  const Index* const offsets;
  Int32* const sizes;
  Wide* const entries;
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

// The edges that a wave moves, by their ends: lists from the latest to the earliest.
class MovedEdges {
public:
  MovedEdges(Index n, Int32 wave_size) : head((size_t)n, NONE), next(2 * (size_t)wave_size) {}
  void add(Int32 slot, const Int32* ends) {
    for (int side = 0; side < 2; ++side) {
      next[2 * slot + side] = head[ends[side]];
      head[ends[side]] = 2 * slot + side;
    }
  }
  void clear(const Int32* ends) { head[ends[0]] = head[ends[1]] = NONE; }
  // Whether a move leans on a moved edge; `edge_of` gives the wave's edges by slot.
  template <class Graph>
  bool support(const Graph& graph, const CollapseMove& move, const Int32* edge, const Int32* ends,
               const Int32* edge_of) const {
    for (Int32 k = 0; k < move.length; ++k)
      for (Int32 at = head[move.by[k]]; at != NONE; at = next[at]) {
        const Int32 x = ends[2 * (Index)edge_of[at >> 1] + 1 - (at & 1)];
        if (x == edge[0] || x == edge[1]) return true;
        if (std::max(graph.rank_of(edge[0], x), graph.rank_of(edge[1], x)) < move.until[k]) return true;
      }
    return false;
  }

private:
  std::vector<Int32> head, next;
};

// Up to max_waves waves; returns 1 while there is more to do.
template <class Graph>
Index collapse_by_waves(Graph graph, Index n, const Int32* ends, Word* rank, const Int32* order, Index n_edges,
                        Int32* queue, Index* state, Int32 wave_size, Int32 max_waves, Int32 n_threads) {
  std::vector<CollapseMove> moves((size_t)wave_size);
  MovedEdges moved(n, wave_size);
  std::vector<Byte> holds((size_t)wave_size);
  Index &taken = state[0], &queued = state[1];
  std::vector<std::unique_ptr<typename Graph::Link>> links;
  for (Int32 thread = 0; thread < n_threads; ++thread) links.emplace_back(new typename Graph::Link(graph));
  for (Int32 wave = 0; wave < max_waves; ++wave) {
    const Index size = std::min((Index)wave_size, queued + n_edges - taken);
    if (size == 0) break;
    deal_out(n_threads, size, 8, [&](int thread, Index slot) {
      if (slot >= queued) queue[slot] = order[taken + slot - queued];
      const Int32 edge = queue[slot];
      if (slot >= queued && slot + COLLAPSE_AHEAD < size) {
        const Int32* const later = ends + 2 * (Index)order[taken + slot + COLLAPSE_AHEAD - queued];
        graph.fetch(later[0], later[1]);
      }
      auto& link = *links[thread];
      link.of(ends[2 * (Index)edge], ends[2 * (Index)edge + 1]);
      moves[slot] = collapse_move(link, rank[edge]);
    });
    for (Index slot = 0; slot < size; ++slot) {
      const Int32* edge = ends + 2 * (Index)queue[slot];
      holds[slot] = !moved.support(graph, moves[slot], edge, ends, queue);
      if (moves[slot].length) moved.add((Int32)slot, edge);
    }
    Index left = 0;
    for (Index slot = 0; slot < size; ++slot) {
      const CollapseMove& move = moves[slot];
      const Int32 edge = queue[slot];
      moved.clear(ends + 2 * (Index)edge);
      if (holds[slot] && move.length) {
        rank[edge] = move.target;
        graph.set(ends[2 * (Index)edge], ends[2 * (Index)edge + 1], move.target);
      }
      const bool is_cut = move.length == COLLAPSE_CHAIN && move.target != NO_RANK;
      if (!holds[slot] || is_cut) queue[left++] = edge;
      state[4] += !holds[slot];
    }
    taken += size - queued;
    queued = left;
    state[2] += 1;
    state[3] += size;
  }
  return queued + n_edges - taken > 0;
}

// Ranks of two bytes where `width` is 2, else of four.
inline Index collapse_matrix(Index n, Byte* matrix, Int32 width, const Int32* ends, Word* rank, const Int32* order,
                             Index n_edges, Int32* queue, Index* state, Int32 wave_size, Int32 max_waves,
                             Int32 n_threads) {
  if (width == 2)
    return collapse_by_waves(DenseRanks<unsigned short>(n, (unsigned short*)matrix), n, ends, rank, order, n_edges,
                             queue, state, wave_size, max_waves, n_threads);
  return collapse_by_waves(DenseRanks<Word>(n, (Word*)matrix), n, ends, rank, order, n_edges, queue, state, wave_size,
                           max_waves, n_threads);
}

// Rows of a graph by counting twice: entries by their item, then by their row. O(n + E).
inline Index rows_of_edges(Index n, const Int32* ends, Index n_edges, const Word* rank, Index* offsets, Int32* sizes,
                           Wide* entries) {
  std::vector<Index> next((size_t)n + 1, 0), by_item((size_t)(2 * n_edges));
  for (Index k = 0; k < 2 * n_edges; ++k) ++next[ends[k] + 1];
  for (Index v = 0; v < n; ++v) sizes[v] = (Int32)next[v + 1], next[v + 1] += next[v];
  std::copy(next.begin(), next.end(), offsets);
  for (Index k = 0; k < 2 * n_edges; ++k) {
    throw_if_canceled_at(k);
    by_item[next[ends[k]]++] = k;
  }
  std::copy(offsets, offsets + n + 1, next.begin());
  for (const Index k : by_item) {  // entry k: the item is ends[k], the row is its other end
    throw_if_canceled_at(k);
    entries[next[ends[k ^ 1]]++] = (Wide)ends[k] << 32 | rank[k >> 1];
  }
  return 2 * n_edges;
}
#endif

HOST_TASK(collapse_dense, (Index n, Byte* matrix, Int32 width, const Int32* ends, Word* rank, const Int32* order,
                           Index n_edges, Int32* queue, Index* state, Int32 wave_size, Int32 max_waves,
                           Int32 n_threads),
          collapse_matrix(n, matrix, width, ends, rank, order, n_edges, queue, state, wave_size, max_waves, n_threads))
HOST_TASK(collapse_sparse, (Index n, const Index* offsets, Int32* sizes, Wide* entries, const Int32* ends, Word* rank,
                            const Int32* order, Index n_edges, Int32* queue, Index* state, Int32 wave_size,
                            Int32 max_waves, Int32 n_threads),
          collapse_by_waves(SparseRanks(n, offsets, sizes, entries), n, ends, rank, order, n_edges, queue, state,
                            wave_size, max_waves, n_threads))
HOST_TASK(collapse_rows, (Index n, const Int32* ends, Index n_edges, const Word* rank, Index* offsets, Int32* sizes,
                          Wide* entries),
          rows_of_edges(n, ends, n_edges, rank, offsets, sizes, entries))
