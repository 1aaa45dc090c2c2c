// Extremum arcs: the two V-paths from a saddle down to minima or up to maxima, with their geometry.
//
// Descending: from a critical edge through vertex, edge, vertex ... to a minimum. Ascending: from a
// critical cell of codimension 1 through top cell, facet, top cell ... to a maximum or outside the box.
// A path is kept as a chain code (Freeman 1961): one byte for each vertex or top cell on it, the
// direction in which the path leaves it, CRITICAL at the extremum.
#pragma once
#include "cubical/extrema.h"

struct Arc {
  Anchor first;    // anchor of the first vertex or top cell, NONE if the arc leaves at once
  int axis, sign;  // the step from the saddle to it
};

// Side 0 and 1 of a saddle lie along the axis on which its type and the wanted type differ.
ITEM Arc arc_of(Grid grid, Index saddle, int side, int wanted_type) {
  Cell cell = cell_at(grid, saddle);
  int axis = lowest_bit((Word)(cell.type ^ wanted_type));
  Arc arc = {NONE, axis, side ? 1 : -1};
  Cell first = stepped(grid, cell, axis, arc.sign);
  if (exists(grid, first)) arc.first = vertex_id(grid, first.anchor);
  return arc;
}

// Whether V-paths continue through the cell of a type at an anchor, which is in the box and in the domain.
ITEM bool holds_cell(const Word* words, int type, Anchor anchor) {
  return anchor != NONE && direction_of(words[anchor], type) != NO_CELL;
}

// Item: arc 2 * saddle + side. Out: number of vertices or top cells on it, and the extremum's anchor,
// or NONE if it leaves the box.
ITEM void measure(Grid grid, const Word* words, const Index* saddles, Int32 type, Index i, Int32* length, Anchor* end) {
  Arc arc = arc_of(grid, saddles[i >> 1], (int)(i & 1), type);
  Int32 n = 0;
  Anchor last = NONE;
  for (Anchor at = arc.first; holds_cell(words, type, at); at = parent_of(grid, words, type, at)) {
    last = at;
    ++n;
  }
  length[i] = n;
  end[i] = last != NONE && direction_of(words[last], type) == CRITICAL ? last : NONE;
}
ITEM void fill_chain(Grid grid, const Word* words, const Index* saddles, Int32 type, Index i, const Index* offsets, Byte* chain) {
  Arc arc = arc_of(grid, saddles[i >> 1], (int)(i & 1), type);
  Index at = offsets[i];
  for (Anchor anchor = arc.first; holds_cell(words, type, anchor); anchor = parent_of(grid, words, type, anchor))
    chain[at++] = (Byte)direction_of(words[anchor], type);
}
ROW_KERNEL(measure_arcs, (Grid grid, const Word* words, const Index* saddles, Int32 type, Int32* length, Anchor* end),
           measure(grid, words, saddles, type, i, length, end))
ROW_KERNEL(fill_arcs, (Grid grid, const Word* words, const Index* saddles, Int32 type, const Index* offsets,
                       Byte* chain),
           fill_chain(grid, words, saddles, type, i, offsets, chain))

// All cells of the polylines: saddle, then cell and facet or edge alternating; an arc that leaves the
// box ends with the boundary facet through which it leaves. Arc i has 2 * length cells, one more if
// it leaves (a saddle in the boundary that leaves at once is a single point).
ITEM void expand_chain(Grid grid, const Index* saddles, Int32 type, Index i, const Index* offsets, const Byte* chain,
                       const Index* cell_offsets, Index* cells) {
  Index at = cell_offsets[i], id = saddles[i >> 1];
  Arc arc = arc_of(grid, id, (int)(i & 1), type);
  cells[at++] = id;
  for (Index k = offsets[i]; k < offsets[i + 1]; ++k) {
    id = cell_beside(grid, id, arc.axis, arc.sign);
    cells[at++] = id;
    int direction = chain[k];
    if (direction == CRITICAL) return;
    arc.axis = axis_of(direction);
    arc.sign = sign_of(direction);
    id = cell_beside(grid, id, arc.axis, arc.sign);
    cells[at++] = id;
  }
}
ROW_KERNEL(expand_arcs, (Grid grid, const Index* saddles, Int32 type, const Index* offsets, const Byte* chain,
                         const Index* cell_offsets, Index* cells),
           expand_chain(grid, saddles, type, i, offsets, chain, cell_offsets, cells))

// Converts anchors of extrema, ascending, to labels; NONE is kept.
ITEM Int32 label_of_anchor(const Int32* anchors, Index n, Int32 anchor) {
  if (anchor == NONE) return NONE;
  Index low = 0, high = n - 1;
  while (low < high) {
    Index middle = (low + high) / 2;
    if (anchors[middle] < anchor) low = middle + 1;
    else high = middle;
  }
  return (Int32)low;
}
KERNEL(label_ends, (const Int32* anchors, Index n_anchors, Int32* end), end[i] = label_of_anchor(anchors, n_anchors, end[i]))

// === arcs as rows of critical cells: a saddle whose sides end in the same extremum has one arc of two V-paths
ITEM int n_arcs_of(const Int32* ends, Index saddle) {
  const Int32 one = ends[2 * saddle], other = ends[2 * saddle + 1];
  return (one != NONE) + (other != NONE && other != one);
}
ITEM void list_arcs_of(const Int32* ends, Index saddle, const Index* offsets, Index first_saddle, Index first_extremum,
                       Index* saddles, Index* extrema, Wide* numbers) {
  const Int32 one = ends[2 * saddle], other = ends[2 * saddle + 1];
  const Int32 low = one < other ? one : other, high = one < other ? other : one;
  Index at = offsets[saddle];
  for (int k = 0; k < 2; ++k) {
    const Int32 end = k ? high : low;
    if (end == NONE || (k && low == high)) continue;
    saddles[at] = first_saddle + saddle;
    extrema[at] = first_extremum + end;
    numbers[at++] = 1 + (low == high);
  }
}
KERNEL(count_extremum_arcs, (const Int32* ends, Int32* count), count[i] = n_arcs_of(ends, i))
KERNEL(list_extremum_arcs, (const Int32* ends, const Index* offsets, Index first_saddle, Index first_extremum,
                            Index* saddles, Index* extrema, Wide* numbers),
       list_arcs_of(ends, i, offsets, first_saddle, first_extremum, saddles, extrema, numbers))
