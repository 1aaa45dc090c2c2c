// Volumes that the components of a boundary enclose, and which components are inside others.
//
// Sides of triangles with their normals into the solid: 1/6 the sum of det(a, b, c) is the volume of the
// empty region that they bound, as an exact integer, positive for a void and not for the outer boundary
// of a piece of the complex. A piece is in the innermost void of another one that contains any of its vertices: the
// number of sides above that vertex is odd. The vertex is perturbed by (eps, eps^2), so it is not above an edge.
#pragma once
#include "alpha/predicates.h"
#include "common/types.h"

#if !ON_GPU
#include <vector>

class Place {
public:
  Place(const Real* sites, Int32 of)
      : x((Index)sites[4 * (Index)of]), y((Index)sites[4 * (Index)of + 1]), z((Index)sites[4 * (Index)of + 2]) {}
  Place from(const Place& origin) const { return {x - origin.x, y - origin.y, z - origin.z}; }
  Long x, y, z;

private:
  Place(Long x, Long y, Long z) : x(x), y(y), z(z) {}
};
inline Long det(const Place& a, const Place& b, const Place& c) {
  return a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
}

inline Index enclose(const Real* sites, const Int32* triangles, Index n_triangles, const Int32* side_component,
                     Real* six_volumes, Index n_components) {
  std::vector<Long> sums((size_t)n_components, 0);
  for (Index t = 0; t < n_triangles; ++t) {
    throw_if_canceled_at(t);
    const Int32* side = side_component + 2 * t;
    if (side[0] == side[1]) continue;
    const Int32* corner = triangles + 3 * t;
    const Long six = det(Place(sites, corner[0]), Place(sites, corner[1]), Place(sites, corner[2]));
    if (side[0] != NONE) sums[side[0]] -= six;
    if (side[1] != NONE) sums[side[1]] += six;
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
inline bool is_below(const Real* sites, Int32 vertex, const Int32* triangle) {
  const Place origin(sites, vertex);
  const Place a = Place(sites, triangle[0]).from(origin), b = Place(sites, triangle[1]).from(origin),
              c = Place(sites, triangle[2]).from(origin);
  const int side = side_of_line(a, b);
  if (side == 0 || side_of_line(b, c) != side || side_of_line(c, a) != side) return false;
  return (det(a, b, c) > 0) == (side > 0);
}

// host: the component of the void that each piece's outer boundary lies in; NONE: it lies outside, or is a void.
inline Index find_hosts(const Real* sites, const Int32* triangles, Index n_triangles, const Int32* side_component,
                        const Real* six_volumes, Index n_components, const Int32* vertex_of, const Int32* piece_of,
                        Int32* host) {
  std::vector<std::vector<Int32>> walls((size_t)n_components);
  for (Index s = 0; s < 2 * n_triangles; ++s) {
    const Int32 c = side_component[s];
    if (c != NONE && c != side_component[s ^ 1] && six_volumes[c] > 0) walls[c].push_back((Int32)(s / 2));
  }
  for (Index c = 0; c < n_components; ++c) host[c] = NONE;
  for (Index hole = 0; hole < n_components; ++hole) {
    if (walls[hole].empty()) continue;
    Real low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) low[axis] = high[axis] = sites[4 * (Index)vertex_of[hole] + axis];
    for (Int32 t : walls[hole])
      for (int m = 0; m < 3; ++m)
        for (int axis = 0; axis < 3; ++axis) {
          const Real x = sites[4 * (Index)triangles[3 * (Index)t + m] + axis];
          low[axis] = x < low[axis] ? x : low[axis], high[axis] = x > high[axis] ? x : high[axis];
        }
    for (Index c = 0; c < n_components; ++c) {
      throw_if_canceled_at(c);
      if (six_volumes[c] > 0 || piece_of[c] == piece_of[hole]) continue;
      if (host[c] != NONE && six_volumes[host[c]] <= six_volumes[hole]) continue;
      bool is_in_box = true;
      for (int axis = 0; axis < 3; ++axis) {
        const Real x = sites[4 * (Index)vertex_of[c] + axis];
        is_in_box = is_in_box && low[axis] <= x && x <= high[axis];
      }
      bool is_inside = false;
      if (is_in_box) throw_if_canceled();
      if (is_in_box)
        for (Int32 t : walls[hole]) is_inside ^= is_below(sites, vertex_of[c], triangles + 3 * (Index)t);
      if (is_inside) host[c] = (Int32)hole;
    }
  }
  return n_components;
}
#endif

// side_component as boundary_walks.h gives it. Out: six_volumes (n_components,), six times the volume each.
HOST_TASK(enclose_volumes, (const Real* sites, const Int32* triangles, Index n_triangles, const Int32* side_component,
                            Real* six_volumes, Index n_components),
          enclose(sites, triangles, n_triangles, side_component, six_volumes, n_components))
// vertex_of, piece_of (n_components,): any vertex of the component, the piece of the complex that it belongs to.
HOST_TASK(place_islands, (const Real* sites, const Int32* triangles, Index n_triangles, const Int32* side_component,
                          const Real* six_volumes, Index n_components, const Int32* vertex_of, const Int32* piece_of,
                          Int32* host),
          find_hosts(sites, triangles, n_triangles, side_component, six_volumes, n_components, vertex_of, piece_of, host))
