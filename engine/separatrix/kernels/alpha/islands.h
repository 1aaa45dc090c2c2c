// Volumes that the components of a boundary enclose, and which components are inside others.
//
// Sides of triangles with their normals into the solid: 1/6 the sum of det(a, b, c) is the volume of the
// empty region that they bound, as an exact integer, positive for a void and not for the outer boundary
// of a piece of the complex. A piece is in the innermost void of another one that contains any of its vertices: the
// number of sides above that vertex is odd. The vertex is perturbed by (eps, eps^2), so it is not above an edge.
//
// In a periodic box, sides are moved beside each other, and a component that repeats (rank > 0) encloses nothing. Of each
// piece, the copies within the bounds of a void are tested; at most one is inside, as otherwise the void would repeat.
#pragma once
#include "alpha/placed_sets.h"
#include "alpha/predicates.h"

#if !ON_GPU
#include <math.h>

class Place {
public:
  Place(Long x, Long y, Long z) : x(x), y(y), z(z) {}
  Place from(const Place& origin) const { return {x - origin.x, y - origin.y, z - origin.z}; }
  Long x, y, z;
};
inline Long det(const Place& a, const Place& b, const Place& c) {
  return a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
}

struct Sides {
  const Real* sites;
  const Real* vectors;  // (3, 3) of the lattice, a lower triangular matrix; 0 without a box
  const Int32* triangles;
  const Int32* component;
  const Index* place;
  const Int8* rank;  // of the components
  Index n_triangles;

  Place at(Int32 site, const LatticePlace& by = {0, 0, 0}) const {
    const Real* p = sites + 4 * (Index)site;
    const auto moved = [&](int axis) {
      return (Long)(Index)p[axis] + (Long)(Index)vectors[axis] * by.x + (Long)(Index)vectors[3 + axis] * by.y
           + (Long)(Index)vectors[6 + axis] * by.z;
    };
    return {moved(0), moved(1), moved(2)};
  }
  Place corner(Index side, int m) const { return at(triangles[3 * (side / 2) + m], unpacked(place[side])); }
  // Whether both sides of a triangle are the same wall of a component, so that it encloses nothing.
  bool is_doubled(Index side) const { return component[side] == component[side ^ 1] && place[side] == place[side ^ 1]; }
};

inline Index enclose(const Sides& sides, Real* six_volumes, Index n_components) {
  std::vector<Long> sums((size_t)n_components, 0);
  for (Index s = 0; s < 2 * sides.n_triangles; ++s) {
    throw_if_canceled_at(s);
    const Int32 c = sides.component[s];
    if (c == NONE || sides.rank[c] > 0 || sides.is_doubled(s)) continue;
    const Long six = det(sides.corner(s, 0), sides.corner(s, 1), sides.corner(s, 2));
    sums[c] += s % 2 == 0 ? -six : six;
  }
  for (Index c = 0; c < n_components; ++c) six_volumes[c] = (Real)sums[c];
  return n_components;
}

// Side of the directed line from a to b that the origin, moved by (eps, eps^2), is on, seen from above.
inline int side_of_line(const Place& a, const Place& b) {
  for (Long value : {a.x * b.y - a.y * b.x, a.y - b.y, b.x - a.x})
    if (value != 0) return value > 0 ? 1 : -1;
  return 0;
}
inline bool is_below(const Place& origin, const Sides& sides, Index side) {
  const Place a = sides.corner(side, 0).from(origin), b = sides.corner(side, 1).from(origin),
              c = sides.corner(side, 2).from(origin);
  const int turn = side_of_line(a, b);
  if (turn == 0 || side_of_line(b, c) != turn || side_of_line(c, a) != turn) return false;
  return (det(a, b, c) > 0) == (turn > 0);
}

