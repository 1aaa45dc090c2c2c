// Shared by the plateau-aware orders of images and meshes: the sources of distances.
#pragma once
#include "common/types.h"

enum { HAS_LOWER = 64, HAS_HIGHER = 128 };  // of the sides of a vertex
constexpr Int32 FAR = 0x7fffffff;  // not reached from any source yet

// `side` is HAS_LOWER or HAS_HIGHER.
KERNEL(start_distances, (const Byte* sides, Int32 side, Int32* reach), reach[i] = sides[i] & side ? 0 : FAR)
