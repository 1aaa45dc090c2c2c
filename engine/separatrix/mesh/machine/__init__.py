"""The task-parallel machine: relations of a mesh made by workers, ahead of those who ask for them.

Consumers are threads that ask for rows; workers make them, by segments, on streams of a GPU or on
threads of the CPU. Liu, Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025, section 4.

1. ``layout``: which rows each segment has, and their bytes. 2. ``makers``: rows of some segments.
``packets`` makes them on a device that does not hold the mesh. 3. ``cache``: what is kept.
4. ``ahead``: what is likely to be asked for next. 5. ``queues`` and ``dispatch``: futures, workers.
6. ``machine`` and ``stream``: what the user sees.
"""
