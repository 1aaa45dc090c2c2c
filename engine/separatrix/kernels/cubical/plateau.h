// Distances within plateaus, from their lower and their higher neighbors.
//
// A plateau is a maximal set of vertices of equal value that are connected along the axes. `low` is the number
// of steps from its vertices with a lower neighbor, or from its smallest id if there are none (a flat
// minimum), and `high` that from its vertices with a higher neighbor, 0 if there are none. Garbrecht, Martz
// 1997 (both gradients); Barnes, Lehman, Mulla 2014 (breadth first from all sources).
//
// Distances are minima over paths, so any order of relaxation gives the same numbers. A tile is relaxed until
// it does not change; changes at its faces make neighboring tiles dirty. A round processes all dirty tiles, so
// the number of rounds is that of tiles on a path, not of steps. With a step of 0, the same relaxation
// propagates the smallest id of a plateau.
#pragma once
#include "cubical/grid.h"
#include "morse/plateau.h"

enum { PLATEAU_X = 32, PLATEAU_Y = 8, PLATEAU_Z = 8, PLATEAU_TILE = PLATEAU_X * PLATEAU_Y * PLATEAU_Z };
// Sides of a vertex: bit d - 1 means that the neighbor in direction d has the same value.
enum { LEVEL_SIDES = 63 };

// === sources
// Vertices on plateaus without a lower neighbor are flat; their smallest id is propagated.
ITEM Int32 first_label(Int32 low, Int32 v, Byte* has_flats) {
  if (low == FAR && !is_raised(has_flats)) mark(has_flats);
  return low == FAR ? v : FAR;
}
KERNEL(start_labels, (const Int32* low, Int32* label, Byte* has_flats),
       label[i] = first_label(low[i], (Int32)i, has_flats))

ITEM Word tile_of(Grid grid, Int32 v) {
  Vertex at = vertex_at(grid, v);
  Word across = (Word)n_tiles_along(grid.nx, PLATEAU_X), down = (Word)n_tiles_along(grid.ny, PLATEAU_Y);
  return ((Word)(at.z / PLATEAU_Z) * down + (Word)(at.y / PLATEAU_Y)) * across + (Word)(at.x / PLATEAU_X);
}
// A source, and the tiles that it may change.
ITEM void start_flat_minimum(Grid grid, const Byte* sides, Int32 v, Int32* low, Byte* dirty) {
  low[v] = 0;
  mark(dirty + tile_of(grid, v));
  for (Word rest = sides[v] & LEVEL_SIDES; rest; rest &= rest - 1) {
    int direction = lowest_bit(rest) + 1;
    mark(dirty + tile_of(grid, neighbor_inside(grid, v, axis_of(direction), sign_of(direction))));
  }
}
KERNEL(start_flat_minima, (Grid grid, const Byte* sides, const Int32* label, Int32* low, Byte* dirty),
       if (label[i] == (Int32)i) start_flat_minimum(grid, sides, (Int32)i, low, dirty))

// === one round
#if ON_GPU
enum { PLATEAU_THREADS = PLATEAU_X * PLATEAU_Y };

ITEM Int32 reach_from(Int32 other, Int32 step) { return other == FAR ? FAR : other + step; }

// One block per tile, one thread per column. Reads of a neighbor's slot may see the old or the new
// number; the last turn sees no change.
extern "C" __global__ void __launch_bounds__(PLATEAU_THREADS) relax_tiles(
    Grid grid, const Byte* sides, Int32 step, Int32* reach, Byte* dirty, Byte* next_dirty, Byte* changed) {
  enum { ROOM_X = PLATEAU_X + 2, ROOM_PLANE = ROOM_X * (PLATEAU_Y + 2), ROOM = ROOM_PLANE * (PLATEAU_Z + 2) };
  __shared__ Int32 room[ROOM];
  if (!dirty[blockIdx.x]) return;
  const Vertex corner = tile_corner(grid, PLATEAU_X, PLATEAU_Y, PLATEAU_Z, blockIdx.x);

  // === load the tile with its halo; slots beyond the box are never read
  for (Int32 t = threadIdx.x; t < ROOM; t += PLATEAU_THREADS) {
    Vertex at = {corner.x + t % ROOM_X - 1, corner.y + t / ROOM_X % (PLATEAU_Y + 2) - 1, corner.z + t / ROOM_PLANE - 1};
    if (grid.px) at.x = wrapped(at.x, grid.nx);
    if (grid.py) at.y = wrapped(at.y, grid.ny);
    if (grid.pz) at.z = wrapped(at.z, grid.nz);
    bool is_there = at.x >= 0 && at.y >= 0 && at.z >= 0 && is_inside(grid, at);
    room[t] = is_there ? peek(reach + vertex_id(grid, at)) : FAR;
  }
  const Vertex local = {(Int32)threadIdx.x % PLATEAU_X, (Int32)threadIdx.x / PLATEAU_X, 0};
  volatile Int32* column = room + ROOM_PLANE + (local.y + 1) * ROOM_X + local.x + 1;
  Word level[PLATEAU_Z];
  UNROLL for (int k = 0; k < PLATEAU_Z; ++k) {
    Vertex at = {corner.x + local.x, corner.y + local.y, corner.z + k};
    level[k] = is_inside(grid, at) ? sides[vertex_id(grid, at)] & LEVEL_SIDES : 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) dirty[blockIdx.x] = 0;

  // === relax, down and up the column, until nothing changes
  int improved;
  do {
    improved = 0;
    UNROLL for (int turn = 0; turn < 2 * PLATEAU_Z; ++turn) {
      const int k = turn < PLATEAU_Z ? turn : 2 * PLATEAU_Z - 1 - turn;
      volatile Int32* here = column + k * ROOM_PLANE;
      Int32 own = *here, least = own;
      if (level[k] & 1) least = min(least, reach_from(here[1], step));
      if (level[k] & 2) least = min(least, reach_from(here[-1], step));
      if (level[k] & 4) least = min(least, reach_from(here[ROOM_X], step));
      if (level[k] & 8) least = min(least, reach_from(here[-ROOM_X], step));
      if (level[k] & 16) least = min(least, reach_from(here[ROOM_PLANE], step));
      if (level[k] & 32) least = min(least, reach_from(here[-ROOM_PLANE], step));
      if (least < own) {
        *here = least;
        improved = 1;
      }
    }
  } while (__syncthreads_or(improved));

  // === store the changes, and mark the tiles across the faces
  UNROLL for (int k = 0; k < PLATEAU_Z; ++k) {
    if (!level[k]) continue;
    Int32 v = vertex_id(grid, {corner.x + local.x, corner.y + local.y, corner.z + k});
    Int32 found = column[k * ROOM_PLANE];
    if (found >= peek(reach + v)) continue;
    poke(reach + v, found);
    const Vertex at = {local.x, local.y, k};
    for (Word rest = level[k]; rest; rest &= rest - 1) {
      int direction = lowest_bit(rest) + 1, axis = axis_of(direction), sign = sign_of(direction);
      Int32 across = coordinate(at, axis) + sign, beside = neighbor_inside(grid, v, axis, sign);
      bool in_tile = across >= 0 && across < (axis == 0 ? PLATEAU_X : axis == 1 ? PLATEAU_Y : PLATEAU_Z);
      if (in_tile && beside - v == sign * vertex_stride(grid, axis)) continue;
      mark(next_dirty + tile_of(grid, beside));  // this tile itself if a period is shorter than a tile
      mark(changed);
    }
  }
}

