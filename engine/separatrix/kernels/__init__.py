"""C++17 headers with the kernels; see ``common/types.h`` for their macros."""

NONE = -1
"""Index that denotes nothing, as in kernels/common/types.h."""
