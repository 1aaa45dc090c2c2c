// Balls on the fixed-point grid, seen from one of them: the star's center i.
//
// Lengths are whole grid units, areas (alpha, squared radii) whole squared ones. A ball is four Int32:
// x, y, z and R^2 = r^2 + alpha, its squared grown radius, NONE for a ball that has none. A spoke leads
// from i to another ball j: d = p_j - p_i and l = |d|^2 - R_j^2 + R_i^2, the power of p_i's antipode.
// With D the largest R_i + R_j <= MAX_REACH of the balls that meet: |d| <= D, |l| <= D^2, so that all
// spokes, their dot and cross products (D^2) and determinants (D^3 < 2^47) are exact as doubles.
#pragma once
#include "common/types.h"

#if ON_GPU
  #define OUT_OF_LINE static __device__ __noinline__
#else
  #define OUT_OF_LINE static __attribute__((noinline))
#endif

typedef __int128 Long;

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
ITEM Spoke spoke_between(const Ball& center, const Ball& other, Int32 id) {
  Spoke spoke = {(Real)(other.x - center.x), (Real)(other.y - center.y), (Real)(other.z - center.z), 0, id};
  spoke.l = dot(spoke, spoke) - (Real)other.squared + (Real)center.squared;
  return spoke;
}

// Spokes are kept as four Int32: d and l, which is no larger than D^2 < 2^31.
ITEM void put_spoke(const Spoke& spoke, Int32* spokes, Index slot) {
#if ON_GPU
  ((int4*)spokes)[slot] = make_int4((Int32)spoke.x, (Int32)spoke.y, (Int32)spoke.z, (Int32)spoke.l);
#else
  Int32* four = spokes + 4 * slot;
  four[0] = (Int32)spoke.x, four[1] = (Int32)spoke.y, four[2] = (Int32)spoke.z, four[3] = (Int32)spoke.l;
#endif
}
ITEM Spoke spoke_at(const Int32* spokes, Index slot, Int32 id) {
  Ball four = ball_at(spokes, slot);
  return {(Real)four.x, (Real)four.y, (Real)four.z, (Real)four.squared, id};
}

struct Vector {
  Real x, y, z;
};
ITEM Vector cross(const Spoke& a, const Spoke& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ITEM Real dot(const Vector& a, const Spoke& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ITEM Real dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
