// The k nearest points, exactly: insertion by (squared distance, index) over the cells in reach.
//
// A query is done iff its k-th distance is strictly less than the distance to the nearest face of the
// searched cells that has cells behind it, where a tie could have a lower index. Other queries are
// repeated with a larger reach or on a grid of larger cells. For the layout of points see neighbors.h.
#pragma once
#include "spatial/neighbors.h"

enum { NO_POINT = -1 };

#if ON_GPU
ITEM Real infinity() { return __longlong_as_double(0x7ff0000000000000); }
#else
ITEM Real infinity() { return INFINITY; }
#endif
ITEM bool is_before(Real d2, Int32 index, Real other_d2, Int32 other_index) {
  return d2 < other_d2 || (d2 == other_d2 && index < other_index);
}

// The best so far, ascending: the last k of SLOTS.
template <int SLOTS>
struct Best {
  Real d2[SLOTS];
  Int32 index[SLOTS];
  ITEM_MEMBER Real last() const { return d2[SLOTS - 1]; }
  ITEM_MEMBER Int32 last_index() const { return index[SLOTS - 1]; }
  ITEM_MEMBER void clear(Index k) {
    UNROLL for (int s = 0; s < SLOTS; ++s) {
      d2[s] = s < SLOTS - k ? -1 : infinity();  // slots below zero never move
      index[s] = NO_POINT;
    }
  }
  ITEM_MEMBER void insert(Real new_d2, Int32 new_index) {
#if ON_GPU  // all slots are registers
    UNROLL for (int s = SLOTS - 1; s > 0; --s) {
      bool moves = is_before(new_d2, new_index, d2[s - 1], index[s - 1]);
      bool lands = !moves && is_before(new_d2, new_index, d2[s], index[s]);
      d2[s] = moves ? d2[s - 1] : lands ? new_d2 : d2[s];
      index[s] = moves ? index[s - 1] : lands ? new_index : index[s];
    }
    if (is_before(new_d2, new_index, d2[0], index[0])) {
      d2[0] = new_d2;
      index[0] = new_index;
    }
#else
    int s = SLOTS - 1;
    for (; s > 0 && is_before(new_d2, new_index, d2[s - 1], index[s - 1]); --s) {
      d2[s] = d2[s - 1];
      index[s] = index[s - 1];
    }
    d2[s] = new_d2;
    index[s] = new_index;
#endif
  }
  ITEM_MEMBER void write(Real* distances, Index* indices, Index k) const {
    UNROLL for (int s = 0; s < SLOTS; ++s)
      if (s >= SLOTS - k) {
        distances[s - (SLOTS - k)] = sqrt(d2[s]);
        indices[s - (SLOTS - k)] = index[s];
      }
  }
};

// The same for any k, in the row of the result.
struct BestInMemory {
  Real* d2;
  Index* index;
  Index k;
  ITEM_MEMBER Real last() const { return d2[k - 1]; }
  ITEM_MEMBER Int32 last_index() const { return (Int32)index[k - 1]; }
  ITEM_MEMBER void clear(Index) {
    for (Index s = 0; s < k; ++s) {
      d2[s] = infinity();
      index[s] = NO_POINT;
    }
  }
  ITEM_MEMBER void insert(Real new_d2, Int32 new_index) {
    Index s = k - 1;
    for (; s > 0 && is_before(new_d2, new_index, d2[s - 1], (Int32)index[s - 1]); --s) {
      d2[s] = d2[s - 1];
      index[s] = index[s - 1];
    }
    d2[s] = new_d2;
    index[s] = new_index;
  }
  ITEM_MEMBER void write(Real*, Index*, Index) const {
    for (Index s = 0; s < k; ++s) d2[s] = sqrt(d2[s]);
  }
};

