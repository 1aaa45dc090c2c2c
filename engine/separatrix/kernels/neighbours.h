// Neighbours within a closed radius: count, then fill. A pair counts iff d2 <= r*r, in float64.
//
// Queries and points are planes (d, stride), sorted by cell, with LANES numbers to spare at the end;
// d >= 3. The squared distance is dx*dx + dy*dy + dz*dz + ..., from left to right, contraction off:
// the same bits everywhere. `order` maps sorted positions to the caller's indices.
#pragma once
#include "cells.h"

#if !ON_GPU
  #include <algorithm>
#endif

#if ON_GPU
enum { LANES = 4 };
  #define LANE_LOOP UNROLL
#else
enum { LANES = 8 };
  #define LANE_LOOP _Pragma("omp simd")
#endif
enum { SPARE = 8 };  // points that can be read after the last one

struct Points {
  const Real* planes;
  Index stride, d;
  const Int32* order;
};
struct Query {
  Real x, y, z;
  const Real* rest;  // its coordinates from the fourth on, `stride` apart
  Index stride;
};
ITEM Query query_at(Points queries, Index p) {
  const Real *x = queries.planes + p, *y = x + queries.stride, *z = y + queries.stride;
  return {*x, *y, *z, z + queries.stride, queries.stride};
}
ITEM void squared_distances(Query query, Points points, Index j, Real* d2) {
  const Real *x = points.planes + j, *y = x + points.stride, *z = y + points.stride;
  LANE_LOOP for (int l = 0; l < LANES; ++l) {
    Real dx = query.x - x[l], dy = query.y - y[l], dz = query.z - z[l];
    d2[l] = dx * dx + dy * dy + dz * dz;
  }
  for (Index a = 3; a < points.d; ++a) {
    Real at = query.rest[(a - 3) * query.stride];
    const Real* plane = points.planes + a * points.stride + j;
    LANE_LOOP for (int l = 0; l < LANES; ++l) {
      Real along = at - plane[l];
      d2[l] += along * along;
    }
  }
}
ITEM void in_cells_of(CellGrid grid, Query query, Real* u) {
  u[0] = in_cells(query.x, grid.low_x, grid.size);
  u[1] = in_cells(query.y, grid.low_y, grid.size);
  u[2] = in_cells(query.z, grid.low_z, grid.size);
}

// Lanes of points that may be within the radius: look(j, end, d2) for sorted positions from j on, up to
// `end`. `wide` is the radius in cells, rounded up.
template <class Look>
ITEM void look_around(Cells cells, Points points, Query query, Real wide, Look look) {
  Real u[3];
  in_cells_of(cells.grid, query, u);
  visit_runs(cells, u, u, wide, [&](Index begin, Index end) {
    for (Index j = begin; j < end; j += LANES) {
      Real d2[LANES];
      squared_distances(query, points, j, d2);
      look(j, end, d2);
    }
  });
}

// Which of the points found a row keeps: all, all but itself, or those of higher index.
enum Keep { KEEP_ALL = 0, KEEP_OTHERS = 1, KEEP_HIGHER = 2 };
ITEM bool is_kept(Index keep, Int32 row, Int32 item) {
  return keep == KEEP_ALL || (keep == KEEP_OTHERS ? item != row : item > row);
}

ITEM void count_row(Cells cells, Points points, Points queries, Index p, Real radius2, Real wide, Index keep,
                    Index* count) {
  Int32 row = queries.order[p];
  Index found = 0;
  look_around(cells, points, query_at(queries, p), wide, [&](Index j, Index end, const Real* d2) {
    Int32 hits = 0;
    if (keep == KEEP_HIGHER) {
      for (int l = 0; l < LANES; ++l) hits += d2[l] <= radius2 && j + l < end && points.order[j + l] > row;
    } else {
      LANE_LOOP for (int l = 0; l < LANES; ++l) hits += (d2[l] <= radius2) & (j + l < end);
    }
    found += hits;
  });
  count[row] = found - (keep == KEEP_OTHERS);
}

#if !ON_GPU
// Most rows are short.
static inline void sort_row(Index* items, Index n) {
  if (n > 32) {
    std::sort(items, items + n);
    return;
  }
  for (Index s = 1; s < n; ++s) {
    Index item = items[s], t = s;
    for (; t > 0 && items[t - 1] > item; --t) items[t] = items[t - 1];
    items[t] = item;
  }
}
#endif
// Items of a row ascend. On a GPU all rows are sorted at once afterwards: there an item has its row in
// the upper half.
ITEM void fill_row(Cells cells, Points points, Points queries, Index p, Real radius2, Real wide, Index keep,
                   const Index* offsets, Index* items) {
  Int32 row = queries.order[p];
  if (offsets[row] == offsets[row + 1]) return;
  Index *out = items + offsets[row], tag = ON_GPU ? (Index)row << 32 : 0, found = 0;
  look_around(cells, points, query_at(queries, p), wide, [&](Index j, Index end, const Real* d2) {
    for (int l = 0; l < LANES; ++l)
      if (d2[l] <= radius2 && j + l < end && is_kept(keep, row, points.order[j + l]))
        out[found++] = tag | points.order[j + l];
  });
#if !ON_GPU
  sort_row(out, found);
#endif
}

// In: the points' cells and planes, the queries' planes; count is by the caller's rows.
ROW_KERNEL(count_within, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts, const Real* planes, Index stride, Index d, const Int32* order, const Real* queries, Index query_stride, const Int32* query_order, Real radius2, Real wide, Index keep, Index* count),
           count_row({grid, keys, n_keys, starts}, {planes, stride, d, order}, {queries, query_stride, d, query_order}, i, radius2, wide, keep, count))
ROW_KERNEL(fill_within, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts, const Real* planes, Index stride, Index d, const Int32* order, const Real* queries, Index query_stride, const Int32* query_order, Real radius2, Real wide, Index keep, const Index* offsets, Index* items),
           fill_row({grid, keys, n_keys, starts}, {planes, stride, d, order}, {queries, query_stride, d, query_order}, i, radius2, wide, keep, offsets, items))

// In: rows (m,), items (m,) of the points (n, d) as the caller gave them. Out: distances (m,).
ITEM Real distance_between(const Real* a, const Real* b, Index d) {
  Real d2 = 0;
  for (Index k = 0; k < d; ++k) d2 += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(d2);
}
KERNEL(measure_pairs, (const Real* queries, const Real* points, Index d, const Index* rows, const Index* items, Real* distances),
       distances[i] = distance_between(queries + rows[i] * d, points + items[i] * d, d))

ITEM void name_row(const Index* offsets, Index row, Index* rows) {
  for (Index at = offsets[row]; at < offsets[row + 1]; ++at) rows[at] = row;
}
KERNEL(name_rows, (const Index* offsets, Index* rows), name_row(offsets, i, rows))
