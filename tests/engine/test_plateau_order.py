"""The plateau-aware order of images and meshes equals the oracle's and changes ties only."""

import tracemalloc
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import mesh_of
from engine.test_same_bits import walls
from oracles.everything import assert_same_bits, everything
from oracles.fields import OPEN, TORUS, Field, Periods, noise_fields, read_raw
from oracles.mesh_fields import delaunay, mesh_fields
from oracles.meshes import Mesh, split_grid
from oracles.plateau_order import mesh_order, plateau_order
from separatrix.complexes.cubical.field import order_bytes
from separatrix.complexes.cubical.slabs import GRADIENT_BYTES

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "longdouble"]


def ranks_of(order: list[int], shape: tuple[int, ...]) -> Field:
    """Place of each point in an order."""
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank.reshape(shape)


def assert_order_is_the_oracles(
    values: Field, device: str, *, periodic: Periods = OPEN, mesh: Mesh | None = None
) -> None:
    """The order of the points; and the gradient is that of their places in the oracle's order."""
    if mesh is None:
        options: dict[str, Any] = {"periodic": periodic, "device": device}
        expected = plateau_order(values, periodic)
    else:
        options = {"domain": mesh_of(*mesh, device=device)}
        expected = mesh_order(values, mesh.cells)
    found = sx.morse_smale(values, order="plateau", **options).gradient
    by_rank = sx.morse_smale(ranks_of(expected, values.shape), **options).gradient
    compared = sx.to_host(found._pairing.field.values).ravel()
    assert np.argsort(compared, kind="stable").tolist() == expected, f"{values!r}"
    for mine, theirs in zip(codes_of(found), codes_of(by_rank), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    if mesh is not None:
        one = options["domain"].critical_points(values, order="plateau")
        other = options["domain"].critical_points(ranks_of(expected, values.shape))
        for part in ("point", "type", "vector", "types"):
            parts = (sx.to_host(getattr(points, part)) for points in (one, other))
            np.testing.assert_array_equal(*parts)
    owners = sx.to_host(found.critical.vertex)
    assert owners.tolist() == sx.to_host(by_rank.critical.vertex).tolist()
    assert sx.to_host(found.critical.value).tolist() == values.ravel()[owners].tolist()
    assert found.critical.value.dtype == values.dtype


def codes_of(gradient: sx.DiscreteGradient) -> list[Any]:
    """Arrays of codes: one of an image, several of a mesh."""
    codes = gradient.codes()
    return [sx.to_host(some) for some in (codes if isinstance(codes, tuple) else (codes,))]


def test_the_order_equals_the_oracles_on_noise(device):
    for values in noise_fields(400, seed=221):
        assert_order_is_the_oracles(values, device)


def test_the_order_equals_the_oracles_on_small_meshes(device):
    for _, points, cells, values in mesh_fields(241, 40, 30):
        assert_order_is_the_oracles(values, device, mesh=Mesh(points, cells))


def test_plateaus_continue_across_periods(device):
    random = np.random.default_rng(223)
    for _ in range(60):
        px, py, pz = random.integers(0, 2, 3).astype(bool).tolist()
        values = random.integers(0, 3, random.integers(3, 6, 3), dtype=np.int8)
        assert_order_is_the_oracles(values, device, periodic=(px, py, pz))


LARGER = [(5, 9, 70), (3, 20, 40), (40, 2, 33), (33, 70), (90, 9), (500,)]


@pytest.mark.parametrize("shape", LARGER)
@pytest.mark.parametrize("periodic", [OPEN, TORUS])
def test_the_order_equals_the_oracles_through_many_tiles(device, shape, periodic):
    px, py, pz = (p and n > 2 for p, n in zip(periodic, (*shape[::-1], 1, 1), strict=False))
    random = np.random.default_rng(224)
    smooth = np.cos(np.linspace(0, 5, shape[0])).reshape(-1, *[1] * (len(shape) - 1))
    steps = np.broadcast_to(np.round(3 * smooth), shape).astype(np.int16)
    for values in (walls(shape, 225), steps, random.integers(0, 2, shape), np.zeros(shape)):
        assert_order_is_the_oracles(values, device, periodic=(px, py, pz))


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_order_equals_the_oracle_on_meshes_with_many_ties(device, dimension):
    random = np.random.default_rng([242, dimension])
    for kept in (1.0, 0.6):
        mesh = Mesh(*delaunay(random, 300, dimension, kept))
        for n_values in (1, 2, 3, 8):
            values = random.integers(0, n_values, len(mesh.points))
            assert_order_is_the_oracles(values, device, mesh=mesh)


def snake(rows: int, length: int) -> Field:
    """One plateau that runs to and fro between walls, with its only way out at the far end."""
    values = np.zeros((rows, length), np.uint8)
    values[1::2] = 9
    values[1::4, -1] = values[3::4, 0] = 0
    values[-1, -1 if rows % 4 == 1 else 0] = 0
    return values + 1


@pytest.mark.parametrize("values", [snake(21, 40), snake(33, 9).T.copy(), snake(9, 130)])
def test_paths_of_hundreds_of_steps_are_measured_to_their_ends(device, values):
    assert_order_is_the_oracles(values, device)


def test_paths_of_hundreds_of_steps_on_a_mesh_are_measured_to_their_ends(device):
    n = 400
    points = np.stack([np.arange(2 * n) // 2, np.arange(2 * n) % 2], axis=1).astype(float)
    at = np.arange(2 * n - 2)
    cells = np.stack([at, at + 1, at + 2], axis=1)
    for values in (np.zeros(2 * n), np.r_[np.ones(2 * n - 1), 0.0], np.r_[2.0, np.ones(2 * n - 1)]):
        shuffled = np.random.default_rng(243).permutation(2 * n)
        moved, given = np.empty_like(points), np.empty_like(values)
        moved[shuffled], given[shuffled] = points, values
        assert_order_is_the_oracles(given, device, mesh=Mesh(moved, shuffled[cells]))


def test_a_long_flat_line_requires_few_rounds(device):
    values = np.zeros(200_000, np.uint8)
    values[-1] = 1
    found = sx.discrete_gradient(values, order="plateau", device=device)
    assert found.critical.counts == (1, 0, 0, 0)


# === dtypes
@pytest.mark.parametrize("mesh", [None, split_grid((6, 7, 8))], ids=["image", "mesh"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_of_every_dtype_are_ordered_alike(device, dtype, mesh):
    random = np.random.default_rng(226)
    values = random.integers(0, 2 if dtype == "bool" else 4, (6, 7, 8)).astype(dtype)
    kind = np.dtype(dtype).kind
    if kind in "if":
        values = values - np.dtype(dtype).type(2)
    if kind == "f":
        values[values == 0] = random.choice(np.array([0.0, -0.0], dtype), (values == 0).sum())
    assert_order_is_the_oracles(values.ravel() if mesh else values, device, mesh=mesh)


@pytest.mark.parametrize("mesh", [None, split_grid((5, 6, 7))], ids=["image", "mesh"])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_values_that_use_all_bits_are_ordered(device, dtype, mesh):
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    pool = np.array([limits.min, limits.max, 0, 1, 5], dtype)
    if np.dtype(dtype).kind == "f":
        pool = np.append(pool, [limits.tiny / 4, -limits.tiny / 4]).astype(dtype)
    for seed in range(8):
        values = np.random.default_rng(seed).choice(pool, (5, 6, 7))
        assert_order_is_the_oracles(values.ravel() if mesh else values, device, mesh=mesh)


def test_a_level_of_a_mesh_and_its_values_are_in_the_callers_dtype(device):
    mesh = split_grid((6, 6, 6))
    values = np.random.default_rng(249).integers(0, 5, len(mesh.points)).astype(np.uint8)
    found = mesh_of(*mesh, device=device).morse_smale(values, order="plateau")
    flooded = sx.to_host(found.simplify(2.0).simplified_field().values)
    assert flooded.dtype == np.uint8
    assert np.abs(flooded.astype(int) - values).max() < 2
    np.testing.assert_array_equal(sx.to_host(found.simplified_field().values), values)


# === what changes and what does not
def test_without_connected_ties_every_result_is_that_of_the_index_order(device):
    random = np.random.default_rng(227)
    distinct = random.permutation(7 * 8 * 9).reshape(7, 8, 9)
    board = np.indices((6, 7, 8)).sum(axis=0) % 2 * 100 + np.indices((6, 7, 8))[0] * 2
    for values in (distinct, random.random((20, 30)), board):
        by_index = everything(values, device=device)
        assert_same_bits(by_index, everything(values, device=device, order="plateau"))
        assert_same_bits(by_index, everything(values, device=device, order="index"))


@pytest.mark.parametrize("periodic", [OPEN, (True, False, True)])
def test_only_pairs_of_persistence_zero_change(device, periodic):
    # Births and deaths of nonzero persistence need their critical cells; what is beside them
    # cancels at each value.
    gudhi = pytest.importorskip("gudhi")
    values = np.random.default_rng(229).integers(0, 6, (9, 10, 11))
    peer = gudhi.PeriodicCubicalComplex(
        vertices=values.astype(float), periodic_dimensions=list(periodic[::-1])
    )
    needed = Counter()
    for dimension, (birth, death) in peer.persistence(2, 0):
        needed[dimension, int(birth)] += 1
        if np.isfinite(death):
            needed[dimension + 1, int(death)] += 1
    critical = sx.discrete_gradient(
        values, order="plateau", periodic=periodic, device=device
    ).critical
    columns = (sx.to_host(critical.index).tolist(), sx.to_host(critical.value).tolist())
    found = Counter(zip(*columns, strict=True))
    assert all(found[event] >= n for event, n in needed.items())
    for level in range(6):
        extra = [found[k, level] - needed[k, level] for k in range(4)]
        assert extra[0] - extra[1] + extra[2] - extra[3] == 0


@pytest.mark.parametrize("dimension", [2, 3])
def test_pairs_of_nonzero_persistence_of_a_mesh_do_not_change(device, dimension):
    random = np.random.default_rng([248, dimension])
    points, cells = delaunay(random, 500, dimension, 1.0)
    mesh, values = mesh_of(points, cells, device=device), random.integers(0, 6, 500)

    def bars(order):
        found = mesh.persistence_diagram(values, order=order)
        columns = (found.dimension, found.birth, found.death)
        return sorted(zip(*(sx.to_host(column).tolist() for column in columns), strict=True))

    assert bars("plateau") == bars("index")


def assert_far_fewer_are_left(values: Field, factor: float, device: str, **options: Any) -> None:
    if "domain" not in options:
        options["device"] = device
    index, plateau = (
        sx.discrete_gradient(values, order=order, **options).critical
        for order in ("index", "plateau")
    )
    assert len(index) > factor * len(plateau)
    assert plateau.euler_characteristic == 1


def test_quantized_fields_have_far_fewer_critical_cells(device):
    z, y, x = np.mgrid[0:6:40j, 0:6:40j, 0:6:40j]
    smooth = np.round(8 * np.sin(x) * np.cos(y) * np.sin(z + 1)).astype(np.int8)
    binary = np.random.default_rng(230).integers(0, 2, (40, 40, 40), dtype=np.uint8)
    assert_far_fewer_are_left(smooth, 10, device)
    assert_far_fewer_are_left(binary, 1.3, device)
    mesh = mesh_of(*split_grid((40, 40, 40)), device=device)
    assert_far_fewer_are_left(smooth.ravel(), 3, device, domain=mesh)


@pytest.mark.parametrize(("name", "factor"), [("fuel", 2), ("neghip", 6), ("hydrogen_atom", 100)])
def test_8_bit_volumes_lose_their_plateau_artifacts(device, shared_volumes, name, factor):
    values = read_raw(next(shared_volumes.glob(f"{name}_*_uint8.raw.xz")))
    assert_far_fewer_are_left(values, factor, device)


# === errors, progress, memory
@pytest.mark.parametrize("order", ["value", "", None, 3, ["plateau"]])
def test_an_unknown_order_is_rejected(order):
    mesh = mesh_of(np.eye(3), np.array([[0, 1, 2]]), device="cpu")
    for call in (partial(sx.morse_smale, np.zeros((3, 3))), partial(mesh.morse_smale, np.zeros(3))):
        with pytest.raises(sx.InputError, match="order must be 'index', 'plateau', or an array"):
            call(order=order)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_the_order_takes_at_most_the_declared_memory(dtype):
    values = np.random.default_rng(233).integers(0, 9, (64, 64, 64)).astype(dtype)
    sx.discrete_gradient(values[:4], order="plateau", device="cpu")  # what is loaded once
    peak, kept = order_bytes("plateau", dtype)
    tracemalloc.start()
    try:
        gradient = sx.discrete_gradient(values, order="plateau", device="cpu")
        measured = tracemalloc.get_traced_memory()[1] / values.size
    finally:
        tracemalloc.stop()
    assert measured <= max(peak, kept + GRADIENT_BYTES) + 50 * len(gradient.critical) / values.size
    assert measured > 5