template <class BestOf>
ITEM void offer(BestOf& best, Real d2, Int32 index, Int32 but) {
  if (index != but && is_before(d2, index, best.last(), best.last_index())) best.insert(d2, index);
}
// Searches the sorted positions of `run` except for the point of index `but` (NO_POINT: none). `own` is
// the cell of the query if the run contains it. Its points with equal coordinates are in the order of
// their indices, so after k of them at distance zero the rest of the cell is skipped.
template <class BestOf>
ITEM void take_run(BestOf& best, Points points, Query query, Int32 but, Run run, Run own) {
  Index j = run.begin, end = run.end;
  while (j < end) {
    Real d2[LANES];
    squared_distances(query, points, j, d2);
    Word within = lanes_within(d2, best.last(), j, end);
    if (within) {
      if (best.last() == 0 && j >= own.begin && j < own.end && points.order[j] > best.last_index()) {
        j = own.end;
        continue;
      }
#if ON_GPU  // lanes are registers, which cannot be indexed at run time
      UNROLL for (int l = 0; l < LANES; ++l)
        if (within >> l & 1) offer(best, d2[l], points.order[j + l], but);
#else
      for (; within; within &= within - 1) {
        int l = lowest_bit(within);
        offer(best, d2[l], points.order[j + l], but);
      }
#endif
    }
    j += LANES;
  }
}

// Distance of a query at u from the points beyond the cells `begin` to `end` along an axis, in cells,
// rounded down.
ITEM Real distance_behind(Real u, Index begin, Index end, Real n) {
  Real below = begin > 0 ? u - (Real)begin : infinity();
  Real above = end < (Index)n - 1 ? (Real)(end + 1) - u : infinity();
  return smaller(below, above) - SLACK;
}
ITEM Index first_in_reach(Index cell, Index reach) { return cell > reach ? cell - reach : 0; }
ITEM Index last_in_reach(Index cell, Index reach, Real n) {
  return cell + reach < (Index)n ? cell + reach : (Index)n - 1;
}

// Searches the cells at most `reach` from the query's own; returns whether the result is final.
template <class BestOf>
ITEM bool search(BestOf& best, Cells cells, Points points, Query query, Int32 but, Index reach) {
  CellGrid grid = cells.grid;
  Real u[3];
  in_cells_of(grid, query, u);
  Index x = cell_of(u[0], grid.n_x), y = cell_of(u[1], grid.n_y), z = cell_of(u[2], grid.n_z);
  Index x_begin = first_in_reach(x, reach), x_end = last_in_reach(x, reach, grid.n_x);
  Index y_begin = first_in_reach(y, reach), y_end = last_in_reach(y, reach, grid.n_y);
  Index z_begin = first_in_reach(z, reach), z_end = last_in_reach(z, reach, grid.n_z);
  Index own_key = key_of(grid, x, y, z);
  Run own = run_of_cells(cells, own_key, own_key);
  Real cell2 = grid.size * grid.size;
  // The query's own column first, which reduces the remaining work most.
  Int32 wide = (Int32)(y_end - y_begin + 1), n_columns = (Int32)(x_end - x_begin + 1) * wide;
  Int32 center = (Int32)(x - x_begin) * wide + (Int32)(y - y_begin);
  for (Int32 step = 0; step < n_columns; ++step) {
    Int32 column = step == 0 ? center : step == center ? 0 : step;
    Index cx = x_begin + column / wide, cy = y_begin + column % wide;
    Real gap_x = gap_to_cell(u[0], u[0], cx), gap_y = gap_to_cell(u[1], u[1], cy);
    if (step > 0 && (gap_x * gap_x + gap_y * gap_y) * cell2 * (1 - SLACK) > best.last()) continue;
    Run run = run_of_cells(cells, key_of(grid, cx, cy, z_begin), key_of(grid, cx, cy, z_end));
    take_run(best, points, query, but, run, step == 0 ? own : Run{0, 0});
  }
  Real safe = smaller(smaller(distance_behind(u[0], x_begin, x_end, grid.n_x), distance_behind(u[1], y_begin,
      y_end, grid.n_y)),
                      distance_behind(u[2], z_begin, z_end, grid.n_z));
  if (safe == infinity()) return true;
  return safe > 0 && best.last() < safe * safe * cell2 * (1 - SLACK);
}

