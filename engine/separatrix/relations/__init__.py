"""Relations between the simplices of a mesh.

``relation``, ``rows``, and ``compute`` compute a relation directly, and ``workers`` do so in other
threads or, for a mesh on the host, in packets of segments. ``stream`` iterates over all rows or all
packets, while the next ones are computed. Liu, Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025,
section 4.
"""
