// Alpha complexes of balls, their measures, topology and pockets.
#include "alpha/tables.h"
#include "alpha/ball_measures.h"
#include "alpha/ball_neighbours.h"
#include "alpha/boundary_walks.h"
#include "alpha/islands.h"
#include "alpha/pockets.h"
#include "common/sets.h"
#include "alpha/triangulated.h"
