// Loops of Vietoris-Rips barcodes, by lunes and annotations.
#include "rips/loops.h"
#include "rips/voids.h"
