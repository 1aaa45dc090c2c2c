// Alpha complexes of balls, their measures, topology and pockets.
#include "alpha_tables.h"
#include "ball_measures.h"
#include "ball_neighbours.h"
#include "boundary_walks.h"
#include "islands.h"
#include "pockets.h"
#include "sets.h"
#include "triangulated.h"
