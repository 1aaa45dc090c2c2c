// Values and their differences as float64, rounded once. Positive differences become neither infinite, which denotes
// essential classes, nor 0, which denotes equal values. float32 must be widened first (common/precision.h).
#pragma once
#include "common/order.h"

ITEM Real difference_of(double low, double high) {
  const Real found = high - low;
  if (found > 0x1.fffffffffffffp1023) return 0x1.fffffffffffffp1023;
  return high > low && found == 0 ? 0x1p-1074 : found + 0.0;
}
// Modulo 2^64, because that of two integers may exceed 2^63. In simplified complexes, `high` may be less than `low`.
template <class Integer> ITEM Real difference_of(Integer low, Integer high) {
  return high < low ? -(Real)((Wide)low - (Wide)high) : (Real)((Wide)high - (Wide)low);
}

VALUE_KERNEL(find_differences, (const Value* low, const Value* high, Real* found), found[i] = difference_of(low[i], high[i]))
// 0.0 for -0.0.
VALUE_KERNEL(to_reals, (const Value* values, Real* found), found[i] = (Real)values[i] + 0.0)
