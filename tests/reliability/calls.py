"""A small call of every public function and class of the engine.

`arrays` and `options` of a call are its arguments by name; each may be replaced by something else.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

import separatrix as sx

CPU = {"device": "cpu", "threads": 1, "memory_limit": None, "progress": None}


@dataclass(frozen=True)
class Call:
    """A public function with valid arguments; `covers` is its name in ``sx.__all__``."""

    covers: str
    function: Callable[..., Any]
    arrays: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __call__(self, **changed: Any) -> Any:
        """The answer with some arguments replaced; generators are run to their end."""
        answer = self.function(**{**self.arrays, **self.options, **changed})
        return list(answer) if inspect.isgenerator(answer) else answer


def distances_to_others(data: Any, **options: Any) -> Any:
    others = sx.variables(OTHERS, axis=1)
    return (sx.variables(data, **options) - others).abs().sum(-1).sum(axis=1, **CPU)


def whole(name: str, arrays: Mapping[str, Any], given: Mapping[str, Any], **more: Any) -> Call:
    """A call of a public function or class with all arguments, which have their own defaults."""
    function = getattr(sx, name)
    options = {
        p.name: CPU.get(p.name, p.default)
        for p in inspect.signature(function).parameters.values()
        if p.default is not p.empty and p.name not in ("distances", "sparse", "_is_checked")
    }
    options = {k: v for k, v in {**options, **given}.items() if k not in arrays}
    return Call(name, function, arrays, options, **more)


RANDOM = np.random.default_rng(20)
VOLUME = RANDOM.random((3, 4, 5))
POINTS = RANDOM.random((12, 3))
MANY = np.random.default_rng(4).random((90, 3))
OTHERS = RANDOM.random((9, 3))
CENTERS = RANDOM.random((10, 3)) * 4
RADII = RANDOM.uniform(0.8, 1.5, 10)
CUBE = np.array([[x, y, z] for z in (0.0, 1) for y in (0.0, 1) for x in (0.0, 1)])
TETS = np.array(
    [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]]
)
TRIANGLES = np.array([[0, 1, 3], [0, 2, 3], [1, 3, 7], [1, 5, 7]])
HEIGHTS = np.array([0.0, 3, 1, 5, 2, 7, 4, 6])
GAUSSIAN = {"formula": "gaussian", "sigma": 0.3}


@cache
def calls() -> dict[str, Call]:
    """Every call by its name."""
    image = sx.morse_smale(VOLUME, device="cpu", threads=1)
    tets = sx.TetMesh(CUBE, TETS, device="cpu", threads=1)
    surface = tets.morse_smale(HEIGHTS)
    diagram = sx.persistence_diagram(VOLUME, device="cpu", threads=1)
    alpha = sx.alpha_complex(CENTERS, RADII, 0.3, device="cpu", threads=1)
    hollow = sx.alpha_complex(CUBE * 2.0, np.full(8, 1.5), device="cpu", threads=1)
    bars = sx.rips_barcodes(
        POINTS, device="cpu", threads=1, representatives=lambda b: b.for_short_loops(b.longest(1)),
        cocycles=True,
    )  # fmt: skip
    clusters = sx.cluster(POINTS, 0.4, device="cpu", threads=1)
    lines = image.separatrices(1, "ascending")
    edges = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)
    edges = (edges + edges.T) / 2
    i, j = np.triu_indices(12, 1)
    loop = int(bars.longest(1)[-1])
    pattern = sx.BlockPattern.from_cells(POINTS, radius=0.4, device="cpu")
    rows = {"rows": np.array([0, 5, 12]), "columns": np.array([0, 4, 9])}
    keep = np.array([[True, False], [False, True]])
    tables = {"blocks": np.array([[0, 5]]), "offsets": np.array([0, 1])}
    boxes = (clusters.ranges, clusters.boxes)
    found = [
        whole("morse_smale", {"values": VOLUME}, {"persistence": 0.2}),
        whole("morse_smale_piece", {"values": VOLUME}, {"spacing": 0.5}),
        whole("discrete_gradient", {"values": VOLUME}, {}),
        whole("persistence_diagram", {"values": VOLUME}, {}),
        whole("simplify_field", {"values": VOLUME, "minima": np.array([0, 1])}, {}),
        whole("alpha_complex", {"centers": CENTERS, "radii": RADII}, {}),
        whole("alpha_complexes", {"frames": np.stack([CENTERS] * 2), "radii": RADII}, {}),
        whole("delaunay", {"points": POINTS, "weights": RANDOM.random(12)}, {}),
        whole("periodic_delaunay", {"points": MANY, "weights": RANDOM.random(90) * 0.01},
              {"box": (1.0, 1.0, 1.0)}),
        whole("cluster", {"points": POINTS}, {"size": 0.4}),
        Call("cluster", sx.cluster, {"points": POINTS, "labels": np.arange(12) % 3,
                                     "weights": np.ones(12)}, CPU),
        whole("count_neighbors", {"x": POINTS, "y": OTHERS}, {"radius": 0.4}),
        Call("neighbors", sx.neighbors, {"x": POINTS, "y": OTHERS},
             {"radius": 0.4, "include_self": True, "distances": True, "boxsize": 2.0, **CPU}),
        Call("neighbors", sx.neighbors, {"x": POINTS}, {"radius": 0.4, "pairs": True, **CPU}),
        whole("nearest", {"x": POINTS, "y": OTHERS}, {"k": 3}),
        whole("sparse_distances", {"x": POINTS}, {"radius": 0.4}),
        whole("density", {"points": POINTS, "weights": np.ones(12)},
              {"dimensions": (6, 5, 4), "sigma": 0.2, "gradient": True}),
        Call("density", sx.density, {"points": POINTS[:, :2]},
             {"spacing": 0.2, "origin": (0.0, 0.0), "kernel": "wendland", "cutoff": 0.3,
              "padding": None, **CPU}),
        whole("density_at", {"positions": OTHERS, "points": POINTS, "weights": np.ones(12)},
              {"kernel": "cubic_spline", "sigma": 0.2, "gradient": True, "boxsize": 2.0}),
        whole("reduce", {"x": POINTS, "y": OTHERS, "values": np.ones(9)}, GAUSSIAN),
        whole("gradient", {"x": POINTS, "y": OTHERS, "values": np.ones(9)}, GAUSSIAN),
        Call("variables", distances_to_others, {"data": POINTS}, {"axis": 0}),
        Call("reduce", sx.reduce, {"x": POINTS, "y": OTHERS},
             {"formula": "exp(-d2 * p[0])", "reduction": "kmin", "radius": 0.5, "k": 2,
              "parameters": (2.0,), **CPU}),
        whole("rips_barcodes", {"points": POINTS}, {"work_limit": 1e9},
              words={"representatives": ("number of bars", "number must")}),
        Call("rips_barcodes", sx.rips_barcodes, {"distances": edges},
             {"max_dimension": 1, "threshold": None, "work_limit": 1e9, **CPU}),
        Call("rips_barcodes", lambda i, j, lengths, **a: sx.rips_barcodes(
            sparse=(i, j, lengths), **a),
             {"i": i, "j": j, "lengths": edges[i, j]}, {"work_limit": 1e9, **CPU},
             dict.fromkeys(("i", "j", "lengths"), ("sparse",))),
        Call("rips_barcodes", sx.rips_barcodes, {"points": POINTS, "weights": np.ones(12) * 0.1},
             {"work_limit": 1e9, **CPU}),
        whole("apparent_pairs", {"points": POINTS}, {"max_dimension": 2}),
        Call("apparent_pairs", sx.apparent_pairs, {"distances": edges},
             {"threshold": 0.6, "device": "cpu"}),
        Call("smooth", sx.smooth, {}, {"lines": lines, "iterations": 2}),
        Call("to_host", sx.to_host, {"array": VOLUME}),
        Call("pinned_empty", sx.pinned_empty, {}, {"shape": (2, 3), "dtype": np.float32}),
        Call("devices", sx.devices, {}, {"probe": False}),
        Call("formulas", sx.formulas),
        Call("release_memory", sx.release_memory),
        # === meshes
        whole("TetMesh", {"points": CUBE, "cells": TETS}, {}),
        whole("TriangleMesh", {"points": CUBE, "cells": TRIANGLES}, {}),
        Call("TetMesh.relation", tets.relation, {}, {"name": "VT", "ids": "user"}),
        Call("TetMesh.external_cells", tets.external_cells, {}, {"k": 0}),
        Call("TetMesh.is_on_boundary", tets.is_on_boundary, {}, {"dimension": 0}),
        Call("TetMesh.critical_points", tets.critical_points, {"values": HEIGHTS},
             {"progress": None}),
        Call("TetMesh.discrete_gradient", tets.discrete_gradient, {"values": HEIGHTS},
             {"progress": None}),
        Call("MorseSmalePiece.segmentation", sx.morse_smale_piece(VOLUME, **CPU).segmentation, {},
             {"kind": "descending"}),
        Call("MorseSmalePiece.simplify", sx.morse_smale_piece(VOLUME, **CPU).simplify, {},
             {"persistence": 1.0}),
        Call("MorseSmalePiece.regions", sx.morse_smale_piece(VOLUME, **CPU).regions, {},
             {"kind": "morse_smale"}),
        Call("MorseSmalePiece.separatrices", sx.morse_smale_piece(VOLUME, **CPU).separatrices, {},
             {"dimension": 1, "kind": "ascending"}),
        Call("PieceLevel.regions", sx.morse_smale_piece(VOLUME, **CPU).simplify(1.0).regions, {},
             {"kind": "descending"}),
        Call("PieceLevel.separatrices",
             sx.morse_smale_piece(VOLUME, **CPU).simplify(1.0).separatrices, {},
             {"dimension": 1, "kind": "descending"}),
        Call("PieceLevel.segmentation",
             sx.morse_smale_piece(VOLUME, **CPU).simplify(1.0).segmentation, {},
             {"kind": "ascending"}),
        Call("TetMesh.morse_smale", tets.morse_smale, {"values": HEIGHTS},
             {"persistence": 1.0, "relative": False, "progress": None}),
        Call("TetMesh.persistence_diagram", tets.persistence_diagram, {"values": HEIGHTS},
             {"dimensions": None, "zero_persistence": True, "progress": None}),
        Call("TetMesh.stream", lambda name, **a: [
            vars(batch) for batch in tets.stream(name, **a)], {},
             {"name": "VV", "ids": "user", "batch_bytes": None, "memory_limit": None,
              "progress": None}),
        Call("Relation", tets.relation("VV").segment, {}, {"k": 0, "end": None}),
        # === parts of complexes
        *(call for name, whole in (("MorseSmaleComplex", image),
                                   ("MorseSmaleComplex of a mesh", surface))
          for call in (
              Call(f"{name}.segmentation", whole.segmentation, {}, {"kind": "morse_smale"}),
              Call(f"{name}.regions", whole.regions, {}, {"kind": "morse_smale"}),
              Call(f"{name}.separatrices", whole.separatrices, {
                  "sources": np.flatnonzero(whole.critical.index == 2)[:1]},
                   {"dimension": 2, "kind": "descending", "progress": None}),
              Call(f"{name}.simplify", whole.simplify, {},
                   {"persistence": 0.2, "relative": False, "progress": None}),
              Call(f"{name}.trace_arcs", whole.trace_arcs, {},
                   {"method": "frontier", "progress": None}),
              Call(f"{name}.boundary", whole.boundary, {}, {"index": 1}),
              Call(f"{name}.critical.rows", whole.critical.rows, {}, {"index": 1}),
          )),
        Call("MorseSmaleComplex.extremum_arcs", image.extremum_arcs, {}, {"kind": "ascending"}),
        Call("DiscreteGradient.arrows", image.gradient.arrows, {}, {"stride": 1}),
        Call("Grid.positions", image.domain.positions, {"cell_ids": np.arange(5)}),
        Call("Grid.cell_dimensions", image.domain.cell_dimensions, {"cell_ids": np.arange(5)}),
        Call("PersistenceDiagram.above", diagram.above, {}, {"level": 0.2}),
        Call("PersistenceDiagram.curve", diagram.curve, {}, {"dimension": 0}),
        Call("PersistenceDiagram.of_dimension", diagram.of_dimension, {}, {"dimension": 0}),
        # === alpha complexes, barcodes, clusters
        Call("AlphaComplex.at", alpha.at, {}, {"alpha": 0.1}),
        Call("AlphaComplex.facets", alpha.facets, {}, {"dimension": 2}),
        Call("AlphaComplex.protrusions", hollow.protrusions, {}, {"radius": 1.0}),
        Call("PocketTracks", lambda overlap: sx.PocketTracks(overlap).add(hollow.pockets()), {},
             {"overlap": 0.3}),
        Call("PocketTracks.add", lambda pockets: sx.PocketTracks().add(pockets), {},
             {"pockets": hollow.pockets()}),
        Call("Voids.atoms_of", hollow.voids().atoms_of, {}, {"number": 0}),
        Call("Voids.facets_of", hollow.voids().facets_of, {}, {"number": 0}),
        Call("Pockets.atoms_of", hollow.pockets().atoms_of, {}, {"number": 0}),
        Call("Pockets.facets_of", hollow.pockets().facets_of, {}, {"number": 0}),
        Call("Barcodes.of_dimension", bars.of_dimension, {}, {"dimension": 1}),
        Call("Barcodes.simplices", bars.simplices, {}, {"end": "birth", "dimension": 1}),
        Call("Barcodes.longest", bars.longest, {}, {"number": 2}),
        Call("Barcodes.for_short_loops", bars.for_short_loops, {"rows": np.array([loop])},
             {"part": 0.3}),
        Call("Barcodes.short_loop", bars.short_loop, {"distances": edges},
             {"bar": loop, "part": 0.3}),
        Call("Barcodes.tight_loop", bars.tight_loop, {"distances": edges},
             {"bar": loop, "walk": [0, 1, 2, 0], "part": 0.3}),
        Call("Clusters", lambda values: clusters.sort(values), {"values": np.arange(12.0)},
             {}, {"values": ("arrays[0]",)}),
        # === patterns
        whole("BlockPattern", {**tables, "intervals": np.array([[0, 7]])},
              {"n_rows": 5, "n_columns": 7}),
        Call("BlockPattern.from_cells", sx.BlockPattern.from_cells, {"x": POINTS, "y": OTHERS},
             {"radius": 0.4, "reach": 1, "boxsize": 2.0, **CPU}),
        Call("BlockPattern.from_boxes", lambda ranges, boxes, **a: sx.BlockPattern.from_boxes(
            (ranges, boxes), (ranges, boxes), **a), {"ranges": boxes[0], "boxes": boxes[1]},
             {"radius": 0.4}, {"ranges": ("x_blocks",), "boxes": ("x_blocks",)}),
        Call("BlockPattern.from_mask", sx.BlockPattern.from_mask, {**rows, "keep": keep}),
        Call("BlockPattern.from_keops", sx.BlockPattern.from_keops, {},
             {"ranges": pattern.to_keops(), "n_rows": None, "n_columns": None},
             {"ranges": ("rows", "columns")}),
        Call("BlockPattern.dense", sx.BlockPattern.dense, {}, {"n_rows": 3, "n_columns": 4}),
        Call("BlockPattern.band", sx.BlockPattern.band, {}, {"n": 5, "width": 1}),
        Call("BlockPattern.upper_triangle", sx.BlockPattern.upper_triangle, {}, {"n": 5}),
        Call("BlockPattern.transpose", pattern.transpose,
             {"column_blocks": np.array([[0, 5], [5, 12]])}),
    ]  # fmt: skip
    named: dict[str, Call] = {}
    for call in found:
        several = sum(name.split(" ")[0] == call.covers for name in named)
        named[call.covers if not several else f"{call.covers} ({several + 1})"] = call
    return named
