// Edge collapse of Vietoris-Rips filtrations.
#include "rips_collapse.h"
