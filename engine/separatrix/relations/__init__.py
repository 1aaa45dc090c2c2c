"""Relations between the simplices of a mesh, and a scheduler that computes them ahead.

``relation``, ``rows`` and ``compute`` compute a relation directly; ``workers`` on other threads, or
on a device that does not hold the mesh. ``scheduler`` serves the requests of many threads: it
caches (``cache``) and predicts (``prefetch``) them. ``stream`` passes over all rows. Liu, Randall,
Ge, Iuricich, "GALE", IEEE TVCG 2025, section 4.
"""
