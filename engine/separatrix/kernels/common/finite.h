// Number and first index of the values that are not finite, for each run of values.
#pragma once
#include "common/order.h"

enum { FINITE_RUN = 64 };

// In: values (n,). Out per run of FINITE_RUN values: count, first index or n.
template <class Value>
ITEM void count_nonfinite_in(const Value* values, Index n, Index run, Int32* count, Index* first_at) {
  Index begin = run * FINITE_RUN, end = begin + FINITE_RUN < n ? begin + FINITE_RUN : n;
  Int32 bad = 0;
  Index where = n;
  for (Index v = begin; v < end; ++v)
    if (!is_finite(values[v])) {
      if (!bad) where = v;
      ++bad;
    }
  count[run] = bad;
  first_at[run] = where;
}

VALUE_KERNEL(count_nonfinite, (const Value* values, Index n, Int32* count, Index* first_at),
             count_nonfinite_in(values, n, i, count, first_at))
