// The owner of a cell: its highest vertex, in whose lower star it lies.
#pragma once
#include "common/order.h"
#include "cubical/grid.h"

template <class Value>
ITEM Int32 highest_vertex_of(Grid grid, const Value* values, Index id) {
  Cell cell = cell_at(grid, id);
  Int32 highest = corner_of(grid, cell, 0);
  for (int corner = 1; corner < 8; ++corner) {
    if (corner & ~cell.type) continue;
    Int32 other = corner_of(grid, cell, corner);
    auto image = order_image(values[other]), highest_image = order_image(values[highest]);
    if (image > highest_image || (image == highest_image && other > highest)) highest = other;
  }
  return highest;
}
VALUE_KERNEL(highest_vertices, (Grid grid, const Value* values, const Index* cells, Int32* vertices),
             vertices[i] = highest_vertex_of(grid, values, cells[i]))
