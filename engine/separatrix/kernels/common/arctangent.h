// The angle of a vector in the upper half plane, from + - * / alone: the same bits on every device.
//
// CUDA's and libm's atan2 differ in the last bit. Here the smaller over the larger coordinate is taken below
// tan(pi/8) by atan(a) = pi/4 + atan((a - 1) / (a + 1)), where atan(a) = a + a z p(z), z = a^2, p interpolating at
// 11 Chebyshev points: the error of the polynomial is below 7e-18.
#pragma once
#include "common/types.h"

constexpr Real PI = 3.14159265358979323846;

ITEM Real arctangent_below_one(Real a) {
  constexpr Real TANGENT_OF_EIGHTH = 0.41421356237309504880;
  const bool is_large = a > TANGENT_OF_EIGHTH;
  if (is_large) a = (a - 1) / (a + 1);
  const Real z = a * a;
  Real p = -0.01917688711906226;
  p = p * z + 0.03923165829558719;
  p = p * z - 0.0508544973794026;
  p = p * z + 0.0585814891280221;
  p = p * z - 0.06664511447381948;
  p = p * z + 0.07692183190826087;
  p = p * z - 0.09090904578123903;
  p = p * z + 0.11111111015256361;
  p = p * z - 0.14285714284666542;
  p = p * z + 0.1999999999999552;
  p = p * z - 0.3333333333333333;
  const Real angle = a + a * (z * p);
  return is_large ? PI / 4 + angle : angle;
}

// Angle of (x, y), y >= 0, from the x axis: 0 to pi. (0, 0) has the angle 0.
ITEM Real angle_of(Real y, Real x) {
  const Real size = x < 0 ? -x : x;
  if (y == 0 && size == 0) return 0;
  const Real acute = y <= size ? arctangent_below_one(y / size) : PI / 2 - arctangent_below_one(size / y);
  return x < 0 ? PI - acute : acute;
}
