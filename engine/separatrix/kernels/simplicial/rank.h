// The place of each mesh vertex in the order by (value, user's point id), from the result of a sort.
#pragma once
#include "common/types.h"

// In: sorted keys that hold the points' ids (keys.h). Out: rank (n,) by mesh vertex.
KERNEL(rank_by_keys, (const Wide* keys, const Int32* vertex_of, Int32* rank),
       rank[vertex_of[(Int32)(Word)keys[i]]] = (Int32)i)
// In: the points in ascending order.
KERNEL(rank_by_points, (const Index* points, const Int32* vertex_of, Int32* rank), rank[vertex_of[points[i]]] = (Int32)i)
