// Vietoris-Rips filtrations: distances, ranks, survivors.
#include "rips_distances.h"
#include "rips_ranks.h"
#include "rips_survivors.h"
#include "rips_warps.h"
