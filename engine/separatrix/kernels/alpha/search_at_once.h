// GPU form of the search for small numbers of balls: the steps of stars.py in five launches, because each launch and
// each allocation of the other form takes longer than its work. All arrays are in two blocks of memory.
//
// Sizes that are known only in the middle of a launch have a bound: if there are more than `most` candidates, the
// search stops, and is repeated with more room.
#pragma once
#include "alpha/neighbors_by_warp.h"
#include "alpha/tables.h"
#include "common/resident_sums.h"

// Bytes of the rooms, by which the caller allocates them, at least as many as the fields below take.
enum { CELL_ROOM_PER_BALL = 40, CELL_ROOM_PER_CELL = 16 };
enum { ROOM_PER_BALL = 44, ROOM_PER_EDGE_SLOT = 88, ROOM_PER_CANDIDATE = 65 };
enum { MOST_RESIDENT = 4096 };  // blocks
enum { ROOM_OF_BLOCKS = 65536 };  // their sums, and the alignment of all arrays

struct Taking {
  Byte* at;
  template <class T> ITEM_MEMBER T* take(Index n) {
    T* const taken = (T*)at;
    at += (n * (Index)sizeof(T) + 255) / 256 * 256;
    return taken;
  }
};
struct CellRoom {
  Index *of_blocks, *n_in_cell, *cells, *rows;
  Int32 *cell_of, *unordered, *sorted, *ids, *n_neighbors;
};
ITEM CellRoom cell_room(Byte* block, const BallGrid& grid, Index n) {
  const Index n_cells = (Index)grid.nx * grid.ny * grid.nz;
  Taking room = {block};
  CellRoom all;
  all.of_blocks = room.take<Index>(MOST_RESIDENT);
  all.n_in_cell = room.take<Index>(n_cells);
  all.cells = room.take<Index>(n_cells + 1);
  all.rows = room.take<Index>(n + 1);
  all.cell_of = room.take<Int32>(n);
  all.unordered = room.take<Int32>(n);
  all.sorted = room.take<Int32>(4 * n);
  all.ids = room.take<Int32>(n);
  all.n_neighbors = room.take<Int32>(n);
  return all;
}

ITEM void count_resident(const BallGrid& grid, Index n, Index n_left, const Int32* balls, Byte* block, Index* summary) {
  const CellRoom room = cell_room(block, grid, n);
  Wide* const arrived = (Wide*)(summary + ARRIVED_TO_COUNT);
  for_items(n, [&](Index i) { enter_cell(i, grid, balls, room.cell_of, room.n_in_cell); });
  barrier(arrived);
  sum_resident((Index)grid.nx * grid.ny * grid.nz, room.n_in_cell, room.cells, room.of_blocks, arrived);
  barrier(arrived);
  for_items(n, [&](Index i) { fill_cell(i, room.cell_of, room.cells, room.n_in_cell, room.unordered); });
  barrier(arrived);
  for_items(n_left, [&](Index i) {
    order_cell(i, balls, room.cell_of, room.cells, room.unordered, room.sorted, room.ids);
  });
  barrier(arrived);
  for_items(n_left, [&](Index i) {
    count_meeting(i, grid, room.sorted, room.ids, room.cells, room.n_neighbors, summary);
  });
  barrier(arrived);
  sum_resident(n, room.n_neighbors, room.rows, room.of_blocks, arrived);
}

struct StarRoom {
  Index *of_blocks, *n_edges_of, *edge_rows, *triangles, *n_kept, *scan;
  Wide *edge_size, *vertex_size;
  Real *size, *tet_size;
  Int32 *spokes, *row_of, *neighbor, *edge_spokes, *edge_row_of, *edge_to, *n_triangles_of, *sides, *bounds, *undecided;
  Byte *flags, *is_gabriel, *is_gabriel_edge, *has_coface, *is_open, *vertex_has_coface, *is_open_vertex, *state;

