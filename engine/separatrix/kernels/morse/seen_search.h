// What makes a search of saddle_search.h find no or several paths again, and when cells changed.
#pragma once
#include "morse/saddle_search.h"

#if !ON_GPU
// The last event that changed a cell, by place and by region. A region has many places.
template <class Cells>
class ChangeTimes {
 public:
  explicit ChangeTimes(const Cells& cells)
      : cells(cells), of_place((std::size_t)cells.n_places(), 0), of_region((std::size_t)cells.n_regions(), 0) {}
  Word at(Int32 place) const { return of_place[place]; }
  Word in(Int32 region) const { return of_region[region]; }
  void prefetch(Int32 place) const { __builtin_prefetch(&of_place[place]); }
  // Paths that are reversed at the same time may share places, though no cells.
  void mark(Int32 place, Word event) {
    raise(of_place[place], event);
    raise(of_region[cells.region(place)], event);
  }

 private:
  const Cells& cells;
  std::vector<Word> of_place, of_region;

  static void raise(Word& changed, Word event) {
    Word last = __atomic_load_n(&changed, __ATOMIC_RELAXED);
    while (last < event && !__atomic_compare_exchange_n(&changed, &last, event, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }
};

// Two paths; or that nothing has changed, since a number of events, at the places that the search inspected.
class Seen {
 public:
  template <class Cells>
  Seen(const Cells& cells, SaddleSearchResult& result, Word n_events) : n_events(n_events), has_ways(!result.ways.empty()) {
    std::vector<Int32>& places = result.looked_at;
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const Int32 place : places) add_region(cells.region(place));
    if (has_ways) bytes = result.ways;
    else encode(places);
    bytes.shrink_to_fit();
  }
  // Whether the search would find the same again. Sets the places that this depends on, unless nothing has changed in
  // their regions, of which there are few then.
  template <class Cells, class Times>
  bool is_found_again(const Cells& cells, Index p, Index q, const Times& times, std::vector<Int32>& places) const {
    places.clear();
    if (!has_more_regions && !any_region([&](Int32 region) { return times.in(region) > n_events; })) return true;
    if (has_ways) return leads_along(cells, p, q, places);
    return !any_place([&](Int32 place) {
      places.push_back(place);
      return times.at(place) > n_events;
    });
  }
  // Sets the places that the result depends on, up to the first where two paths do not continue.
  template <class Cells> void list_places(const Cells& cells, Index p, Index q, std::vector<Int32>& places) const {
    places.clear();
    if (has_ways) leads_along(cells, p, q, places);
    else any_place([&](Int32 place) { return places.push_back(place), false; });
  }
  void set_time(Word event) { n_events = event; }

 private:
  static constexpr int REGIONS = 4;
  std::vector<Byte> bytes;  // ways, or differences of ascending places in groups of 7 bits
  Int32 regions[REGIONS] = {NONE, NONE, NONE, NONE};
  Word n_events;
  bool has_ways, has_more_regions = false;

  void add_region(Int32 region) {
    for (Int32& each : regions) {
      if (each == NONE) each = region;
      if (each == region) return;
    }
    has_more_regions = true;
  }
  template <class Predicate> bool any_region(Predicate is_so) const {
    return std::any_of(regions, regions + REGIONS, [&](Int32 region) { return region != NONE && is_so(region); });
  }
  // Whether the ways still describe two V-paths from p to q.
  template <class Cells> bool leads_along(const Cells& cells, Index p, Index q, std::vector<Int32>& places) const {
    Index at = p;
    for (const Byte way : bytes) {
      const Index edge = edge_on(cells, at, way & ~LAST_WAY);
      if (way & LAST_WAY && edge != q) return false;
      const Index next = way & LAST_WAY ? p : cells.square_of(edge);
      if (next == NONE || next == at) return false;  // or the square is paired with this edge
      at = next;
      if (at != p) look(cells, at, places);
    }
    return true;
  }
  void encode(const std::vector<Int32>& places) {
    Int32 last = 0;
    for (const Int32 place : places) {
      Word step = (Word)(place - last);
      for (; step > 127; step >>= 7) bytes.push_back((Byte)(step | 128));
      bytes.push_back((Byte)step);
      last = place;
    }
  }
  template <class Predicate> bool any_place(Predicate is_so) const {
    Word place = 0, step = 0;
    int shift = 0;
    for (const Byte byte : bytes) {
      step |= (Word)(byte & 127) << shift;
      shift += 7;
      if (byte & 128) continue;
      place += step;
      if (is_so((Int32)place)) return true;
      step = 0, shift = 0;
    }
    return false;
  }
};
#endif
