"""Block-sparse reductions between point sets, and densities of points."""
