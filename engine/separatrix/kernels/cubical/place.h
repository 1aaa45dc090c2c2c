// Positions of cells in space, their dimensions, and whether they are on the boundary of the domain.
//
// A cell is placed in the box. A line that crosses a period continues beyond the box instead of jumping
// back, because its cells are placed relative to its first one.
#pragma once
#include "cubical/domain.h"

// Affine map from doubled coordinates to space: origin + column per axis, halves included.
struct Frame {
  Real ox, oy, oz, xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

ITEM void put_position(Frame f, Real x, Real y, Real z, Real* position) {
  position[0] = f.ox + (f.xx * x + f.yx * y + f.zx * z);
  position[1] = f.oy + (f.xy * x + f.yy * y + f.zy * z);
  position[2] = f.oz + (f.xz * x + f.yz * y + f.zz * z);
}

// Axes of length 1 and periodic axes have no ends.
ITEM bool at_end(Grid grid, Cell cell, int axis) {
  Int32 at = coordinate(cell.anchor, axis), n = axis_length(grid, axis);
  return n > 1 && !is_periodic(grid, axis) && !(cell.type >> axis & 1) && (at == 0 || at == n - 1);
}

// Out: positions (k, 3), dimensions (k,), boundary (k,) 0 or 1.
ITEM void place_cell(Grid grid, Frame f, const Byte* types, Index n_types, Index id, Index i, Real* positions, Int8* dimensions,
                     Byte* boundary) {
  Cell cell = cell_at(grid, id);
  put_position(f, (Real)cell_coordinate(cell, 0), (Real)cell_coordinate(cell, 1), (Real)cell_coordinate(cell, 2),
               positions + 3 * i);
  dimensions[i] = (Int8)population((Word)cell.type);
  boundary[i] = n_types ? !is_inner(grid, types, cell) : at_end(grid, cell, 0) || at_end(grid, cell, 1) || at_end(grid, cell, 2);
}
KERNEL(place_cells, (Grid grid, Frame frame, const Byte* types, Index n_types, const Index* cells, Real* positions,
                     Int8* dimensions, Byte* boundary),
       place_cell(grid, frame, types, n_types, cells[i], i, positions, dimensions, boundary))

// Item: a line, of cells one step apart. Out: positions of its cells, without jumps.
ITEM void unwrap_line(Grid grid, Frame f, const Index* offsets, const Index* cells, Index line, Real* positions) {
  Index at[3], before[3];
  for (Index k = offsets[line]; k < offsets[line + 1]; ++k) {
    Cell cell = cell_at(grid, cells[k]);
    for (int axis = 0; axis < 3; ++axis) {
      Index here = cell_coordinate(cell, axis);
      Index step = k == offsets[line] ? 0 : here - before[axis], period = 2 * (Index)axis_length(grid, axis);
      if (step > 1) step -= period;
      if (step < -1) step += period;
      at[axis] = k == offsets[line] ? here : at[axis] + step;
      before[axis] = here;
    }
    put_position(f, (Real)at[0], (Real)at[1], (Real)at[2], positions + 3 * k);
  }
}
KERNEL(unwrap_lines, (Grid grid, Frame frame, const Index* offsets, const Index* cells, Real* positions),
       unwrap_line(grid, frame, offsets, cells, i, positions))
