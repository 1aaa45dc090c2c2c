// The star of one point in fast memory, into which a team of lanes inserts other points.
//
// On a GPU, a warp has a star in shared memory, and a lane has one of its triangles; on the CPU, one thread has a star
// on its stack. All lanes call each function with the same arguments.
//
// Star i is a closed surface of triangles (a, b, c), its link: (i, a, b, c) is a cell, and c = NONE stands for the vertex
// at infinity. It is the exact star of i among the points that were offered to it. If all triangles conflict with a point,
// i is hidden, also among more points; its last link and this point, the hider, are the proof.
#pragma once
#include "alpha/conflicts.h"
#include "common/team.h"

#if !ON_GPU
#include <string.h>
#endif

enum { STAR_ROOM = 64 };  // triangles in fast memory; most links have fewer than 40
enum { CORNER_ROWS = 7 };  // corners a, b, and c; verdicts, conflicts, and the ends of new edges

// Arrays for the triangles of a star, in rows of this capacity.
struct Room {
  Index capacity;
  Real* planes;    // PLANE_SIZE rows
  Int32* corners;  // CORNER_ROWS rows
};
struct FastRoom {
  Real planes[PLANE_SIZE * STAR_ROOM];
  Int32 corners[CORNER_ROWS * STAR_ROOM];
};

#if !ON_GPU
// Eight numbers that the CPU compares at once.
typedef Int32 Eight __attribute__((vector_size(32)));
ITEM void read_eight(const Int32* numbers, Eight& e) { memcpy(&e, numbers, sizeof e); }
// The one that is not 0, if any.
ITEM Int32 any_of(const Eight& e) {
  Wide pairs[4];
  memcpy(pairs, &e, sizeof pairs);
  const Wide any = (pairs[0] | pairs[1]) | (pairs[2] | pairs[3]);
  return (Int32)(Word)(any | any >> 32);
}
#endif

struct WorkingStar {
  Cloud cloud;
  Int32 i, size, hider;
  Room room;

  ITEM_MEMBER Int32& corner(int k, Index s) const { return room.corners[k * room.capacity + s]; }
  ITEM_MEMBER Int32& verdict(Index s) const { return corner(3, s); }
  ITEM_MEMBER Int32& conflict(Index s) const { return corner(4, s); }
  ITEM_MEMBER Int32& from(Index s) const { return corner(5, s); }
  ITEM_MEMBER Int32& to(Index s) const { return corner(6, s); }
  ITEM_MEMBER Real& coefficient(int k, Index s) const { return room.planes[k * room.capacity + s]; }
  ITEM_MEMBER Plane plane(Index s) const {
    return {coefficient(0, s), coefficient(1, s), coefficient(2, s),
            coefficient(3, s), coefficient(4, s), coefficient(5, s)};
  }
  ITEM_MEMBER void put(Index s, Int32 a, Int32 b, Int32 c, const Plane& p) const {
    corner(0, s) = a, corner(1, s) = b, corner(2, s) = c;
    coefficient(0, s) = p.x, coefficient(1, s) = p.y, coefficient(2, s) = p.z;
    coefficient(3, s) = p.det, coefficient(4, s) = p.size, coefficient(5, s) = p.det_size;
  }
  ITEM_MEMBER void put(Index s, Int32 a, Int32 b, Int32 c) const { put(s, a, b, c, cloud.plane(i, a, b, c)); }
  // Puts the triangle (a, b, q); NONE becomes the last of the three.
  ITEM_MEMBER void join(Index s, Int32 a, Int32 b, Int32 q, const Ray& ray) const {
    if (a == NONE) put(s, b, q, NONE, plane_of(cloud.ray(i, b), ray));
    else if (b == NONE) put(s, q, a, NONE, plane_of(ray, cloud.ray(i, a)));
    else put(s, a, b, q, plane_of(cloud.ray(i, a), cloud.ray(i, b), ray));
  }

  // Becomes the star of four affinely independent points, of which three span space with any other one.
  ITEM_MEMBER void start(const Int32* four) {
    for (int left_out = 0; left_out < 4 && !size; ++left_out) {
      Int32 v[3];
      bool has_i = false;
      for (int k = 0; k < 3; ++k) v[k] = four[k + (k >= left_out)], has_i |= v[k] == i;
      const int side = has_i ? 0 : cloud.orientation(i, v[0], v[1], v[2]);
      if (side == 0) continue;
      const Int32 a = v[0], b = side > 0 ? v[1] : v[2], c = side > 0 ? v[2] : v[1];
      if (lane() == 0) put(0, a, b, c), put(1, b, a, NONE), put(2, c, b, NONE), put(3, a, c, NONE);
      size = 4;
    }
    sync_lanes();
  }
  ITEM_MEMBER void load(const Int32* link, Index capacity) {
    for (Int32 s = lane(); s < size; s += LANES) put(s, link[s], link[capacity + s], link[2 * capacity + s]);
    sync_lanes();
  }
  ITEM_MEMBER void save(Int32* link, Index capacity) const {
    for (Int32 s = lane(); s < size; s += LANES)
      for (int k = 0; k < 3; ++k) link[k * capacity + s] = corner(k, s);
#if !ON_GPU
    for (Index s = size; s % 8; ++s)
      for (int k = 0; k < 3; ++k) link[k * capacity + s] = NONE;
#endif
  }

