"""Alpha complexes of balls: exact, found locally, measured.

A ball i has a center and a radius r_i; at alpha, a squared length, it grows to the radius
sqrt(r_i^2 + alpha). The alpha complex holds a simplex for each set of balls whose grown power cells
meet (Edelsbrunner 1995); it has the homotopy type of the union of the grown balls.
"""
