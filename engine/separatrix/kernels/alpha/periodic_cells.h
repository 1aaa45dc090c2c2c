// Tetrahedra of points and their copies in periodic boxes: one representative of each, with its neighbors.
//
// Copies are sorted by code: by point, and then by shift. Tetrahedra are rows of copies in lexicographic order. One is
// chosen if its first copy is not moved; the others are chosen ones that are moved, or do not matter.
#pragma once
#include "common/search.h"
#include "common/types.h"

enum { UNITS_OF_VOLUME = 40 };  // bits of the volume of a box, so that sums are integers

struct PeriodicCells {
  const Int32* cells;    // (n_cells, 4)
  Index n_cells;
  const Index* codes;    // (n_copies,) ascending
  const Index* shifts;   // (n_copies,), the part of the code that is due to the shift
  Index n_copies;

  ITEM_MEMBER bool is_before(Index cell, const Index* wanted) const {
    for (int k = 0; k < 4; ++k)
      if (cells[4 * cell + k] != wanted[k]) return cells[4 * cell + k] < wanted[k];
    return false;
  }
  // The chosen tetrahedron that a tetrahedron is a copy of, or NONE.
  ITEM_MEMBER Index chosen_of(Index cell) const {
    if (cell < 0 || cell >= n_cells) return NONE;
    const Index shift = shifts[cells[4 * cell]];
    if (shift == 0) return cell;
    Index wanted[4];
    for (int k = 0; k < 4; ++k) {
      wanted[k] = place_among(codes, n_copies, codes[cells[4 * cell + k]] - shift);
      if (wanted[k] < 0) return NONE;
    }
    Index low = 0, high = n_cells;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (is_before(middle, wanted)) low = middle + 1;
      else high = middle;
    }
    for (int k = 0; k < 4; ++k)
      if (low == n_cells || cells[4 * low + k] != wanted[k]) return NONE;
    return low;
  }
};
ITEM Index volume_in_units(const Real* at, const Int32* cell, Real box) {
  Real d[3][3];
  for (int a = 0; a < 3; ++a)
    for (int axis = 0; axis < 3; ++axis)
      d[a][axis] = at[3 * (Index)cell[a + 1] + axis] - at[3 * (Index)cell[0] + axis];
  const Real six = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                   d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
  return (Index)((six < 0 ? -six : six) / (6 * box) * ((Index)1 << UNITS_OF_VOLUME));
}
// Items are facets of the tetrahedra. In: neighbors (n_cells, 4); at (n_copies, 3), their places; point_of (n_copies,), n_points of
// them per box; volumes of the boxes. Out: is_chosen (n_cells,); across (n_cells, 4), the chosen neighbors of chosen
// tetrahedra; is_vertex of each point; for each box, whether it is open, because a neighbor is missing or belongs to
// another box, and the volume of its chosen tetrahedra.
ITEM void choose_facet(Index i, const PeriodicCells& all, const Int32* neighbors, const Real* at, const Int32* point_of,
                       Index n_points, const Real* volumes, Byte* is_chosen, Int32* across, Byte* is_vertex, Byte* is_open,
                       Index* volume) {
  const Int32* cell = all.cells + i / 4 * 4;
  const int k = (int)(i % 4);
  const bool is_own = all.shifts[cell[0]] == 0;
  if (k == 0) is_chosen[i / 4] = is_own;
  across[i] = NONE;
  if (!is_own) return;
  across[i] = (Int32)all.chosen_of(neighbors[i]);
  const Index point = point_of[cell[k]], box = point / n_points;
  mark(is_vertex + point);
  if (across[i] < 0 || box != point_of[cell[0]] / n_points) mark(is_open + point_of[cell[0]] / n_points);
  if (k == 0) add_to(volume + box, volume_in_units(at, cell, volumes[box]));
}
KERNEL(choose_facets, (const Int32* cells, Index n_cells, const Index* codes, const Index* shifts, Index n_copies,
                       const Int32* neighbors, const Real* at, const Int32* point_of, Index n_points,
                       const Real* volumes, Byte* is_chosen, Int32* across, Byte* is_vertex, Byte* is_open,
                       Index* volume),
       choose_facet(i, {cells, n_cells, codes, shifts, n_copies}, neighbors, at, point_of, n_points, volumes, is_chosen,
                    across, is_vertex, is_open, volume))

// === copies
// Shifts (n_shifts, 3) along the vectors (3, 3) of each box, in ascending order of their parts of the code.
struct Copying {
  Index n_points;       // per box
  const Real* vectors;  // (boxes, 3, 3) lower triangular
  const Real* margins;  // (boxes, 3) around the brick, whose sides are on the diagonal
  const Real* shifts;
  Index n_shifts;

  // The place of a copy along an axis. Items are all shifts of all points.
  ITEM_MEMBER Real along(Index item, int axis, const Real* places) const {
    const Index point = item / n_shifts;
    const Real *own = vectors + point / n_points * 9, *shift = shifts + item % n_shifts * 3;
    return places[3 * point + axis] + (shift[0] * own[axis] + shift[1] * own[3 + axis] + shift[2] * own[6 + axis]);
  }
  ITEM_MEMBER bool is_near(Index item, const Real* places) const {
    const Index box = item / n_shifts / n_points;
    for (int axis = 0; axis < 3; ++axis) {
      const Real x = along(item, axis, places), margin = margins[3 * box + axis];
      if (!(x >= -margin && x < vectors[9 * box + 4 * axis] + margin)) return false;
    }
    return true;
  }
};
KERNEL(flag_copies, (Index n_points, const Real* vectors, const Real* margins, const Real* shifts, Index n_shifts,
                     const Real* places, Byte* is_near),
       const Copying all = {n_points, vectors, margins, shifts, n_shifts};
       is_near[i] = all.is_near(i, places))
// In: rows (n,), the items that are near; apart (boxes, 3), where each box is placed. Out: places moved (n, 3), points (n,).
KERNEL(place_copies, (const Index* rows, Index n_points, const Real* vectors, const Real* margins, const Real* shifts,
                      Index n_shifts, const Real* places, const Real* apart, Real* moved, Int32* point_of),
       const Copying all = {n_points, vectors, margins, shifts, n_shifts};
       const Index point = rows[i] / n_shifts;
       point_of[i] = (Int32)point;
       for (int axis = 0; axis < 3; ++axis)
         moved[3 * i + axis] = all.along(rows[i], axis, places) + apart[point / n_points * 3 + axis])
