"""A plugin of pytest: each array on a GPU is allocated by cudaMalloc.

CuPy's pool returns parts of large blocks, in which compute-sanitizer does not see an access beyond
the end of an array. Only work under a memory limit uses a pool, because the pool has the limit.
"""


def pytest_configure() -> None:
    """Remove the pool before any test."""
    import cupy

    cupy.cuda.set_allocator(None)
