// Exponential, logarithm, and fused multiply-add with the same bits for every compiler and device.
//
// 2^t for t = x log2(e): t is rounded to the integer n by adding 1.5 * 2^23 (2^52), a minimax
// polynomial in t - n is evaluated by fused multiply-adds, and n is added to the exponent's bits.
// Muller et al., Handbook of Floating-Point Arithmetic, 2018, section 10.2 (argument reduction) and
// 10.3 (minimax). Relative error: 9.4e-8 of the polynomial and 1.4e-8 |x| of log2(e) in float32;
// 4e-16 in float64.
//
// x is clamped to at least -79.7 (-707), so the result is never denormal: CuPy's -ftz=true would
// flush denormals to zero on the GPU only, and they are slow on CPUs.
#pragma once
#include "common/order.h"

ITEM float fused(float a, float b, float c) {
#if ON_GPU
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
ITEM double fused(double a, double b, double c) {
#if ON_GPU
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}
// max_of and min_of return the second argument if the first is NaN, like the hardware.
ITEM float max_of(float a, float b) {
#if ON_GPU
  return fmaxf(a, b);
#else
  return a > b ? a : b;
#endif
}
ITEM double max_of(double a, double b) { return a > b ? a : b; }
ITEM float min_of(float a, float b) {
#if ON_GPU
  return fminf(a, b);
#else
  return a < b ? a : b;
#endif
}
ITEM double min_of(double a, double b) { return a < b ? a : b; }

ITEM float infinity(float) { return from_bits(0x7f800000u); }
ITEM double infinity(double) { return from_bits((Wide)0x7ff0000000000000ull); }

#if ON_GPU && defined(FAST_MATH)
// Requested by callers whose results need not have the same bits on every device.
ITEM float power_of_two(float t) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(t));
  return power;
}
#endif
// e^x for an x that is already clamped. x log2(e) is not rounded before n is subtracted.
ITEM float clamped_exponential(float x) {
  const float shift = 12582912.0f, log2e = 1.44269504f;
#if ON_GPU && defined(FAST_MATH)
  return power_of_two(x * log2e);
#endif
  float shifted = fused(x, log2e, shift);
  float f = fused(x, log2e, -(shifted - shift));
  float p = fused(0x1.5bda40p-10f, f, 0x1.3ce8acp-7f);
  p = fused(p, f, 0x1.c6b6d8p-5f);
  p = fused(p, f, 0x1.ebf9c2p-3f);
  p = fused(p, f, 0x1.62e42ap-1f);
  p = fused(p, f, 1.0f);
  return from_bits(bits_of(p) + (bits_of(shifted) << 23));
}
ITEM double polynomial_of_two(double f) {
  double p = fused(4.078047869046906e-10, f, 7.07257039107272e-09);
  p = fused(p, f, 1.0180647800153075e-07);
  p = fused(p, f, 1.3215442675384052e-06);
  p = fused(p, f, 1.525272738489903e-05);
  p = fused(p, f, 0.00015403530441572208);
  p = fused(p, f, 0.0013333558153440248);
  p = fused(p, f, 0.009618129107607003);
  p = fused(p, f, 0.05550410866479039);
  p = fused(p, f, 0.24022650695910097);
  p = fused(p, f, 0.6931471805599457);
  return fused(p, f, 1.0);
}
// The same; the low part of x log2(e) is kept for accuracy.
ITEM double clamped_exponential(double x) {
  const double shift = 6755399441055744.0, log2e = 1.4426950408889634, rest = 2.0355273740931033e-17;
  double shifted = fused(x, log2e, shift), n = shifted - shift;
  double f = fused(x, rest, fused(x, log2e, -n));
  return from_bits(bits_of(polynomial_of_two(f)) + (bits_of(shifted) << 52));
}

ITEM float exponential(float x) {
  const float largest = 88.72283f;
  return x > largest ? infinity(x) : clamped_exponential(max_of(x, -79.7f));
}
ITEM double exponential(double x) {
  const double largest = 709.782712893384;
  return x > largest ? infinity(x) : clamped_exponential(max_of(x, -707.0));
}
// e^-x for x >= 0: exponential(), without its test for large numbers.
ITEM float decay(float x) { return clamped_exponential(max_of(-x, -79.7f)); }
ITEM double decay(double x) { return clamped_exponential(max_of(-x, -707.0)); }
// e^(-rate x) for rate x >= 0. With FAST_MATH no clamp is needed, because ex2.approx returns 0.
ITEM float decay(float x, float rate) {
#if ON_GPU && defined(FAST_MATH)
  return power_of_two(x * (rate * -1.44269504f));
#endif
  return decay(rate * x);
}
ITEM double decay(double x, double rate) { return decay(rate * x); }

// Natural logarithm of a positive normal number: x = m 2^n with m in [sqrt(1/2), sqrt(2)), and
// log m = 2 artanh((m - 1) / (m + 1)) by its series. Absolute error below 3e-16 max(1, |log x|).
ITEM double natural_log(double x) {
  if (!(x > 0)) return x == 0 ? -from_bits((Wide)0x7ff0000000000000ull) : from_bits((Wide)0x7ff8000000000000ull);
  if (!is_finite(x)) return x;
  bool is_denormal = x < 2.2250738585072014e-308;
  Wide bits = bits_of(is_denormal ? x * 0x1p54 : x);
  Index n = (Index)((bits - 0x3fe6a09e667f3bcdull) >> 52 & 0xfff);
  n = n > 2047 ? n - 4096 : n;
  double m = from_bits(bits - ((Wide)n << 52));
  double s = (m - 1) / (m + 1), z = s * s, series = 0;
  UNROLL
  for (int k = 23; k >= 3; k -= 2) series = fused(series, z, 1.0 / k);
  series = fused(series * z, s, s) * 2;
  n -= is_denormal ? 54 : 0;
  return fused((double)n, 0.6931471805599453, fused((double)n, 2.319046813846299e-17, series));
}
ITEM float natural_log(float x) { return (float)natural_log((double)x); }

ITEM float square_root(float x) {
#if ON_GPU
  return __fsqrt_rn(x);
#else
  return __builtin_sqrtf(x);
#endif
}
ITEM double square_root(double x) {
#if ON_GPU
  return __dsqrt_rn(x);
#else
  return __builtin_sqrt(x);
#endif
}
