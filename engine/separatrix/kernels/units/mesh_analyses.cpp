// Gradients and critical points of meshes.
#include "mesh_barycentres.h"
#include "mesh_critical_points.h"
#include "mesh_keys.h"
#include "mesh_large_stars.h"
#include "mesh_link_voids.h"
#include "mesh_pairs.h"
#include "mesh_rank.h"
