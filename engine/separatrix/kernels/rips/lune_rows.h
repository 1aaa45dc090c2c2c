// Lunes by rows of neighbors, one item per edge: on a GPU, all edges up to a length are tested at once.
//
// An edge matters only if its lune is empty or has several components, which does not depend on values. Most lunes
// are found to be connected, since one of their points is nearer to all others than the edge is long. The other edges
// are open. The value of any other edge is the sum over a triangle with the middle of its lune: these triangles are
// listed for the sides of open edges, and for the sides that they lead to. rips/listed_lunes.h adds the values.
//
// In: the distances, a matrix (n, n) or points (n, d), and rows of all neighbors up to a length: offsets (n + 1,),
// items (m,), ascending in a row. Edges are (high, low). The lune holds all points nearer to both ends than the edge
// is long; with points at that distance, the edge is tied, and open.
#pragma once
#include "common/hash_set.h"
#include "common/search.h"
#include "rips/lunes.h"

#if !ON_GPU
#include <cmath>
#endif

constexpr Real RIPS_NEAR_MIDDLE = 0.6;

struct RipsDistances {
  const Real* given;  // a matrix or, if d > 0, coordinates
  Index n;
  Int32 d;
  ITEM_MEMBER Real operator()(Index u, Index v) const {
    if (d == 0) return given[u * n + v];
    Real square = 0;
    for (Int32 axis = 0; axis < d; ++axis) {
      const Real difference = given[u * d + axis] - given[v * d + axis];
      square += difference * difference;
    }
    return sqrt(square);
  }
};

struct RipsNeighbors {
  RipsDistances distances;
  const Index* offsets;
  const Int32* items;

  // Calls use(w, its larger distance to both ends, the other one) for all w within the length of both ends, in ascending
  // order, until it returns false. Distances of several w are read at once. Consecutive items often have the same u, so
  // together they read parts of the rows of w.
  template <class Use> ITEM_MEMBER void for_lune(Int32 u, Int32 v, Real length, Use use) const {
    enum { RUN = 8 };
    const Index end = offsets[u + 1];
    for (Index begin = offsets[u]; begin < end; begin += RUN) {
      Int32 w[RUN];
      Real to_u[RUN], to_v[RUN];
      UNROLL for (int j = 0; j < RUN; ++j) w[j] = items[begin + j < end ? begin + j : end - 1];
      UNROLL for (int j = 0; j < RUN; ++j) to_u[j] = distances(w[j], u), to_v[j] = distances(w[j], v);
      UNROLL for (int j = 0; j < RUN; ++j) {
        const bool is_farther = to_u[j] > to_v[j];
        const Real larger = is_farther ? to_u[j] : to_v[j], other = is_farther ? to_v[j] : to_u[j];
        if (begin + j < end && w[j] != v && larger <= length && !use(w[j], larger, other)) return;
      }
    }
  }
  // The point of the lune whose larger distance to both ends is least, or the first for which it is below `enough`. NONE
  // if the lune is empty.
  ITEM_MEMBER Int32 middle(Int32 u, Int32 v, Real length, Real enough, bool& is_tied) const {
    Int32 found = NONE;
    Real least = length;
    for_lune(u, v, length, [&](Int32 w, Real larger, Real) {
      is_tied |= larger == length;
      if (larger < least) least = larger, found = w;
      return !(larger < enough);
    });
    return found;
  }
};

// === edges of the relative neighborhood graph, of a matrix

// Whether entry i is an edge (high, low) up to the limit whose lune has none of the first neighbors of the high end.
ITEM bool rips_may_be_link(const Real* matrix, Index n, Real limit, const Index* offsets, const Int32* items, Index i) {
  enum { MOST = 32 };
  const Index u = i / n, v = i - u * n;
  const Real length = matrix[i];
  if (v >= u || !(length <= limit)) return false;
  const Index begin = offsets[u], end = offsets[u + 1] < begin + MOST ? offsets[u + 1] : begin + MOST;
  for (Index k = begin; k < end; ++k) {
    const Index w = items[k];  // the matrix is symmetric: consecutive i read consecutive entries
    if (matrix[w * n + v] < length && matrix[w * n + u] < length) return false;
  }
  return true;
}
KERNEL(rips_flag_possible_links, (const Real* matrix, Index n, Real limit, const Index* offsets, const Int32* items,
                                  Byte* flags),
       flags[i] = rips_may_be_link(matrix, n, limit, offsets, items, i))

