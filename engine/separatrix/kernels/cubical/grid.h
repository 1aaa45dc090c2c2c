// The cubical complex of an image: cells are the points of the doubled grid (2nx-1)(2ny-1)(2nz-1).
//
// Inside the engine a cell is its anchor vertex and a type: bit 0, 1, 2 of the type says that the
// cell extends from the anchor along x, y, z. The dimension is the number of set bits. Outside, a
// cell is its linear index in the doubled grid, x fastest.
//
// A periodic axis of length n >= 3 has 2n points in the doubled grid: the cell anchored at n-1 that
// extends along it ends at vertex 0. Such an axis has neither boundary nor outside. Steps from vertex
// to vertex and from cell to cell wrap; the functions below perform all of them.
//
// The discrete gradient is one Word per vertex: eight nibbles, nibble `type` for the cell anchored
// here, holding the direction of the cell's partner in the doubled grid in three bits. The fourth
// bits of nibbles 0, 1, 2 hold the octant of the vertex's highest top cell once that is known.
// Robins, Wood, Sheppard 2011, section 3: the complex of a closed box, vertices have values.
#pragma once
#include "common/types.h"

// px, py, pz: 1 if the axis is periodic, else 0.
struct Grid {
  Int32 nx, ny, nz, px, py, pz;
};

enum Direction { NO_CELL = 0, PLUS_X, MINUS_X, PLUS_Y, MINUS_Y, PLUS_Z, MINUS_Z, CRITICAL };

struct Vertex {
  Int32 x, y, z;
};

ITEM Anchor n_vertices(Grid grid) { return (Anchor)grid.nx * grid.ny * grid.nz; }
ITEM Vertex vertex_at(Grid grid, Anchor v) {
  PlainAnchor row = (PlainAnchor)v / (PlainAnchor)grid.nx, plane = row / (PlainAnchor)grid.ny;
  return {(Int32)(v - (Anchor)row * grid.nx), (Int32)((Anchor)row - (Anchor)plane * grid.ny), (Int32)plane};
}
ITEM Anchor vertex_id(Grid grid, Vertex v) { return ((Anchor)v.z * grid.ny + v.y) * grid.nx + v.x; }
ITEM Int32 axis_length(Grid grid, int axis) { return axis == 0 ? grid.nx : axis == 1 ? grid.ny : grid.nz; }
ITEM Anchor vertex_stride(Grid grid, int axis) { return axis == 0 ? 1 : axis == 1 ? grid.nx : (Anchor)grid.nx * grid.ny; }
ITEM Int32 coordinate(Vertex v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }
ITEM Int32 is_periodic(Grid grid, int axis) { return axis == 0 ? grid.px : axis == 1 ? grid.py : grid.pz; }
ITEM bool has_periods(Grid grid) { return grid.px | grid.py | grid.pz; }  // the same for all threads
// `at` is at most one period away, as after one step.
ITEM Int32 wrapped(Int32 at, Int32 n) { return at < 0 ? at + n : at < n ? at : at - n; }

// === steps from vertex to vertex
// The neighbor, which is known to exist, inside the box or across a period.
ITEM Anchor neighbor_inside(Grid grid, Anchor v, int axis, int sign) {
  Anchor stride = vertex_stride(grid, axis), beside = v + sign * stride;
  if (!has_periods(grid)) return beside;
  Int32 at = coordinate(vertex_at(grid, v), axis) + sign, n = axis_length(grid, axis);
  return beside + (wrapped(at, n) - at) * stride;
}
// The neighbor, NONE beyond the box.
ITEM Anchor vertex_neighbor(Grid grid, Anchor v, int axis, int sign) {
  Int32 at = coordinate(vertex_at(grid, v), axis) + sign, n = axis_length(grid, axis);
  if (!is_periodic(grid, axis)) return at >= 0 && at < n ? v + sign * vertex_stride(grid, axis) : NONE;
  return v + (wrapped(at, n) - at + sign) * vertex_stride(grid, axis);
}

// === tiles of vertices
ITEM Int32 n_tiles_along(Int32 n, Int32 tile) { return (n + tile - 1) / tile; }
ITEM Vertex tile_corner(Grid grid, Int32 tile_x, Int32 tile_y, Int32 tile_z, Word tile) {
  Word across = (Word)n_tiles_along(grid.nx, tile_x), down = (Word)n_tiles_along(grid.ny, tile_y);
  return {(Int32)(tile % across) * tile_x, (Int32)(tile / across % down) * tile_y,
          (Int32)(tile / across / down) * tile_z};
}
// The box of the vertices without neighbors across a period; it begins at (px, py, pz).
ITEM Grid inner_grid(Grid grid) {
  return {grid.nx - 2 * grid.px, grid.ny - 2 * grid.py, grid.nz - 2 * grid.pz, 0, 0, 0};
}
// The other vertices are at the ends of periodic axes, where ids of neighbors do not ascend with their codes.
ITEM bool has_wrapped_star(Grid grid, Vertex v) {
  return has_periods(grid) && ((grid.px && (v.x == 0 || v.x == grid.nx - 1)) ||
                               (grid.py && (v.y == 0 || v.y == grid.ny - 1)) ||
                               (grid.pz && (v.z == 0 || v.z == grid.nz - 1)));
}
ITEM bool is_inside(Grid grid, Vertex v) { return v.x < grid.nx && v.y < grid.ny && v.z < grid.nz; }