  ITEM_MEMBER Edges edges() const {
    return {{edge_rows, edge_row_of, edge_to, edge_spokes}, is_gabriel_edge, edge_size, has_coface, is_open};
  }
  ITEM_MEMBER Vertices vertices() const { return {is_gabriel, vertex_size, vertex_has_coface, is_open_vertex}; }
};
ITEM StarRoom star_room(Byte* block, Index n, Index n_slots, Index most) {
  Taking room = {block};
  StarRoom all;
  all.of_blocks = room.take<Index>(MOST_RESIDENT);
  all.n_edges_of = room.take<Index>(n);
  all.edge_rows = room.take<Index>(n + 1);
  all.triangles = room.take<Index>(n_slots + 1);
  all.n_kept = room.take<Index>(n + n_slots + most);
  all.scan = room.take<Index>(n + n_slots + most + 1);
  all.edge_size = room.take<Wide>(n_slots);
  all.vertex_size = room.take<Wide>(n);
  all.size = room.take<Real>(most);
  all.tet_size = room.take<Real>(2 * most);
  all.spokes = room.take<Int32>(4 * n_slots);
  all.row_of = room.take<Int32>(n_slots);
  all.neighbor = room.take<Int32>(n_slots);
  all.edge_spokes = room.take<Int32>(4 * n_slots);
  all.edge_row_of = room.take<Int32>(n_slots);
  all.edge_to = room.take<Int32>(n_slots);
  all.n_triangles_of = room.take<Int32>(n_slots);
  all.sides = room.take<Int32>(3 * most);
  all.bounds = room.take<Int32>(2 * most);
  all.undecided = room.take<Int32>(most);
  all.flags = room.take<Byte>(n_slots);
  all.is_gabriel = room.take<Byte>(n);
  all.is_gabriel_edge = room.take<Byte>(n_slots);
  all.has_coface = room.take<Byte>(n_slots);
  all.is_open = room.take<Byte>(n_slots);
  all.vertex_has_coface = room.take<Byte>(n);
  all.is_open_vertex = room.take<Byte>(n);
  all.state = room.take<Byte>(most);
  return all;
}

// Rows of neighbors, on a GPU with a warp per ball.
ITEM void list_meeting_resident(const BallGrid& grid, Index n_left, const Int32* balls, const CellRoom& near,
                                const StarRoom& room) {
#if ON_GPU
  for (Index place = resident_thread() / 32; place < n_left; place += n_resident_threads() / 32)
    list_meeting_by_warp(place, (int)(threadIdx.x & 31), grid, balls, near.sorted, near.ids, near.cells, near.rows,
                         room.row_of, room.neighbor, room.spokes, room.is_gabriel);
#else
  for (Index place = 0; place < n_left; ++place)
    list_meeting(place, grid, balls, near.sorted, near.ids, near.cells, near.rows, room.row_of, room.neighbor,
                 room.spokes, room.is_gabriel, nullptr);
#endif
}
// Rows of neighbors and of edges.
ITEM void list_resident(const BallGrid& grid, Index n, Index n_left, Index n_slots, Int32 optimizations,
                        const SignErrors& errors, const Int32* balls, const CellRoom& near, const StarRoom& room,
                        Wide* arrived, Index* summary) {
  for_items(n, [&](Index i) {
    room.n_edges_of[i] = 0;
    room.vertex_size[i] = NO_SIZE;
    room.vertex_has_coface[i] = room.is_open_vertex[i] = 0;
    if (ball_at(balls, i).squared < 0) room.is_gabriel[i] = 0;
  });
  list_meeting_resident(grid, n_left, balls, near, room);
  barrier(arrived);
  for_items(n_slots, [&](Index slot) {
    test_edge(slot, balls, near.rows, room.row_of, room.neighbor, room.spokes, optimizations, errors, room.flags,
              room.n_edges_of, summary);
  });
  barrier(arrived);
  sum_resident(n, room.n_edges_of, room.edge_rows, room.of_blocks, arrived);
  barrier(arrived);
  for_items(n_slots, [&](Index slot) {
    list_edge(slot, near.rows, room.row_of, room.neighbor, room.spokes, room.flags, room.edge_rows, room.edge_row_of,
              room.edge_to, room.edge_spokes, room.is_gabriel_edge, room.edge_size, room.has_coface, room.is_open);
  });
  barrier(arrived);
}

