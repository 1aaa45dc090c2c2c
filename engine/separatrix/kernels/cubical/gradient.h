// Discrete gradient of an image: every lower star is paired; one packed word per vertex.
//
// A tile of vertices with a halo of one layer is converted to order images once; then each lower
// star of the tile is paired independently. The host form walks tiles of rows; the GPU form gives
// a tile to a block, which sorts the stars by size so that the lanes of a warp do equal work. Both
// call the same item functions and combine the same nibbles by OR into zeroed words. The tiles cover the
// vertices whose stars do not wrap: all but the two ends of each periodic axis (wrapped_star.h).
#pragma once
#include "cubical/domain.h"
#include "cubical/lower_star.h"

enum { TILE_X = 32, TILE_Y = 8, TILE_Z = 4 };
enum { TILE_VERTICES = TILE_X * TILE_Y * TILE_Z };
enum { HALO_X = TILE_X + 2, HALO_Y = TILE_Y + 2, HALO_Z = TILE_Z + 2 };
enum { HALO_PLANE = HALO_X * HALO_Y, HALO_VERTICES = HALO_PLANE * HALO_Z };

ITEM Int32 clamp(Int32 v, Int32 n) { return v < 0 ? 0 : v < n ? v : n - 1; }

// Lower star of a vertex, without the vertex. Images beyond the box are repetitions and are ignored.
template <class Image>
ITEM Word lower_star(Grid grid, Vertex v, const Image* center) {
  Word lower = lower_neighbors(center, HALO_X, HALO_PLANE) & neighbors_inside(grid, v);
  return closed_cells(lower) & ~bit(CENTER);
}

#if ON_GPU

// As many threads per block as shared memory has room for their keys. Four blocks per multiprocessor
// keep registers at 64 (measured best on an H200 among 64 to 256 threads and 3 to 16 blocks).
enum { STAR_THREADS = sizeof(ImageOf<SEPARATRIX_VALUE>::Type) == 8 ? 128 : 256, STAR_BLOCKS = 4 };

// One block, one tile: images and words of the tile live in shared memory. Words of anchors that
// only this tile writes are stored; those shared with a neighboring tile are combined by OR.
extern "C" __global__ void __launch_bounds__(STAR_THREADS, STAR_BLOCKS) pair_lower_stars(
    Grid grid, const SEPARATRIX_VALUE* values, const Byte* types, Index n_types, Word* words) {
  typedef typename ImageOf<SEPARATRIX_VALUE>::Type Image;
  enum { WORD_X = TILE_X + 1, WORD_Y = TILE_Y + 1, WORD_Z = TILE_Z + 1, WORD_PLANE = WORD_X * WORD_Y };
  __shared__ Image images[HALO_VERTICES];
  __shared__ Word tile_words[WORD_PLANE * WORD_Z];
  __shared__ Word stars[TILE_VERTICES];
  __shared__ unsigned short by_size[TILE_VERTICES];
  __shared__ Int32 n_of_size[STAR], next_rank, n_stars;
  __shared__ Word key_room[STAR * STAR_THREADS];
  __shared__ StarTables tables;

  const Int32 thread = threadIdx.x;
  const Grid inner = inner_grid(grid);
  const Vertex first = tile_corner(inner, TILE_X, TILE_Y, TILE_Z, blockIdx.x);
  const Vertex corner = {first.x + grid.px, first.y + grid.py, first.z + grid.pz};

  // === load the tile with its halo
  for (Int32 t = thread; t < HALO_VERTICES; t += STAR_THREADS) {
    Int32 x = t % HALO_X, y = t / HALO_X % HALO_Y, z = t / HALO_PLANE;
    Vertex source = {clamp(corner.x + x - 1, grid.nx), clamp(corner.y + y - 1, grid.ny),
                     clamp(corner.z + z - 1, grid.nz)};
    images[t] = order_image(values[vertex_id(grid, source)]);
  }
  for (Int32 t = thread; t < WORD_PLANE * WORD_Z; t += STAR_THREADS) tile_words[t] = 0;
  if (thread < STAR) {
    fill_star_tables(tables, thread, HALO_X, HALO_PLANE, WORD_X, WORD_PLANE);
    n_of_size[thread] = 0;
    next_rank = 0;
  }
  __syncthreads();

  // === lower stars, and the vertices in order of their stars' sizes, largest first
  enum { STARS_PER_THREAD = TILE_VERTICES / STAR_THREADS };
  Int32 place[STARS_PER_THREAD], size[STARS_PER_THREAD];
  UNROLL for (int k = 0; k < STARS_PER_THREAD; ++k) {
    Int32 t = thread + k * STAR_THREADS;
    Int32 x = t % TILE_X, y = t / TILE_X % TILE_Y, z = t / (TILE_X * TILE_Y);
    Vertex v = {corner.x + x, corner.y + y, corner.z + z};
    size[k] = NONE;
    if (v.x < grid.nx - grid.px && v.y < grid.ny - grid.py && v.z < grid.nz - grid.pz) {
      Word star = lower_star(grid, v, images + (z + 1) * HALO_PLANE + (y + 1) * HALO_X + x + 1);
      if (n_types) {
        const Word domain = star_in_domain(grid, types, v);
        if (!(domain & bit(CENTER))) continue;
        star &= domain;
      }
      stars[t] = star;
      size[k] = population(star);
      place[k] = atomicAdd(&n_of_size[size[k]], 1);
    }
  }
  __syncthreads();
  if (thread == 0) {
    Int32 sum = 0;
    for (int s = STAR - 1; s >= 0; --s) {
      Int32 n = n_of_size[s];
      n_of_size[s] = sum;
      sum += n;
    }
    n_stars = sum;
  }
  __syncthreads();
  UNROLL for (int k = 0; k < STARS_PER_THREAD; ++k)
    if (size[k] != NONE) by_size[n_of_size[size[k]] + place[k]] = (unsigned short)(thread + k * STAR_THREADS);
  __syncthreads();

  // === pair: warps take the next 32 stars, largest first
  StarKeys keys = {key_room + thread, STAR_THREADS};
  while (true) {
    Int32 rank = 0;
    if (thread % 32 == 0) rank = atomicAdd(&next_rank, 32);
    rank = __shfl_sync(~0u, rank, 0) + thread % 32;
    if (__all_sync(~0u, rank >= n_stars)) break;
    if (rank >= n_stars) continue;
    Int32 t = by_size[rank];
    Int32 x = t % TILE_X, y = t / TILE_X % TILE_Y, z = t / (TILE_X * TILE_Y);
    pair_lower_star(stars[t], images + (z + 1) * HALO_PLANE + (y + 1) * HALO_X + x + 1, tables, keys,
                    tile_words + (z + 1) * WORD_PLANE + (y + 1) * WORD_X + x + 1);
  }
  __syncthreads();

  // === store
  for (Int32 t = thread; t < WORD_PLANE * WORD_Z; t += STAR_THREADS) {
    Int32 x = t % WORD_X, y = t / WORD_X % WORD_Y, z = t / WORD_PLANE;
    Vertex anchor = {corner.x + x - 1, corner.y + y - 1, corner.z + z - 1};
    if (anchor.x < 0 || anchor.y < 0 || anchor.z < 0) continue;
    if (anchor.x >= grid.nx || anchor.y >= grid.ny || anchor.z >= grid.nz) continue;
    bool shared_with_next = x == 0 || y == 0 || z == 0 || x == TILE_X || y == TILE_Y || z == TILE_Z;
    Word* word = words + vertex_id(grid, anchor);
    if (shared_with_next) or_into(word, tile_words[t]);
    else *word = tile_words[t];
  }
}

