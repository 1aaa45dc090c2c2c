// Loops of Vietoris-Rips barcodes, by lunes and annotations.
#include "rips/listed_links.h"
#include "rips/listed_lunes.h"
#include "rips/loop_columns.h"
#include "rips/loop_cycles.h"
#include "rips/loop_tasks.h"
#include "rips/placed_sides.h"
#include "rips/voids.h"
