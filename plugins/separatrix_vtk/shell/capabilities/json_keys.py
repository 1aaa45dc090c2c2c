"""Keys of the JSON objects that several commands print, and what they mean."""

from __future__ import annotations

WARNINGS = {"warnings": "what was said on stderr, a list of sentences"}
RUN = {  # of every command that computes; summary.summary_of makes them
    "input": "the file read",
    "output": "the file written, or null",
    "port": "the --port that the file holds; null: all, or there is no choice",
    "device": "what computed: cpu, cuda:0, ...",
    "seconds": "time by stage of the computation",
    "seconds_in_all": "time of computing and writing",
}
SIZE = {
    "dimensions": "points of the image along x, y and z",
    "points": "number of points of the mesh",
    "tetrahedra": "number of tetrahedra of the mesh",
    "triangles": "number of triangles of the mesh",
}
FIELD = {
    **RUN,
    **SIZE,
    **WARNINGS,
}
CRITICAL = {
    "critical_cells": "number of critical cells by dimension",
    "euler_characteristic": "their alternating sum",
}
PAIRS = {
    "pairs": "persistence pairs by dimension, those of equal values left out; null: not asked for",
    "zero_persistence_points": "critical points in pairs of equal values",
}
