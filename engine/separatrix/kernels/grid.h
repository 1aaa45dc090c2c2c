// The cubical complex of an image: cells are the points of the doubled grid (2nx-1)(2ny-1)(2nz-1).
//
// Inside the engine a cell is its anchor vertex and a type: bit 0, 1, 2 of the type says that the
// cell extends from the anchor along x, y, z. The dimension is the number of set bits. Outside, a
// cell is its linear index in the doubled grid, x fastest.
//
// The discrete gradient is one Word a vertex: eight nibbles, nibble `type` for the cell anchored
// here, holding the direction of the cell's partner in the doubled grid in three bits. The fourth
// bits of nibbles 0, 1, 2 hold the octant of the vertex's highest top cell once that is known.
// Robins, Wood, Sheppard 2011, section 3 (the complex); reference: V-construction, closed box.
#pragma once
#include "types.h"

struct Grid {
  Int32 nx, ny, nz;
};

enum Direction { NO_CELL = 0, PLUS_X, MINUS_X, PLUS_Y, MINUS_Y, PLUS_Z, MINUS_Z, CRITICAL };
enum { NONE = -1 };

struct Vertex {
  Int32 x, y, z;
};

ITEM Int32 n_vertices(Grid grid) { return grid.nx * grid.ny * grid.nz; }
ITEM Vertex vertex_at(Grid grid, Int32 v) {
  Word row = (Word)v / (Word)grid.nx, plane = row / (Word)grid.ny;
  return {v - (Int32)row * grid.nx, (Int32)row - (Int32)plane * grid.ny, (Int32)plane};
}
ITEM Int32 vertex_id(Grid grid, Vertex v) { return (v.z * grid.ny + v.y) * grid.nx + v.x; }
ITEM Int32 axis_length(Grid grid, int axis) { return axis == 0 ? grid.nx : axis == 1 ? grid.ny : grid.nz; }
ITEM Int32 vertex_stride(Grid grid, int axis) { return axis == 0 ? 1 : axis == 1 ? grid.nx : grid.nx * grid.ny; }
ITEM Int32 coordinate(Vertex v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// === tiles of vertices
ITEM Int32 n_tiles_along(Int32 n, Int32 tile) { return (n + tile - 1) / tile; }
ITEM Vertex tile_corner(Grid grid, Int32 tile_x, Int32 tile_y, Int32 tile_z, Word tile) {
  Word across = (Word)n_tiles_along(grid.nx, tile_x), down = (Word)n_tiles_along(grid.ny, tile_y);
  return {(Int32)(tile % across) * tile_x, (Int32)(tile / across % down) * tile_y,
          (Int32)(tile / across / down) * tile_z};
}
ITEM bool is_inside(Grid grid, Vertex v) { return v.x < grid.nx && v.y < grid.ny && v.z < grid.nz; }

// === cells of the doubled grid
ITEM Index doubled_stride(Grid grid, int axis) {
  Index dx = 2 * (Index)grid.nx - 1, dy = 2 * (Index)grid.ny - 1;
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
ITEM Int32 anchor_in_octant(Grid grid, Int32 v, int octant) {
  return v - (octant & 1 || grid.nx == 1 ? 0 : 1) - (octant & 2 || grid.ny == 1 ? 0 : grid.nx)
           - (octant & 4 || grid.nz == 1 ? 0 : grid.nx * grid.ny);
}
