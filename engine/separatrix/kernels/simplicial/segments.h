// Leaves of an octree are intervals of the Hilbert order, for any capacity.
#pragma once
#include "common/rows.h"

// Levels of the octree, 0 to 21, that two keys of 63 bits share: their common leading groups of three.
ITEM Byte shared_level(Index a, Index b) {
  Byte level = 0;
  for (Wide differing = (Wide)(a ^ b); level < 21 && (differing >> (60 - 3 * level)) == 0;) ++level;
  return level;
}
// One level below the octant that keys i and i + apart share.
ITEM Byte level_below(Index a, Index b) {
  const Byte level = shared_level(a, b);
  return level < 21 ? level + 1 : level;
}
KERNEL(share_levels, (const Index* keys, Index apart, Byte* levels), levels[i] = level_below(keys[i], keys[i + apart]))
// The deepest level of two windows, which begin `apart` vertices apart.
KERNEL(join_windows, (const Byte* levels, Index apart, Byte* deepest),
       deepest[i] = i >= apart && levels[i - apart] > levels[i] ? levels[i - apart] : levels[i])
// Vertices that begin a leaf, given the level of the leaf of each.
KERNEL(begin_leaves, (const Index* keys, const Byte* levels, Byte* is_first),
       is_first[i] = i == 0 || shared_level(keys[i - 1], keys[i]) < levels[i])

// Leaves of more than `size` vertices, of the finest level, are cut: starts (n_leaves,), pieces (n_leaves + 1,).
KERNEL(count_pieces, (const Index* starts, Index n_leaves, Index n, Index size, Int32* counts),
       counts[i] = (Int32)(((i + 1 < n_leaves ? starts[i + 1] : n) - starts[i] + size - 1) / size))
ITEM Int32 cut_of(const Index* starts, const Index* pieces, Index n_leaves, Index n, Index size, Index piece) {
  if (piece == pieces[n_leaves]) return (Int32)n;
  const Index leaf = row_of_item(pieces, n_leaves, piece);
  return (Int32)(starts[leaf] + (piece - pieces[leaf]) * size);
}
KERNEL(cut_leaves, (const Index* starts, const Index* pieces, Index n_leaves, Index n, Index size, Int32* cuts),
       cuts[i] = cut_of(starts, pieces, n_leaves, n, size, i))
