// The host build of every kernel: one C-ABI shared library, loaded through ctypes.
#include "alpha_tables.h"
#include "arrows.h"
#include "ball_measures.h"
#include "boundary_walks.h"
#include "cancellation.h"
#include "column_reduction.h"
#include "connector_marks.h"
#include "connector_minor.h"
#include "connector_paths.h"
#include "critical.h"
#include "extrema.h"
#include "finite.h"
#include "flood.h"
#include "gradient.h"
#include "islands.h"
#include "merge_tree.h"
#include "owner.h"
#include "place.h"
#include "pockets.h"
#include "probe.h"
#include "regions.h"
#include "reversal.h"
#include "saddle_paths.h"
#include "segmentation.h"
#include "separatrices.h"
#include "sets.h"
#include "surfaces.h"
#include "top_cell.h"

// Raised whenever a kernel's meaning changes under an unchanged parameter list.
extern "C" EXPORT int separatrix_abi() { return 1; }

#ifndef SEPARATRIX_SOURCE_HASH
#define SEPARATRIX_SOURCE_HASH "unknown"
#endif
extern "C" EXPORT const char* separatrix_source_hash() { return SEPARATRIX_SOURCE_HASH; }
