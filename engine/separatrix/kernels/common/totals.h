// Sums of integers, and largest magnitudes. CuPy's sum, max, any, and bincount would delay a first call by
// seconds, since their kernels are compiled with CUB's headers.
#pragma once
#include "common/extremes.h"
#include "common/order.h"

enum { N_TOTALS = 32 };

// In: values (n,). Adds those at i, i + step, ... to one of the N_TOTALS sums in `totals`.
template <class Value>
ITEM void add_up_from(const Value* values, Index n, Index step, Index i, Index* totals) {
  Index total = 0;
  for (Index v = i; v < n; v += step) total += (Index)values[v];
  if (total) add_to(totals + i % N_TOTALS, total);
}

VALUE_KERNEL(add_up, (const Value* values, Index n, Index step, Index* totals),
             add_up_from(values, n, step, i, totals))

// rows (n,), amounts (n,), or (1,) with stride 0. Adds to sums (n_rows,).
VALUE_KERNEL(add_to_rows, (const Value* rows, const Index* amounts, Index stride, Index* sums),
             add_to(sums + (Index)rows[i], amounts[i * stride]))

// Bits of a magnitude, which are ordered as the magnitudes are, NaN last. Those of float are not widened,
// because CuPy's options flush denormals.
ITEM Wide magnitude_bits(float v) { return bits_of(v) & 0x7fffffffu; }
ITEM Wide magnitude_bits(double v) { return bits_of(v) & 0x7fffffffffffffffull; }
template <class Value> ITEM Wide magnitude_bits(Value v) { return magnitude_bits((double)v); }

// Raises `largest` (1,) to the bits of the values at i, i + step, ...
template <class Value>
ITEM void find_largest_from(const Value* values, Index n, Index step, Index i, Wide* largest) {
  Wide most = 0;
  for (Index v = i; v < n; v += step) {
    const Wide bits = magnitude_bits(values[v]);
    most = bits > most ? bits : most;
  }
  if (most > peek(largest)) max_into(largest, most);
}

VALUE_KERNEL(find_largest, (const Value* values, Index n, Index step, Wide* largest),
             find_largest_from(values, n, step, i, largest))
