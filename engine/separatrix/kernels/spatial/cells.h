// A uniform grid of cubic cells over points of one to three dimensions, and points sorted by cell.
//
// The grid covers a box that may not contain all points: one outside counts as the nearest point of the
// box. This does not increase any distance, so all bounds from cells hold.
//
// Points of one or two dimensions have zeros before their coordinates, so that keys run along an
// existing axis, z. Cells are counted from `low`. `cell_of` is monotone for points and for ends of
// boxes, so rounding cannot move a point out of a run of cells that covers it.
//
// The table of a dense grid is starts (n_cells + 1), the first sorted position of each cell. A grid of
// many more cells than points has n_keys > 0: keys (n_keys,) are the occupied cells, ascending, with
// starts (n_keys + 1,).
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <math.h>
  #include <vector>
#endif

struct CellGrid {
  Real low_x, low_y, low_z, size, n_x, n_y, n_z;
};

// Positions in units of cells have an error below 2^-31, because an axis has at most 2^21 cells.
constexpr Real SLACK = 1e-6;

ITEM Real larger(Real a, Real b) { return a > b ? a : b; }
ITEM Real smaller(Real a, Real b) { return a < b ? a : b; }

// Position along an axis of n cells, in cells.
ITEM Real in_cells(Real v, Real low, Real size, Real n) { return smaller(larger((v - low) / size, 0), n); }
ITEM Index cell_of(Real u, Real n) { return u <= 0 ? 0 : u >= n ? (Index)n - 1 : (Index)u; }
ITEM Index key_of(CellGrid grid, Index x, Index y, Index z) {
  return (x * (Index)grid.n_y + y) * (Index)grid.n_z + z;
}
// Distance of the cell [c, c + 1) from the interval [low, high], in cells, rounded down.
ITEM Real gap_to_cell(Real low, Real high, Index c) {
  Real gap = larger((Real)c - high, low - (Real)(c + 1)) - SLACK;
  return gap > 0 ? gap : 0;
}

struct Run {
  Int32 begin, end;
};

ITEM Index lower_bound(const Index* keys, Index n_keys, Index wanted) {
  Index begin = 0;
  while (n_keys > 0) {
    Index half = n_keys >> 1;
    bool right = keys[begin + half] < wanted;
    begin = right ? begin + half + 1 : begin;
    n_keys = right ? n_keys - half - 1 : half;
  }
  return begin;
}
struct Cells {
  CellGrid grid;
  const Index* keys;
  Index n_keys;
  const Int32* starts;
};
// Sorted positions of the points in the cells with keys from `lowest` to `highest`.
ITEM Run run_of_cells(Cells cells, Index lowest, Index highest) {
  const Int32* starts = cells.starts;
  if (cells.n_keys == 0) return {starts[lowest], starts[highest + 1]};
  Index begin = lower_bound(cells.keys, cells.n_keys, lowest), left = cells.n_keys - begin;
  Index most = highest - lowest + 1;  // keys are unique
  Index end = begin + lower_bound(cells.keys + begin, most < left ? most : left, highest + 1);
  return {starts[begin], starts[end]};
}

// Calls visit(begin, end) for runs of sorted points that cover all within `radius` of a box, with lengths
// in cells: one nonempty run per column of cells, ascending. With `onwards`, slices of cells before
// that of the box are skipped.
template <class Visit>
ITEM void visit_runs(Cells cells, const Real* low, const Real* high, Real radius, bool onwards, Visit visit) {
  CellGrid grid = cells.grid;
  Real wide = radius + SLACK;
  Index x_begin = cell_of(onwards ? low[0] : low[0] - wide, grid.n_x), x_end = cell_of(high[0] + wide,
      grid.n_x);
  Index y_begin = cell_of(low[1] - wide, grid.n_y), y_end = cell_of(high[1] + wide, grid.n_y);
  for (Index x = x_begin; x <= x_end; ++x) {
    Real gap_x = gap_to_cell(low[0], high[0], x);
    for (Index y = y_begin; y <= y_end; ++y) {
      Real gap_y = gap_to_cell(low[1], high[1], y);
      Real left = radius * radius - (gap_x * gap_x + gap_y * gap_y);
      if (left < 0) continue;
      Real width = sqrt(left) + SLACK;
      Index z_begin = cell_of(low[2] - width, grid.n_z), z_end = cell_of(high[2] + width, grid.n_z);
      Run run = run_of_cells(cells, key_of(grid, x, y, z_begin), key_of(grid, x, y, z_end));
      if (run.begin < run.end) visit(run.begin, run.end);
    }
  }
}

