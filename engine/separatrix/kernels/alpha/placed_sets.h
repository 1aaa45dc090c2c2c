// Sets of items that are placed beside each other in a lattice, such as parts of a region in a periodic box.
//
// A step (a, b, apart) places item b beyond item a: place of b = place of a + apart. Items that steps connect are one set,
// in which places count from the least item, the name of the set. Where steps lead back to an item at another place, the set
// repeats: its rank is that of all such differences, the number of independent directions (Haldoupis, Nair, Sholl 2010).
// Union-find with path halving. Places are three whole numbers in one, of PLACE_BITS bits each, which sums preserve.
#pragma once
#include "common/types.h"

enum { PLACE_BITS = 21 };

#if !ON_GPU
#include <numeric>
#include <vector>

struct LatticePlace {
  Index x, y, z;
};
inline LatticePlace unpacked(Index place) {
  const auto last = [](Index number) { return (Index)((Wide)number << (64 - PLACE_BITS)) >> (64 - PLACE_BITS); };
  const Index z = last(place), rest = (place - z) >> PLACE_BITS, y = last(rest);
  return {(rest - y) >> PLACE_BITS, y, z};
}

class PlacedSets {
public:
  struct Item {
    Int32 name;
    Index place;
  };
  explicit PlacedSets(Index n) : parent((size_t)n), place((size_t)n, 0) {
    std::iota(parent.begin(), parent.end(), 0);
  }
  Item at(Index item) {
    Int32 i = (Int32)item;
    Index sum = 0;
    while (parent[i] != i) {
      place[i] += place[parent[i]];
      parent[i] = parent[parent[i]];
      sum += place[i];
      i = parent[i];
    }
    return {i, sum};
  }
  void join(Index a, Index b, Index apart) {
    const Item one = at(a), other = at(b);
    const Index difference = one.place + apart - other.place;  // from the place of the other's name to that of the one's
    if (one.name < other.name) parent[other.name] = one.name, place[other.name] = difference;
    else if (one.name > other.name) parent[one.name] = other.name, place[one.name] = -difference;
    else if (difference != 0) loops.push_back({one.name, difference});
  }
  // Rank of each set, by name.
  std::vector<Int8> ranks() {
    std::vector<Int8> rank(parent.size(), 0);
    std::vector<LatticePlace> basis[2];
    if (loops.empty()) return rank;
    for (auto& vectors : basis) vectors.resize(parent.size());
    for (const Item& loop : loops) {
      const Int32 name = at(loop.name).name;
      const LatticePlace v = unpacked(loop.place), a = basis[0][name], b = basis[1][name];
      const LatticePlace n = rank[name] == 0 ? v : rank[name] == 1 ? cross(a, v) : cross(a, b);
      const bool is_new = rank[name] < 2 ? n.x != 0 || n.y != 0 || n.z != 0 : n.x * v.x + n.y * v.y + n.z * v.z != 0;
      if (rank[name] == 3 || !is_new) continue;
      if (rank[name] < 2) basis[rank[name]][name] = v;
      ++rank[name];
    }
    return rank;
  }

private:
  static LatticePlace cross(const LatticePlace& a, const LatticePlace& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  std::vector<Int32> parent;
  std::vector<Index> place;  // from that of the parent
  std::vector<Item> loops;
};

inline Index rank_sets_of(const Int32* pairs, const Index* apart, Index n_pairs, Int8* rank, Index n) {
  PlacedSets sets(n);
  for (Index i = 0; i < n_pairs; ++i) {
    throw_if_canceled_at(i);
    sets.join(pairs[2 * i], pairs[2 * i + 1], apart[i]);
  }
  const std::vector<Int8> ranks = sets.ranks();
  for (Index i = 0; i < n; ++i) rank[i] = ranks[sets.at(i).name];
  return n;
}
#endif

// In: pairs (n_pairs, 2) of items below n, apart (n_pairs,) places of the second from the first. Out: rank (n,) of the set of
// each item.
HOST_TASK(rank_sets, (const Int32* pairs, const Index* apart, Index n_pairs, Int8* rank, Index n),
          rank_sets_of(pairs, apart, n_pairs, rank, n))
