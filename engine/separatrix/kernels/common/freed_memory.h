// Freed memory of the process, which glibc keeps for later allocations unless it is at the end of the heap.
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <cstdlib>
  #if defined(__GLIBC__)
    #include <malloc.h>
  #endif

// Returns it to the system. Takes milliseconds, so call it only around long work.
inline void return_freed_memory() {
  #if defined(__GLIBC__)
  malloc_trim(0);
  #endif
}
#endif
