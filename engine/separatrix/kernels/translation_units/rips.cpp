// Vietoris-Rips filtrations: distances, ranks, survivors.
#include "rips/distances.h"
#include "rips/edges.h"
#include "rips/euclidean_lunes.h"
#include "rips/lune_rows.h"
#include "rips/ranks.h"
#include "rips/survivors.h"
#include "rips/warps.h"
#include "rips/waves.h"
