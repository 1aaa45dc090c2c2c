"""The complex as a graph: arcs of every kind, boundary squared, the order of the filtration."""

from __future__ import annotations

import lzma
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.connectors import multiplicities
from oracles.cubical import CubicalGrid, cell_dimension
from oracles.fields import Field, any_small_fields, many, noise_fields
from oracles.lower_star import Gradient, lower_star_gradient
from oracles.walks import ascending_separatrices, descending_separatrices
from separatrix.morse.arcs import assemble_arcs
from separatrix.morse.connectors.table import trace_connectors
from separatrix.morse.graph import Arcs, graph_of

ArcTable = list[tuple[int, int, int]]


def arcs_and_graph(values: Field, device: str) -> tuple[Arcs, Any]:
    gradient = sx.discrete_gradient(values, device=device)
    with gradient.session.call(None, {}):
        connectors = trace_connectors(gradient)
        return assemble_arcs(gradient, connectors), graph_of(gradient, connectors)


def table_of(arcs: Arcs) -> ArcTable:
    columns = (arcs.upper, arcs.lower, arcs.multiplicity)
    return list(zip(*(sx.to_host(column).tolist() for column in columns), strict=True))


def expected_arcs(gradient: Gradient) -> ArcTable:
    """All arcs by walking each V-path, sorted by (upper, lower)."""
    row = {cell: k for k, cell in enumerate(gradient.critical)}
    found: Counter[tuple[int, int]] = Counter()
    if gradient.grid.dimension >= 1:
        found.update((row[p[0]], row[p[-1]]) for p in descending_separatrices(gradient))
    if gradient.grid.dimension >= 2:
        for path in ascending_separatrices(gradient):
            if len(path) > 1 and path[-1] in row:
                found[row[path[-1]], row[path[0]]] += 1
    if gradient.grid.dimension == 3:
        first = [sum(cell_dimension(c) < d for c in gradient.critical) for d in (1, 2)]
        for (upper, lower), n in multiplicities(gradient).items():
            found[first[1] + upper, first[0] + lower] += n
    return sorted((upper, lower, n) for (upper, lower), n in found.items())


def assert_the_graph_is_the_oracles(values: Field, device: str) -> None:
    gradient = lower_star_gradient(CubicalGrid(values))
    arcs, graph = arcs_and_graph(values, device)
    assert table_of(arcs) == expected_arcs(gradient), repr(values)
    grid = gradient.grid
    order = sorted(
        gradient.critical,
        key=lambda c: (grid.rank[grid.owner(c)], cell_dimension(c), grid.cell_id(c)),
    )
    place = {cell: k for k, cell in enumerate(order)}
    assert graph.rank.tolist() == [place[c] for c in gradient.critical]
    flat = values.ravel()
    assert graph.value.tolist() == [flat[grid.point(grid.owner(c))] for c in gradient.critical]


@many(150)
@given(any_small_fields())
def test_arcs_and_order_equal_the_oracles_on_drawn_fields(device: str, values: Field) -> None:
    assert_the_graph_is_the_oracles(values, device)


def test_arcs_and_order_equal_the_oracles_on_noise(device: str) -> None:
    for values in noise_fields(400, seed=161):
        assert_the_graph_is_the_oracles(values, device)


def assert_the_boundary_squared_is_zero(arcs: Arcs, n: int) -> None:
    """Mod 2: each cell is joined to each two indices below by an even number of odd arc pairs."""
    from scipy.sparse import coo_matrix

    upper, lower = sx.to_host(arcs.upper), sx.to_host(arcs.lower)
    odd = (sx.to_host(arcs.multiplicity) & np.uint64(1)).astype(np.int64)
    boundary = coo_matrix((odd, (lower, upper)), shape=(n, n)).tocsr()
    squared = boundary @ boundary
    assert (squared.data % 2 == 0).all()
    assert squared.nnz or n < 100


def test_the_boundary_squared_is_zero_mod_2(device: str) -> None:
    random = np.random.default_rng(162)
    z, y, x = np.mgrid[0:6:40j, 0:6:42j, 0:6:44j]
    smooth = np.sin(x) * np.cos(y) * np.sin(z + 1) + 0.05 * random.random(x.shape)
    for values in (smooth, random.random((40, 40, 40)), random.integers(0, 3, (40, 40, 40))):
        arcs, graph = arcs_and_graph(values, device)
        assert_the_boundary_squared_is_zero(arcs, sum(graph.counts))


def test_the_boundary_squared_of_real_volumes_is_zero_mod_2(
    device: str, shared_volumes: Path
) -> None:
    for path in sorted(shared_volumes.glob("*.raw.xz")):
        found = re.search(r"_(\d+)x(\d+)x(\d+)_(\w+)\.raw", path.name)
        assert found is not None
        shape = tuple(int(n) for n in found.groups()[2::-1])
        values = np.frombuffer(lzma.decompress(path.read_bytes()), found[4]).reshape(shape)
        arcs, graph = arcs_and_graph(values, device)
        assert_the_boundary_squared_is_zero(arcs, sum(graph.counts))


def test_the_graph_lies_on_the_host_with_the_promised_dtypes(device: str) -> None:
    values = np.random.default_rng(163).random((6, 7, 8)).astype(np.float32)
    arcs, graph = arcs_and_graph(values, device)
    c0, c1, c2, c3 = graph.counts
    expected = {
        "rank": (np.int32, (c0 + c1 + c2 + c3,)),
        "value": (np.float32, (c0 + c1 + c2 + c3,)),
        "descending_ends": (np.int32, (c1, 2)),
        "ascending_ends": (np.int32, (c2, 2)),
        "connector_offsets": (np.int64, (c2 + 1,)),
        "connector_lower": (np.int32, (graph.connector_offsets[-1],)),
        "connector_multiplicity": (np.uint64, (graph.connector_offsets[-1],)),
    }
    for name, (dtype, shape) in expected.items():
        array = getattr(graph, name)
        assert isinstance(array, np.ndarray), name
        assert (array.dtype, array.shape) == (dtype, shape), name
    assert [a.dtype for a in (arcs.upper, arcs.lower, arcs.multiplicity)] == [
        np.int64,
        np.int64,
        np.uint64,
    ]


@pytest.mark.parametrize(
    ("shape", "dimension"), [((1,), 0), ((9,), 1), ((6, 7), 2), ((6, 1, 7), 2)]
)
def test_below_three_dimensions_what_does_not_exist_is_empty(
    device: str, shape: tuple[int, ...], dimension: int
) -> None:
    values = np.random.default_rng(164).random(shape)
    arcs, graph = arcs_and_graph(values, device)
    assert graph.dimension == dimension
    assert graph.connector_offsets.tolist() == [0]
    assert graph.descending_ends.shape == (graph.counts[1] if dimension else 0, 2)
    assert graph.ascending_ends.shape == (graph.counts[1] if dimension == 2 else 0, 2)
    assert not sx.to_host(arcs.is_saturated).any()


@pytest.mark.gpu
def test_both_devices_give_the_same_graph(cuda: str) -> None:
    random = np.random.default_rng(165)
    for values in (random.random((40, 41, 42)), random.integers(0, 3, (300, 200))):
        (arcs, graph), (others, other) = (arcs_and_graph(values, d) for d in ("cpu", cuda))
        assert table_of(arcs) == table_of(others)
        for name in vars(graph):
            np.testing.assert_array_equal(getattr(graph, name), getattr(other, name), name)
