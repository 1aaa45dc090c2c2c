// Distribution of items to host threads: those of one crew, which all loops of the process share.
//
// If SEPARATRIX_STD_THREADS is defined, each loop starts its own threads. This form is for
// ThreadSanitizer: runs of items are not ordered by the crew's lock, and even a few items are
// distributed, so a race that is possible in some run is detectable in every run.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <new>
#if defined(SEPARATRIX_STD_THREADS)
  #include <thread>
  #include <vector>
#endif

// Work of several threads, on the stack of the thread that requested it.
struct Team {
  void (*work)(const void* body, int thread);
  const void* body;
  int n_threads, n_joined, n_working;  // the caller is thread 0, and has joined
  Team* next;
};
void run_team(Team* team);  // see crew.h

#if defined(__GLIBCXX__)
  #include <cxxabi.h>
// Allocates what a thread needs for its first exception. If this failed when an exception is
// thrown, the process would be terminated.
inline void ready_to_throw() { const void* volatile taken = abi::__cxa_get_globals(); (void)taken; }
#else
inline void ready_to_throw() {}
#endif

// body(thread, begin, end) for runs of at most `grain` items, with a copy of the body per thread.
template <class Body>
void deal_out_runs(int n_threads, Index first, Index n_items, Index grain, const Body& body) {
#if defined(SEPARATRIX_STD_THREADS)
  const Index even = (n_items + n_threads - 1) / n_threads;
  if (even < grain) grain = even > 1 ? even : 1;
  Index next = n_threads;  // each thread has a run, however late it starts
#else
  Index next = 0;
#endif
  const Index n_runs = (n_items + grain - 1) / grain;
  if (n_threads > n_runs) n_threads = (int)n_runs;
  const auto run_of = [&](int thread, Index run, Body& own) {
    const Index begin = first + run * grain, end = begin + grain;
    own(thread, begin, end < first + n_items ? end : first + n_items);
  };
  const auto next_run = [&] { return __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED); };
#if defined(SEPARATRIX_STD_THREADS)
  const auto work = [&](int thread) {
    Body own = body;
    for (Index run = thread; run < n_runs; run = next_run()) run_of(thread, run, own);
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < n_threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
#else
  const auto work = [&](int thread) {
    Body own = body;
    for (Index run = next_run(); run < n_runs; run = next_run()) run_of(thread, run, own);
  };
  if (n_threads <= 1) {
    Body own = body;
    own(0, first, first + n_items);
    return;
  }
  Team team{[](const void* body, int thread) { (*(const decltype(work)*)body)(thread); }, &work, n_threads, 1, 0, nullptr};
  run_team(&team);
#endif
}

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
  deal_out_runs(n_threads, 0, n_items, grain, [&](int thread, Index begin, Index end) {
    const Heeding heeding(stop);
    for (Index item = begin; item < end; ++item) guarded(thread, item);
  });
  if (failed) throw std::bad_alloc();
  if (stopped || must_stop(stop)) throw Stopped();
}
#endif