// Whether the edge to w comes before an edge of this length: equal ones are ordered by descending vertices.
ITEM bool rips_is_before(Real own, Index a, Index b, Real length, Index high, Index low) {
  if (own != length) return own < length;
  const Index top = a > b ? a : b, other = a > b ? b : a;
  return top != high ? top > high : other > low;
}
// Whether some of the points from `first` to `last` is in the lune.
ITEM bool rips_is_split(const Real* matrix, Index n, Index entry, Index first, Index last) {
  enum { RUN = 16 };
  const Index u = entry / n, v = entry - u * n;
  const Real length = matrix[entry];
  const Real *const to_u = matrix + u * n, *const to_v = matrix + v * n;
  for (Index begin = first; begin < last; begin += RUN) {
    const Index end = begin + RUN < last ? begin + RUN : last;
    int n_within = 0;
    for (Index w = begin; w < end; ++w) n_within += (to_u[w] <= length) & (to_v[w] <= length);
    if (n_within == 0) continue;
    for (Index w = begin; w < end; ++w)
      if (w != u && w != v && rips_is_before(to_u[w], u, w, length, u, v) && rips_is_before(to_v[w], v, w, length, u, v))
        return true;
  }
  return false;
}
// An item is a range of points and an entry, which it marks if one of the points shows that it is not a link.
KERNEL(rips_exclude_links, (const Real* matrix, Index n, const Index* entries, Index n_ranges, Byte* flags), {
  const Index at = i / n_ranges, range = i % n_ranges, size = (n + n_ranges - 1) / n_ranges, first = range * size;
  if (!is_raised(flags + at) && rips_is_split(matrix, n, entries[at], first, first + size < n ? first + size : n))
    mark(flags + at);
})

// === rows

KERNEL(rips_flag_within, (const Real* matrix, Index n, Real reach, Byte* flags),
       flags[i] = matrix[i] <= reach && i % (n + 1) != 0)

// Entries of a matrix (n, n), ascending; items are their columns.
KERNEL(rips_begin_rows, (const Index* entries, Index m, Index n, Index* offsets),
       offsets[i] = first_at_least(entries, m, i * n))
KERNEL(rips_name_columns, (const Index* entries, Index n, Int32* rows, Int32* items), {
  const Index row = entries[i] / n;
  rows[i] = (Int32)row;
  items[i] = (Int32)(entries[i] - row * n);
})

// === lunes

// Whether some point of the lune is farther from the center than the edge is long, or the edge is tied.
ITEM RipsLune rips_lune_around(const RipsNeighbors& rows, Int32 u, Int32 v, Real length, Int32 center) {
  RipsLune lune = RIPS_CONNECTED;
  rows.for_lune(u, v, length, [&](Int32 w, Real larger, Real) {
    if (larger == length) lune = RIPS_TIED;
    else if (lune == RIPS_CONNECTED && !(rows.distances(w, center) < length)) lune = RIPS_DIVIDED;
    return lune != RIPS_TIED;
  });
  return lune;
}
// Of an edge longer than `from`; of the first edges, `from` is negative. Usually the first point near the middle is
// near enough to all others. In Euclidean space, its place proves this.
ITEM Byte rips_lune_of(const RipsNeighbors& rows, Int32 u, Int32 v, Real from, bool is_euclidean) {
  if (v > u) return RIPS_CONNECTED;
  const Real length = rows.distances(u, v), square = length * length;
  if (!(length > from)) return RIPS_CONNECTED;
  Int32 center = NONE;
  bool is_proved = false, is_tied = false, is_far = false;
  rows.for_lune(u, v, length, [&](Int32 w, Real larger, Real other) {
    is_tied |= larger == length;
    if (is_euclidean) is_proved = rips::is_center(square, larger * larger, other * other, rips::MARGIN * square * square);
    if (center >= 0) is_far |= !(rows.distances(w, center) < length);
    else if (larger < RIPS_NEAR_MIDDLE * length) center = w;
    return !is_proved && (is_euclidean || !(is_tied || is_far));
  });
  if (is_proved) return RIPS_CONNECTED;
  if (is_tied) return RIPS_TIED;
  if (center >= 0 && !is_far) {
    rows.for_lune(u, v, length, [&](Int32 w, Real, Real) {
      is_far |= !(rows.distances(w, center) < length);
      return w != center && !is_far;
    });
    if (!is_far) return RIPS_CONNECTED;
  }
  center = rows.middle(u, v, length, 0, is_tied);
  if (is_tied) return RIPS_TIED;
  return center < 0 ? RIPS_DIVIDED : rips_lune_around(rows, u, v, length, center);
}
KERNEL(rips_flag_open, (const Real* given, Index n, Int32 d, const Index* offsets, const Int32* items,
                        const Int32* row_of, Real from, Int32 is_euclidean, Byte* lunes),
       lunes[i] = rips_lune_of({{given, n, d}, offsets, items}, row_of[i], items[i], from, is_euclidean))

