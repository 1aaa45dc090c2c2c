// Points and weights as multiples of a unit, their Morton keys, and tables of a triangulation's rounds.
#pragma once
#include "common/functions.h"
#include "common/interleaved.h"

enum { NO_BITS = 1 << 30, SITE_AXES = 4 };

// A value other than 0 is an odd number times 2^lowest, and smaller than 2^highest.
ITEM void find_bits_of(Real value, Int32* lowest, Int32* highest) {
  const Wide bits = bits_of(value) & 0x7fffffffffffffffull;
  Wide digits = bits & 0xfffffffffffffull;
  *lowest = NO_BITS, *highest = -NO_BITS;
  if (!bits) return;
  if (bits >> 52) digits |= 0x10000000000000ull;
  const Int32 exponent = (Int32)(bits >> 52 ? bits >> 52 : 1) - 1075;
  Int32 length = 0;
  while (length < 53 && digits >> length) ++length;
  const Word low = (Word)digits;
  *lowest = exponent + (low ? lowest_bit(low) : 32 + lowest_bit((Word)(digits >> 32)));
  *highest = exponent + length;
}
KERNEL(find_bits, (const Real* values, Int32* lowest, Int32* highest), find_bits_of(values[i], lowest + i, highest + i))

ITEM void scale_site(const Real* point, Real weight, Real step, Real* site) {
  for (int axis = 0; axis < 3; ++axis) site[axis] = elementary::nearest_whole(point[axis] / step) + 0.0;
  site[3] = elementary::nearest_whole(weight / step / step) + 0.0;
}
KERNEL(scale_to_sites, (const Real* points, const Real* weights, Real step, Real* sites),
       scale_site(points + 3 * i, weights[i], step, sites + SITE_AXES * i))
KERNEL(copy_positions, (const Real* sites, Real* points),
       for (int axis = 0; axis < 3; ++axis) points[3 * i + axis] = sites[SITE_AXES * i + axis])

ITEM Index morton_key(const Real* site, const Real* low, Real step) {
  Wide key = 0;
  for (int axis = 0; axis < 3; ++axis) key |= spread_by_three((Word)((site[axis] - low[axis]) / step)) << axis;
  return (Index)key;
}
KERNEL(key_sites, (const Real* sites, const Real* low, Real step, Index* keys),
       keys[i] = morton_key(sites + SITE_AXES * i, low, step))

// Of offers in rounds: the first ones of each star, those that stars had no room for, and targets and points of joint keys.
KERNEL(limit_offers, (const Index* offsets, Index most, Index* after, Index* ends),
       (after[i] = offsets[i], ends[i] = offsets[i + 1] - offsets[i] < most ? offsets[i + 1] : offsets[i] + most))
KERNEL(flag_left, (const Index* after, const Index* ends, Byte* flags), flags[i] = after[i] < ends[i])
KERNEL(part_offers, (const Index* pairs, Index n, Int32* target, Int32* offered),
       (target[i] = (Int32)(pairs[i] / n), offered[i] = (Int32)(pairs[i] % n)))
