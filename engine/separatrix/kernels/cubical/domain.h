// The domain of a masked image: the subcomplex of the cells that are not excluded, one Byte per vertex.
//
// Bit `type` of a vertex's byte is set if the cell of that type anchored there belongs to the domain: all its
// vertices are valid, and not all top cells around it are hidden. The nibble of any other cell is NO_CELL, as
// outside the box, so V-paths end before it. There are no bytes (n_types 0) if the domain is the whole box.
#pragma once
#include "cubical/star.h"

// A vertex, or the anchor of a cell, one step back along the axes `back`; it may lie outside the box.
ITEM Vertex behind(Grid grid, Vertex v, int back) {
  Vertex at = {v.x - (back & 1), v.y - (back >> 1 & 1), v.z - (back >> 2)};
  if (grid.px) at.x = wrapped(at.x, grid.nx);
  if (grid.py) at.y = wrapped(at.y, grid.ny);
  if (grid.pz) at.z = wrapped(at.z, grid.nz);
  return at;
}
// Whether any, or with `every` each, of the top cells around a cell has a flag; flags are by anchor.
ITEM bool of_top_cells(Grid grid, Cell cell, bool every, const Byte* flags, int flag) {
  const int top = top_type(grid), across = top & ~cell.type;
  for (int back = 0; back < 8; ++back) {
    if (back & ~across) continue;
    const Cell cube = {behind(grid, cell.anchor, back), top};
    if ((exists(grid, cube) && flags[vertex_id(grid, cube.anchor)] & flag) != every) return !every;
  }
  return every;
}
ITEM bool is_in_domain(Grid grid, const Byte* is_valid, const Byte* is_shown, bool hides, Cell cell) {
  if (!exists(grid, cell)) return false;
  for (int corner = 0; corner < 8; ++corner)
    if (!(corner & ~cell.type) && !is_valid[corner_of(grid, cell, corner)]) return false;
  return !hides || of_top_cells(grid, cell, false, is_shown, 1);
}
ITEM Byte types_in_domain(Grid grid, const Byte* is_valid, const Byte* is_shown, bool hides, Anchor v) {
  const Vertex at = vertex_at(grid, v);
  const int top = top_type(grid);
  const bool is_whole = !hides && is_in_domain(grid, is_valid, is_shown, hides, {at, top});  // with all faces
  int types = 0;
  for (int type = 0; type < 8; ++type)
    types |= (is_whole ? !(type & ~top) : is_in_domain(grid, is_valid, is_shown, hides, {at, type})) << type;
  return (Byte)types;
}
// `is_valid` and `is_shown`, of top cells by their anchors, are 0 or 1; the latter is read only if `hides`.
KERNEL(describe_domain, (Grid grid, const Byte* is_valid, const Byte* is_shown, Byte hides, Byte* types),
       types[i] = types_in_domain(grid, is_valid, is_shown, hides != 0, (Anchor)i))

// === the domain around a vertex or a cell
// Types of the cells of a star by their anchors, one byte for each of those `behind` the vertex: all of them, in
// a volume and in a plane.
constexpr Wide WHOLE_STAR = 0x80c0a0f088ccaaffull, WHOLE_FLAT_STAR = 0x080c0a0full;

// The cells of a vertex's star that belong to the domain; for a whole star also cells beyond an axis of length 1.
ITEM Word star_in_domain(Grid grid, const Byte* types, Vertex v) {
  Wide all = 0;
  for (int back = 0; back < 8; ++back) {
    const Vertex anchor = behind(grid, v, back);
    if (anchor.x >= 0 && anchor.y >= 0 && anchor.z >= 0) all |= (Wide)types[vertex_id(grid, anchor)] << 8 * back;
  }
  const Wide whole = grid.nz > 1 ? WHOLE_STAR : WHOLE_FLAT_STAR;
  if ((all & whole) == whole) return ALL_CELLS;
  Word cells = 0;
  for (int back = 0; back < 8; ++back) {
    const int held = (int)(all >> 8 * back & 255);
    for (int type = back; type < 8; type = (type + 1) | back) {  // those that extend along the axes `back`
      const int forth = type & ~back;
      const int dx = (forth & 1) - (back & 1), dy = (forth >> 1 & 1) - (back >> 1 & 1), dz = (forth >> 2) - (back >> 2);
      const int code = CENTER + dx + 3 * dy + 9 * dz;
      cells |= (Word)(held >> type & 1) << code;
    }
  }
  return cells;
}
ITEM bool holds_edge(const Byte* types, Anchor v, Anchor beside, int axis, int sign) {
  return types[sign > 0 ? v : beside] >> (1 << axis) & 1;
}
ITEM bool is_inner(Grid grid, const Byte* types, Cell cell) {
  return of_top_cells(grid, cell, true, types, 1 << top_type(grid));
}
