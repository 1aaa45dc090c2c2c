// The library of one caller's formula: what fill.h makes of it, for float32 and float64.
#include "fill.h"
#include "written.h"

FILLS(written)