// If edges of equal length have a common triangle, and one of them is tied, then all of them are.
ITEM void rips_tie_others(const RipsNeighbors& rows, Int32 u, Int32 v, Byte* lunes) {
  const Real length = rows.distances(u, v);
  rows.for_lune(u, v, length, [&](Int32 w, Real larger, Real) {
    for (int k = 0; k < 2 && larger == length; ++k) {
      const Int32 end = k ? v : u, high = end > w ? end : w, low = end > w ? w : end;
      if (rows.distances(w, end) != length) continue;
      Index place = rows.offsets[high];
      while (rows.items[place] != low) ++place;
      mark(lunes + place);  // RIPS_TIED
    }
    return true;
  });
}
KERNEL(rips_tie_others, (const Real* given, Index n, Int32 d, const Index* offsets, const Int32* items,
                         const Int32* row_of, const Index* places, Byte* lunes),
       rips_tie_others({{given, n, d}, offsets, items}, row_of[places[i]], items[places[i]], lunes))

// Edges by their places among all items.
KERNEL(rips_open_edges, (const Real* given, Index n, Int32 d, const Int32* row_of, const Int32* items,
                         const Index* places, Int32* ends, Real* lengths), {
  const Int32 u = row_of[places[i]], v = items[places[i]];
  ends[2 * i] = u;
  ends[2 * i + 1] = v;
  lengths[i] = RipsDistances{given, n, d}(u, v);
})
ITEM Int32 rips_lune_size(const RipsNeighbors& rows, const Int32* ends, Real length) {
  Int32 m = 0;
  rows.for_lune(ends[0], ends[1], length, [&](Int32, Real, Real) {
    ++m;
    return true;
  });
  return m;
}
KERNEL(rips_count_lunes, (const Real* given, Index n, Int32 d, const Index* offsets, const Int32* items,
                          const Int32* ends, const Real* lengths, Int32* sizes),
       sizes[i] = rips_lune_size({{given, n, d}, offsets, items}, ends + 2 * i, lengths[i]))

// The points at the length of the edge, and the last point of each component of the lune, descending. Returns how many.
ITEM Int32 rips_components(const RipsNeighbors& rows, const Int32* ends, Real length, Int32* left, Int32* waiting,
                           Int32* found) {
  Int32 m = 0, n_found = 0;
  rows.for_lune(ends[0], ends[1], length, [&](Int32 w, Real larger, Real) {
    if (larger == length) found[n_found++] = w;
    else left[m++] = w;
    return true;
  });
  while (m > 0) {
    Int32 n_waiting = 1;
    waiting[0] = found[n_found++] = left[--m];
    while (n_waiting > 0 && m > 0) {
      const Int32 w = waiting[--n_waiting];
      Int32 kept = 0;
      for (Int32 k = 0; k < m; ++k) {
        const Int32 x = left[k];
        const bool is_near = rows.distances(w, x) < length;
        if (is_near) waiting[n_waiting++] = x;
        else left[kept++] = x;
      }
      m = kept;
    }
  }
  return n_found;
}
// In: the first place of each lune; `left` and `waiting` are overwritten.
ROW_KERNEL(rips_divide_lunes, (const Real* given, Index n, Int32 d, const Index* offsets, const Int32* items,
                               const Int32* ends, const Real* lengths, const Index* begin, Int32* left,
                               Int32* waiting, Int32* found, Int32* counts),
           counts[i] = rips_components({{given, n, d}, offsets, items}, ends + 2 * i, lengths[i],
                                       left + begin[i], waiting + begin[i], found + begin[i]))

