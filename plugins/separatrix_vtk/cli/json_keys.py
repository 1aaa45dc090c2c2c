"""Keys of the JSON objects that several commands print."""

from __future__ import annotations

WARNINGS = {"warnings": "the warnings printed on stderr, a list"}
RUN = {  # of every command that computes
    "input": "input file",
    "output": "output file, or null",
    "port": "port that the output contains, or null for all ports",
    "device": "device used: cpu, cuda:0, ...",
    "seconds": "time by stage of the computation",
    "seconds_in_all": "time of the computation and of writing",
}
SIZE = {
    "dimensions": "points of the image along x, y and z",
    "points": "number of points of the mesh",
    "tetrahedra": "number of tetrahedra of the mesh",
    "triangles": "number of triangles of the mesh",
}
FIELD = {**RUN, **SIZE, **WARNINGS}
CRITICAL = {
    "critical_cells": "number of critical cells by dimension",
    "euler_characteristic": "their alternating sum",
}
PAIRS = {
    "pairs": "number of persistence pairs of different values by dimension, or null",
    "zero_persistence_points": "critical points in pairs of equal values",
}
