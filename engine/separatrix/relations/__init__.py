"""Relations between the simplices of a mesh, and a scheduler that computes them ahead.

``relation`` and ``rows`` compute a relation directly. The scheduler serves many threads: consumers
ask for rows; workers compute them by segments, on streams of a GPU or on threads of the CPU. Liu,
Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025, section 4.

1. ``layout``: which rows each segment has, and their bytes. 2. ``workers``: rows of some segments.
``packets`` computes them on a device that does not hold the mesh. 3. ``cache``: what is kept.
4. ``prefetch``: what is likely to be asked for next. 5. ``queues`` and ``dispatch``: futures and
worker threads. 6. ``scheduler`` and ``stream``: what the user sees.
"""
