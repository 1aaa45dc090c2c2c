// Conversion between float32 and float64 according to IEEE 754, including denormals, which a GPU's
// own conversions, compiled with CuPy's -ftz=true, flush to zero. A float32 is passed as its bits.
#pragma once
#include "common/order.h"

enum { LEAST_NORMAL = 0x00800000, INFINITE_BITS = 0x7f800000 };

// Exact; infinities and NaN are preserved.
ITEM Real widened(Word bits) {
  Word magnitude = bits & 0x7fffffffu;
  Real value = (Real)magnitude * 0x1p-149;  // a denormal, or zero
  if (magnitude >= LEAST_NORMAL) {
    Wide wide = ((Wide)magnitude << 29) + ((Wide)896 << 52);
    if (magnitude >= INFINITE_BITS) wide |= (Wide)0x7ff << 52;
#if ON_GPU
    value = __longlong_as_double((Index)wide);
#else
    __builtin_memcpy(&value, &wide, sizeof value);
#endif
  }
  return bits >> 31 ? -value : value;
}

// Rounds to nearest, ties to even; values that are too large become infinite, and NaN remains NaN.
ITEM Word narrowed(Real value) {
  Wide wide = bits_of(value);
  Word sign = (Word)(wide >> 32) & 0x80000000u;
  wide &= 0x7fffffffffffffffull;
  if (wide > (Wide)0x7ff << 52) return sign | INFINITE_BITS | 0x00400000u;
  if (wide < (Wide)897 << 52) {  // below the least normal number: steps of 2^-149, rounded by 2^52
    Real steps = (value < 0 ? -value : value) * 0x1p149 + 0x1p52;
    return sign | (Word)bits_of(steps);
  }
  Wide half = ((Wide)1 << 28) - 1 + (wide >> 29 & 1);
  Wide narrow = ((wide + half) >> 29) - ((Wide)896 << 23);
  return sign | (narrow > INFINITE_BITS ? INFINITE_BITS : (Word)narrow);
}

KERNEL(widen_floats, (const Word* bits, Real* values), values[i] = widened(bits[i]))
KERNEL(narrow_reals, (const Real* values, Word* bits), bits[i] = narrowed(values[i]))
