"""Checks after the blocks of a page have run: names and printed output."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

Names = dict[str, Any]


def readme(names: Names, out: str) -> None:
    assert names["values"].ndim == 3
    assert names["outputs"].critical_points.GetNumberOfPoints() > 0
    assert len(names["bars"].of_dimension(1)) > 100


def morse_smale(names: Names, out: str) -> None:
    complex, simple = names["complex"], names["simple"]
    assert complex.critical.counts == (668, 1812, 1194, 49)
    assert simple.critical.counts == (14, 13, 5, 5)
    assert [int(line.split()[1]) for line in out.splitlines()] == [1862, 318, 138, 76, 19, 19, 19]
    assert len(simple.skipped) == 0
    assert set(names["surface"].source.tolist()) == {names["first_2_saddle"]}
    assert (names["smoothed"].points != names["lines"].points).any()
    assert np.abs(simple.simplified_field().values - names["values"]).max() < 0.5
    assert sum(names["by_plateau"]) < 0.8 * sum(names["by_index"])
    assert names["torus"].critical.counts == (1, 3, 3, 1)
    assert int(names["torus"].persistence_pairs.is_essential.sum()) == 8


def mesh_relations(names: Names, out: str) -> None:
    assert names["mesh"].euler_characteristic == 1
    assert len(names["links"]) > 0
    assert names["across"].shape == names["tets"].shape
    assert names["items"].GetNumberOfTuples() == 2 * 23856
    assert names["outputs"].critical_points.GetNumberOfPoints() == 34


def mesh_streams(names: Names, out: str) -> None:
    found, expected = map(int, re.search(r"^(\d+) (\d+)$", out, re.M).groups())
    assert found == expected > 0
    assert abs(names["around"].sum() / 4 - names["volumes"].sum()) < 1e-9


def alpha_complex(names: Names, out: str) -> None:
    assert "3571.703 cubic Angstrom\n" in out
    assert names["area_by_atom"].GetNumberOfTuples() == 327
    assert names["complex"].counts == (4, 6, 4, 1)
    assert names["smaller"].counts == names["complex"].at(0.0).counts
    assert len(names["volumes"]) == 20
    vertices, edges, triangles, tets = names["cloud"].counts
    assert (vertices, vertices - edges + triangles - tets) == (1000, 1)
    assert names["cloud"].betti == (1, 0, 0)
    assert len(names["triangulation"].tetrahedra) > 60_000


def block_sparse(names: Names, out: str) -> None:
    assert re.search(r"2204\.\d+|2205\.\d+ electrons", out)
    assert names["sums"].shape == (5000,)
    assert names["ids"].shape == (300, 5)
    assert abs(names["near_totals"] / names["totals"] - 1).max() < 1e-2
    assert (names["again"] == names["sums"]).all()


def clusters(names: Names, out: str) -> None:
    assert names["pattern"].fill < 0.1
    assert abs(names["some"] - names["every"]).max() < 1e-4 * names["every"].max()
    order = names["rows"].order
    np.testing.assert_allclose(names["sorted_sum"], names["some"][order], rtol=1e-12)


def transport(names: Names, out: str) -> None:
    assert abs(names["f"] - names["f_matrix"]).max() < 1e-12
    costs = [float(line.split()[1]) for line in out.splitlines() if line.startswith("cost")]
    assert abs(costs[0] - costs[1]) < 5e-5


def molecules(names: Names, out: str) -> None:
    assert "327 atoms" in out


def rips(names: Names, out: str) -> None:
    assert "dimension 1: 117 bars, longest [0.447" in out
    assert "2 loops" in out
    assert len(re.findall(r"a loop of \d+ edges", out)) == 2
    if "landscape" in names:
        assert "landscape (1, 300)" in out
    if "imager" in names:
        assert "persistence image" in out


CHECKS: dict[str, Callable[[Names, str], None]] = {
    "README.md": readme,
    "docs/alpha_complex.md": alpha_complex,
    "docs/block_sparse.md": block_sparse,
    "docs/mesh_streams.md": mesh_streams,
    "docs/mesh_relations.md": mesh_relations,
    "docs/molecules.md": molecules,
    "docs/morse_smale.md": morse_smale,
    "docs/rips.md": rips,
    "docs/tutorials/clusters.md": clusters,
    "docs/tutorials/transport.md": transport,
}
