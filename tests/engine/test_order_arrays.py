"""An order array breaks ties: the results are those of its ranks, with the values of the field."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import mesh_of
from oracles.everything import everything
from oracles.fields import Field, any_order, noise_fields, periodic_noise
from oracles.mesh_fields import delaunay

VALUES = np.array([[2, 0, 1], [1, 1, 0]])


def assert_is_that_of_the_ranks(values: Field, ranks: Field, **options: Any) -> None:
    found = everything(values, order=ranks, **options)
    expected = everything(ranks, **options)
    owners = expected["critical.vertex"]
    expected["critical.value"] = values.ravel()[owners]
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, name)
    diagram = sx.persistence_diagram(values, order=ranks, zero_persistence=True, **options)
    by_rank = sx.persistence_diagram(ranks, zero_persistence=True, **options)
    for name in ("birth_row", "death_row"):  # their order is by rank, too
        np.testing.assert_array_equal(*(sx.to_host(getattr(d, name)) for d in (diagram, by_rank)))


def test_results_are_those_of_the_ranks_with_the_values_of_the_field(device):
    random = np.random.default_rng(301)
    images = [(values, (False,) * 3) for values in noise_fields(40, 302)]
    for values, periodic in [*images, *periodic_noise(20, seed=303)]:
        ranks = any_order(values, random)
        assert_is_that_of_the_ranks(values, ranks, periodic=periodic, device=device)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.float64, np.longdouble])
def test_on_meshes(device, dimension, dtype):
    random = np.random.default_rng([304, dimension])
    points, cells = delaunay(random, 90, dimension, 1.0)
    mesh = mesh_of(points, cells, device=device)
    values = random.integers(0, 5, 90).astype(dtype)
    ranks = any_order(values, random)
    found, expected = mesh.morse_smale(values, order=ranks), mesh.morse_smale(ranks)
    for name in ("cell_id", "vertex"):
        parts = (sx.to_host(getattr(one.critical, name)) for one in (found, expected))
        np.testing.assert_array_equal(*parts)
    assert found.critical.value.dtype == values.dtype
    for kind in ("ascending", "descending"):
        labels = (sx.to_host(one.segmentation(kind)) for one in (found, expected))
        np.testing.assert_array_equal(*labels)
    points_of = [mesh.critical_points(values, order=ranks), mesh.critical_points(ranks)]
    np.testing.assert_array_equal(*(sx.to_host(p.types) for p in points_of))


def test_the_order_by_index_as_an_array_does_not_change_results(device):
    values = np.array([0.0, -0.0, 2.0, 0.0, 5e-324, 0.0, 2.0, 1.0])
    ranks = np.argsort(np.argsort(values, kind="stable"))
    for dtype in (np.int64, np.int8, np.uint64):
        found = everything(values, order=ranks.astype(dtype), device=device)
        for name, array in everything(values, device=device).items():
            np.testing.assert_array_equal(found[name], array, name)


@pytest.mark.parametrize(
    ("ranks", "got"),
    [
        ([[5, 0, 2], [3, 4, 6]], "got ranks without 1. "),
        ([[5, 0, 2], [3, 4, -1]], "got ranks without 1. "),
        ([[5, 0, 0], [3, 4, 4]], "got ranks without 1 and 1 other. "),
        ([[4, 0, 2], [3, 5, 1]], "got rank 4 at value 2 and rank 5 at value 1"),
        ([[5.0, 0, 2], [3, 4, 1]], "got dtype float64"),
        ([5, 0, 2, 3, 4, 1], "got shape (6,)"),
        ("indx", "Did you mean 'index'?"),
    ],
)
def test_an_order_array_is_checked(device, ranks, got):
    mesh = mesh_of(np.eye(3), np.array([[0, 1, 2]]), device=device)
    calls = [lambda: sx.morse_smale(VALUES, order=ranks, device=device)]
    if isinstance(ranks, list) and isinstance(ranks[0], list) and "value" not in got:
        calls.append(lambda: mesh.morse_smale(VALUES[0], order=ranks[0]))
    for call in calls:
        with pytest.raises(sx.InputError) as error:
            call()
        assert error.value.parameter == "order"
    with pytest.raises(sx.InputError) as error:
        sx.persistence_diagram(VALUES, order=ranks, device=device)
    assert got in str(error.value)
