// Loops and prefix sums within a kernel whose blocks are all resident (barrier.h); each block sums one run of numbers. On
// the host, one thread runs such a kernel.
#pragma once
#include "common/barrier.h"

enum { RESIDENT_THREADS = 256, RESIDENT_WARPS = 8 };
#if ON_GPU
ITEM Index resident_thread() { return blockIdx.x * (Index)RESIDENT_THREADS + threadIdx.x; }
ITEM Index n_resident_threads() { return gridDim.x * (Index)RESIDENT_THREADS; }
// The sum of the values of all lower threads of the block and this one; `total`, that of all threads.
ITEM Index sum_up_to_thread(Index value, Index* total) {
  __shared__ Index of_warp[RESIDENT_WARPS];
  const int lane = (int)(threadIdx.x & 31), w = (int)(threadIdx.x / 32);
  UNROLL for (int step = 1; step < 32; step *= 2) {
    const Index lower = __shfl_up_sync(~0u, value, step);
    value += lane >= step ? lower : 0;
  }
  __syncthreads();  // the last sums were read
  if (lane == 31) of_warp[w] = value;
  __syncthreads();
  Index before = 0, all = 0;
  UNROLL for (int k = 0; k < RESIDENT_WARPS; ++k) {
    before += k < w ? of_warp[k] : 0;
    all += of_warp[k];
  }
  *total = all;
  return before + value;
}
// In: counts (n,). Out: sums (n + 1,), each of the counts before it, after the next barrier; of_blocks (gridDim.x,) are
// temporary. All threads call it.
template <class Count>
ITEM void sum_resident(Index n, const Count* counts, Index* sums, Index* of_blocks, Wide* n_arrived) {
  const Index run = ((n + gridDim.x - 1) / gridDim.x + RESIDENT_THREADS - 1) / RESIDENT_THREADS * RESIDENT_THREADS;
  const Index first = run * blockIdx.x, end = first + run < n ? first + run : n;
  Index own = 0, total;
  for (Index i = first + threadIdx.x; i < end; i += RESIDENT_THREADS) own += (Index)counts[i];
  sum_up_to_thread(own, &total);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = total;
  barrier(n_arrived);
  own = 0;
  for (Index k = threadIdx.x; k < blockIdx.x; k += RESIDENT_THREADS) own += peek(of_blocks + k);
  Index before;
  sum_up_to_thread(own, &before);
  if (blockIdx.x == 0 && threadIdx.x == 0) sums[0] = 0;
  for (Index start = first; start < end; start += RESIDENT_THREADS) {
    const Index i = start + threadIdx.x;
    const Index upto = before + sum_up_to_thread(i < end ? (Index)counts[i] : 0, &total);
    if (i < end) sums[i + 1] = upto;
    before += total;
  }
}
#else
ITEM Index resident_thread() { return 0; }
ITEM Index n_resident_threads() { return 1; }
template <class Count> ITEM void sum_resident(Index n, const Count* counts, Index* sums, Index*, Wide*) {
  sums[0] = 0;
  for (Index i = 0; i < n; ++i) sums[i + 1] = sums[i] + (Index)counts[i];
}
#endif
// Calls body(i) for the items 0 to n - 1, once each.
template <class Body> ITEM void for_items(Index n, Body body) {
  for (Index i = resident_thread(); i < n; i += n_resident_threads()) body(i);
}
