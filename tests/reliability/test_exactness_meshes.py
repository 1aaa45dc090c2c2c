"""Meshes under stress: relations, critical points, gradients, complexes and diagrams.

Points compare by (value, number), and coordinates determine only the ids of edges and triangles.
So simplices, identified by their points, do not depend on coordinates, and the order of cells and
corners changes nothing. Long runs use random meshes instead of the hard ones.
"""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import (
    Names,
    assert_critical_simplices,
    assert_points_are_the_oracles,
    mesh_of,
    rows_of,
    walked,
)
from oracles import mesh_complex as oracle
from oracles.everything import assert_same_bits, bars_of
from oracles.mesh import LETTERS
from oracles.mesh_fields import OCTAHEDRON, SPHERE_IN_4D, torus
from oracles.mesh_fields import delaunay as drawn_delaunay
from oracles.meshes import delaunay, split_grid
from reliability.hard_inputs import SOURCES, hard_points, numbers, orders, scaled_points
from reliability.whole_results import of_mesh

Bars = Counter[tuple[int, float, float]]


def torus_of_tets(n: int) -> np.ndarray:
    """A closed manifold of dimension 3: a periodic grid n x n x n, each voxel split into six."""
    grid = split_grid((n + 1, n + 1, n + 1)).cells
    place = np.stack(np.unravel_index(grid, (n + 1,) * 3), -1) % n
    return np.ravel_multi_index(tuple(np.moveaxis(place, -1, 0)), (n, n, n))


CLOSED = {
    "octahedron": np.array(OCTAHEDRON),
    "torus": np.array(torus(4, 5)),
    "sphere in four dimensions": np.array(SPHERE_IN_4D),
    "torus of tetrahedra": torus_of_tets(4),
}
OPEN = {
    "grid of tetrahedra": split_grid((3, 3, 3)).cells,
    "plane": delaunay(3, 18, d=2).cells,
    "delaunay": delaunay(4, 16).cells,
}
MESHES = OPEN | {k: v for k, v in CLOSED.items() if k != "torus of tetrahedra"}


def fields_on(n: int, seed: int) -> Any:
    """(name, values (n,)): a palette in each of some orders."""
    for k, (name, palette) in enumerate(numbers().items()):
        drawn = np.sort(np.random.default_rng([seed, k]).choice(palette, n))
        every = list(orders(n, seed).items())
        for order_name, order in (every[k % 5], every[(k + 2) % 5]):
            values = np.empty_like(drawn)
            values[order] = drawn
            yield f"{name}, {order_name}", values


def number_of_points(cells: np.ndarray) -> int:
    return int(cells.max()) + 1


def cases(source: Any) -> Any:
    """(label, points, cells, values): hard fields on the meshes, or fields on random meshes."""
    placed = list(scaled_points().values())
    if source == "hard":
        for i, (name, cells) in enumerate(MESHES.items()):
            n = number_of_points(cells)
            for k, (label, values) in list(enumerate(fields_on(n, i)))[i % 2 :: 2]:
                number = np.random.default_rng(k).permutation(n)
                yield f"{name}, {label}", np.resize(placed[k % 9], (n, 3)), number[cells], values
        return
    random, palettes = np.random.default_rng([3, source]), list(numbers().values())
    for k in range(150):
        dimension = 2 + k % 2
        n = int(random.integers(dimension + 2, 18))
        points, cells = drawn_delaunay(random, n, dimension, float(random.choice([1.0, 0.7])))
        values = random.choice(palettes[random.integers(len(palettes))], n)
        points = np.resize(placed[k % 9], (n, 3)) if k % 3 else points
        yield f"{cells!r} {values!r}", points, cells, values


@pytest.mark.parametrize("source", SOURCES)
def test_critical_simplices_arcs_and_pairs_equal_those_of_the_oracle(device, source):
    for label, points, cells, values in cases(source):
        mesh, gradient = walked(cells, values)
        made = mesh_of(points, cells, device=device)
        found = made.morse_smale(values)
        assert_critical_simplices(found, cells, values, gradient, label)
        rows = rows_of(found, cells)
        pairs = found.persistence_pairs
        columns = (pairs.dimension, pairs.birth_row, pairs.death_row)
        ends = [
            (k, mesh.owner(rows[b]), mesh.owner(rows[d]) if d >= 0 else -1)
            for k, b, d in zip(*(sx.to_host(c).tolist() for c in columns), strict=True)
        ]
        named = {(k, b, d) for k, b, d in ends if b != d}
        assert named == oracle.persistence_pairs(mesh), label
        if source == "hard":
            assert_points_are_the_oracles(made, cells, values)


