// Step 2 of saddle_log.h: for each remaining 2-saddle, the remaining 1-saddle that is nearest in
// value, among those that exactly one V-path connects to it.
#pragma once
#include "morse/reaches.h"
#include "morse/saddle_search.h"

#if !ON_GPU
  #include <cmath>
  #include <vector>

// One cell per pair, in 32 bits if possible.
struct PairedCells {
  const Word* low;
  const Byte* high;  // bits from 32 on, or null
  Index operator[](Index k) const { return (Index)low[k] | (high ? (Index)high[k] << 32 : 0); }
};
struct SaddlePairs {
  Index n;
  PairedCells upper, lower;
  const Real *persistence, *upper_value, *lower_value;
};

// The cells below `end` that cell_of(k) returns for ordinals k, which they replace.
class CellsInPlace {
 public:
  template <class CellOf> CellsInPlace(Word* ordinals, Index n, Index end, CellOf cell_of) : low(ordinals) {
    if (end > (Index)1 << 32) high.resize((std::size_t)n);
    for (Index k = 0; k < n; ++k) {
      const Index cell = cell_of(ordinals[k]);
      low[k] = (Word)cell;
      if (!high.empty()) high[(std::size_t)k] = (Byte)(cell >> 32);
    }
  }
  PairedCells cells() const { return {low, high.empty() ? nullptr : high.data()}; }

 private:
  Word* const low;
  std::vector<Byte> high;
};

// Map from cells to values by open addressing.
template <class Value>
class CellMap {
 public:
  CellMap() : places(64) {}
  bool has(Index cell) const { return places[place_of(cell)].is_taken; }
  const Value* find(Index cell) const {
    const Place& place = places[place_of(cell)];
    return place.is_taken ? &place.value : nullptr;
  }
  // Changes nothing if the cell is there already.
  void insert(Index cell, Value value) {
    Place& place = places[place_of(cell)];
    if (place.is_taken) return;
    place = {cell, value, true};
    if (2 * ++n > places.size()) grow();
  }

 private:
  struct Place {
    Index cell;
    Value value;
    bool is_taken;
  };
  std::vector<Place> places;
  std::size_t n = 0;

  std::size_t place_of(Index cell) const {
    const std::size_t mask = places.size() - 1;
    std::size_t at = (std::size_t)((Wide)cell * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (places[at].is_taken && places[at].cell != cell) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Place> old(2 * places.size());
    old.swap(places);
    for (const Place& place : old)
      if (place.is_taken) places[place_of(place.cell)] = place;
  }
};

// The 2-saddle of one pair and the 1-saddle of another, or NONE.
struct SaddleArc {
  Real difference;
  Int32 upper, lower;
  bool operator<(const SaddleArc& other) const {
    return difference != other.difference ? difference < other.difference : upper < other.upper;
  }
};

template <class Cells>
class NearestSaddles {
 public:
  NearestSaddles(const Cells& cells, SaddlePairs pairs, int n_threads) : cells(cells), pairs(pairs), n_threads(n_threads) {}

