// The host build of every kernel is one C-ABI shared library, loaded through ctypes: this file and the
// translation units in translation_units/, each of one family of kernels.
#include "common/crew.h"
#include "common/probe.h"

#ifndef SEPARATRIX_SOURCE_HASH
#define SEPARATRIX_SOURCE_HASH "unknown"
#endif
extern "C" EXPORT const char* separatrix_source_hash() { return SEPARATRIX_SOURCE_HASH; }
