// Atomic minima and maxima of images of order.h.
#pragma once
#include "common/types.h"

#if ON_GPU
ITEM void min_into(Wide* held, Wide image) { atomicMin(held, image); }
ITEM void max_into(Wide* held, Wide image) { atomicMax(held, image); }
#else
ITEM void min_into(Wide* held, Wide image) {
  Wide now = peek(held);
  while (image < now) {
    Wide before = exchange_if(held, now, image);
    if (before == now) return;
    now = before;
  }
}
ITEM void max_into(Wide* held, Wide image) {
  Wide now = peek(held);
  while (image > now) {
    Wide before = exchange_if(held, now, image);
    if (before == now) return;
    now = before;
  }
}
#endif
