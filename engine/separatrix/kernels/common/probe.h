// The smallest kernel: run once to learn whether a device can compile, load and run anything.
#pragma once
#include "common/types.h"

KERNEL(probe_device, (Int32* answer), answer[i] = (Int32)i + 42)
