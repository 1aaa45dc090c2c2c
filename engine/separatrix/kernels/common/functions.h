// Functions of real numbers with the same bits for every compiler and device, in float64.
//
// Sums, products, divisions, roots, and explicit fused multiply-adds are rounded alike everywhere, so
// functions made of them are, too. Errors are below 4 units in the last place, those of powers below
// 20. The arguments of sine and cosine are reduced to [-pi/4, pi/4] as a sum of two numbers: by pi/2 in
// three parts (Cody, Waite 1980) below 2^20, otherwise by 1280 bits of 2/pi (Payne, Hanek 1983). Their
// polynomials are those of fdlibm (Sun Microsystems 1993). erf is its Taylor series up to 1, and from 1
// on 1 - e^(-x^2) p(t), t = (x - 2.5) / (x + 2.5), where p interpolates at 16 Chebyshev points: the
// error is below 2e-17. Results of exponentials are not denormal (exponential.h).
#pragma once
#include "common/arctangent.h"
#include "common/exponential.h"

namespace elementary {
ITEM double magnitude(double x) { return from_bits(bits_of(x) & 0x7fffffffffffffffull); }
ITEM double with_sign_of(double x, double sign) {
  return from_bits((bits_of(x) & 0x7fffffffffffffffull) | (bits_of(sign) & 0x8000000000000000ull));
}
ITEM double not_a_number() { return from_bits((Wide)0x7ff8000000000000ull); }
ITEM double nearest_whole(double x) {
#if ON_GPU
  return ::rint(x);
#else
  return __builtin_rint(x);
#endif
}
ITEM double whole_below(double x) {
#if ON_GPU
  return ::floor(x);
#else
  return __builtin_floor(x);
#endif
}
ITEM Wide high_product(Wide a, Wide b) {
#if ON_GPU
  return __umul64hi(a, b);
#else
  return (Wide)((unsigned __int128)a * b >> 64);
#endif
}

// A number in two parts, the second within the rounding error of the first.
struct Pair {
  double high, low;
};
ITEM Pair pair_of(double a, double b) {  // |a| >= |b|
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// x - quarter * pi/2 for a large x; quarter modulo 4.
ITEM Pair reduced_by_bits(double x, int& quarter) {
  constexpr Wide TWO_OVER_PI[] = {
      0, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
      0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
      0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
      0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
      0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
  const Wide bits = bits_of(x), mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  const int first = (int)(bits >> 52 & 2047) - 1075 + 62;  // bit of the table of weight 2, if x is whole
  const int word = first / 64, shift = first % 64;
  Wide window[3];
  for (int k = 0; k < 3; ++k)
    window[k] = shift ? TWO_OVER_PI[word + k] << shift | TWO_OVER_PI[word + k + 1] >> (64 - shift) : TWO_OVER_PI[word + k];
  // The lowest 192 bits of the product: quarters times 2^190.
  const Wide middle = window[1] * mantissa, carried = high_product(window[2], mantissa);
  const Wide second = middle + carried;
  const Wide top = window[0] * mantissa + high_product(window[1], mantissa) + (second < middle);
  const Wide third = window[2] * mantissa;
  const Wide high = top << 2 | second >> 62, low = second << 2 | third >> 62;
  quarter = (int)(top >> 62) + (int)(high >> 63);
  // The fraction as a signed number of 128 bits, from -1/2 to 1/2.
  const Index head = (Index)(high & ~(Wide)2047), tail = (Index)(high & 2047);
  const Pair f = pair_of((double)head * 0x1p-64, ((double)tail + (double)low * 0x1p-64) * 0x1p-64);
  const double half_pi = 0x1.921fb54442d18p+0, rest = 0x1.1a62633145c07p-54;
  const double product = f.high * half_pi;
  const double error = fused(f.high, half_pi, -product) + fused(f.high, rest, f.low * half_pi);
  return pair_of(product, error);
}

// |x| - quarter * pi/2 for a finite x.
ITEM Pair reduced(double x, int& quarter) {
  x = magnitude(x);
  if (x >= 0x1p20) return reduced_by_bits(x, quarter);
  const double n = nearest_whole(x * 0.63661977236758134);
  quarter = (int)((Index)n & 3);
  const double a = x - n * 0x1.921fb544p+0, b = n * 0x1.0b4611a6p-34, high = a - b;
  const double error = a - high - b;
  return pair_of(high, fused(n, -0x1.3198a2e037073p-69, error));
}
ITEM double sine_of(Pair r) {
  const double x = r.high, z = x * x, v = z * x;
  double p = fused(1.58969099521155010221e-10, z, -2.50507602534068634195e-08);
  p = fused(p, z, 2.75573137070700676789e-06);
  p = fused(p, z, -1.98412698298579493134e-04);
  p = fused(p, z, 8.33333333332248946124e-03);
  return x - (z * (0.5 * r.low - v * p) - r.low - v * -1.66666666666666324348e-01);
}
ITEM double cosine_of(Pair r) {
  const double x = r.high, z = x * x;
  double p = fused(-1.13596475577881948265e-11, z, 2.08757232129817482790e-09);
  p = fused(p, z, -2.75573143513906633035e-07);
  p = fused(p, z, 2.48015872894767294178e-05);
  p = fused(p, z, -1.38888888888741095749e-03);
  p = fused(p, z, 4.16666666666666019037e-02);
  const double half = 0.5 * z, w = 1 - half;
  return w + (1 - w - half + (z * (z * p) - x * r.low));
}
ITEM double sine(double x) {
  if (!is_finite(x)) return not_a_number();
  int quarter;
  const Pair r = reduced(x, quarter);
  const double y = quarter & 1 ? cosine_of(r) : sine_of(r);
  return x == 0 ? x : ((quarter & 2) != 0) != (x < 0) ? -y : y;
}
ITEM double cosine(double x) {
  if (!is_finite(x)) return not_a_number();
  int quarter;
  const Pair r = reduced(x, quarter);
  const double y = quarter & 1 ? sine_of(r) : cosine_of(r);
  return ((quarter + 1) & 2) != 0 ? -y : y;
}
ITEM double tangent(double x) {
  if (!is_finite(x)) return not_a_number();
  int quarter;
  const Pair r = reduced(x, quarter);
  const double s = sine_of(r), c = cosine_of(r), y = quarter & 1 ? -c / s : s / c;
  return x == 0 ? x : x < 0 ? -y : y;
}

ITEM double arctangent(double y, double x) {
  if (!(y == y && x == x)) return not_a_number();
  const bool is_left = bits_of(x) >> 63;
  double a = magnitude(y), b = magnitude(x);
  if (a > 1e308 && b > 1e308) a = is_finite(a) ? a * 0.5 : 1, b = is_finite(b) ? b * 0.5 : 1;
  const double acute = a == 0 ? 0 : a <= b ? arctangent_below_one(a / b) : PI / 2 - arctangent_below_one(b / a);
  return with_sign_of(is_left ? PI - acute : acute, y);
}
ITEM double arctangent(double x) { return arctangent(x, 1.0); }
ITEM double arcsine(double x) {
  return magnitude(x) <= 1 ? arctangent(x, square_root((1 - x) * (1 + x))) : not_a_number();
}
ITEM double arccosine(double x) {
  return magnitude(x) <= 1 ? arctangent(square_root((1 - x) * (1 + x)), x) : not_a_number();
}

// e^x - 1 for 0 <= x <= 1.
ITEM double small_exponential(double x) {
  double sum = 1;
  UNROLL
  for (int k = 19; k >= 2; --k) sum = fused(sum * x, 1.0 / k, 1.0);
  return sum * x;
}
ITEM double hyperbolic_sine(double x) {
  const double a = magnitude(x);
  if (!(a == a)) return x;
  double y;
  if (a <= 1) {
    const double e = small_exponential(a);
    y = 0.5 * (e + e / (e + 1));
  } else {
    const double e = exponential(0.5 * a);
    y = a < 700 ? 0.5 * (exponential(a) - 1 / exponential(a)) : 0.5 * e * e;
  }
  return with_sign_of(y, x);
}
ITEM double hyperbolic_cosine(double x) {
  const double a = magnitude(x), e = exponential(0.5 * a);
  if (!(a == a)) return x;
  return a < 700 ? 0.5 * (exponential(a) + 1 / exponential(a)) : 0.5 * e * e;
}
ITEM double hyperbolic_tangent(double x) {
  const double a = magnitude(x), e = small_exponential(min_of(2 * a, 1.0));
  if (!(a == a)) return x;
  return with_sign_of(a <= 0.5 ? e / (e + 2) : 1 - 2 / (exponential(2 * a) + 1), x);
}

ITEM double error_function(double x) {
  const double a = magnitude(x), z = a * a;
  if (!(a == a)) return x;
  if (a >= 6) return with_sign_of(1, x);
  if (a <= 1) {
    double p = fused(1.6342614095367152e-15, z, -2.7835162072109215e-14);
    p = fused(p, z, 4.4632242632864775e-13);
    p = fused(p, z, -6.7113668551641105e-12);
    p = fused(p, z, 9.422759064650411e-11);
    p = fused(p, z, -1.2290555301717928e-09);
    p = fused(p, z, 1.4807192815879218e-08);
    p = fused(p, z, -1.6365844691234924e-07);
    p = fused(p, z, 1.6462114365889248e-06);
    p = fused(p, z, -1.492565035840625e-05);
    p = fused(p, z, 0.00012055332981789664);
    p = fused(p, z, -0.0008548327023450853);
    p = fused(p, z, 0.005223977625442188);
    p = fused(p, z, -0.026866170645131252);
    p = fused(p, z, 0.11283791670955126);
    p = fused(p, z, -0.37612638903183754);
    return x * fused(p, z, 1.1283791670955126);
  }
  const double t = (a - 2.5) / (a + 2.5);
  double p = fused(8.134380709229645e-08, t, -1.5625258507743158e-06);
  p = fused(p, t, -2.2842173094341345e-06);
  p = fused(p, t, 7.48480117852628e-06);
  p = fused(p, t, 1.8609712314617464e-05);
  p = fused(p, t, -3.4172229273553035e-05);
  p = fused(p, t, -0.00012887649615317198);
  p = fused(p, t, 0.00022837955896605415);
  p = fused(p, t, 0.0008759154019168855);
  p = fused(p, t, -0.002642365927759658);
  p = fused(p, t, -0.0039937011641469865);
  p = fused(p, t, 0.0399225390747838);
  p = fused(p, t, -0.12503305237885554);
  p = fused(p, t, 0.251713193217456);
  p = fused(p, t, -0.3717367339489732);
  p = fused(p, t, 0.21080636406114356);
  return with_sign_of(1 - exponential(-z) * p, x);
}

// log x in two parts for a positive finite x: as natural_log, with the rounding errors of its largest terms.
ITEM Pair precise_log(double x) {
  const bool is_denormal = x < 2.2250738585072014e-308;
  const Wide bits = bits_of(is_denormal ? x * 0x1p54 : x);
  Index n = (Index)((bits - 0x3fe6a09e667f3bcdull) >> 52 & 0xfff);
  n = n > 2047 ? n - 4096 : n;
  const double m = from_bits(bits - ((Wide)n << 52)), above = m - 1, below = m + 1;
  const double s = above / below, missing = m - (below - 1);
  const double rest = (fused(-s, below, above) - s * missing) / below, z = s * s;
  double series = 0;
  UNROLL
  for (int k = 23; k >= 3; k -= 2) series = fused(series, z, 1.0 / k);
  n -= is_denormal ? 54 : 0;
  // The first 32 bits of log 2, so that their product with n is exact.
  const double whole = (double)n * 0x1.62e42feep-1;
  const Pair sum = pair_of(whole, 2 * s), both = n ? sum : Pair{2 * s, 0};
  return pair_of(both.high, both.low + fused((double)n, 1.9082149292705877e-10, 2 * fused(series * z, s, rest)));
}
ITEM double power(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (!(x == x && y == y)) return not_a_number();
  const double a = magnitude(x);
  const bool is_whole = whole_below(y) == y, is_odd = is_whole && magnitude(y) < 0x1p53 && ((Index)y & 1);
  if (x < 0 && !is_whole && is_finite(x) && is_finite(y)) return not_a_number();
  double result;
  if (a == 0 || !is_finite(a)) {
    result = (a == 0) == (y > 0) ? 0 : infinity(y);
  } else if (!is_finite(y)) {
    result = a == 1 ? 1 : (a > 1) == (y > 0) ? infinity(y) : 0;
  } else {
    const Pair log = precise_log(a);
    const double high = y * log.high, low = fused(y, log.high, -high) + y * log.low;
    const double e = exponential(high);
    result = high <= -707 ? 0 : is_finite(e) ? fused(e, low, e) : e;
  }
  return is_odd && bits_of(x) >> 63 ? -result : result;
}

// The nearest float32, 0 instead of a denormal.
ITEM float rounded(double x) { return magnitude(x) < 0x1p-126 ? (float)(x * 0) : (float)x; }
}  // namespace elementary
