// Reduction of the columns of Vietoris-Rips barcodes of a sparse graph, and representative cycles.
#include "rips_cycles.h"
#include "rips_reduce_sparse.h"
