// Density of weighted points on an image, brick by brick; voxels are the lanes.
//
// A brick of 16 x 8 x 8 voxels sums the points within `cutoff` of each voxel, in the order of the
// sorted points: in the precision of the image within a chunk of 4096 points (lanes.h), and chunks in
// float64. Points are sorted by cells of 4 x 4 x 4 voxels, x fastest, on a grid that is larger than
// the image by `reach` cells on each side; so the cells near a brick are one run of points per
// (y, z) of cells. `runs` are the same for all bricks: cells along y and z relative to the first one of
// the brick, and the extent of the run along x beyond the brick.
//
// Both forms visit the same points in the same order, so results are bit-identical.
#pragma once
#include "sums/brick_cells.h"
#include "sums/lanes.h"
#include "sums/profile.h"

struct VoxelKernel {
  Real spacing_x, spacing_y, spacing_z, p0, p1, p2;
};
enum { BRICK_VOXELS = BRICK_X * BRICK_Y * BRICK_Z };

// Calls fill(KIND, SCALED) for a kind. All kinds can be scaled, and some are also compiled without.
#define FOR_KERNEL(kind, is_scaled, fill)                         \
  switch (2 * kind + (is_scaled != 0)) {                          \
    case 2 * GAUSSIAN: fill(GAUSSIAN, false) break;               \
    case 2 * WENDLAND: fill(WENDLAND, false) break;               \
    case 2 * GAUSSIAN + 1: fill(GAUSSIAN, true) break;            \
    case 2 * LAPLACIAN + 1: fill(LAPLACIAN, true) break;          \
    case 2 * EPANECHNIKOV + 1: fill(EPANECHNIKOV, true) break;    \
    case 2 * WENDLAND + 1: fill(WENDLAND, true) break;            \
    case 2 * CUBIC_SPLINE + 1: fill(CUBIC_SPLINE, true) break;    \
  }

struct PointRun {
  Int32 begin, end;
};
ITEM PointRun run_near_brick(const BrickGrid& grid, Int32 bx, Int32 by, Int32 bz, const Int32* runs, Int32 run,
                             const Int32* first_of_cell) {
  Index y = by * (BRICK_Y / CELL) + grid.reach_y + runs[3 * run];
  Index z = bz * (BRICK_Z / CELL) + grid.reach_z + runs[3 * run + 1];
  Index row = (z * grid.cells_y + y) * grid.cells_x + bx * (BRICK_X / CELL) + grid.reach_x;
  Int32 beyond = runs[3 * run + 2];
  return {first_of_cell[row - beyond], first_of_cell[row + BRICK_X / CELL + beyond]};
}

#if !ON_GPU
#include "sums/reduce.h"

// Sums of one brick: the current chunk, and the chunks before it.
template <class Float, int COMPONENTS> struct BrickSums {
  alignas(64) Float sum[COMPONENTS][BRICK_VOXELS];
  alignas(64) double total[COMPONENTS][BRICK_VOXELS];
  void clear() {
    for (int e = 0; e < COMPONENTS; ++e)
      for (int v = 0; v < BRICK_VOXELS; ++v) sum[e][v] = 0, total[e][v] = 0;
  }
  void end_chunk() {
    for (int e = 0; e < COMPONENTS; ++e)
      for (int v = 0; v < BRICK_VOXELS; ++v) total[e][v] += (double)sum[e][v], sum[e][v] = 0;
  }
};

template <int KIND, bool SCALED, class Float, int COMPONENTS>
static ALWAYS_INLINE void add_point(const Profile<KIND, Float>& profile, const Float* point, const Float* x,
                                    const Float* y, const Float* z, BrickSums<Float, COMPONENTS>& sums) {
  const Float weight = point[3], px = point[0], p1 = profile.p1, scale = SCALED ? point[4] : 1;
  const Float steepness = SCALED ? weight * scale : weight;
  for (int k = 0; k < BRICK_Z; ++k) {
    const Float dz = z[k] - point[2];
    for (int j = 0; j < BRICK_Y; ++j) {
      const Float dy = y[j] - point[1], dyz = fused(dz, dz, dy * dy);
      if (!((SCALED ? dyz * scale : dyz) < p1)) continue;
      const int row = (k * BRICK_Y + j) * BRICK_X;
      _Pragma("GCC ivdep")
      for (int i = 0; i < BRICK_X; ++i) {
        const Float dx = x[i] - px, length2 = fused(dx, dx, dyz), d2 = SCALED ? length2 * scale : length2;
        const Float v = weight * profile.value(d2);
        sums.sum[0][row + i] += d2 < p1 ? v : 0;
        if (COMPONENTS > 1) {
          const Float s = d2 < p1 ? steepness * profile.slope(d2) : 0;
          sums.sum[1 % COMPONENTS][row + i] += s * dx;
          sums.sum[2 % COMPONENTS][row + i] += s * dy;
          sums.sum[3 % COMPONENTS][row + i] += s * dz;
        }
      }
    }
  }
}

