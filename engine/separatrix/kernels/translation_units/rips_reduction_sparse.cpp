// Reduction of the columns of Vietoris-Rips barcodes of a sparse graph, and representative cycles.
#include "rips/cycles.h"
#include "rips/reduce_sparse.h"
