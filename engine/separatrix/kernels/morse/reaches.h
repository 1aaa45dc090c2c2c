// How far the searches of saddle_log.h go that may give up, in squares.
#pragma once
#include "common/types.h"

// To find the 1-saddle that is nearest in value, while many pairs have their first turn, and later.
constexpr Word NEAR_REACH = 128, FAR_REACH = 2048;
constexpr Word SEARCH_REACH = 4096;
