// The barrier of kernels whose blocks are all resident (launched cooperatively). On the host, one thread runs such a kernel.
#pragma once
#include "common/types.h"

enum { BARRIER_WORDS = 33 };
#if ON_GPU
// Returns when all threads of the kernel have called it; they then see what the others wrote before. Blocks wait for a number
// in another cache line than the one that counts them, which would delay the count. n_arrived (BARRIER_WORDS,).
ITEM void barrier(Wide* n_arrived) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const Wide before = atomicAdd(n_arrived, (Wide)1), n = gridDim.x, turn = before / n + 1;
    volatile Wide* const n_passed = n_arrived + BARRIER_WORDS - 1;
    if (before + 1 == turn * n) {
      __threadfence();
      *n_passed = turn;
    } else {
      while (*n_passed < turn) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}
#else
ITEM void barrier(Wide*) {}
#endif
