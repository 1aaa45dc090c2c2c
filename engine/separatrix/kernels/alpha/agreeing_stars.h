// Stars of points in a regular triangulation, which exchange points until they agree (Shewchuk 2005: star splaying).
//
// The star of point i is a closed surface of triangles (a, b, c), its link: (i, a, b, c) is a cell, and c = NONE
// stands for the vertex at infinity. It is the exact star of i among the points that were offered to it. If all
// triangles conflict with a point, i is hidden, also among more points; its last link and this point, the
// hider, are the proof.
//
// Two stars disagree if a cell of one, h, is not in that of its vertex m. Then the vertices of the cell are
// offered to m; if a vertex of m's link conflicts with the cell, the deepest one is offered to h; if m is hidden, its
// proof is. One of the stars changes in each round, and what a star has dropped never returns.
// If all stars agree, no link has a hidden vertex, and the hull is connected, they are the triangulation: they form
// a closed manifold, locally regular, that covers the 3-sphere once.
//
// In: begin (n,), first slot of each star, capacity (n,) slots, size (n,) slots in use, hider (n,) or NONE;
// links (slots, 3), planes (slots, PLANE_SIZE).
#pragma once
#include "alpha/conflicts.h"

struct Stars {
  Cloud cloud;
  const Index* begin;
  const Int32* capacity;
  Int32* size;
  Int32* hider;
  Int32* links;
  Real* planes;

  ITEM_MEMBER Int32* link(Index slot) const { return links + 3 * slot; }
  ITEM_MEMBER Plane plane(Index slot) const {
    const Real* p = planes + PLANE_SIZE * slot;
    return {p[0], p[1], p[2], p[3], p[4], p[5]};
  }
  ITEM_MEMBER void put(Index slot, Int32 a, Int32 b, Int32 c, const Plane& plane) const {
    Int32* corners = link(slot);
    corners[0] = a, corners[1] = b, corners[2] = c;
    Real* p = planes + PLANE_SIZE * slot;
    p[0] = plane.x, p[1] = plane.y, p[2] = plane.z, p[3] = plane.det, p[4] = plane.size, p[5] = plane.det_size;
  }
  // NONE becomes the last of the three.
  ITEM_MEMBER void join(Index slot, Int32 i, Int32 a, Int32 b, Int32 c) const {
    if (a == NONE) a = b, b = c, c = NONE;
    if (b == NONE) b = a, a = c, c = NONE;
    put(slot, a, b, c, cloud.plane(i, a, b, c));
  }
  ITEM_MEMBER void swap(Index s, Index t) const {
    const Int32 a = link(s)[0], b = link(s)[1], c = link(s)[2];
    const Plane of_s = plane(s);
    put(s, link(t)[0], link(t)[1], link(t)[2], plane(t));
    put(t, a, b, c, of_s);
  }
  ITEM_MEMBER bool has_edge(Index slot, Int32 from, Int32 to) const {
    const Int32* t = link(slot);
    return (t[0] == from && t[1] == to) || (t[1] == from && t[2] == to) || (t[2] == from && t[0] == to);
  }
  ITEM_MEMBER bool has_vertex(Index slot, Int32 v) const {
    const Int32* t = link(slot);
    return t[0] == v || t[1] == v || t[2] == v;
  }
  // Slot of the triangle with three vertices, or NONE.
  ITEM_MEMBER Index find(Int32 i, Int32 a, Int32 b, Int32 c) const {
    const Int32* t = link(begin[i]);
    for (Index s = 0; s < size[i]; ++s, t += 3)
      if (t[0] + t[1] + t[2] == a + b + c && has_vertex(begin[i] + s, a) && has_vertex(begin[i] + s, b))
        return begin[i] + s;
    return NONE;
  }
  ITEM_MEMBER bool knows(Int32 i, Int32 v) const {
    for (Index s = begin[i]; s < begin[i] + size[i]; ++s)
      if (has_vertex(s, v)) return true;
    return false;
  }
};

