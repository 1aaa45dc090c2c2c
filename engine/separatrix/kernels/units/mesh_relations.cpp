// Tetrahedral meshes: relations between their simplices.
#include "mesh_adjacency.h"
#include "mesh_relations.h"
#include "mesh_stars.h"
