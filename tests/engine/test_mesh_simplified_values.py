"""The simplified field of a mesh: near it, and its diagram is that without the small pairs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import mesh_of
from oracles.mesh_fields import OCTAHEDRON, SPHERE_IN_4D, delaunay, torus

Diagram = dict[int, Counter[tuple[float, float]]]


def diagram(cells: Any, values: Any, at_least: float = 0.0) -> Diagram:
    """Pairs of dimension 0 and of the highest finite one by GUDHI's simplex tree."""
    gudhi = pytest.importorskip("gudhi")
    tree, top = gudhi.SimplexTree(), cells.shape[1] - 2
    for cell in cells.tolist():
        tree.insert(cell)
    for simplex, _ in list(tree.get_simplices()):
        tree.assign_filtration(simplex, float(max(values[v] for v in simplex)))
    pairs = tree.persistence(homology_coeff_field=2, persistence_dim_max=True, min_persistence=0)
    found: Diagram = {0: Counter(), top: Counter()}
    for dimension, (birth, death) in pairs:
        if dimension in found and death > birth and death - birth >= at_least:
            found[dimension][birth, death] += 1
    return found


def simplified(points: Any, cells: Any, values: Any, level: float, device: str) -> Any:
    mesh = mesh_of(points, cells, device=device)
    result = sx.to_host(mesh.morse_smale(values, persistence=level).simplified_values())
    assert result.dtype == values.dtype
    assert result.shape == values.shape
    assert np.abs(result.astype(float) - values.astype(float)).max() < level
    unused = np.setdiff1d(np.arange(len(points)), cells)
    np.testing.assert_array_equal(result[unused], values[unused])
    return result


@pytest.mark.parametrize("seed", range(3))
def test_of_tetrahedra_the_diagram_is_the_thresholded_one(device: str, seed: int) -> None:
    random = np.random.default_rng([91, seed])
    for kept in (1.0, 0.9, 0.6):
        for dtype in (np.float32, np.int16, np.float64):
            points, cells = delaunay(random, 120, 3, kept)
            values = (random.random(120) * 40).astype(dtype)
            level = float(random.choice([2.5, 8.25, 20.25]))
            now = diagram(cells, simplified(points, cells, values, level, device))
            assert now == diagram(cells, values, level)


@pytest.mark.parametrize("name", ["sphere in four dimensions", "octahedron", "torus"])
def test_of_closed_surfaces_the_diagram_is_the_thresholded_one(device: str, name: str) -> None:
    cells = np.array({"octahedron": OCTAHEDRON, "torus": torus(9, 8)}.get(name, SPHERE_IN_4D))
    random = np.random.default_rng(92)
    n = int(cells.max()) + 1
    for _ in range(6):
        values = random.random(n)
        level = float(random.choice([0.02, 0.05]))
        now = diagram(cells, simplified(random.random((n, 3)), cells, values, level, device))
        assert now == diagram(cells, values, level)


def test_a_level_of_zero_gives_the_values_themselves(device: str) -> None:
    points, cells = delaunay(np.random.default_rng(93), 40, 3, 1.0)
    for dtype in (np.float16, np.longdouble, np.float32):
        values = np.random.default_rng(94).random(40).astype(dtype)
        found = mesh_of(points, cells, device=device).morse_smale(values).simplified_values()
        np.testing.assert_array_equal(sx.to_host(found), values)
