// Signed integers of N 64-bit limbs in two's complement, whose products are as wide as both factors together.
//
// For signs of polynomials of differences of coordinates: the degree is the number of limbs, so nothing overflows
// if the differences have at least two bits fewer than their limbs. All loops have fixed lengths.
#pragma once
#include "alpha/predicates.h"
#include "common/order.h"

template <int N>
struct Limbs {
  Wide limb[N];  // the lowest first

  ITEM_MEMBER Limbs operator+(const Limbs& other) const {
    Limbs sum;
    Wide carry = 0;
    for (int k = 0; k < N; ++k) {
      const unsigned __int128 partial = (unsigned __int128)limb[k] + other.limb[k] + carry;
      sum.limb[k] = (Wide)partial;
      carry = (Wide)(partial >> 64);
    }
    return sum;
  }
  // Subtracts `other`, shifted by whole limbs; its highest ones are lost.
  template <int M> ITEM_MEMBER void subtract(const Limbs<M>& other, int shift) {
    Wide borrow = 0;
    for (int k = 0; k + shift < N; ++k) {
      const unsigned __int128 partial = (unsigned __int128)limb[k + shift] - other.limb[k] - borrow;
      limb[k + shift] = (Wide)partial;
      borrow = (Wide)(partial >> 64) & 1;
    }
  }
  ITEM_MEMBER Limbs operator-(const Limbs& other) const {
    Limbs difference = *this;
    difference.subtract(other, 0);
    return difference;
  }
  ITEM_MEMBER bool is_negative() const { return (Index)limb[N - 1] < 0; }
};
// Out of line, because predicates consist of products.
template <int N, int M> OUT_OF_LINE Limbs<N + M> operator*(const Limbs<N>& a, const Limbs<M>& b) {
  Limbs<N + M> product = {};
  for (int i = 0; i < N; ++i) {
    Wide carry = 0;
    for (int j = 0; j < M; ++j) {
      const unsigned __int128 sum = (unsigned __int128)a.limb[i] * b.limb[j] + product.limb[i + j] + carry;
      product.limb[i + j] = (Wide)sum;
      carry = (Wide)(sum >> 64);
    }
    product.limb[i + M] = carry;
  }
  if (a.is_negative()) product.subtract(b, N);
  if (b.is_negative()) product.subtract(a, M);
  return product;
}
template <int N> ITEM int sign_of(const Limbs<N>& x) {
  Wide any = 0;
  for (int k = 0; k < N; ++k) any |= x.limb[k];
  return x.is_negative() ? -1 : any != 0;
}
// A whole number that fits.
template <int N> ITEM Limbs<N> limbs_of(Real value) {
  const Wide bits = bits_of(value);
  const int exponent = (int)(bits >> 52 & 0x7ff) - 1075, shift = exponent > 0 ? exponent & 63 : 0;
  Wide digits = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  if (exponent < 0) digits = exponent < -52 ? 0 : digits >> -exponent;
  Limbs<N> whole;
  for (int k = 0; k < N; ++k) {
    const int above = k - (exponent > 0 ? exponent >> 6 : 0);
    whole.limb[k] = above == 0 ? digits << shift : above == 1 && shift ? digits >> (64 - shift) : 0;
  }
  return value < 0 ? Limbs<N>{} - whole : whole;
}
template <int N, int M> ITEM Limbs<N> resized(const Limbs<M>& x) {
  Limbs<N> same;
  for (int k = 0; k < N; ++k) same.limb[k] = k < M ? x.limb[k] : x.is_negative() ? ~(Wide)0 : 0;
  return same;
}
template <int N> ITEM Limbs<N> shifted(const Limbs<N>& x, int bits) {  // 0 < bits < 64, to the left
  Limbs<N> y;
  for (int k = N - 1; k >= 0; --k) y.limb[k] = x.limb[k] << bits | (k ? x.limb[k - 1] >> (64 - bits) : 0);
  return y;
}
// The nearest double; ties go to the even one.
template <int N> OUT_OF_LINE Real real_of(const Limbs<N>& x) {
  const Limbs<N> positive = x.is_negative() ? Limbs<N>{} - x : x;
  int top = N - 1;
  while (top > 0 && !positive.limb[top]) --top;
  Wide digits = positive.limb[top];
  int exponent = 64 * top;
  if (top > 0) {
    Wide below = positive.limb[top - 1];
#if ON_GPU
    const int zeros = __clzll((Index)digits);
#else
    const int zeros = __builtin_clzll(digits);
#endif
    if (zeros) digits = digits << zeros | below >> (64 - zeros), below <<= zeros, exponent -= zeros;
    for (int k = 0; k < top - 1; ++k) below |= positive.limb[k];
    digits |= below != 0;  // below the digit that rounding looks at
  }
  const Real value = (Real)digits * from_bits((Wide)(1023 + exponent) << 52);
  return x.is_negative() ? -value : value;
}
