// Sets of numbers joined by pairs (union-find with path halving); the least number is a set's name.
#pragma once
#include "homology/merge_tree.h"

#if !ON_GPU
class Sets {
public:
  explicit Sets(Index n) : pieces(n) {}
  Int32 name(Index item) { return pieces.eldest_of((Int32)item); }
  // False if they are in one set.
  bool join(Index a, Index b) {
    const Int32 one = name(a), other = name(b);
    if (one != other) pieces.end_in(one < other ? other : one, one < other ? one : other);
    return one != other;
  }

private:
  Pieces pieces;
};

inline Index name_sets_of(const Int32* pairs, Index n_pairs, Int32* name, Index n) {
  Sets sets(n);
  for (Index i = 0; i < n_pairs; ++i) {
    throw_if_canceled_at(i);
    sets.join(pairs[2 * i], pairs[2 * i + 1]);
  }
  for (Index i = 0; i < n; ++i) name[i] = sets.name(i);
  return n;
}
#endif

// In: pairs (n_pairs, 2) of items below n. Out: name (n,), the least item of the set of each.
HOST_TASK(name_sets, (const Int32* pairs, Index n_pairs, Int32* name, Index n), name_sets_of(pairs, n_pairs, name, n))
