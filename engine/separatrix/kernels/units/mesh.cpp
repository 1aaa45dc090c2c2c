// Tetrahedral meshes: their order, their simplices, relations between them.
#include "mesh_build.h"
#include "mesh_order.h"
