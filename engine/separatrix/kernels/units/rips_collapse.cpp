// Graphs of Vietoris-Rips filtrations before they are used: weights, sparse approximation, collapse.
#include "rips_collapse.h"
#include "rips_sparse.h"
#include "rips_weights.h"
