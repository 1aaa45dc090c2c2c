// Regular triangulations: preparation of points, stars that agree, and cells.
#include "alpha/star_cells.h"
#include "alpha/whole_points.h"
