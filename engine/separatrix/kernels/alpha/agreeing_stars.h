// Stars of points in a regular triangulation, which exchange points until they agree (Shewchuk 2005: star splaying).
//
// A star is as in working_star.h. Two stars disagree if a cell of one, h, is not in that of its vertex m. Then the vertices
// of the cell are offered to m; if a vertex of m's link conflicts with the cell, the deepest one is offered to h; if m is
// hidden, its proof is. If m takes all offers, one of the stars changes, and what a star has dropped never returns. In the first
// round most stars just do not know enough points yet, and nothing is searched for conflicts.
//
// A round compares the stars that changed or disagreed, and those with a cell that another star dropped. Any other star has
// only cells that were found in the stars of their next vertices and are still there, because a star that drops a cell marks
// all its vertices. So if no star of a round disagrees, all stars agree.
//
// If all stars agree, no link has a hidden vertex, and the hull is connected, they are the triangulation: they form
// a closed manifold, locally regular, that covers the 3-sphere once.
//
// In: heads (n, 4), of each star: its place in units of UNIT triangles, its capacity, its size, and its hider or NONE;
// links, at each place the first corners of all triangles of the capacity, then the second, then the third.
#pragma once
#include "alpha/working_star.h"

enum { UNIT = 8 };  // triangles

struct Head {
  Int32 place, capacity, size, hider;
};
struct Stars {
  Cloud cloud;
  Int32* heads;
  Int32* links;

  ITEM_MEMBER Head head(Int32 i) const {
    const Int32* at = heads + 4 * (Index)i;
    return {at[0], at[1], at[2], at[3]};
  }
  ITEM_MEMBER Int32* link(const Head& head) const { return links + 3 * UNIT * (Index)head.place; }
};
// The link of a star. Slots are places of triangles among those of all stars.
struct Link {
  const Int32* corners;
  Index capacity, size;
  Int32 hider;
  Index first_slot;

  ITEM_MEMBER Int32 corner(int k, Index s) const { return corners[k * capacity + s]; }
  ITEM_MEMBER bool has_vertex(Index s, Int32 v) const {
    return corner(0, s) == v | corner(1, s) == v | corner(2, s) == v;
  }
#if !ON_GPU
  // The triangle whose corners `test` finds, or NONE, by eight; the last eight are complete (save()).
  template <class Test> ITEM_MEMBER Int32 find_if(const Test& test) const {
    Eight place = {1, 2, 3, 4, 5, 6, 7, 8}, found = {}, u, v, w, is_it;
    for (Index s = 0; s < size; s += 8, place += 8) {
      read_eight(corners + s, u), read_eight(corners + capacity + s, v), read_eight(corners + 2 * capacity + s, w);
      test(u, v, w, is_it);
      found |= place & is_it;
    }
    return any_of(found) - 1;
  }
#endif
  // The triangle with three vertices, or NONE, among those of one lane.
  ITEM_MEMBER Int32 find(Int32 a, Int32 b, Int32 c, int first = 0, int step = 1) const {
#if !ON_GPU
    if (step == 1)
      return find_if([=](const Eight& u, const Eight& v, const Eight& w, Eight& is_it) {
        is_it = (u + v + w == (Int32)((Word)a + (Word)b + (Word)c)) & ((u == a) | (v == a) | (w == a)) &
                ((u == b) | (v == b) | (w == b));
      });
#endif
    const Word sum = (Word)a + (Word)b + (Word)c;
    const Int32 end = (Int32)size;
    Int32 found = NONE;
    for (Int32 s = first; s < end; s += step) {
      const bool is_it = ((Word)corner(0, s) + (Word)corner(1, s) + (Word)corner(2, s) == sum) & has_vertex(s, a) &
                         has_vertex(s, b);
      found = is_it ? s : found;
    }
    return found;
  }
};
ITEM Link link_of(const Stars& stars, Int32 i) {
  const Head head = stars.head(i);
  return {stars.link(head), head.capacity, head.size, head.hider, UNIT * (Index)head.place};
}

