// Where cells are: positions in space, dimension, and whether they lie in the boundary of the box.
#pragma once
#include "grid.h"

// Affine map from doubled coordinates to space: origin + column per axis, halves included.
struct Frame {
  Real ox, oy, oz, xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

ITEM bool at_end(Int32 anchor, int extends, Int32 n) { return n > 1 && !extends && (anchor == 0 || anchor == n - 1); }

// Out: positions (k, 3), dimensions (k,), boundary (k,) 0 or 1.
ITEM void place_cell(Grid grid, Frame f, Index id, Index i, Real* positions, Int8* dimensions, Byte* boundary) {
  Cell cell = cell_at(grid, id);
  Real x = (Real)(2 * (Index)cell.anchor.x + (cell.type & 1));
  Real y = (Real)(2 * (Index)cell.anchor.y + (cell.type >> 1 & 1));
  Real z = (Real)(2 * (Index)cell.anchor.z + (cell.type >> 2));
  positions[3 * i] = f.ox + (f.xx * x + f.yx * y + f.zx * z);
  positions[3 * i + 1] = f.oy + (f.xy * x + f.yy * y + f.zy * z);
  positions[3 * i + 2] = f.oz + (f.xz * x + f.yz * y + f.zz * z);
  dimensions[i] = (Int8)population((Word)cell.type);
  boundary[i] = at_end(cell.anchor.x, cell.type & 1, grid.nx) || at_end(cell.anchor.y, cell.type & 2, grid.ny) ||
                at_end(cell.anchor.z, cell.type & 4, grid.nz);
}
KERNEL(place_cells, (Grid grid, Frame frame, const Index* cells, Real* positions, Int8* dimensions, Byte* boundary),
       place_cell(grid, frame, cells[i], i, positions, dimensions, boundary))
