"""C++17 headers that say what is done for one item; see ``common/types.h`` for the macros."""
