// GPU: the stream of simplices; a warp owns a prefix v_d > ... > v_1, its lanes take consecutive v_0.
//
// Lane j keeps the prefix's largest rank to vertex n-1-j in a register, so that the first WARP cofacets
// cost a shuffle and a coalesced load each. When few simplices remain, they are processed one at a time, with
// one cofacet per lane. Warps take runs of prefixes, of which only the first is computed from its index; if there are
// few prefixes, runs are shorter, so that all warps have some. Survivors are appended in
// no order, counts are exact beyond the capacity. CPU form: survivors.h; item functions: fate.h.
#pragma once
#include "common/search.h"
#include "rips/fate.h"

#if ON_GPU

enum { RIPS_WARP = 32, RIPS_THREADS = 256, RIPS_MOST_RUN = 16, RIPS_FEW_LEFT = 3 };
#define RIPS_ALL 0xFFFFFFFFu

struct RipsOut {
  Int32* vertices;
  Word* ranks;
  Index capacity;
  Index* counts;
  Int32 wanted;  // the fate of those that are kept
};

ITEM int rips_lane() { return threadIdx.x % RIPS_WARP; }

// The warp looks for the largest v in (above, from] that rows reach within L.
template <class Rank> struct RipsWarpMatrix : RipsMatrix<Rank> {
  ITEM_MEMBER Int32 highest(const Int32* s, int d, int without, Rank L, Int32 from, Int32 above) const {
    for (Int32 end = from; end > above; end -= RIPS_WARP) {
      const Int32 v = end - rips_lane();
      bool reached = v > above;
      for (int i = 0; i <= d && reached; ++i)
        if (i != without) reached = this->row(s[i])[v] <= L;
      const Word hits = __ballot_sync(RIPS_ALL, reached);
      if (hits) return end - lowest_bit(hits);
    }
    return -1;
  }
};

// Rows of neighbors, ascending.
struct RipsWarpGraph {
  const Index* offsets;
  const Int32* neighbors;
  const Word* ranks;
  ITEM_MEMBER Word at(Int32 u, Int32 v) const {
    const Index begin = offsets[u], place = place_among(neighbors + begin, offsets[u + 1] - begin, v);
    return place < 0 ? ~(Word)0 : ranks[begin + place];
  }
};

// The neighborhood of the top vertex as a matrix; without the top, others may be reached: s[0] is the top.
template <class Rank> struct RipsWarpStar : RipsWarpMatrix<Rank> {
  RipsWarpGraph whole;
  const Int32* label;
  ITEM_MEMBER Int32 highest(const Int32* s, int d, int without, Rank L, Int32 from, Int32 above) const {
    if (without != 0) return RipsWarpMatrix<Rank>::highest(s, d, without, L, from, above);
    const Int32 first = label[s[1]], top = label[above];
    for (Index end = whole.offsets[first + 1]; end > whole.offsets[first]; end -= RIPS_WARP) {
      const Index place = end - 1 - rips_lane();
      const bool is_above = place >= whole.offsets[first] && whole.neighbors[place] > top;
      bool reached = is_above && whole.ranks[place] <= (Word)L;
      for (int i = 2; i <= d && reached; ++i) reached = whole.at(label[s[i]], whole.neighbors[place]) <= (Word)L;
      if (__any_sync(RIPS_ALL, reached)) return 0;
      if (!__any_sync(RIPS_ALL, is_above)) return -1;
    }
    return -1;
  }
};

// One simplex, all lanes together: known not to be reached from above `from`.
template <class Graph, class Rank>
ITEM void rips_settle(const Graph& graph, const Int32* s, int d, Rank L, Int32 from, const Int32* labels,
                      const RipsOut& out, Index* counted) {
  const bool leads = rips_lane() == 0;
  if (from > s[0] && graph.highest(s, d, -1, L, from, s[0]) >= 0) {
    counted[1] += leads;
    return;
  }
  const RipsFate fate = rips_fate(graph, s, d, L, s[0] - 1);
  if (fate != RIPS_SURVIVES) counted[fate] += leads;
  if (!leads || fate != out.wanted) return;
  const Index place = add_to(out.counts + 3, 1);
  if (place >= out.capacity) return;
  for (int i = 0; i <= d; ++i) out.vertices[place * (d + 1) + i] = labels ? labels[s[i]] : s[i];
  out.ranks[place] = (Word)L;
}