// === insertion
// Links in use and available, in units.
struct Arena {
  Index n_units;
  Index* n_used;
};
// Where to save a star: at its old place if that suffices. False if the arena is full.
ITEM bool has_place(Head& head, const WorkingStar& star, const Arena& arena) {
  if (star.size > head.capacity) {
    const Index n = (star.size + UNIT - 1) / UNIT;
    Index place = 0;
    if (lane() == 0) place = add_to(arena.n_used, n);
    place = from_first_lane(place);
    if (place + n > arena.n_units) return false;
    head.place = (Int32)place, head.capacity = (Int32)(UNIT * n);
  }
  head.size = star.size, head.hider = star.hider;
  return true;
}
// Offers a star the points `offered` from *next to `end`; *next becomes the first for which there was no room.
ITEM void insert_offers(const Stars& stars, Int32 i, Room room, const Arena& arena, const Int32* four,
                        const Int32* offered, Index* next, Index end, Byte* changed) {
  Head head = stars.head(i);
  Index at = *next;
  if (head.hider == NONE && head.size > room.capacity) return;
  WorkingStar star = {stars.cloud, i, head.size, head.hider, room};
  if (head.hider == NONE) {
    if (head.size) star.load(stars.link(head), head.capacity);
    else star.start(four);
    while (at < end && star.hider == NONE && star.insert(offered[at], changed)) ++at;
    if (!has_place(head, star, arena)) return;
    star.save(stars.link(head), head.capacity);
  }
  if (star.hider != NONE) at = end;
  if (lane() == 0) {
    Int32* to = stars.heads + 4 * (Index)i;
    to[0] = head.place, to[1] = head.capacity, to[2] = head.size, to[3] = head.hider;
    *next = at;
  }
}
// Rooms of the targets of a turn: triangles in slow memory, or 0 for the fast one.
KERNEL(choose_rooms, (const Int32* heads, const Int32* targets, Index turn, Index* rooms), {
  const Index size = heads[4 * (Index)targets[i] + 2];
  rooms[i] = turn == 0 && size < STAR_ROOM ? 0 : 2 * (size > STAR_ROOM ? size : STAR_ROOM);
})
// In: targets (m,), the stars; four (4,), affinely independent points; next (m,) and ends (m,), the points offered to each,
// in `offered`; offsets (m + 1,) of slow rooms. Out: next, up to where the room sufficed; changed (n,).
#define ROOM_OF(target)                                                                                        \
  (offsets[target] == offsets[(target) + 1]                                                                    \
       ? Room{STAR_ROOM, fast->planes, fast->corners}                                                          \
       : Room{offsets[(target) + 1] - offsets[target], slow_planes + PLANE_SIZE * (offsets[target] - offsets[0]), \
              slow_corners + CORNER_ROWS * (offsets[target] - offsets[0])})
#define INSERT_OFFERS(target)                                                                                  \
  insert_offers({{sites, is_small}, heads, links}, targets[target], ROOM_OF(target), {n_units, n_used}, four, offered, \
                next + (target), ends[target], changed)
#if ON_GPU
enum { STAR_THREADS = 128, STAR_TEAMS = 4, STAR_BLOCKS = 8 };  // at most 64 registers, which exact signs exceed
extern "C" __global__ void __launch_bounds__(STAR_THREADS, STAR_BLOCKS) insert_by_team(
    Index n_targets, const Real* sites, Index is_small, Int32* heads, Int32* links, Index n_units, Index* n_used,
    const Int32* four, const Int32* targets, const Int32* offered, Index* next, const Index* ends, const Index* offsets,
    Real* slow_planes, Int32* slow_corners, Byte* changed) {
  __shared__ FastRoom rooms[STAR_TEAMS];
  FastRoom* fast = rooms + warp_of_block();
  if (warp() < n_targets) INSERT_OFFERS(warp());
}
#else
ROW_KERNEL(insert_by_team, (Index n_targets, const Real* sites, Index is_small, Int32* heads, Int32* links, Index n_units,
                            Index* n_used, const Int32* four, const Int32* targets, const Int32* offered, Index* next,
                            const Index* ends, const Index* offsets, Real* slow_planes, Int32* slow_corners, Byte* changed),
           FastRoom memory;
           FastRoom* fast = &memory;
           INSERT_OFFERS(i))
