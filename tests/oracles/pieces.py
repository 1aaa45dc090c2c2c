"""The results of pieces put together, in the arrays and the order of the whole complex."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import separatrix as sx

KINDS = ("descending", "ascending", "morse_smale")
CELLS = ("cell_id", "index", "value", "vertex", "position", "on_boundary")
POINTS = ("points", "cell_id", "cell_dimension")
Arrays = dict[str, np.ndarray]


def parts_of(piece: sx.MorseSmalePiece) -> Arrays:
    """All results of one piece."""
    parts = {f"labels {kind}": sx.to_host(piece.segmentation(kind)).ravel() for kind in KINDS}
    parts |= columns_of(piece.arcs, "arcs") | columns_of(piece.persistence_pairs, "pairs")
    parts |= {f"critical {name}": getattr(piece.critical, name) for name in CELLS}
    parts |= regions_of(piece) | lines_of(piece)
    return {name: sx.to_host(array) for name, array in {**parts, "rows": piece.rows}.items()}


def level_of(level: Any, rows: np.ndarray) -> Arrays:
    """The tables of a level, or of a piece of it, whose cells have these rows."""
    parts = columns_of(level.arcs, "arcs") | columns_of(level.persistence_pairs, "pairs")
    parts["rows"] = rows
    parts |= {f"critical {name}": getattr(level.critical, name) for name in CELLS}
    parts["critical is_persistent"] = level.is_persistent
    parts |= regions_of(level) | lines_of(level)
    return {name: sx.to_host(array) for name, array in parts.items()}


def lines_of(found: Any) -> Arrays:
    """The lines to extrema, in the order of their numbers: cells, positions, and ends."""
    arrays: Arrays = {}
    for kind in KINDS[:2]:
        lines = vars(found.separatrices(1, kind))
        arrays |= {f"{kind}_lines {name}": lines[name] for name in ("source", "destination")}
        lengths = np.diff(sx.to_host(lines["offsets"]))
        arrays[f"{kind}_lines separatrix"] = lines["separatrix"]
        arrays[f"{kind}_lines length"] = lengths
        of_points = np.repeat(sx.to_host(lines["separatrix"]), lengths)
        arrays |= {f"{kind}_points {name}": lines[name] for name in POINTS}
        arrays[f"{kind}_points separatrix"] = of_points
    return arrays


def regions_of(found: Any) -> Arrays:
    """The regions of all segmentations; those of a whole complex are labeled by their rows."""
    arrays: Arrays = {}
    for kind in KINDS:
        regions = vars(found.regions(kind))
        columns = {"label": np.arange(regions["size"].size), **regions}
        arrays |= {f"{kind}_regions {name}": column for name, column in columns.items()}
    return arrays


def columns_of(table: Any, name: str) -> Arrays:
    return {f"{name} {column}": array for column, array in vars(table).items()}


def together(pieces: Sequence[Arrays]) -> Arrays:
    """The arrays of all pieces, tables in the order of the whole."""
    found = {name: np.concatenate([part[name] for part in pieces]) for name in pieces[0]}
    orders = {
        "critical": np.argsort(found.pop("rows")),
        "arcs": np.lexsort((found["arcs lower"], found["arcs upper"])),
        "pairs": np.argsort(found["pairs birth_row"]),
    }
    for name in found:
        if name.endswith((" label", " separatrix")):
            orders[name.split()[0]] = np.argsort(found[name], kind="stable")
    return {
        name: array[orders[name.split()[0]]] if name.split()[0] in orders else array
        for name, array in found.items()
    }


def whole(values: np.ndarray, **options: Any) -> Arrays:
    """The same arrays of the complex of the whole image."""
    return results_of(sx.morse_smale(values, device="cpu", **options))


def results_of(found: sx.MorseSmaleComplex) -> Arrays:
    """The same arrays of a complex."""
    arrays = {f"labels {kind}": sx.to_host(found.segmentation(kind)).ravel() for kind in KINDS}
    arrays |= columns_of(found.arcs, "arcs") | columns_of(found.persistence_pairs, "pairs")
    arrays |= {f"critical {name}": getattr(found.critical, name) for name in CELLS}
    arrays |= regions_of(found) | lines_of(found)
    rows = {"rows": np.arange(len(found.critical))}
    return together([{name: sx.to_host(array) for name, array in {**arrays, **rows}.items()}])


def assert_same(found: Arrays, expected: Arrays) -> None:
    """Equal dtypes, shapes, and bytes."""
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape), name
        assert found[name].tobytes() == array.tobytes(), name
