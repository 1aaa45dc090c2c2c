// A formula and the shape of a problem. What stands here is the default; a text made at run time,
// with a caller's expression or a built-in's name, takes its place (source.py, `written`).
#pragma once
#include "sums/pairs.h"

FORMULA(written, d2 - b[0])
typedef formulas::written PairFormula;

enum { N_DIMENSIONS = 3, N_VALUES = 1, N_COMPONENTS = 1, HAS_FACTORS = 1, HAS_RADIUS = 1, TRIANGLE = 0 };
enum { ROWS_A_THREAD = 2 };
#define SUM_OF_LANES PlainSum<Float>