template <int KIND, bool SCALED, class Float, int COMPONENTS>
static ALWAYS_INLINE void fill_brick(BrickGrid grid, VoxelKernel kernel, const Float* points, const Int32* first_of_cell,
                                     const Int32* runs, Int32 n_runs, Index brick, Float* values, Float* gradient) {
  const FlushDenormals<Float> guard;
  const Int32 bx = (Int32)(brick % grid.bricks_x), by = (Int32)(brick / grid.bricks_x % grid.bricks_y);
  const Int32 bz = (Int32)(brick / grid.bricks_x / grid.bricks_y);
  Profile<KIND, Float> profile = {(Float)kernel.p0, (Float)kernel.p1, (Float)kernel.p2};
  Float x[BRICK_X], y[BRICK_Y], z[BRICK_Z];
  for (int i = 0; i < BRICK_X; ++i) x[i] = (Float)(bx * BRICK_X + i) * (Float)kernel.spacing_x;
  for (int j = 0; j < BRICK_Y; ++j) y[j] = (Float)(by * BRICK_Y + j) * (Float)kernel.spacing_y;
  for (int k = 0; k < BRICK_Z; ++k) z[k] = (Float)(bz * BRICK_Z + k) * (Float)kernel.spacing_z;
  BrickSums<Float, COMPONENTS> sums;  // cleared at the beginning of a run
  Index chunk = -1;
  for (Int32 r = 0; r < n_runs; ++r) {
    const PointRun run = run_near_brick(grid, bx, by, bz, runs, r, first_of_cell);
    for (Index p = run.begin; p < run.end; ++p) {
      if (p / CHUNK != chunk) {
        chunk < 0 ? sums.clear() : sums.end_chunk();
        chunk = p / CHUNK;
      }
      add_point<KIND, SCALED>(profile, points + (SCALED ? SCALED_RECORD : RECORD) * p, x, y, z, sums);
    }
  }
  const bool is_empty = chunk < 0;
  if (!is_empty) sums.end_chunk();
  const int width = std::min<Int32>(BRICK_X, grid.nx - bx * BRICK_X);
  for (int k = 0; k < BRICK_Z && bz * BRICK_Z + k < grid.nz; ++k)
    for (int j = 0; j < BRICK_Y && by * BRICK_Y + j < grid.ny; ++j) {
      const int row = (k * BRICK_Y + j) * BRICK_X;
      const Index out = ((Index)(bz * BRICK_Z + k) * grid.ny + by * BRICK_Y + j) * grid.nx + bx * BRICK_X;
      for (int i = 0; i < width; ++i) values[out + i] = is_empty ? 0 : (Float)sums.total[0][row + i];
      if (COMPONENTS > 1)
        for (int i = 0; i < width; ++i)
          for (int e = 0; e < 3; ++e)
            gradient[3 * (out + i) + e] = is_empty ? 0 : (Float)sums.total[(1 + e) % COMPONENTS][row + i];
    }
}

#define FILL_HOST_BRICK(KIND, SCALED)                                                                             \
  has_gradient                                                                                                    \
      ? fill_brick<KIND, SCALED, Float, 4>(grid, kernel, points, first, runs, n_runs, brick, values, gradient)     \
      : fill_brick<KIND, SCALED, Float, 1>(grid, kernel, points, first, runs, n_runs, brick, values, gradient);
#define FILL_BRICKS(dtype, type)                                                                                  \
  CLONED static void fill_brick_of(BrickGrid grid, VoxelKernel kernel, const type* points, const Int32* first,    \
                                   const Int32* runs, Int32 n_runs, int kind, bool is_scaled, bool has_gradient,  \
                                   Index brick, type* values, type* gradient) {                                   \
    typedef type Float;                                                                                           \
    FOR_KERNEL(kind, is_scaled, FILL_HOST_BRICK)                                                                  \
  }
FILL_BRICKS(float32, float)
FILL_BRICKS(float64, double)
#endif

// points (n, RECORD or SCALED_RECORD); first_of_cell (n_cells + 1,); runs (n_runs, 3). Out: values (nz, ny, nx); gradient (nz, ny, nx, 3) or one element.
HOST_LOOPS(density_of_bricks,
  (BrickGrid grid, VoxelKernel kernel, const Float* points, const Int32* first_of_cell, const Int32* runs,
   Int32 n_runs, Int32 kind, Int32 is_scaled, Int32 has_gradient, Float* values, Float* gradient),
  fill_brick_of(grid, kernel, points, first_of_cell, runs, n_runs, kind, is_scaled, has_gradient, i, values,
                gradient))

#if ON_GPU
typedef SEPARATRIX_VALUE Float;

// A thread processes 4 voxels along x with each loaded point.
enum { BRICK_THREADS = BRICK_VOXELS / 4, RUNS_TOGETHER = BRICK_THREADS };

// 16 bytes per load.
template <bool SCALED> struct alignas(16) PointRecord {
  Float at[SCALED ? SCALED_RECORD : RECORD];
};
template <bool SCALED> ITEM PointRecord<SCALED> loaded(const Float* points, Int32 p) {
  PointRecord<SCALED> point;
  const float4* from = (const float4*)(points + (SCALED ? SCALED_RECORD : RECORD) * (Index)p);
  UNROLL for (int k = 0; k < (int)(sizeof(point) / 16); ++k) ((float4*)&point)[k] = __ldg(from + k);
  return point;
}

