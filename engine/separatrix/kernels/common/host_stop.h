// Cancellation of host tasks: the caller sets a flag of one byte, which the loops of the task poll.
//
// Each call has its own flag, known to the threads that work for it, so concurrent calls are
// canceled independently. throw_if_canceled() throws, and what the task has allocated is released.
#pragma once
#include "common/types.h"

#if !ON_GPU
struct Stopped {};

// Null if the task of this thread cannot be canceled.
inline thread_local const Byte* stop_flag = nullptr;

// Sets the flag of this thread until the end of the scope.
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
inline void throw_if_canceled() {
  if (must_stop(stop_flag)) throw Stopped();
}
// For loops whose steps are short: looks at one step of 4096.
inline void throw_if_canceled_at(Index step) {
  if ((step & 4095) == 0) throw_if_canceled();
}
#endif
