// Cells of a regular triangulation from stars that agree, their neighbors, and the check of both.
//
// A cell has four vertices; a hull facet is one whose last vertex is NONE, with its normal outwards. Rows of cells
// are sorted by vertices, hull facets after all tetrahedra. Each cell is written by the star of its lowest index.
// In the stars, points are in another order: index (n,) is the index of each in the input.
#pragma once
#include "alpha/agreeing_stars.h"

struct Corners {
  Int32 v[4];
};
// Rows of the same kind.
ITEM bool is_before(const Int32* a, const Int32* b) {
  for (int k = 0; k < 4; ++k)
    if (a[k] != b[k]) return a[k] < b[k];
  return false;
}
// The vertex of a cell (i, t) whose index is lowest: 0 for i, k + 1 for corner k of t.
ITEM int lowest_of(const Int32* index, Int32 i, const Link& link, Index s) {
  int lowest = 0;
  Int32 least = index[i];
  for (int k = 0; k < 3; ++k) {
    const Int32 v = link.corner(k, s);
    if (v != NONE && index[v] < least) least = index[v], lowest = k + 1;
  }
  return lowest;
}
// The cell of a triangle of star i in the input's indices; tetrahedra are sorted.
ITEM Corners corners_of(const Int32* index, Int32 i, const Link& link, Index s) {
  const Int32 c = link.corner(2, s);
  Corners cell = {{index[i], index[link.corner(0, s)], index[link.corner(1, s)], c == NONE ? (Int32)NONE : index[c]}};
  for (int k = 0; k < 3 && c != NONE; ++k)
    for (int j = 0; j < 3; ++j)
      if (cell.v[j] > cell.v[j + 1]) {
        const Int32 larger = cell.v[j];
        cell.v[j] = cell.v[j + 1], cell.v[j + 1] = larger;
      }
  return cell;
}
// Out: counts (n,) by index, of tetrahedra and hull facets.
ITEM void count_own(const Stars& stars, const Int32* index, Int32 i, Index* n_tets, Index* n_facets) {
  const Link link = link_of(stars, i);
  Index tets = 0, facets = 0;
  for (Index s = 0; link.hider == NONE && s < link.size; ++s)
    if (lowest_of(index, i, link, s) == 0) ++(link.corner(2, s) == NONE ? facets : tets);
  n_tets[index[i]] = tets, n_facets[index[i]] = facets;
}
KERNEL(count_cells, (const Real* sites, Index is_small, Int32* heads, Int32* links, const Int32* index, Index* n_tets,
                     Index* n_facets),
       count_own({{sites, is_small}, heads, links}, index, (Int32)i, n_tets, n_facets))

// Shell's method: most stars have fewer than ten rows.
ITEM void sort_rows(Int32* rows, Index n) {
  for (Index gap = n > 12 ? n / 3 : 1; gap; gap = gap > 3 ? gap / 3 : gap > 1)
    for (Index k = gap; k < n; ++k) {
      const Corners row = {{rows[4 * k], rows[4 * k + 1], rows[4 * k + 2], rows[4 * k + 3]}};
      Index at = k;
      for (; at >= gap && is_before(row.v, rows + 4 * (at - gap)); at -= gap)
        for (int j = 0; j < 4; ++j) rows[4 * at + j] = rows[4 * (at - gap) + j];
      for (int j = 0; j < 4; ++j) rows[4 * at + j] = row.v[j];
    }
}
ITEM Index row_among(const Int32* cells, Index low, Index high, const Corners& cell) {
  while (high - low > 1) {
    const Index middle = (low + high) / 2;
    if (is_before(cell.v, cells + 4 * middle)) high = middle;
    else low = middle;
  }
  return low;
}
ITEM void fill_own(const Stars& stars, const Int32* index, Int32 i, const Index* tets, const Index* facets,
                   Int32* cells, Int32* cell_of) {
  const Link link = link_of(stars, i);
  const Index own = index[i];
  Index next_tet = tets[own], next_facet = facets[own];
  for (Index s = 0; link.hider == NONE && s < link.size; ++s) {
    if (lowest_of(index, i, link, s) != 0) continue;
    const Corners cell = corners_of(index, i, link, s);
    const Index row = cell.v[3] == NONE ? next_facet++ : next_tet++;
    for (int k = 0; k < 4; ++k) cells[4 * row + k] = cell.v[k];
  }
  sort_rows(cells + 4 * tets[own], next_tet - tets[own]);
  sort_rows(cells + 4 * facets[own], next_facet - facets[own]);
  for (Index s = 0; link.hider == NONE && s < link.size; ++s) {
    if (lowest_of(index, i, link, s) != 0) continue;
    const Corners cell = corners_of(index, i, link, s);
    const Index* rows = cell.v[3] == NONE ? facets : tets;
    cell_of[link.first_slot + s] = (Int32)row_among(cells, rows[own], rows[own + 1], cell);
  }
}
// In: offsets (n + 1,) of the rows by index. Out: cells (m, 4); cell_of (slots,), the row of the own cells of each star.
KERNEL(fill_cells_of_stars, (const Real* sites, Index is_small, Int32* heads, Int32* links, const Int32* index,
                             const Index* tets, const Index* facets, Int32* cells, Int32* cell_of),
       fill_own({{sites, is_small}, heads, links}, index, (Int32)i, tets, facets, cells, cell_of))

