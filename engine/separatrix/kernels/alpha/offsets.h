// Differences of centers as 64-bit integers: exact as long as the balls meet (spokes.h).
#pragma once
#include "alpha/spokes.h"

struct Offset {
  Index x, y, z;
};
ITEM Offset offset_to(const Ball& from, const Ball& to) {
  return {(Index)to.x - from.x, (Index)to.y - from.y, (Index)to.z - from.z};
}
ITEM Offset cross(const Offset& a, const Offset& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ITEM Index dot(const Offset& a, const Offset& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ITEM Index det(const Offset& a, const Offset& b, const Offset& c) { return dot(cross(a, b), c); }
ITEM Index squared_distance(const Ball& a, const Ball& b) {
  Offset d = offset_to(a, b);
  return dot(d, d);
}
