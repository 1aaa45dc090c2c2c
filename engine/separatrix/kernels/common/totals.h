// Sums of integers. CuPy's sum, any, and bincount would delay a first call by seconds, since their kernels
// are compiled with CUB's headers.
#pragma once
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
