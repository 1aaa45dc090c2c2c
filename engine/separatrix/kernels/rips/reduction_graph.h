// The flag filtration as its reduction asks it: cofacets within a window of ranks, apparent facets.
//
// A simplex is its vertices, descending. It is packed into a number by fields of as many bits as a vertex needs,
// the largest vertex on top: simplices of one dimension sort like their combinatorial indices, so "older" of
// two equal ranks is the greater key. Cofacets come from the rows of a simplex's vertices: rank of s + u =
// max(rank s, r(u, x) of all x in s). Dense rows are compared many vertices at a time, sparse ones intersected.
// Apparent pairs (Bauer 2021, section 3.5), tested and never stored: for t of rank L let I be the intersection of its
// edges of rank L and m its largest vertex outside I. t - m is its youngest facet of equal rank; the pair
// (t - m, t) is apparent iff t is that facet's oldest cofacet: no u > m has r(u, x) <= L for all x in t - m.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <cstring>

namespace rips {

typedef unsigned __int128 Wide2;
enum { MOST_VERTICES = 32 };

// Fields of a packed simplex.
template <class Key>
struct Packing {
  int bits;
  Key pack(const Int32* v, int n_vertices) const {
    Key key = 0;
    for (int i = 0; i < n_vertices; ++i) key = key << bits | (Key)v[i];
    return key;
  }
  void unpack(Key key, int n_vertices, Int32* v) const {
    const Key field = ((Key)1 << bits) - 1;
    for (int i = n_vertices; i-- > 0; key >>= bits) v[i] = (Int32)(key & field);
  }
  // Fields 0 to at - 1 of the key, an empty one, the others: where a vertex comes in at place `at`.
  Key opened(Key key, int n_vertices, int at) const {
    const int below = bits * (n_vertices - at);
    const Key low = below == 0 ? 0 : key & (((Key)1 << below) - 1);
    return at == 0 ? low : key >> below << (below + bits) | low;
  }
  int shift(int n_vertices, int at) const { return bits * (n_vertices - at); }
};

// The matrix of ranks, its greatest number for an absent edge.
template <class Rank>
class Dense {
public:
  typedef Rank Row;
  enum { HAS_ROWS = 1 };
  Dense(Index n, const Rank* rank) : n((Int32)n), rank(rank) {}
  const Int32 n;

  Word between(Int32 u, Int32 v) const { return rank[(Index)u * n + v]; }

  // use(u, rank of s + u) for the cofacets of s, of rank `own`, with ranks in [low, high), u ascending.
  template <class Use>
  void cofacets(const Int32* s, int k, Word own, Word low, Word high, Use use) const {
    const Rank* rows[MOST_VERTICES];
    for (int i = 0; i < k; ++i) rows[i] = row(s[i]);
    scan_rows(rows, k, s, k, own, low, high, use);
  }

  // The same by given rows in the place of those of the k vertices.
  template <class Use>
  void scan_rows(const Rank* const* rows, int n_rows, const Int32* s, int k, Word own, Word low, Word high,
                 Use use) const {
    switch (n_rows) {
      case 1: return scan<1>(rows, n_rows, s, k, own, low, high, use);
      case 2: return scan<2>(rows, n_rows, s, k, own, low, high, use);
      case 3: return scan<3>(rows, n_rows, s, k, own, low, high, use);
      case 4: return scan<4>(rows, n_rows, s, k, own, low, high, use);
      default: return scan<0>(rows, n_rows, s, k, own, low, high, use);
    }
  }

  const Rank* row(Int32 v) const { return rank + (Index)v * n; }

  // The larger of two rows, with a and b themselves absent.
  void larger_row(Int32 a, Int32 b, Rank* larger) const {
    const Rank *x = row(a), *y = row(b);
    for (Int32 u = 0; u < n; ++u) larger[u] = std::max(x[u], y[u]);
    larger[a] = larger[b] = (Rank)~(Rank)0;
  }

