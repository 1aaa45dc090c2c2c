"""Complexes of images in the words of the oracles: every part against walks on a gradient."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np

import separatrix as sx
from oracles import surfaces, walks
from oracles.connectors import connections, connector_cells, v_paths
from oracles.cubical import Cell, CubicalGrid, cell_dimension
from oracles.everything import quadrilaterals_of
from oracles.fields import OPEN, Field, Periods
from oracles.lower_star import Gradient, image_gradient

KINDS = ("descending", "ascending")
METHODS = ("frontier", "matrix")


def columns(found: Any, *names: str) -> list[tuple[Any, ...]]:
    """Rows of some columns of a result."""
    return list(zip(*(sx.to_host(getattr(found, n)).tolist() for n in names), strict=True))


def assert_gradient_is_the_oracles(values: Field, device: str, periodic: Periods = OPEN) -> None:
    """The complex of an image has the codes and critical cells of the lower-star gradient."""
    found = sx.morse_smale(values, periodic=periodic, device=device)
    which = f"{periodic} {values!r}"
    assert_critical_cells(found, image_gradient(values, periodic), values, which)


def assert_image_is_the_oracles(
    values: Field, device: str, periodic: Periods = OPEN, *, connectors: bool = True
) -> None:
    """The complex of an image has all parts of the lower-star gradient."""
    found = sx.morse_smale(values, periodic=periodic, device=device)
    expected = image_gradient(values, periodic)
    which = f"{periodic} {values!r}"
    assert_complex_is_the_oracles(found, expected, values, which, connectors=connectors)


def assert_complex_is_the_oracles(
    found: sx.MorseSmaleComplex,
    expected: Gradient,
    values: Field,
    which: str,
    *,
    connectors: bool = True,
) -> None:
    """Critical cells, labels, lines, surfaces, arcs and connectors of a gradient."""
    assert_critical_cells(found, expected, values, which)
    assert_labels(found, expected, values, which)
    for kind in KINDS:
        assert lines_of(found.separatrices(1, kind)) == walks.lines_of(expected, kind), which
    arcs = expected_arcs(expected)
    for method in METHODS:
        assert table_of(found.trace_arcs(method=method)) == arcs, f"{method}, {which}"
    if expected.grid.dimension == 3:
        for kind in KINDS:
            polygons = polygons_of(found.separatrices(2, kind))
            assert polygons == surfaces.polygons_of(expected, kind), f"{kind}, {which}"
        if connectors:
            assert_connectors(found, expected)


def assert_critical_cells(found: Any, expected: Gradient, values: Field, which: str) -> None:
    grid, cells, critical = expected.grid, expected.critical, found.critical
    codes = sx.to_host(found.gradient.codes())
    assert codes.dtype == np.uint8
    assert codes.shape == grid.doubled[::-1] == found.domain.doubled_shape
    right = placed(grid, grid.cells(), expected.codes(), codes.shape, 0)
    np.testing.assert_array_equal(codes, right, which)
    owners = [grid.point(grid.owner(c)) for c in cells]
    dimensions = [cell_dimension(c) for c in cells]
    assert sx.to_host(critical.cell_id).tolist() == [grid.cell_id(c) for c in cells], which
    assert sx.to_host(critical.index).tolist() == dimensions
    assert sx.to_host(critical.vertex).tolist() == owners
    assert sx.to_host(critical.value).tolist() == values.ravel()[owners].tolist()
    assert sx.to_host(critical.on_boundary).tolist() == [grid.on_boundary(c) for c in cells]
    np.testing.assert_array_equal(sx.to_host(critical.position), np.array(cells) / 2)
    assert critical.counts == tuple(dimensions.count(k) for k in range(4))


def assert_labels(found: Any, expected: Gradient, values: Field, which: str) -> None:
    """Labels of vertices and top cells, and how many vertices have each, end the walks."""
    labels = {
        "descending": walks.minimum_labels(expected),
        "ascending": walks.maximum_labels(expected),
        "morse_smale": walks.morse_smale_labels(expected),
    }
    grid, shape = expected.grid, expected.grid.doubled[::-1]
    vertices = [c for c in grid.cells() if cell_dimension(c) == 0]
    for kind, right in labels.items():
        segmentation = sx.to_host(found.segmentation(kind))
        assert segmentation.shape == values.shape
        assert segmentation.dtype == np.int32
        here = placed(grid, vertices, right, shape, -1)[::2, ::2, ::2]
        assert segmentation.ravel().tolist() == here.ravel().tolist(), f"{kind} {which}"
    top, ends = sx.to_host(found.cell_labels()), walks.top_cell_labels(expected)
    assert top.dtype == np.int32
    lengths = zip((1,) * (3 - values.ndim) + values.shape, grid.periodic[::-1], strict=True)
    assert top.shape == tuple(max(n - 1 + wraps, 1) for n, wraps in lengths)
    where = tuple(slice(n > 1, None, 2) for n in found.domain.dimensions[::-1])
    here = placed(grid, list(ends), list(ends.values()), shape, -1)[where]
    assert top.ravel().tolist() == here.ravel().tolist(), which
    sizes = sx.to_host(found.manifold_sizes())
    assert sizes.dtype == np.int64
    assert sizes.tolist() == walks.manifold_sizes(expected), which


def placed(
    grid: CubicalGrid, cells: list[Cell], numbers: list[int], shape: tuple[int, ...], none: int
) -> Field:
    """Numbers of cells on the doubled grid, and `none` for cells that a mask excludes."""
    everywhere = np.full(shape, none)
    everywhere.ravel()[[grid.cell_id(c) for c in cells]] = numbers
    return everywhere


def lines_of(separatrices: Any) -> list[tuple[int, int, tuple[int, ...]]]:
    """The engine's polylines, sorted: source row, destination row or -1, cell ids."""
    ends = columns(separatrices, "source", "destination")
    return sorted((*end, tuple(p)) for end, p in zip(ends, pieces_of(separatrices), strict=True))


