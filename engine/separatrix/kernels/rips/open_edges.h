// The open edges of a matrix of ranks: those whose lune has no apex.
//
// An apex is a point of the lune that is nearer to all other points of the lune than the edge is long. Edges of equal
// length are processed together, which requires that none of them have a common simplex of this diameter.
#pragma once
#include "rips/lunes.h"

#if !ON_GPU
#include <cstdlib>
#include <memory>

namespace rips {

class OpenEdges {
public:
  typedef rips::Edge<Word> Edge;

  OpenEdges(const Word* matrix, Index n, Word limit, int n_threads)
      : n(n), matrix(matrix), limit(limit), n_threads(n_threads) {}

  const Index n;  // points
  std::vector<Edge> edges;

  const Word* row(Index u) const { return matrix + u * n; }
  Word rank(Index u, Index v) const { return matrix[u * n + v]; }
  // The apex, or -1 - the place of an open edge.
  Int32 apex(Int32 u, Int32 v) const { return apexes.get()[u > v ? u * n + v : v * n + u]; }

  Index count_triangles() const {
    const Index width = (n + 63) / 64;
    std::vector<Wide> bits((size_t)(n * width), 0);
    std::vector<Index> found((size_t)n_threads, 0);
    deal_out(n_threads, n, 8, [&](int, Index u) {
      for (Index v = 0; v < n; ++v) bits[u * width + v / 64] |= (Wide)(v != u && rank(u, v) <= limit) << v % 64;
    });
    deal_out(n_threads, n, 8, [&](int thread, Index u) {
      for (Index v = 0; v < u; ++v) {
        if (rank(u, v) > limit) continue;
        for (Index k = 0; k < width; ++k)
          found[thread] += __builtin_popcountll(bits[u * width + k] & bits[v * width + k]);
      }
    });
    Index total = 0;
    for (const Index count : found) total += count;
    return total / 3;
  }

  // Whether few edges of a sample are open.
  bool are_few(Index edges_per_open) const {
    Wide state = 0;  // a fixed sequence
    Index n_seen = 0, n_open = 0;
    std::vector<Int32> lune;
    for (int i = 0; i < SAMPLES; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const Int32 u = (Int32)((state >> 33) % (Wide)n), v = (Int32)((state >> 11) % (Wide)n);
      if (u == v || rank(u, v) > limit) continue;
      ++n_seen;
      n_open += apex_of({rank(u, v), std::max(u, v), std::min(u, v)}, lune) < 0;
    }
    return n_open * edges_per_open <= 2 * n_seen;
  }

  // Finds all of them, in order; false if they are not few.
  bool find(Index edges_per_open) {
    apexes.reset((Int32*)std::malloc((size_t)(n * n) * sizeof(Int32)));
    if (!apexes) throw std::bad_alloc();
    std::vector<std::vector<Edge>> found((size_t)n_threads);
    std::vector<Index> n_found((size_t)n_threads, 0);
    deal_out(n_threads, n, 8, [&](int thread, Index u) {
      std::vector<Int32> lune;
      for (Index v = 0; v < u; ++v) {
        if (rank(u, v) > limit) continue;
        ++n_found[thread];
        Int32& found_apex = apexes.get()[u * n + v];
        found_apex = apex_of({rank(u, v), (Int32)u, (Int32)v}, lune);
        if (found_apex < 0) found[thread].push_back({rank(u, v), (Int32)u, (Int32)v});
      }
    });
    Index n_edges = 0;
    for (const auto& mine : found) edges.insert(edges.end(), mine.begin(), mine.end());
    for (const Index count : n_found) n_edges += count;
    std::sort(edges.begin(), edges.end());
    for (size_t k = 0; k < edges.size(); ++k) apexes.get()[edges[k].high * n + edges[k].low] = -1 - (Int32)k;
    return (Index)edges.size() * edges_per_open <= n_edges;
  }

  // Whether two open edges of equal length have a common simplex of this diameter.
  bool are_joined(size_t begin, size_t end) const {
    if (end - begin > MOST_EQUAL) return true;
    for (size_t k = begin + 1; k < end; ++k)
      for (size_t i = begin; i < k; ++i) {
        const Edge &e = edges[k], &f = edges[i];
        Word most = 0;
        for (const Int32 x : {e.high, e.low})
          for (const Int32 y : {f.high, f.low})
            if (x != y) most = std::max(most, rank(x, y));
        if (most <= e.length) return true;
      }
    return false;
  }

private:
  enum { SAMPLES = 1024, MOST_EQUAL = 64 };

  // A point of the lune that is nearer to all others than the edge is long, or -1. Usually it is the one nearest to both ends.
  Int32 apex_of(const Edge& e, std::vector<Int32>& lune) const {
    enum { BLOCK = 64 };
    const Word *const u = row(e.high), *const v = row(e.low), length = e.length;
    Word least = length;
    Index block = 0;
    for (Index begin = 0; begin < n; begin += BLOCK) {
      const Index end = std::min<Index>(begin + BLOCK, n);
      Word here = length;
      for (Index w = begin; w < end; ++w) here = std::min(here, std::max(u[w], v[w]));
      if (here < least) least = here, block = begin;
    }
    if (least == length) return NONE;
    while (std::max(u[block], v[block]) != least) ++block;
    const Word* const w = row(block);
    int is_far = 0;
    for (Index x = 0; x < n; ++x) is_far |= (u[x] <= length) & (v[x] <= length) & (w[x] >= length);
    if (!is_far) return (Int32)block;
    lune.resize((size_t)n);
    size_t m = 0;
    for (Int32 x = 0; x < n; ++x) {
      lune[m] = x;
      m += (u[x] <= length) & (v[x] <= length) & (x != e.high) & (x != e.low);
    }
    Int32 far[4] = {lune[0], lune[0], lune[0], lune[0]};  // from earlier points, and probably from the next ones
    for (size_t i = 0, n_tried = 0; i < m; ++i) {
      const Int32 x = lune[i];
      const Word* const from = row(x);
      if (u[x] >= length || v[x] >= length || from[far[0]] >= length || from[far[1]] >= length) continue;
      if (from[far[2]] >= length || from[far[3]] >= length) continue;
      const auto end = lune.begin() + (Index)m;
      const auto at = std::find_if(lune.begin(), end, [&](Int32 y) { return from[y] >= length; });
      if (at == end) return x;
      far[n_tried++ % 4] = *at;
    }
    return NONE;
  }

  struct Freed {
    void operator()(Int32* memory) const { std::free(memory); }
  };
  const Word* matrix;
  const Word limit;
  const int n_threads;
  std::unique_ptr<Int32[], Freed> apexes;  // by edge
};

}  // namespace rips
#endif
