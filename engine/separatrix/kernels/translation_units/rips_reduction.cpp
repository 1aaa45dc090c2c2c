// Reduction of the columns of Vietoris-Rips barcodes, by a matrix of ranks.
#include "rips/reduce_dense.h"
