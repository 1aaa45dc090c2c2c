"""C++17 headers that say what is done for one item; see ``common/types.h`` for the macros."""

NONE = -1
"""The index of nothing, as in the kernels: common/types.h."""
