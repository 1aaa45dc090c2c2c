// What vertices are compared by where pairs are canceled: 32 bits of their values' images, of which `low` is the least.
#pragma once
#include "common/order.h"

VALUE_KERNEL(vertex_keys, (const Value* values, Wide low, Int32 shift, Word* keys),
             keys[i] = (Word)((order_image(values[i]) - low) >> shift))
