// Tetrahedral meshes: parts of them on their way through a device.
#include "simplicial/packets.h"
