// Distribution of pairs on a GPU: threads of a warp share rows and the columns of their block.
//
// A warp processes a group of consecutive rows of one block. Four threads, the quarters, share a row:
// quarter q processes the columns at positions q mod 4, which are lanes q, q + 4, q + 8, and q + 12 of
// lanes.h, so a warp loads 4 consecutive records, each read by 8 threads. Each thread has ROWS_PER_THREAD
// rows in registers, which share each loaded column. Columns are records of coordinates and values, read
// through the first-level cache; there are fewer than 2^31 - 16. If the bits may differ from those of a
// CPU and the registers suffice, a thread adds all its columns to one lane instead of 4, and loads each
// column while it processes the one before it.
//
// written.h, or the text that replaces it, contains the shape of the problem and the formula.
#pragma once
// First, because it may define FAST_MATH.
#include "sums/written.h"
#include "sums/lanes.h"

#if ON_GPU
typedef SEPARATRIX_VALUE Float;

enum { TILE_THREADS = 128, WARP = 32, WARPS = TILE_THREADS / WARP, QUARTERS = 4 };
enum { PART = 16 / sizeof(Float), RECORD = (COLUMN_LENGTH + N_VALUES + PART - 1) / PART * PART };

// Coordinates, variables, then values; 16 bytes per load.
struct alignas(16) Record {
  Float at[RECORD];
};
struct OfRecord {
  const Float* at;
  ITEM_MEMBER Float operator[](int axis) const { return at[axis]; }
};

// Rows of a group, intervals of its block, and the chunks of columns of this warp.
struct Share {
  Index first_row, end_row, first_interval, end_interval, first_column, end_column;
};
// Groups are numbered across all blocks: group_offsets (B + 1,), block_of_group (n_groups,).
ITEM Share share_of(Index group, Index split, Index rows_per_group, Index columns_per_split,
                    const Index* block_of_group, const Index* group_offsets, const Index* blocks,
                    const Index* offsets) {
  Index block = block_of_group[group];
  Index first = blocks[2 * block] + (group - group_offsets[block]) * rows_per_group;
  Index end = first + rows_per_group < blocks[2 * block + 1] ? first + rows_per_group : blocks[2 * block + 1];
  return {first, end, offsets[block], offsets[block + 1], split * columns_per_split, (split + 1) * columns_per_split};
}

template <int ROWS> struct RowsOfThread {
  Float point[ROWS][ROW_LENGTH];
  Index row[ROWS], caller[ROWS];  // sorted position, and the caller's index
  // Rows beyond the end repeat the last one; they are computed but not stored.
  ITEM_MEMBER void load(const Share& share, int place, int stride, const Float* rows, const Index* row_order) {
    UNROLL for (int k = 0; k < ROWS; ++k) {
      Index r = share.first_row + place + k * stride;
      row[k] = r < share.end_row ? r : share.end_row - 1;
      caller[k] = row_order[row[k]];
      UNROLL for (int axis = 0; axis < ROW_LENGTH; ++axis) point[k][axis] = rows[row[k] * ROW_LENGTH + axis];
    }
  }
  ITEM_MEMBER bool is_stored(const Share& share, int place, int stride, int k) const {
    return share.first_row + place + k * stride < share.end_row;
  }
};

ITEM Float squared_distance_to(const Float* row, const Float* column) {
  Float d2 = 0;
  UNROLL for (int axis = 0; axis < N_DIMENSIONS; ++axis) {
    Float dx = row[axis] - column[axis];
    d2 = axis == 0 ? dx * dx : with_square(d2, dx);
  }
  return d2;
}
// triangle 1: only columns after the row, -1: before it, 0: all.
ITEM bool is_in_triangle(Index row, Index column) {
  return TRIANGLE == 0 || (TRIANGLE > 0 ? column > row : column < row);
}
ITEM auto pair_value(const Float* row, Index caller, const Record& column, Float d2, const Float* parameters, Index j) {
  return PairFormula::template of<Float>(OfRecord{row}, OfRecord{column.at}, d2, OfRecord{column.at + COLUMN_LENGTH},
                                         parameters, caller, j);
}

ITEM Record loaded(const Record* from) {
  Record record;
  UNROLL for (int k = 0; k < (int)(sizeof(Record) / 16); ++k) ((float4*)&record)[k] = __ldg((const float4*)from + k);
  return record;
}

// Calls visit(record, position, s, is_inside) for the columns of this thread, ascending, at positions
// `quarter` mod QUARTERS_, and end_chunk(chunk) at the end of each chunk of lanes.h.
template <int QUARTERS_, class Visit, class EndChunk>
ITEM void visit_columns(const Share& share, const Index* intervals, const Record* columns, int quarter,
                        Visit visit, EndChunk end_chunk) {
  Int32 chunk = -1;
  for (Index t = share.first_interval; t < share.end_interval; ++t) {
    Index first = intervals[2 * t], last = intervals[2 * t + 1];
    const Int32 begin = (Int32)(first > share.first_column ? first : share.first_column);
    const Int32 end = (Int32)(last < share.end_column ? last : share.end_column);
    const Int32 full_end = end & ~(SUM_LANES - 1);
    for (Int32 at = begin & ~(SUM_LANES - 1); at < end;) {
      if (at / CHUNK != chunk) {
        if (chunk >= 0) end_chunk((Index)chunk);
        chunk = at / CHUNK;
      }
      const Int32 beyond_chunk = (chunk + 1) * CHUNK, full = full_end < beyond_chunk ? full_end : beyond_chunk;
      if (at >= begin && at < full) {
        const Record* group = columns + at + quarter;
        if constexpr (LANES_PER_THREAD == 1) {
          Record next = loaded(group);
          _Pragma("unroll 4") for (; at < full; at += QUARTERS_) {
            const Record now = next;
            next = loaded(group += QUARTERS_);
            visit(now, (Index)at + quarter, 0, true);
          }
        }
        for (; at < full; at += SUM_LANES, group += SUM_LANES)
          UNROLL for (int s = 0; s < SUM_LANES / QUARTERS_; ++s)
            visit(loaded(group + s * QUARTERS_), (Index)at + s * QUARTERS_ + quarter, s, true);
      } else {
        UNROLL for (int s = 0; s < SUM_LANES / QUARTERS_; ++s) {
          const Int32 c = at + s * QUARTERS_ + quarter;
          visit(loaded(columns + c), (Index)c, s, c >= begin && c < end);
        }
        at += SUM_LANES;
      }
    }
  }
  if (chunk >= 0) end_chunk((Index)chunk);
}

template <class Value> ITEM Value from_quarter(Value v, int other) { return __shfl_xor_sync(0xffffffffu, v, other); }
#endif
