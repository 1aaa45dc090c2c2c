// Alpha complexes of balls, their measures, topology and pockets.
#include "alpha/ball_measures.h"
#include "alpha/ball_neighbors.h"
#include "alpha/boundary_walks.h"
#include "alpha/islands.h"
#include "alpha/pockets.h"
#include "alpha/tables.h"
#include "alpha/triangulated.h"
#include "common/sets.h"
