// Points for the bricks of density.h: their cells, and their records in the order of cells.
#pragma once
#include "common/functions.h"
#include "common/precision.h"

struct BrickGrid {
  Int32 nx, ny, nz, bricks_x, bricks_y, bricks_z, cells_x, cells_y, cells_z, reach_x, reach_y, reach_z;
};
enum { BRICK_X = 16, BRICK_Y = 8, BRICK_Z = 8, CELL = 4 };
// Records of points: x, y, z from the image's origin, weight; if SCALED, each kernel has its own length, and
// the fifth number is the square of (unit / length).
enum { RECORD = 4, SCALED_RECORD = 8 };

// In: at (n, d). Out: offset (n, 3) from the image's origin, in units of the kernel; the key of its cell;
// whether the point is near the image.
ITEM void key_in_bricks(const Real* at, Index d, Real unit, const Real* origin, const Real* spacing, BrickGrid grid,
                        Index i, Real* offset, Index* key, Byte* is_near) {
  const Index cells[3] = {grid.cells_x, grid.cells_y, grid.cells_z};
  const Int32 reach[3] = {grid.reach_x, grid.reach_y, grid.reach_z};
  Index of_point = 0;
  bool near = true;
  for (int axis = 2; axis >= 0; --axis) {
    const Real v = axis < d ? at[i * d + axis] / unit - origin[axis] : 0;
    const Real place = elementary::whole_below((v / spacing[axis] + 0.5) / CELL) + reach[axis];
    const Real last = (Real)(cells[axis] - 1);
    near = near && place >= 0 && place < (Real)cells[axis];
    of_point = of_point * cells[axis] + (Index)(place < 0 ? 0 : place > last ? last : place);
    offset[3 * i + axis] = v;
  }
  key[i] = of_point, is_near[i] = near;
}
KERNEL(key_in_bricks_of, (const Real* at, Index d, Real unit, const Real* origin, const Real* spacing,
                          BrickGrid grid, Real* offset, Index* key, Byte* is_near),
       key_in_bricks(at, d, unit, origin, spacing, grid, i, offset, key, is_near))

KERNEL(kept_keys, (const Index* key, const Index* kept, Index* keys), keys[i] = key[kept[i]])

// Records (n, length) of zeros become those of the kept points in some order; scale (n,), or (1,) with stride 0.
// Numbers in float32 are passed as their bits.
ITEM void put(Word* number, Real value) { *number = narrowed(value); }
ITEM void put(Real* number, Real value) { *number = value; }
template <class Number>
ITEM void record_point(const Int32* order, const Index* kept, const Real* offset, const Real* weight,
                       const Real* scale, Index stride, Index length, Index i, Number* records) {
  const Index point = kept[order[i]];
  Number* record = records + i * length;
  for (int axis = 0; axis < 3; ++axis) put(record + axis, offset[3 * point + axis]);
  put(record + 3, weight[point]);
  if (length > RECORD) put(record + 4, scale[point * stride]);
}
KERNEL(record_points_float32, (const Int32* order, const Index* kept, const Real* offset, const Real* weight,
                               const Real* scale, Index stride, Index length, Word* records),
       record_point(order, kept, offset, weight, scale, stride, length, i, records))
KERNEL(record_points_float64, (const Int32* order, const Index* kept, const Real* offset, const Real* weight,
                               const Real* scale, Index stride, Index length, Real* records),
       record_point(order, kept, offset, weight, scale, stride, length, i, records))
