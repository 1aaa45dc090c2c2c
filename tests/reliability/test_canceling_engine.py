"""Progress of every long call rises from 0 to 1, and its callback can cancel the call.

A canceled call ends immediately and releases its memory, and a repeated call returns the same bits.
"""

import contextlib
import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from reliability.long_calls import CALLS, Gaps, measured
from reliability.whole_results import digest

SCALE, FAST = 0.003, 3  # factor on the sizes of CALLS; stops per call in the first tier
SECONDS = 0.5  # until a canceled call ends
TRIES = 3  # the shortest counts, because a busy machine makes pauses longer


class OwnError(Exception):
    """An exception of the caller."""


KINDS: tuple[type[BaseException], ...] = (sx.Canceled, KeyboardInterrupt, OwnError)


class Stop:
    """A progress that raises an error in its n-th call."""

    def __init__(self, call: int, error: type[BaseException]) -> None:
        self.calls_left, self.error = call, error

    def __call__(self, fraction: float, stage: str) -> None:
        self.calls_left -= 1
        if self.calls_left == 0:
            raise self.error("enough")
        assert self.calls_left > 0, "progress was called after it had raised"


def sampled(n: int, most: int) -> list[int]:
    """At most `most` of the calls 1 to n, including the first and the last."""
    return sorted({int(k) for k in np.linspace(1, n, min(n, most)).round()})


def stopped_everywhere(name: str, device: str, most: int) -> None:
    """Stop a call at up to `most` calls of its progress, with alternating errors."""
    reported: list[tuple[float, str]] = []
    expected = digest(CALLS[name](SCALE, device=device)(lambda *now: reported.append(now)))
    fractions = [fraction for fraction, _ in reported]
    assert fractions == sorted(fractions)
    assert all(type(fraction) is float for fraction in fractions)
    assert all(type(stage) is str and stage for _, stage in reported)
    assert fractions[0] == 0
    assert fractions[-1] == 1
    n_stops = 0
    for k in sampled(len(reported), most):
        run, error = CALLS[name](SCALE, device=device), KINDS[n_stops % len(KINDS)]
        n_threads = threading.active_count()
        found = None
        with contextlib.suppress(error):  # slices vary, so the call may end before
            found = run(Stop(k, error))
        if found is None:
            assert threading.active_count() <= n_threads
            n_stops += 1
            found = run(None)
        assert digest(found) == expected, f"{name} stopped at {k}"


@pytest.mark.parametrize("most", [FAST, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", CALLS)
def test_progress_rises_to_one_and_a_stopped_call_can_be_repeated(name, most, device):
    stopped_everywhere(name, device, most)


def arrays_in(run: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays that a prepared call holds."""
    for cell in run.__closure__ or ():
        held = cell.cell_contents
        for one in held if isinstance(held, tuple) else (held,):
            if isinstance(one, np.ndarray):
                yield one


@pytest.mark.parametrize(
    "name", [name for name in CALLS if name.startswith(("image: c", "alpha: c", "rips", "points"))]
)
def test_a_canceled_call_releases_its_arrays(name, device):
    gaps = Gaps()
    gaps.begin()
    CALLS[name](SCALE, device=device)(gaps)
    gc.collect()
    before = bytes_in_use(device)
    kept = []
    for error in KINDS:
        run, stop = CALLS[name](SCALE, device=device), Stop(max(1, gaps.n_calls // 2), error)
        kept += [weakref.ref(array) for array in arrays_in(run)] + [weakref.ref(stop)]
        with contextlib.suppress(error):
            run(stop)
        del run, stop
    gc.collect()
    assert [one() is None for one in kept] == [True] * len(kept)
    assert bytes_in_use(device) <= before


def bytes_in_use(device: str) -> int:
    """Bytes in use of the memory pool of the GPU."""
    if device == "cpu":
        return 0
    import cupy

    cupy.fft.config.get_plan_cache().clear()
    return int(cupy.get_default_memory_pool().used_bytes())


@pytest.mark.long
@pytest.mark.parametrize("name", CALLS)
def test_every_call_checks_for_cancellation_within_half_a_second(name, device):
    pauses = []
    for _ in range(TRIES):
        _, gaps = measured(name, device=device, threads=1)
        pauses.append(gaps.gaps[0])
        if pauses[-1][0] <= SECONDS:
            break
    assert min(pauses)[0] <= SECONDS, min(pauses)