def arcs_of(found: sx.MorseSmaleComplex) -> list[tuple[int, int, int]]:
    columns = (found.arcs.upper, found.arcs.lower, found.arcs.multiplicity)
    return list(zip(*(sx.to_host(a).tolist() for a in columns), strict=True))


POINTS = {name: points for name, points in hard_points().items() if len(points) > 5}


def by_points(made: sx.TetMesh | sx.TriangleMesh, cells: np.ndarray, values: Any) -> Any:
    """All that does not depend on ids: relations, critical simplices and arcs by their points."""
    names = Names(made, cells)
    table = dict(enumerate(names.of_dimension))
    related = {}
    letters = "VEFT"[: made.dimension + 1]
    for name in (a + b for a in letters for b in letters):
        rows = made.relation(name).to_csr()
        items, offsets = sx.to_host(rows.items).tolist(), sx.to_host(rows.offsets).tolist()
        source, target = (table[LETTERS.index(letter)] for letter in name)
        related[name] = {
            source[i]: sorted(target[j] for j in items[a:b] if j >= 0)
            for i, (a, b) in enumerate(pairwise(offsets))
        }
    found = made.morse_smale(values)
    rows = rows_of(found, cells)
    graph = sorted((rows[p], rows[q], m) for p, q, m in arcs_of(found))
    return related, sorted(rows), graph, bars_of(made.persistence_diagram(values))


@pytest.mark.parametrize("name", MESHES)
def test_simplices_do_not_depend_on_the_positions_of_the_points(device, name):
    cells = MESHES[name]
    n, random = number_of_points(cells), np.random.default_rng(7)
    values = random.integers(0, 4, n)
    expected = by_points(mesh_of(random.random((n, 3)), cells, device="cpu"), cells, values)
    for label, points in POINTS.items():
        placed = np.resize(points, (n, 3))
        for dtype in ("float64", "float32") if abs(points).max() < 1e30 else ("float64",):
            made = mesh_of(placed.astype(dtype), cells, segment_size=3, device=device)
            assert by_points(made, cells, values) == expected, label


@pytest.mark.parametrize("name", MESHES)
def test_the_order_of_cells_and_corners_changes_no_bit_but_cell_ids(device, name):
    cells = MESHES[name]
    n, random = number_of_points(cells), np.random.default_rng(8)
    points, values = random.random((n, 3)), random.integers(0, 3, n)
    expected = of_mesh(points, cells, values, device="cpu")
    for order in orders(len(cells)).values():
        turned = random.permuted(cells[order], axis=1)
        found = of_mesh(points, turned, values, device=device)
        free = [k for k in expected if k.startswith(("VV", "VE", "EV", "points", "codes"))]
        free += ["descending", "diagram.birth", "diagram.death", "diagram.persistence"]
        assert_same_bits({k: expected[k] for k in free}, {k: found[k] for k in free})
        assert bars_of_arrays(found) == bars_of_arrays(expected)


def bars_of_arrays(arrays: dict[str, Any]) -> Bars:
    columns = (arrays[f"diagram.{c}"].tolist() for c in ("dimension", "birth", "death"))
    return Counter(zip(*columns, strict=True))


@pytest.mark.parametrize("name", CLOSED)
def test_negated_values_on_a_closed_manifold_have_the_dual_diagram(device, name):
    cells = CLOSED[name]
    n = number_of_points(cells)
    d = cells.shape[1] - 1
    made = mesh_of(np.random.default_rng(2).random((n, 3)), cells, device=device)
    for label, values in fields_on(n, 5):
        if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
            pairs = bars_of(made.persistence_diagram(values))
            dual = bars_of(made.persistence_diagram(-values))
            expected = {
                (d - k, -b, e) if np.isinf(e) else (d - 1 - k, -e, -b): m
                for (k, b, e), m in dual.items()
            }
            assert pairs == expected, label
