// Types, atomics, and macros that compile one loop body as a CUDA kernel and as a loop of CPU threads.
//
// The body of a kernel processes ONE item `i` of n_items. On a GPU it becomes a grid-stride CUDA
// kernel, on the host a function with C linkage whose loop is distributed to threads. Python parses the parameter list of each
// KERNEL(...) line and checks all arrays against it, so the header is the only declaration.
//
//   KERNEL        cheap items (a voxel, an arc): distributed to CPU threads by the thousand
//   ROW_KERNEL    items of about a microsecond (a query among points): by the hundred
//   COARSE_KERNEL expensive items (a block of rows): one by one
//   VALUE_KERNEL  a KERNEL that reads the user's scalars: one instance per dtype, which is `Value`
//   HOST_TASK     host only: an algorithm (union-find, column reduction) on host arrays; Python
//                 receives the value of its expression, an Index; its long loops call
//                 throw_if_canceled of host_stop.h
//   HOST_LOOPS    host only: a COARSE_KERNEL with a different GPU form; one instance each for float
//                 and double, which is `Float` in its body
//
// Kernels whose blocks share an item are for GPUs only, and declared without a macro: extern "C"
// __global__ with __launch_bounds__. Each has a host form.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  #define ON_GPU 1
#else
  #define ON_GPU 0
  #include <new>
#endif

typedef signed char Int8;
typedef unsigned char Byte;
typedef unsigned short HalfWord;  // ranks, where there are few
typedef int Int32;                // vertex ids of grids of fewer than 2^31 vertices
typedef unsigned int Word;        // packed gradient of a vertex, masks over the 27 cells of a star
typedef long long Index;          // cell ids of the doubled grid, offsets, counts of items
typedef unsigned long long Wide;  // 64-bit order images and hash keys
typedef double Real;              // positions

// Anchors of cells. translation_units/morse_large.cpp repeats kernels for the CPU, under names that end in _large,
// with 64 bits for images of 2^31 voxels or more.
#ifdef LARGE_IMAGES
typedef Index Anchor;
typedef Wide PlainAnchor;  // without a sign
#define INSTANCE(name) name##_large
#else
typedef Int32 Anchor;
typedef Word PlainAnchor;
#define INSTANCE(name) name
#endif

enum { NONE = -1 };

#include "common/host_stop.h"
#include "common/host_threads.h"

#define UNPAREN(...) __VA_ARGS__
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

#if ON_GPU
  #define ITEM static __device__ __forceinline__
  #define ITEM_MEMBER __device__ __forceinline__
  #define UNROLL _Pragma("unroll")
  #define KERNEL(name, params, ...)                                                             \
    extern "C" __global__ void name(Index first, Index n_items, UNPAREN params) {               \
      for (Index i = first + blockIdx.x * (Index)blockDim.x + threadIdx.x; i < first + n_items; \
           i += (Index)gridDim.x * blockDim.x) {                                                \
        __VA_ARGS__;                                                                            \
      }                                                                                         \
    }
  #define ROW_KERNEL KERNEL
  #define COARSE_KERNEL KERNEL
  #define HOST_TASK(name, params, ...)
  #define HOST_LOOPS(name, params, ...)
  ITEM int population(Word mask) { return __popc(mask); }
  ITEM int lowest_bit(Word mask) { return __ffs((int)mask) - 1; }
  ITEM void or_into(Word* word, Word bits) { atomicOr(word, bits); }
  ITEM void or_shared(Word* word, Word bits) { atomicOr(word, bits); }
  ITEM void mark(Byte* flag) { *(volatile Byte*)flag = 1; }
  // May be stale: the caller then marks it again.
  ITEM bool is_raised(const Byte* flag) { return *flag; }
  ITEM Index add_to(Index* counter, Index amount) {
    return (Index)atomicAdd((Wide*)counter, (Wide)amount);
  }
  ITEM Wide exchange_if(Wide* slot, Wide expected, Wide wanted) {
    return atomicCAS(slot, expected, wanted);
  }
  // Replaces `expected` with `wanted`; returns whether the slot held `expected`.
  ITEM bool replace_if(Int32* slot, Int32 expected, Int32 wanted) { return atomicCAS(slot, expected, wanted) == expected; }
  ITEM Int32 peek(const Int32* slot) { return *(const volatile Int32*)slot; }
  ITEM Index peek(const Index* slot) { return *(const volatile Index*)slot; }
  ITEM Wide peek(const Wide* slot) { return *(const volatile Wide*)slot; }
  ITEM void poke(Int32* slot, Int32 value) { *(volatile Int32*)slot = value; }
