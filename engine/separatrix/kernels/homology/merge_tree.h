// Merge tree of pieces by the elder rule: edges join pieces in a given order, and the younger piece ends.
//
// Union-find with path halving, where the root of a set is its oldest piece; O(m log n) in the worst case, nearly
// linear in practice. Edelsbrunner, Letscher, Zomorodian 2002. A piece NONE is the virtual
// OUTSIDE, older than all.
// In: age (n,), lower is older; ends (2 * n_edges,), pieces or NONE; order (m,) of the edges, which may omit some.
// Out, by edge: victim, the piece whose set ends there, unchanged if none does; side, the end of the
// edge that is in the set of the victim.
#pragma once
#include "common/types.h"

enum { AHEAD = 16 };  // edges whose ends are prefetched, because their places are random

#if !ON_GPU
#include <numeric>
#include <vector>

class Pieces {
public:
  Int32 younger, elder;  // of the last join
  Byte side;

  explicit Pieces(Index n) : parent((size_t)n) { std::iota(parent.begin(), parent.end(), 0); }
  Int32 eldest_of(Int32 piece) {
    while (parent[piece] != piece) piece = parent[piece] = parent[parent[piece]];
    return piece;
  }
  void end_in(Int32 younger, Int32 elder) { parent[younger] = elder; }

  // Joins the sets at both ends of an edge. False if they are one set; otherwise `younger` and `elder`
  // are their oldest pieces before, and `side` is the end in the set of `younger`.
  bool join(const Int32* ends, const Int32* age) {
    const Int32 outside = (Int32)parent.size() - 1;
    const Int32 a = eldest_of(ends[0] == NONE ? outside : ends[0]), b = eldest_of(ends[1] == NONE ? outside : ends[1]);
    if (a == b) return false;
    side = !(b == outside || (a != outside && age[a] > age[b]));
    younger = side ? b : a;
    elder = side ? a : b;
    end_in(younger, elder);
    return true;
  }

private:
  std::vector<Int32> parent;
};

inline Index merge_by_edges(const Int32* age, Index n, const Int32* ends, const Int32* order, Index m, Int32* victim,
                            Byte* side) {
  Pieces pieces(n + 1);
  Index n_merged = 0;
  for (Index i = 0; i < m; ++i) {
    throw_if_canceled_at(i);
    if (i + AHEAD < m) __builtin_prefetch(ends + 2 * (Index)order[i + AHEAD]);
    const Int32 edge = order[i];
    if (!pieces.join(ends + 2 * (Index)edge, age)) continue;
    victim[edge] = pieces.younger;
    side[edge] = pieces.side;
    ++n_merged;
  }
  return n_merged;
}

// Merges along the edges of one part of a complex. A set with an open piece, which edges of other parts touch, too,
// may hold an older piece there, so its merges are left for later, with the oldest known pieces of both sets, and
// `side` is the end of the edge in the set of `younger`. OUTSIDE, n in the output, is open.
inline Index merge_closed_sets(const Int32* age, Index n, const Int32* ends, const Int32* order, Index m,
                               const Byte* open, Int32* victim, Int32* younger, Int32* elder, Byte* side) {
  Pieces pieces(n + 1);
  std::vector<Byte> is_open(open, open + n);
  is_open.push_back(1);
  Index n_left = 0;
  for (Index i = 0; i < m; ++i) {
    throw_if_canceled_at(i);
    const Int32 edge = order[i];
    if (!pieces.join(ends + 2 * (Index)edge, age)) continue;
    side[edge] = pieces.side;
    if (is_open[pieces.younger]) {
      younger[edge] = pieces.younger;
      elder[edge] = pieces.elder;
      is_open[pieces.elder] = 1;
      ++n_left;
    } else {
      victim[edge] = pieces.younger;
    }
  }
  return n_left;
}

// Roots of a forest at one time: item i points to parent[i] if event[i] <= now, otherwise it is a root.
// Parents below 0 (NONE, OUTSIDE) are codes of roots. Each path is traversed once: O(n).
inline Index roots_at(const Int32* parent, const Word* event, Word now, Int32* root, Index n) {
  const Int32 unknown = -128;
  for (Index i = 0; i < n; ++i) root[i] = event[i] <= now ? unknown : (Int32)i;
  for (Index i = 0; i < n; ++i) {
    throw_if_canceled_at(i);
    Int32 end = (Int32)i;
    while (end >= 0 && root[end] == unknown) end = parent[end];
    if (end >= 0) end = root[end];
    for (Int32 at = (Int32)i; at >= 0 && root[at] == unknown; at = parent[at]) root[at] = end;
  }
  return n;
}
#endif

HOST_TASK(merge_pieces, (const Int32* age, Index n, const Int32* ends, const Int32* order, Index m, Int32* victim,
                         Byte* side),
          merge_by_edges(age, n, ends, order, m, victim, side))
HOST_TASK(merge_open_pieces, (const Int32* age, Index n, const Int32* ends, const Int32* order, Index m,
                              const Byte* open, Int32* victim, Int32* younger, Int32* elder, Byte* side),
          merge_closed_sets(age, n, ends, order, m, open, victim, younger, elder, side))
HOST_TASK(forest_roots, (const Int32* parent, const Word* event, Word now, Int32* root, Index n),
          roots_at(parent, event, now, root, n))
