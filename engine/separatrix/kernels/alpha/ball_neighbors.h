// Neighbors: balls in the cells of a uniform grid, and for each ball all balls that it meets.
//
// N(i) = {j: |p_i - p_j| <= R_i + R_j} contains all partners and violators of the simplices of the alpha
// complex that contain i. Radii are rounded up, so N(i) may contain a few more, which does not matter.
// Cells have edges of at least 2 R_max + 2, so the 27 cells around a ball contain its neighbors; they form
// 9 runs, because cells are numbered along x. Within a cell, balls are in the order of their indices.
#pragma once
#include "alpha/predicates.h"
#include "alpha/snapping.h"

struct BallGrid {
  Int32 x, y, z, edge, nx, ny, nz;
};

ITEM Int32 cell_along(Int32 x, Int32 origin, Int32 edge) { return (Int32)(((Word)x - (Word)origin) / (Word)edge); }
ITEM Int32 cell_index(const BallGrid& grid, Int32 cx, Int32 cy, Int32 cz) { return (cz * grid.ny + cy) * grid.nx + cx; }

// cell_of is NONE for a ball that has vanished.
ITEM void enter_cell(Index i, const BallGrid& grid, const Int32* balls, Int32* cell_of, Index* n_in_cell) {
  Ball ball = ball_at(balls, i);
  cell_of[i] = NONE;
  if (ball.squared < 0) return;
  Int32 cell = cell_index(grid, cell_along(ball.x, grid.x, grid.edge), cell_along(ball.y, grid.y, grid.edge),
                          cell_along(ball.z, grid.z, grid.edge));
  cell_of[i] = cell;
  add_to(n_in_cell + cell, 1);
}
KERNEL(enter_cells, (BallGrid grid, const Int32* balls, Int32* cell_of, Index* n_in_cell),
       enter_cell(i, grid, balls, cell_of, n_in_cell))

// Counting sort; balls within a cell are not yet in order.
ITEM void fill_cell(Index i, const Int32* cell_of, const Index* cells, Index* n_in_cell, Int32* unordered) {
  if (cell_of[i] < 0) return;
  unordered[cells[cell_of[i]] + add_to(n_in_cell + cell_of[i], -1) - 1] = (Int32)i;
}
KERNEL(fill_cells, (const Int32* cell_of, const Index* cells, Index* n_in_cell, Int32* unordered),
       fill_cell(i, cell_of, cells, n_in_cell, unordered))

ITEM Int32 root_above(Int32 squared) {
#if ON_GPU
  Int32 root = (Int32)sqrt((Real)squared);
#else
  Int32 root = (Int32)__builtin_sqrt((Real)squared);
#endif
  return root + ((Index)root * root < squared);
}
// sorted (m, 4): x, y, z and R rounded up, by cell and index; sorted_ids (m,). Items are places.
ITEM void order_cell(Index place, const Int32* balls, const Int32* cell_of, const Index* cells, const Int32* unordered,
                     Int32* sorted, Int32* sorted_ids) {
  Int32 id = unordered[place], cell = cell_of[id];
  Index begin = cells[cell], to = begin;
  for (Index k = begin; k < cells[cell + 1]; ++k) to += unordered[k] < id;
  Ball ball = ball_at(balls, id);
  Int32 radius = root_above(ball.squared);
  sorted[4 * to] = ball.x, sorted[4 * to + 1] = ball.y, sorted[4 * to + 2] = ball.z, sorted[4 * to + 3] = radius;
  sorted_ids[to] = id;
}
KERNEL(order_cells, (const Int32* balls, const Int32* cell_of, const Index* cells, const Int32* unordered,
                     Int32* sorted, Int32* sorted_ids),
       order_cell(i, balls, cell_of, cells, unordered, sorted, sorted_ids))