#else
  #define EXPORT __attribute__((visibility("default")))
  // Several translation units may include one kernel's header: the linker takes any of them.
  #define KERNEL_SYMBOL extern "C" __attribute__((visibility("default"), weak))
  // As on a GPU; otherwise the size of the library would affect what the compiler inlines and
  // vectorizes.
  #define ITEM static inline __attribute__((always_inline))
  #define ITEM_MEMBER inline __attribute__((always_inline))
  #define UNROLL _Pragma("GCC unroll 32")
  // A copy of the parameters per thread: the compiler may then keep them in registers.
  #define HOST_LOOP(name, grain, params, ...)                                                  \
    KERNEL_SYMBOL void INSTANCE(name)(int n_threads, Index first, Index n_items, UNPAREN params) { \
      enum { GRAIN = grain };                                                                  \
      deal_out_runs(n_threads, first, n_items, GRAIN, [=](int, Index begin_, Index end_) mutable { \
        for (Index i = begin_; i < end_; ++i) {                                                \
          __VA_ARGS__;                                                                         \
        }                                                                                      \
      });                                                                                      \
    }
  #define KERNEL(name, params, ...) HOST_LOOP(name, 2048, params, __VA_ARGS__)
  #define ROW_KERNEL(name, params, ...) HOST_LOOP(name, 128, params, __VA_ARGS__)
  #define COARSE_KERNEL(name, params, ...) HOST_LOOP(name, 1, params, __VA_ARGS__)
  #define HOST_LOOPS_OF(dtype, type, name, params, ...)       \
    namespace float_##dtype {                                 \
    typedef type Float;                                       \
    HOST_LOOP(JOIN(name, dtype), 1, params, __VA_ARGS__)      \
    }
  #define HOST_LOOPS(name, params, ...)                       \
    HOST_LOOPS_OF(float32, float, name, params, __VA_ARGS__)  \
    HOST_LOOPS_OF(float64, double, name, params, __VA_ARGS__)
  enum { OUT_OF_MEMORY = -1000, STOPPED_TASK = -1001 };
  #define HOST_TASK(name, params, ...)                               \
    KERNEL_SYMBOL Index INSTANCE(name)(const Byte* stop_, UNPAREN params) { \
      ready_to_throw();                                              \
      const Heeding heeding_(stop_);                                 \
      try {                                                          \
        return (Index)(__VA_ARGS__);                                 \
      } catch (const std::bad_alloc&) {                              \
        return OUT_OF_MEMORY;                                        \
      } catch (const Stopped&) {                                     \
        return STOPPED_TASK;                                         \
      }                                                              \
    }
  ITEM int population(Word mask) { return __builtin_popcount(mask); }
  ITEM int lowest_bit(Word mask) { return __builtin_ffs((int)mask) - 1; }
  ITEM void or_into(Word* word, Word bits) { *word |= bits; }  // callers own the word
  ITEM void or_shared(Word* word, Word bits) { __atomic_fetch_or(word, bits, __ATOMIC_RELAXED); }
  ITEM void mark(Byte* flag) { __atomic_store_n(flag, (Byte)1, __ATOMIC_RELAXED); }
  ITEM bool is_raised(const Byte* flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
  // A thread that takes a flag sees all writes that preceded its publication.
  ITEM void publish(Byte* flag) { __atomic_exchange_n(flag, (Byte)1, __ATOMIC_ACQ_REL); }
  ITEM bool take(Byte* flag) {
    return __atomic_load_n(flag, __ATOMIC_RELAXED) && __atomic_exchange_n(flag, (Byte)0, __ATOMIC_ACQ_REL);
  }
  ITEM Index add_to(Index* counter, Index amount) {
    return __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
  }
  ITEM Wide exchange_if(Wide* slot, Wide expected, Wide wanted) {
    __atomic_compare_exchange_n(slot, &expected, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
  }
  ITEM bool replace_if(Int32* slot, Int32 expected, Int32 wanted) {
    return __atomic_compare_exchange_n(slot, &expected, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  ITEM Int32 peek(const Int32* slot) { return __atomic_load_n(slot, __ATOMIC_RELAXED); }
  ITEM Index peek(const Index* slot) { return __atomic_load_n(slot, __ATOMIC_RELAXED); }
  ITEM Wide peek(const Wide* slot) { return __atomic_load_n(slot, __ATOMIC_RELAXED); }
  ITEM void poke(Int32* slot, Int32 value) { __atomic_store_n(slot, value, __ATOMIC_RELAXED); }
#endif

// Reserves the next place of a list. On a GPU, the active threads of a warp reserve theirs with one
// atomic addition. The assignment of places to items is not deterministic.
ITEM Index next_place(Index* length) {
#if ON_GPU
  const Word asking = __activemask();
  const int lane = (int)(threadIdx.x & 31), first = lowest_bit(asking);
  Index begin = 0;
  if (lane == first) begin = add_to(length, population(asking));
  return __shfl_sync(asking, begin, first) + population(asking & (((Word)1 << lane) - 1));
#else
  return add_to(length, 1);
#endif
}

ITEM Word bit(int position) { return (Word)1 << position; }

// The host library holds every instance of a value kernel; NVRTC compiles the one it is asked for.
#if ON_GPU
  #define VALUE_KERNEL(name, params, ...) \
    typedef SEPARATRIX_VALUE Value;       \
    KERNEL(name, params, __VA_ARGS__)
#else
  #define VALUE_INSTANCE(dtype, type, name, grain, params, ...) \
    namespace value_##dtype {                                   \
    typedef type Value;                                         \
    HOST_LOOP(JOIN(name, dtype), grain, params, __VA_ARGS__)    \
    }
  #define VALUE_INSTANCES(name, grain, params, ...)                            \
    VALUE_INSTANCE(int8, signed char, name, grain, params, __VA_ARGS__)        \
    VALUE_INSTANCE(uint8, unsigned char, name, grain, params, __VA_ARGS__)     \
    VALUE_INSTANCE(int16, short, name, grain, params, __VA_ARGS__)             \
    VALUE_INSTANCE(uint16, unsigned short, name, grain, params, __VA_ARGS__)   \
    VALUE_INSTANCE(int32, int, name, grain, params, __VA_ARGS__)               \
    VALUE_INSTANCE(uint32, unsigned int, name, grain, params, __VA_ARGS__)     \
    VALUE_INSTANCE(int64, long long, name, grain, params, __VA_ARGS__)         \
    VALUE_INSTANCE(uint64, unsigned long long, name, grain, params, __VA_ARGS__) \
    VALUE_INSTANCE(float32, float, name, grain, params, __VA_ARGS__)           \
    VALUE_INSTANCE(float64, double, name, grain, params, __VA_ARGS__)
  #define VALUE_KERNEL(name, params, ...) VALUE_INSTANCES(name, 2048, params, __VA_ARGS__)
  #define COARSE_VALUE_KERNEL(name, params, ...) VALUE_INSTANCES(name, 1, params, __VA_ARGS__)
#endif