#else

// One item per tile: every vertex reads its neighbors, then changed vertices update theirs, in the order of the
// changes. A tile that becomes dirty is processed in the same round if its turn is later. Rounds alternate their
// direction, which speeds up long thin images.
ITEM void relax_tile(Grid grid, const Byte* sides, Int32 step, Int32* reach, Byte* dirty, Byte* changed, Word tile) {
  if (!take(dirty + tile)) return;
  const Vertex corner = tile_corner(grid, PLATEAU_X, PLATEAU_Y, PLATEAU_Z, tile);
  unsigned short queue[PLATEAU_TILE];
  bool is_queued[PLATEAU_TILE] = {};
  Int32 first = 0, n_queued = 0;
  auto tell_later = [&](Int32 t) {
    if (is_queued[t]) return;
    is_queued[t] = true;
    queue[(first + n_queued++) % PLATEAU_TILE] = (unsigned short)t;
  };
  for (Int32 t = 0; t < PLATEAU_TILE; ++t) {
    Vertex at = {corner.x + t % PLATEAU_X, corner.y + t / PLATEAU_X % PLATEAU_Y, corner.z + t / (PLATEAU_X * PLATEAU_Y)};
    if (!is_inside(grid, at)) continue;
    Int32 v = vertex_id(grid, at), own = reach[v], least = own;
    for (Word rest = sides[v] & LEVEL_SIDES; rest; rest &= rest - 1) {
      int direction = lowest_bit(rest) + 1;
      Int32 other = peek(reach + neighbor_inside(grid, v, axis_of(direction), sign_of(direction)));
      if (other < least - step) least = other + step;
    }
    if (least == own) continue;
    poke(reach + v, least);
    tell_later(t);
  }
  while (n_queued) {
    Int32 t = queue[first];
    first = (first + 1) % PLATEAU_TILE;
    --n_queued;
    is_queued[t] = false;
    const Vertex local = {t % PLATEAU_X, t / PLATEAU_X % PLATEAU_Y, t / (PLATEAU_X * PLATEAU_Y)};
    Int32 v = vertex_id(grid, {corner.x + local.x, corner.y + local.y, corner.z + local.z}), own = reach[v];
    for (Word rest = sides[v] & LEVEL_SIDES; rest; rest &= rest - 1) {
      int direction = lowest_bit(rest) + 1, axis = axis_of(direction), sign = sign_of(direction);
      Int32 beside = neighbor_inside(grid, v, axis, sign);
      if (peek(reach + beside) - step <= own) continue;
      Int32 across = coordinate(local, axis) + sign, side = axis == 0 ? PLATEAU_X : axis == 1 ? PLATEAU_Y : PLATEAU_Z;
      Int32 stride = axis == 0 ? 1 : axis == 1 ? PLATEAU_X : PLATEAU_X * PLATEAU_Y;
      if (across >= 0 && across < side && beside - v == sign * vertex_stride(grid, axis)) {
        poke(reach + beside, own + step);
        tell_later(t + sign * stride);
      } else {
        publish(dirty + tile_of(grid, beside));
        mark(changed);
      }
    }
  }
}
COARSE_KERNEL(relax_tiles, (Grid grid, const Byte* sides, Int32 step, Int32* reach, Byte* dirty, Index backward_from,
                            Byte* changed),
              relax_tile(grid, sides, step, reach, dirty, changed, (Word)(backward_from ? backward_from - i : i)))
#endif
