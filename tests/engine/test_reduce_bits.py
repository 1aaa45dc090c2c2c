"""Sums have one order: the same bits for any intervals, threads, devices and instructions."""

import ctypes
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.point_sets import cut_at_random, point_sets, random_pattern
from oracles.everything import assert_same_bits
from reliability.whole_results import arrays_of
from separatrix.kernels import source
from separatrix.sums.formulas import choose
from separatrix.sums.host_form import written_for_host

CALLS: list[dict[str, Any]] = [
    {"formula": "gaussian", "sigma": 0.2},
    {"formula": "gaussian", "sigma": 0.2, "accumulate": "float64"},
    {"formula": "gaussian", "sigma": 0.2, "accumulate": "compensated"},
    {"formula": "laplacian", "sigma": 0.2, "reduction": "logsumexp"},
    {"formula": "distance", "reduction": "min"},
    {"formula": "distance", "reduction": "argmax"},
    {"formula": "wendland", "parameters": {"radius": 0.5}, "reduction": "max"},
    {"formula": "distance", "reduction": "kmin", "k": 5},
    {"formula": "distance", "reduction": "kmin_argkmin", "k": 64},
    {"formula": "laplacian", "sigma": 0.2, "reduction": "mean"},
    {"formula": "laplacian", "sigma": 0.2, "reduction": "softmax"},
    {"formula": "distance", "reduction": "max_argmax"},
    {"formula": "d2 < 0.04", "reduction": "count"},
    {"formula": "d2 < 0.04", "reduction": "collect"},
    {"formula": "exp(-p[0] * d2) * (x[0] < y[1]) + log(d2 + 0.1)", "parameters": (3.0,)},
]
OF_VALUES = ("sum", "mean", "softmax")


