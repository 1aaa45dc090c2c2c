// A minimal kernel, run once to test whether a device can compile, load, and run kernels.
#pragma once
#include "common/types.h"

KERNEL(probe_device, (Int32* answer), answer[i] = (Int32)i + 42)
