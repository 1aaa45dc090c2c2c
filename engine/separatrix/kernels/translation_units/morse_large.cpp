// Kernels that trace V-paths in images of 2^31 voxels or more, on the CPU; see Anchor in common/types.h.
#define LARGE_IMAGES
#include "cubical/arrows.h"
#include "cubical/connector_lines.h"
#include "cubical/flood.h"
#include "cubical/grid_paths.h"
