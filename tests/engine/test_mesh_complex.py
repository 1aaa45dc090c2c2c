"""Morse-Smale complexes of meshes equal slow walks on tuples of points, and each other."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import (
    Names,
    assert_networks_are_the_oracles,
    complex_of,
    pieces,
    rows_of,
    walked,
)
from oracles import mesh_complex as oracle
from oracles.mesh_fields import Case, delaunay, mesh_fields
from oracles.mesh_gradient import Simplex, SimplicialComplex
from oracles.surfaces import reached
from oracles.walks import ascending_path, descending_path

OUTSIDE = oracle.OUTSIDE
KINDS = ("ascending", "descending", "morse_smale")


@cache
def cases() -> list[Case]:
    return list(mesh_fields(seed=41, n_random=90, n_points=26))


def test_critical_simplices_and_arcs_are_the_oracles(device: str) -> None:
    for name, points, cells, values in cases():
        mesh, gradient = walked(cells, values)
        found = complex_of(points, cells, values, device=device)
        rows, critical = rows_of(found, cells), found.critical
        assert sorted(rows) == sorted(gradient.critical), name
        assert sx.to_host(critical.vertex).tolist() == [mesh.owner(s) for s in rows]
        assert sx.to_host(critical.value).tolist() == [values[mesh.owner(s)] for s in rows]
        assert critical.euler_characteristic == mesh.euler_characteristic
        keys = np.stack(
            [sx.to_host(a) for a in (critical.index, critical.cell_id)], axis=1
        ).tolist()
        assert keys == sorted(keys)
        arcs = found.arcs
        columns = [sx.to_host(a).tolist() for a in (arcs.upper, arcs.lower, arcs.multiplicity)]
        engine = {(rows[p], rows[q]): n for p, q, n in zip(*columns, strict=True)}
        assert engine == oracle.arcs(mesh, gradient), name


def test_positions_are_barycenters_and_the_boundary_is_that_of_the_mesh(device: str) -> None:
    for _, points, cells, values in cases():
        mesh, _ = walked(cells, values)
        found = complex_of(points, cells, values, device=device)
        rim = {f for f in mesh.simplices[-2] if len(mesh.cofacets(f)) == 1}
        on_rim = {s for s in mesh.cells() if any(set(s) <= set(f) for f in rim)}
        on_rim |= {t for t in mesh.simplices[-1] if any(set(f) <= set(t) for f in rim)}
        space = np.zeros((len(points), 3))
        space[:, : points.shape[1]] = points
        rows = rows_of(found, cells)
        position = sx.to_host(found.critical.position)
        assert sx.to_host(found.critical.on_boundary).tolist() == [s in on_rim for s in rows]
        for simplex, center in zip(rows, position, strict=True):
            np.testing.assert_allclose(center, space[list(simplex)].mean(axis=0))


def test_segmentations_are_the_ends_of_walks(device: str) -> None:
    for name, points, cells, values in cases():
        mesh, gradient = walked(cells, values)
        found = complex_of(points, cells, values, device=device)
        rows, used = rows_of(found, cells), [v for (v,) in mesh.simplices[0]]
        minima = [s for s in rows if len(s) == 1]
        maxima = [s for s in rows if len(s) == mesh.dimension + 1]
        down, up, both = (
            sx.to_host(found.segmentation(kind)).tolist() for kind in KINDS[1::-1] + KINDS[2:]
        )
        expected = {
            v: (
                minima.index(oracle.minimum_of(gradient, v)),
                number(maxima, oracle.maximum_of(mesh, gradient, v)),
            )
            for v in used
        }
        assert {v: (down[v], up[v]) for v in used} == expected, name
        pairs = sorted(set(expected.values()))
        assert [both[v] for v in used] == [pairs.index(expected[v]) for v in used], name
        assert all(
            label == -1
            for labels in (down, up, both)
            for v, label in enumerate(labels)
            if v not in used
        )
        tops = [tuple(sorted(cell)) for cell in cells.tolist()]
        ends = [number(maxima, oracle.end_of_ascent(mesh, gradient, top)) for top in tops]
        assert sx.to_host(found.cell_labels()).tolist() == ends


def number(maxima: list[Simplex], end: Any) -> int:
    return OUTSIDE if end == OUTSIDE else maxima.index(end)


def test_lines_to_extrema_are_the_walks(device: str) -> None:
    for _, points, cells, values in cases():
        mesh, gradient = walked(cells, values)
        found = complex_of(points, cells, values, device=device)
        names, rows, d = Names(found.domain, cells), rows_of(found, cells), mesh.dimension
        for kind, index in (("descending", 1), ("ascending", d - 1)):
            lines = found.separatrices(1, kind)
            paths = pieces(lines.offsets, names(lines.cell_dimension, lines.cell_id))
            expected = []
            for saddle in (s for s in rows if len(s) == index + 1):
                sides = mesh.facets(saddle) if kind == "descending" else mesh.cofacets(saddle)
                walks = [
                    descending_path(gradient, v)
                    if kind == "descending"
                    else ascending_path(gradient, v)
                    for v in sides
                ]
                expected += [[saddle, *walk] for walk in walks] + [[saddle]] * (2 - len(sides))
            assert sorted(paths) == sorted(expected)
            assert [rows[s] for s in sx.to_host(lines.source)] == [path[0] for path in paths]
            ends = [rows[e] if e >= 0 else OUTSIDE for e in sx.to_host(lines.destination)]
            extremum = 1 if kind == "descending" else d + 1
            assert ends == [p[-1] if len(p[-1]) == extremum else OUTSIDE for p in paths]
            centers = sx.to_host(lines.points)
            assert centers.shape == (sum(map(len, paths)), 3)


def test_connectors_are_networks_of_all_paths(device: str) -> None:
    for _, points, cells, values in cases():
        if cells.shape[1] < 4:
            continue
        assert_networks_are_the_oracles(
            complex_of(points, cells, values, device=device), cells, *walked(cells, values)
        )


@pytest.mark.parametrize("kind", ["descending", "ascending"])
def test_surfaces_are_what_v_paths_reach(device: str, kind: str) -> None:
    for _, points, cells, values in cases():
        if cells.shape[1] < 4:
            continue
        mesh, gradient = walked(cells, values)
        found = complex_of(points, cells, values, device=device)
        rows, names = rows_of(found, cells), Names(found.domain, cells)
        surfaces = found.separatrices(2, kind)
        dimension = 2 if kind == "descending" else 1
        shapes = names([dimension] * len(surfaces.source), surfaces.polygon_cell_id)
        drawn: dict[Simplex, set[Simplex]] = {}
        for source, shape in zip(sx.to_host(surfaces.source).tolist(), shapes, strict=True):
            drawn.setdefault(rows[source], set()).add(shape)
        saddles = oracle.of_index(gradient, dimension)
        neighbors = mesh.cofacets if kind == "ascending" else mesh.facets
        assert drawn == {s: reached(gradient, s, neighbors) for s in saddles}
        corners = names(surfaces.cell_dimension, surfaces.cell_id)
        polygons = pieces(surfaces.offsets, [corners[c] for c in sx.to_host(surfaces.corners)])
        for shape, polygon in zip(shapes, polygons, strict=True):
            if kind == "descending":
                assert sorted(polygon) == [(v,) for v in shape]
            else:
                assert_it_goes_round(mesh, shape, polygon)


def assert_it_goes_round(mesh: SimplicialComplex, edge: Simplex, polygon: list[Simplex]) -> None:
    """Tetrahedra follow each other across triangles; at the boundary the fan ends in the edge."""
    tets, rim = oracle.round_edge(mesh, edge)
    ring = [s for s in polygon if len(s) == 4]
    assert len(set(ring)) == len(ring) > 0
    is_closed = len(ring) == len(polygon)
    steps = zip(ring, ring[1:] + ring[:1] if is_closed else ring[1:], strict=False)
    assert all(len(set(a) & set(b)) >= 3 and set(edge) <= set(a) & set(b) for a, b in steps)
    if is_closed:
        assert set(ring) <= tets
    else:
        first, *_, last, middle = polygon
        assert middle == edge
        assert {first, last} <= rim
        assert set(first) <= set(ring[0])
        assert set(last) <= set(ring[-1])
    if len(rim) <= 2 and (is_closed == (not rim)):
        assert set(ring) == tets  # an edge that is not pinched


def test_surfaces_of_chosen_saddles_are_those_of_all() -> None:
    random = np.random.default_rng(43)
    points, cells = delaunay(random, 60, 3, 1.0)
    found = complex_of(points, cells, random.random(60), device="cpu")
    for kind, index in (("descending", 2), ("ascending", 1)):
        every, rows = found.separatrices(2, kind), found.critical.rows(index)
        some = found.separatrices(2, kind, sources=[rows.stop - 1, rows.start])
        chosen = (every.source == rows.start) | (every.source == rows.stop - 1)
        assert some.polygon_cell_id.tolist() == every.polygon_cell_id[chosen].tolist()
        with pytest.raises(sx.InputError, match=f"rows of {index}-saddles in critical"):
            found.separatrices(2, kind, sources=[rows.stop])


def test_shuffled_cells_and_corners_give_the_same_complex() -> None:
    random = np.random.default_rng(45)
    points, cells = delaunay(random, 80, 3, 0.9)
    values = random.integers(0, 9, 80)
    shuffled = random.permutation(len(cells))
    one = complex_of(points, cells, values, device="cpu")
    other = complex_of(points, random.permuted(cells[shuffled], axis=1), values, device="cpu")
    assert sorted(rows_of(one, cells)) == sorted(rows_of(other, cells[shuffled]))
    labels = one.segmentation("descending").tolist()
    assert labels == other.segmentation("descending").tolist()


def test_a_mesh_that_is_not_a_manifold_is_rejected_by_name(device: str) -> None:
    points = np.random.default_rng(46).random((6, 3))
    fan = np.array([(0, 1, 4, 2), (5, 0, 4, 1), (3, 1, 0, 4)])
    with pytest.raises(sx.InputError, match="triangle of points 0, 1, 4 has three or more"):
        complex_of(points, fan, np.arange(6.0), device=device)
    book = np.array([(0, 1, 2), (1, 0, 3), (4, 1, 0)])
    with pytest.raises(sx.InputError, match="edge of points 0, 1 has three or more"):
        complex_of(points, book, np.arange(6.0), device=device)


def test_a_point_of_no_cell_has_no_region() -> None:
    points = np.random.default_rng(47).random((5, 3))
    found = complex_of(points, np.array([(0, 1, 2, 3)]), np.arange(5.0), device="cpu")
    assert repr(found) == "<MorseSmaleComplex of 1 cells on cpu: counts (1, 0, 0, 0)>"
    assert sx.to_host(found.segmentation("morse_smale")).tolist() == [0, 0, 0, 0, -1]
