"""How levels are asked for: sources of surfaces, progress, threads, and what is refused."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.stopping import Stop
from oracles.everything import quadrilaterals_of

VALUES = np.random.default_rng(71).random((20, 21, 22))
ASKED: dict[str, Callable[[Any, Any], Any]] = {
    "simplify": lambda c, p: c.simplify(0.3, progress=p).critical.cell_id,
    "pairs": lambda c, p: c.pair(progress=p).birth,
    "arcs": lambda c, p: c.trace_arcs(progress=p).upper,
    "arcs by matrices": lambda c, p: c.trace_arcs(method="matrix", progress=p).upper,
    "minima": lambda c, p: c.segmentation("descending", progress=p),
    "cells": lambda c, p: c.segmentation("morse_smale", progress=p),
    "top cells": lambda c, p: c.cell_labels(progress=p),
    "sizes": lambda c, p: c.manifold_sizes(progress=p),
    "regions": lambda c, p: c.regions("ascending", progress=p).size,
    "values": lambda c, p: c.simplified_field(progress=p).values,
    "lines up": lambda c, p: c.separatrices(1, "ascending", progress=p).cell_id,
    "lines down": lambda c, p: c.separatrices(1, "descending", progress=p).destination,
    "surfaces": lambda c, p: c.separatrices(2, "descending", progress=p).corners,
    "one surface": lambda c, p: (
        c.separatrices(2, "ascending", sources=[c.critical.rows(1).start], progress=p).corners
    ),
}


@pytest.mark.parametrize("part", list(ASKED))
@pytest.mark.parametrize("level", [0.0, 0.2])
def test_progress_rises_to_one_for_everything_at_any_level(
    device: str, part: str, level: float
) -> None:
    told: list[tuple[float, str]] = []
    found = sx.morse_smale(VALUES, persistence=level, device=device)
    first = ASKED[part](found, lambda *now: told.append(now))
    fractions = [fraction for fraction, _ in told]
    if level == 0 or part != "simplify":  # another level takes no stage
        assert fractions == sorted(fractions)
        assert fractions[-1] == 1
    assert all(0 <= fraction <= 1 for fraction in fractions)
    told.clear()
    np.testing.assert_array_equal(sx.to_host(ASKED[part](found, None)), sx.to_host(first))


def test_progress_of_a_complex_made_at_a_level_rises_to_one(device: str) -> None:
    told: list[float] = []
    sx.morse_smale(
        VALUES, persistence=0.5, relative=True, device=device, progress=lambda f, _: told.append(f)
    )
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 1)


@pytest.mark.parametrize("part", list(ASKED))
@pytest.mark.parametrize("level", [0.0, 0.2])
def test_what_was_canceled_can_be_asked_for_again(device: str, part: str, level: float) -> None:
    expected = sx.to_host(ASKED[part](sx.morse_smale(VALUES, persistence=level), None))
    for call in (1, 2, 4):
        found = sx.morse_smale(VALUES, persistence=level, device=device)
        with contextlib.suppress(sx.Cancelled):
            ASKED[part](found, Stop(call))
        np.testing.assert_array_equal(sx.to_host(ASKED[part](found, None)), expected)


def test_many_threads_may_drag_the_slider_of_one_complex() -> None:
    levels = [0.05, 0.1, 0.2, 0.4] * 3
    raw = sx.morse_smale(VALUES, device="cpu")
    expected = [raw.simplify(level).segmentation("morse_smale") for level in levels]
    shared = sx.morse_smale(VALUES, device="cpu")
    with ThreadPoolExecutor(6) as pool:
        answers = pool.map(lambda t: shared.simplify(t).segmentation("morse_smale"), levels)
        for answer, right in zip(answers, expected, strict=True):
            np.testing.assert_array_equal(answer, right)


@pytest.mark.parametrize("kind", ["descending", "ascending"])
@pytest.mark.parametrize("level", [0.0, 0.3])
def test_surfaces_of_chosen_saddles_are_those_among_all(
    device: str, kind: str, level: float
) -> None:
    found = sx.morse_smale(VALUES, persistence=level, device=device)
    rows = found.critical.rows(2 if kind == "descending" else 1)
    chosen = np.arange(rows.start, rows.stop)[::7][::-1]
    whole = found.separatrices(2, kind)
    here = np.isin(sx.to_host(whole.source), chosen)
    some = found.separatrices(2, kind, sources=np.concatenate([chosen, chosen[:2]]))
    np.testing.assert_array_equal(sx.to_host(some.source), sx.to_host(whole.source)[here])
    cells, polygons = sx.to_host(whole.cell_id), quadrilaterals_of(whole)[here]
    np.testing.assert_array_equal(
        sx.to_host(some.cell_id)[quadrilaterals_of(some)], cells[polygons]
    )
    assert (np.diff(sx.to_host(some.cell_id)) > 0).all()
    assert found.separatrices(2, kind, sources=[]).corners.shape == (0,)


@pytest.mark.parametrize("level", [0.0, 0.3])
def test_connectors_of_chosen_saddles_are_those_among_all(device: str, level: float) -> None:
    found = sx.morse_smale(VALUES, persistence=level, device=device)
    rows = found.critical.rows(2)
    whole = found.separatrices(1, "saddle")
    for chosen in (np.arange(rows.start, rows.stop)[::7], np.empty(0, int)):
        some = found.separatrices(1, "saddle", sources=chosen)
        here = np.isin(sx.to_host(whole.destination), chosen)
        of_points = np.repeat(here, np.diff(sx.to_host(whole.offsets)))
        for name in ("points", "cell_id", "cell_dimension"):
            expected = sx.to_host(getattr(whole, name))[of_points]
            np.testing.assert_array_equal(sx.to_host(getattr(some, name)), expected)
        for name in ("source", "destination"):
            expected = sx.to_host(getattr(whole, name))[here]
            np.testing.assert_array_equal(sx.to_host(getattr(some, name)), expected)
        old, new = sx.to_host(whole.separatrix)[here], sx.to_host(some.separatrix)
        np.testing.assert_array_equal(new, np.unique(old, return_inverse=True)[1])


def test_a_fraction_of_the_range_is_a_level(device: str) -> None:
    values = (VALUES * 200).astype(np.int8)
    spread = float(values.max()) - float(values.min())
    found = sx.morse_smale(values, persistence=0.25, relative=True, device=device)
    assert found.persistence == 0.25 * spread
    assert found.critical.counts == sx.morse_smale(values).simplify(0.25 * spread).critical.counts
    assert sx.morse_smale(values, relative=True, device=device).persistence == 0


@pytest.mark.parametrize(
    ("level", "relative", "text"),
    [
        (-1, False, "persistence must be a non-negative number; got -1."),
        (float("nan"), False, "persistence must be a non-negative number; got nan"),
        ("1", False, "persistence must be a non-negative number; got '1'"),
        (True, False, "persistence must be a non-negative number; got True"),
        (1.5, True, "a fraction from 0 to 1 if relative=True; got 1.5"),
        (-0.1, True, "persistence must be a non-negative number; got -0.1"),
        (float("nan"), True, "persistence must be a non-negative number; got nan"),
    ],
)
def test_a_wrong_level_gets_a_sentence(level: Any, relative: bool, text: str) -> None:
    with pytest.raises(sx.InputError, match=text):
        sx.morse_smale(VALUES, persistence=level, relative=relative, device="cpu")
    with pytest.raises(sx.InputError, match=text):
        sx.morse_smale(VALUES, device="cpu").simplify(level, relative=relative)


def test_wrong_sources_and_kinds_get_a_sentence() -> None:
    found = sx.morse_smale(VALUES, device="cpu")
    first = found.critical.rows(2).start
    with pytest.raises(sx.InputError, match=rf"rows of 2-saddles in critical \({first} to \d+\)"):
        found.separatrices(2, "descending", sources=[first, 0])
    with pytest.raises(sx.InputError, match="rows of critical cells, integers; got dtype"):
        found.separatrices(2, "descending", sources=[0.5])
    with pytest.raises(sx.InputError, match="sources must be None for lines to extrema"):
        found.separatrices(1, "descending", sources=[first])
    with pytest.raises(sx.InputError, match="kind must be one of ascending, descending; got"):
        found.separatrices(2, "saddle")
    with pytest.raises(sx.InputError, match="kind must be one of ascending, descending, saddle"):
        found.separatrices(1, "minimum")
    with pytest.raises(sx.InputError, match=r"1, or 2 for a volume or tetrahedra, for .*; got 3"):
        found.separatrices(3)
    with pytest.raises(
        sx.InputError, match="kind must be one of ascending, descending, morse_smale"
    ):
        found.regions("all")
    with pytest.raises(sx.InputError, match="index must be an integer from 1 to 3; got 4"):
        found.boundary(4)
    with pytest.raises(sx.InputError, match="method must be one of frontier, matrix"):
        found.trace_arcs(method="fast")


def test_values_that_were_not_kept_are_missed_in_a_sentence() -> None:
    found = sx.MorseSmaleComplex(sx.discrete_gradient(VALUES, device="cpu"))
    assert found.simplify(0.2).critical.euler_characteristic == 1
    for ask in (
        lambda: found.simplify(0.1, relative=True),
        lambda: found.regions("descending"),
        lambda: found.simplify(0.2).simplified_field().values,
    ):
        with pytest.raises(sx.InputError, match=r"does not hold any more. Make the complex with"):
            ask()
