// The library of one caller's formula: what fill.h makes of it, for float32 and float64.
#include "sums/fill.h"
#include "sums/written.h"

FILLS(written)
