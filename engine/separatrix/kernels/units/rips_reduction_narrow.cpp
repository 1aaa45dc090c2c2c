// Reduction of the columns of Vietoris-Rips barcodes, by a matrix of few ranks.
#include "rips_reduce_narrow.h"
