"""A field without some of its extrema: those of a level, or those that are not chosen."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import mesh_of
from oracles.fields import OPEN, Field, noise_fields, periodic_noise, read_raw
from oracles.mesh_fields import OCTAHEDRON, SPHERE_IN_4D, delaunay, torus

PARTS = ("values", "order", "minima", "maxima")


def extrema_of(found: Any) -> list[Any]:
    """The vertices of the minima and of the maxima of a complex."""
    vertices = sx.to_host(found.critical.vertex)
    return [vertices[found.critical.rows(index)] for index in (0, found.gradient.dimension)]


def some_of(vertices: Any, random: np.random.Generator) -> Any:
    """About a third of them, the first one among them if there is any."""
    return vertices[(random.random(vertices.size) < 0.3) | (np.arange(vertices.size) == 0)]


def assert_only_chosen_ones_stay(
    values: Field, random: np.random.Generator, **options: Any
) -> None:
    raw = sx.morse_smale(values, **options)
    minima, maxima = (some_of(vertices, random) for vertices in extrema_of(raw))
    simple = sx.simplify_field(values, minima=minima, maxima=maxima, **options)
    again = sx.morse_smale(simple.values, order=simple.order, **options)
    for one, chosen, found in zip(
        (simple.minima, simple.maxima), (minima, maxima), extrema_of(again), strict=True
    ):
        assert sorted(found) == sx.to_host(one).tolist()
        assert set(chosen) <= set(found)
        if raw.gradient.dimension > 1:  # on a line, minima and maxima alternate
            assert set(chosen) == set(found)


def test_a_threshold_gives_the_simplified_field_of_the_complex(device):
    random = np.random.default_rng(311)
    images = [(values, OPEN) for values in noise_fields(60, 312)]
    for values, periodic in [*images, *periodic_noise(30, seed=313)]:
        options = {"periodic": periodic, "device": device}
        level = float(random.choice([0.5, 1.5, 4, 20]))
        found = sx.simplify_field(values, persistence=level, **options)
        complex = sx.morse_smale(values, persistence=level, **options)
        expected = complex.simplified_field()
        for part in PARTS:
            parts = (sx.to_host(getattr(one, part)) for one in (found, expected))
            np.testing.assert_array_equal(*parts, err_msg=part)
        for part, vertices in zip((found.minima, found.maxima), extrema_of(complex), strict=True):
            assert sx.to_host(part).tolist() == sorted(vertices)


def test_only_chosen_extrema_of_an_image_remain(device):
    random = np.random.default_rng(314)
    images = [(values, OPEN) for values in noise_fields(80, 315)]
    for values, periodic in [*images, *periodic_noise(40, seed=316)]:
        assert_only_chosen_ones_stay(values, random, periodic=periodic, device=device)


@pytest.mark.parametrize("dimension", [2, 3])
def test_only_chosen_extrema_of_a_mesh_remain(device, dimension):
    random = np.random.default_rng([317, dimension])
    for n, levels in ((60, 4), (150, 1000)):
        points, cells = delaunay(random, n, dimension, 1.0)
        mesh = mesh_of(points, cells, device=device)
        assert_only_chosen_ones_stay(random.integers(0, levels, n), random, domain=mesh)


@pytest.mark.parametrize("cells", [SPHERE_IN_4D, OCTAHEDRON, torus(9, 8)])
def test_only_chosen_extrema_of_a_closed_mesh_remain(device, cells):
    random, tops = np.random.default_rng(318), np.array(cells)
    n = int(tops.max()) + 1
    mesh = mesh_of(random.random((n, 3)), tops, device=device)
    for _ in range(5):
        assert_only_chosen_ones_stay(random.random(n), random, domain=mesh)


def test_components_without_chosen_extrema_keep_their_lowest_and_highest(device):
    random = np.random.default_rng(319)
    one = np.array(torus(7, 6))
    n = int(one.max()) + 1
    mesh = mesh_of(random.random((2 * n, 3)), np.concatenate([one, one + n]), device=device)
    values = random.random(2 * n)
    found = sx.simplify_field(values, domain=mesh, minima=[], maxima=[])
    halves = values.reshape(2, n)
    offsets = np.array([0, n])
    assert sx.to_host(found.minima).tolist() == (halves.argmin(axis=1) + offsets).tolist()
    assert sx.to_host(found.maxima).tolist() == (halves.argmax(axis=1) + offsets).tolist()
    again = sx.morse_smale(found.values, domain=mesh, order=found.order)
    assert again.critical.counts[0] == again.critical.counts[2] == 2


def test_one_kind_can_be_chosen_without_changing_the_other(device):
    values = np.random.default_rng(320).random((8, 9, 7))
    minima, maxima = extrema_of(sx.morse_smale(values, device=device))
    found = sx.simplify_field(values, minima=minima[:2], device=device)
    assert sx.to_host(found.minima).tolist() == sorted(minima[:2])
    assert sx.to_host(found.maxima).tolist() == sorted(maxima)
    assert (sx.to_host(found.values) >= values).all()
    found = sx.simplify_field(values, minima=[*minima[:2], 0, 1, 2, 3], device=device)
    assert set(minima[:2]) <= set(sx.to_host(found.minima)) <= set(minima)


@pytest.mark.parametrize(
    ("name", "vertices"), [("minima", [-1]), ("maxima", [8]), ("minima", [0.5]), ("maxima", [[1]])]
)
def test_vertices_must_exist(device, name, vertices):
    with pytest.raises(sx.InputError) as error:
        sx.simplify_field(np.arange(8.0), device=device, **{name: vertices})
    assert error.value.parameter == name


@pytest.mark.parametrize(("name", "level"), [("fuel", 5), ("neghip", 12)])
def test_real_volumes_keep_the_extrema_of_the_level(device, shared_volumes, name, level):
    values = read_raw(next(shared_volumes.glob(f"{name}_*_uint8.raw.xz")))
    complex = sx.morse_smale(values, persistence=level, device=device)
    simple = sx.simplify_field(values, persistence=level, device=device)
    change = sx.to_host(simple.values).astype(int) - values
    assert np.abs(change).max() < level
    again = sx.morse_smale(simple.values, order=simple.order, device=device)
    for found, expected in zip(extrema_of(again), extrema_of(complex), strict=True):
        assert sorted(found) == sorted(expected)
