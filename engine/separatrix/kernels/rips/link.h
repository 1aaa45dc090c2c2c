// The working column at a rank that only one edge ab has: entries {a, b} + P, as a set of the
// numbers of P.
//
// All entries lie in the link of ab, where P are the simplices, ordered by their combinatorial
// indices, so a bit per simplex, over Z/2, replaces the queue. Cofacets within the rank depend on a
// and b only through one row, computed once per rank: the larger of r(a, u) and r(b, u).
#pragma once
#include "common/bit_tree.h"
#include "rips/reduction_graph.h"

#if !ON_GPU
#include <vector>

namespace rips {

// Edge a * n + b of each rank, a > b; NONE where several have that rank, or no edge.
template <class Graph>
std::vector<Int32> edges_of_ranks(const Graph& graph, Index n_ranks) {
  std::vector<Int32> edge_of((size_t)n_ranks, -2);
  for (Int32 a = 1; a < graph.n; ++a)
    for (Int32 b = 0; b < a; ++b) {
      const Word rank = graph.between(a, b);
      if (rank < (Word)n_ranks) edge_of[rank] = edge_of[rank] == -2 ? a * graph.n + b : NONE;
    }
  for (Int32& edge : edge_of) edge = edge < 0 ? NONE : edge;
  return edge_of;
}

template <class Graph>
class Link {
public:
  enum : Index { MOST_ENTRIES = 1 << 23, MOST_POINTS = 2048 };

  // Whether a set of all P with `size` of n vertices is small enough.
  static bool fits(Index n, int size) {
    if (n > MOST_POINTS) return false;
    Index count = 1;
    for (int i = 0; i < size; ++i)
      if ((count = count * (n - i) / (i + 1)) > MOST_ENTRIES) return false;
    return true;
  }

  // `size` vertices in P; none: a link that is never used.
  Link(const Graph& graph, int size)
      : graph(graph), size(size), n(size > 0 ? graph.n : 0), choose((size_t)size * n), entries(count() + 1),
        pair_row((size_t)n) {
    for (int i = 0; i < size; ++i)
      for (Int32 v = 0; v < n; ++v)
        choose[(size_t)i * n + v] = v == 0 ? 0 : chosen(i, v - 1) + (i == 0 ? 1 : chosen(i - 1, v - 1));
  }

  void begin(Int32 edge) {
    a = edge / n, b = edge % n;
    graph.larger_row(a, b, pair_row.data());
  }
  void flip(const Int32* t) {  // size + 2 vertices
    Int32 number = 0;
    for (int i = 0, place = size; place > 0; ++i)
      if (t[i] != a && t[i] != b) number += chosen(--place, t[i]);
    entries.flip(number);
  }
  // The oldest entry, taken out; false if there is none.
  bool pop(Int32* t) {
    Int32 number = entries.maximum();
    if (number < 0) return false;
    entries.flip(number);
    Int32 p[MOST_VERTICES];
    for (int i = 0; i < size; ++i) {
      const Int32* row = choose.data() + (size_t)(size - 1 - i) * n;
      p[i] = (Int32)(std::upper_bound(row, row + n, number) - row) - 1;
      number -= row[p[i]];
    }
    Int32 with_b[MOST_VERTICES];
    joined(p, size, b, with_b);
    joined(with_b, size + 1, a, t);
    return true;
  }
  void clear() {
    for (Int32 last = entries.maximum(); last >= 0; last = entries.maximum()) entries.flip(last);
  }

  // See apparent_facet: t has size + 2 vertices.
  int apparent_facet(const Int32* t, Word level, Int32* facet) const {
    int m = 0;
    while (t[m] == a || t[m] == b) ++m;
    for (int i = 0, kept = 0; i < size + 2; ++i)
      if (i != m) facet[kept++] = t[i];
    const auto rows = rows_of(facet);
    return graph.last_in_rows(rows.row, size, facet, size + 1, t[m], level) < 0 ? m : -1;
  }

  // Cofacets s + u of rank `level`, u != skipped, are flipped, those of higher rank up to `end` handed to use(u, rank).
  template <class Use>
  void emit(const Int32* s, Word level, Word end, Int32 skipped, Use use) {
    const auto rows = rows_of(s);
    int place = size - 1;  // number of vertices of s - a - b above u
    Int32 others = others_of(rows.vertex, place);
    graph.scan_rows(rows.row, size, s, size + 1, level, level, end, [&](Int32 u, Word rank) {
      if (u == skipped) return;
      if (rank > level) return use(u, rank);
      if (place > 0 && rows.vertex[place - 1] < u) {
        while (place > 0 && rows.vertex[place - 1] < u) --place;
        others = others_of(rows.vertex, place);
      }
      entries.flip(others + chosen(size - 1 - place, u));
    });
  }

private:
  typedef typename Graph::Row Row;
  struct Rows {
    const Row* row[MOST_VERTICES];
    Int32 vertex[MOST_VERTICES];
  };
  // Rows of s - a - b, and before these the one of a and b.
  Rows rows_of(const Int32* s) const {
    Rows rows;
    rows.row[0] = pair_row.data();
    for (int i = 0, kept = 0; i < size + 1; ++i)
      if (s[i] != a && s[i] != b) {
        rows.vertex[kept] = s[i];
        rows.row[++kept] = graph.row(s[i]);
      }
    return rows;
  }
  // What the other size - 1 vertices contribute to the number of P if a vertex is inserted at
  // `place`.
  Int32 others_of(const Int32* vertex, int place) const {
    Int32 number = 0;
    for (int i = 0; i < size - 1; ++i) number += chosen(size - 1 - i - (i >= place), vertex[i]);
    return number;
  }
  Int32 chosen(int i, Int32 v) const { return choose[(size_t)i * n + v]; }  // v choose i + 1
  Index count() const {
    Index count = n > 0;
    for (int i = 0; i < size; ++i) count = count * (n - i) / (i + 1);
    return count;
  }

  const Graph& graph;
  const int size;
  const Int32 n;
  std::vector<Int32> choose;
  BitTree entries;
  std::vector<Row> pair_row;
  Int32 a = NONE, b = NONE;
};

struct NoLink {  // of graphs without rows
  template <class Graph>
  NoLink(const Graph&, int) {}
  static bool fits(Index, int) { return false; }
  void begin(Int32) {}
  void flip(const Int32*) {}
  bool pop(Int32*) { return false; }
  void clear() {}
  int apparent_facet(const Int32*, Word, Int32*) const { return NONE; }
  template <class Use>
  void emit(const Int32*, Word, Word, Int32, Use) {}
};

template <class Graph, bool has_rows = Graph::HAS_ROWS>
struct LinkOf {
  typedef Link<Graph> Type;
};
template <class Graph>
struct LinkOf<Graph, false> {
  typedef NoLink Type;
};

}  // namespace rips
#endif