  // The greatest u > `above`, not in s, at rank <= level from all of s; NONE if there is none.
  Int32 last_within(const Int32* s, int k, Int32 above, Word level) const {
    const Rank* rows[MOST_VERTICES];
    for (int i = 0; i < k; ++i) rows[i] = row(s[i]);
    return last_in_rows(rows, k, s, k, above, level);
  }
  Int32 last_in_rows(const Rank* const* rows, int n_rows, const Int32* s, int k, Int32 above, Word level) const {
    const Rank limit = (Rank)level;
    Int32 end = n;
    for (; end - above > BLOCK; end -= BLOCK) {
      Rank far[BLOCK];
      std::memcpy(far, rows[0] + end - BLOCK, sizeof far);
      for (int i = 1; i < n_rows; ++i)
        for (int u = 0; u < BLOCK; ++u) far[u] = std::max(far[u], rows[i][end - BLOCK + u]);
      Rank nearest = far[0];
      for (int u = 1; u < BLOCK; ++u) nearest = std::min(nearest, far[u]);
      if (nearest > limit) continue;
      for (int u = BLOCK; u-- > 0;)
        if (far[u] <= limit && !has(s, k, end - BLOCK + u)) return end - BLOCK + u;
    }
    for (Int32 u = end; --u > above;) {
      int i = 0;
      while (i < n_rows && rows[i][u] <= limit) ++i;
      if (i == n_rows && !has(s, k, u)) return u;
    }
    return NONE;
  }

private:
  enum { BLOCK = 32, STRIP = 256 };

  static bool has(const Int32* s, int k, Int32 u) {
    for (int i = 0; i < k; ++i)
      if (s[i] == u) return true;
    return false;
  }

  template <int K, class Use>
  void scan(const Rank* const* rows, int n_rows, const Int32* s, int k, Word own, Word low, Word high, Use& use) const {
    const Rank least = (Rank)own, first = (Rank)low, width = (Rank)(high - low);
    Rank far[STRIP];
    Byte hit[STRIP + 8] = {0};
    for (Int32 begin = 0; begin < n; begin += STRIP) {
      const int size = std::min((int)STRIP, n - begin);
      if (K > 0) {
        for (int u = 0; u < size; ++u) {
          Rank most = least;
          for (int i = 0; i < K; ++i) most = std::max(most, rows[i][begin + u]);
          far[u] = most;
          hit[u] = (Rank)(most - first) < width;
        }
      } else {
        for (int u = 0; u < size; ++u) far[u] = std::max(least, rows[0][begin + u]);
        for (int i = 1; i < n_rows; ++i)
          for (int u = 0; u < size; ++u) far[u] = std::max(far[u], rows[i][begin + u]);
        for (int u = 0; u < size; ++u) hit[u] = (Rank)(far[u] - first) < width;
      }
      for (int u = size; u < (size + 7 & ~7); ++u) hit[u] = 0;
      for (int word = 0; word < size; word += 8) {
        Wide hits;
        std::memcpy(&hits, hit + word, 8);
        for (; hits != 0; hits &= hits - 1) {
          const int u = word + (__builtin_ctzll(hits) >> 3);
          if (!has(s, k, begin + u)) use(begin + u, (Word)far[u]);
        }
      }
    }
  }

  const Rank* rank;
};

// The graph by rows of ascending neighbors.
class Sparse {
public:
  enum { HAS_ROWS = 0 };
  Sparse(Index n, const Index* offsets, const Int32* neighbors, const Word* ranks)
      : n((Int32)n), offsets(offsets), neighbors(neighbors), ranks(ranks) {}
  const Int32 n;

  Word between(Int32 u, Int32 v) const {
    const Int32 *begin = neighbors + offsets[u], *end = neighbors + offsets[u + 1];
    const Int32* at = std::lower_bound(begin, end, v);
    return at != end && *at == v ? ranks[at - neighbors] : ~(Word)0;
  }

  template <class Use>
  void cofacets(const Int32* s, int k, Word own, Word low, Word high, Use use) const {
    if (k == 2) return cofacets_of_edge(s[0], s[1], own, low, high, use);
    Index at[MOST_VERTICES], end[MOST_VERTICES];
    for (int i = 0; i < k; ++i) at[i] = offsets[s[i]], end[i] = offsets[s[i] + 1];
    const int rarest = shortest_row(s, k);
    for (Index j = at[rarest]; j < end[rarest]; ++j) {
      const Int32 u = neighbors[j];
      Word most = std::max(own, ranks[j]);
      int i = 0;
      for (; i < k && most < high; ++i) {
        if (i == rarest) continue;
        while (at[i] < end[i] && neighbors[at[i]] < u) ++at[i];
        if (at[i] == end[i]) return;
        if (neighbors[at[i]] != u) break;
        most = std::max(most, ranks[at[i]]);
      }
      if (i == k && most >= low && most < high) use(u, most);
    }
  }