def large_sets(dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """More columns than two chunks of 4096."""
    random = np.random.default_rng(6)
    x, y = (random.random((n, 3)).astype(dtype) for n in (70, 9001))
    return x, y, random.standard_normal((len(y), 3)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_cutting_blocks_and_intervals_changes_no_bit(device, call, dtype):
    x, y, values = large_sets(dtype)
    weight = values if call.get("reduction", "sum") in OF_VALUES else None
    for seed in range(3):
        whole = random_pattern(len(x), len(y), seed)
        expected = sx.reduce(x=x, y=y, values=weight, pattern=whole, device=device, **call)
        for cut in range(3):
            pattern = cut_at_random(whole, cut)
            assert len(pattern.intervals) > len(whole.intervals)
            found = sx.reduce(x=x, y=y, values=weight, pattern=pattern, device=device, **call)
            assert_same_bits(arrays_of(found), arrays_of(expected))


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_any_number_of_threads_gives_the_same_bits(call):
    x, y, values = large_sets("float32")
    weight = values if call.get("reduction", "sum") in OF_VALUES else None
    pattern = random_pattern(len(x), len(y), 1)
    expected = sx.reduce(x=x, y=y, values=weight, pattern=pattern, threads=1, **call)
    for threads in (2, 7):
        found = sx.reduce(x=x, y=y, values=weight, pattern=pattern, threads=threads, **call)
        assert_same_bits(arrays_of(found), arrays_of(expected))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [1, 0])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_the_gpu_returns_the_same_bits_as_the_cpu(cuda, call, axis, dtype):
    for x, y, values in (large_sets(dtype), point_sets(2, dtype), point_sets(5, dtype)):
        of = values if axis == 1 else np.ones((len(x), 2), dtype)
        weight = of if call.get("reduction", "sum") in OF_VALUES else None
        patterns = [None, random_pattern(len(x), len(y), 5)]
        if x.shape[1] <= 3:
            patterns.append(sx.BlockPattern.from_cells(x, y, 0.2))
        for pattern in patterns:
            options = {"values": weight, "pattern": pattern, "axis": axis, **call}
            on_cpu = sx.reduce(x=x, y=y, device="cpu", **options)
            on_gpu = sx.reduce(x=x, y=y, device=cuda, **options)
            assert_same_bits(arrays_of(on_gpu), arrays_of(on_cpu))


@pytest.mark.gpu
def test_few_rows_and_many_columns_are_dealt_to_several_warps_with_the_same_bits(cuda):
    random = np.random.default_rng(8)
    x, y = random.random((5, 3), np.float32), random.random((300_000, 3), np.float32)
    for accumulate in (None, "float64", "compensated"):
        on_cpu, on_gpu = (
            sx.reduce("gaussian", x, y, sigma=0.1, accumulate=accumulate, device=device)
            for device in ("cpu", cuda)
        )
        assert_same_bits(arrays_of(on_gpu), arrays_of(on_cpu))


def test_reductions_that_choose_do_not_depend_on_the_order_of_the_points(device):
    x, y, _ = point_sets(dtype="float32")
    order = np.random.default_rng(3).permutation(len(y))
    for reduction in ("min", "max", "count"):
        found, permuted = (
            sx.reduce("distance", x, points, reduction=reduction, radius=0.5, device=device)
            for points in (y, y[order])
        )
        assert_same_bits(arrays_of(found), arrays_of(permuted))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names instruction sets of x86-64")
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_every_instruction_set_gives_the_same_bits(tmp_path):
    text = "exp(-p[0] * d2) + sqrt(d2) * log(d2 + 1.0) - max(x[0], y[1])"
    chosen = choose(text, (2.0,), {}, 3, None)
    written = tmp_path / "written.cpp"
    written.write_text(source.inlined("sums/written.cpp", written_for_host(chosen)))
    flags = ["-std=c++17", "-fPIC", "-shared", "-ffp-contract=off", "-fno-trapping-math"]
    found = {}
    targets = [("-O3", "-march=native"), ("-O2", "-march=x86-64"), ("-O3", "-DSEPARATRIX_PORTABLE")]
    for k, target in enumerate(targets):
        library = tmp_path / f"{k}.so"
        subprocess.run(["g++", *flags, *target, "-o", library, written], check=True)
        found[target] = [filled(library, dtype) for dtype in (np.float32, np.float64)]
    first, *others = found.values()
    assert first[0] != first[1]
    assert all(other == first for other in others)


def filled(library: Path, dtype: Any) -> bytes:
    """The result of fill_written of a library for one row and 512 columns."""
    random = np.random.default_rng(1)
    n = 512
    memory = np.zeros(3 * n * 8 + 128, np.uint8)
    begin = -memory.ctypes.data % 128
    columns = memory[begin : begin + 3 * n * np.dtype(dtype).itemsize].view(dtype)
    columns[:] = random.standard_normal(3 * n) * 10.0 ** random.integers(-3, 3, 3 * n)
    row, p = np.array([0.1, 0.2, 0.3], dtype), np.zeros(8, dtype)
    p[0] = 2.0
    order, out = np.zeros(n, np.int64), np.zeros(n, dtype)
    real = ctypes.c_float if dtype == np.float32 else ctypes.c_double

    class Meeting(ctypes.Structure):
        _fields_ = (
            *((name, ctypes.c_void_p) for name in ("row", "columns", "values", "order", "p")),
            ("stride", ctypes.c_longlong),
            ("row_index", ctypes.c_longlong),
            ("squared_radius", real),
            ("neutral", real),
            ("n_dimensions", ctypes.c_int),
        )

    arrays = [a.ctypes.data for a in (row, columns, columns, order, p)]
    meeting = Meeting(*arrays, n, 0, np.inf, 0, 3)
    function = getattr(ctypes.CDLL(str(library)), f"fill_written_{np.dtype(dtype)}")
    function(
        ctypes.byref(meeting),
        ctypes.c_longlong(0),
        ctypes.c_longlong(n),
        ctypes.c_void_p(out.ctypes.data),
    )
    return out.tobytes()


@pytest.mark.gpu
@pytest.mark.parametrize("call", CALLS[:1] + CALLS[3:4], ids=str)
def test_fast_math_approximates_the_exponential_on_a_gpu(call):
    random = np.random.default_rng(3)
    x, y = random.random((300, 3), np.float32), random.random((5000, 3), np.float32)
    values = random.random(5000, np.float32) if call["formula"] == "gaussian" else None
    wide = None if values is None else values.astype(float)
    expected = sx.reduce(y=y.astype(float), x=x.astype(float), values=wide, **call)
    exact = sx.reduce(y=y, x=x, values=values, device="cuda", **call)
    fast = sx.reduce(y=y, x=x, values=values, device="cuda", math="fast", **call)
    assert sx.to_host(fast).tobytes() != sx.to_host(exact).tobytes()
    np.testing.assert_allclose(sx.to_host(fast), expected, rtol=1e-6)


@pytest.mark.gpu
@pytest.mark.parametrize("sigma", [0.01, 0.04, 1.0])
@pytest.mark.parametrize("axis", [0, 1])
def test_fast_gaussian_sums_may_omit_pairs_whose_value_rounds_to_zero(sigma, axis):
    random = np.random.default_rng(4)
    x, y = random.random((3001, 3), np.float32), random.random((2000, 3), np.float32)
    x[0] = 7  # far from all others
    values = random.random(2000 if axis else 3001, np.float32)
    given = {"sigma": sigma, "axis": axis, "device": "cuda"}
    exact = sx.to_host(sx.reduce("gaussian", x, y, values, **given))
    fast = sx.to_host(sx.reduce("gaussian", x, y, values, math="fast", **given))
    exponent = -np.log(np.clip(exact, 1e-30, 1))  # of the nearest point, whose rounding counts
    assert (abs(fast - exact) <= 1e-6 * (1 + exponent / 5) * exact + 1e-30).all()
