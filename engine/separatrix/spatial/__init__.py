"""Points in space: uniform grids, clusters, block-sparse patterns, neighbors."""
