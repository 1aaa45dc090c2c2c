"""What each command computes: its filter, the names of its ports, and how the engine does it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.base.report import device_of, report_of, report_of_level, report_of_pairs
from separatrix_vtk.shell.run import Algorithm, Port

CRITICAL_FIELDS = ("cell_id", "index", "value", "vertex", "position", "on_boundary")
LINE_FIELDS = (
    "points", "cell_id", "cell_dimension", "offsets", "source", "destination", "separatrix",
)  # fmt: skip
PAIR_FIELDS = (
    "dimension", "birth", "death", "persistence", "birth_cell", "death_cell",
)  # fmt: skip
LINK_FIELDS = ("point", "type", "value", "vector", "pieces", "on_boundary")
SURFACE_FIELDS = (
    *("points", "offsets", "corners", "source", "polygon_cell_id", "cell_id", "cell_dimension"),
)
REGION_FIELDS = ("size", "minimum", "maximum", "minimum_row", "maximum_row")
SWITCHES: dict[str, tuple[str, ...]] = {
    "compute_critical_points": ("critical-points",),
    "compute_persistence_pairs": ("critical-points", "graph"),
    "compute_descending_separatrices_1": ("separatrices-1",),
    "compute_ascending_separatrices_1": ("separatrices-1",),
    "compute_saddle_connectors": ("separatrices-1",),
    "compute_descending_separatrices_2": ("separatrices-2",),
    "compute_ascending_separatrices_2": ("separatrices-2",),
    "compute_descending_segmentation": ("segmentation",),
    "compute_ascending_segmentation": ("segmentation",),
    "compute_morse_smale_segmentation": ("segmentation",),
    "compute_top_cell_labels": ("segmentation",),
    "compute_simplified_field": ("segmentation",),
    "compute_graph": ("graph",),
}
NEEDS = {
    "critical-points": "--critical-points",
    "separatrices-1": "--separatrices",
    "separatrices-2": "--surfaces",
    "segmentation": "--segmentation",
    "graph": "--graph",
}

Settings = Mapping[str, Any]
Arrays = dict[str, np.ndarray]

WISHES = {
    "--regions": ("region_table", "regions"),
    "--surfaces": ("compute_descending_separatrices_2", "separatrices-2"),
    "--simplified-field": ("compute_simplified_field", "segmentation"),
    "--top-cell-labels": ("compute_top_cell_labels", "segmentation"),
    "--smooth": ("smoothing_iterations", "separatrices-1"),
}


def _fields(result: Any, names: tuple[str, ...], prefix: str = "") -> Arrays:
    return {f"{prefix}{name}": sx.to_host(getattr(result, name)) for name in names}


# === gradient and critical points


def _points(field: Any, settings: Settings, **options: Any) -> tuple[Any, dict[str, Any]]:
    if settings["method"] == "gradient" or not hasattr(field, "critical_points"):
        return _gradient(field, settings, **options)
    found = field.critical_points(**options)
    from separatrix_vtk.filters.scalar_field.critical_points import link_report

    return found, link_report(found, field, device_of(options))


def _gradient(field: Any, settings: Settings, **options: Any) -> tuple[Any, dict[str, Any]]:
    gradient = field.discrete_gradient(**options)
    return gradient, report_of(gradient, field.size)


def _critical_arrays(result: Any, field: Any, settings: Settings) -> Arrays:
    if isinstance(result, sx.MeshCriticalPoints):
        return _fields(result, LINK_FIELDS)
    return _fields(result.critical, CRITICAL_FIELDS)


def _gradient_arrays(result: Any, field: Any, settings: Settings) -> Arrays:
    arrays, codes = _fields(result.critical, CRITICAL_FIELDS, "critical_"), result.codes()
    if isinstance(codes, tuple):  # of a mesh, by dimension
        return {**arrays, **{f"codes_{d}": sx.to_host(of) for d, of in enumerate(codes)}}
    return {**arrays, "codes": sx.to_host(codes)}


# === Morse-Smale complex


def _complex(field: Any, settings: Settings, **options: Any) -> tuple[Any, dict[str, Any]]:
    raw = field.morse_smale(order=settings["order"], **options)
    threshold, relative = settings["persistence"], settings["relative"]
    complex = raw.simplify(threshold, relative=relative) if threshold else raw
    report = report_of_level(raw, complex)
    if settings["compute_persistence_pairs"]:
        report |= report_of_pairs(raw.persistence_pairs, complex.persistence_pairs)
    return complex, {**report_of(complex, field.size), **report}


def _complex_arrays(result: Any, field: Any, settings: Settings) -> Arrays:
    arrays: Arrays = {}
    if settings["compute_critical_points"]:
        arrays |= _fields(result.critical, CRITICAL_FIELDS, "critical_")
    dimension = field.dimension
    kinds = {
        "descending": settings["compute_descending_separatrices_1"],
        "ascending": settings["compute_ascending_separatrices_1"],
        "saddle": settings["compute_saddle_connectors"] and dimension == 3,
    }
    for kind in (kind for kind, on in kinds.items() if on):
        lines = result.separatrices(1, kind)
        if settings["smoothing_iterations"]:
            lines = sx.smooth(lines, settings["smoothing_iterations"])
        arrays |= _fields(lines, LINE_FIELDS, f"{kind}_")
    for kind in ("descending", "ascending"):
        if settings[f"compute_{kind}_separatrices_2"]:
            surfaces = result.separatrices(2, kind)
            arrays |= _fields(surfaces, SURFACE_FIELDS, f"{kind}_surface_")
    if settings["compute_top_cell_labels"]:
        arrays["top_cell_labels"] = sx.to_host(result.cell_labels())
    if settings["compute_morse_smale_segmentation"]:
        for kind in ("descending", "ascending", "morse_smale"):
            arrays[f"segmentation_{kind}"] = sx.to_host(result.segmentation(kind))
    if settings["compute_simplified_field"]:
        arrays["simplified_field"] = sx.to_host(result.simplified_values())
    if settings["compute_graph"]:
        arrays |= _fields(result.arcs, ("upper", "lower", "multiplicity"), "arc_")
    if settings["region_table"] != "none":
        regions = result.regions(settings["region_table"])
        arrays |= _fields(regions, REGION_FIELDS, "region_")
    if settings["compute_persistence_pairs"]:
        arrays |= _fields(result.persistence_pairs, PAIR_FIELDS, "pair_")
    return arrays


# === persistence diagram


def _diagram(field: Any, settings: Settings, **options: Any) -> tuple[Any, dict[str, Any]]:
    begun = time.perf_counter()
    dimensions = [d for d in range(3) if settings[f"compute_dimension_{d}"]]
    every = field.persistence_diagram(
        dimensions=dimensions, zero_persistence=True, order=settings["order"], **options
    )
    seconds = time.perf_counter() - begun
    report = {
        "device": device_of(options),
        **field.size,
        **report_of_pairs(every, dimensions=dimensions),
        "seconds": {"persistence diagram": seconds},
    }
    return every if settings["show_zero_persistence"] else every.nonzero(), report


def _diagram_arrays(result: Any, field: Any, settings: Settings) -> Arrays:
    arrays = _fields(result, PAIR_FIELDS)
    for end, above in (("birth", 0), ("death", 1)):
        cells, is_there = arrays[f"{end}_cell"], arrays[f"{end}_cell"] >= 0
        dimension = np.where(is_there, arrays["dimension"] + above, 0)
        places = field.positions_of(np.maximum(cells, 0), dimension)
        arrays[f"{end}_position"] = np.where(is_there[:, None], places, np.nan)
    return arrays


MORSE_SMALE = Algorithm(
    filter="MorseSmaleComplex",
    ports={
        "separatrices-1": Port(1, (".vtp",)),
        "critical-points": Port(0, (".vtp", ".csv")),
        "separatrices-2": Port(2, (".vtp",)),
        "segmentation": Port(3, (".vti", ".vtu")),
        "graph": Port(4, (".vtp",)),
        "regions": Port(5, (".csv",)),
    },
    switches=SWITCHES,
    needs=NEEDS,
    arrays=_complex_arrays,
    engine=_complex,
    wishes=WISHES,
)
CRITICAL_POINTS = Algorithm(
    filter="CriticalPoints",
    ports={"critical-points": Port(0, (".vtp", ".csv"))},
    switches={},
    needs={},
    arrays=_critical_arrays,
    engine=_points,
)
DISCRETE_GRADIENT = Algorithm(
    filter="DiscreteGradient",
    ports={
        "arrows": Port(2, (".vtp",)),
        "gradient": Port(1, (".vtp",)),
        "critical-points": Port(0, (".vtp",)),
    },
    switches={},
    needs={},
    arrays=_gradient_arrays,
    engine=_gradient,
)
PERSISTENCE_DIAGRAM = Algorithm(
    filter="PersistenceDiagram",
    ports={"diagram": Port(0, (".vtu", ".vtp", ".csv")), "curves": Port(1, (".csv",))},
    switches={},
    needs={},
    arrays=_diagram_arrays,
    engine=_diagram,
)
