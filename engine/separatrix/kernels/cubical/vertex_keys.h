// Keys by which saddle cancellation compares vertices: 32 bits of the images of their values,
// relative to the least image, `low`.
#pragma once
#include "common/order.h"

VALUE_KERNEL(vertex_keys, (const Value* values, Wide low, Int32 shift, Word* keys),
             keys[i] = (Word)((order_image(values[i]) - low) >> shift))
