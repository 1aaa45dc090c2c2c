// Places that the candidates of a window would change, as lists by slots of a hash. Threads add to
// them, and then read them.
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <algorithm>
  #include <vector>

class Claims {
 public:
  void clear() {
    last.resize(SLOTS, NONE);
    claims.resize(MOST);
    for (Index at = 0; at < std::min(n, MOST); ++at) last[slot(claims[at].place)] = NONE;
    n = 0;
  }
  // Adds the places of a candidate; false if there is no room.
  bool add(Int32 candidate, const std::vector<Int32>& places) {
    Index at = add_to(&n, (Index)places.size());
    if (at + (Index)places.size() > MOST) return false;
    for (Int32 place : places) {
      claims[at] = {candidate, place, __atomic_exchange_n(&last[slot(place)], (Int32)at, __ATOMIC_RELAXED)};
      ++at;
    }
    return true;
  }
  bool empty() const { return n == 0; }
  // Whether `visit` is true of a candidate before the k-th that has claimed a place.
  template <class Visit> bool any_before(Index k, Int32 place, Visit visit) const {
    for (Int32 at = last[slot(place)]; at != NONE; at = claims[at].previous)
      if (claims[at].place == place && claims[at].candidate < k && visit(claims[at].candidate)) return true;
    return false;
  }
  bool has_before(Index k, Int32 place) const {
    return any_before(k, place, [](Int32) { return true; });
  }

 private:
  struct Claim {
    Int32 candidate, place, previous;  // in its slot
  };
  static constexpr Index MOST = 1 << 18;
  static constexpr int SLOT_BITS = 17, SLOTS = 1 << SLOT_BITS;
  std::vector<Int32> last;  // by slot
  std::vector<Claim> claims;
  Index n = 0;

  static std::size_t slot(Int32 place) { return (Word)place * 0x9e3779b1u >> (32 - SLOT_BITS); }
};
#endif
