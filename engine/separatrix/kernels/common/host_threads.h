// Distribution of items to host threads: by OpenMP, or by std::thread if SEPARATRIX_STD_THREADS is
// defined.
//
// The second form is for ThreadSanitizer, which detects the start and the end of a std::thread, but
// not of libgomp's threads, and would report a race between each loop and the code after it. In
// this form, runs of items are not ordered, and even a few items are distributed, so a race that is
// possible in some run is detectable in every run.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <new>
#if defined(__GLIBCXX__)
  #include <cxxabi.h>
// Allocates what a thread needs for its first exception. If this failed when an exception is
// thrown, the process would be terminated.
inline void ready_to_throw() { const void* volatile taken = abi::__cxa_get_globals(); (void)taken; }
#else
inline void ready_to_throw() {}
#endif
#if defined(SEPARATRIX_STD_THREADS)
  #include <thread>
  #include <vector>

// body(thread, begin, end) for runs of at most `grain` items.
template <class Body>
void deal_out_runs(int n_threads, Index first, Index n_items, Index grain, const Body& body) {
  const Index even = (n_items + n_threads - 1) / n_threads;
  const Index size = even < grain ? (even > 1 ? even : 1) : grain, n_runs = (n_items + size - 1) / size;
  Index next = n_threads;  // each thread has a run, however late it starts
  const auto work = [&](int thread) {
    for (Index run = thread; run < n_runs; run = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) {
      const Index begin = first + run * size, end = begin + size;
      body(thread, begin, end < first + n_items ? end : first + n_items);
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < n_threads && thread < n_runs; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
}
#elif defined(_OPENMP)
  #include <omp.h>
  #include <pthread.h>
  #include <sys/mman.h>
  #include <cctype>
  #include <cstdlib>
  #include <cstring>
#endif

#if defined(_OPENMP) && !defined(SEPARATRIX_STD_THREADS)
// Stack size of libgomp's threads in bytes, from OMP_STACKSIZE or GOMP_STACKSIZE, for example 64M;
// the default unit is KiB. 0 if it is not set.
inline size_t told_stack_size() {
  const char* const names[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE"};
  for (const char* const name : names) {
    const char* const text = getenv(name);
    if (text == nullptr) continue;
    char* end;
    const unsigned long long number = strtoull(text, &end, 10);
    while (isspace((unsigned char)*end)) ++end;
    const char* const units = "bkmg";
    const char* const unit = *end ? strchr(units, tolower((unsigned char)*end)) : units + 1;
    if (end != text && unit != nullptr) return (size_t)number << 10 * (unit - units);
  }
  return 0;
}

// Returns the number of threads, at most n_threads, that a loop of this thread may request from
// OpenMP, because libgomp terminates the process if the system cannot start a thread. If more are
// requested than last time, the additional ones are first started as threads that wait for each
// other. libgomp keeps its threads, and releases those that a smaller team does not need. Returns 1
// if memory is exhausted. Stacks and heaps of the threads stay allocated, so some memory is held
// back for later allocations of the call and its caller.
inline int affordable_threads(int n_threads) {
  static thread_local int had = 1;
  if (n_threads > had) {
    pthread_mutex_t all_there = PTHREAD_MUTEX_INITIALIZER;
    const auto wait = [](void* gate) -> void* {
      pthread_mutex_lock((pthread_mutex_t*)gate);
      pthread_mutex_unlock((pthread_mutex_t*)gate);
      return nullptr;
    };
    constexpr size_t HELD_BACK = size_t(64) << 20;
    void* const held_back = mmap(nullptr, HELD_BACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (held_back == MAP_FAILED) return had = 1;
    pthread_t* others = new (std::nothrow) pthread_t[n_threads - had];
    pthread_attr_t like_theirs;
    pthread_attr_init(&like_theirs);
    if (const size_t told = told_stack_size()) pthread_attr_setstacksize(&like_theirs, told);
    int n = 0;
    pthread_mutex_lock(&all_there);
    while (others && n < n_threads - had && pthread_create(others + n, &like_theirs, wait, &all_there) == 0) ++n;
    pthread_mutex_unlock(&all_there);
    pthread_attr_destroy(&like_theirs);
    for (int k = 0; k < n; ++k) pthread_join(others[k], nullptr);
    delete[] others;
    // Other threads may be started in the meantime: if there are too few, use half of the
    // additional ones.
    n_threads = n == n_threads - had ? n_threads : had + n / 2;
    bool is_poor = false;
    _Pragma("omp parallel num_threads(n_threads)") {
      void* room = malloc(1 << 12);
      if (room) {
        ready_to_throw();
        const Byte* const volatile touched = stop_flag;  // no room for what is thread-local ends the process as well
        (void)touched;
      } else {
        __atomic_store_n(&is_poor, true, __ATOMIC_RELAXED);
      }
      free(room);
    }
    munmap(held_back, HELD_BACK);
    had = is_poor ? 1 : n_threads;  // looks again next time
    return had;
  }
  if (n_threads > 1) had = n_threads;
  return n_threads;
}
#else
inline int affordable_threads(int n_threads) { return n_threads; }
#endif

// Calls body(thread, item) for all items, `grain` at a time. When all threads have ended, throws
// bad_alloc if one of them did, or Stopped if the task is canceled; an exception that leaves a
// thread would terminate the process.
template <class Body>
void deal_out(int n_threads, Index n_items, Index grain, const Body& body) {
  const Byte* const stop = stop_flag;
  bool failed = false, stopped = false;
  const auto guarded = [&](int thread, Index item) {
    try {
      if (!__atomic_load_n(&failed, __ATOMIC_RELAXED) && !must_stop(stop)) body(thread, item);
    } catch (const std::bad_alloc&) {
      __atomic_store_n(&failed, true, __ATOMIC_RELAXED);
    } catch (const Stopped&) {
      __atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
    }
  };
#if defined(SEPARATRIX_STD_THREADS)
  deal_out_runs(n_threads, 0, n_items, grain, [&](int thread, Index begin, Index end) {
    const Heeding heeding(stop);
    for (Index item = begin; item < end; ++item) guarded(thread, item);
  });
#else
  const int n_affordable = n_threads > 1 ? affordable_threads(n_threads) : 1;
  _Pragma("omp parallel num_threads(n_affordable) if(n_affordable > 1)") {
    const Heeding heeding(stop);
    int thread = 0;
  #if defined(_OPENMP)
    thread = omp_get_thread_num();
  #endif
    ready_to_throw();
    _Pragma("omp for schedule(dynamic, grain) nowait")
    for (Index item = 0; item < n_items; ++item) guarded(thread, item);
  }
#endif
  if (failed) throw std::bad_alloc();
  if (stopped || must_stop(stop)) throw Stopped();
}
#endif