// === insertion
ITEM void mark_corners(const Stars& stars, Index slot, Byte* changed) {
  for (int k = 0; k < 3; ++k)
    if (stars.link(slot)[k] != NONE) mark(changed + stars.link(slot)[k]);
}
// Inserts q into the star of i; false if there are too few slots. Marks all stars that might agree no longer.
ITEM bool insert(const Stars& stars, Int32 i, Int32 q, Byte* changed) {
  if (q == i || stars.hider[i] != NONE || stars.knows(i, q)) return true;
  const Index begin = stars.begin[i], end = begin + stars.size[i];
  const Ray ray = stars.cloud.ray(i, q);
  Index kept = end;  // conflicts are moved behind it
  for (Index s = begin; s < kept;) {
    const Int32* t = stars.link(s);
    if (stars.cloud.is_conflict(i, t[0], t[1], t[2], stars.plane(s), q, ray)) stars.swap(s, --kept);
    else ++s;
  }
  if (kept == end) return true;
  if (kept > begin && (end - begin) + (end - kept) + 2 > stars.capacity[i]) return false;
  mark(changed + i), mark(changed + q);
  for (Index s = kept; s < end; ++s) mark_corners(stars, s, changed);
  if (kept == begin) {
    stars.hider[i] = q;
    return true;
  }
  Index next = end;
  for (Index s = kept; s < end; ++s)
    for (int k = 0; k < 3; ++k) {
      const Int32 from = stars.link(s)[k], to = stars.link(s)[(k + 1) % 3];
      bool is_inside = false;
      for (Index t = kept; t < end && !is_inside; ++t) is_inside = stars.has_edge(t, to, from);
      if (!is_inside) stars.join(next++, i, from, to, q);
    }
  for (Index s = end; s < next; ++s, ++kept) {
    const Int32* t = stars.link(s);
    stars.put(kept, t[0], t[1], t[2], stars.plane(s));
  }
  stars.size[i] = (Int32)(kept - begin);
  return true;
}

// Stars of four affinely independent points, of which three span space with any other one.
ITEM void start_star(const Stars& stars, Int32 i, const Int32* four) {
  stars.hider[i] = NONE;
  for (int left_out = 0; left_out < 4; ++left_out) {
    Int32 v[3];
    bool has_i = false;
    for (int k = 0; k < 3; ++k) v[k] = four[k + (k >= left_out)], has_i |= v[k] == i;
    const int side = has_i ? 0 : stars.cloud.orientation(i, v[0], v[1], v[2]);
    if (side == 0) continue;
    const Int32 a = v[0], b = side > 0 ? v[1] : v[2], c = side > 0 ? v[2] : v[1];
    const Index s = stars.begin[i];
    stars.join(s, i, a, b, c);
    stars.join(s + 1, i, b, a, NONE);
    stars.join(s + 2, i, c, b, NONE);
    stars.join(s + 3, i, a, c, NONE);
    stars.size[i] = 4;
    return;
  }
}
KERNEL(start_stars, (const Real* sites, Index is_small, const Index* begin, const Int32* capacity, Int32* size,
                     Int32* hider, Int32* links, Real* planes, const Int32* four),
       start_star({{sites, is_small}, begin, capacity, size, hider, links, planes}, (Int32)i, four))

// In: targets (m,), the stars; next (m,) and ends (m,), the points offered to each, in `offered`. Out: next, up
// to where the slots sufficed; changed (n,).
ITEM void insert_offers(const Stars& stars, Int32 i, const Int32* offered, Index* next, Index end, Byte* changed) {
  while (*next < end && insert(stars, i, offered[*next], changed)) ++*next;
}
ROW_KERNEL(insert_into_stars, (const Real* sites, Index is_small, const Index* begin, const Int32* capacity,
                               Int32* size, Int32* hider, Int32* links, Real* planes, const Int32* targets,
                               const Int32* offered, Index* next, const Index* ends, Byte* changed),
           insert_offers({{sites, is_small}, begin, capacity, size, hider, links, planes}, targets[i], offered,
                         next + i, ends[i], changed))

// Moves stars to larger slabs, at places `moved` (m,).
KERNEL(move_stars, (const Index* from, const Index* to, const Int32* size, const Int32* targets, Int32* links,
                    Real* planes), {
  for (Index s = 0; s < size[targets[i]]; ++s) {
    for (int k = 0; k < 3; ++k) links[3 * (to[i] + s) + k] = links[3 * (from[i] + s) + k];
    for (int k = 0; k < PLANE_SIZE; ++k) planes[PLANE_SIZE * (to[i] + s) + k] = planes[PLANE_SIZE * (from[i] + s) + k];
  }
})

