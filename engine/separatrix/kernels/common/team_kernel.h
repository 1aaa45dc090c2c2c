// TEAM_KERNEL: a kernel whose threads, at most `threads` per block, share all the work, with barriers between its steps.
// On a GPU, all of its blocks are resident; on the host, one item is the whole work, and the thread has one lane.
#pragma once
#include "common/team.h"

#if ON_GPU
  #define TEAM_KERNEL(name, params, threads, ...) \
    extern "C" __global__ void __launch_bounds__(threads) name(UNPAREN params) { __VA_ARGS__; }
#else
  #define TEAM_KERNEL(name, params, threads, ...) COARSE_KERNEL(name, params, __VA_ARGS__)
#endif
