"""Whole results of the CPU and of the GPU, bit for bit: larger images of every dtype, barcodes."""

from __future__ import annotations

import lzma
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import noisy_sphere, whole_barcode
from oracles.everything import assert_same_bits, everything
from oracles.fields import Field, noise_fields
from oracles.point_sets import lattice

pytestmark = pytest.mark.gpu

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "longdouble"]


def of_dtype(shape: tuple[int, ...], dtype: str, seed: int) -> Field:
    """Noise over the range of a dtype, denormals and both zeros among it, with plateaus."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.random(shape) < 0.5
    if kind in "iu":
        limits = np.iinfo(dtype)
        values = random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    else:
        limits = np.finfo(dtype)
        values = random.standard_normal(shape).astype(dtype) * limits.tiny  # many denormals
        values[random.random(shape) < 0.3] *= np.dtype(dtype).type(1e3)
    plateau = random.random(shape) < 0.3
    values[plateau] = values[plateau][0] if plateau.any() else 0
    if kind == "f":
        values[random.random(shape) < 0.2] = -0.0
        values[random.random(shape) < 0.2] = 0.0
    return values


def assert_both_devices_agree(values: Any, cuda: str, **options: Any) -> None:
    on_cpu = everything(values, device="cpu", **options)
    assert_same_bits(on_cpu, everything(values, device=cuda, **options))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(57, 43, 71), (1, 130, 257), (63, 1, 65), (311, 517), (2, 2, 9000), (100_000,)]
)
def test_both_devices_agree_on_every_dtype(cuda: str, dtype: str, shape: tuple[int, ...]) -> None:
    assert_both_devices_agree(of_dtype(shape, dtype, seed=121), cuda)


def test_both_devices_agree_on_a_noisy_volume(cuda: str) -> None:
    z, y, x = np.mgrid[0:6:100j, 0:6:200j, 0:6:300j]
    smooth = np.sin(x) * np.cos(y) * np.sin(z + 1)
    noise = np.random.default_rng(122).random(smooth.shape)
    for part in (0.0, 0.01, 1.0):
        values = (smooth + part * noise).astype(np.float32)
        assert_both_devices_agree(values, cuda, spacing=(0.3, 1.7, 2.1), origin=(1e3, -7.7, 0.1))


def test_both_devices_agree_on_white_noise_and_plateaus(cuda: str) -> None:
    random = np.random.default_rng(123)
    for values in (random.random((128, 128, 128)), random.integers(0, 2, (128, 128, 128))):
        assert_both_devices_agree(values, cuda)


def test_both_devices_agree_with_a_direction_and_an_awkward_spacing(cuda: str) -> None:
    direction = np.linalg.qr(np.random.default_rng(124).standard_normal((3, 3)))[0]
    values = np.random.default_rng(125).random((31, 32, 33))
    assert_both_devices_agree(
        values, cuda, spacing=(1 / 3, 0.1, 1e-7), origin=(0.1, 1e9, -1e-9), direction=direction
    )


def test_both_devices_agree_on_small_fields_of_ties(cuda: str) -> None:
    for values in noise_fields(300, seed=126):
        assert_both_devices_agree(values, cuda)


def test_both_devices_agree_on_real_volumes(cuda: str, shared_volumes: Path) -> None:
    for path in sorted(shared_volumes.glob("*.raw.xz")):
        found = re.search(r"_(\d+)x(\d+)x(\d+)_(\w+)\.raw", path.name)
        assert found is not None
        shape = tuple(int(n) for n in found.groups()[2::-1])
        values = np.frombuffer(lzma.decompress(path.read_bytes()), found[4]).reshape(shape)
        assert_both_devices_agree(values, cuda)


def test_an_array_on_the_gpu_stays_there_and_gives_the_same_bits(cuda: str) -> None:
    import cupy

    values = np.random.default_rng(127).integers(0, 99, (40, 41, 42))
    there = cupy.asarray(values)
    found = sx.morse_smale(there)
    assert found.device == "cuda:0"
    assert isinstance(found.segmentation("ascending"), cupy.ndarray)
    assert isinstance(found.critical.cell_id, cupy.ndarray)
    assert_same_bits(everything(values, device="cpu"), everything(there))


def test_an_array_on_the_gpu_comes_down_when_the_cpu_is_named(cuda: str) -> None:
    import cupy

    values = np.random.default_rng(128).random((10, 11, 12))
    found = sx.morse_smale(cupy.asarray(values), device="cpu")
    assert found.device == "cpu"
    assert isinstance(found.segmentation("morse_smale"), np.ndarray)


@pytest.mark.parametrize("layout", ["F", "strided", "view"])
def test_gpu_arrays_of_any_layout_give_the_same_bits(cuda: str, layout: str) -> None:
    import cupy

    values = np.random.default_rng(129).integers(0, 9, (20, 21, 22))
    there = {
        "F": cupy.asfortranarray(cupy.asarray(values)),
        "strided": cupy.repeat(cupy.asarray(values), 2, axis=1)[:, ::2],
        "view": cupy.asarray(values[::-1].copy())[::-1],
    }[layout]
    assert_same_bits(everything(values, device="cpu"), everything(there))


def test_what_was_computed_on_the_gpu_is_numpy_when_auto_chose_it(cuda: str) -> None:
    found = sx.morse_smale(np.random.default_rng(130).random((9, 9, 9)), device="auto")
    assert found.device == "cuda:0"
    assert isinstance(found.segmentation("ascending"), np.ndarray)
    assert isinstance(found.critical.position, np.ndarray)


LATTICES = [(2, 3), (3, 3), (4, 3), (5, 3), (6, 3), (8, 3), (12, 3), (5, 2), (17, 2), (30, 2)]
"""Points along an axis, and axes: lengths tie everywhere, and what begins a bar is a choice."""


@pytest.mark.parametrize(
    ("max_dimension", "threshold"), [(1, None), (1, 2.0), (2, None), (2, 2.0), (3, None), (3, 2.0)]
)
@pytest.mark.parametrize(("n", "axes"), LATTICES, ids=[f"{n}^{axes}" for n, axes in LATTICES])
def test_both_devices_give_a_lattice_the_same_barcode(
    cuda: str, n: int, axes: int, max_dimension: int, threshold: float | None
) -> None:
    if n**axes > {1: 2000, 2: 350, 3: 130}[max_dimension] and threshold is None:
        pytest.skip("takes a CPU too long")
    options: dict[str, Any] = {"max_dimension": max_dimension, "threshold": threshold}
    if n**axes > 350:
        options["representatives"] = "longest"
    points = lattice(n, axes)
    on_cpu = whole_barcode(points, device="cpu", **options)
    assert_same_bits(on_cpu, whole_barcode(points, device=cuda, **options))


@pytest.mark.parametrize("collapse", ["auto", True, False])
@pytest.mark.parametrize("relabel", [True, False])
def test_both_devices_give_points_on_a_sphere_the_same_barcode(
    cuda: str, collapse: str | bool, relabel: bool
) -> None:
    points = noisy_sphere(250)  # so many that the order of the vertices is tried
    options: dict[str, Any] = {"max_dimension": 2, "collapse": collapse, "relabel": relabel}
    on_cpu = whole_barcode(points, device="cpu", **options)
    assert_same_bits(on_cpu, whole_barcode(points, device=cuda, **options))
