// Cancellation of saddle pairs by rounds.
#include "cubical/grid_rounds.h"
