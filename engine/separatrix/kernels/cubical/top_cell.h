// The top cell that labels a vertex: the highest incident one in (owner, G order). Its octant is
// stored in the vertex's word, so that the values are not needed later.
#pragma once
#include "common/order.h"
#include "cubical/domain.h"

// Octant o of a vertex: bit a set means towards plus along axis a. Codes whose offset is 0 or towards
// the octant lie in it. An axis of length 1 has the plus side only, and no offset but 0.
ITEM Word codes_in_octant(int octant) {
  Word codes = ALL_CELLS;
  codes &= octant & 1 ? ~BACK_X : BACK_X | FLAT_X;
  codes &= octant & 2 ? ~BACK_Y : BACK_Y | FLAT_Y;
  codes &= octant & 4 ? ~BACK_Z : BACK_Z | FLAT_Z;
  return codes;
}
ITEM bool side_exists(Grid grid, Vertex v, int axis, bool plus) {
  Int32 at = coordinate(v, axis), n = axis_length(grid, axis);
  return is_periodic(grid, axis) || (plus ? at + 1 < n || n == 1 : at > 0);
}

ITEM Word octants_in_box(Grid grid, Vertex at) {
  Word octants = 0;
  for (int octant = 0; octant < 8; ++octant)
    if (side_exists(grid, at, 0, octant & 1) && side_exists(grid, at, 1, octant & 2) &&
        side_exists(grid, at, 2, octant & 4))
      octants |= bit(octant);
  return octants;
}
// The octants whose top cells belong to the domain; if there are none, one of the box, which has no label.
ITEM Word octants_in_domain(Grid grid, const Byte* types, Vertex at, Word in_box) {
  Word octants = 0;
  for (Word rest = in_box; rest; rest &= rest - 1) {
    const Int32 anchor = anchor_in_octant(grid, vertex_id(grid, at), lowest_bit(rest));
    if (types[anchor] >> top_type(grid) & 1) octants |= rest & (0 - rest);
  }
  return octants ? octants : in_box & (0 - in_box);
}

template <class Image>
ITEM int highest_code(Word pool, const Image* image) {
  Image highest_image = 0;
  int highest = CENTER;
  UNROLL for (int code = 0; code < STAR; ++code)
    if (pool >> code & 1 && image[code] >= highest_image) {  // of equal images the last code
      highest_image = image[code];
      highest = code;
    }
  return highest;
}
// Takes the side of a neighbor along an axis, unless it is on none.
ITEM void take_side(int axis, Word back, Word flat, int neighbor, Word& pool, Word& idle, int& octant) {
  if (flat >> neighbor & 1) return;
  const bool minus = back >> neighbor & 1;
  pool &= minus ? back | flat : ~back;
  idle = ALL_CELLS;
  if (minus) octant &= ~(1 << axis);
}
// The same as below in the whole box. Neighbors that are on no side of the axes left lie in all cells left.
template <class Image>
ITEM int highest_octant_of_box(Word inside, const Image* image) {
  Word pool = inside, x = FLAT_X, y = FLAT_Y, z = FLAT_Z;  // codes that cannot decide a side
  int octant = 7;  // along an axis of length 1 there is the plus side only
  while (const Word deciding = pool & ~(x & y & z)) {
    const int highest = highest_code(deciding, image);
    take_side(0, BACK_X, FLAT_X, highest, pool, x, octant);
    take_side(1, BACK_Y, FLAT_Y, highest, pool, y, octant);
    take_side(2, BACK_Z, FLAT_Z, highest, pool, z, octant);
  }
  return octant;
}
// Compares cells by their highest vertex, then among those that share it by the next, and so on.
// In: images by code, of the neighbors `inside`.
template <class Image>
ITEM int highest_octant(Grid grid, const Byte* types, Index n_types, Vertex at, Word inside, const Image* image) {
  if (!n_types) return highest_octant_of_box(inside, image);
  Word octants = octants_in_domain(grid, types, at, octants_in_box(grid, at)), pool = 0;
  for (Word rest = octants; rest; rest &= rest - 1) pool |= codes_in_octant(lowest_bit(rest)) & inside;
  while (octants & (octants - 1)) {
    const int highest = highest_code(pool, image);
    Word left = 0, codes_left = 0;
    for (Word rest = octants; rest; rest &= rest - 1) {
      Word codes = codes_in_octant(lowest_bit(rest));
      if (codes >> highest & 1) {
        left |= rest & (0 - rest);
        codes_left |= codes;
      }
    }
    octants = left;
    pool &= codes_left & ~bit(highest);
  }
  return lowest_bit(octants);
}
template <class Value>
ITEM void mark_top_cell(Grid grid, const Value* values, const Byte* types, Index n_types, Int32 v, Word* words) {
  const Vertex at = vertex_at(grid, v);
  if (has_wrapped_star(grid, at)) return;  // those of wrapped_star.h
  const Int32 row = grid.nx, plane = grid.nx * grid.ny;
  const Word inside = neighbors_inside(grid, at);
  typename ImageOf<Value>::Type image[STAR];
  UNROLL for (int code = 0; code < STAR; ++code)
    image[code] = inside >> code & 1
        ? order_image(values[v + (code % 3 - 1) + (code / 3 % 3 - 1) * row + (code / 9 - 1) * plane]) : 0;
  words[v] = with_octant(words[v], highest_octant(grid, types, n_types, at, inside, image));  // ids ascend with codes
}
VALUE_KERNEL(mark_top_cells, (Grid grid, const Value* values, const Byte* types, Index n_types, Word* words),
             mark_top_cell(grid, values, types, n_types, (Int32)i, words))