  Int32 last_within(const Int32* s, int k, Int32 above, Word level) const {
    Index at[MOST_VERTICES], begin[MOST_VERTICES];
    for (int i = 0; i < k; ++i) at[i] = offsets[s[i] + 1] - 1, begin[i] = offsets[s[i]];
    const int rarest = shortest_row(s, k);
    for (Index j = at[rarest]; j >= begin[rarest] && neighbors[j] > above; --j) {
      const Int32 u = neighbors[j];
      if (ranks[j] > level) continue;
      int i = 0;
      for (; i < k; ++i) {
        if (i == rarest) continue;
        while (at[i] >= begin[i] && neighbors[at[i]] > u) --at[i];
        if (at[i] < begin[i]) return -1;
        if (neighbors[at[i]] != u || ranks[at[i]] > level) break;
      }
      if (i == k) return u;
    }
    return -1;
  }

private:
  // Both ends advance without branches, which would be predicted badly.
  template <class Use>
  void cofacets_of_edge(Int32 a, Int32 b, Word own, Word low, Word high, Use& use) const {
    Index i = offsets[a], j = offsets[b];
    const Index i_end = offsets[a + 1], j_end = offsets[b + 1];
    while (i < i_end && j < j_end) {
      const Int32 u = neighbors[i], v = neighbors[j];
      if (u == v) {
        const Word most = std::max(own, std::max(ranks[i], ranks[j]));
        if (most >= low && most < high) use(u, most);
      }
      i += u <= v, j += v <= u;
    }
  }
  int shortest_row(const Int32* s, int k) const {
    int best = 0;
    for (int i = 1; i < k; ++i)
      if (offsets[s[i] + 1] - offsets[s[i]] < offsets[s[best] + 1] - offsets[s[best]]) best = i;
    return best;
  }

  const Index* offsets;
  const Int32* neighbors;
  const Word* ranks;
};

// The largest rank of an edge of s, which has two vertices at least.
template <class Graph>
Word diameter(const Graph& graph, const Int32* s, int k) {
  Word most = 0;
  for (int i = 1; i < k; ++i)
    for (int j = 0; j < i; ++j) most = std::max(most, graph.between(s[i], s[j]));
  return most;
}

// Place in t, of k >= 3 vertices and rank `level`, of the largest vertex m outside of I.
template <class Graph>
int outside_diametral(const Graph& graph, const Int32* t, int k, Word level) {
  Word common = ~(Word)0;
  for (int i = 1; i < k; ++i)
    for (int j = 0; j < i; ++j)
      if (graph.between(t[i], t[j]) == level) common &= bit(i) | bit(j);
  return lowest_bit(~common);
}

// Place in t of the vertex m for which (t - m, t) is an apparent pair, and t - m; or NONE = -1.
template <class Graph>
int apparent_facet(const Graph& graph, const Int32* t, int k, Word level, Int32* facet) {
  const int m = outside_diametral(graph, t, k, level);
  for (int i = 0, kept = 0; i < k; ++i)
    if (i != m) facet[kept++] = t[i];
  return graph.last_within(facet, k - 1, t[m], level) < 0 ? m : -1;
}

// t = s + u, and the place of u in it. s has k vertices.
inline int joined(const Int32* s, int k, Int32 u, Int32* t) {
  int at = 0;
  while (at < k && s[at] > u) t[at] = s[at], ++at;
  t[at] = u;
  for (int i = at; i < k; ++i) t[i + 1] = s[i];
  return at;
}

// The vertex u for which (s, s + u) is an apparent pair, s of rank `level`, and s + u; or -1.
template <class Graph>
Int32 apparent_cofacet(const Graph& graph, const Int32* s, int k, Word level, Int32* t) {
  const Int32 u = graph.last_within(s, k, -1, level);
  if (u < 0) return -1;
  Int32 facet[MOST_VERTICES];
  const int at = joined(s, k, u, t);
  return apparent_facet(graph, t, k + 1, level, facet) == at ? u : -1;
}

}  // namespace rips
#endif
