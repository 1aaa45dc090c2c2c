"""Whole results have the same bits with any number of threads, in every run, and on a GPU.

Reliability tests repeat this for workloads of every family; here are larger and harder images and
meshes, every dtype, and arrays on a GPU.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import noisy_sphere, whole_barcode
from oracles.everything import assert_same_bits, everything
from oracles.fields import OPEN, TORUS, Field, any_order, noise_fields, periodic_noise, read_raw
from oracles.mesh_fields import delaunay
from oracles.meshes import split_grid
from oracles.point_sets import lattice
from reliability.whole_results import Arrays, of_image, of_mesh

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "longdouble"]


def walls(shape: tuple[int, ...], seed: int) -> Field:
    """A plateau with random walls: ways through it wind through many tiles and back."""
    random = np.random.default_rng(seed)
    values = (random.random(shape) < 0.35).astype(np.uint8)
    values[random.random(shape) < 0.002] = 2
    return values


def cases() -> dict[str, Callable[..., Arrays]]:
    """Whole results of images and meshes, as functions of device and threads."""
    random = np.random.default_rng(81)
    z, y, x = np.mgrid[0:6:40j, 0:6:42j, 0:6:70j]
    smooth = np.sin(x) * np.cos(y) * np.sin(z + 1)
    noisy = (smooth + 0.01 * random.random(x.shape)).astype(np.float32)
    steps = np.round(6 * smooth).astype(np.int32)
    tied = random.integers(0, 3, (30, 31, 42), dtype=np.uint8)
    picture = random.integers(0, 9, (200, 300), dtype=np.int16)
    images: dict[str, tuple[Field, dict[str, Any]]] = {
        "noise": (random.random((33, 34, 35), np.float32), {"level": 0.3}),
        "smooth": (noisy, {"level": 0.1}),
        "ties": (tied, {}),
        "picture": (picture, {"level": 3.0}),
        "line": (random.integers(0, 9, 50_003), {"level": 3.0}),
        "periodic noise": (random.random((20, 33, 40)), {"periodic": TORUS}),
        "periodic ties": (tied[:17, :18], {"periodic": (True, False, True)}),
        "periodic smooth": (noisy[:30], {"periodic": TORUS}),
        "periodic picture": (picture[:60, :70], {"periodic": (True, True, False)}),
        "plateau walls": (walls((33, 34, 66), 235), {"order": "plateau"}),
        "plateau steps": (steps, {"order": "plateau"}),
        "plateau steps float32": (steps.astype(np.float32), {"order": "plateau"}),
        "plateau picture": (picture[:50, :51] % 3, {"order": "plateau", "periodic": (True, True)}),
    }
    holes = np.where(random.random(x.shape) < 0.01, np.nan, noisy)
    holes[(x - 3) ** 2 + (y - 2) ** 2 < 1] = np.nan
    for name, periodic in (("masked", OPEN), ("masked torus", TORUS)):
        images[name] = holes, {"nan": "mask", "periodic": periodic, "level": 0.2}
    found: dict[str, Callable[..., Arrays]] = {
        name: partial(of_image, values, **options) for name, (values, options) in images.items()
    }
    for dimension in (2, 3):
        points, cells = delaunay(np.random.default_rng(44), 900, dimension, 0.97)
        values = {
            "noise": random.random(900),
            "smooth": np.cos(5 * points).prod(axis=1),
            "ties": random.integers(0, 3, 900),
        }
        for name, of_points in values.items():
            mesh = partial(of_mesh_level, points, cells, of_points)
            found[f"mesh of dimension {dimension}, {name}"] = mesh
    grid = split_grid((18, 18, 18))
    tied_points = random.integers(0, 2, len(grid.points))
    found["mesh in plateau order"] = partial(of_mesh_level, *grid, tied_points, order="plateau")
    return found


def of_mesh_level(
    points: Any, cells: Any, values: Any, order: str = "index", **options: Any
) -> Arrays:
    """Everything of a mesh, and of its complex at a level in an order of the points."""
    kind = sx.TetMesh if cells.shape[1] == 4 else sx.TriangleMesh
    found = kind(points, cells, **options).morse_smale(values, order=order)
    level = found.simplify(float(np.ptp(values)) / 4)
    arrays = of_mesh(points, cells, values, **options)
    for name, one in (("raw", found), ("level", level)):
        arrays |= {f"{name} codes {d}": codes for d, codes in enumerate(one.gradient.codes())}
        arrays |= {f"{name} cells": one.critical.cell_id, f"{name} tops": one.cell_labels()}
        arrays[f"{name} connectors"] = one.separatrices(1, "saddle").points
        if found.domain.dimension == 3:
            for side in ("ascending", "descending"):
                surfaces = one.separatrices(2, side)
                arrays |= {f"{name} {side} points": surfaces.points}
                arrays |= {f"{name} {side} corners": surfaces.corners}
    return {name: sx.to_host(array) for name, array in arrays.items()}


@pytest.mark.parametrize("name", cases())
def test_any_number_of_threads_gives_the_same_bits(name):
    run = cases()[name]
    expected = run(device="cpu", threads=1)
    for threads in (2, 5):
        assert_same_bits(expected, run(device="cpu", threads=threads))


@pytest.mark.gpu
@pytest.mark.parametrize("name", cases())
def test_a_gpu_returns_the_same_bits_as_the_cpu(cuda, name):
    run = cases()[name]
    assert_same_bits(run(device="cpu"), run(device=cuda))


def test_any_number_of_threads_gives_the_same_bits_on_small_fields():
    for values in noise_fields(60, seed=82):
        one = everything(values, device="cpu", threads=1)
        assert_same_bits(one, everything(values, device="cpu", threads=5))


def test_the_environment_may_set_the_number_of_threads(monkeypatch):
    values = np.random.default_rng(83).random((20, 20, 20))
    expected = everything(values, device="cpu", threads=1)
    monkeypatch.setenv("SEPARATRIX_NUM_THREADS", "3")
    assert_same_bits(expected, everything(values, device="cpu"))


@pytest.mark.parametrize("order", ["index", "plateau"])
def test_a_result_does_not_change_when_the_callers_values_do(device, order):
    # Segmentations and lines are computed on demand, long after the call.
    values = np.random.default_rng(84).integers(0, 40, (12, 12, 12), dtype=np.int16)
    before = values.copy()
    expected = everything(before, order=order, device=device)
    found = sx.morse_smale(values, order=order, persistence=4.0, device=device)
    raw = sx.morse_smale(values, order=order, device=device)
    simple = sx.morse_smale(before, order=order, persistence=4.0, device=device)
    values[...] = 0
    for kind in ("ascending", "descending", "morse_smale"):
        np.testing.assert_array_equal(sx.to_host(raw.segmentation(kind)), expected[kind])
    np.testing.assert_array_equal(
        sx.to_host(found.simplified_field().values), sx.to_host(simple.simplified_field().values)
    )


MESH = "mesh of dimension 3, noise"


@pytest.mark.parametrize(("kind", "size"), [("runs", 7), ("octree", 1), ("octree", 10**6)])
def test_segments_of_a_mesh_change_no_bit(kind, size):
    expected = cases()[MESH](device="cpu")
    assert_same_bits(expected, cases()[MESH](device="cpu", segments=kind, segment_size=size))


def test_the_length_of_queues_changes_no_bit(device, monkeypatch):
    expected = cases()[MESH](device=device)
    for name in ("MAX_STEPS", "MAX_TURNS"):
        monkeypatch.setattr(f"separatrix.morse.connectors.minor.{name}", 2)
    monkeypatch.setattr("separatrix.complexes.simplicial.path_graph.queue_for", lambda n: 3)
    assert_same_bits(expected, cases()[MESH](device=device))


# === on a GPU only
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


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(57, 43, 71), (1, 130, 257), (63, 1, 65), (311, 517), (2, 2, 9000), (100_000,)]
)
def test_both_devices_agree_on_every_dtype(cuda, dtype, shape):
    assert_both_devices_agree(of_dtype(shape, dtype, seed=121), cuda)


@pytest.mark.gpu
def test_both_devices_agree_on_a_noisy_volume(cuda):
    z, y, x = np.mgrid[0:6:100j, 0:6:200j, 0:6:300j]
    smooth = np.sin(x) * np.cos(y) * np.sin(z + 1)
    noise = np.random.default_rng(122).random(smooth.shape)
    for part in (0.0, 0.01, 1.0):
        values = (smooth + part * noise).astype(np.float32)
        assert_both_devices_agree(values, cuda, spacing=(0.3, 1.7, 2.1), origin=(1e3, -7.7, 0.1))


@pytest.mark.gpu
def test_both_devices_agree_with_a_direction_and_an_awkward_spacing(cuda):
    direction = np.linalg.qr(np.random.default_rng(124).standard_normal((3, 3)))[0]
    values = np.random.default_rng(125).random((31, 32, 33))
    assert_both_devices_agree(
        values, cuda, spacing=(1 / 3, 0.1, 1e-7), origin=(0.1, 1e9, -1e-9), direction=direction
    )


@pytest.mark.gpu
@pytest.mark.parametrize("order", ["index", "plateau", "array"])
def test_both_devices_agree_on_small_fields_of_ties(cuda, order):
    random = np.random.default_rng(127)
    images = [(values, OPEN) for values in noise_fields(300, seed=126)]
    for values, periodic in [*images, *periodic_noise(100, seed=217)]:
        ranks = any_order(values, random) if order == "array" else order
        assert_both_devices_agree(values, cuda, periodic=periodic, order=ranks)


@pytest.mark.gpu
def test_both_devices_agree_on_real_volumes(cuda, shared_volumes):
    for path in sorted(shared_volumes.glob("*.raw.xz")):
        assert_both_devices_agree(read_raw(path), cuda)


@pytest.mark.gpu
def test_an_array_on_the_gpu_stays_there_and_gives_the_same_bits(cuda):
    import cupy

    values = np.random.default_rng(127).integers(0, 99, (40, 41, 42))
    there = cupy.asarray(values)
    found = sx.morse_smale(there)
    assert found.device == "cuda:0"
    assert isinstance(found.segmentation("ascending"), cupy.ndarray)
    assert isinstance(found.critical.cell_id, cupy.ndarray)
    layouts = [
        there,
        cupy.asfortranarray(there),
        cupy.repeat(there, 2, axis=1)[:, ::2],
        cupy.asarray(values[::-1].copy())[::-1],
    ]
    for same in layouts:
        assert_same_bits(everything(values, device="cpu"), everything(same))


@pytest.mark.gpu
def test_an_array_on_the_gpu_is_downloaded_for_the_cpu(cuda):
    import cupy

    values = np.random.default_rng(128).random((10, 11, 12))
    found = sx.morse_smale(cupy.asarray(values), device="cpu")
    assert found.device == "cpu"
    assert isinstance(found.segmentation("morse_smale"), np.ndarray)


@pytest.mark.gpu
def test_a_result_of_an_array_of_the_host_is_numpy_if_auto_chose_the_gpu(cuda):
    found = sx.morse_smale(np.random.default_rng(130).random((9, 9, 9)), device="auto")
    assert found.device == "cuda:0"
    assert isinstance(found.segmentation("ascending"), np.ndarray)
    assert isinstance(found.critical.position, np.ndarray)


LATTICES = [(2, 3), (3, 3), (4, 3), (5, 3), (6, 3), (8, 3), (12, 3), (5, 2), (17, 2), (30, 2)]
"""Points along an axis, and axes: lengths tie everywhere, and what begins a bar is a choice."""


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("max_dimension", "threshold"), [(1, None), (1, 2.0), (2, None), (2, 2.0), (3, None), (3, 2.0)]
)
@pytest.mark.parametrize(("n", "axes"), LATTICES, ids=[f"{n}^{axes}" for n, axes in LATTICES])
def test_both_devices_give_a_lattice_the_same_barcode(cuda, n, axes, max_dimension, threshold):
    if n**axes > {1: 2000, 2: 350, 3: 130}[max_dimension] and threshold is None:
        pytest.skip("takes a CPU too long")
    options = {"max_dimension": max_dimension, "threshold": threshold}
    if n**axes > 350:
        options["representatives"] = "longest"
    points = lattice(n, axes)
    on_cpu = whole_barcode(points, device="cpu", **options)
    assert_same_bits(on_cpu, whole_barcode(points, device=cuda, **options))


@pytest.mark.gpu
@pytest.mark.parametrize("collapse", ["auto", True, False])
@pytest.mark.parametrize("relabel", [True, False])
def test_both_devices_give_points_on_a_sphere_the_same_barcode(cuda, collapse, relabel):
    points = noisy_sphere(250)  # so many that the order of the vertices is tried
    options = {"max_dimension": 2, "collapse": collapse, "relabel": relabel}
    on_cpu = whole_barcode(points, device="cpu", **options)
    assert_same_bits(on_cpu, whole_barcode(points, device=cuda, **options))
