"""Cell complexes: cells, vertex order, discrete gradient and geometry of each kind of domain."""
