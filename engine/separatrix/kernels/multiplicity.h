// Numbers of V-paths, saturating: one at or above MULTIPLICITY_LIMIT, which is even, is the limit plus its
// parity. So the lowest bit is exact always, and addition stays commutative and associative.
#pragma once
#include "types.h"

constexpr Wide MULTIPLICITY_LIMIT = 1ull << 62;
ITEM Wide saturated(Wide number) { return number < MULTIPLICITY_LIMIT ? number : MULTIPLICITY_LIMIT | (number & 1); }
ITEM Wide saturating_sum(Wide a, Wide b) { return saturated(a + b); }  // both at most the limit + 1: no overflow
#if !ON_GPU
inline Wide saturating_product(Wide a, Wide b) {
  Wide product;
  return __builtin_mul_overflow(a, b, &product) ? MULTIPLICITY_LIMIT | (a & b & 1) : saturated(product);
}
#endif
