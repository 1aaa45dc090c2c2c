// GPU form of list_neighbors: one warp per ball, whose lanes are the balls of the 27 cells around it.
//
// Rows and their order are the same: a vote assigns places to the lanes that meet the ball. For counting,
// one thread per ball is faster.
#pragma once
#include "alpha/ball_neighbors.h"

#if ON_GPU
enum { NEIGHBOR_THREADS = 128, WARPS_OF_BALLS = 4 };
constexpr Word ALL_LANES = ~0u;

// The 9 runs of balls in the 27 cells about one: run r begins at `begin` of lane r.
struct Runs {
  Int32 begin, end_in_all;  // of this lane's run, the latter counted over all runs before and this one
  Int32 total;
};
ITEM Runs runs_about(const Ball& ball, int lane, const BallGrid& grid, const Index* cells) {
  const Int32 cx = cell_along(ball.x, grid.x, grid.edge), cy = cell_along(ball.y, grid.y, grid.edge),
              cz = cell_along(ball.z, grid.z, grid.edge);
  const Int32 x0 = cx ? cx - 1 : 0, x1 = cx + 1 < grid.nx ? cx + 1 : cx;
  const Int32 z = cz - 1 + lane / 3, y = cy - 1 + lane % 3;
  Int32 begin = 0, length = 0;
  if (lane < 9 && z >= 0 && z < grid.nz && y >= 0 && y < grid.ny) {
    begin = (Int32)cells[cell_index(grid, x0, y, z)];
    length = (Int32)cells[cell_index(grid, x1, y, z) + 1] - begin;
  }
  Int32 sum = length;
  UNROLL for (int apart = 1; apart < 16; apart <<= 1) {
    const Int32 before = __shfl_up_sync(ALL_LANES, sum, apart);
    if (lane >= apart) sum += before;
  }
  return {begin - (sum - length), sum, __shfl_sync(ALL_LANES, sum, 8)};
}
// Calls visit(place or -1) in all lanes at once, for 32 consecutive balls.
template <class Visit>
ITEM void for_candidates_by_warp(Index place, int lane, const BallGrid& grid, const Int32* sorted, const Index* cells,
                                 Visit visit) {
  const Ball ball = ball_at(sorted, place);
  const Runs runs = runs_about(ball, lane, grid, cells);
  for (Int32 first = 0; first < runs.total; first += 32) {
    const Int32 candidate = first + lane;
    int run = 0;
    UNROLL for (int r = 0; r < 8; ++r) run += candidate >= __shfl_sync(ALL_LANES, runs.end_in_all, r);
    const Index k = __shfl_sync(ALL_LANES, runs.begin, run) + candidate;
    const bool is_met = candidate < runs.total && k != place && meets(ball, ball_at(sorted, k));
    visit(is_met ? k : (Index)-1);
  }
}

// Like put_nearest_first: each step selects the first of the nearest among the rest.
ITEM void put_nearest_first_by_warp(Index begin, Index end, int lane, Int32* neighbor, Int32* spokes) {
  if (end - begin <= LONG_BALL_ROW) return;
  __syncwarp();
  for (Index to = begin; to < begin + N_NEAREST; ++to) {
    Real least = 1e300;
    Index nearest = end;
    for (Index k = to + lane; k < end; k += 32) {
      const Spoke spoke = spoke_at(spokes, k, 0);
      const Real squared = dot(spoke, spoke);
      if (squared < least) least = squared, nearest = k;
    }
    UNROLL for (int apart = 16; apart; apart >>= 1) {
      const Real other = __shfl_xor_sync(ALL_LANES, least, apart);
      const Index at = __shfl_xor_sync(ALL_LANES, nearest, apart);
      if (other < least || (other == least && at < nearest)) least = other, nearest = at;
    }
    if (lane == 0) swap_neighbors(to, nearest, neighbor, spokes);
    __syncwarp();
  }
}

ITEM void list_meeting_by_warp(Index place, int lane, const BallGrid& grid, const Int32* balls, const Int32* sorted,
                               const Int32* sorted_ids, const Index* cells, const Index* rows, Int32* row_of,
                               Int32* neighbor, Int32* spokes, Byte* is_gabriel) {
  const Int32 id = sorted_ids[place];
  const Ball ball = ball_at(balls, id);
  const Word before = ((Word)1 << lane) - 1;
  Index at = rows[id];
  bool is_violated = false;
  for_candidates_by_warp(place, lane, grid, sorted, cells, [&](Index k) {
    const Word met = __ballot_sync(ALL_LANES, k >= 0);
    if (k >= 0) {
      const Int32 other = sorted_ids[k];
      const Spoke spoke = spoke_between(ball, ball_at(balls, other), other);
      const Index slot = at + population(met & before);
      row_of[slot] = id;
      neighbor[slot] = other;
      put_spoke(spoke, spokes, slot);
      is_violated |= violates_vertex(id, spoke);
    }
    at += population(met);
  });
  const bool is_empty = !__any_sync(ALL_LANES, is_violated);
  put_nearest_first_by_warp(rows[id], at, lane, neighbor, spokes);
  if (lane == 0) is_gabriel[id] = is_empty;
}
extern "C" __global__ void __launch_bounds__(NEIGHBOR_THREADS) list_neighbors_by_warp(
    Index n_left, BallGrid grid, const Int32* balls, const Int32* sorted, const Int32* sorted_ids, const Index* cells,
    const Index* rows, Int32* row_of, Int32* neighbor, Int32* spokes, Byte* is_gabriel) {
  const Index place = blockIdx.x * (Index)WARPS_OF_BALLS + threadIdx.x / 32;
  if (place >= n_left) return;
  list_meeting_by_warp(place, (int)(threadIdx.x & 31), grid, balls, sorted, sorted_ids, cells, rows, row_of, neighbor,
                       spokes, is_gabriel);
}
#endif
