// Block-sparse patterns: the runs of sorted columns for each block of sorted rows.
//
// A block is a run of rows with its bounding box, and an interval is a run of columns. Both are found by
// count, scan, and fill. Intervals of a block are ascending, disjoint, and nonempty, and do not touch.
// Charlier, Feydy, Glaunes, Collin, Durif 2021 (block-sparse reductions).
#pragma once
#include "spatial/cells.h"

// Blocks of more rows get the box of their cell, because bounding all rows takes too long.
enum { BOUNDED_ROWS = 4096 };

// Joins runs that touch; runs are added in ascending order.
template <class Write>
struct Joined {
  Write write;
  Index begin, end, count;
  ITEM_MEMBER void add(Index next_begin, Index next_end) {
    if (next_begin == end && count > 0) {
      end = next_end;
      return;
    }
    finish();
    ++count;
    begin = next_begin;
    end = next_end;
  }
  ITEM_MEMBER void finish() {
    if (count > 0) write(count - 1, begin, end);
  }
};
template <class Write>
ITEM Joined<Write> joined(Write write) {
  return {write, 0, 0, 0};
}

// === blocks from the cells of a grid
// In: planes (3, stride) of the rows, sorted. Out: box of rows begin..end in units of cells.
ITEM void box_in_cells(CellGrid grid, const Real* planes, Index stride, Index begin, Index end, Real* low,
    Real* high) {
  const Real origin[3] = {grid.low_x, grid.low_y, grid.low_z};
  const Real n[3] = {grid.n_x, grid.n_y, grid.n_z};
  for (int a = 0; a < 3; ++a) {
    const Real* plane = planes + a * stride;
    Real lowest = plane[begin], highest = lowest;
    if (end - begin <= BOUNDED_ROWS)
      for (Index p = begin + 1; p < end; ++p) {
        lowest = smaller(lowest, plane[p]);
        highest = larger(highest, plane[p]);
      }
    low[a] = in_cells(lowest, origin[a], grid.size, n[a]);
    high[a] = in_cells(highest, origin[a], grid.size, n[a]);
    if (end - begin > BOUNDED_ROWS) {
      Real c = (Real)cell_of(low[a], n[a]);
      low[a] = c;
      high[a] = c + 1;
    }
  }
}

template <class Write>
ITEM Index intervals_of_cell(Cells columns, const Real* rows, Index stride, const Index* blocks, Real radius,
                             Index block, Write write) {
  Real low[3], high[3];
  box_in_cells(columns.grid, rows, stride, blocks[2 * block], blocks[2 * block + 1], low, high);
  auto out = joined(write);
  visit_runs(columns, low, high, radius, false, [&](Index begin, Index end) { out.add(begin, end); });
  out.finish();
  return out.count;
}
struct Nowhere {
  ITEM_MEMBER void operator()(Index, Index, Index) const {}
};
struct IntoPairs {
  Index* at;
  ITEM_MEMBER void operator()(Index slot, Index begin, Index end) const {
    at[2 * slot] = begin;
    at[2 * slot + 1] = end;
  }
};
// In: rows (3, row_stride) sorted, blocks (B, 2), the columns' table. Out: count (B,), then intervals.
KERNEL(count_cell_intervals, (CellGrid grid, const Real* rows, Index row_stride, const Index* blocks,
                              const Index* keys, Index n_keys, const Int32* starts, Real radius, Index* count),
       count[i] = intervals_of_cell({grid, keys, n_keys, starts}, rows, row_stride, blocks, radius, i,
           Nowhere()))
KERNEL(fill_cell_intervals, (CellGrid grid, const Real* rows, Index row_stride, const Index* blocks,
                             const Index* keys, Index n_keys, const Int32* starts, Real radius,
                             const Index* offsets, Index* intervals),
       intervals_of_cell({grid, keys, n_keys, starts}, rows, row_stride, blocks, radius, i,
           IntoPairs{intervals + 2 * offsets[i]}))

// === blocks with any boxes
// ROOF consecutive boxes of columns share a bounding box, their roof; a roof out of reach is skipped.
enum { ROOF = 32 };

