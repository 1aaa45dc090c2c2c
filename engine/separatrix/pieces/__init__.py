"""One complex from many pieces: each rank of MPI, or each thread, computes the part of its layers.

Pieces exchange summaries of their borders, whose size is that of the cuts, not of the volume, and
every result has the bits of a single piece. Distributed pairs: Guillou, Vidal, Tierny, "Distributed
Discrete Morse Sandwich", 2026, without its corrections; labels: Carr and others, "Distributed path
compression", 2024.
"""