// The simplices of the prefix s[0 .. d-1] of this diameter.
template <class Graph, class Rank>
ITEM void rips_prefix(const Graph& graph, Int32* s, int d, Rank diameter, Rank limit, const Int32* labels,
                      const RipsOut& out, Index* counted) {
  const int lane = rips_lane();
  const Int32 n = graph.n, top = s[0];
  Rank to_prefix = 0;
  if (n - 1 - lane > top)
    for (int i = 0; i < d; ++i) {
      const Rank r = graph.row(s[i])[n - 1 - lane];
      to_prefix = r > to_prefix ? r : to_prefix;
    }
  for (Int32 begin = 0; begin < s[d - 1]; begin += RIPS_WARP) {
    const Int32 v = begin + lane;
    Rank rank = (Rank)~(Rank)0;
    if (v < s[d - 1]) {
      rank = diameter;
      for (int i = 0; i < d; ++i) {
        const Rank r = graph.row(s[i])[v];
        rank = r > rank ? r : rank;
      }
    }
    bool is_left = v < s[d - 1] && rank <= limit;
    counted[0] += is_left;
    Word left = __ballot_sync(RIPS_ALL, is_left);
    int tried = 0;
    for (; tried < RIPS_WARP && n - 1 - tried > top && population(left) > RIPS_FEW_LEFT; ++tried) {
      const Rank reach = __shfl_sync(RIPS_ALL, to_prefix, tried);
      if (is_left && reach <= rank && graph.row(n - 1 - tried)[v] <= rank) {
        is_left = false;
        ++counted[1];
      }
      left = __ballot_sync(RIPS_ALL, is_left);
    }
    for (; left; left &= left - 1) {
      const int which = lowest_bit(left);
      s[d] = begin + which;
      rips_settle(graph, s, d, (Rank)__shfl_sync(RIPS_ALL, rank, which), n - 1 - tried, labels, out, counted);
    }
  }
}

// Prefixes begin .. end - 1, of d - n_fixed vertices below `bound` after those that are fixed.
// binomials (d + 1, n + 1): [k, v] is v choose k.
template <class Graph, class Rank>
ITEM void rips_prefixes(const Graph& graph, Int32* s, int d, int n_fixed, Int32 bound, Index begin, Index end,
                        const Index* binomials, Index n_columns, Rank limit, const Int32* labels, const RipsOut& out,
                        Index* counted) {
  Index left = begin;
  for (int i = n_fixed; i < d; ++i) {
    const Index* row = binomials + (d - i) * n_columns;
    Int32 low = 0, high = (i > n_fixed ? s[i - 1] : bound) - 1;  // the largest v with v choose d-i <= left
    while (high - low > 1) {
      const Int32 middle = (low + high) / 2;
      if (row[middle] <= left) low = middle;
      else high = middle;
    }
    left -= row[low];
    s[i] = low + 1;
  }
  int changed = 1;
  Rank shorter = 0;  // of the prefix but its last vertex
  for (Index q = begin; q < end; ++q) {
    if (changed < d) {
      shorter = 0;
      for (int i = 0; i < d - 1; ++i)
        for (int j = i + 1; j < d - 1; ++j) {
          const Rank r = graph.at(s[i], s[j]);
          shorter = r > shorter ? r : shorter;
        }
    }
    Rank diameter = shorter;
    for (int i = 0; i < d - 1; ++i) {
      const Rank r = graph.at(s[i], s[d - 1]);
      diameter = r > diameter ? r : diameter;
    }
    if (diameter <= limit) rips_prefix(graph, s, d, diameter, limit, labels, out, counted);
    int i = d - 1;
    while (i > n_fixed && s[i] + 1 == s[i - 1]) --i;
    if (i < n_fixed) break;
    ++s[i];
    for (int j = i + 1; j < d; ++j) s[j] = d - j;
    changed = i < d - 1 ? 0 : d;
  }
}

ITEM void rips_report(const RipsOut& out, const Index* counted) {
  for (int k = 0; k < 3; ++k) {
    Index sum = counted[k];
    for (int other = RIPS_WARP / 2; other; other /= 2) sum += __shfl_down_sync(RIPS_ALL, sum, other);
    if (rips_lane() == 0 && sum) add_to(out.counts + k, sum);
  }
}

// How many prefixes a warp takes at once.
ITEM Index rips_run(Index n_prefixes, Index n_warps) {
  const Index even = n_prefixes / n_warps;
  return even < 1 ? 1 : even < RIPS_MOST_RUN ? even : RIPS_MOST_RUN;
}

// counts[4]: the next prefix to be dealt out, in runs.
template <class Rank>
ITEM void rips_deal(const Rank* rank, Index stride, Int32 n, Int32 d, Word limit, Index n_prefixes,
                    const Index* binomials, const RipsOut& out) {
  RipsWarpMatrix<Rank> graph;
  graph.rank = rank;
  graph.stride = stride;
  graph.n = n;
  Int32 s[RIPS_VERTICES];
  Index counted[3] = {0, 0, 0};
  const Index run = rips_run(n_prefixes, gridDim.x * (RIPS_THREADS / RIPS_WARP));
  for (;;) {
    Index begin = rips_lane() == 0 ? add_to(out.counts + 4, run) : 0;
    begin = __shfl_sync(RIPS_ALL, begin, 0);
    if (begin >= n_prefixes) break;
    const Index end = begin + run < n_prefixes ? begin + run : n_prefixes;
    rips_prefixes(graph, s, d, 0, n, begin, end, binomials, n + 1, (Rank)limit, nullptr, out, counted);
  }
  rips_report(out, counted);
}

