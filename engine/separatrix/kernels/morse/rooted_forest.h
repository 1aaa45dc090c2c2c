// For each canceled extremum, the raw arc that is reversed.
// Without directions, these arcs form a forest over the raw extrema and OUTSIDE, rooted at the
// survivors, because each extremum is canceled once. In: ends (saddles, 2) of extrema, -1 OUTSIDE;
// for each extremum, the saddle that cancels it, and the event. Out: sides, 2 * saddle + side whose
// end is the extremum. Their number is returned.
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <vector>

static Index root_at_survivors_of(const Int32* ends, const Int32* saddle, const Word* died, Int32 n, Word event,
                                  Int32* sides) {
  std::vector<Int32> offsets((std::size_t)n + 2, 0), side_at, queue;
  std::vector<Byte> seen((std::size_t)n + 1, 0);
  auto node = [&](Int32 side) { return ends[side] < 0 ? n : ends[side]; };
  for (Int32 k = 0; k < n; ++k)
    if (died[k] <= event)
      for (int side = 0; side < 2; ++side) ++offsets[node(2 * saddle[k] + side) + 1];
  for (Int32 k = 0; k <= n; ++k) offsets[k + 1] += offsets[k];
  side_at.resize((std::size_t)offsets[n + 1]);
  std::vector<Int32> next(offsets.begin(), offsets.end() - 1);
  for (Int32 k = 0; k < n; ++k)
    if (died[k] <= event)
      for (int side = 0; side < 2; ++side) side_at[next[node(2 * saddle[k] + side)]++] = 2 * saddle[k] + side;
  queue.reserve((std::size_t)n + 1);
  for (Int32 k = 0; k < n; ++k)
    if (died[k] > event) queue.push_back(k);
  queue.push_back(n);
  for (Int32 root : queue) seen[root] = 1;
  Index found = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (Int32 at = offsets[queue[head]]; at < offsets[queue[head] + 1]; ++at) {
      throw_if_canceled_at((Index)head);
      Int32 far = side_at[at] ^ 1, other = node(far);
      if (seen[other]) continue;
      seen[other] = 1;
      sides[found++] = far;
      queue.push_back(other);
    }
  return found;
}
#endif
HOST_TASK(root_at_survivors, (const Int32* ends, const Int32* saddle, const Word* died, Int32 n, Word event, Int32* sides),
          root_at_survivors_of(ends, saddle, died, n, event, sides))