// Whether an edge is open: other lunes have one component, which was not recognized before. Links that are not tied may
// be omitted.
KERNEL(rips_confirm_open, (const Index* places, const Byte* lunes, const Int32* counts, Int32 without_links, Byte* flags),
       flags[i] = lunes[places[i]] == RIPS_TIED || counts[i] > 1 || (counts[i] == 0 && !without_links))
// The points found in the lunes of chosen edges, without gaps.
KERNEL(rips_pack_lunes, (const Index* chosen, const Index* from, const Int32* found, const Index* begin, Int32* packed), {
  for (Index k = begin[i]; k < begin[i + 1]; ++k) packed[k] = found[from[chosen[i]] + k - begin[i]];
})

// === triangles of the sides that open edges lead to

ITEM Wide rips_side(Int32 a, Int32 b) { return a > b ? (Wide)a << 32 | (Wide)b : (Wide)b << 32 | (Wide)a; }

// The sides of the triangles of an open edge with all points found.
KERNEL(rips_reach_sides, (const Int32* ends, const Index* begin, const Int32* found, Wide* slots, Wide mask,
                          Index capacity, Wide* reached, Index* counters), {
  for (Index k = begin[i]; k < begin[i + 1]; ++k)
    for (int end = 0; end < 2; ++end)
      reach_key(rips_side(ends[2 * i + end], found[k]), slots, mask, capacity, reached, counters);
})
// The place of a side in the list, if it is new, or NONE.
ITEM Index rips_reach(Wide side, Wide* slots, Wide mask, Index capacity, Wide* reached, Index* counters) {
  if (!insert_key(slots, mask, side, counters)) return NONE;
  const Index at = add_to(counters + 1, 1);
  if (at < capacity) return reached[at] = side, at;
  add_to(counters, 1);
  return NONE;
}
// The middle of the lune of a side, -2 if it has none, and those of the other sides of their triangle, and so on along
// one of these: the others wait for the next launch, where they have no middle yet.
ITEM void rips_lead_further(const RipsNeighbors& rows, Index at, Wide* slots, Wide mask, Index capacity, Wide* reached,
                            Int32* middles, Index* counters) {
  while (at >= 0 && middles[at] == NONE) {
    const Int32 u = (Int32)(reached[at] >> 32), v = (Int32)(reached[at] & 0xFFFFFFFFu);
    const Real length = rows.distances(u, v);
    bool is_tied = false;
    const Int32 w = rows.middle(u, v, length, RIPS_NEAR_MIDDLE * length, is_tied);
    middles[at] = w < 0 ? -2 : w;
    if (w < 0) return;
    const Index first = rips_reach(rips_side(u, w), slots, mask, capacity, reached, counters);
    const Index second = rips_reach(rips_side(v, w), slots, mask, capacity, reached, counters);
    at = first >= 0 ? first : second;
  }
}
KERNEL(rips_reach_further, (const Real* given, Index n, Int32 d, const Index* offsets, const Int32* items, Index done,
                            Wide* slots, Wide mask, Index capacity, Wide* reached, Int32* middles, Index* counters),
       rips_lead_further({{given, n, d}, offsets, items}, done + i, slots, mask, capacity, reached, middles,
                          counters))
KERNEL(rips_keep_reached, (const Wide* reached, Wide* slots, Wide mask, Index* counters),
       insert_key(slots, mask, reached[i], counters))