ITEM Clipping clipping_in(Index c, const Int32* balls, const CellRoom& near, const StarRoom& room) {
  const Int32 center = room.edge_row_of[room.sides[3 * c]];
  return clipping_of(room.sides + 3 * c, balls,
                     {center, near.rows[center], near.rows[center + 1], room.neighbor, room.spokes}, room.is_gabriel,
                     room.edges().rows);
}
ITEM void search_resident(const BallGrid& grid, Index n, Index n_left, Index n_slots, Index most, Int32 optimizations,
                          const SignErrors& errors, const Int32* balls, Byte* cells, Byte* block, Index* summary) {
  const CellRoom near = cell_room(cells, grid, n);
  const StarRoom room = star_room(block, n, n_slots, most);
  Wide* const arrived = (Wide*)(summary + ARRIVED_TO_SEARCH);
  list_resident(grid, n, n_left, n_slots, optimizations, errors, balls, near, room, arrived, summary);
  const Index n_edges = room.edge_rows[n];
  for_items(n_edges, [&](Index slot) {
    count_common_ends(slot, n, room.edge_rows, room.edge_row_of, room.edge_to, room.n_triangles_of);
  });
  barrier(arrived);
  sum_resident(n_edges, room.n_triangles_of, room.triangles, room.of_blocks, arrived);
  barrier(arrived);
  const Index n_candidates = room.triangles[n_edges];
  if (resident_thread() == 0) summary[N_EDGE_SLOTS] = n_edges, summary[N_CANDIDATES] = n_candidates;
  if (n_candidates > most) {  // edges will be tested once more
    for_items(N_PARTIAL_SUMS, [&](Index k) { summary[N_EXACT_EDGE_SIGNS + k] = 0; });
    return;
  }
  for_items(n_edges, [&](Index slot) {
    list_common_ends(slot, room.edge_rows, room.edge_row_of, room.edge_to, room.triangles, room.sides);
  });
  barrier(arrived);
  for_items(n_candidates, [&](Index c) {
    clip_triangle(c, clipping_in(c, balls, near, room), optimizations, errors, {room.state, room.bounds},
                  summary + N_UNDECIDED, room.undecided);
  });
}
// Exact signs need twice as many registers, with which the others would be slower.
ITEM void decide_resident(const BallGrid& grid, Index n, Index n_slots, Index most, Int32 optimizations,
                          const SignErrors& errors, const Int32* balls, Byte* cells, Byte* block, Index* summary) {
  const CellRoom near = cell_room(cells, grid, n);
  const StarRoom room = star_room(block, n, n_slots, most);
  for_items(summary[N_UNDECIDED], [&](Index place) {
    const Index c = room.undecided[place];
    room.state[c] = decided_state(clipping_in(c, balls, near, room), optimizations,
                                  {errors, counter_of(summary, N_EXACT_SIGNS, c)}, room.bounds + 2 * c);
  });
}
ITEM void measure_resident(Index n, Index n_slots, Index most, const Measure& measure, const Int32* balls, Byte* block,
                           Index* summary) {
  const StarRoom room = star_room(block, n, n_slots, most);
  Wide* const arrived = (Wide*)(summary + ARRIVED_TO_MEASURE);
  const Index n_edges = room.edge_rows[n], n_candidates = room.triangles[n_edges];
  if (n_candidates > most) return;
  Index *const edge_kept = room.n_kept + n, *const kept = edge_kept + n_edges;
  Index n_small = 0;
  for_items(n_candidates, [&](Index c) {
    n_small += (room.state[c] & IS_SMALL_ENOUGH) != 0;
    measure_triangle(c, room.sides + 3 * c, balls, room.state[c], measure, room.edges(),
                     {kept, room.size, room.bounds, room.tet_size});
  });
  if (n_small) add_to(counter_of(summary, N_SMALL_ENOUGH, resident_thread()), n_small);
  barrier(arrived);
  for_items(n_edges, [&](Index slot) { settle_edge(slot, n, balls, room.edges(), room.vertices(), measure, edge_kept); });
  barrier(arrived);
  for_items(n, [&](Index i) { settle_vertex(i, balls, room.is_gabriel, measure, room.vertex_size, room.n_kept); });
  barrier(arrived);
  sum_resident(n + n_edges + n_candidates, room.n_kept, room.scan, room.of_blocks, arrived);
  barrier(arrived);
  if (resident_thread() == 0)
    for (int k = 0; k < 3; ++k)
      summary[ENDS_OF_KEPT + k] = room.scan[n + (k > 0 ? n_edges : 0) + (k > 1 ? n_candidates : 0)];
}
ITEM void fill_resident(Index n, Index n_slots, Index most, Byte* block, const FoundTables& to) {
  const StarRoom room = star_room(block, n, n_slots, most);
  const Index n_edges = room.edge_rows[n], n_candidates = room.triangles[n_edges];
  for_items(n + n_edges + n_candidates, [&](Index i) {
    fill_row(i, n, n_edges, room.scan, room.vertices(), room.edges(), room.triangles, room.sides, room.state,
             {nullptr, room.size, room.bounds, room.tet_size}, to);
  });
}

