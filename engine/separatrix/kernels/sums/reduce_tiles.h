// Sums of a formula on a GPU, over the intervals of a pattern; reduce.h is the host form.
//
// Lanes are folded 8 and 4 within a thread, and 2 and 1 between the quarters; the thread of the row adds
// chunks in float64, in their order. The bits are those of reduce.h. If there are too few rows to fill
// the GPU, several warps share a group, each with a run of chunks; the chunks are stored in `parts`, and
// add_parts adds them in order. Neighboring warps read the same columns, which stay in the cache.
#pragma once
#include "sums/tiles.h"

#if ON_GPU

typedef SUM_OF_LANES LaneSum;

template <class Lane> ITEM PlainSum<Lane> of_quarter(const PlainSum<Lane>& v, int other) {
  return {from_quarter(v.sum, other)};
}
template <class Lane> ITEM CompensatedSum<Lane> of_quarter(const CompensatedSum<Lane>& v, int other) {
  return {from_quarter(v.sum, other), from_quarter(v.error, other)};
}
template <class Lane> ITEM LogSum<Lane> of_quarter(const LogSum<Lane>& v, int other) {
  return {from_quarter(v.m, other), from_quarter(v.s, other)};
}
ITEM void clear(PlainSum<float>& v) { v = {0}; }
ITEM void clear(PlainSum<double>& v) { v = {0}; }
template <class Lane> ITEM void clear(CompensatedSum<Lane>& v) { v = {0, 0}; }
template <class Lane> ITEM void clear(LogSum<Lane>& v) { v = no_terms<Lane>(); }
template <class Lane> ITEM void take(PlainSum<Lane>& sum, Float v, bool counts) { sum.add(counts ? (Lane)v : (Lane)0); }
template <class Lane> ITEM void take(CompensatedSum<Lane>& sum, Float v, bool counts) { sum.add(counts ? v : (Lane)0); }
template <class Lane> ITEM void take(LogSum<Lane>& sum, Float v, bool counts) {
  sum.add(v, counts && v > -infinity((Float)0));
}
// With FAST_MATH, a product is not rounded before it is added to a plain sum.
template <class Sum> ITEM void take_product(Sum& sum, Float v, Float factor, bool counts) { take(sum, v * factor, counts); }
#ifdef FAST_MATH
ITEM void take_product(PlainSum<Float>& sum, Float v, Float factor, bool counts) {
  sum.sum = fused(counts ? v : (Float)0, factor, sum.sum);
}
#endif
// Totals of both kinds in the two numbers of SumTotal.
template <class Lane> ITEM void begin_total(const PlainSum<Lane>&, SumTotal& total) { total = {0, 0}; }
template <class Lane> ITEM void begin_total(const CompensatedSum<Lane>&, SumTotal& total) { total = {0, 0}; }
template <class Lane> ITEM void begin_total(const LogSum<Lane>&, SumTotal& total) { total = {-infinity(0.0), 0}; }
template <class Lane> ITEM void add_chunk(SumTotal& total, const LogSum<Lane>& chunk) {
  LogSum<double> both = {total.sum, total.error};
  both.fold({(double)chunk.m, (double)chunk.s});
  total = {both.m, both.s};
}
template <class Lane> ITEM double result_of(const PlainSum<Lane>&, const SumTotal& total) { return total.sum + total.error; }
template <class Lane> ITEM double result_of(const CompensatedSum<Lane>&, const SumTotal& total) { return total.sum + total.error; }
template <class Lane> ITEM double result_of(const LogSum<Lane>&, const SumTotal& total) {
  return LogSum<double>{total.sum, total.error}.logarithm();
}

