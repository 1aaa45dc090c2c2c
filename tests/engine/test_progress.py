"""Progress rises from 0 to 1 and names its stages; Cancelled comes out, nothing is broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.stopping import Stop
from oracles.everything import assert_same_bits, everything
from oracles.meshes import split_grid

VALUES = np.random.default_rng(91).random((40, 41, 42))


@pytest.mark.parametrize("function", [sx.morse_smale, sx.discrete_gradient])
def test_progress_rises_to_one_and_names_every_stage(device: str, function: Any) -> None:
    told: list[tuple[float, str]] = []
    function(VALUES, device=device, progress=lambda *now: told.append(now))
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == 1
    assert all(type(fraction) is float for fraction in fractions)
    assert all(type(stage) is str and stage for _, stage in told)
    assert len({stage for _, stage in told}) >= 2


POINTS = np.random.default_rng(17).random((2000, 3))
GRID = split_grid((6, 7, 8))
STAGES: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "plateau order": (
        lambda **o: sx.morse_smale(VALUES[:20].round(1), order="plateau", **o),
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


@pytest.mark.parametrize("name", STAGES)
def test_progress_rises_through_the_stages_and_stops_the_last(device: str, name: str) -> None:
    call, stages = STAGES[name]
    heard: list[tuple[float, str]] = []
    call(device=device, progress=lambda *now: heard.append(now))
    assert [fraction for fraction, _ in heard] == sorted(fraction for fraction, _ in heard)
    assert heard[-1][0] == 1
    assert list(dict.fromkeys(stage for _, stage in heard)) == stages

    def stop(fraction: float, stage: str) -> None:
        if stage == stages[-1]:
            raise sx.Cancelled(stage)

    with pytest.raises(sx.Cancelled, match=stages[-1]):
        call(device=device, progress=stop)


@pytest.mark.parametrize(
    ("stage", "call"),
    [
        ("pairs", lambda **o: sx.persistence_diagram(np.eye(9), **o)),
        ("reduction", lambda **o: sx.reduce("distance", POINTS[:9], POINTS[:9], **o)),
        ("snapping", lambda **o: sx.alpha_complex(POINTS[:9], 0.1, **o)),
    ],
)
def test_other_calls_rise_to_one_and_stop_at_a_stage(
    device: str, stage: str, call: Callable[..., Any]
) -> None:
    heard: list[float] = []
    call(device=device, progress=lambda part, _: heard.append(part))
    assert heard == sorted(heard)
    assert heard[-1] == 1

    def stop(part: float, now: str) -> None:
        if now == stage:
            raise sx.Cancelled(now)

    with pytest.raises(sx.Cancelled, match=stage):
        call(device=device, progress=stop)


def test_canceling_stops_the_call_wherever_it_is_and_the_next_call_works(device: str) -> None:
    told: list[float] = []
    sx.morse_smale(VALUES, device=device, progress=lambda fraction, _: told.append(fraction))
    expected = everything(VALUES, device=device)
    for call in sorted({1, len(told) // 2, len(told)}):
        with pytest.raises(sx.Cancelled, match="enough"):
            sx.morse_smale(VALUES, device=device, progress=Stop(call))
    assert_same_bits(everything(VALUES, device=device), expected)


def test_a_progress_of_a_call_that_is_over_is_not_called_again(device: str) -> None:
    # A caller's object may be gone by the time that a segmentation is asked for.
    told: list[float] = []
    found = sx.morse_smale(
        VALUES, device=device, progress=lambda fraction, _: told.append(fraction)
    )
    n_calls = len(told)
    found.segmentation("descending")
    assert len(told) == n_calls


def test_another_exception_of_the_callback_comes_out_as_it_is(device: str) -> None:
    def fail(fraction: float, stage: str) -> None:
        raise ZeroDivisionError(stage)

    with pytest.raises(ZeroDivisionError):
        sx.morse_smale(VALUES, device=device, progress=fail)
