// The order of the points of a mesh: by (value, user's point id), as one number per mesh vertex.
//
// Keys that compare like the pairs: for short values, the image in the upper half and the point's id in the
// lower; for long values, the image, with a stable sort that preserves the order of ids in ties.
#pragma once
#include "common/order.h"

ITEM Wide rank_key(Word image, Index point) { return (Wide)image << 32 | (Wide)point; }
ITEM Wide rank_key(Wide image, Index) { return image; }

VALUE_KERNEL(key_point_values, (const Value* values, Wide* keys), keys[i] = rank_key(order_image(values[i]), i))
