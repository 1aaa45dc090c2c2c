// Cells of a regular triangulation from stars that agree, their neighbors, and the check of both.
//
// A cell has four vertices; a hull facet is one whose last vertex is NONE, with its normal outwards. Rows of cells
// are sorted by vertices, hull facets after all tetrahedra. Each cell is written by the star of its lowest index.
// In the stars, points are in another order: index (n,) is the index of each in the input, star_of its inverse.
#pragma once
#include "alpha/agreeing_stars.h"

struct Corners {
  Int32 v[4];
};
struct Order {
  const Int32* index;
  const Int32* star_of;
};
// The cell of a slot of star i in the input's indices; tetrahedra are sorted.
ITEM Corners corners_of(const Stars& stars, const Int32* index, Int32 i, Index slot) {
  const Int32* t = stars.link(slot);
  Corners cell = {{index[i], index[t[0]], index[t[1]], t[2] == NONE ? (Int32)NONE : index[t[2]]}};
  for (int k = 0; k < 3 && t[2] != NONE; ++k)
    for (int j = 0; j < 3; ++j)
      if (cell.v[j] > cell.v[j + 1]) {
        const Int32 larger = cell.v[j];
        cell.v[j] = cell.v[j + 1], cell.v[j + 1] = larger;
      }
  return cell;
}
ITEM bool is_own(const Corners& cell, Int32 own) {
  if (cell.v[3] != NONE) return cell.v[0] == own;
  return own < cell.v[1] && own < cell.v[2];
}
// Rows with the same first vertex and the same kind.
ITEM bool is_before(const Corners& a, const Corners& b) {
  for (int k = 1; k < 4; ++k)
    if (a.v[k] != b.v[k]) return a.v[k] < b.v[k];
  return false;
}
// In: offsets (n,) of the rows by index. Out: counts (n,) by index, of tetrahedra or hull facets.
ITEM Index count_own(const Stars& stars, const Int32* index, Int32 i, bool of_hull) {
  Index n = 0;
  for (Index s = stars.begin[i]; stars.hider[i] == NONE && s < stars.begin[i] + stars.size[i]; ++s) {
    const Corners cell = corners_of(stars, index, i, s);
    n += is_own(cell, index[i]) && (cell.v[3] == NONE) == of_hull;
  }
  return n;
}
ITEM void fill_own(const Stars& stars, const Int32* index, Int32 i, const Index* tets, const Index* facets,
                   Int32* cells, Int32* cell_of) {
  const Index begin = stars.begin[i], end = begin + stars.size[i];
  for (Index s = begin; stars.hider[i] == NONE && s < end; ++s) {
    const Corners cell = corners_of(stars, index, i, s);
    if (!is_own(cell, index[i])) continue;
    Index row = (cell.v[3] == NONE ? facets : tets)[index[i]];
    for (Index t = begin; t < end; ++t) {
      const Corners other = corners_of(stars, index, i, t);
      row += is_own(other, index[i]) && (other.v[3] == NONE) == (cell.v[3] == NONE) && is_before(other, cell);
    }
    for (int k = 0; k < 4; ++k) cells[4 * row + k] = cell.v[k];
    cell_of[s] = (Int32)row;
  }
}
KERNEL(count_cells, (const Real* sites, Index is_small, const Index* begin, const Int32* capacity, Int32* size,
                     Int32* hider, Int32* links, Real* planes, const Int32* index, Index* n_tets, Index* n_facets), {
  const Stars stars = {{sites, is_small}, begin, capacity, size, hider, links, planes};
  n_tets[index[i]] = count_own(stars, index, (Int32)i, false);
  n_facets[index[i]] = count_own(stars, index, (Int32)i, true);
})
// Out: cells (m, 4); cell_of (slots,), the row of the own cells of each star.
KERNEL(fill_cells_of_stars, (const Real* sites, Index is_small, const Index* begin, const Int32* capacity, Int32* size,
                             Int32* hider, Int32* links, Real* planes, const Int32* index, const Index* tets,
                             const Index* facets, Int32* cells, Int32* cell_of),
       fill_own({{sites, is_small}, begin, capacity, size, hider, links, planes}, index, (Int32)i, tets, facets, cells,
                cell_of))