def pieces_of(lines: sx.Separatrices) -> list[list[int]]:
    """Cell ids of each line."""
    cells, offsets = sx.to_host(lines.cell_id).tolist(), sx.to_host(lines.offsets).tolist()
    return [cells[begin:end] for begin, end in pairwise(offsets)]


def polygons_of(found: Any) -> list[tuple[int, int, tuple[int, ...]]]:
    """The engine's polygons, sorted: row of the saddle, id of the square or edge, corners."""
    corners = sx.to_host(found.cell_id)[quadrilaterals_of(found)].tolist()
    assert (np.diff(sx.to_host(found.source)) >= 0).all()
    rows = columns(found, "source", "polygon_cell_id")
    return sorted((*row, tuple(sorted(set(ids)))) for row, ids in zip(rows, corners, strict=True))


def table_of(arcs: sx.Arcs) -> list[tuple[int, int, int]]:
    return columns(arcs, "upper", "lower", "multiplicity")


def expected_arcs(gradient: Gradient) -> list[tuple[int, int, int]]:
    """All arcs by walking each V-path, sorted by (upper, lower)."""
    row = {cell: k for k, cell in enumerate(gradient.critical)}
    found: Counter[tuple[int, int]] = Counter()
    if gradient.grid.dimension >= 1:
        found.update((row[p[0]], row[p[-1]]) for p in walks.descending_separatrices(gradient))
    if gradient.grid.dimension >= 2:
        for path in walks.ascending_separatrices(gradient):
            if len(path) > 1 and path[-1] in row:
                found[row[path[-1]], row[path[0]]] += 1
    if gradient.grid.dimension == 3:
        for (upper, lower), n in connections(gradient).items():
            found[row[upper], row[lower]] += n
    return sorted((upper, lower, n) for (upper, lower), n in found.items())


def assert_connectors(found: sx.MorseSmaleComplex, gradient: Gradient) -> None:
    """Connectors are the cells of all V-paths between two saddles, each once, every step once."""
    lines = found.separatrices(1, "saddle")
    row = {cell: k for k, cell in enumerate(gradient.critical)}
    network = sx.to_host(lines.separatrix).tolist()
    assert network == sorted(network)
    pieces: dict[tuple[int, int], list[list[int]]] = {}
    numbers: dict[tuple[int, int], set[int]] = {}
    ends = columns(lines, "source", "destination")
    for arc, number, piece in zip(ends, network, pieces_of(lines), strict=True):
        pieces.setdefault(arc, []).append(piece)
        numbers.setdefault(arc, set()).add(number)
    expected = connector_cells(gradient)
    assert pieces.keys() == {(row[edge], row[square]) for square, edge in expected}
    assert all(len(of_arc) == 1 for of_arc in numbers.values())
    for (square, edge), cells in expected.items():
        assert_network(gradient, square, edge, cells, pieces[row[edge], row[square]])


def assert_network(
    gradient: Gradient, square: Cell, edge: Cell, cells: set[Cell], pieces: list[list[int]]
) -> None:
    grid = gradient.grid
    assert {c for piece in pieces for c in piece} == set(map(grid.cell_id, cells))
    inner = Counter(c for piece in pieces for c in piece[1:-1])
    ends = {c for piece in pieces for c in (piece[0], piece[-1])}
    assert max(inner.values(), default=1) == 1
    assert not inner.keys() & ends
    # Steps up along the lines are the steps down along V-paths, each once.
    down = {
        (grid.cell_id(a), grid.cell_id(b))
        for path in v_paths(gradient, square)
        if path[-1] == edge
        for a, b in pairwise(path)
    }
    up = Counter(step[::-1] for piece in pieces for step in pairwise(piece))
    assert set(up) == down
    assert max(up.values()) == 1
    assert grid.cell_id(edge) in {piece[0] for piece in pieces}
    assert grid.cell_id(square) in {piece[-1] for piece in pieces}
