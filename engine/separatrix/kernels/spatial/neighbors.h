// Neighbors within a closed radius: count, then fill. A pair counts iff d2 <= r*r, in float64.
//
// Queries and points are planes (d, stride), sorted by cell, with LANES spare numbers at the end;
// d >= 3. The squared distance is dx*dx + dy*dy + dz*dz + ..., from left to right, without contraction,
// so it has the same bits on every device. `order` maps sorted positions to the caller's indices.
#pragma once
#include "spatial/cells.h"

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
enum { SPARE = 8 };  // points that may be read beyond the last one

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
// Bit mask of the lanes from sorted position j, before `end`, within the squared distance `limit`.
ITEM Word lanes_within(const Real* d2, Real limit, Index j, Index end) {
  Word within = 0;
  LANE_LOOP for (int l = 0; l < LANES; ++l) within |= (Word)(d2[l] <= limit) << l;
  return end - j < LANES ? within & (bit((int)(end - j)) - 1) : within;
}
ITEM void in_cells_of(CellGrid grid, Query query, Real* u) {
  u[0] = in_cells(query.x, grid.low_x, grid.size, grid.n_x);
  u[1] = in_cells(query.y, grid.low_y, grid.size, grid.n_y);
  u[2] = in_cells(query.z, grid.low_z, grid.size, grid.n_z);
}

// Calls found(j, within) for lanes with points within the radius: `within` is a bit mask from sorted
// position j. `wide` is the radius in cells, rounded up. With `after`, only positions after it count.
template <class Found>
ITEM void look_around(Cells cells, Points points, Query query, Real radius2, Real wide, Index after,
                      Found found) {
  Real u[3];
  in_cells_of(cells.grid, query, u);
  visit_runs(cells, u, u, wide, after >= 0, [&](Index begin, Index end) {
    for (Index j = begin > after ? begin : after + 1; j < end; j += LANES) {
      Real d2[LANES];
      squared_distances(query, points, j, d2);
      Word within = lanes_within(d2, radius2, j, end);
      if (within) found(j, within);
    }
  });
}
enum { FROM_START = -1 };

// === one row per query
ITEM Index n_within(Cells cells, Points points, Query query, Real radius2, Real wide) {
  Index n = 0;
  look_around(cells, points, query, radius2, wide, FROM_START,
              [&](Index, Word within) { n += population(within); });
  return n;
}
// On a GPU all rows are sorted at once afterwards, so the upper half of an item is its row.
ITEM Index with_row(Int32 row, Int32 item) { return ON_GPU ? (Index)row << 32 | item : item; }

ITEM void list_within(Cells cells, Points points, Query query, Real radius2, Real wide, Int32 row,
                      bool without_self, Index* out) {
  look_around(cells, points, query, radius2, wide, FROM_START, [&](Index j, Word within) {
    for (; within; within &= within - 1) {
      Int32 item = points.order[j + lowest_bit(within)];
      if (!without_self || item != row) *out++ = with_row(row, item);
    }
  });
}
// In: the points' cells and planes, the queries' planes. Out: count (n,) by the caller's rows.
ROW_KERNEL(count_within, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts,
                          const Real* planes, Index stride, Index d, const Int32* order, const Real* queries,
                          Index query_stride, const Int32* query_order, Real radius2, Real wide,
                          Index without_self, Index* count),
           count[query_order[i]] = n_within({grid, keys, n_keys, starts}, {planes, stride, d, order},
               query_at({queries, query_stride, d, query_order}, i), radius2, wide) - without_self)
ROW_KERNEL(fill_within, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts,
                         const Real* planes, Index stride, Index d, const Int32* order, const Real* queries,
                         Index query_stride, const Int32* query_order, Real radius2, Real wide,
                         Index without_self, const Index* offsets, Index* items),
           list_within({grid, keys, n_keys, starts}, {planes, stride, d, order}, query_at({queries,
               query_stride, d, query_order}, i), radius2, wide, query_order[i], without_self != 0,
               items + offsets[query_order[i]]))