// Bounds of the walls of a void, and the copies of a point within them.
class Bounds {
public:
  void include(const Place& p) {
    const Real at[3] = {(Real)p.x, (Real)p.y, (Real)p.z};
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = at[axis] < low[axis] ? at[axis] : low[axis];
      high[axis] = at[axis] > high[axis] ? at[axis] : high[axis];
    }
  }
  // Whether `test` is true of a copy of a site: along z, then y, then x, as the vectors are a lower triangular matrix.
  template <class Test>
  bool has_copy(const Sides& sides, Int32 site, const Test& test, int axis = 2, LatticePlace by = {0, 0, 0}) const {
    const Place p = sides.at(site, by);
    const Real length = sides.vectors[4 * axis], at = (Real)(axis == 2 ? p.z : axis == 1 ? p.y : p.x);
    const Index first = length > 0 ? (Index)ceil((low[axis] - at) / length) : 0;
    const Index last = length > 0 ? (Index)floor((high[axis] - at) / length) : low[axis] <= at && at <= high[axis] ? 0 : -1;
    for (Index times = first; times <= last; ++times) {
      (axis == 2 ? by.z : axis == 1 ? by.y : by.x) = times;
      if (axis == 0 ? test(sides.at(site, by)) : has_copy(sides, site, test, axis - 1, by)) return true;
    }
    return false;
  }

private:
  Real low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
};

// host: the component of the void that each piece's outer boundary lies in; NONE: it lies outside, or is a void.
inline Index find_hosts(const Sides& sides, const Real* six_volumes, Index n_components, const Int32* site_of,
                        const Int32* piece_of, Int32* host) {
  std::vector<std::vector<Index>> walls((size_t)n_components);
  for (Index s = 0; s < 2 * sides.n_triangles; ++s) {
    const Int32 c = sides.component[s];
    if (c != NONE && six_volumes[c] > 0 && !sides.is_doubled(s)) walls[c].push_back(s);
  }
  for (Index c = 0; c < n_components; ++c) host[c] = NONE;
  for (Index hole = 0; hole < n_components; ++hole) {
    if (walls[hole].empty()) continue;
    Bounds bounds;
    for (Index side : walls[hole])
      for (int m = 0; m < 3; ++m) bounds.include(sides.corner(side, m));
    const auto is_inside = [&](const Place& vertex) {
      throw_if_canceled();
      bool is_odd = false;
      for (Index side : walls[hole]) is_odd ^= is_below(vertex, sides, side);
      return is_odd;
    };
    for (Index c = 0; c < n_components; ++c) {
      throw_if_canceled_at(c);
      if (six_volumes[c] > 0 || sides.rank[c] > 0 || piece_of[c] == piece_of[hole]) continue;
      if (host[c] != NONE && six_volumes[host[c]] <= six_volumes[hole]) continue;
      if (bounds.has_copy(sides, site_of[c], is_inside)) host[c] = (Int32)hole;
    }
  }
  return n_components;
}
#endif

// triangles: sites of the vertices; the sides and ranks as boundary_walks.h gives them. Out: six_volumes (n_components,), six
// times the volume each, 0 for a component that repeats.
HOST_TASK(enclose_volumes, (const Real* sites, const Real* vectors, const Int32* triangles, Index n_triangles,
                            const Int32* side_component, const Index* side_place, const Int8* component_rank,
                            Real* six_volumes, Index n_components),
          enclose({sites, vectors, triangles, side_component, side_place, component_rank, n_triangles}, six_volumes, n_components))
// site_of, piece_of (n_components,): any vertex of the component, the piece of the complex that it belongs to.
HOST_TASK(place_islands, (const Real* sites, const Real* vectors, const Int32* triangles, Index n_triangles,
                          const Int32* side_component, const Index* side_place, const Int8* component_rank,
                          const Real* six_volumes, Index n_components, const Int32* site_of, const Int32* piece_of,
                          Int32* host),
          find_hosts({sites, vectors, triangles, side_component, side_place, component_rank, n_triangles}, six_volumes,
                     n_components, site_of, piece_of, host))