#else

// One item is a block of TILE_Y by TILE_Z rows. Its stars write into the words of the rows before
// it too, so blocks are launched in up to four colors: `color` bit 0 is the parity of the block
// along y, bit 1 along z, and blocks of one color share no word.
ITEM Int32 n_of_color(Int32 n_blocks, Int32 parity) { return (n_blocks + 1 - parity) / 2; }

template <class Value>
ITEM void pair_rows(Grid grid, const Value* values, const Byte* types, Index n_types, Int32 color, Word* words,
                    Index item) {
  typedef typename ImageOf<Value>::Type Image;
  const Int32 end_x = grid.nx - grid.px, end_y = grid.ny - grid.py, end_z = grid.nz - grid.pz;
  const Int32 along_y = n_of_color(n_tiles_along(end_y - grid.py, TILE_Y), color & 1);
  const Int32 y0 = grid.py + (Int32)(2 * (item % along_y) + (color & 1)) * TILE_Y;
  const Int32 z0 = grid.pz + (Int32)(2 * (item / along_y) + (color >> 1)) * TILE_Z;
  const Int32 held_y = end_y - y0 < TILE_Y ? end_y - y0 : TILE_Y;
  const Int32 held_z = end_z - z0 < TILE_Z ? end_z - z0 : TILE_Z;
  Image images[HALO_VERTICES];
  Word key_room[STAR], lower[TILE_X];
  StarTables tables;
  StarKeys keys = {key_room, 1};
  for (int code = 0; code < STAR; ++code)
    fill_star_tables(tables, code, HALO_X, HALO_PLANE, grid.nx, (Slot)grid.nx * grid.ny);
  for (Int32 x0 = grid.px; x0 < end_x; x0 += TILE_X) {
    const Int32 held_x = end_x - x0 < TILE_X ? end_x - x0 : TILE_X;
    // === load the tile with its halo
    for (Int32 z = 0; z < held_z + 2; ++z)
      for (Int32 y = 0; y < held_y + 2; ++y) {
        const Value* row = values + vertex_id(grid, {0, clamp(y0 + y - 1, grid.ny), clamp(z0 + z - 1, grid.nz)});
        Image* images_of_row = images + z * HALO_PLANE + y * HALO_X;
        for (Int32 x = 0; x < held_x; ++x) images_of_row[x + 1] = order_image(row[x0 + x]);
        images_of_row[0] = order_image(row[clamp(x0 - 1, grid.nx)]);
        images_of_row[held_x + 1] = order_image(row[clamp(x0 + held_x, grid.nx)]);
      }
    // === row by row: lower neighbors of all its vertices, then the pairing of each
    for (Int32 z = 0; z < held_z; ++z)
      for (Int32 y = 0; y < held_y; ++y) {
        const Image* center = images + (z + 1) * HALO_PLANE + (y + 1) * HALO_X + 1;
        for (Int32 x = 0; x < held_x; ++x) lower[x] = lower_neighbors(center + x, HALO_X, HALO_PLANE);
        for (Int32 x = 0; x < held_x; ++x) {
          Vertex v = {x0 + x, y0 + y, z0 + z};
          Word star = closed_cells(lower[x] & neighbors_inside(grid, v)) & ~bit(CENTER);
          if (n_types) {
            const Word domain = star_in_domain(grid, types, v);
            if (!(domain & bit(CENTER))) continue;
            star &= domain;
          }
          pair_lower_star(star, center + x, tables, keys, words + vertex_id(grid, v));
        }
      }
  }
}

COARSE_VALUE_KERNEL(pair_lower_stars, (Grid grid, const Value* values, const Byte* types, Index n_types, Int32 color,
                                       Word* words),
                    pair_rows(grid, values, types, n_types, color, words, i))

#endif
