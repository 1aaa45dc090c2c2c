// Sums of a formula of d2 on tensor cores, for points of many dimensions: d2 = |x|^2 + |y|^2 - 2 x.y.
//
// Products x.y are of TF32 numbers, 11 bits, so each coordinate is a high part and a low part, and three
// of the four products are added: high * low, low * high, high * high (Ootomo, Yokota 2022). The error of
// d2 is below 2^-18 of the larger |x|^2 + |y|^2. A warp has 16 * M_TILES rows of one block and visits 8
// * COLUMN_TILES columns at a time; PTX ISA, "mma.m16n8k8". Coordinates are padded to DEPTH, a multiple of 16, and a
// thread loads 4 of them at once, in any order, since math="tensor" does not guarantee bits.
#pragma once
#include "sums/tiles.h"

#if ON_GPU
enum { DEPTH = (N_DIMENSIONS + 15) / 16 * 16, N_PARTS = DEPTH / 16, M_TILES = DEPTH <= 64 ? 2 : 1 };
enum { COLUMN_TILES = 4, COLUMNS_AT_ONCE = 8 * COLUMN_TILES };

struct alignas(16) FourFloats {
  float at[4];
};
ITEM FourFloats four_at(const Float* from) {
  FourFloats four;
  UNROLL for (int k = 0; k < 4; ++k) four.at[k] = (float)__ldg(from + k);
  return four;
}
ITEM Word high_part(float v) { return __float_as_uint(v) & 0xffffe000u; }
ITEM Word low_part(float v) { return __float_as_uint(v - __uint_as_float(high_part(v))); }

// c += a b for the 16 x 8 numbers of a warp.
ITEM void multiply(float (&c)[4], const Word (&a)[4], Word b, Word b_next) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(b_next));
#endif
}

