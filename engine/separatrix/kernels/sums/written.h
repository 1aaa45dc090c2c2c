// Default formula and shape of a problem. At run time, a text with the caller's expression or the name of
// a built-in formula replaces this file (source.py, `written`).
#pragma once
#include "sums/pairs.h"

FORMULA(written, d2 - b[0])
typedef formulas::written PairFormula;

enum { N_DIMENSIONS = 3, ROW_LENGTH = 3, COLUMN_LENGTH = 3, MANY_PARAMETERS = 0, N_VALUES = 1, N_COMPONENTS = 1, HAS_FACTORS = 1, HAS_RADIUS = 1, TRIANGLE = 0 };
enum { ROWS_PER_THREAD = 2, LANES_PER_THREAD = 4, BLOCKS_PER_PROCESSOR = 1 };
#define SUM_OF_LANES PlainSum<Float>
