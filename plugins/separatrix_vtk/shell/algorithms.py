"""What each command computes: its filter, the names of its ports, and its arrays for .npz files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.shell.run import Algorithm

CRITICAL_FIELDS = ("cell_id", "index", "value", "vertex", "position", "on_boundary")
LINE_FIELDS = ("points", "cell_id", "cell_dimension", "offsets", "source", "destination")
SWITCHES = {
    "compute_critical_points": "critical-points",
    "compute_descending_separatrices_1": "separatrices-1",
    "compute_ascending_separatrices_1": "separatrices-1",
    "compute_descending_separatrices_2": "separatrices-2",
    "compute_ascending_separatrices_2": "separatrices-2",
    "compute_descending_segmentation": "segmentation",
    "compute_ascending_segmentation": "segmentation",
    "compute_final_segmentation": "segmentation",
    "compute_top_cell_labels": "segmentation",
}


def _critical(result: Any, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {name: sx.to_host(getattr(result.critical, name)) for name in CRITICAL_FIELDS}


def _complex(result: Any, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    arrays = {f"critical_{name}": value for name, value in _critical(result, settings).items()}
    for kind in ("descending", "ascending"):
        if settings[f"compute_{kind}_separatrices_1"]:
            lines = result.separatrices(1, kind)
            for name in LINE_FIELDS:
                arrays[f"{kind}_{name}"] = sx.to_host(getattr(lines, name))
    if settings["compute_final_segmentation"]:
        for kind in ("descending", "ascending", "cells"):
            arrays[f"segmentation_{kind}"] = sx.to_host(result.segmentation(kind))
    return arrays


def _gradient(result: Any, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    arrays = {f"critical_{name}": value for name, value in _critical(result, settings).items()}
    return {**arrays, "codes": sx.to_host(result.codes())}


MORSE_SMALE = Algorithm(
    filter="MorseSmaleComplex",
    ports={
        "separatrices-1": (1, ".vtp"),
        "critical-points": (0, ".vtp"),
        "separatrices-2": (2, ".vtp"),
        "segmentation": (3, ".vti"),
    },
    switches=SWITCHES,
    arrays=_complex,
    engine=sx.morse_smale,
)
CRITICAL_POINTS = Algorithm(
    filter="CriticalPoints",
    ports={"critical-points": (0, ".vtp")},
    switches={},
    arrays=_critical,
    engine=sx.discrete_gradient,
)
DISCRETE_GRADIENT = Algorithm(
    filter="DiscreteGradient",
    ports={"arrows": (2, ".vtp"), "gradient": (1, ".vtp"), "critical-points": (0, ".vtp")},
    switches={},
    arrays=_gradient,
    engine=sx.discrete_gradient,
)
