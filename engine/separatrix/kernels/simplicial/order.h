// Order of points along a Hilbert curve of 2^21 cells per axis, for any number of points.
//
// Skilling 2004, "Programming the Hilbert curve", AIP Conf. Proc. 707: coordinates become the
// transposed Hilbert index in place; its bits, interleaved, are the key.
#pragma once
#include "common/interleaved.h"

enum { HILBERT_BITS = 21 };

ITEM Word hilbert_cell(Real value, Real low, Real scale) {
  const Real cell = (value - low) * scale, last = (Real)((1 << HILBERT_BITS) - 1);
  return cell > 0 ? cell < last ? (Word)cell : (Word)last : 0;  // clamps results of rounding
}
ITEM Index hilbert_key(Word x, Word y, Word z) {
  Word at[3] = {x, y, z};
  for (Word top = 1u << (HILBERT_BITS - 1); top > 1; top >>= 1) {
    const Word below = top - 1;
    UNROLL for (int axis = 0; axis < 3; ++axis) {
      const Word turned = (at[0] ^ at[axis]) & below;  // exchanges the bits below, or
      const Word is_set = at[axis] & top ? ~0u : 0u;   // inverts those of the first axis
      at[0] ^= (is_set & below) | (~is_set & turned);
      at[axis] ^= ~is_set & (axis == 0 ? 0 : turned);
    }
  }
  at[1] ^= at[0];
  at[2] ^= at[1];
  Word flips = 0;
  for (Word top = 1u << (HILBERT_BITS - 1); top > 1; top >>= 1)
    if (at[2] & top) flips ^= top - 1;
  return (Index)(spread_by_three(at[0] ^ flips) << 2 | spread_by_three(at[1] ^ flips) << 1 |
                 spread_by_three(at[2] ^ flips));
}

// In: points (n, d) with d 2 or 3, low (3,), scale in cells per unit. Out: keys (n,).
ITEM Index hilbert_key_of(const Real* points, Index d, const Real* low, Real scale, Index p) {
  const Real* at = points + p * d;
  return hilbert_key(hilbert_cell(at[0], low[0], scale), hilbert_cell(at[1], low[1], scale),
                     d > 2 ? hilbert_cell(at[2], low[2], scale) : 0);
}
KERNEL(key_along_hilbert, (const Real* points, Index d, const Real* low, Real scale, Index* keys),
       keys[i] = hilbert_key_of(points, d, low, scale, i))
KERNEL(invert_permutation, (const Int32* order, Int32* inverse), inverse[order[i]] = (Int32)i)
