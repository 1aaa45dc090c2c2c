// The order of the points of a mesh: by (value, user's point id), as one number per mesh vertex.
//
// Keys that compare like the pairs: the image of a short value above its point's id, or the image of
// a long one, whose ties a stable sort keeps in the order of the ids.
#pragma once
#include "common/order.h"

ITEM Wide rank_key(Word image, Index point) { return (Wide)image << 32 | (Wide)point; }
ITEM Wide rank_key(Wide image, Index) { return image; }

VALUE_KERNEL(key_point_values, (const Value* values, Wide* keys), keys[i] = rank_key(order_image(values[i]), i))
