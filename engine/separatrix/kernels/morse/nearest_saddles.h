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
      if (!upper_is_gone[i]) traced.push_back({i, {0, NONE, NONE}, 0, 0, {}});
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
  // The arcs of the 2-saddles that are left, by difference, which is at most the level. Places are not kept at the end.
  const std::vector<SaddleArc>& arcs(const std::vector<Byte>& upper_is_gone, Real level, Word reach, bool is_end) {
    ++round;
    deal_out(n_threads, (Index)traced.size(), 16, [&](int thread, Index k) {
      Traced& one = traced[k];
      if (upper_is_gone[one.upper]) return;
      const auto has_changed = [&](Int32 place) { return changed[place] >= one.when; };
      if (one.when && one.reach == reach && std::none_of(one.places.begin(), one.places.end(), has_changed)) return;
      one.when = round;
      one.reach = reach;
      trace(tracers[thread], one);
      if (is_end) std::vector<Int32>().swap(one.places);
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
    Word when, reach;  // 0: never
    std::vector<Int32> places;
  };
  // The squares of a search in the order in which they are added, and a hash table of them.
  struct Tracer {
    std::vector<Index> squares, edges;
    void clear() {
      squares.clear();
      edges.clear();
      if (++generation < 0xffffffffu / FAR_REACH) return;
      std::fill(slots, slots + N_SLOTS, 0);
      generation = 1;
    }
    bool has(Index square) const { return is_taken(slot_of(square)); }
    // Adds a square if it is new and there is room.
    bool add(Index square, Word reach) {
      const Word at = slot_of(square);
      if (is_taken(at) || squares.size() == reach) return false;
      slots[at] = generation * FAR_REACH + (Word)squares.size();
      squares.push_back(square);
      return true;
    }

   private:
    static constexpr Word N_SLOTS = 2 * FAR_REACH;
    Word slots[N_SLOTS] = {};  // generation * FAR_REACH + number
    Word generation = 0;
    bool is_taken(Word at) const { return slots[at] / FAR_REACH == generation; }
    Word slot_of(Index square) const {
      Word at = (Word)((Wide)square * 0x9e3779b97f4a7c15ull >> 32) % N_SLOTS;
      while (is_taken(at) && squares[slots[at] % FAR_REACH] != square) at = (at + 1) % N_SLOTS;
      return at;
    }
  };

  void trace(Tracer& t, Traced& one) const {
    const Int32 i = one.upper;
    const Index p = pairs.upper[i];
    t.clear();
    t.add(p, one.reach);
    one.places.clear();
    for (std::size_t k = 0; k < t.squares.size(); ++k) {
      throw_if_canceled_at((Index)k);
      const Index square = t.squares[k];
      look(cells, square, one.places);
      cells.for_edges_of(square, [&](Index edge) {
        const Index next = cells.square_of(edge);
        if (next == NONE) {
          if (cells.is_critical(edge) && number.has(edge)) t.edges.push_back(edge);
        } else if (next != square && t.add(next, one.reach)) {
          cells.prefetch(next);
        }
      });
    }
    std::sort(one.places.begin(), one.places.end());
    one.places.erase(std::unique(one.places.begin(), one.places.end()), one.places.end());
    one.places.shrink_to_fit();
    SaddleArc& best = one.arc = {0, NONE, NONE};
    for (const Index edge : t.edges) {
      const Int32 j = *number.find(edge);
      const Real difference = std::fabs(pairs.upper_value[i] - pairs.lower_value[j]);
      const bool is_nearer =
          best.upper == NONE || difference < best.difference || (difference == best.difference && j < best.lower);
      if (is_nearer && has_one_path(t, p, edge)) best = {difference, i, j};
    }
  }
  // Whether the paths from p to an edge, within the squares that were reached, do not divide on the way back.
  bool has_one_path(const Tracer& t, Index p, Index edge) const {
    for (Index square = NONE; square != p; edge = cells.edge_of(square)) {
      Index before = NONE;
      int n_ways = 0;
      cells.for_squares_at(edge, [&](Index other) {
        if (other != square && t.has(other)) ++n_ways, before = other;
      });
      if (n_ways > 1) return false;
      square = before;
    }
    return true;
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
