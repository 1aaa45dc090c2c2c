// Tetrahedral meshes: their order and their simplices.
#include "mesh_build.h"
#include "mesh_checks.h"
#include "mesh_fans.h"
#include "mesh_lists.h"
#include "mesh_order.h"
#include "mesh_segments.h"
