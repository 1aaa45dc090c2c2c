// Tetrahedral meshes: their order and their simplices.
#include "simplicial/build.h"
#include "simplicial/checks.h"
#include "simplicial/fans.h"
#include "simplicial/lists.h"
#include "simplicial/order.h"
#include "simplicial/segments.h"