// === agreement
// List of offers, (star, point) as star * n + point, in no order; its length may exceed its room.
struct Offers {
  Index n, room;
  Index* length;
  Index* pairs;
  ITEM_MEMBER void add(Int32 to, Int32 point) const {
    if (point == NONE || point == to) return;
    const Index place = next_place(length);
    if (place < room) pairs[place] = (Index)to * n + point;
  }
};
// Recent points, so that the vertices of a link, each of which is in several triangles, are rarely looked at twice.
struct Recent {
  Int32 points[32];
  ITEM_MEMBER Recent() {
    for (int k = 0; k < 32; ++k) points[k] = NONE;
  }
  ITEM_MEMBER bool has(Int32 q) {
    Int32& slot = points[q & 31];
    const bool is_there = slot == q;
    slot = q;
    return is_there;
  }
};
// Offers what settles that the cell of slot s of h is not in the star of its vertex m.
ITEM void settle(const Stars& stars, Int32 h, Index s, Int32 m, const Offers& offers) {
  const Int32* t = stars.link(s);
  const Index begin = stars.begin[m], end = begin + stars.size[m];
  if (stars.hider[m] != NONE) {
    offers.add(h, stars.hider[m]);
    for (Index k = begin; k < end; ++k)
      for (int j = 0; j < 3; ++j) offers.add(h, stars.link(k)[j]);
    return;
  }
  offers.add(m, h);
  for (int j = 0; j < 3; ++j) offers.add(m, t[j]);
  const Plane plane = stars.plane(s);
  Int32 deepest = NONE;
  Real depth = 0;
  Recent recent;
  for (Index k = begin; k < end; ++k)
    for (int j = 0; j < 3; ++j) {
      const Int32 q = stars.link(k)[j];
      if (q == NONE || recent.has(q) || q == h || stars.has_vertex(s, q)) continue;
      const Ray ray = stars.cloud.ray(h, q);
      const Real value = value_at(plane, ray);
      if ((deepest == NONE || value < depth) && stars.cloud.is_conflict(h, t[0], t[1], t[2], plane, q, ray))
        deepest = q, depth = value;
    }
  offers.add(h, deepest);
}
ITEM bool is_in_star(const Stars& stars, Int32 h, const Int32* t, int k) {
  return stars.hider[t[k]] == NONE && stars.find(t[k], h, t[(k + 1) % 3], t[(k + 2) % 3]) != NONE;
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
ITEM Byte look_at_star(const Stars& stars, Int32 h, const Offers& offers) {
  Byte disagrees = 0;
  if (stars.hider[h] != NONE) return 0;
  for (Index s = stars.begin[h]; s < stars.begin[h] + stars.size[h]; ++s) {
    const Int32* t = stars.link(s);
    if (is_in_star(stars, h, t, next_corner(h, t))) continue;
    disagrees = 1;
    for (int k = 0; k < 3; ++k)
      if (t[k] != NONE && !is_in_star(stars, h, t, k)) settle(stars, h, s, t[k], offers);
  }
  return disagrees;
}
ROW_KERNEL(compare_stars, (const Real* sites, Index is_small, const Index* begin, const Int32* capacity, Int32* size,
                           Int32* hider, Int32* links, Real* planes, const Int32* targets, Index n, Index room,
                           Index* length, Index* pairs, Byte* disagrees),
           disagrees[i] = look_at_star({{sites, is_small}, begin, capacity, size, hider, links, planes}, targets[i],
                                       {n, room, length, pairs}))

// Offers each hull facet of star targets[i] the deepest of the points `tips` that conflict with it.
ITEM void look_beyond(const Stars& stars, Int32 h, const Int32* tips, Index n_tips, const Offers& offers) {
  for (Index s = stars.begin[h]; s < stars.begin[h] + stars.size[h]; ++s) {
    const Int32* t = stars.link(s);
    if (t[2] != NONE) continue;
    const Plane plane = stars.plane(s);
    Int32 deepest = NONE;
    Real depth = 0;
    for (Index k = 0; k < n_tips; ++k) {
      const Int32 q = tips[k];
      const Ray ray = stars.cloud.ray(h, q);
      const Real value = value_at(plane, ray);
      if (q == h || q == t[0] || q == t[1] || (deepest != NONE && value >= depth)) continue;
      if (stars.cloud.is_conflict(h, t[0], t[1], NONE, plane, q, ray)) deepest = q, depth = value;
    }
    offers.add(h, deepest);
  }
}
ROW_KERNEL(look_beyond_hull, (const Real* sites, Index is_small, const Index* begin, const Int32* capacity,
                              Int32* size, Int32* hider, Int32* links, Real* planes, const Int32* targets, Index n,
                              Index room, Index* length, Index* pairs, const Int32* tips, Index n_tips),
           look_beyond({{sites, is_small}, begin, capacity, size, hider, links, planes}, targets[i], tips, n_tips,
                       {n, room, length, pairs}))