// Squared distance of two boxes (2, d), lows before highs; rounded down by a part in 10^6.
ITEM Real squared_gap(const Real* a, const Real* b, Index d) {
  Real sum = 0;
  for (Index k = 0; k < d; ++k) {
    Real gap = larger(a[k] - b[d + k], b[k] - a[d + k]);
    if (gap > 0) sum += gap * gap;
  }
  return sum * (1 - SLACK);
}
ITEM void raise_roof(const Real* boxes, Index n, Index d, Index roof, Real* roofs) {
  Index begin = roof * ROOF, end = begin + ROOF < n ? begin + ROOF : n;
  for (Index k = 0; k < d; ++k) {
    Real low = boxes[2 * d * begin + k], high = boxes[2 * d * begin + d + k];
    for (Index b = begin + 1; b < end; ++b) {
      low = smaller(low, boxes[2 * d * b + k]);
      high = larger(high, boxes[2 * d * b + d + k]);
    }
    roofs[2 * d * roof + k] = low;
    roofs[2 * d * roof + d + k] = high;
  }
}
template <class Write>
ITEM Index intervals_of_box(const Real* row_boxes, const Real* roofs, const Real* boxes, const Index* ranges,
                            Index n, Index d, Real radius, Index block, Write write) {
  const Real* own = row_boxes + 2 * d * block;
  auto out = joined(write);
  for (Index roof = 0; roof * ROOF < n; ++roof) {
    if (squared_gap(own, roofs + 2 * d * roof, d) > radius * radius) continue;
    Index end = (roof + 1) * ROOF < n ? (roof + 1) * ROOF : n;
    for (Index b = roof * ROOF; b < end; ++b)
      if (ranges[2 * b] < ranges[2 * b + 1] && squared_gap(own, boxes + 2 * d * b, d) <= radius * radius)
        out.add(ranges[2 * b], ranges[2 * b + 1]);
  }
  out.finish();
  return out.count;
}
KERNEL(raise_roofs, (const Real* boxes, Index n, Index d, Real* roofs), raise_roof(boxes, n, d, i, roofs))
ROW_KERNEL(count_box_intervals, (const Real* row_boxes, const Real* roofs, const Real* boxes,
                                 const Index* ranges, Index n, Index d, Real radius, Index* count),
       count[i] = intervals_of_box(row_boxes, roofs, boxes, ranges, n, d, radius, i, Nowhere()))
ROW_KERNEL(fill_box_intervals, (const Real* row_boxes, const Real* roofs, const Real* boxes,
                                const Index* ranges, Index n, Index d, Real radius, const Index* offsets,
                                Index* intervals),
       intervals_of_box(row_boxes, roofs, boxes, ranges, n, d, radius, i,
           IntoPairs{intervals + 2 * offsets[i]}))

// === clusters
// Key of the cell of a point on a Morton curve, of `bits` bits per axis; cells of coarser levels are runs
// of it as well.
ITEM Index morton_key(const Real* points, Index d, const Real* low, Real size, Index bits, Index p) {
  Index key = 0;
  for (Index a = 0; a < d; ++a) {
    Index cell = (Index)((points[p * d + a] - low[a]) / size);
    for (Index bit = 0; bit < bits; ++bit) key |= (cell >> bit & 1) << (bit * d + d - 1 - a);
  }
  return key;
}
KERNEL(key_along_curve, (const Real* points, Index d, const Real* low, Real size, Index bits, Index* keys),
       keys[i] = morton_key(points, d, low, size, bits, i))

// In: points (n, d) and weights (n,) sorted, or one weight for all; nonempty ranges (C, 2). Out: boxes
// (C, 2, d), centroids (C, d), radii (C,), sums of weights (C,). Without weight, a centroid is the mean.
ITEM void describe_range(const Real* points, Index d, const Real* weights, bool has_weights, const Index* ranges,
                         Index c, Real* boxes, Real* centroids, Real* radii, Real* totals) {
  Index begin = ranges[2 * c], end = ranges[2 * c + 1];
  Real total = (Real)(end - begin);
  if (has_weights) {
    total = 0;
    for (Index p = begin; p < end; ++p) total += weights[p];
  }
  totals[c] = total;
  bool is_weighted = has_weights && total > 0;
  for (Index a = 0; a < d; ++a) {
    Real lowest = points[begin * d + a], highest = lowest, sum = 0;
    for (Index p = begin; p < end; ++p) {
      Real v = points[p * d + a];
      lowest = smaller(lowest, v);
      highest = larger(highest, v);
      sum += is_weighted ? weights[p] * v : v;
    }
    boxes[2 * c * d + a] = lowest;
    boxes[2 * c * d + d + a] = highest;
    // Rounding must not move the mean out of the box.
    Real mean = sum / (is_weighted ? total : (Real)(end - begin));
    centroids[c * d + a] = smaller(larger(mean, lowest), highest);
  }
  Real farthest = 0;
  for (Index p = begin; p < end; ++p) {
    Real d2 = 0;
    for (Index a = 0; a < d; ++a) {
      Real along = points[p * d + a] - centroids[c * d + a];
      d2 += along * along;
    }
    farthest = larger(farthest, d2);
  }
  radii[c] = sqrt(farthest);
}
ROW_KERNEL(describe_ranges, (const Real* points, Index d, const Real* weights, Index has_weights, const Index* ranges,
                             Real* boxes, Real* centroids, Real* radii, Real* totals),
       describe_range(points, d, weights, has_weights != 0, ranges, i, boxes, centroids, radii, totals))
