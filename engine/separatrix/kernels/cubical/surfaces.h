// 2-separatrices of a volume: the cells on V-paths from a saddle, and their polygons.
//
// Descending from a critical square, V-paths lead from a square through its edges to the squares that these are
// paired with. Ascending from a critical edge, they lead from an edge through its squares to the edges that these
// are paired with. The key of a visited cell consists of source, anchor, and the axis that distinguishes it.
#pragma once
#include "common/hash_set.h"
#include "cubical/place.h"

// The axis along which an edge extends, or along which a square does not.
ITEM int axis_of_type(int type) { return lowest_bit((Word)(population((Word)type) == 1 ? type : 7 & ~type)); }
ITEM int type_of_axis(int axis, int dimension) { return dimension == 1 ? 1 << axis : 7 & ~(1 << axis); }

ITEM Wide surface_key(Grid grid, Index source, Cell cell) {
  return (Wide)source << KEY_CELL_BITS | (Wide)vertex_id(grid, cell.anchor) << 2 | (Wide)axis_of_type(cell.type);
}
ITEM Cell cell_of_key(Grid grid, Wide key, int dimension) {
  return {vertex_at(grid, (Anchor)((key & (((Wide)1 << KEY_CELL_BITS) - 1)) >> 2)), type_of_axis((int)(key & 3), dimension)};
}

// In: key of a reached cell. Out: keys not reached before, appended to `reached`.
ITEM void expand_key(Grid grid, const Word* words, Int32 dimension, Wide key, Wide* slots, Wide mask,
                     Index capacity, Wide* reached, Index* counters) {
  const Cell cell = cell_of_key(grid, key, dimension);
  const int odd_wanted = dimension == 2;  // squares are left by facets, edges by cofacets
  for (int axis = 0; axis < 3; ++axis) {
    if ((cell.type >> axis & 1) != odd_wanted) continue;
    for (int sign = -1; sign <= 1; sign += 2) {
      Cell between = stepped(grid, cell, axis, sign);
      if (!exists(grid, between)) continue;
      int direction = direction_of(words[vertex_id(grid, between.anchor)], between.type);
      if (direction == CRITICAL || direction == NO_CELL) continue;
      Cell onward = stepped(grid, between, axis_of(direction), sign_of(direction));
      if (population((Word)onward.type) != dimension) continue;
      reach_key(surface_key(grid, source_of_key(key), onward), slots, mask, capacity, reached, counters);
    }
  }
}
KERNEL(start_surfaces, (Grid grid, const Index* saddles, Index first_source, Wide* slots, Wide mask, Index capacity,
                        Wide* reached, Index* counters),
       reach_key(surface_key(grid, first_source + i, cell_at(grid, saddles[i])), slots, mask, capacity, reached, counters))
KERNEL(expand_surfaces, (Grid grid, const Word* words, Int32 dimension, Index begin, Wide* slots, Wide mask,
                         Index capacity, Wide* reached, Index* counters),
       expand_key(grid, words, dimension, reached[begin + i], slots, mask, capacity, reached, counters))