  // Adds pairs of which a saddle is left; those added before may be among them.
  void add(const std::vector<Int32>& left, const std::vector<Byte>& upper_is_gone, const std::vector<Byte>& lower_is_gone) {
    if (changed.empty()) changed.assign((std::size_t)cells.n_places(), 0);
    tracers.resize((std::size_t)n_threads);
    is_added.resize((std::size_t)pairs.n, 0);
    traced.erase(std::remove_if(traced.begin(), traced.end(), [&](const Traced& one) { return upper_is_gone[one.upper]; }),
                 traced.end());
    for (Int32 i : left) {
      if (is_added[i]) continue;
      is_added[i] = 1;
      if (!upper_is_gone[i]) traced.push_back({i, {0, NONE, NONE}, 0, {}});
      if (lower_is_gone[i]) continue;
      number.insert(pairs.lower[i], i);
      mark(pairs.lower[i]);
    }
    // By place, so that consecutive searches read the same memory.
    std::sort(traced.begin(), traced.end(),
              [&](const Traced& a, const Traced& b) { return pairs.upper[a.upper] < pairs.upper[b.upper]; });
  }
  // The edge has a new partner, or is the 1-saddle of a pair that was added.
  void mark(Index edge) {
    if (changed.empty()) return;
    cells.for_squares_at(edge, [&](Index square) { __atomic_store_n(&changed[cells.place(square)], round, __ATOMIC_RELAXED); });
  }
  // The arcs of the 2-saddles that are left, by difference, which is at most the level.
  const std::vector<SaddleArc>& arcs(const std::vector<Byte>& upper_is_gone, Real level) {
    ++round;
    deal_out(n_threads, (Index)traced.size(), 16, [&](int thread, Index k) {
      Traced& one = traced[k];
      if (upper_is_gone[one.upper]) return;
      const auto has_changed = [&](Int32 place) { return changed[place] >= one.when; };
      if (one.when && std::none_of(one.places.begin(), one.places.end(), has_changed)) return;
      one.when = round;
      trace(tracers[thread], one);
    });
    found.clear();
    for (const Traced& one : traced)
      if (!upper_is_gone[one.upper] && one.arc.upper != NONE && one.arc.difference <= level) found.push_back(one.arc);
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  // The nearest 1-saddle of a 2-saddle, and the places that were read to find it. It is searched
  // again only if one of them has changed.
  struct Traced {
    Int32 upper;
    SaddleArc arc;
    Word when;  // 0: never
    std::vector<Int32> places;
  };
  // Numbers items in the order in which they are added, at most JOIN_REACH of them.
  template <class Item>
  class Numbered {
   public:
    std::vector<Item> items;
    void clear() {
      items.clear();
      if (++generation < 0xffffffffu / JOIN_REACH) return;
      std::fill(slots, slots + N_SLOTS, 0);
      generation = 1;
    }
    // The number of an item, which is added if it is new and there is room; otherwise NONE.
    Int32 number_of(Item item) {
      Word at = (Word)((Wide)item * 0x9e3779b97f4a7c15ull >> 32) % N_SLOTS;
      for (; slots[at] / JOIN_REACH == generation; at = (at + 1) % N_SLOTS)
        if (items[slots[at] % JOIN_REACH] == item) return (Int32)(slots[at] % JOIN_REACH);
      if (items.size() == JOIN_REACH) return NONE;
      slots[at] = generation * JOIN_REACH + (Word)items.size();
      items.push_back(item);
      return (Int32)items.size() - 1;
    }

   private:
    static constexpr Word N_SLOTS = 2 * JOIN_REACH;
    Word slots[N_SLOTS] = {};  // generation * JOIN_REACH + number
    Word generation = 0;
  };
  struct Tracer {
    Numbered<Index> squares;
    Numbered<Int32> places;
    std::vector<Int32> onward, waits_for, ready;  // up to 4 squares from each
    std::vector<Byte> paths;                      // 0, 1, or 2 for more
    std::vector<std::pair<Index, Byte>> ends;
  };

  void trace(Tracer& t, Traced& one) const {
    const Int32 i = one.upper;
    const Index p = pairs.upper[i];
    t.squares.clear();
    t.places.clear();
    t.squares.number_of(p);
    t.onward.resize(4 * JOIN_REACH);
    t.waits_for.assign(JOIN_REACH, 0);
    t.ends.clear();
    for (std::size_t k = 0; k < t.squares.items.size(); ++k) {
      throw_if_canceled_at((Index)k);
      const Index square = t.squares.items[k];
      t.places.number_of(cells.place(square));
      Int32* onward = &t.onward[4 * k];
      cells.for_edges_of(square, [&](Index edge) {
        const Index next = cells.square_of(edge);
        if (next == NONE) {
          if (!cells.is_critical(edge) || !number.has(edge)) return;
          t.ends.push_back({edge, 0});
          *onward++ = -1 - (Int32)t.ends.size();
          return;
        }
        if (next == square) return;
        const Int32 to = t.squares.number_of(next);
        if (to == NONE) return;
        if (!t.waits_for[to]) cells.prefetch(next);
        *onward++ = to;
        ++t.waits_for[to];
      });
      if (onward < &t.onward[4 * k] + 4) *onward = NONE;
    }
    one.places = t.places.items;
    one.arc = {0, NONE, NONE};
    if (t.ends.empty()) return;
    t.paths.assign(JOIN_REACH, 0);
    t.paths[0] = 1;
    t.ready.assign(1, 0);
    while (!t.ready.empty()) {  // Kahn 1962
      const Int32 from = t.ready.back();
      t.ready.pop_back();
      for (int k = 0; k < 4 && t.onward[4 * from + k] != NONE; ++k) {
        const Int32 to = t.onward[4 * from + k];
        if (to < 0) {
          t.ends[-2 - to].second = t.paths[from];
          continue;
        }
        t.paths[to] = (Byte)std::min(2, t.paths[to] + t.paths[from]);
        if (!--t.waits_for[to]) t.ready.push_back(to);
      }
    }
    std::sort(t.ends.begin(), t.ends.end());
    SaddleArc& best = one.arc;
    for (std::size_t k = 0; k < t.ends.size();) {
      const Index edge = t.ends[k].first;
      int n = 0;
      for (; k < t.ends.size() && t.ends[k].first == edge; ++k) n += t.ends[k].second;
      const Int32 j = *number.find(edge);
      const Real difference = std::fabs(pairs.upper_value[i] - pairs.lower_value[j]);
      if (n != 1) continue;
      if (best.upper == NONE || difference < best.difference || (difference == best.difference && j < best.lower))
        best = {difference, i, j};
    }
  }

  const Cells& cells;
  const SaddlePairs pairs;
  const int n_threads;
  std::vector<Traced> traced;
  std::vector<Word> changed;  // by place: the last round in which a cell did; empty before the first pair
  Word round = 1;             // number of calls of arcs
  std::vector<Byte> is_added;  // by pair
  CellMap<Int32> number;       // the pair of each 1-saddle that was added
  std::vector<SaddleArc> found;
  std::vector<Tracer> tracers;
};
#endif
