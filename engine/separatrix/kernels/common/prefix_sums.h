// Prefix sums on a GPU in one pass; on the CPU, NumPy computes them.
//
// Each tile publishes its own sum, then adds those of the tiles before it, back to the nearest one that has published the
// sum of all up to its end (Merrill, Garland 2016: decoupled look-back). Tiles are numbered in the order in which
// they start, so that none waits for one that has not started.
#pragma once
#include "common/team.h"

enum { SCAN_TILE = 2048 };  // numbers
enum { SCAN_THREADS = 256, SCAN_WARPS = 8, SCAN_ROUNDS = 8 };
enum { UNPUBLISHED, OWN_SUM, FULL_SUM };  // states of a tile

#if ON_GPU
// A tile: its state, its own sum, and the full sum.
ITEM void publish_sum(Index* tile, Index state, Index sum) {
  tile[state] = sum;
  __threadfence();
  *(volatile Index*)tile = state;
}
// The sum before a tile, by one warp.
ITEM Index sum_before_tile(const Index* tiles, Index tile) {
  Index before = 0;
  for (Index last = tile - 1; last >= 0; last -= LANES) {
    const Index other = last - lane();
    const Index* at = tiles + 3 * (other < 0 ? 0 : other);
    Index state = FULL_SUM;
    do
      if (other >= 0) state = peek(at);
    while (any_lane(state == UNPUBLISHED));
    __threadfence();
    const Word full = __ballot_sync(~0u, state == FULL_SUM);
    const int nearest = full ? lowest_bit(full) : LANES - 1;
    before += sum_of_lanes(other >= 0 && lane() <= nearest ? peek(at + state) : 0);
    if (full) break;
  }
  return before;
}
// In: counts (n,); tiles (1 + 3 * blocks,), zeros. Out: sums (n + 1,), each of the counts before it.
extern "C" __global__ void __launch_bounds__(SCAN_THREADS) scan_tiles(
    Index n, const SEPARATRIX_VALUE* counts, Index* tiles, Index* sums) {
  __shared__ Index tile, before_tile, of_warp[SCAN_WARPS];
  if (threadIdx.x == 0) tile = add_to(tiles, 1);
  __syncthreads();
  const Index w = warp_of_block(), first = tile * SCAN_TILE + w * (LANES * SCAN_ROUNDS) + lane();
  Index upto[SCAN_ROUNDS], all = 0;  // within the warp
  for (int k = 0; k < SCAN_ROUNDS; ++k) {
    const Index i = first + k * LANES;
    Index sum = i < n ? (Index)counts[i] : 0;
    for (int step = 1; step < LANES; step *= 2) {
      const Index lower = __shfl_up_sync(~0u, sum, step);
      sum += lane() >= step ? lower : 0;
    }
    upto[k] = all + sum;
    all += __shfl_sync(~0u, sum, LANES - 1);
  }
  if (lane() == 0) of_warp[w] = all;
  __syncthreads();
  if (w == 0) {
    Index* own = tiles + 1 + 3 * tile;
    Index sum = 0;
    for (int k = 0; k < SCAN_WARPS; ++k) sum += of_warp[k];
    if (lane() == 0) publish_sum(own, OWN_SUM, sum);
    const Index before = sum_before_tile(tiles + 1, tile);
    if (lane() == 0) publish_sum(own, FULL_SUM, before + sum), before_tile = before;
  }
  __syncthreads();
  Index before = before_tile;
  for (int k = 0; k < w; ++k) before += of_warp[k];
  for (int k = 0; k < SCAN_ROUNDS; ++k)
    if (first + k * LANES < n) sums[first + k * LANES + 1] = before + upto[k];
  if (tile == 0 && threadIdx.x == 0) sums[0] = 0;
}
#endif
