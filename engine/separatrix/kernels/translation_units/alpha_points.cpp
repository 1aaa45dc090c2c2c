// Preparation of the points of triangulations.
#include "alpha/whole_points.h"
