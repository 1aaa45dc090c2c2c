// The owner of a cell: its highest vertex, in whose lower star it lies.
#pragma once
#include "grid.h"
#include "order.h"

template <class Value>
ITEM Index highest_vertex_of(Grid grid, const Value* values, Index id) {
  Cell cell = cell_at(grid, id);
  Index highest = vertex_id(grid, cell.anchor);
  for (int corner = 1; corner < 8; ++corner) {
    if (corner & ~cell.type) continue;
    Index other = vertex_id(grid, {cell.anchor.x + (corner & 1), cell.anchor.y + (corner >> 1 & 1),
                                   cell.anchor.z + (corner >> 2)});
    if (order_image(values[other]) >= order_image(values[highest])) highest = other;  // ids ascend
  }
  return highest;
}
VALUE_KERNEL(highest_vertices, (Grid grid, const Value* values, const Index* cells, Int32* vertices),
             vertices[i] = (Int32)highest_vertex_of(grid, values, cells[i]))
