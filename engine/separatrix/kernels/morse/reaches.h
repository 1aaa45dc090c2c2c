// How far the searches of saddle_log.h go that may give up, in squares.
#pragma once
#include "common/types.h"

constexpr Word JOIN_REACH = 512;  // to find the 1-saddle that is nearest in value
constexpr Word SEARCH_REACH = 1024;
