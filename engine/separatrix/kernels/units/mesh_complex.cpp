// Morse-Smale complexes of meshes: forests, V-paths between saddles as a graph, and what is read off it.
#include "mesh_forests.h"
#include "mesh_paths.h"
#include "mesh_surfaces.h"
#include "path_cancellation.h"
#include "path_networks.h"
