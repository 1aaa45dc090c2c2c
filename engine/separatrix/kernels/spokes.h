// Balls on the fixed-point grid, seen from one of them: the star's centre i.
//
// Lengths are whole grid units, areas (alpha, squared radii) whole squared ones. A ball is four Int32:
// x, y, z and R^2 = r^2 + alpha, its squared grown radius, NONE for a ball that has none. A spoke leads
// from i to another ball j: d = p_j - p_i and l = |d|^2 - R_j^2 + R_i^2, the power of p_i's antipode.
// With D the largest R_i + R_j <= MAX_REACH of the balls that meet: |d| <= D, |l| <= D^2, so that all
// spokes, their dot and cross products (D^2) and determinants (D^3 < 2^47) are exact as doubles.
#pragma once
#include "types.h"

enum { MAX_REACH = 40000 };  // grid units: the largest D for which every sign fits 128 bits

struct Ball {
  Int32 x, y, z, squared;
};
struct Spoke {
  Real x, y, z, l;
  Int32 id;
};

ITEM Ball ball_at(const Int32* balls, Index i) {
#if ON_GPU
  int4 four = ((const int4*)balls)[i];
  return {four.x, four.y, four.z, four.w};
#else
  return {balls[4 * i], balls[4 * i + 1], balls[4 * i + 2], balls[4 * i + 3]};
#endif
}
ITEM Real dot(const Spoke& a, const Spoke& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ITEM Spoke spoke_between(const Ball& centre, const Ball& other, Int32 id) {
  Spoke spoke = {(Real)(other.x - centre.x), (Real)(other.y - centre.y), (Real)(other.z - centre.z), 0, id};
  spoke.l = dot(spoke, spoke) - (Real)other.squared + (Real)centre.squared;
  return spoke;
}

struct Vector {
  Real x, y, z;
};
ITEM Vector cross(const Spoke& a, const Spoke& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ITEM Real dot(const Vector& a, const Spoke& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
