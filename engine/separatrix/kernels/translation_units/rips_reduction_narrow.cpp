// Reduction of the columns of Vietoris-Rips barcodes, by a matrix of few ranks.
#include "rips/reduce_narrow.h"
