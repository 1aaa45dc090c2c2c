// Connectors with an odd number of V-paths between saddles that are not paired with extrema.
#pragma once
#include "common/types.h"

// In: saddles and numbers of paths (m,); the extrema paired with each 1-saddle and each 2-saddle, or NONE.
KERNEL(flag_odd_connectors, (const Int32* lower, const Index* upper, const Wide* n_paths, const Int32* minimum_of,
                             const Int32* maximum_of, Byte* flags),
       flags[i] = (n_paths[i] & 1) && minimum_of[lower[i]] == NONE && maximum_of[upper[i]] == NONE)
