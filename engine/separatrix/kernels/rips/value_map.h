// A map from packed simplices to ids: open addressing with linear probing, at most half full.
#pragma once
#include "common/hash_set.h"
#include "rips/lunes.h"

#if !ON_GPU
#include <vector>

namespace rips {

class ValueMap {
public:
  struct Entry {
    Wide key = EMPTY_SLOT;
    Int32 id = UNKNOWN, via = UNKNOWN;  // via: a vertex of the lune of an edge, or -1
  };

  Index size() const { return n_keys; }
  const Entry* find(Wide key) const {
    const Entry& entry = entries[place_of(key)];
    return entry.key == key ? &entry : nullptr;
  }
  void fetch(Wide key) const { __builtin_prefetch(&entries[mixed(key) & (entries.size() - 1)]); }
  void set(Wide key, Int32 id) { entry_of(key).id = id; }
  void set_via(Wide key, Int32 via) { entry_of(key).via = via; }
  void make_room(Index n_more) {
    size_t n_entries = entries.size();
    while (2 * (size_t)(n_keys + n_more) >= n_entries) n_entries *= 2;
    if (n_entries > entries.size()) keep(n_entries, [](const Entry&) { return true; });
  }
  // Removes the other entries if the number of all entries has doubled since the last time.
  template <class Stays>
  void keep_if(const Stays& stays) {
    if (n_keys < 2 * n_kept) return;
    keep(entries.size(), stays);
    n_kept = std::max<Index>(n_keys, 1 << 10);
  }

private:
  Entry& entry_of(Wide key) {
    make_room(1);
    Entry& entry = entries[place_of(key)];
    n_keys += entry.key != key;
    entry.key = key;
    return entry;
  }
  size_t place_of(Wide key) const {
    const size_t mask = entries.size() - 1;
    size_t at = mixed(key) & mask;
    while (entries[at].key != key && entries[at].key != EMPTY_SLOT) at = (at + 1) & mask;
    return at;
  }
  template <class Stays>
  void keep(size_t n_entries, const Stays& stays) {
    std::vector<Entry> old(n_entries);
    old.swap(entries);
    n_keys = 0;
    for (const Entry& entry : old) {
      if (entry.key == EMPTY_SLOT || !stays(entry)) continue;
      entries[place_of(entry.key)] = entry;
      ++n_keys;
    }
  }

  Index n_keys = 0, n_kept = 1 << 10;
  std::vector<Entry> entries = std::vector<Entry>(1 << 10);
};

// Lunes of edges that are not stored: values are computed when they are needed, and then kept by the names of the ends.
class ValuesOnDemand {
public:
  static constexpr bool ON_DEMAND = true;

  Int32 id(Int32 u, Int32 v) const {
    const auto* const found = ids.find(key(u, v));
    return found == nullptr ? UNKNOWN : found->id;
  }
  void set_id(Int32 u, Int32 v, Int32 id) { ids.set(key(u, v), id); }
  template <class Edge> static bool is_near_held(const Edge&) { return true; }
  template <class Edge> void add(const Edge&) {}
  template <class Edge> void hold(const Edge& e, Int32 value) {
    if (value != 0) set_id(e.high, e.low, value);
  }

protected:
  static Wide key(Int32 u, Int32 v) { return (Wide)std::max(u, v) << 32 | (Wide)std::min(u, v); }
  ValueMap ids;
};

}  // namespace rips
#endif