template <int KIND, bool SCALED, int COMPONENTS>
ITEM void fill_brick(const BrickGrid& grid, const VoxelKernel& kernel, const Float* points, const Int32* first_of_cell,
                     const Int32* runs, Int32 n_runs, PointRun* near, Float* values, Float* gradient) {
  const Int32 bx = blockIdx.x % grid.bricks_x, by = blockIdx.x / grid.bricks_x % grid.bricks_y;
  const Int32 bz = blockIdx.x / grid.bricks_x / grid.bricks_y;
  const Int32 thread = threadIdx.x, place = thread * 4;
  const Int32 vx = bx * BRICK_X + place % BRICK_X, vy = by * BRICK_Y + place / BRICK_X % BRICK_Y;
  const Int32 vz = bz * BRICK_Z + place / (BRICK_X * BRICK_Y);
  const Profile<KIND, Float> profile = {(Float)kernel.p0, (Float)kernel.p1, (Float)kernel.p2};
  const Float y = (Float)vy * (Float)kernel.spacing_y, z = (Float)vz * (Float)kernel.spacing_z;
  Float x[4], sum[COMPONENTS][4];
  double total[COMPONENTS][4];
  UNROLL for (int i = 0; i < 4; ++i) {
    x[i] = (Float)(vx + i) * (Float)kernel.spacing_x;
    UNROLL for (int e = 0; e < COMPONENTS; ++e) sum[e][i] = 0, total[e][i] = 0;
  }
  Int32 chunk = -1;
  for (Int32 first = 0; first < n_runs; first += RUNS_TOGETHER) {
    __syncthreads();
    if (first + thread < n_runs)
      near[thread] = run_near_brick(grid, bx, by, bz, runs, first + thread, first_of_cell);
    __syncthreads();
    for (Int32 r = 0; r < RUNS_TOGETHER && first + r < n_runs; ++r) {
      const PointRun run = near[r];
      for (Int32 p = run.begin; p < run.end; ++p) {
        if (p / CHUNK != chunk) {
          chunk = p / CHUNK;
          UNROLL for (int i = 0; i < 4; ++i)
            UNROLL for (int e = 0; e < COMPONENTS; ++e) total[e][i] += (double)sum[e][i], sum[e][i] = 0;
        }
        const PointRecord<SCALED> point = loaded<SCALED>(points, p);
        const Float px = point.at[0], py = point.at[1], pz = point.at[2], weight = point.at[3];
        const Float scale = SCALED ? point.at[SCALED ? 4 : 0] : 1, steepness = SCALED ? weight * scale : weight;
        const Float dz = z - pz, dy = y - py, dyz = fused(dz, dz, dy * dy);
        if (!((SCALED ? dyz * scale : dyz) < profile.p1)) continue;
        UNROLL for (int i = 0; i < 4; ++i) {
          const Float dx = x[i] - px, length2 = fused(dx, dx, dyz), d2 = SCALED ? length2 * scale : length2;
          const Float v = weight * profile.value(d2);
          sum[0][i] += d2 < profile.p1 ? v : (Float)0;
          if (COMPONENTS > 1) {
            const Float s = d2 < profile.p1 ? steepness * profile.slope(d2) : (Float)0;
            sum[1 % COMPONENTS][i] += s * dx;
            sum[2 % COMPONENTS][i] += s * dy;
            sum[3 % COMPONENTS][i] += s * dz;
          }
        }
      }
    }
  }
  if (vy >= grid.ny || vz >= grid.nz) return;
  const Index out = ((Index)vz * grid.ny + vy) * grid.nx + vx;
  UNROLL for (int i = 0; i < 4; ++i) {
    if (vx + i >= grid.nx) return;
    values[out + i] = (Float)(total[0][i] + (double)sum[0][i]);
    if (COMPONENTS > 1)
      UNROLL for (int e = 0; e < 3; ++e)
        gradient[3 * (out + i) + e] = (Float)(total[(1 + e) % COMPONENTS][i] + (double)sum[(1 + e) % COMPONENTS][i]);
  }
}

#define FILL_BRICK(KIND, SCALED)                                                                                    \
  if (has_gradient)                                                                                               \
    fill_brick<KIND, SCALED, 4>(grid, kernel, points, first_of_cell, runs, n_runs, near, values, gradient);        \
  else                                                                                                            \
    fill_brick<KIND, SCALED, 1>(grid, kernel, points, first_of_cell, runs, n_runs, near, values, gradient);
extern "C" __global__ void __launch_bounds__(BRICK_THREADS) density_bricks(
    BrickGrid grid, VoxelKernel kernel, const Float* points, const Int32* first_of_cell, const Int32* runs,
    Int32 n_runs, Int32 kind, Int32 is_scaled, Int32 has_gradient, Float* values, Float* gradient) {
  __shared__ PointRun near[RUNS_TOGETHER];
  FOR_KERNEL(kind, is_scaled, FILL_BRICK)
}
#endif
