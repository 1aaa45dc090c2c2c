// Lunes of points with few coordinates, one item per edge, as in rips/lune_rows.h but without reading a matrix.
//
// Consecutive items often have the same u, so together they read the coordinates of one w. Squares are compared
// with the bounds of all squares whose roots are at most, or less than, the length of the edge.
#pragma once
#include "rips/lunes.h"

#if !ON_GPU
#include <cmath>
#endif

// The least square whose root is at least this length or, if `above`, greater.
ITEM bool rips_reaches(Real square, Real length, bool above) {
  const Real root = sqrt(square);
  return above ? root > length : root >= length;
}
ITEM Real rips_least_square(Real length, bool above) {
  Real square = length * length;
  while (!rips_reaches(square, length, above)) square = nextafter(square, 2 * square + 1);
  while (square > 0 && rips_reaches(nextafter(square, 0.0), length, above)) square = nextafter(square, 0.0);
  return square;
}

template <int D> struct RipsPosition {
  Real at[D];
  ITEM_MEMBER RipsPosition(const Real* points, Index place) {
    UNROLL for (int axis = 0; axis < D; ++axis) at[axis] = points[place * D + axis];
  }
  ITEM_MEMBER Real squared(const RipsPosition& other) const {
    Real total = 0;
    UNROLL for (int axis = 0; axis < D; ++axis) total += (at[axis] - other.at[axis]) * (at[axis] - other.at[axis]);
    return total;
  }
};

// See rips_lune_of: tied only if no point near the middle proves that the lune is connected.
template <int D>
ITEM RipsLune rips_euclidean_lune(const Real* points, const Index* offsets, const Int32* items, Int32 u, Int32 v,
                                  Real from, Real to) {
  if (v > u) return RIPS_CONNECTED;
  const RipsPosition<D> x(points, u), y(points, v);
  const Real square = x.squared(y), length = sqrt(square);
  if (!(length > from && length <= to)) return RIPS_CONNECTED;
  const Real below = rips_least_square(length, false), above = rips_least_square(length, true);
  const Real margin = rips::MARGIN * square * square;
  const Index begin = offsets[u], end = offsets[u + 1];
  Int32 center = NONE;
  Real least = above;
  bool is_tied = false;
  for (Index k = begin; k < end; ++k) {
    const Int32 w = items[k];
    const RipsPosition<D> at(points, w);
    const Real to_u = at.squared(x), to_v = at.squared(y), larger = to_u > to_v ? to_u : to_v;
    if (!(larger < above) || w == v) continue;
    if (rips::is_center(square, to_u, to_v, margin)) return RIPS_CONNECTED;
    is_tied |= !(larger < below);
    if (larger < least) least = larger, center = w;
  }
  if (is_tied) return RIPS_TIED;
  if (center < 0) return RIPS_DIVIDED;
  const RipsPosition<D> middle(points, center);
  for (Index k = begin; k < end; ++k) {
    const Int32 w = items[k];
    const RipsPosition<D> at(points, w);
    if (at.squared(x) < below && at.squared(y) < below && w != v && !(at.squared(middle) < below)) return RIPS_DIVIDED;
  }
  return RIPS_CONNECTED;
}
ITEM RipsLune rips_euclidean_lune(const Real* points, Int32 d, const Index* offsets, const Int32* items, Int32 u,
                                  Int32 v, Real from, Real to) {
  switch (d) {
    case 1: return rips_euclidean_lune<1>(points, offsets, items, u, v, from, to);
    case 2: return rips_euclidean_lune<2>(points, offsets, items, u, v, from, to);
    case 3: return rips_euclidean_lune<3>(points, offsets, items, u, v, from, to);
    default: return rips_euclidean_lune<4>(points, offsets, items, u, v, from, to);
  }
}
// In: points (n, d), d at most 4.
KERNEL(rips_flag_open_of_points, (const Real* points, Int32 d, const Index* offsets, const Int32* items,
                                  const Int32* row_of, Real from, Real to, Byte* lunes),
       lunes[i] = rips_euclidean_lune(points, d, offsets, items, row_of[i], items[i], from, to))