#endif

// === agreement
// List of offers, (star, point) as star * n + point, in no order; its length may exceed its room.
struct Offers {
  Index n, room;
  Index* length;
  Index* pairs;
  bool has_conflicts;  // whether points in conflict with cells are searched for
#if !ON_GPU
  enum { N_RECENT = 64 };
  mutable Index recent[N_RECENT];  // of this star, because most cells repeat the offers of others; 0 is not an offer
#endif
  ITEM_MEMBER void add(Int32 to, Int32 point) const {
    if (point == NONE || point == to) return;
    const Index offer = (Index)to * n + point;
#if !ON_GPU
    Index& same = recent[(5 * to + point) % N_RECENT];
    if (same == offer) return;
    same = offer;
#endif
    const Index place = next_place(length);
    if (place < room) pairs[place] = offer;
  }
};
// Recent points of a lane, so that the vertices of a link, each of which is in several triangles, are rarely looked at twice.
struct Recent {
  enum { N_RECENT = 32 / LANES };
  Int32 points[N_RECENT];
  ITEM_MEMBER Recent() {
    for (int k = 0; k < N_RECENT; ++k) points[k] = NONE;
  }
  ITEM_MEMBER bool has(Int32 q) {
    Int32& slot = points[q & (N_RECENT - 1)];
    const bool is_there = slot == q;
    slot = q;
    return is_there;
  }
};
// A point in conflict with a cell, the deepest of those of all lanes.
struct Deepest {
  Int32 point;
  Real value;
};
ITEM Int32 deepest_of_lanes(Deepest own) {
#if ON_GPU
  for (int half = LANES / 2; half; half /= 2) {
    const Int32 point = __shfl_xor_sync(~0u, own.point, half);
    const Real value = __shfl_xor_sync(~0u, own.value, half);
    if (point != NONE && (own.point == NONE || value < own.value)) own = {point, value};
  }
#endif
  return own.point;
}
// Offers what settles that a cell (h, t) is not in the star of its vertex m.
ITEM void settle(const Stars& stars, Int32 h, const Int32* t, Int32 m, const Offers& offers) {
  const Link link = link_of(stars, m);
  if (link.hider != NONE) {
    if (lane() == 0) offers.add(h, link.hider);
    for (Index s = lane(); s < link.size; s += LANES)
      for (int j = 0; j < 3; ++j) offers.add(h, link.corner(j, s));
    return;
  }
  if (lane() == 0) {
    offers.add(m, h);
    for (int j = 0; j < 3; ++j) offers.add(m, t[j]);
  }
  if (!offers.has_conflicts) return;
  const Plane plane = stars.cloud.plane(h, t[0], t[1], t[2]);
  Deepest deepest = {NONE, 0};
  Recent recent;
  for (Index s = lane(); s < link.size; s += LANES)
    for (int j = 0; j < 3; ++j) {
      const Int32 q = link.corner(j, s);
      if (q == NONE || recent.has(q) || q == h || q == t[0] || q == t[1] || q == t[2]) continue;
      const Ray ray = stars.cloud.ray(h, q);
      const Real value = value_at(plane, ray);
      if ((deepest.point == NONE || value < deepest.value) &&
          stars.cloud.is_conflict(h, t[0], t[1], t[2], plane, q, ray))
        deepest = {q, value};
    }
  const Int32 q = deepest_of_lanes(deepest);
  if (lane() == 0) offers.add(h, q);
}
ITEM bool is_in_star(const Stars& stars, Int32 h, const Int32* t, int k) {
  const Link link = link_of(stars, t[k]);
  return link.hider == NONE && any_lane(link.find(h, t[(k + 1) % 3], t[(k + 2) % 3], lane(), LANES) != NONE);
}
// Which corner follows h in the cyclic order of the indices of a cell's finite vertices.
ITEM int next_corner(Int32 h, const Int32* t) {
  int next = 0, lowest = 0;
  bool is_last = true;
  for (int k = 0; k < 3; ++k) {
    if (t[k] == NONE) continue;
    if (t[k] > h && (is_last || t[k] < t[next])) next = k, is_last = false;
    if (t[k] < t[lowest]) lowest = k;
  }
  return is_last ? lowest : next;
}
// If each cell is in the star of the next vertex, it is in those of all. Only if it is not, the others are searched.
ITEM void compare_star(const Stars& stars, Int32 h, const Offers& offers, Byte* disagrees) {
  Byte any = 0;
  const Link link = link_of(stars, h);
  for (Index s = 0; link.hider == NONE && s < link.size; ++s) {
    const Int32 t[3] = {link.corner(0, s), link.corner(1, s), link.corner(2, s)};
    if (is_in_star(stars, h, t, next_corner(h, t))) continue;
    any = 1;
    for (int k = 0; k < 3; ++k)
      if (t[k] != NONE && !is_in_star(stars, h, t, k)) settle(stars, h, t, t[k], offers);
  }
  if (lane() == 0) *disagrees = any;
}
#if ON_GPU
extern "C" __global__ void __launch_bounds__(STAR_THREADS, STAR_BLOCKS) compare_by_team(
    Index n_targets, const Real* sites, Index is_small, Int32* heads, Int32* links, const Int32* targets, Index n, Index room,
    Index* length, Index* pairs, Index has_conflicts, Byte* disagrees) {
  if (warp() >= n_targets) return;
  compare_star({{sites, is_small}, heads, links}, targets[warp()], {n, room, length, pairs, has_conflicts != 0},
               disagrees + warp());
}
#else
ROW_KERNEL(compare_by_team, (Index n_targets, const Real* sites, Index is_small, Int32* heads, Int32* links,
                             const Int32* targets, Index n, Index room, Index* length, Index* pairs, Index has_conflicts,
                             Byte* disagrees),
           compare_star({{sites, is_small}, heads, links}, targets[i], {n, room, length, pairs, has_conflicts != 0},
                        disagrees + i))