// === sorting
// In: points (n, d) with d <= 3. Out: keys (n,).
ITEM Index key_of_point(CellGrid grid, const Real* points, Index d, Index p) {
  const Real* at = points + p * d;
  Real x = d > 2 ? at[d - 3] : 0, y = d > 1 ? at[d - 2] : 0, z = at[d - 1];
  return key_of(grid, cell_of(in_cells(x, grid.low_x, grid.size, grid.n_x), grid.n_x),
                cell_of(in_cells(y, grid.low_y, grid.size, grid.n_y), grid.n_y),
                cell_of(in_cells(z, grid.low_z, grid.size, grid.n_z), grid.n_z));
}
KERNEL(key_points, (CellGrid grid, const Real* points, Index d, Index* keys),
       keys[i] = key_of_point(grid, points, d, i))

// The table of a dense grid from the sorted keys, one cell of `width` keys per item.
KERNEL(begin_cells, (const Index* sorted_keys, Index n, Index width, Int32* starts),
       starts[i] = (Int32)lower_bound(sorted_keys, n, i * width))

// Planes (max(d, 3), stride) of the sorted points: zeros first if d < 3. order (n,).
ITEM void gather_point(const Real* points, Index d, const Int32* order, Index stride, Index p, Real* planes) {
  const Real* from = points + order[p] * d;
  Index zeros = d < 3 ? 3 - d : 0;
  for (Index a = 0; a < d; ++a) planes[(a + zeros) * stride + p] = from[a];
}
KERNEL(gather_points, (const Real* points, Index d, const Int32* order, Index stride, Real* planes),
       gather_point(points, d, order, stride, i, planes))

#if !ON_GPU
// Counting sort by cell, stable. keys (n,) in [0, n_cells). Out: starts (n_cells + 1), order (n,).
static inline Index sort_into_cells(const Index* keys, Index n, Index n_cells, Int32* starts, Int32* order) {
  for (Index c = 0; c <= n_cells; ++c) starts[c] = 0;
  for (Index p = 0; p < n; ++p) {
    throw_if_canceled_at(p);
    ++starts[keys[p]];
  }
  Int32 sum = 0;
  for (Index c = 0; c <= n_cells; ++c) {
    Int32 count = starts[c];
    starts[c] = sum;
    sum += count;
  }
  for (Index p = 0; p < n; ++p) {
    throw_if_canceled_at(p);
    order[starts[keys[p]]++] = (Int32)p;
  }
  for (Index c = n_cells; c > 0; --c) starts[c] = starts[c - 1];  // undo the shift to the end of each cell
  starts[0] = 0;
  return n;
}

// Radix sort by the lowest `bits` bits, stable. keys (n,) in and out, order (n,) out.
template <class Key>
static Index sort_keys(Key* keys, Index n, Index bits, Int32* order) {
  enum { DIGIT = 11, BUCKETS = 1 << DIGIT };
  std::vector<Key> other_keys(n);
  std::vector<Int32> other_order(n);
  Key *from_keys = keys, *to_keys = other_keys.data();
  Int32 *from = order, *to = other_order.data();
  for (Index p = 0; p < n; ++p) order[p] = (Int32)p;
  for (Index shift = 0; shift < bits; shift += DIGIT) {
    throw_if_canceled();
    Index begin[BUCKETS + 1] = {0};
    for (Index p = 0; p < n; ++p) ++begin[(from_keys[p] >> shift & (BUCKETS - 1)) + 1];
    for (int bucket = 0; bucket < BUCKETS; ++bucket) begin[bucket + 1] += begin[bucket];
    for (Index p = 0; p < n; ++p) {
      throw_if_canceled_at(p);
      Index at = begin[from_keys[p] >> shift & (BUCKETS - 1)]++;
      to_keys[at] = from_keys[p];
      to[at] = from[p];
    }
    std::swap(from_keys, to_keys);
    std::swap(from, to);
  }
  if (from != order)
    for (Index p = 0; p < n; ++p) {
      keys[p] = from_keys[p];
      order[p] = from[p];
    }
  return n;
}
#endif
HOST_TASK(sort_points_into_cells, (const Index* keys, Index n, Index n_cells, Int32* starts, Int32* order),
          sort_into_cells(keys, n, n_cells, starts, order))
HOST_TASK(sort_points_by_key, (Index* keys, Index n, Index bits, Int32* order),
          sort_keys(keys, n, bits, order))
HOST_TASK(sort_points_by_short_key, (Word* keys, Index n, Index bits, Int32* order),
          sort_keys(keys, n, bits, order))
