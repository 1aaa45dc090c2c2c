// rho^2 of a simplex as a double that is a function of the exact rational number alone.
//
// N / den - R_i^2 + alpha is an integer and a truncated fraction of 32 bits. Thus equal sizes give equal doubles
// for any simplex, star, and device, larger sizes never give smaller doubles, and a size above an integer number
// of squared grid units stays above it, so thresholding at any alpha on the grid is exact.
#pragma once
#include "alpha/predicates.h"
#include "common/order.h"

// A squared grid unit in the caller's squared unit: x * factor / divisor, one of them 1.
struct SquaredUnit {
  Real factor, divisor;
};
ITEM Real in_unit(Real x, const SquaredUnit& unit) { return x * unit.factor / unit.divisor; }

ITEM Real next_above(Real x) {
  Real above;
  from_image(order_image(x) + 1, &above);
  return above;
}

ITEM Index floor_of(Real x) {
  Index towards_zero = (Index)x;
  return towards_zero - (x < (Real)towards_zero);
}
// Within 2 units of 2^-53 of x, in fewer operations than the nearest double. It never decreases if x increases, and
// has the sign of x, so that the steps of a division end.
ITEM Real about(Long x) {
  const Long size = x < 0 ? -x : x;
  const Real rounded = (Real)(Index)(size >> 64) * 0x1p64 + (Real)(Wide)size;
  return x < 0 ? -rounded : rounded;
}
// floor(numerator / denominator); the remainder stays in the numerator. Each step gains 50 bits, and is exact,
// however the estimate is rounded.
ITEM Index divide(Long& numerator, Long denominator) {
  Index quotient = 0;
  while (numerator < 0 || numerator >= denominator) {
    Index more = floor_of(about(numerator) / about(denominator));
    quotient += more;
    numerator -= more * denominator;
  }
  return quotient;
}
ITEM Real size_from(Long numerator, Long denominator, Index offset, const SquaredUnit& unit) {
  Index whole = offset + divide(numerator, denominator);
  bool is_above = numerator != 0;
  numerator <<= 32;
  Index fraction = divide(numerator, denominator);
  Real floored = in_unit((Real)whole, unit), size = in_unit((Real)whole + (Real)fraction * 0x1p-32, unit);
  return is_above && size <= floored ? next_above(floored) : size;
}

struct Measure {
  Index alpha;  // squared grid units
  SquaredUnit unit;
};
ITEM Real size_of_vertex(Int32 squared, const Measure& measure) {
  return in_unit((Real)(measure.alpha - squared), measure.unit);
}
ITEM Real size_of(const Edge& edge, Int32 squared, const Measure& measure) {
  Index l = (Index)edge.a.l;
  return size_from((Long)l * l, 4 * (Index)edge.g11, measure.alpha - squared, measure.unit);
}
ITEM Real size_of(const Triangle& t, Int32 squared, const Measure& measure) {
  ExactTriangle e = exact(t);
  return size_from(size_numerator(t, e), 4 * (Long)e.g, measure.alpha - squared, measure.unit);
}
ITEM Real size_of(const Triangle& t, const Tet& tet, Int32 squared, const Measure& measure) {
  Index det = (Index)tet.det;
  return size_from(size_numerator(exact(t, tet.c)), 4 * ((Long)det * det), measure.alpha - squared, measure.unit);
}
