"""If the k-th launch, task, or array of a call fails, the same call works afterwards, for every k.

On a GPU, launches fail with errors of CUDA, and arrays like those of a full pool.
"""

import gc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import assert_same_bits
from reliability.workloads import FAMILIES
from separatrix.device import cuda_errors
from separatrix.device.cuda import CudaDevice
from separatrix.device.host import HostDevice

FEW = 6  # positions of the fault; None for all


class Fault:
    """Raises `error` at the k-th event, counted from 0."""

    def __init__(self, k: int, error: BaseException):
        self.k, self.error, self.seen = k, error, 0

    def count(self) -> None:
        """Count an event."""
        self.seen += 1
        if self.seen == self.k + 1:
            raise self.error


def counted(function: Any, fault: Fault) -> Any:
    """The function, each call of which is an event."""

    def counting(*arguments: Any, **options: Any) -> Any:
        fault.count()
        return function(*arguments, **options)

    return counting


@contextmanager
def failing_launches(device: str, fault: Fault) -> Iterator[None]:
    """Count launches and tasks of the host as events."""
    places = [(HostDevice, "launch"), (HostDevice, "run")]
    if device != "cpu":
        places += [(CudaDevice, "launch"), (CudaDevice, "launch_blocks")]
    with ExitStack() as patches:
        for owner, name in places:
            function = counted(getattr(owner, name), fault)
            patches.enter_context(mock.patch.object(owner, name, function))
        yield


@contextmanager
def failing_arrays(device: str, fault: Fault) -> Iterator[None]:
    """Count requests for arrays as events: NumPy's functions, or CuPy's allocator."""
    if device != "cpu":
        import cupy

        pool = cupy.get_default_memory_pool()
        with cupy.cuda.using_allocator(counted(pool.malloc, fault)):
            yield
        return
    names = ("empty", "zeros", "full", "arange", "concatenate", "ascontiguousarray")
    patches = {name: counted(getattr(np, name), fault) for name in names}
    with mock.patch.multiple(np, **patches):
        yield


def error_of(kind: Any, device: str) -> tuple[BaseException, type[BaseException], str]:
    """The error at the fault, the class that the caller gets, and its text."""
    if kind is failing_arrays:
        if device == "cpu":
            return MemoryError("no room"), MemoryError, "no room"
        import cupy

        full = cupy.cuda.memory.OutOfMemoryError(1 << 20, 1 << 20, 0)
        return full, sx.DeviceMemoryError, "ran out of memory"
    if device == "cpu":
        return sx.KernelError("a launch failed"), sx.KernelError, "a launch failed"
    import cupy

    return (
        cupy.cuda.runtime.CUDARuntimeError(700),
        sx.KernelError,
        "This program can no longer use it",
    )


def used_bytes(device: str) -> int:
    """Device memory in use, if there is a pool."""
    if device == "cpu":
        return 0
    import cupy

    gc.collect()
    return int(cupy.get_default_memory_pool().used_bytes())


@pytest.mark.parametrize("few", [FEW, pytest.param(None, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", [failing_launches, failing_arrays])
@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_failed_launch_or_allocation_ends_only_its_call(name, kind, few, device):
    """Let the call fail at `few` positions, or at all of them."""
    options = {"device": device}
    expected = FAMILIES[name](1, options)
    with kind(device, whole := Fault(-1, MemoryError())):
        FAMILIES[name](1, options)
    n = whole.seen
    positions = range(n) if few is None else sorted({round(k) for k in np.linspace(0, n - 1, few)})
    before = used_bytes(device)
    for k in positions:
        error, expected_kind, words = error_of(kind, device)
        found, said = None, ""
        with kind(device, Fault(k, error)):
            try:
                found = FAMILIES[name](1, options)
            except (expected_kind, sx.DeviceUnavailable) as stop:
                said = str(stop)  # unavailable to a later call within: the GPU is lost
        cuda_errors.lost_gpus.clear()
        if found is None:
            assert words in said or "It was lost in an earlier call" in said
        else:
            assert_same_bits(expected, found)
        del found, error
        assert used_bytes(device) <= before
        assert_same_bits(expected, FAMILIES[name](1, options))


@pytest.mark.parametrize("kind", [failing_launches, failing_arrays])
def test_a_result_whose_part_failed_gives_that_part_afterwards(kind, device):
    image = np.random.default_rng(7).integers(0, 30, (9, 10, 11)).astype(np.float32)
    parts = {
        "cells": lambda found: found.segmentation("morse_smale"),
        "lines": lambda found: found.separatrices(1, "ascending").points,
        "pairs": lambda found: found.persistence_pairs.birth,
        "arcs": lambda found: found.arcs.upper,
        "simple": lambda found: found.simplify(4.0).segmentation("descending"),
        "values": lambda found: found.simplify(4.0).simplified_field().values,
    }
    n = 0
    for part in parts.values():
        expected = sx.to_host(part(sx.morse_smale(image, device=device)))
        for k in range(0, 60, 7):
            found = sx.morse_smale(image, device=device)
            error, expected_kind, _ = error_of(kind, device)
            with kind(device, fault := Fault(k, error)):
                try:
                    part(found)
                except expected_kind:
                    n += 1
            cuda_errors.lost_gpus.clear()
            np.testing.assert_array_equal(sx.to_host(part(found)), expected)
            if fault.seen <= k:
                break
    assert n >= 10
