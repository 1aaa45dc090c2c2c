// Lunes of a matrix of distances, by rows of bits, and its relative neighborhood graph.
#pragma once
#include "rips/lunes.h"

#if !ON_GPU
#include <cstdlib>
#include <memory>

namespace rips {

template <class Length>
class MatrixLunes {
public:
  typedef rips::Edge<Length> Edge;
  static constexpr bool ON_DEMAND = false;
  enum : Index { SAMPLES = 1 << 14, FIRST_BATCH = 20000, NEAREST = 32 };

  MatrixLunes(const Length* matrix, Index n, Length limit, int n_threads)
      : matrix(matrix), n(n), width((n + 511) / 512 * 8), n_threads(n_threads), limit(limit) {
    Wide state = 0;  // a fixed sequence: bounds of batches change no result
    for (int i = 0; i < SAMPLES; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const Index u = (Index)((state >> 33) % (Wide)n), v = (Index)((state >> 11) % (Wide)n);
      const Length length = row(u)[v];
      if (u != v && length < limit) samples.push_back(length);
    }
    std::sort(samples.begin(), samples.end());
  }

  // The relative neighborhood graph, in order, and the number of all edges up to the limit.
  std::vector<Edge> links(Index& n_edges) const {
    std::vector<std::vector<Edge>> found((size_t)n_threads);
    std::vector<Index> counts((size_t)n_threads, 0);
    const Length near = samples.empty() ? limit : samples[std::min<size_t>(samples.size() - 1, SAMPLES * 16 / n)];
    deal_out(n_threads, n, 16, [&](int thread, Index u) { counts[thread] += links_of(u, near, found[thread]); });
    std::vector<Edge> all;
    for (int thread = 0; thread < n_threads; ++thread) {
      all.insert(all.end(), found[thread].begin(), found[thread].end());
      n_edges += counts[thread];
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  // Room for edges that hold annotations: bits of all edges so far, of those that hold one, and their ids.
  void begin(const Int32*, Index, Index) {
    near_bits.assign((size_t)(n * width), 0);
    held_bits.assign((size_t)(n * width), 0);
    n_held.assign((size_t)n, 0);
    lune.resize((size_t)width);
    reached.resize((size_t)width);
    ids.reset((Int32*)std::calloc((size_t)(n * n), sizeof(Int32)));  // pages that are not used take no memory
    if (!ids) throw std::bad_alloc();
    wanted = std::max<Index>(4 * n, FIRST_BATCH);
  }

  // The next edges by length, in order; false if none is left up to the limit.
  bool next(std::vector<Edge>& batch) {
    batch.clear();
    while (batch.empty()) {
      if (has_begun && !(until < limit)) return false;
      const Length from = until;
      const size_t place = (size_t)((Real)wanted / ((Real)n * (Real)(n - 1) / 2) * SAMPLES);
      wanted += wanted / 2;
      until = place < samples.size() ? samples[place] : limit;
      if (!has_begun || from < until) list(from, batch);
      has_begun = true;
    }
    return true;
  }

  bool is_near_held(const Edge& e) const { return n_held[e.high] > 0 || n_held[e.low] > 0; }

  // The last vertex of each component of the lune, descending; none if no edge at it holds an annotation.
  void components(const Edge& e, std::vector<Int32>& last) {
    last.clear();
    const Wide *const u = near(e.high), *const v = near(e.low), *const held_u = held(e.high), *const held_v = held(e.low);
    Wide* __restrict const common = lune.data();
    const Index words = width;
    Wide any = 0;
    for (Index k = 0; k < words; ++k) {
      common[k] = u[k] & v[k];
      any |= common[k] & (held_u[k] | held_v[k]);
    }
    if (any == 0) return;
    for (Index top = width - 1; top >= 0;) {
      if (lune[top] == 0) {
        --top;
        continue;
      }
      const Int32 w = (Int32)(64 * top) + 63 - __builtin_clzll(lune[top]);
      last.push_back(w);
      remove_component(w, top + 1);
    }
  }

  // All vertices of the lune.
  void vertices(const Edge& e, std::vector<Int32>& found) const {
    found.clear();
    for (Index k = 0; k < width; ++k)
      for (Wide bits = near(e.high)[k] & near(e.low)[k]; bits != 0; bits &= bits - 1)
        found.push_back((Int32)(64 * k) + __builtin_ctzll(bits));
  }

  Int32& id(Int32 u, Int32 v) { return ids.get()[u > v ? u * n + v : v * n + u]; }

  void set_id(Int32 u, Int32 v, Int32 value) { id(u, v) = value; }
  void add(const Edge& e) {
    near(e.high)[e.low / 64] |= (Wide)1 << e.low % 64;
    near(e.low)[e.high / 64] |= (Wide)1 << e.high % 64;
  }
  void hold(const Edge& e, Int32 value) {
    if (value == 0) return;
    id(e.high, e.low) = value;
    held(e.high)[e.low / 64] |= (Wide)1 << e.low % 64;
    held(e.low)[e.high / 64] |= (Wide)1 << e.high % 64;
    ++n_held[e.high], ++n_held[e.low];
  }
  // Forgets edges whose annotation has become zero.
  template <class IsZero>
  void release(const IsZero& is_zero) {
    for (Int32 u = 0; u < n; ++u) {
      if (n_held[u] == 0) continue;
      Index kept = 0;
      for (Index k = 0; k < width; ++k)
        for (Wide bits = held(u)[k]; bits != 0; bits &= bits - 1) {
          const Int32 v = (Int32)(64 * k) + __builtin_ctzll(bits);
          if (is_zero(id(u, v))) held(u)[k] &= ~(bits & -bits);
          else ++kept;
        }
      n_held[u] = kept;
    }
  }

private:
  const Length* row(Index u) const { return matrix + u * n; }
  Wide* near(Index u) { return near_bits.data() + u * width; }
  const Wide* near(Index u) const { return near_bits.data() + u * width; }
  Wide* held(Index u) { return held_bits.data() + u * width; }

  // Links from u to lower vertices; returns how many edges there are. Most have a near point of u in their lune.
  Index links_of(Index u, Length near, std::vector<Edge>& found) const {
    const Length* const at = row(u);
    std::vector<Int32> close, left((size_t)u + 1);
    Index m = 0, n_close = 0;
    close.resize((size_t)n);
    for (Index v = 0; v < n; ++v) {
      close[n_close] = (Int32)v;
      n_close += (at[v] <= near) & (v != u);
    }
    const auto is_nearer = [=](Int32 a, Int32 b) { return at[a] != at[b] ? at[a] < at[b] : a < b; };
    Index n_near = std::min<Index>(n_close, NEAREST);
    if (n_close == 0) {
      close[0] = u == 0 ? 1 : 0;
      for (Index v = 0; v < n; ++v)
        if (v != u && at[v] < at[close[0]]) close[0] = (Int32)v;
      n_near = 1;
    }
    std::partial_sort(close.begin(), close.begin() + n_near, close.begin() + std::max<Index>(n_close, 1), is_nearer);
    Index total = 0;
    {
      const Length* const other = row(close[0]);
      const Length reach = at[close[0]];
      for (Index v = 0; v < u; ++v) {
        left[m] = (Int32)v;
        const bool is_edge = at[v] <= limit;
        total += is_edge;
        m += is_edge & !((other[v] < at[v]) & (reach < at[v]));
      }
    }
    for (Index k = 1; k < n_near && m > 3; ++k) {
      const Length* const other = row(close[k]);
      const Length reach = at[close[k]];
      Index kept = 0;
      for (Index i = 0; i < m; ++i) {
        const Int32 v = left[i];
        left[kept] = v;
        kept += !((other[v] < at[v]) & (reach < at[v]));
      }
      m = kept;
    }
    for (Index i = 0; i < m; ++i) {
      const Edge e{at[left[i]], (Int32)u, left[i]};
      if (has_empty_lune(e)) found.push_back(e);
    }
    return total;
  }

  bool has_empty_lune(const Edge& e) const {
    enum { BLOCK = 64 };
    const Length *const u = row(e.high), *const v = row(e.low);
    for (Index begin = 0; begin < n; begin += BLOCK) {
      const Index end = std::min<Index>(begin + BLOCK, n);
      int within = 0;
      for (Index w = begin; w < end; ++w) within += (u[w] <= e.length) & (v[w] <= e.length);
      if (within == 0) continue;
      for (Int32 w = (Int32)begin; w < end; ++w)
        if (w != e.high && w != e.low && comes_before(u[w], e.high, w, e) && comes_before(v[w], e.low, w, e))
          return false;
    }
    return true;
  }
  static bool comes_before(Length length, Int32 a, Int32 b, const Edge& e) {
    return Edge{length, std::max(a, b), std::min(a, b)} < e;
  }

  // Edges longer than `from`, the first time from any length on, up to `until`.
  void list(Length from, std::vector<Edge>& batch) {
    const bool is_first = !has_begun;
    listed.resize((size_t)n_threads);
    for (auto& mine : listed) mine.clear();
    deal_out(n_threads, n, 16, [&](int thread, Index u) {
      const Length* const at = row(u);
      auto& mine = listed[thread];
      enum { BLOCK = 64 };
      for (Index begin = 0; begin < u; begin += BLOCK) {
        const Index end = std::min<Index>(begin + BLOCK, u);
        int within = 0;
        for (Index v = begin; v < end; ++v) within += ((at[v] > from) | is_first) & (at[v] <= until);
        if (within == 0) continue;
        Int32 hits[BLOCK];
        int n_hits = 0;
        for (Index v = begin; v < end; ++v) {
          hits[n_hits] = (Int32)v;
          n_hits += ((at[v] > from) | is_first) & (at[v] <= until);
        }
        for (int k = 0; k < n_hits; ++k) mine.push_back({at[hits[k]], (Int32)u, hits[k]});
      }
    });
    for (auto& mine : listed) batch.insert(batch.end(), mine.begin(), mine.end());
    sort_edges(batch, sorted);
  }

  // Removes the component of w from the lune, which has `words` words, by following neighbors.
  void remove_component(Int32 w, Index words) {
    lune[w / 64] &= ~((Wide)1 << w % 64);
    for (bool moved = take_over(w, words, true); moved;) {
      moved = false;
      for (Index k = 0; k < words; ++k)
        for (Wide bits = lune[k]; bits != 0; bits &= bits - 1) {
          const Int32 x = (Int32)(64 * k) + __builtin_ctzll(bits);
          const Wide *const from = reached.data(), *const to = near(x);
          Wide touched = 0;
          for (Index i = 0; i < words; ++i) touched |= from[i] & to[i];
          if (touched == 0) continue;
          lune[k] &= ~((Wide)1 << x % 64);
          reached[k] |= (Wide)1 << x % 64;
          take_over(x, words, false);
          moved = true;
          bits &= lune[k] | (bits & -bits);
        }
    }
  }
  // Moves the neighbors of w from the lune to what is reached; false if nothing is left in the lune.
  bool take_over(Int32 w, Index words, bool is_first) {
    const Wide* const to = near(w);
    Wide *__restrict const inside = reached.data(), *__restrict const outside = lune.data();
    Wide left = 0;
    for (Index k = 0; k < words; ++k) left |= outside[k] & ~to[k];
    if (is_first && left == 0) {
      std::fill_n(outside, words, 0);
      return false;
    }
    for (Index k = 0; k < words; ++k) {
      inside[k] = (is_first ? 0 : inside[k]) | (outside[k] & to[k]);
      outside[k] &= ~to[k];
    }
    return left != 0;
  }

  struct Freed {
    void operator()(Int32* memory) const { std::free(memory); }
  };
  const Length* matrix;
  const Index n, width;  // width: words of a row of bits
  const int n_threads;
  const Length limit;
  std::vector<Length> samples;  // of the lengths, ascending
  Length until = 0;
  Index wanted = 0;
  bool has_begun = false;
  std::vector<std::vector<Edge>> listed;  // by thread; kept, since new memory is slow
  std::vector<Edge> sorted;
  std::vector<Wide> near_bits, held_bits, lune, reached;
  std::vector<Index> n_held;
  std::unique_ptr<Int32[], Freed> ids;
};

}  // namespace rips
#endif
