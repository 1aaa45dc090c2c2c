// Graphs of Vietoris-Rips filtrations before they are used: weights, sparse approximation, collapse.
#include "rips/collapse.h"
#include "rips/sparse.h"
#include "rips/weights.h"
