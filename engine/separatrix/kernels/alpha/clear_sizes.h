// Sizes of simplices as pairs of doubles, where these determine the result of the exact arithmetic of triangulated.h.
//
// The result is that of V = N / 4 q - w_o, floored to 32 bits of the fraction and rounded once. V is computed with an
// error below 2^-96 of the sum of the absolute values of its terms: each operation on pairs has an error of a few
// units of 2^-104 (Dekker 1971; Joldes, Muller, Popescu 2017). If no multiple of 2^-32 is within that error, the floor is
// known, and it is the exact sum of two doubles, so it is rounded by adding them.
//
// Differences of coordinates are below 2^30 and squared radii below 2^53, so l is below 2^62, and the components of P,
// u, and v are below 2^126.
#pragma once
#include "alpha/conflicts.h"
#include "alpha/sizes.h"
#include "common/functions.h"

// high + low, where |low| is at most half a unit in the last place of high.
struct Twofold {
  Real high, low;
};
ITEM Twofold sum_of(Real a, Real b) {
  const Real sum = a + b, b_in = sum - a;
  return {sum, (a - (sum - b_in)) + (b - b_in)};
}
ITEM Twofold sum_of_ordered(Real a, Real b) {  // |a| >= |b|, or a = 0
  const Real sum = a + b;
  return {sum, b - (sum - a)};
}
ITEM Twofold operator+(const Twofold& a, const Twofold& b) {
  const Twofold sum = sum_of(a.high, b.high);
  return sum_of_ordered(sum.high, sum.low + (a.low + b.low));
}
ITEM Twofold operator*(const Twofold& a, const Twofold& b) {
  const Real product = a.high * b.high;
  return sum_of_ordered(product, fused(a.high, b.high, -product) + (a.high * b.low + a.low * b.high));
}
ITEM Twofold operator/(const Twofold& a, const Twofold& b) {
  const Real quotient = a.high / b.high, product = quotient * b.high;
  const Real rest = (a.high - product) - fused(quotient, b.high, -product) + (a.low - quotient * b.low);
  return sum_of_ordered(quotient, rest / b.high);
}
ITEM Twofold twofold(Long x) {
  const Long digits = ((Long)1 << 42) - 1;
  const Twofold upper = sum_of_ordered((Real)(Index)(x >> 84) * 0x1p84, (Real)(Index)(x >> 42 & digits) * 0x1p42);
  const Twofold lower = sum_of(upper.low, (Real)(Index)(x & digits)), sum = sum_of(upper.high, lower.high);
  return sum_of_ordered(sum.high, sum.low + lower.low);
}

// N, the sum of the absolute values of its terms, and q.
struct SizeTerms {
  Twofold numerator, quarter;
  Real terms;
};
struct WholeRay {
  Index x, y, z, l;
};
ITEM WholeRay whole_ray(const Site& o, const Site& p) {
  const Index x = (Index)(p.x - o.x), y = (Index)(p.y - o.y), z = (Index)(p.z - o.z);
  return {x, y, z, x * x + y * y + z * z - (Index)p.w + (Index)o.w};
}
ITEM Index dot(const WholeRay& a, const WholeRay& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ITEM SizeTerms terms_of(const Twofold& numerator, const Twofold& quarter) { return {numerator, quarter, numerator.high}; }
ITEM SizeTerms terms_of_edge(const WholeRay& a) {
  const Twofold l = twofold(a.l);
  return terms_of(l * l, twofold(dot(a, a)));
}
ITEM SizeTerms terms_of_triangle(const WholeRay& a, const WholeRay& b) {
  const Long aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
  const Twofold u = twofold(a.l * bb - b.l * ab) * twofold(a.l), v = twofold(b.l * aa - a.l * ab) * twofold(b.l);
  return {u + v, twofold(aa * bb - ab * ab), absolute(u.high) + absolute(v.high)};
}
ITEM SizeTerms terms_of_tet(const WholeRay& a, const WholeRay& b, const WholeRay& c) {
  const Long bc_x = b.y * c.z - b.z * c.y, bc_y = b.z * c.x - b.x * c.z, bc_z = b.x * c.y - b.y * c.x;
  const Long ca_x = c.y * a.z - c.z * a.y, ca_y = c.z * a.x - c.x * a.z, ca_z = c.x * a.y - c.y * a.x;
  const Long ab_x = a.y * b.z - a.z * b.y, ab_y = a.z * b.x - a.x * b.z, ab_z = a.x * b.y - a.y * b.x;
  const Twofold x = twofold(a.l * bc_x + b.l * ca_x + c.l * ab_x), y = twofold(a.l * bc_y + b.l * ca_y + c.l * ab_y);
  const Twofold z = twofold(a.l * bc_z + b.l * ca_z + c.l * ab_z), det = twofold(ab_x * c.x + ab_y * c.y + ab_z * c.z);
  return terms_of(x * x + y * y + z * z, det * det);
}

// A size that is not a whole number is above the image of the whole number below it.
ITEM Real size_above(Real whole, Real size, const SquaredUnit& unit) {
  const Real floored = in_unit(whole, unit);
  return size <= floored ? next_above(floored) : size;
}
// The size, if it is clear.
ITEM bool find_clear_size(const SizeTerms& of, Real weight, const SquaredUnit& unit, Real& size) {
  using elementary::whole_below;
  const Twofold quotient = of.numerator / of.quarter, difference = sum_of(quotient.high * 0.25, -weight);
  const Twofold value = sum_of_ordered(difference.high, difference.low + quotient.low * 0.25);
  const Real error = 0x1p-96 * (0.25 * of.terms / of.quarter.high + absolute(weight));
  const Real high = value.high * 0x1p32, floored_high = whole_below(high), far = absolute(value.high);
  const Real rest = (high - floored_high) + value.low * 0x1p32, floored_rest = whole_below(rest);
  const Real above = rest - floored_rest, margin = error * 0x1p32 + 0x1p-50;
  if (!(above > margin && above < 1 - margin && far < 0x1p80)) return false;
  size = in_unit((floored_high + floored_rest) * 0x1p-32, unit);
  if (far > 0x1p53) return true;
  if (far > 0x1p51) return false;
  const Real whole = whole_below(floored_high * 0x1p-32);
  size = size_above(whole + whole_below((floored_high - whole * 0x1p32 + floored_rest) * 0x1p-32), size, unit);
  return true;
}
// The size of an edge between equal weights, four times of which is a whole number: V = (l - 4 w_o) / 4.
ITEM Real size_of_even_edge(Index l, Real weight, const SquaredUnit& unit) {
  const Index fourfold = l - 4 * (Index)weight;
  const Real size = in_unit((Real)fourfold * 0.25, unit), whole = (Real)(fourfold >> 2);
  return fourfold & 3 && absolute(whole) < 0x1p52 ? size_above(whole, size, unit) : size;
}
