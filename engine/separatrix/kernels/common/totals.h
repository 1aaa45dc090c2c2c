// Sums of integers, which CuPy's own reductions, compiled with CUB's headers, would delay by seconds.
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
