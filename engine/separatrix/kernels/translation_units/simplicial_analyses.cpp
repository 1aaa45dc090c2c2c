// Gradients and critical points of meshes.
#include "simplicial/barycenters.h"
#include "simplicial/critical_points.h"
#include "simplicial/keys.h"
#include "simplicial/large_stars.h"
#include "simplicial/link_voids.h"
#include "simplicial/pairs.h"
#include "simplicial/plateau.h"
#include "simplicial/rank.h"