// A block processes one vertex at a time: it expands its neighborhood to a matrix and distributes
// the prefixes to its warps.
template <class Rank>
ITEM void rips_deal_stars(const RipsWarpGraph& whole, Int32 n, Int32 d, Word limit, const Index* binomials,
                          Index most, Index stride, Rank* matrices, Int32* all_labels, const RipsOut& out) {
  __shared__ Index shared_top;
  RipsWarpStar<Rank> star;
  star.whole = whole;
  star.stride = stride;
  Rank* matrix = matrices + blockIdx.x * most * stride;
  Int32* label = all_labels + blockIdx.x * most;
  star.rank = matrix;
  star.label = label;
  Int32 s[RIPS_VERTICES];
  Index counted[3] = {0, 0, 0};
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) shared_top = n - 1 - add_to(out.counts + 4, 1);
    __syncthreads();
    const Int32 top = (Int32)shared_top;
    if (top < 0) break;
    const Index first = whole.offsets[top], degree = whole.offsets[top + 1] - first;
    const Int32 below = (Int32)first_at_least(whole.neighbors + first, degree, top), size = (Int32)degree + 1;
    if (below < d) continue;
    for (Index k = threadIdx.x; k < size; k += blockDim.x)
      label[k] = k == below ? top : whole.neighbors[first + k - (k > below)];
    for (Index k = threadIdx.x; k < size * stride; k += blockDim.x) matrix[k] = (Rank)~(Rank)0;
    __syncthreads();
    for (Int32 row = threadIdx.x / RIPS_WARP; row < size; row += RIPS_THREADS / RIPS_WARP) {
      const Int32 v = label[row];
      for (Index at = whole.offsets[v] + rips_lane(); at < whole.offsets[v + 1]; at += RIPS_WARP) {
        const Index place = place_among(label, size, whole.neighbors[at]);
        if (place >= 0) matrix[row * stride + place] = (Rank)whole.ranks[at];
      }
    }
    __syncthreads();
    star.n = size;
    const Index n_prefixes = binomials[(d - 1) * (n + 1) + below - (d > 1)];
    const Index warps = RIPS_THREADS / RIPS_WARP, run = rips_run(n_prefixes, warps);
    for (Index begin = threadIdx.x / RIPS_WARP * run; begin < n_prefixes; begin += warps * run) {
      const Index end = begin + run < n_prefixes ? begin + run : n_prefixes;
      s[0] = below;
      rips_prefixes(star, s, d, 1, below, begin, end, binomials, n + 1, (Rank)limit, label, out, counted);
    }
  }
  rips_report(out, counted);
}

extern "C" __global__ void __launch_bounds__(RIPS_THREADS) rips_matrix_warps_16(
    const HalfWord* rank, Index stride, Int32 n, Int32 d, Word limit, Index n_prefixes, const Index* binomials,
    Index capacity, Int32* vertices, Word* ranks, Index* counts, Int32 wanted) {
  rips_deal(rank, stride, n, d, limit, n_prefixes, binomials, {vertices, ranks, capacity, counts, wanted});
}

extern "C" __global__ void __launch_bounds__(RIPS_THREADS) rips_matrix_warps_32(
    const Word* rank, Index stride, Int32 n, Int32 d, Word limit, Index n_prefixes, const Index* binomials,
    Index capacity, Int32* vertices, Word* ranks, Index* counts, Int32 wanted) {
  rips_deal(rank, stride, n, d, limit, n_prefixes, binomials, {vertices, ranks, capacity, counts, wanted});
}

extern "C" __global__ void __launch_bounds__(RIPS_THREADS) rips_graph_blocks_16(
    const Index* offsets, const Int32* neighbors, const Word* edge_ranks, Int32 n, Int32 d, Word limit,
    const Index* binomials, Index most, Index stride, HalfWord* matrices, Int32* labels, Index capacity,
    Int32* vertices, Word* ranks, Index* counts, Int32 wanted) {
  rips_deal_stars({offsets, neighbors, edge_ranks}, n, d, limit, binomials, most, stride, matrices, labels,
                  {vertices, ranks, capacity, counts, wanted});
}

extern "C" __global__ void __launch_bounds__(RIPS_THREADS) rips_graph_blocks_32(
    const Index* offsets, const Int32* neighbors, const Word* edge_ranks, Int32 n, Int32 d, Word limit,
    const Index* binomials, Index most, Index stride, Word* matrices, Int32* labels, Index capacity,
    Int32* vertices, Word* ranks, Index* counts, Int32 wanted) {
  rips_deal_stars({offsets, neighbors, edge_ranks}, n, d, limit, binomials, most, stride, matrices, labels,
                  {vertices, ranks, capacity, counts, wanted});
}
#endif