  // Inserts q; false if the room is too small. Marks all stars that might agree no longer.
  ITEM_MEMBER bool insert(Int32 q, Byte* changed) {
    if (q == i || knows(q)) return true;
    const Ray ray = cloud.ray(i, q);
    const Int32 n = list_conflicts(q, ray);
    if (n == 0) return true;
    if (n < size && size + 2 > room.capacity) return false;
    if (lane() == 0) mark(changed + i), mark(changed + q);
    for (Int32 k = lane(); k < n; k += LANES)
      for (int j = 0; j < 3; ++j)
        if (corner(j, conflict(k)) != NONE) mark(changed + corner(j, conflict(k)));
    if (n == size) {
      hider = q;
      return true;
    }
    const Int32 m = list_boundary(n);
    for (Int32 k = lane(); k < m; k += LANES) join(k < n ? conflict(k) : size + k - n, from(k), to(k), q, ray);
    sync_lanes();
    if (m >= n) size += m - n;
    else for (Int32 k = n; k-- > m;) move(--size, conflict(k));  // conflicts are ascending
    return true;
  }
  ITEM_MEMBER void move(Index s, Index to) const {
    for (int k = lane(); s != to && k < PLANE_SIZE; k += LANES) {
      coefficient(k, to) = coefficient(k, s);
      if (k < 3) corner(k, to) = corner(k, s);
    }
    sync_lanes();
  }
  ITEM_MEMBER bool knows(Int32 q) const {
    Int32 is_known = 0;
    for (Int32 s = lane(); s < size; s += LANES) is_known |= corner(0, s) == q | corner(1, s) == q | corner(2, s) == q;
    return any_lane(is_known);
  }
  // Lists the triangles in conflict with q and returns their number.
  ITEM_MEMBER Int32 list_conflicts(Int32 q, const Ray& ray) const {
    const Int32 end = size;
    for (Int32 s = lane(); s < end; s += LANES) verdict(s) = verdict_of(plane(s), ray);
    Int32 n = 0;
#if !ON_GPU  // without branches, unless a sign is not known
    Int32 is_unknown = 0;
    for (Int32 s = 0; s < end; ++s) is_unknown |= verdict(s) == 0;
    for (Int32 s = 0; s < end && !is_unknown; ++s) {
      conflict(n) = s;
      n += verdict(s) < 0;
    }
    if (!is_unknown) return n;
#endif
    for (Int32 first = 0; first < end; first += LANES) {
      const Int32 s = first + lane();
      bool is_one = s < end && verdict(s) <= 0;
      if (is_one && verdict(s) == 0) is_one = cloud.is_exactly_conflict(i, corner(0, s), corner(1, s), corner(2, s), q);
      Word before;
      const Word more = count_lanes(is_one, &before);
      if (is_one) conflict(n + before) = s;
      n += more;
    }
    sync_lanes();
    return n;
  }
  // Lists the boundary of the triangles in conflict and returns the number of its edges.
  ITEM_MEMBER Int32 list_boundary(Int32 n) const {
    Int32 m = 0;
#if !ON_GPU  // by eight triangles, without branches
    for (Int32 first = 0; first < n; first += 8) {
      Eight u, v, w, inner[3] = {};
      for (int k = 0; k < 8; ++k) {
        const Int32 s = conflict(first + k < n ? first + k : first);
        u[k] = corner(0, s), v[k] = corner(1, s), w[k] = corner(2, s);
      }
      for (Int32 k = 0; k < n; ++k) {
        const Int32 s = conflict(k), a = corner(0, s), b = corner(1, s), c = corner(2, s);
        inner[0] |= ((v == a) & (u == b)) | ((v == b) & (u == c)) | ((v == c) & (u == a));
        inner[1] |= ((w == a) & (v == b)) | ((w == b) & (v == c)) | ((w == c) & (v == a));
        inner[2] |= ((u == a) & (w == b)) | ((u == b) & (w == c)) | ((u == c) & (w == a));
      }
      for (int k = 0; k < 8 && first + k < n; ++k) {
        from(m) = u[k], to(m) = v[k], m += inner[0][k] + 1;
        from(m) = v[k], to(m) = w[k], m += inner[1][k] + 1;
        from(m) = w[k], to(m) = u[k], m += inner[2][k] + 1;
      }
    }
#else
    for (Int32 first = 0; first < 3 * n; first += LANES) {
      const Int32 edge = first + lane(), k = edge / 3, j = edge - 3 * k;
      bool is_one = k < n;
      Int32 a = NONE, b = NONE;
      if (is_one) {
        a = corner(j, conflict(k)), b = corner(j == 2 ? 0 : j + 1, conflict(k));
        is_one = !has_conflict(n, b, a);
      }
      Word before;
      const Word more = count_lanes(is_one, &before);
      if (is_one) from(m + before) = a, to(m + before) = b;
      m += more;
    }
    sync_lanes();
#endif
    return m;
  }
  // Whether a triangle in conflict has this edge.
  ITEM_MEMBER bool has_conflict(Int32 n, Int32 a, Int32 b) const {
    for (Int32 k = 0; k < n; ++k) {
      const Int32 s = conflict(k), u = corner(0, s), v = corner(1, s), w = corner(2, s);
      if (u == a ? v == b : v == a ? w == b : w == a && u == b) return true;
    }
    return false;
  }
};
