// Tetrahedral meshes: parts of them on their way through a device.
#include "mesh_packets.h"
