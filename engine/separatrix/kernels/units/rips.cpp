// Vietoris-Rips filtrations: distances, survivors.
#include "rips_distances.h"
#include "rips_survivors.h"
#include "rips_warps.h"
