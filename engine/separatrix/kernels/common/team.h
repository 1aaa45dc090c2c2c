// Warps of kernels, with barrier.h for those whose blocks are all resident. On the host, one thread with one lane runs
// such a kernel.
#pragma once
#include "common/barrier.h"

#if ON_GPU
  #define OUTLINE_MEMBER __device__ __noinline__
enum { LANES = 32 };
ITEM int lane() { return (int)(threadIdx.x % LANES); }
ITEM Index warp() { return (blockIdx.x * (Index)blockDim.x + threadIdx.x) / LANES; }
ITEM Index n_warps() { return gridDim.x * (Index)blockDim.x / LANES; }
ITEM void sync_lanes() { __syncwarp(); }
// How many lanes say yes, and how many of them precede this one. All lanes must call it.
ITEM Word count_lanes(bool yes, Word* before) {
  const Word all = __ballot_sync(~0u, yes);
  *before = (Word)population(all & ((1u << lane()) - 1));
  return (Word)population(all);
}
ITEM bool any_lane(bool yes) { return __any_sync(~0u, yes); }
// The first lane that says yes; at least one must.
ITEM int first_lane(bool yes) { return lowest_bit(__ballot_sync(~0u, yes)); }
// The lanes with the same value, as bits.
ITEM Word lanes_with(Word value) { return __match_any_sync(~0u, value); }
ITEM Word from_lane(int lane, Word value) { return __shfl_sync(~0u, value, lane); }
ITEM Word from_first_lane(Word value) { return __shfl_sync(~0u, value, 0); }
ITEM Index from_first_lane(Index value) { return __shfl_sync(~0u, value, 0); }
// The sum of the lanes' counts, at most 1 each, and the values of the first and the last lane that count one.
ITEM int gathered(int count, Word* first, Word* last) {
  const Word counting = __ballot_sync(~0u, count != 0);
  *first = __shfl_sync(~0u, *first, counting ? lowest_bit(counting) : 0);
  *last = __shfl_sync(~0u, *last, counting ? 31 - __clz((int)counting) : 0);
  return population(counting);
}
ITEM void sync_block() { __syncthreads(); }
ITEM Index thread_of_block() { return threadIdx.x; }
ITEM Index block() { return blockIdx.x; }
ITEM Index n_blocks() { return gridDim.x; }
ITEM Index warp_of_block() { return threadIdx.x / LANES; }
ITEM Index warps_of_block() { return blockDim.x / LANES; }
ITEM Index sum_of_lanes(Index value) {
  for (int half = LANES / 2; half; half /= 2) value += __shfl_xor_sync(~0u, value, half);
  return value;
}
template <class Value> ITEM Value least_of_lanes(Value value) {
  for (int half = LANES / 2; half; half /= 2) {
    const Value other = __shfl_xor_sync(~0u, value, half);
    value = other < value ? other : value;
  }
  return value;
}
ITEM Word add_to(Word* counter, Word amount) { return atomicAdd(counter, amount); }
// As next_place(Index*): the active lanes reserve theirs with one atomic addition.
ITEM Word next_place(Word* length) {
  const Word asking = __activemask(), first = (Word)lowest_bit(asking);
  Word begin = 0;
  if ((Word)lane() == first) begin = add_to(length, (Word)population(asking));
  return __shfl_sync(asking, begin, (int)first) + (Word)population(asking & ((1u << lane()) - 1));
}
ITEM void lower_to(Word* slot, Word value) { atomicMin(slot, value); }
ITEM void raise_to(Word* slot, Word value) { atomicMax(slot, value); }
ITEM void lower_to(Index* slot, Index value) { atomicMin(slot, value); }
ITEM Word exchange(Word* slot, Word value) { return atomicExch(slot, value); }
ITEM Word exchange_if(Word* slot, Word expected, Word wanted) { return atomicCAS(slot, expected, wanted); }
ITEM HalfWord exchange_if(HalfWord* slot, HalfWord expected, HalfWord wanted) { return atomicCAS(slot, expected, wanted); }
ITEM Word peek(const Word* slot) { return *(const volatile Word*)slot; }
#else
  #define OUTLINE_MEMBER
enum { LANES = 1 };
ITEM int lane() { return 0; }
ITEM Index warp() { return 0; }
ITEM Index n_warps() { return 1; }
ITEM void sync_lanes() {}
ITEM Word count_lanes(bool yes, Word* before) { return *before = 0, yes; }
ITEM bool any_lane(bool yes) { return yes; }
ITEM int first_lane(bool) { return 0; }
ITEM Word lanes_with(Word) { return 1; }
ITEM Word from_lane(int, Word value) { return value; }
ITEM Word from_first_lane(Word value) { return value; }
ITEM Index from_first_lane(Index value) { return value; }
ITEM int gathered(int count, Word*, Word*) { return count; }
ITEM void sync_block() {}
ITEM Index thread_of_block() { return 0; }
ITEM Index block() { return 0; }
ITEM Index n_blocks() { return 1; }
ITEM Index warp_of_block() { return 0; }
ITEM Index warps_of_block() { return 1; }
ITEM Index sum_of_lanes(Index value) { return value; }
template <class Value> ITEM Value least_of_lanes(Value value) { return value; }
ITEM Word add_to(Word* counter, Word amount) { return *counter += amount, *counter - amount; }
ITEM Word next_place(Word* length) { return add_to(length, 1u); }
ITEM void lower_to(Word* slot, Word value) { *slot = value < *slot ? value : *slot; }
ITEM void raise_to(Word* slot, Word value) { *slot = value > *slot ? value : *slot; }
ITEM void lower_to(Index* slot, Index value) { *slot = value < *slot ? value : *slot; }
ITEM Word exchange(Word* slot, Word value) {
  const Word before = *slot;
  return *slot = value, before;
}
template <class Unsigned> ITEM Unsigned exchange_if(Unsigned* slot, Unsigned expected, Unsigned wanted) {
  const Unsigned before = *slot;
  if (before == expected) *slot = wanted;
  return before;
}
ITEM Word peek(const Word* slot) { return *slot; }
#endif
ITEM Index thread() { return warp() * LANES + lane(); }
ITEM Index n_threads() { return n_warps() * LANES; }
