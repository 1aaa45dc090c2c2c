"""Exact alpha complexes of balls, and measures of unions of balls.

At alpha, a squared length, ball i of radius r_i grows to the radius sqrt(r_i^2 + alpha). The alpha
complex contains a simplex for each set of balls whose grown balls intersect within their power
cells (Edelsbrunner 1995). It has the homotopy type of the union of the grown balls.
"""