// The row of the cell across the facet opposite to vertex k.
ITEM Int32 across(const Stars& stars, const Order& order, const Int32* cell, int k, const Int32* cell_of) {
  Int32 star[4];
  for (int j = 0; j < 4; ++j) star[j] = cell[j] == NONE ? (Int32)NONE : order.star_of[cell[j]];
  const int p = k == 0 ? 1 : 0, x = k <= 1 ? 2 : 1, y = k <= 2 ? 3 : 2;
  const Int32 pivot = star[p];
  for (Index s = stars.begin[pivot]; s < stars.begin[pivot] + stars.size[pivot]; ++s) {
    if (!stars.has_vertex(s, star[x]) || !stars.has_vertex(s, star[y]) || stars.has_vertex(s, star[k])) continue;
    const Int32* t = stars.link(s);
    Int32 v[4] = {pivot, t[0], t[1], t[2]};
    int lowest = 0;
    for (int j = 1; j < 4; ++j)
      if (v[j] != NONE && order.index[v[j]] < order.index[v[lowest]]) lowest = j;
    const Int32 owner = v[lowest];
    v[lowest] = pivot;
    return cell_of[stars.find(owner, v[1], v[2], v[3])];
  }
  return NONE;
}
KERNEL(find_neighboring_cells, (const Real* sites, Index is_small, const Index* begin, const Int32* capacity,
                                Int32* size, Int32* hider, Int32* links, Real* planes, const Int32* index,
                                const Int32* star_of, const Int32* cells, const Int32* cell_of, Int32* neighbors),
       neighbors[i] = across({{sites, is_small}, begin, capacity, size, hider, links, planes}, {index, star_of},
                             cells + 4 * (i / 4), (int)(i % 4), cell_of))

// === check
struct Cells {
  const Int32* cells;
  const Int32* neighbors;
};
// Vertices with positive orientation; those of a hull facet already have it.
ITEM Corners oriented(const Cloud& cloud, const Int32* cell) {
  Corners c = {{cell[0], cell[1], cell[2], cell[3]}};
  if (c.v[3] != NONE && cloud.orientation(c.v[0], c.v[1], c.v[2], c.v[3]) < 0) c.v[1] = cell[2], c.v[2] = cell[1];
  return c;
}
ITEM bool conflicts(const Cloud& cloud, const Int32* cell, Int32 q) {
  const Corners c = oriented(cloud, cell);
  return cloud.is_conflict(c.v[0], c.v[1], c.v[2], c.v[3], cloud.plane(c.v[0], c.v[1], c.v[2], c.v[3]), q,
                           cloud.ray(c.v[0], q));
}
// Side of q with respect to the facet of a tetrahedron opposite to vertex k: 1 that of the vertex, -1 the other.
ITEM int side_of_facet(const Cloud& cloud, const Int32* cell, int k, Int32 q) {
  const Int32 a = cell[k == 0], b = cell[k <= 1 ? 2 : 1], c = cell[k <= 2 ? 3 : 2];
  return cloud.orientation(a, b, c, q) * cloud.orientation(a, b, c, cell[k]);
}
// Whether the cell across facet k shares it, is on its other side, and does not conflict.
ITEM bool is_regular_across(const Cloud& cloud, const Cells& all, Index row, int k) {
  const Int32* cell = all.cells + 4 * row;
  const Index other = all.neighbors[4 * row + k];
  if (other < 0) return false;
  int opposite = 0, n_shared = 0;
  for (int j = 0; j < 4; ++j) {
    bool is_shared = false;
    for (int m = 0; m < 4; ++m) is_shared |= m != k && cell[m] == all.cells[4 * other + j];
    n_shared += is_shared;
    if (!is_shared) opposite = j;
  }
  if (n_shared != 3 || all.neighbors[4 * other + opposite] != (Int32)row) return false;
  const Int32 q = all.cells[4 * other + opposite];
  if (cell[3] == NONE && k == 3) return q != NONE && cloud.orientation(cell[0], cell[1], cell[2], q) < 0;
  if (q == NONE) return true;
  return !conflicts(cloud, cell, q) && (cell[3] == NONE || side_of_facet(cloud, cell, k, q) < 0);
}
KERNEL(check_facets, (const Real* sites, Index is_small, const Int32* cells, const Int32* neighbors, Byte* is_regular),
       is_regular[i] = is_regular_across({sites, is_small}, {cells, neighbors}, i / 4, (int)(i % 4)))

// Whether a point does not conflict with the tetrahedron that contains it, found by a walk from the first one.
ITEM bool is_hidden_below(const Cloud& cloud, const Cells& all, Index n_cells, Int32 q) {
  Index row = 0;
  for (Index step = 0; step <= n_cells; ++step) {
    const Int32* cell = all.cells + 4 * row;
    if (cell[3] == NONE) return false;
    int exit = 0;
    while (exit < 4 && side_of_facet(cloud, cell, exit, q) >= 0) ++exit;
    if (exit == 4) return !conflicts(cloud, cell, q);
    row = all.neighbors[4 * row + exit];
  }
  return false;
}
ROW_KERNEL(check_hidden, (const Real* sites, Index is_small, const Int32* cells, const Int32* neighbors, Index n_cells,
                          const Int32* hidden, Byte* is_hidden),
           is_hidden[i] = is_hidden_below({sites, is_small}, {cells, neighbors}, n_cells, hidden[i]))