// === neighbors, found by teams of lanes as in working_star.h
// The triangle that one of the lanes has found.
ITEM Int32 from_finder(Int32 found) { return (Int32)from_lane(first_lane(found != NONE), (Word)found); }
// The row of a triangle's cell, which the star of its lowest index has.
ITEM Int32 row_of(const Stars& stars, const Int32* index, Int32 i, const Link& link, Index s, const Int32* cell_of) {
  const int lowest = lowest_of(index, i, link, s);
  if (lowest == 0) return cell_of[link.first_slot + s];
  Int32 v[3] = {link.corner(0, s), link.corner(1, s), link.corner(2, s)};
  const Link of_lowest = link_of(stars, v[lowest - 1]);
  v[lowest - 1] = i;
  return cell_of[of_lowest.first_slot + from_finder(of_lowest.find(v[0], v[1], v[2], lane(), LANES))];
}
// The triangle with the edge from a to b.
ITEM Int32 triangle_at(const Link& link, Int32 a, Int32 b) {
#if !ON_GPU
  return link.find_if([=](const Eight& u, const Eight& v, const Eight& w, Eight& is_it) {
    is_it = ((u == a) & (v == b)) | ((v == a) & (w == b)) | ((w == a) & (u == b));
  });
#else
  Int32 found = NONE;
  for (Int32 s = lane(); s < (Int32)link.size; s += LANES) {
    const Int32 u = link.corner(0, s), v = link.corner(1, s), w = link.corner(2, s);
    const bool is_it = ((u == a) & (v == b)) | ((v == a) & (w == b)) | ((w == a) & (u == b));
    found = is_it ? s : found;
  }
  return from_finder(found);
#endif
}
// The rows of the cells across all facets of the own cells of a star.
ITEM void find_neighbors(const Stars& stars, const Int32* index, Int32 i, const Int32* cells, const Int32* cell_of,
                         Int32* neighbors) {
  const Link link = link_of(stars, i);
  for (Index s = 0; link.hider == NONE && s < link.size; ++s) {
    if (lowest_of(index, i, link, s) != 0) continue;
    const Index row = cell_of[link.first_slot + s];
    for (int k = 0; k < 4; ++k) {  // facets without corner k, then the one without i
      const Int32 center = k < 3 ? i : link.corner(0, s), v = k < 3 ? link.corner(k, s) : i;
      const Int32 a = link.corner(k < 3 ? (k + 2) % 3 : 1, s), b = link.corner(k < 3 ? (k + 1) % 3 : 2, s);
      const Link around = link_of(stars, center);
      const Int32 beside = row_of(stars, index, center, around, triangle_at(around, a, b), cell_of);
      int place = 0;
      while (cells[4 * row + place] != (v == NONE ? (Int32)NONE : index[v])) ++place;
      if (lane() == 0) neighbors[4 * row + place] = beside;
    }
  }
}
#if ON_GPU
extern "C" __global__ void __launch_bounds__(STAR_THREADS) find_neighbors_by_team(
    Index n_stars, const Real* sites, Index is_small, Int32* heads, Int32* links, const Int32* index, const Int32* cells,
    const Int32* cell_of, Int32* neighbors) {
  if (warp() < n_stars) find_neighbors({{sites, is_small}, heads, links}, index, (Int32)warp(), cells, cell_of, neighbors);
}
#else
ROW_KERNEL(find_neighbors_by_team, (Index n_stars, const Real* sites, Index is_small, Int32* heads, Int32* links,
                                    const Int32* index, const Int32* cells, const Int32* cell_of, Int32* neighbors),
           find_neighbors({{sites, is_small}, heads, links}, index, (Int32)i, cells, cell_of, neighbors))
#endif

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
