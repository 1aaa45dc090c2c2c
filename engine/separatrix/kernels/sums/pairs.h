// A pair of points, and the formulas that give it a value.
//
// A formula is one C++ expression over these names, `real` being float or double:
//   x[d] y[d] dx[d]  coordinates of the two points, and x[d] - y[d]
//   d2               squared distance, summed in the order of the axes
//   b[e] p[q]        values of the point that is reduced over, parameters of the call
//   i j              the points' indices in the caller's arrays
//   exp log sqrt min max abs
// The arithmetic is that of common/exponential.h, so a formula's value has the same bits everywhere.
// FORMULA(name, expression) is a row of the table of built-ins, which Python reads from here.
#pragma once
#include "common/exponential.h"

// A point, or its values, in arrays whose axes lie `stride` apart.
template <class Float> struct Strided {
  const Float* at;
  Index stride;
  ITEM_MEMBER Float operator[](int axis) const { return at[axis * stride]; }
};
template <class X, class Y, class Float> struct Difference {
  X x;
  Y y;
  ITEM_MEMBER Float operator[](int axis) const { return x[axis] - y[axis]; }
};

template <class Float, class X, class Y> ITEM Difference<X, Y, Float> difference(X x, Y y) { return {x, y}; }

// A term of d2. In float64 the sum is plain, as in spatial/neighbors.h and spatial/nearest.h: who is within a radius,
// and which of two is nearer, must not depend on the function that was asked.
ITEM float with_square(float sum, float d) { return fused(d, d, sum); }
ITEM double with_square(double sum, double d) { return sum + d * d; }

// d2 of the first 1 to 3 axes; more are added by the caller in the same manner.
template <class Float> ITEM Float squared_length(Float dx, Float dy, Float dz) {
  return with_square(with_square(dx * dx, dy), dz);
}

template <class Float> ITEM Float fourth_power(Float v) { return v * v * (v * v); }

namespace formulas {
ITEM float exp(float x) { return exponential(x); }
ITEM double exp(double x) { return exponential(x); }
ITEM float log(float x) { return natural_log(x); }
ITEM double log(double x) { return natural_log(x); }
ITEM float sqrt(float x) { return square_root(x); }
ITEM double sqrt(double x) { return square_root(x); }
ITEM float abs(float x) { return x < 0 ? -x : x; }
ITEM double abs(double x) { return x < 0 ? -x : x; }
ITEM Index abs(Index x) { return x < 0 ? -x : x; }
// 0 where the divisor is: columns beyond the last have index 0. That of -1 would overflow.
ITEM Index remainder(Index a, Index b) { return b == 0 || b == -1 ? 0 : a % b; }
template <class A, class B> ITEM auto min(A a, B b) { return b < a ? b : a; }
template <class A, class B> ITEM auto max(A a, B b) { return a < b ? b : a; }
}  // namespace formulas

// x is the row's point and y the column's; swapped, where a reduction runs over x, the other way.
#define FORMULA_OPENS_AS(name, first, second, first_index, second_index)                         \
  namespace formulas {                                                                           \
  struct name {                                                                                  \
    template <class real, class Row, class Column, class B>                                      \
    ITEM_MEMBER static real of(Row first, Column second, real d2, B b, const real* p,            \
                               Index first_index, Index second_index) {                          \
      const auto dx = difference<real>(x, y);                                                    \
      return real(
#define FORMULA_OPENS(name) FORMULA_OPENS_AS(name, x, y, i, j)
#define FORMULA_OPENS_SWAPPED(name) FORMULA_OPENS_AS(name, y, x, j, i)
#define FORMULA_CLOSES \
  );                   \
  }                    \
  }                    \
  ;                    \
  }
#define FORMULA(name, ...) FORMULA_OPENS(name) __VA_ARGS__ FORMULA_CLOSES

FORMULA(squared_distance, d2)
FORMULA(distance, sqrt(d2))
FORMULA(gaussian, decay(p[0] * d2))
FORMULA(shifted_gaussian, d2 < p[1] ? max(decay(p[0] * d2) - p[2], real(0)) : real(0))
FORMULA(laplacian, decay(p[0] * sqrt(d2)))
FORMULA(power, d2 - b[0])
FORMULA(within, d2 <= p[0])
FORMULA(wendland, d2 < p[1] ? fourth_power(1 - p[0] * sqrt(d2)) * fused(4 * p[0], sqrt(d2), real(1)) : real(0))