// === cells of the doubled grid
ITEM Index doubled_stride(Grid grid, int axis) {
  Index dx = 2 * (Index)grid.nx - 1 + grid.px, dy = 2 * (Index)grid.ny - 1 + grid.py;
  return axis == 0 ? 1 : axis == 1 ? dx : dx * dy;
}
ITEM Index cell_id(Grid grid, Vertex anchor, int type) {
  return 2 * (Index)anchor.x + (type & 1) + (2 * (Index)anchor.y + (type >> 1 & 1)) * doubled_stride(grid, 1)
       + (2 * (Index)anchor.z + (type >> 2)) * doubled_stride(grid, 2);
}
struct Cell {
  Vertex anchor;
  int type;
};
ITEM Cell cell_at(Grid grid, Index id) {
  Index plane = doubled_stride(grid, 2), row = doubled_stride(grid, 1);
  Index z = id / plane, y = (id - z * plane) / row, x = id - z * plane - y * row;
  return {{(Int32)(x >> 1), (Int32)(y >> 1), (Int32)(z >> 1)}, (int)((x & 1) | (y & 1) << 1 | (z & 1) << 2)};
}
// Doubled coordinate of a cell along an axis.
ITEM Index cell_coordinate(Cell cell, int axis) {
  return 2 * (Index)coordinate(cell.anchor, axis) + (cell.type >> axis & 1);
}

// === steps from cell to cell
// The cell one step along an axis in the doubled grid; it may not exist.
ITEM Cell stepped(Grid grid, Cell cell, int axis, int sign) {
  int odd = cell.type >> axis & 1;
  Int32 shift = odd ? (sign > 0) : -(sign < 0);
  if (has_periods(grid) && is_periodic(grid, axis)) {
    Int32 at = coordinate(cell.anchor, axis) + shift;
    shift += wrapped(at, axis_length(grid, axis)) - at;
  }
  Cell to = {cell.anchor, cell.type ^ 1 << axis};
  if (axis == 0) to.anchor.x += shift;
  else if (axis == 1) to.anchor.y += shift;
  else to.anchor.z += shift;
  return to;
}
// Whether a cell, with its anchor wrapped along periodic axes, is in the box.
ITEM bool exists(Grid grid, Cell cell) {
  return cell.anchor.x >= 0 && cell.anchor.y >= 0 && cell.anchor.z >= 0 &&
         cell.anchor.x + (cell.type & 1) < grid.nx + grid.px &&
         cell.anchor.y + (cell.type >> 1 & 1) < grid.ny + grid.py &&
         cell.anchor.z + (cell.type >> 2) < grid.nz + grid.pz;
}
// The same step by ids, to a cell that is known to exist.
ITEM Index cell_beside(Grid grid, Index id, int axis, int sign) {
  Index stride = doubled_stride(grid, axis), beside = id + sign * stride;
  if (!has_periods(grid)) return beside;
  Index at = cell_coordinate(cell_at(grid, id), axis) + sign, n = 2 * (Index)axis_length(grid, axis);
  return at < 0 ? beside + n * stride : at == n ? beside - n * stride : beside;
}
// A corner of a cell; bit a of `corner`, which lies in the type, means the far end along axis a.
ITEM Anchor corner_of(Grid grid, Cell cell, int corner) {
  Vertex v = {cell.anchor.x + (corner & 1), cell.anchor.y + (corner >> 1 & 1), cell.anchor.z + (corner >> 2)};
  if (!has_periods(grid)) return vertex_id(grid, v);
  return vertex_id(grid, {wrapped(v.x, grid.nx), wrapped(v.y, grid.ny), wrapped(v.z, grid.nz)});
}

// === directions
ITEM int axis_of(int direction) { return (direction - 1) >> 1; }
ITEM int sign_of(int direction) { return direction & 1 ? 1 : -1; }
ITEM int direction_of(Word word, int type) { return (int)(word >> 4 * type & 7); }
// Type of the top-dimensional cells: an axis of length 1 has no extent.
ITEM int top_type(Grid grid) { return (grid.nx > 1) | (grid.ny > 1) << 1 | (grid.nz > 1) << 2; }

// === octants of a vertex: bit a set means towards plus along axis a
constexpr Word OCTANT_BITS = 0x888;
ITEM Word with_octant(Word word, int octant) {
  return (word & ~OCTANT_BITS) | (Word)(octant & 1) << 3 | (Word)(octant >> 1 & 1) << 7 | (Word)(octant >> 2) << 11;
}
ITEM int octant_of(Word word) { return (int)((word >> 3 & 1) | (word >> 7 & 1) << 1 | (word >> 11 & 1) << 2); }
// Anchor of the top cell in an octant; an axis of length 1 has no extent.
ITEM Anchor anchor_in_octant(Grid grid, Anchor v, int octant) {
  if (has_periods(grid)) {
    for (int axis = 0; axis < 3; ++axis)
      if (!(octant >> axis & 1) && axis_length(grid, axis) > 1) v = neighbor_inside(grid, v, axis, -1);
    return v;
  }
  return v - (octant & 1 || grid.nx == 1 ? 0 : 1) - (octant & 2 || grid.ny == 1 ? 0 : grid.nx)
           - (octant & 4 || grid.nz == 1 ? 0 : vertex_stride(grid, 2));
}