// rows, columns: (n, DEPTH). row_norms, column_norms: |x|^2, |y|^2. values (n_columns, N_VALUES). The others
// are those of sum_tiles.
extern "C" __global__ void __launch_bounds__(TILE_THREADS) sum_on_tensor_cores(
    const Float* rows, const Float* columns, const Float* row_norms, const Float* column_norms, const Float* values,
    const Index* row_order, const Float* parameters, const Index* blocks, const Index* offsets,
    const Index* intervals, const Index* group_offsets, const Index* block_of_group, Index n_groups,
    Index n_splits, Index columns_per_split, Real squared_radius, Index n_rows, Real* parts, Float* out) {
  const Index item = blockIdx.x * (Index)WARPS + threadIdx.x / WARP;
  if (item >= n_groups * n_splits) return;
  const Share share = share_of(item / n_splits, item % n_splits, 16 * M_TILES, columns_per_split, block_of_group,
                               group_offsets, blocks, offsets);
  const int place = threadIdx.x % WARP / 4, quarter = threadIdx.x % 4;
  Float few[8];
  UNROLL for (int q = 0; q < 8; ++q) few[q] = parameters[q];
  const Float* p = MANY_PARAMETERS ? parameters : few;

  // Of rows `place` and `place + 8` of each tile.
  Index row[M_TILES][2];
  Float norm[M_TILES][2];
  Word high[M_TILES][2 * N_PARTS][4], low[M_TILES][2 * N_PARTS][4];
  UNROLL for (int m = 0; m < M_TILES; ++m)
    UNROLL for (int h = 0; h < 2; ++h) {
      const Index r = share.first_row + 16 * m + 8 * h + place;
      row[m][h] = r < share.end_row ? r : share.end_row - 1;
      norm[m][h] = row_norms[row[m][h]];
      UNROLL for (int part = 0; part < N_PARTS; ++part) {
        const FourFloats x = four_at(rows + row[m][h] * DEPTH + 16 * part + 4 * quarter);
        UNROLL for (int k = 0; k < 4; ++k) {
          high[m][2 * part + k / 2][h + 2 * (k % 2)] = high_part(x.at[k]);
          low[m][2 * part + k / 2][h + 2 * (k % 2)] = low_part(x.at[k]);
        }
      }
    }
  float sums[M_TILES][2][N_COMPONENTS];
  Real totals[M_TILES][2][N_COMPONENTS];
  UNROLL for (int m = 0; m < M_TILES; ++m)
    UNROLL for (int h = 0; h < 2; ++h)
      UNROLL for (int e = 0; e < N_COMPONENTS; ++e) sums[m][h][e] = 0, totals[m][h][e] = 0;

  auto end_chunk = [&](Index chunk) {
    UNROLL for (int m = 0; m < M_TILES; ++m)
      UNROLL for (int h = 0; h < 2; ++h)
        UNROLL for (int e = 0; e < N_COMPONENTS; ++e) {
          Real sum = (Real)sums[m][h][e];
          sum += from_quarter(sum, 1);
          sum += from_quarter(sum, 2);
          sums[m][h][e] = 0;
          totals[m][h][e] += sum;
          const bool is_stored = quarter == 0 && share.first_row + 16 * m + 8 * h + place < share.end_row;
          if (n_splits > 1 && is_stored) parts[(chunk * n_rows + row[m][h]) * N_COMPONENTS + e] = sum;
        }
  };
  // Adds the COLUMNS_AT_ONCE columns from `at` on, those from `begin` to `end` if `is_cut`.
  auto visit = [&](Int32 at, Int32 begin, Int32 end, bool is_cut) {
    float products[COLUMN_TILES][M_TILES][4] = {};
    const Float* column = columns + (Index)(at + place) * DEPTH + 4 * quarter;
    UNROLL for (int part = 0; part < N_PARTS; ++part) {
      FourFloats y[COLUMN_TILES];
      UNROLL for (int n = 0; n < COLUMN_TILES; ++n) y[n] = four_at(column + 8 * n * DEPTH + 16 * part);
      UNROLL for (int s = 0; s < 2; ++s)
        UNROLL for (int factor = 0; factor < 3; ++factor)
          UNROLL for (int n = 0; n < COLUMN_TILES; ++n) {
            const float a = y[n].at[2 * s], b = y[n].at[2 * s + 1];
            UNROLL for (int m = 0; m < M_TILES; ++m)
              multiply(products[n][m], factor == 1 ? low[m][2 * part + s] : high[m][2 * part + s],
                       factor == 0 ? low_part(a) : high_part(a), factor == 0 ? low_part(b) : high_part(b));
          }
    }
    UNROLL for (int n = 0; n < COLUMN_TILES; ++n)
      UNROLL for (int w = 0; w < 2; ++w) {
        const Int32 c = at + 8 * n + 2 * quarter + w;
        const Float column_norm = __ldg(column_norms + c);
        const Float* b = values + c * N_VALUES;
        const bool is_inside = !is_cut || (c >= begin && c < end);
        UNROLL for (int m = 0; m < M_TILES; ++m)
          UNROLL for (int h = 0; h < 2; ++h) {
            const Float d2 = formulas::max((norm[m][h] + column_norm) - 2 * (Float)products[n][m][2 * h + w], (Float)0);
            const auto v = PairFormula::template of<Float>(b, b, d2, b, p, (Index)0, (Index)0);
            const bool counts = is_inside && (!HAS_RADIUS || d2 <= (Float)squared_radius) && is_in_triangle(row[m][h], c);
            UNROLL for (int e = 0; e < N_COMPONENTS; ++e) {
              const float term = (float)(counts ? result(v, HAS_FACTORS ? 0 : e) : (Float)0);
              sums[m][h][e] = HAS_FACTORS ? fused(term, (float)__ldg(b + (HAS_FACTORS ? e : 0)), sums[m][h][e])
                                          : sums[m][h][e] + term;
            }
          }
      }
  };
  Index chunk = -1;
  for (Index t = share.first_interval; t < share.end_interval; ++t) {
    const Index first = intervals[2 * t], last = intervals[2 * t + 1];
    const Int32 begin = (Int32)(first > share.first_column ? first : share.first_column);
    const Int32 end = (Int32)(last < share.end_column ? last : share.end_column);
    for (Int32 at = begin & ~(COLUMNS_AT_ONCE - 1); at < end; at += COLUMNS_AT_ONCE) {
      if (at / CHUNK != chunk) {
        if (chunk >= 0) end_chunk(chunk);
        chunk = at / CHUNK;
      }
      if (at >= begin && at + COLUMNS_AT_ONCE <= end) visit(at, begin, end, false);
      else visit(at, begin, end, true);
    }
  }
  if (chunk >= 0) end_chunk(chunk);
  if (n_splits > 1 || quarter != 0) return;
  UNROLL for (int m = 0; m < M_TILES; ++m)
    UNROLL for (int h = 0; h < 2; ++h)
      if (share.first_row + 16 * m + 8 * h + place < share.end_row)
        UNROLL for (int e = 0; e < N_COMPONENTS; ++e)
          out[row_order[row[m][h]] * N_COMPONENTS + e] = (Float)totals[m][h][e];
}
#endif
