// Tetrahedral meshes: relations between their simplices.
#include "simplicial/adjacency.h"
#include "simplicial/relations.h"
#include "simplicial/star_forests.h"
#include "simplicial/stars.h"
