// Grown balls and the differences of their centers as integers: exact up to the bounds of snapping.h.
//
// Sites (n, 4) are whole numbers as doubles: x, y, z below 2^29, and r^2 below 2^53. Differences are below 2^30, squared
// lengths and cross products below 2^62 (Index), and expressions of degree 3 and 4 below 2^126 (Long). The squared
// grown radius r^2 + alpha has no bound, and no sign depends on it.
#pragma once
#include "alpha/limbs.h"

#if !ON_GPU
#include <math.h>
#endif

struct GrownBall {
  Index x, y, z, own;  // own: r^2
  Real squared;        // r^2 + alpha
};
ITEM GrownBall grown_ball_at(const Real* sites, Real alpha, Index i) {
  const Real* at = sites + 4 * i;
  return {(Index)at[0], (Index)at[1], (Index)at[2], (Index)at[3], at[3] + alpha};
}
ITEM Real radius_of(const GrownBall& ball) { return ball.squared > 0 ? sqrt(ball.squared) : 0; }

struct Offset {
  Index x, y, z;
};
ITEM Offset offset_to(const GrownBall& from, const GrownBall& to) { return {to.x - from.x, to.y - from.y, to.z - from.z}; }
ITEM Offset cross(const Offset& a, const Offset& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ITEM Index dot(const Offset& a, const Offset& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ITEM Long dot_of_normal(const Offset& n, const Offset& a) { return (Long)n.x * a.x + (Long)n.y * a.y + (Long)n.z * a.z; }
ITEM Long det(const Offset& a, const Offset& b, const Offset& c) { return dot_of_normal(cross(a, b), c); }
ITEM Index squared_distance(const GrownBall& a, const GrownBall& b) {
  const Offset d = offset_to(a, b);
  return dot(d, d);
}
// |d|^2 - r_b^2 + r_a^2: twice |d| times the distance of the radical plane from a.
ITEM Index l_between(const GrownBall& a, const GrownBall& b, Index squared_distance) {
  return squared_distance - b.own + a.own;
}
// The nearest double; ties go to the even one.
ITEM Real real_of(Long x) {
  if ((Long)(Index)x == x) return (Real)(Index)x;
  return real_of(Limbs<2>{{(Wide)x, (Wide)(x >> 64)}});
}
