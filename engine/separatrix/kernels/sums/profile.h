// Kernels of densities around a point: their values and gradients by squared distance, in units of their
// length.
//
//   GAUSSIAN, LAPLACIAN  exp(-d^2 / 2), exp(-d), minus p2, the value at the cutoff; the gradient is that of
//                        the exponential
//   EPANECHNIKOV         1 - d^2; Epanechnikov 1969
//   WENDLAND             (1 - d)^4 (4 d + 1); Wendland 1995, C2
//   CUBIC_SPLINE         (2 - d)^3 / 4 - (1 - d)^3, each term up to 0; Monaghan, Lattanzio 1985
#pragma once
#include "sums/pairs.h"

enum DensityKernel { GAUSSIAN = 0, LAPLACIAN = 1, EPANECHNIKOV = 2, WENDLAND = 3, CUBIC_SPLINE = 4 };

// Value at squared distance d2 < p1, and the factor of (position - point) in the gradient.
template <int KIND, class Float> struct Profile {
  Float p0, p1, p2;
  ITEM_MEMBER Float value(Float d2) const {
    if (KIND == GAUSSIAN) return max_of(decay(d2, p0) - p2, (Float)0);
    if (KIND == LAPLACIAN) return max_of(decay(square_root(d2), p0) - p2, (Float)0);
    if (KIND == EPANECHNIKOV) return 1 - d2;
    Float q = p0 * square_root(d2);
    if (KIND == WENDLAND) return fourth_power(1 - q) * fused((Float)4, q, (Float)1);
    Float outer = 2 - q, inner = max_of(1 - q, (Float)0);
    return outer * outer * outer * (Float)0.25 - inner * inner * inner;
  }
  ITEM_MEMBER Float slope(Float d2) const {
    if (KIND == GAUSSIAN) return -2 * p0 * decay(d2, p0);
    if (KIND == EPANECHNIKOV) return -2;
    if (KIND == LAPLACIAN) {
      Float q = square_root(d2);
      return d2 > 0 ? -decay(q, p0) / q : (Float)0;
    }
    Float q = p0 * square_root(d2);
    if (KIND == WENDLAND) {
      Float u = 1 - q;
      return -20 * p0 * p0 * (u * u * u);
    }
    Float outer = 2 - q;
    return q < 1 ? (Float)2.25 * q - 3 : (Float)-0.75 * (outer * outer) / q;
  }
};
