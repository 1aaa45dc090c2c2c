"""Relations between the simplices of a mesh, and a scheduler that computes them ahead.

``relation``, ``rows`` and ``compute`` compute a relation directly. The scheduler serves many
threads: consumers request rows; workers compute them by segments, on streams of a GPU or on threads
of the CPU. Liu, Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025, section 4.

1. ``layout``: the rows of each segment, and their bytes. 2. ``workers``: rows of segments;
``packets`` computes them on a device that does not hold the mesh. 3. ``cache``: recent segments.
4. ``prefetch``: prediction of requests. 5. ``scheduler`` and ``stream``: the public interface.
"""
