// The relative neighborhood graph of points from rows of neighbors, one item per edge or point.
//
// Rows have all edges up to a length. A longer edge is excluded if one of its ends is surrounded, which is tested as in
// rips/point_links.h. So longer edges are only tested between the other points, which are few.
#pragma once
#include "rips/lune_rows.h"

// Whether a neighbor w in the lune of uv comes before it, so that the edge is not a link. In: their length.
ITEM bool rips_splits(const RipsDistances& distances, Int32 u, Int32 v, Int32 w, Real length) {
  const Int32 high = u > v ? u : v, low = u > v ? v : u;
  return w != u && w != v && rips_is_before(distances(u, w), u, w, length, high, low) &&
         rips_is_before(distances(v, w), v, w, length, high, low);
}
ITEM bool rips_is_link(const RipsNeighbors& rows, Int32 u, Int32 v, Real reach) {
  if (v > u) return false;
  const Real length = rows.distances(u, v);
  if (!(length <= reach)) return false;
  for (Index k = rows.offsets[u]; k < rows.offsets[u + 1]; ++k)
    if (rips_splits(rows.distances, u, v, rows.items[k], length)) return false;
  return true;
}
KERNEL(rips_flag_links, (const Real* given, Index n, Int32 d, const Index* offsets, const Int32* items,
                         const Int32* row_of, Real reach, Byte* flags),
       flags[i] = rips_is_link({{given, n, d}, offsets, items}, row_of[i], items[i], reach))

// Directions have coordinates -1, 0, and 1, as digits to base 3. Sectors between 2^(d - 1) of them contain all others.
ITEM int rips_digit(int direction, int axis) { return direction / (axis == 0 ? 1 : axis == 1 ? 3 : 9) % 3 - 1; }
ITEM Word rips_sector(int d, int main, int signs) {
  Word sector = 0;
  for (int nonzero = 0; nonzero < 1 << d; ++nonzero) {
    if (!(nonzero >> main & 1)) continue;
    int direction = 0;
    for (int axis = d - 1; axis >= 0; --axis)
      direction = 3 * direction + (nonzero >> axis & 1 ? signs >> axis & 1 ? 2 : 0 : 1);
    sector |= (Word)1 << direction;
  }
  return sector;
}
// Whether all points that are not nearer to u than `reach` are nearer to one of its neighbors, itself nearer to u.
// In: up to three coordinates, and a bound of all lengths.
ITEM bool rips_is_surrounded(const RipsNeighbors& rows, Int32 u, Real reach, Real extent) {
  const int d = rows.distances.d, n_directions = d == 1 ? 3 : d == 2 ? 9 : 27;
  const Real* const at = rows.distances.given;
  const Real norms[4] = {1, 1, 0.70710678118654752, 0.57735026918962576};
  Word open = (1u << (d << d)) - 1;  // sectors
  for (Index k = rows.offsets[u]; k < rows.offsets[u + 1] && open; ++k) {
    const Index w = rows.items[k];
    Real square = 0;
    for (int axis = 0; axis < d; ++axis) square += (at[w * d + axis] - at[u * d + axis]) * (at[w * d + axis] - at[u * d + axis]);
    if (!(square < reach * reach * (1 - rips::MARGIN))) continue;
    const Real least = (square / reach + rips::MARGIN * extent) / 2;
    Word held = 0;
    for (int direction = 0; direction < n_directions; ++direction) {
      Real along = 0;
      int n_nonzero = 0;
      for (int axis = 0; axis < d; ++axis) {
        const int digit = rips_digit(direction, axis);
        along += digit * (at[w * d + axis] - at[u * d + axis]);
        n_nonzero += digit != 0;
      }
      held |= (Word)(along * norms[n_nonzero] > least) << direction;
    }
    for (int sector = 0; sector < d << d; ++sector)
      if ((rips_sector(d, sector >> d, sector & ((1 << d) - 1)) & ~held) == 0) open &= ~(1u << sector);
  }
  return open == 0;
}
ROW_KERNEL(rips_flag_not_surrounded, (const Real* given, Index n, Int32 d, const Index* offsets, const Int32* items,
                                      Real reach, Real extent, Byte* flags),
           flags[i] = !rips_is_surrounded({{given, n, d}, offsets, items}, (Int32)i, reach, extent))

// Whether a pair of these points is longer than `reach`, and no neighbor of either shows that it is not a link.
ITEM bool rips_may_be_far_link(const RipsNeighbors& rows, Int32 u, Int32 v, Real reach, Real limit) {
  if (v >= u) return false;
  const Real length = rows.distances(u, v);
  if (!(length > reach && length <= limit)) return false;
  for (int end = 0; end < 2; ++end)
    for (Index k = rows.offsets[end ? v : u]; k < rows.offsets[(end ? v : u) + 1]; ++k)
      if (rips_splits(rows.distances, u, v, rows.items[k], length)) return false;
  return true;
}
KERNEL(rips_flag_far_links, (const Real* given, Index n, Int32 d, const Index* offsets, const Int32* items,
                             const Int32* some, Index m, Real reach, Real limit, Byte* flags),
       flags[i] = rips_may_be_far_link({{given, n, d}, offsets, items}, some[i / m], some[i % m], reach, limit))
// An item is a range of points and an edge, which it marks if one of the points shows that it is not a link.
KERNEL(rips_split_far_links, (const Real* given, Index n, Int32 d, const Int32* ends, Index n_ranges, Byte* flags), {
  const Index at = i / n_ranges, range = i % n_ranges, size = (n + n_ranges - 1) / n_ranges, first = range * size;
  const Index last = first + size < n ? first + size : n;
  const RipsDistances distances{given, n, d};
  const Int32 u = ends[2 * at], v = ends[2 * at + 1];
  const Real length = distances(u, v);
  for (Index w = first; w < last && !is_raised(flags + at); ++w)
    if (rips_splits(distances, u, v, (Int32)w, length)) mark(flags + at);
})

// Squared distances of all points from one of them, and at least the given ones.
KERNEL(rips_raise_squares, (const Real* given, Int32 d, Index from, Real* squares), {
  Real square = 0;
  for (Int32 axis = 0; axis < d; ++axis)
    square += (given[i * d + axis] - given[from * d + axis]) * (given[i * d + axis] - given[from * d + axis]);
  squares[i] = square > squares[i] ? square : squares[i];
})