// === entry points
// In: grid, balls (n, 4), of which n_left have not vanished; room, zeros. Out: rows of neighbors in the room, and their
// numbers in the summary.
#define COUNT_AT_ONCE count_resident(grid, n, n_left, balls, room, summary)
// In: as count_at_once, whose room is `cells`; n_slots, the number of neighbors of all balls; settings as those of
// test_edges and measure_triangles. Out: all that fill_at_once reads, in `room`, and numbers in the summary.
#define SEARCH_AT_ONCE \
  search_resident(grid, n, n_left, n_slots, most, optimizations, errors, balls, cells, room, summary)
#define DECIDE_AT_ONCE decide_resident(grid, n, n_slots, most, optimizations, errors, balls, cells, room, summary)
#define MEASURE_AT_ONCE measure_resident(n, n_slots, most, {alpha, unit}, balls, room, summary)
// In: the room of search_at_once, n_slots, and `most`. Out: tables.
#define FILL_AT_ONCE fill_resident(n, n_slots, most, room, {at, tables, edge_facets, triangle_facets, tet_facets})
#if ON_GPU
extern "C" __global__ void __launch_bounds__(RESIDENT_THREADS) count_at_once(
    BallGrid grid, Index n, Index n_left, const Int32* balls, Byte* room, Index* summary) {
  COUNT_AT_ONCE;
}
extern "C" __global__ void __launch_bounds__(RESIDENT_THREADS, 3) search_at_once(
    BallGrid grid, Index n, Index n_left, Index n_slots, Index most, Int32 optimizations, SignErrors errors,
    const Int32* balls, Byte* cells, Byte* room, Index* summary) {
  SEARCH_AT_ONCE;
}
extern "C" __global__ void __launch_bounds__(RESIDENT_THREADS) decide_at_once(
    BallGrid grid, Index n, Index n_slots, Index most, Int32 optimizations, SignErrors errors, const Int32* balls,
    Byte* cells, Byte* room, Index* summary) {
  DECIDE_AT_ONCE;
}
extern "C" __global__ void __launch_bounds__(RESIDENT_THREADS, 3) measure_at_once(
    Index n, Index n_slots, Index most, Index alpha, SquaredUnit unit, const Int32* balls, Byte* room, Index* summary) {
  MEASURE_AT_ONCE;
}
extern "C" __global__ void __launch_bounds__(RESIDENT_THREADS) fill_at_once(
    Index n, Index n_slots, Index most, Byte* room, TableStarts at, Byte* tables, Int32* edge_facets,
    Int32* triangle_facets, Int32* tet_facets) {
  FILL_AT_ONCE;
}
#else
COARSE_KERNEL(count_at_once, (BallGrid grid, Index n, Index n_left, const Int32* balls, Byte* room, Index* summary),
              COUNT_AT_ONCE)
COARSE_KERNEL(search_at_once, (BallGrid grid, Index n, Index n_left, Index n_slots, Index most, Int32 optimizations,
                               SignErrors errors, const Int32* balls, Byte* cells, Byte* room, Index* summary),
              SEARCH_AT_ONCE)
COARSE_KERNEL(decide_at_once, (BallGrid grid, Index n, Index n_slots, Index most, Int32 optimizations,
                               SignErrors errors, const Int32* balls, Byte* cells, Byte* room, Index* summary),
              DECIDE_AT_ONCE)
COARSE_KERNEL(measure_at_once, (Index n, Index n_slots, Index most, Index alpha, SquaredUnit unit, const Int32* balls,
                                Byte* room, Index* summary),
              MEASURE_AT_ONCE)
COARSE_KERNEL(fill_at_once, (Index n, Index n_slots, Index most, Byte* room, TableStarts at, Byte* tables,
                             Int32* edge_facets, Int32* triangle_facets, Int32* tet_facets),
              FILL_AT_ONCE)
#endif
