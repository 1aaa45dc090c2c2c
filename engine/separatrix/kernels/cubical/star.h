// The 27 cells of the star of a vertex, and sets of them as 27-bit masks.
//
// Code of a neighbor or of a cell of the star: (dz+1)*9 + (dy+1)*3 + (dx+1), 13 the vertex itself.
// The cell with code c spans from the vertex to its neighbor with code c, its far vertex; so the
// cells of a set closed under faces and their far vertices are the same mask.
#pragma once
#include "cubical/grid.h"

enum { STAR = 27, CENTER = 13 };

constexpr Word ALL_CELLS = 0x7ffffff;
constexpr Word FLAT_X = 0x2492492, FLAT_Y = 0x0e07038, FLAT_Z = 0x003fe00;  // codes with dx, dy, dz = 0
constexpr Word BACK_X = 0x1249249, BACK_Y = 0x1c0e07, BACK_Z = 0x00001ff;   // codes with dx, dy, dz = -1
constexpr Word EDGES = 0x0415410, SQUARES = 0x2aa8aaa, CUBES = 0x5140145;

ITEM int offset_along(int code, int axis) {
  return (axis == 0 ? code % 3 : axis == 1 ? code / 3 % 3 : code / 9) - 1;
}
ITEM int type_of_code(int code) {
  return (offset_along(code, 0) != 0) | (offset_along(code, 1) != 0) << 1 | (offset_along(code, 2) != 0) << 2;
}

// Facets of a cell inside the star. The vertex is not a member: it counts as paired.
ITEM Word facets_in_star(int code) {
  Word facets = 0;
  for (int axis = 0, step = 1; axis < 3; ++axis, step *= 3)
    if (int d = offset_along(code, axis)) facets |= bit(code - d * step);
  return facets & ~bit(CENTER);
}

// The two or three facets of a square or cube as codes of five bits each, the last one repeated.
ITEM Word facet_codes_in_star(int code) {
  Word codes = 0, last = 0;
  int n = 0;
  for (Word rest = facets_in_star(code); rest; rest &= rest - 1) codes |= (last = (Word)lowest_bit(rest)) << 5 * n++;
  for (; n < 3; ++n) codes |= last << 5 * n;
  return codes;
}

// Neighbors in the box: all 27 in the interior, fewer at its faces. Those across periods are not
// among them (neighbors_with_periods).
ITEM Word neighbors_inside(Grid grid, Vertex v) {
  Word inside = ALL_CELLS;
  if (v.x == 0) inside &= ~BACK_X;
  if (v.y == 0) inside &= ~BACK_Y;
  if (v.z == 0) inside &= ~BACK_Z;
  if (v.x == grid.nx - 1) inside &= BACK_X | FLAT_X;
  if (v.y == grid.ny - 1) inside &= BACK_Y | FLAT_Y;
  if (v.z == grid.nz - 1) inside &= BACK_Z | FLAT_Z;
  return inside;
}

// Cells whose vertices are all in `vertices` (which holds bit 13): keep a code only if the
// codes with each nonzero offset replaced by 0 are in the set too, one axis after the other.
ITEM Word closed_cells(Word vertices) {
  Word m = vertices, flat = m & FLAT_X;
  m &= flat | flat << 1 | flat >> 1;
  flat = m & FLAT_Y;
  m &= flat | flat << 3 | flat >> 3;
  flat = m & FLAT_Z;
  return m & (flat | flat << 9 | flat >> 9);
}

// Direction from a cell to one of its cofacets, and back, from the difference of their codes.
ITEM int direction_to(int from, int to) {
  int d = to - from, size = d < 0 ? -d : d;
  return (size == 1 ? PLUS_X : size == 3 ? PLUS_Y : PLUS_Z) + (d < 0);
}
ITEM int opposite(int direction) { return ((direction - 1) ^ 1) + 1; }
