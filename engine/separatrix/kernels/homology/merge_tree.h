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
  explicit Pieces(Index n) : parent((size_t)n) { std::iota(parent.begin(), parent.end(), 0); }
  Int32 eldest_of(Int32 piece) {
    while (parent[piece] != piece) piece = parent[piece] = parent[parent[piece]];
    return piece;
  }
  void end_in(Int32 younger, Int32 elder) { parent[younger] = elder; }

private:
  std::vector<Int32> parent;
};

inline Index merge_by_edges(const Int32* age, Index n, const Int32* ends, const Int32* order, Index m, Int32* victim,
                            Byte* side) {
  const Int32 outside = (Int32)n;
  Pieces pieces(n + 1);
  Index n_merged = 0;
  for (Index i = 0; i < m; ++i) {
    check_cancelled_at(i);
    if (i + AHEAD < m) __builtin_prefetch(ends + 2 * (Index)order[i + AHEAD]);
    const Int32 edge = order[i];
    Int32 root[2];
    for (int end = 0; end < 2; ++end) {
      Int32 piece = ends[2 * (Index)edge + end];
      root[end] = pieces.eldest_of(piece == NONE ? outside : piece);
    }
    if (root[0] == root[1]) continue;
    const bool first_ends = root[1] == outside || (root[0] != outside && age[root[0]] > age[root[1]]);
    const int younger = first_ends ? 0 : 1;
    pieces.end_in(root[younger], root[1 - younger]);
    victim[edge] = root[younger];
    side[edge] = (Byte)younger;
    ++n_merged;
  }
  return n_merged;
}

// Merges along the edges of one part of a complex. A set with an open piece, which edges of other parts touch, too,
// may hold an older piece there, so its merges are left for later, with the oldest known pieces of both sets.
// OUTSIDE, n in the output, is open.
inline Index merge_closed_sets(const Int32* age, Index n, const Int32* ends, const Int32* order, Index m,
                               const Byte* open, Int32* victim, Int32* younger, Int32* elder) {
  const Int32 outside = (Int32)n;
  Pieces pieces(n + 1);
  std::vector<Byte> is_open(open, open + n);
  is_open.push_back(1);
  Index n_left = 0;
  for (Index i = 0; i < m; ++i) {
    check_cancelled_at(i);
    const Int32 edge = order[i];
    Int32 root[2];
    for (int end = 0; end < 2; ++end) {
      Int32 piece = ends[2 * (Index)edge + end];
      root[end] = pieces.eldest_of(piece == NONE ? outside : piece);
    }
    if (root[0] == root[1]) continue;
    const bool first_ends = root[1] == outside || (root[0] != outside && age[root[0]] > age[root[1]]);
    const Int32 ends_now = root[first_ends ? 0 : 1], stays = root[first_ends ? 1 : 0];
    pieces.end_in(ends_now, stays);
    if (is_open[ends_now]) {
      younger[edge] = ends_now;
      elder[edge] = stays;
      is_open[stays] = 1;
      ++n_left;
    } else {
      victim[edge] = ends_now;
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
    check_cancelled_at(i);
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
                              const Byte* open, Int32* victim, Int32* younger, Int32* elder),
          merge_closed_sets(age, n, ends, order, m, open, victim, younger, elder))
HOST_TASK(forest_roots, (const Int32* parent, const Word* event, Word now, Int32* root, Index n),
          roots_at(parent, event, now, root, n))
