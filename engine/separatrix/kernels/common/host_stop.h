// How a task of the host ends early: its caller sets a flag of one byte, its loops look at it now and then.
//
// Every call of a task has a flag of its own, so that tasks of several threads end one by one; the thread that
// works for a call knows it. check_cancelled() throws, and what the task has taken is given back on the way out.
#pragma once
#include "common/types.h"

#if !ON_GPU
struct Stopped {};

inline thread_local const Byte* stop_flag = nullptr;  // null: nobody may stop this thread's task

// The flag that this thread heeds, from here to the end of the block.
class Heeding {
public:
  explicit Heeding(const Byte* flag) : before(stop_flag) { stop_flag = flag; }
  ~Heeding() { stop_flag = before; }
  Heeding(const Heeding&) = delete;
  Heeding& operator=(const Heeding&) = delete;

private:
  const Byte* before;
};

inline bool must_stop(const Byte* flag) { return flag != nullptr && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0; }
inline void check_cancelled() {
  if (must_stop(stop_flag)) throw Stopped();
}
// For loops whose steps are short: looks at one step of 4096.
inline void check_cancelled_at(Index step) {
  if ((step & 4095) == 0) check_cancelled();
}
#endif
