// Order-preserving integer image of a scalar: a < b exactly when image(a) < image(b).
//
// The engine compares images only. No dtype loses a tie or a bit, and denormals, which CuPy's
// -ftz=true would flush to zero, remain distinct on the GPU as on the CPU. -0.0 and 0.0 have the
// same image. NaN is rejected by the public functions.
#pragma once
#include "common/types.h"

template <class Value> struct ImageOf { typedef Word Type; };
template <> struct ImageOf<long long> { typedef Wide Type; };
template <> struct ImageOf<unsigned long long> { typedef Wide Type; };
template <> struct ImageOf<double> { typedef Wide Type; };

ITEM Word order_image(signed char v) { return (Word)v ^ 0x80000000u; }
ITEM Word order_image(unsigned char v) { return v; }
ITEM Word order_image(short v) { return (Word)v ^ 0x80000000u; }
ITEM Word order_image(unsigned short v) { return v; }
ITEM Word order_image(int v) { return (Word)v ^ 0x80000000u; }
ITEM Word order_image(unsigned int v) { return v; }
ITEM Wide order_image(long long v) { return (Wide)v ^ 0x8000000000000000ull; }
ITEM Wide order_image(unsigned long long v) { return v; }

ITEM Word bits_of(float v) {
#if ON_GPU
  return __float_as_uint(v);
#else
  Word bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  return bits;
#endif
}
ITEM Wide bits_of(double v) {
#if ON_GPU
  return (Wide)__double_as_longlong(v);
#else
  Wide bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  return bits;
#endif
}
ITEM float from_bits(Word bits) {
#if ON_GPU
  return __uint_as_float(bits);
#else
  float v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
#endif
}
ITEM double from_bits(Wide bits) {
#if ON_GPU
  return __longlong_as_double((Index)bits);
#else
  double v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
#endif
}
// Images of negative numbers are reversed, and lie below those of positive ones; zero is detected
// by its bits.
ITEM Word order_image(float v) {
  Word bits = bits_of(v);
  bits = bits << 1 == 0 ? 0 : bits;
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
ITEM Wide order_image(double v) {
  Wide bits = bits_of(v);
  bits = bits << 1 == 0 ? 0 : bits;
  return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

// Converts an image back to its scalar; zeros become 0.0.
ITEM void from_image(Wide image, signed char* v) { *v = (signed char)(Word)(image ^ 0x80000000u); }
ITEM void from_image(Wide image, unsigned char* v) { *v = (unsigned char)image; }
ITEM void from_image(Wide image, short* v) { *v = (short)(Word)(image ^ 0x80000000u); }
ITEM void from_image(Wide image, unsigned short* v) { *v = (unsigned short)image; }
ITEM void from_image(Wide image, int* v) { *v = (int)(Word)(image ^ 0x80000000u); }
ITEM void from_image(Wide image, unsigned int* v) { *v = (unsigned int)image; }
ITEM void from_image(Wide image, long long* v) { *v = (long long)(image ^ 0x8000000000000000ull); }
ITEM void from_image(Wide image, unsigned long long* v) { *v = image; }
ITEM void from_image(Wide image, float* v) {
  *v = from_bits(image >> 31 & 1 ? (Word)image & 0x7fffffffu : ~(Word)image);
}
ITEM void from_image(Wide image, double* v) {
  *v = from_bits(image >> 63 ? image & 0x7fffffffffffffffull : ~image);
}

ITEM bool is_finite(float v) { return (bits_of(v) & 0x7f800000u) != 0x7f800000u; }
ITEM bool is_finite(double v) {
  return (bits_of(v) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}
template <class Integer> ITEM bool is_finite(Integer) { return true; }
