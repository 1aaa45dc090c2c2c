// Forests of the minima (over vertices) and of the maxima (over top-dimensional cells).
//
// Every vertex but a minimum is paired with an edge, whose other end is its parent; every top cell
// but a maximum is paired with a facet, and the cell across it is its parent, or OUTSIDE when the
// facet lies in the boundary of the box. A slot holds a parent (>= 0) or the code of a label (< 0):
// -1 OUTSIDE, -2 - k the k-th extremum. Chasing writes codes over parents: a slot read meanwhile
// holds the one or the other and both lead to the same end, so threads need no order.
#pragma once
#include "grid.h"

enum { OUTSIDE = -1 };
ITEM Int32 label_code(Int32 label) { return -2 - label; }  // its own inverse; OUTSIDE is label -1

ITEM Int32 parent_of_vertex(Grid grid, const Word* words, Int32 v) {
  int direction = direction_of(words[v], 0);
  return direction == CRITICAL ? OUTSIDE : v + sign_of(direction) * vertex_stride(grid, axis_of(direction));
}
// `type` is the top type. A direction of NO_CELL: no top cell is anchored here.
ITEM Int32 parent_of_top_cell(Grid grid, const Word* words, int type, Int32 anchor) {
  int direction = direction_of(words[anchor], type);
  if (direction == NO_CELL || direction == CRITICAL) return OUTSIDE;
  int axis = axis_of(direction), sign = sign_of(direction);
  Int32 across = coordinate(vertex_at(grid, anchor), axis) + sign;
  bool inside = across >= 0 && across < axis_length(grid, axis) - 1;
  return inside ? anchor + sign * vertex_stride(grid, axis) : OUTSIDE;
}
KERNEL(link_minima, (Grid grid, const Word* words, Int32* forest),
       forest[i] = parent_of_vertex(grid, words, (Int32)i))
KERNEL(link_maxima, (Grid grid, const Word* words, Int32 type, Int32* forest),
       forest[i] = parent_of_top_cell(grid, words, type, (Int32)i))

// The roots: the k-th extremum, given by its anchor.
KERNEL(plant_labels, (const Int32* anchors, Int32* forest), forest[anchors[i]] = label_code((Int32)i))

ITEM void chase(Int32* forest, Int32 start) {
  Int32 end = peek(forest + start);
  while (end >= 0) end = peek(forest + end);
#if ON_GPU
  poke(forest + start, end);
#else  // shorten the whole path: the next to come along it stops at once
  for (Int32 at = start; at >= 0;) {
    Int32 parent = peek(forest + at);
    poke(forest + at, end);
    at = parent;
  }
#endif
}
KERNEL(chase_roots, (Int32* forest), chase(forest, (Int32)i))
KERNEL(decode_labels, (Int32* labels), labels[i] = label_code(labels[i]))