#endif

// === the hull
// Pairs of a vertex and another one of the same hull facet, such that the hull is connected if they are.
ITEM void list_hull_edges_of(const Stars& stars, Int32 h, const Offers& offers) {
  const Link link = link_of(stars, h);
  for (Index s = 0; link.hider == NONE && s < link.size; ++s)
    if (link.corner(2, s) == NONE) offers.add(h, link.corner(0, s));
}
KERNEL(list_hull_edges, (const Real* sites, Index is_small, Int32* heads, Int32* links, const Int32* targets, Index n,
                         Index room, Index* length, Index* pairs),
       list_hull_edges_of({{sites, is_small}, heads, links}, targets[i], {n, room, length, pairs, true}))

// Offers each hull facet of star targets[i] the deepest of the points `tips` that conflict with it.
ITEM void look_beyond(const Stars& stars, Int32 h, const Int32* tips, Index n_tips, const Offers& offers) {
  const Link link = link_of(stars, h);
  for (Index s = 0; s < link.size; ++s) {
    const Int32 a = link.corner(0, s), b = link.corner(1, s);
    if (link.corner(2, s) != NONE) continue;
    const Plane plane = stars.cloud.plane(h, a, b, NONE);
    Deepest deepest = {NONE, 0};
    for (Index k = 0; k < n_tips; ++k) {
      const Int32 q = tips[k];
      const Ray ray = stars.cloud.ray(h, q);
      const Real value = value_at(plane, ray);
      if (q == h || q == a || q == b || (deepest.point != NONE && value >= deepest.value)) continue;
      if (stars.cloud.is_conflict(h, a, b, NONE, plane, q, ray)) deepest = {q, value};
    }
    offers.add(h, deepest.point);
  }
}
ROW_KERNEL(look_beyond_hull, (const Real* sites, Index is_small, Int32* heads, Int32* links, const Int32* targets, Index n,
                              Index room, Index* length, Index* pairs, const Int32* tips, Index n_tips),
           look_beyond({{sites, is_small}, heads, links}, targets[i], tips, n_tips, {n, room, length, pairs, true}))