// Corners of the polygon of a cell, in order: the vertices of a square, or for an edge the centers of
// the cubes around it. The dual polygon ends at the boundary of the box; a corner outside is moved into it.
// A corner is a place in a dense grid of the vertices, or of the cubes and one layer around them. A polygon
// that crosses a period has corners beyond the box, not on its other side. A periodic axis therefore has one
// more place; the first and the last are the same cell, one period apart.
//
// Around an edge of a masked domain (dimension 0 below) cubes may be missing. Their corners move to the square
// between the edge and the cube, or to the edge if there is no such square or there are two. Places are then
// cells of the doubled grid, with one more at each end of a periodic axis.
ITEM Int32 corners_along(Grid grid, int axis, int dimension) {
  if (dimension == 0) return 2 * axis_length(grid, axis) + (is_periodic(grid, axis) ? 2 : -1);
  return axis_length(grid, axis) + (dimension == 1 ? 1 : is_periodic(grid, axis));
}
ITEM Vertex place_at(Grid grid, Index place, int dimension) {
  Index across = corners_along(grid, 0, dimension), down = corners_along(grid, 1, dimension);
  return {(Int32)(place % across), (Int32)(place / across % down), (Int32)(place / across / down)};
}
// -1 to 2n along a periodic axis.
ITEM Index doubled_coordinate(Grid grid, int axis, Int32 place, int dimension) {
  const Int32 n = axis_length(grid, axis);
  if (dimension == 0) return place - is_periodic(grid, axis);
  if (dimension == 2) return 2 * (Index)place;
  if (is_periodic(grid, axis)) return 2 * (Index)place - 1;
  return place == 0 ? 0 : place == n ? 2 * (Index)n - 2 : 2 * (Index)place - 1;
}
ITEM Index wrapped_coordinate(Grid grid, int axis, Int32 place, int dimension) {
  Index at = doubled_coordinate(grid, axis, place, dimension), n = 2 * (Index)axis_length(grid, axis);
  return at < 0 ? at + n : at < n ? at : at - n;
}
ITEM Index corner_place(Grid grid, Cell cell, int a, int b, int corner, int dimension) {
  const bool up_a = corner == 1 || corner == 2, up_b = corner >= 2;
  Index place = 0;
  for (int axis = 2; axis >= 0; --axis) {
    Int32 at = coordinate(cell.anchor, axis);
    if (axis == a || axis == b) at += axis == a ? up_a : up_b;
    else if (dimension == 1) at += 1;
    place = place * corners_along(grid, axis, dimension) + at;
  }
  return place;
}
ITEM bool holds(Grid grid, const Byte* types, Vertex anchor, int type) {
  return exists(grid, {anchor, type}) && types[vertex_id(grid, anchor)] >> type & 1;
}
ITEM Index corner_in_domain(Grid grid, const Byte* types, Cell edge, int a, int b, int corner) {
  const int up_a = corner == 1 || corner == 2, up_b = corner >= 2, along_a = 1 << a, along_b = 1 << b;
  const int back_a = up_a ? 0 : along_a, back_b = up_b ? 0 : along_b;
  int moved = along_a | along_b;
  if (!holds(grid, types, behind(grid, edge.anchor, back_a | back_b), edge.type | moved)) {
    moved = holds(grid, types, behind(grid, edge.anchor, back_a), edge.type | along_a) ? along_a : 0;
    if (holds(grid, types, behind(grid, edge.anchor, back_b), edge.type | along_b)) moved = moved ? 0 : along_b;
  }
  Index place = 0;
  for (int axis = 2; axis >= 0; --axis) {
    Index at = cell_coordinate(edge, axis) + is_periodic(grid, axis);
    if (moved >> axis & 1) at += (axis == a ? up_a : up_b) ? 1 : -1;
    place = place * corners_along(grid, axis, 0) + at;
  }
  return place;
}
ITEM void draw_polygon(Grid grid, const Byte* types, Index n_types, Wide key, Int32 dimension, Index i, Index* cells,
                       Index* sources, Index* corners) {
  Cell cell = cell_of_key(grid, key, dimension);
  int across = axis_of_type(cell.type);
  cells[i] = cell_id(grid, cell.anchor, cell.type);
  sources[i] = source_of_key(key);
  const int a = (across + 1) % 3, b = (across + 2) % 3;
  for (int corner = 0; corner < 4; ++corner)
    corners[4 * i + corner] = n_types && dimension == 1 ? corner_in_domain(grid, types, cell, a, b, corner)
                                                        : corner_place(grid, cell, a, b, corner, dimension);
}
KERNEL(draw_polygons, (Grid grid, const Byte* types, Index n_types, const Wide* reached, Int32 dimension, Index* cells,
                       Index* sources, Index* corners),
       draw_polygon(grid, types, n_types, reached[i], dimension, i, cells, sources, corners))
KERNEL(mark_corners, (const Index* corners, Byte* is_corner), mark(is_corner + corners[i]))

// Places to cell ids in the doubled grid; without periods both orders are the same.
ITEM Index id_of_place(Grid grid, Index place, int dimension) {
  Vertex at = place_at(grid, place, dimension);
  return wrapped_coordinate(grid, 0, at.x, dimension) + wrapped_coordinate(grid, 1, at.y, dimension) * doubled_stride(grid, 1)
       + wrapped_coordinate(grid, 2, at.z, dimension) * doubled_stride(grid, 2);
}
KERNEL(name_corners, (Grid grid, Int32 dimension, const Index* places, Index* cells),
       cells[i] = id_of_place(grid, places[i], dimension))
KERNEL(number_corners, (const Int32* row_of_place, Index* corners), corners[i] = row_of_place[corners[i]] - 1)

// Positions of places, also beyond the box; inside it they are those of the cells.
ITEM void place_corner(Grid grid, Frame f, Int32 dimension, Index place, Real* position) {
  Vertex at = place_at(grid, place, dimension);
  put_position(f, (Real)doubled_coordinate(grid, 0, at.x, dimension), (Real)doubled_coordinate(grid, 1, at.y, dimension),
               (Real)doubled_coordinate(grid, 2, at.z, dimension), position);
}
KERNEL(place_corners, (Grid grid, Frame frame, Int32 dimension, const Index* places, Real* positions),
       place_corner(grid, frame, dimension, places[i], positions + 3 * i))