// One query, at sorted position p. Out, if it is done: distances (k,), ascending, and indices (k,) of its
// row. Returns whether it is not done.
template <class BestOf>
ITEM Byte nearest_of(BestOf& best, Cells cells, Points points, Points queries, Index p, Index k,
    Index without_self,
                     Index reach, Real* distances, Index* indices) {
  best.clear(k);
  Int32 but = without_self ? queries.order[p] : (Int32)NO_POINT;
  if (!search(best, cells, points, query_at(queries, p), but, reach)) return 1;
  best.write(distances, indices, k);
  return 0;
}
template <int SLOTS>
ITEM Byte nearest_few(Cells cells, Points points, Points queries, Index p, Index k, Index without_self,
    Index reach,
                      Real* distances, Index* indices) {
  Best<SLOTS> best;
  Index row = (Index)queries.order[p] * k;
  return nearest_of(best, cells, points, queries, p, k, without_self, reach, distances + row, indices + row);
}
ITEM Byte nearest_any(Cells cells, Points points, Points queries, Index p, Index k, Index without_self,
    Index reach,
                      Real* distances, Index* indices) {
  Index row = (Index)queries.order[p] * k;
  BestInMemory best{distances + row, indices + row, k};
  return nearest_of(best, cells, points, queries, p, k, without_self, reach, distances + row, indices + row);
}

// In: cells and planes of the points, planes of the queries, and sorted positions of `pending` queries.
// Out, in the caller's rows: distances (m, k), indices (m, k); undone (n_pending,) 0 or 1.
ROW_KERNEL(nearest_8, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts, const Real* planes,
                       Index stride, Index d, const Int32* order, const Real* queries, Index query_stride,
                       const Int32* query_order, const Index* pending, Index k, Index without_self, Index reach,
                       Byte* undone, Real* distances, Index* indices),
           undone[i] = nearest_few<8>({grid, keys, n_keys, starts}, {planes, stride, d, order}, {queries,
               query_stride, d, query_order}, pending[i], k, without_self, reach, distances, indices))
ROW_KERNEL(nearest_16, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts, const Real* planes,
                        Index stride, Index d, const Int32* order, const Real* queries, Index query_stride,
                        const Int32* query_order, const Index* pending, Index k, Index without_self,
                        Index reach, Byte* undone, Real* distances, Index* indices),
           undone[i] = nearest_few<16>({grid, keys, n_keys, starts}, {planes, stride, d, order}, {queries,
               query_stride, d, query_order}, pending[i], k, without_self, reach, distances, indices))
ROW_KERNEL(nearest_32, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts, const Real* planes,
                        Index stride, Index d, const Int32* order, const Real* queries, Index query_stride,
                        const Int32* query_order, const Index* pending, Index k, Index without_self,
                        Index reach, Byte* undone, Real* distances, Index* indices),
           undone[i] = nearest_few<32>({grid, keys, n_keys, starts}, {planes, stride, d, order}, {queries,
               query_stride, d, query_order}, pending[i], k, without_self, reach, distances, indices))
ROW_KERNEL(nearest_many, (CellGrid grid, const Index* keys, Index n_keys, const Int32* starts,
                          const Real* planes, Index stride, Index d, const Int32* order, const Real* queries,
                          Index query_stride, const Int32* query_order, const Index* pending, Index k,
                          Index without_self, Index reach, Byte* undone, Real* distances, Index* indices),
           undone[i] = nearest_any({grid, keys, n_keys, starts}, {planes, stride, d, order}, {queries,
               query_stride, d, query_order}, pending[i], k, without_self, reach, distances, indices))
