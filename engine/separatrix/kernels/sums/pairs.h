// Pairs of points, and the formulas for their values.
//
// A formula is statements with these names that return its value, or Several<real, n>; `real` is float or double:
//   x[d] y[d]  coordinates of the two points, and from max(3, dimension) on their variables
//   d2         squared distance, summed in the order of the axes
//   b[e] p[q]  values of the point reduced over, and parameters of the call
//   i j        indices of the points in the caller's arrays
//   exp log sqrt min max abs with_product, and the functions of common/functions.h
// With the arithmetic of common/exponential.h, values have the same bits on every device.
// FORMULA(name, expression) declares a built-in formula; Python reads these lines.
#pragma once
#include "common/functions.h"

// A point, or its values, in arrays with `stride` between axes.
template <class Float> struct Strided {
  const Float* at;
  Index stride;
  ITEM_MEMBER Float operator[](int axis) const { return at[axis * stride]; }
};

// Results of a formula, if it has several.
template <class Float, int N> struct Several {
  Float at[N];
};
template <class Float> ITEM Float result(Float v, int) { return v; }
template <class Float, int N> ITEM Float result(const Several<Float, N>& v, int e) { return v.at[e]; }

// A term of d2. In float64 the sum is plain, as in spatial/neighbors.h and spatial/nearest.h, because the points
// within a radius, and the nearest one, must not depend on the function that is called.
ITEM float with_product(float sum, float a, float b) { return fused(a, b, sum); }
ITEM double with_product(double sum, double a, double b) { return sum + a * b; }
template <class Float> ITEM Float with_square(Float sum, Float d) { return with_product(sum, d, d); }

// d2 of the first 1 to 3 axes; the caller adds more in the same way.
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
#define OF_REAL(name, function)                                                 \
  ITEM float name(float x) { return elementary::rounded(elementary::function(x)); } \
  ITEM double name(double x) { return elementary::function(x); }
OF_REAL(sin, sine)
OF_REAL(cos, cosine)
OF_REAL(tan, tangent)
OF_REAL(asin, arcsine)
OF_REAL(acos, arccosine)
OF_REAL(atan, arctangent)
OF_REAL(sinh, hyperbolic_sine)
OF_REAL(cosh, hyperbolic_cosine)
OF_REAL(tanh, hyperbolic_tangent)
OF_REAL(erf, error_function)
OF_REAL(floor, whole_below)
OF_REAL(round, nearest_whole)
ITEM float atan2(float y, float x) { return elementary::rounded(elementary::arctangent(y, x)); }
ITEM double atan2(double y, double x) { return elementary::arctangent(y, x); }
ITEM float real_power(float x, float y) { return elementary::rounded(elementary::power(x, y)); }
ITEM double real_power(double x, double y) { return elementary::power(x, y); }
ITEM float abs(float x) { return x < 0 ? -x : x; }
ITEM double abs(double x) { return x < 0 ? -x : x; }
ITEM Index abs(Index x) { return x < 0 ? -x : x; }
// 0 if the divisor is 0, because columns beyond the last have index 0. A divisor of -1 could overflow.
ITEM Index remainder(Index a, Index b) { return b == 0 || b == -1 ? 0 : a % b; }
template <class A, class B> ITEM auto min(A a, B b) { return b < a ? b : a; }
template <class A, class B> ITEM auto max(A a, B b) { return a < b ? b : a; }
}  // namespace formulas

// x is the point of the row and y that of the column, or the reverse if a reduction runs over x.
#define FORMULA_OPENS_AS(name, first, second, first_index, second_index)              \
  namespace formulas {                                                                \
  struct name {                                                                       \
    template <class real, class Row, class Column, class B>                           \
    ITEM_MEMBER static auto of(Row first, Column second, real d2, B b, const real* p, \
                               Index first_index, Index second_index) {
#define FORMULA_OPENS(name) FORMULA_OPENS_AS(name, x, y, i, j)
#define FORMULA_OPENS_SWAPPED(name) FORMULA_OPENS_AS(name, y, x, j, i)
#define FORMULA_CLOSES \
  }                    \
  }                    \
  ;                    \
  }
#define FORMULA(name, ...) FORMULA_OPENS(name) return real(__VA_ARGS__); FORMULA_CLOSES

FORMULA(squared_distance, d2)
FORMULA(distance, sqrt(d2))
FORMULA(gaussian, decay(d2, p[0]))
FORMULA(shifted_gaussian, d2 < p[1] ? max(decay(d2, p[0]) - p[2], real(0)) : real(0))
FORMULA(laplacian, decay(sqrt(d2), p[0]))
FORMULA(power, d2 - b[0])
FORMULA(within, d2 <= p[0])
FORMULA(wendland, d2 < p[1] ? fourth_power(1 - p[0] * sqrt(d2)) * fused(4 * p[0], sqrt(d2), real(1)) : real(0))
