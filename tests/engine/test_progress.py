"""Progress names its stages in order; `test_canceling_engine.py` stops every call everywhere."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.meshes import split_grid

VALUES = np.random.default_rng(91).random((20, 41, 42))
POINTS = np.random.default_rng(17).random((2000, 3))
GRID = split_grid((6, 7, 8))
STAGES: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "plateau order": (
        lambda **o: sx.morse_smale(VALUES.round(1), order="plateau", **o),
        ["upload", "order", "gradient", "critical cells"],
    ),
    "mesh": (lambda **o: sx.TetMesh(*GRID, **o), ["points", "cells"]),
    "gradient of a mesh": (
        lambda device, progress: sx.TetMesh(*GRID, device=device).discrete_gradient(
            np.arange(len(GRID.points)), progress=progress
        ),
        ["order", "stars", "gradient"],
    ),
    "neighbors": (
        lambda **o: sx.neighbors(POINTS, radius=0.1, **o),
        ["points", "grid", "count", "fill"],
    ),
}

SOME_STAGES: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "diagram": (lambda **o: sx.persistence_diagram(np.eye(9), **o), ["graph", "pairs"]),
    "reduction": (lambda **o: sx.reduce("distance", POINTS[:9], POINTS[:9], **o), ["reduction"]),
    "alpha": (lambda **o: sx.alpha_complex(POINTS[:9], 0.1, **o), ["snapping"]),
    "rips": (
        lambda **o: sx.rips_barcodes(POINTS[:40], max_dimension=2, **o),
        ["distances", "ranks", "simplices of dimension 2", "reduction of dimension 2"],
    ),
}


@pytest.mark.parametrize("name", STAGES | SOME_STAGES)
def test_stages_are_named_in_order_and_the_last_can_be_canceled(device, name):
    call, stages = (STAGES | SOME_STAGES)[name]
    heard = []
    call(device=device, progress=lambda _, stage: heard.append(stage))
    reported = list(dict.fromkeys(heard))
    assert [stage for stage in reported if stage in stages or name in STAGES] == stages

    def stop(fraction, stage):
        if stage == stages[-1]:
            raise sx.Canceled(stage)

    with pytest.raises(sx.Canceled, match=stages[-1]):
        call(device=device, progress=stop)


def test_a_progress_of_a_call_that_is_over_is_not_called_again(device):
    # A caller's object may be gone by the time that a segmentation is asked for.
    reported = []
    found = sx.morse_smale(
        VALUES, device=device, progress=lambda fraction, _: reported.append(fraction)
    )
    n_calls = len(reported)
    found.segmentation("descending")
    assert len(reported) == n_calls
