// Classification of a simplex of a Rips filtration: birth or death of an apparent pair, or neither.
//
// Let L be the rank of s = {v_d > ... > v_0}, I the intersection of its diametral edges (pairs of rank L), m
// the largest vertex of s outside I, undefined for an edge. s without m is its youngest facet of rank L. Let u be
// the largest vertex above m, not of s, that all of s reach by ranks at most L: s with u is then the oldest
// cofacet of rank L, unless that lies below m, where it could be in no apparent pair.
//   - u exists: s is the birth of an apparent pair iff s is the youngest facet of rank L of s with u, that is
//     iff each vertex w > u of s lies on every edge of rank L at u;
//   - else, d >= 2: s is the death of one, (s without m, s), iff no vertex above m is reached by s without m;
//   - else it survives.
// Equal to the definition (Bauer 2021, section 3; Zhang, Xiao, Wang 2020, Lemma 7). An item function asks the
// graph for ranks, and for the highest vertex that some vertices reach: the matrix answers by rows.
#pragma once
#include "common/types.h"

enum { RIPS_VERTICES = 18 };  // of the largest simplex: dimension 16 and one more
enum RipsFate { RIPS_SURVIVES = 0, RIPS_BIRTH = 1, RIPS_DEATH = 2 };

// Ranks (n, stride), a pair of equal vertices or without an edge has all bits set.
template <class Rank> struct RipsMatrix {
  const Rank* rank;
  Index stride;
  Int32 n;
  ITEM_MEMBER const Rank* row(Int32 v) const { return rank + v * stride; }
  ITEM_MEMBER Rank at(Int32 u, Int32 v) const { return row(u)[v]; }
};

// Place in s of the largest vertex outside the intersection of its edges of rank L; d + 1 if there is none.
template <class Graph, class Rank> ITEM int rips_outside(const Graph& graph, const Int32* s, int d, Rank L) {
  Word shared = ((Word)2 << d) - 1;
  for (int i = 0; i < d; ++i)
    for (int j = i + 1; j <= d; ++j)
      if (graph.at(s[i], s[j]) == L) shared &= bit(i) | bit(j);
  const Word outside = ~shared & (((Word)2 << d) - 1);
  return outside ? lowest_bit(outside) : d + 1;
}

// Whether s is the youngest facet of rank L of s with u.
template <class Graph, class Rank>
ITEM bool rips_is_youngest(const Graph& graph, const Int32* s, int d, Rank L, Int32 u) {
  int above = 0, edges = 0, on_edge = -1;
  for (int i = 0; i <= d; ++i) {
    above += s[i] > u;
    if (graph.at(u, s[i]) == L) ++edges, on_edge = i;
  }
  if (above == 0 || edges == 0) return true;
  return above == 1 && edges == 1 && on_edge == 0;
}

// The fate of s of rank L. `from`: vertices above it are known not to be reached by all of s.
template <class Graph, class Rank>
ITEM RipsFate rips_fate(const Graph& graph, const Int32* s, int d, Rank L, Int32 from) {
  const int place = rips_outside(graph, s, d, L);
  const Int32 m = place > d ? -1 : s[place];
  const Int32 u = from > m ? graph.highest(s, d, -1, L, from, m) : -1;
  if (u >= 0) return rips_is_youngest(graph, s, d, L, u) ? RIPS_BIRTH : RIPS_SURVIVES;
  if (d < 2) return RIPS_SURVIVES;
  return graph.highest(s, d, place, L, graph.n - 1, m) < 0 ? RIPS_DEATH : RIPS_SURVIVES;
}
