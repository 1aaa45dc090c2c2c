// Forests of the minima (over vertices) and of the maxima (over top-dimensional cells).
//
// Every vertex except minima is paired with an edge, whose other end is its parent; every top cell
// except maxima is paired with a facet, and the cell across it is its parent, or OUTSIDE if the
// facet is on the boundary of the box; a periodic axis has no boundary. Slots are those of morse/forest.h.
#pragma once
#include "cubical/grid.h"
#include "morse/forest.h"

ITEM Anchor parent_of_vertex(Grid grid, const Word* words, Anchor v) {
  int direction = direction_of(words[v], 0);
  if (direction == NO_CELL || direction == CRITICAL) return OUTSIDE;
  return neighbor_inside(grid, v, axis_of(direction), sign_of(direction));
}
// `type` is the top type. A direction of NO_CELL: no top cell is anchored here. The parent of a cell that V-paths
// leave across the boundary of a masked domain is such an anchor, a root without a label.
ITEM Anchor parent_of_top_cell(Grid grid, const Word* words, int type, Anchor anchor) {
  int direction = direction_of(words[anchor], type);
  if (direction == NO_CELL || direction == CRITICAL) return OUTSIDE;
  int axis = axis_of(direction), sign = sign_of(direction);
  Int32 across = coordinate(vertex_at(grid, anchor), axis) + sign;
  bool inside = (across >= 0 && across < axis_length(grid, axis) - 1) || is_periodic(grid, axis);
  return inside ? neighbor_inside(grid, anchor, axis, sign) : OUTSIDE;
}
// `type` is 0 for the forest of minima, the top type for that of maxima.
ITEM Anchor parent_of(Grid grid, const Word* words, int type, Anchor anchor) {
  return type == 0 ? parent_of_vertex(grid, words, anchor) : parent_of_top_cell(grid, words, type, anchor);
}
KERNEL(link_forest, (Grid grid, const Word* words, Int32 type, Int32* forest),
       forest[i] = (Int32)parent_of(grid, words, type, (Anchor)i))

#if ON_GPU
enum { FOREST_X = 32, FOREST_Y = 8, FOREST_Z = 8, FOREST_TILE = FOREST_X * FOREST_Y * FOREST_Z, FOREST_THREADS = 256 };

// The same in tiles: paths are followed in shared memory until they end or leave the tile, and a slot
// gets that ancestor instead of its parent. Pointer jumping then proceeds from tile to tile.
extern "C" __global__ void __launch_bounds__(FOREST_THREADS) link_forest_tiles(
    Grid grid, const Word* words, Int32 type, Int32* forest) {
  __shared__ Int32 next[FOREST_TILE];  // in the tile: >= 0; OUTSIDE; elsewhere: label_code of the anchor
  const Vertex corner = tile_corner(grid, FOREST_X, FOREST_Y, FOREST_Z, blockIdx.x);
  for (Int32 t = threadIdx.x; t < FOREST_TILE; t += FOREST_THREADS) {
    Vertex local = {t % FOREST_X, t / FOREST_X % FOREST_Y, t / (FOREST_X * FOREST_Y)};
    Vertex v = {corner.x + local.x, corner.y + local.y, corner.z + local.z};
    next[t] = OUTSIDE;
    if (!is_inside(grid, v)) continue;
    Int32 anchor = vertex_id(grid, v), parent = parent_of(grid, words, type, anchor);
    if (parent < 0) continue;
    int direction = direction_of(words[anchor], type), axis = axis_of(direction), sign = sign_of(direction);
    Int32 across = coordinate(local, axis) + sign;
    Int32 side = axis == 0 ? FOREST_X : axis == 1 ? FOREST_Y : FOREST_Z;
    Int32 stride = axis == 0 ? 1 : axis == 1 ? FOREST_X : FOREST_X * FOREST_Y;
    bool is_beside = parent - anchor == sign * vertex_stride(grid, axis);  // not across a period
    next[t] = is_beside && across >= 0 && across < side ? t + sign * stride : label_code(parent);
  }
  __syncthreads();
  for (Int32 t = threadIdx.x; t < FOREST_TILE; t += FOREST_THREADS) {
    Vertex v = {corner.x + t % FOREST_X, corner.y + t / FOREST_X % FOREST_Y, corner.z + t / (FOREST_X * FOREST_Y)};
    if (!is_inside(grid, v)) continue;
    Int32 last = t;
    while (next[last] >= 0) last = next[last];
    if (next[last] != OUTSIDE) forest[vertex_id(grid, v)] = label_code(next[last]);
    else if (last == t) forest[vertex_id(grid, v)] = OUTSIDE;  // a root, or one that leaves the box
    else forest[vertex_id(grid, v)] = vertex_id(grid, {corner.x + last % FOREST_X, corner.y + last / FOREST_X % FOREST_Y,
                                                       corner.z + last / (FOREST_X * FOREST_Y)});
  }
}
#endif

KERNEL(anchor_cells, (Grid grid, const Index* cells, Anchor* anchors),
       anchors[i] = vertex_id(grid, cell_at(grid, cells[i]).anchor))
