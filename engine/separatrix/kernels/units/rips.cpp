// Vietoris-Rips filtrations: distances, survivors.
#include "rips_survivors.h"
