"""Filters in several threads, within each other's runs, and changed while they run."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("vtkmodules.vtkCommonCore")

from filters.images import message_window
from reliability.filter_runs import FILTERS, bits_of, make, points_input, update
from separatrix_vtk import FilterError, PointDensity

N_INPUTS = 3
SECONDS = 120


@pytest.mark.parametrize(
    ("n_threads", "n_rounds"), [(4, 1), pytest.param(8, 8, marks=pytest.mark.long)]
)
def test_filters_in_several_threads_give_the_serial_bits(n_threads, n_rounds):
    cases = [(name, k) for name in FILTERS for k in range(N_INPUTS)]
    alone = {case: bits_of(update(make(case[0]), case[1])) for case in cases}
    gate = threading.Barrier(n_threads)

    def work(seed):
        kept = {name: make(name) for name in FILTERS}
        order = np.random.default_rng(seed).permutation(len(cases) * n_rounds)
        gate.wait()
        chosen = [cases[i % len(cases)] for i in order]
        return [case for case in chosen if bits_of(update(kept[case[0]], case[1])) != alone[case]]

    with ThreadPoolExecutor(n_threads) as pool:
        assert [f for f in pool.map(work, range(n_threads), timeout=SECONDS) if f] == []


@cache
def alone(name: str) -> Any:
    """The output of a filter without concurrency."""
    return bits_of(update(make(name), 1))


@pytest.mark.parametrize("outer", list(FILTERS))
def test_a_filter_may_run_in_the_progress_callback_of_another_filter(outer):
    expected = alone(outer)
    for inner in FILTERS:
        within, found = make(inner), []

        def nest(*_, within=within, found=found):
            if not found:
                found.append(None)
                found[0] = bits_of(update(within, 1))

        filter = make(outer)
        filter.AddObserver("ProgressEvent", nest)
        assert bits_of(update(filter, 1)) == expected, inner
        assert found == [alone(inner)], inner


def density(sigma: float = 0.2) -> PointDensity:
    filter = PointDensity(device="cpu", sigma=sigma, dimensions=(3, 4, 5))
    filter.SetInputData(points_input(1))
    return filter


def test_a_nested_run_of_a_filter_is_rejected():
    filter, said = density(), []

    def listen(part, stage):
        with pytest.raises(FilterError) as error:
            filter.run(points_input(2))
        said.append(str(error.value))

    filter.run(points_input(1), progress=listen)
    assert set(said) == {
        "This PointDensity is already running. Create another filter for calls from progress "
        "callbacks or other threads."
    }
    expected = density()
    expected.Update()
    assert bits_of(filter) == bits_of(expected)


def test_a_nested_update_does_not_disturb_the_run_of_a_filter():
    filter, expected, nested = density(), density(), []
    expected.Update()

    def nest(*_):
        if not nested:
            nested.append(1)
            filter.Update()

    with message_window():  # VTK rejects it, and may print a message
        filter.AddObserver("ProgressEvent", nest)
        filter.Update()
    assert nested == [1]
    assert bits_of(filter) == bits_of(expected)


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_a_setting_changed_by_an_observer_is_used(part):
    filter, expected = density(), density(0.3)
    expected.Update()

    def change(*_):
        if filter.GetProgress() >= part:
            filter.sigma = 0.3

    filter.AddObserver("ProgressEvent", change)
    filter.Update()
    assert bits_of(filter) == bits_of(expected)


def test_settings_that_change_in_every_run_are_reported():
    filter = density()
    filter.AddObserver("ProgressEvent", lambda *_: setattr(filter, "sigma", filter.sigma * 1.01))
    filter.AddObserver("ErrorEvent", lambda *_: None)
    filter.Update()
    assert filter.last_error.startswith("An observer changed an option in each of 5 runs.")
    filter.RemoveAllObservers()
    filter.sigma = 0.3
    filter.Update()
    expected = density(0.3)
    expected.Update()
    assert bits_of(filter) == bits_of(expected)