// === each pair of points once, in the row of its lower index
// The earlier of two sorted positions finds the later one. Until pairs are sorted, each is one number,
// row << 32 | item.
ITEM Index n_after(Cells cells, Points points, Index p, Real radius2, Real wide) {
  Index n = 0;
  look_around(cells, points, query_at(points, p), radius2, wide, p,
              [&](Index, Word within) { n += population(within); });
  return n;
}
ITEM void list_after(Cells cells, Points points, Index p, Real radius2, Real wide, Index* out) {
  Int32 one = points.order[p];
  look_around(cells, points, query_at(points, p), radius2, wide, p, [&](Index j, Word within) {
    for (; within; within &= within - 1) {
      Int32 other = points.order[j + lowest_bit(within)];
      *out++ = one < other ? (Index)one << 32 | other : (Index)other << 32 | one;
    }
  });
}
// In: the points. Out, by sorted positions: count (n,), then pairs.
ROW_KERNEL(count_pairs, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts,
                         const Real* planes, Index stride, Index d, const Int32* order, Real radius2, Real wide,
                         Index* count),
           count[i] = n_after({grid, keys, n_keys, starts}, {planes, stride, d, order}, i, radius2, wide))
ROW_KERNEL(fill_pairs, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts, const Real* planes,
                        Index stride, Index d, const Int32* order, Real radius2, Real wide,
                        const Index* offsets, Index* pairs),
           list_after({grid, keys, n_keys, starts}, {planes, stride, d, order}, i, radius2, wide,
               pairs + offsets[i]))

#if !ON_GPU
enum { LONG_ROW = 24 };  // longer rows on average are sorted faster all at once

// Places `in` (m,) stably by `part` of each, in [0, n), with put(number, place). Out: begin (n + 1,), the
// first place of each part.
template <class Part, class Put>
static inline void count_and_place(const Index* in, Index m, Index n, Index* begin, Part part, Put put) {
  for (Index k = 0; k <= n; ++k) begin[k] = 0;
  for (Index p = 0; p < m; ++p) {
    throw_if_canceled_at(p);
    ++begin[part(in[p])];
  }
  Index sum = 0;
  for (Index k = 0; k <= n; ++k) {
    sum += begin[k];
    begin[k] = sum;
  }
  for (Index p = m - 1; p >= 0; --p) {
    throw_if_canceled_at(p);
    put(in[p], --begin[part(in[p])]);
  }
}
// Sorts pairs into rows. Out: offsets (n + 1,), items (m,). Returns whether all rows are ascending.
static inline Index rows_of_pairs(const Index* pairs, Index m, Index n, Index* offsets, Index* items) {
  auto row_of = [](Index pair) { return pair >> 32; };
  auto item_of = [](Index pair) { return pair & 0xffffffff; };
  auto put_item = [&](Index pair, Index at) { items[at] = item_of(pair); };
  if (m <= LONG_ROW * n) {
    count_and_place(pairs, m, n, offsets, row_of, put_item);
    return 0;
  }
  std::vector<Index> by_item(m);
  count_and_place(pairs, m, n, offsets, item_of, [&](Index pair, Index at) { by_item[at] = pair; });
  count_and_place(by_item.data(), m, n, offsets, row_of, put_item);
  return 1;
}
#endif
HOST_TASK(group_pairs, (const Index* pairs, Index m, Index n, Index* offsets, Index* items),
          rows_of_pairs(pairs, m, n, offsets, items))
// First item of each row of sorted pairs, on a GPU.
KERNEL(begin_rows, (const Index* sorted_pairs, Index m, Index* offsets),
       offsets[i] = lower_bound(sorted_pairs, m, i << 32))

// === sorting of rows, and distances
// Most rows are short and consist of a few ascending sequences.
ITEM void sort_row(Index* items, Index n) {
#if !ON_GPU
  if (n > 32) {
    std::sort(items, items + n);
    return;
  }
#endif
  for (Index s = 1; s < n; ++s) {
    Index item = items[s], t = s;
    for (; t > 0 && items[t - 1] > item; --t) items[t] = items[t - 1];
    items[t] = item;
  }
}
ROW_KERNEL(sort_rows, (const Index* offsets, Index* items), sort_row(items + offsets[i],
                       offsets[i + 1] - offsets[i]))

// In: rows (m,), items (m,) of the points (n, d) in the caller's order. Out: distances (m,).
ITEM Real distance_between(const Real* a, const Real* b, Index d) {
  Real d2 = 0;
  for (Index k = 0; k < d; ++k) d2 += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(d2);
}
KERNEL(measure_pairs, (const Real* queries, const Real* points, Index d, const Index* rows, const Index* items,
                       Real* distances),
       distances[i] = distance_between(queries + rows[i] * d, points + items[i] * d, d))

ITEM void name_row(const Index* offsets, Index row, Index* rows) {
  for (Index at = offsets[row]; at < offsets[row + 1]; ++at) rows[at] = row;
}
KERNEL(name_rows, (const Index* offsets, Index* rows), name_row(offsets, i, rows))
