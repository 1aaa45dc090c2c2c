"""Relations between the simplices of a mesh, and a scheduler that computes them ahead.

``relation``, ``rows``, and ``compute`` compute a relation directly, and ``workers`` do so in other
threads or on a device without room for the mesh. ``scheduler`` serves the requests of many threads,
with a cache (``cache``) and predictions (``prefetch``). ``stream`` iterates over all rows. Liu,
Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025, section 4.
"""