ITEM bool meets(const Ball& a, const Ball& b) {
  const Index dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z, reach = a.squared + b.squared;
  return dx * dx + dy * dy + dz * dz <= reach * reach;
}
// Calls visit(place, whether it meets the ball at `place`) for each ball around that one, in the order of cells.
template <class Visit>
ITEM void for_balls_around(Index place, const BallGrid& grid, const Int32* sorted, const Index* cells, Visit visit) {
  Ball ball = ball_at(sorted, place);
  Int32 cx = cell_along(ball.x, grid.x, grid.edge), cy = cell_along(ball.y, grid.y, grid.edge),
        cz = cell_along(ball.z, grid.z, grid.edge);
  Int32 x0 = cx ? cx - 1 : 0, x1 = cx + 1 < grid.nx ? cx + 1 : cx;
  for (Int32 z = cz ? cz - 1 : 0; z <= cz + 1 && z < grid.nz; ++z)
    for (Int32 y = cy ? cy - 1 : 0; y <= cy + 1 && y < grid.ny; ++y) {
      Index end = cells[cell_index(grid, x1, y, z) + 1];
      for (Index k = cells[cell_index(grid, x0, y, z)]; k < end; ++k)
        visit(k, (k != place) & meets(ball, ball_at(sorted, k)));
    }
}
template <class Visit>
ITEM void for_neighbors(Index place, const BallGrid& grid, const Int32* sorted, const Index* cells, Visit visit) {
  for_balls_around(place, grid, sorted, cells, [&](Index k, bool is_met) {
    if (is_met) visit(k);
  });
}
ITEM void count_meeting(Index place, const BallGrid& grid, const Int32* sorted, const Int32* sorted_ids,
                        const Index* cells, Int32* n_neighbors, Index* summary) {
  Index n = 0;
  for_balls_around(place, grid, sorted, cells, [&](Index, bool is_met) { n += is_met; });
  n_neighbors[sorted_ids[place]] = (Int32)n;
  raise_to(summary + MOST_MEETING, n);
  add_to(counter_of(summary, N_NEIGHBORS, place), n);
  add_to(counter_of(summary, N_TESTS, place), n * n);
}
// For the CPU: the first neighbors of each ball are kept in met (n_left, MET_ROW), and the summary is not counted,
// because threads would wait for each other. Branches on is_met could not be predicted.
enum { MOST_MET = 23, MET_ROW = 24 };
OUT_OF_LINE void keep_meeting(Index place, const BallGrid& grid, const Int32* sorted, const Int32* sorted_ids,
                       const Index* cells, Int32* n_neighbors, Int32* met) {
  Int32 n = 0, *const own = met + MET_ROW * place;
  for_balls_around(place, grid, sorted, cells, [&](Index k, bool is_met) {
    own[n < MOST_MET ? n : MOST_MET] = (Int32)k;
    n += is_met;
  });
  n_neighbors[sorted_ids[place]] = n;
}
KERNEL(count_neighbors, (BallGrid grid, const Int32* sorted, const Int32* sorted_ids, const Index* cells,
                          Int32* n_neighbors, Index* summary),
       count_meeting(i, grid, sorted, sorted_ids, cells, n_neighbors, summary))
KERNEL(keep_neighbors, (BallGrid grid, const Int32* sorted, const Int32* sorted_ids, const Index* cells,
                         Int32* n_neighbors, Int32* met),
       keep_meeting(i, grid, sorted, sorted_ids, cells, n_neighbors, met))

// In a long row the nearest balls come first, because most violators are among them.
enum { LONG_BALL_ROW = 64, N_NEAREST = 12 };

// Swaps balls a and b of a row.
ITEM void swap_neighbors(Index a, Index b, Int32* neighbor, Int32* spokes) {
  const Int32 id = neighbor[b];
  const Spoke own = spoke_at(spokes, b, id);
  neighbor[b] = neighbor[a];
  put_spoke(spoke_at(spokes, a, id), spokes, b);
  neighbor[a] = id;
  put_spoke(own, spokes, a);
}
ITEM void put_nearest_first(Index begin, Index end, Int32* neighbor, Int32* spokes) {
  if (end - begin <= LONG_BALL_ROW) return;
  for (Index to = begin; to < begin + N_NEAREST; ++to) {
    Index nearest = to;
    Real least = 1e300;
    for (Index k = to; k < end; ++k) {
      const Spoke spoke = spoke_at(spokes, k, 0);
      const Real squared = dot(spoke, spoke);
      if (squared < least) least = squared, nearest = k;
    }
    swap_neighbors(to, nearest, neighbor, spokes);
  }
}

// Rows of N by ball, each in the order of cells, with their spokes, and which balls are Gabriel vertices.
ITEM void list_meeting(Index place, const BallGrid& grid, const Int32* balls, const Int32* sorted,
                       const Int32* sorted_ids, const Index* cells, const Index* rows, Int32* row_of, Int32* neighbor,
                       Int32* spokes, Byte* is_gabriel, const Int32* met) {
  Int32 id = sorted_ids[place];
  Ball ball = ball_at(balls, id);
  Index at = rows[id];
  bool is_empty = true;
  const auto list = [&](Index k) {
    Int32 other = sorted_ids[k];
    const Spoke spoke = spoke_between(ball, ball_at(balls, other), other);
    row_of[at] = id;
    put_spoke(spoke, spokes, at);
    neighbor[at++] = other;
    is_empty = is_empty && !violates_vertex(id, spoke);
  };
  const Index n = rows[id + 1] - at;
  if (!met || n > MOST_MET) for_neighbors(place, grid, sorted, cells, list);
  else for (Index k = 0; k < n; ++k) list(met[MET_ROW * place + k]);
  put_nearest_first(rows[id], at, neighbor, spokes);
  is_gabriel[id] = is_empty;
}
KERNEL(list_neighbors, (BallGrid grid, const Int32* balls, const Int32* sorted, const Int32* sorted_ids,
                         const Index* cells, const Index* rows, Int32* row_of, Int32* neighbor, Int32* spokes,
                         Byte* is_gabriel, const Int32* met),
       list_meeting(i, grid, balls, sorted, sorted_ids, cells, rows, row_of, neighbor, spokes, is_gabriel, met))
