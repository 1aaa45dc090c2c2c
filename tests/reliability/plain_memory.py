"""A plugin of pytest: each array on a GPU has memory of its own, by cudaMalloc.

CuPy's pool hands out parts of large blocks, in which compute-sanitizer sees no access beyond an
array's end. Only work under a limit of memory keeps a pool, since the limit is the pool's.
"""


def pytest_configure() -> None:
    """Before any test: no pool."""
    import cupy

    cupy.cuda.set_allocator(None)