// A warp: group blockIdx * WARPS + warp of n_groups, times n_splits. parts (n_chunks, n_rows,
// N_COMPONENTS) of zeros if n_splits > 1, otherwise unused; out (n_rows, N_COMPONENTS).
extern "C" __global__ void __launch_bounds__(TILE_THREADS, BLOCKS_PER_PROCESSOR) sum_tiles(
    const Float* rows, const Float* columns, const Index* row_order, const Index* column_order,
    const Float* parameters, const Index* blocks, const Index* offsets, const Index* intervals,
    const Index* group_offsets, const Index* block_of_group, Index n_groups, Index n_splits,
    Index columns_per_split, Real squared_radius, Index n_rows, Real* parts, Float* out) {
  enum { STRIDE = WARP / QUARTERS };
  const Index item = blockIdx.x * (Index)WARPS + threadIdx.x / WARP;
  if (item >= n_groups * n_splits) return;
  const Share share = share_of(item % n_groups, item / n_groups, STRIDE * ROWS_PER_THREAD, columns_per_split,
                               block_of_group, group_offsets, blocks, offsets);
  const int quarter = threadIdx.x % QUARTERS, place = threadIdx.x % WARP / QUARTERS;
  const Float r2 = (Float)squared_radius;
  RowsOfThread<ROWS_PER_THREAD> mine;
  mine.load(share, place, STRIDE, rows, row_order);
  Float few[8];
  UNROLL for (int q = 0; q < 8; ++q) few[q] = parameters[q];
  const Float* p = MANY_PARAMETERS ? parameters : few;

  LaneSum lanes[ROWS_PER_THREAD][N_COMPONENTS][SUM_LANES / QUARTERS];
  SumTotal totals[ROWS_PER_THREAD][N_COMPONENTS];
  UNROLL for (int k = 0; k < ROWS_PER_THREAD; ++k)
    UNROLL for (int e = 0; e < N_COMPONENTS; ++e) {
      begin_total(lanes[k][e][0], totals[k][e]);
      UNROLL for (int s = 0; s < SUM_LANES / QUARTERS; ++s) clear(lanes[k][e][s]);
    }

  visit_columns<QUARTERS>(share, intervals, (const Record*)columns, quarter,
    [&](const Record& column, Index c, int s, bool is_inside) {
      UNROLL for (int k = 0; k < ROWS_PER_THREAD; ++k) {
        Float d2 = squared_distance_to(mine.point[k], column.at);
        const auto v = pair_value(mine.point[k], mine.caller[k], column, d2, p, column_order[c]);
        bool counts = is_inside && (!HAS_RADIUS || d2 <= r2) && is_in_triangle(mine.row[k], c);
        UNROLL for (int e = 0; e < N_COMPONENTS; ++e) {
          if (HAS_FACTORS)
            take_product(lanes[k][e][s % LANES_PER_THREAD], result(v, 0),
                         column.at[COLUMN_LENGTH + (HAS_FACTORS ? e : 0)], counts);
          else take(lanes[k][e][s % LANES_PER_THREAD], result(v, e), counts);
        }
      }
    },
    [&](Index chunk) {
      UNROLL for (int k = 0; k < ROWS_PER_THREAD; ++k)
        UNROLL for (int e = 0; e < N_COMPONENTS; ++e) {
          LaneSum(&lane)[SUM_LANES / QUARTERS] = lanes[k][e];
          lane[0].fold(lane[2]);
          lane[1].fold(lane[3]);
          lane[0].fold(lane[1]);
          lane[0].fold(of_quarter(lane[0], 2));
          lane[0].fold(of_quarter(lane[0], 1));
          if (n_splits > 1) {
            SumTotal part;
            begin_total(lane[0], part);
            add_chunk(part, lane[0]);
            if (quarter == 0 && mine.is_stored(share, place, STRIDE, k))
              parts[(chunk * n_rows + mine.row[k]) * N_COMPONENTS + e] = part.sum;
          } else {
            add_chunk(totals[k][e], lane[0]);
          }
          UNROLL for (int s = 0; s < SUM_LANES / QUARTERS; ++s) clear(lane[s]);
        }
    });
  if (n_splits > 1 || quarter != 0) return;
  UNROLL for (int k = 0; k < ROWS_PER_THREAD; ++k)
    if (mine.is_stored(share, place, STRIDE, k))
      UNROLL for (int e = 0; e < N_COMPONENTS; ++e)
        out[mine.caller[k] * N_COMPONENTS + e] = (Float)result_of(lanes[k][e][0], totals[k][e]);
}

// Adds the chunks of plain sums in their order, one thread per row and component.
extern "C" __global__ void __launch_bounds__(TILE_THREADS) add_parts(
    const Real* parts, const Index* row_order, Index n_chunks, Index n_rows, Float* out) {
  const Index n = n_rows * N_COMPONENTS, at = blockIdx.x * (Index)TILE_THREADS + threadIdx.x;
  if (at >= n) return;
  double total = 0;
  for (Index chunk = 0; chunk < n_chunks; ++chunk) total += parts[chunk * n + at];
  out[row_order[at / N_COMPONENTS] * N_COMPONENTS + at % N_COMPONENTS] = (Float)total;
}
#endif
