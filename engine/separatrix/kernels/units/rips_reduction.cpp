// Reduction of the columns of Vietoris-Rips barcodes.
#include "rips_reduction.h"
#include "rips_cycles.h"
