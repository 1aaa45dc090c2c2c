"""Pockets: empty regions that widen inwards, with the mouths by which they open.

1. Tetrahedra of the complex at the largest alpha that are not in the complex at hand, the solid.
2. Each flows through a facet whose Gabriel test its opposite vertex violates, to a larger one.
3. Those from which a flow leads outside, to what is larger than the largest alpha, go.
4. What is left is pockets, joined over triangles not in the solid; voids have no open triangle.

Edelsbrunner, Facello, Liang 1998, "On the definition and the construction of pockets in
macromolecules"; kernels/alpha/pockets.h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.arrays import to_host
from ..device.base import Array
from ..errors import InputError
from ..kernels import NONE
from ..primitives import exclusive_scan
from ..repr_mixin import ReprMixin
from .found_complex import FoundComplex
from .measures import grown_balls
from .voids import in_place, sums, sums_by_pair


@dataclass(frozen=True, eq=False, repr=False)
class Pockets(ReprMixin):
    """k pockets, the largest first; voids are those without mouths.

    ``volume``, ``area`` (k,) float64: of the part that no ball covers; at mouths it ends at the
    planes of the open triangles, and balls are counted there by inner angles. ``n_mouths`` (k,)
    int64. Pocket p has the rows offsets[p] to offsets[p + 1] of: ``atoms`` int32 and ``atom_area``
    float64, lining atoms and what they expose (atom_offsets); ``tets`` (., 4) int32, its tetrahedra
    (tet_offsets); ``facets`` (., 3) int32, triangles of the complex that wall it, normals inwards
    (facet_offsets); ``mouths`` (., 3) int32, its open triangles, and ``mouth`` int32, the number
    of the mouth that each is in (mouth_offsets).

    ``largest_alpha`` is the limit, the alpha that the complex was computed at: a pocket whose flow
    ends in a larger tetrahedron, because it is wider than that, counts as outside.
    """

    largest_alpha: float
    volume: Array
    area: Array
    n_mouths: Array
    atom_offsets: Array
    atoms: Array
    atom_area: Array
    tet_offsets: Array
    tets: Array
    facet_offsets: Array
    facets: Array
    mouth_offsets: Array
    mouths: Array
    mouth: Array

    def __len__(self) -> int:
        return len(self.volume)

    def _summary(self) -> str:
        return f"{len(self):,} pockets seen from alpha {self.largest_alpha:g}"


@dataclass(frozen=True)
class _Tables:
    """The larger complex on the host, and what of it is in the solid."""

    simplices: list[np.ndarray]
    facets: list[np.ndarray]
    is_gabriel: np.ndarray
    has: list[np.ndarray]


def pockets_of(complex: FoundComplex) -> Pockets:
    """Pockets of the complex at its alpha, seen from the largest alpha computed."""
    balls = complex._balls
    largest_alpha = balls.scale.squared_length(balls.alpha)
    if complex._whole_alpha >= balls.alpha:
        raise InputError(
            f"pockets need a complex that was computed at an alpha larger than {complex.alpha:g}: "
            f"for example alpha_complex(..., alpha={complex.alpha + 40:g}).at({complex.alpha:g})"
            ".pockets(); 20 to 60 more are usual for molecules in angstrom"
        )
    tables = _tables_of(complex)
    pocket, mouth = _find(complex, tables)
    rows = np.flatnonzero(pocket != NONE).astype(np.int32)
    volume, shares = _measured(complex, tables, rows)
    pocket = pocket[rows]
    k, step = int(pocket.max(initial=NONE)) + 1, complex.resolution
    volume = sums(pocket, volume - shares[:, :, 0].sum(1), k).clip(0.0, None)
    order = np.argsort(-volume, kind="stable")
    rank = np.empty(k, np.int32)
    rank[order] = np.arange(k)
    pocket = rank[pocket]

    tets = tables.simplices[3][rows]
    sixfold, exposed = np.repeat(pocket, 4), shares[:, :, 1].ravel() != 0.0
    atom_pocket, atoms, atom_area = sums_by_pair(
        sixfold[exposed], tets.ravel()[exposed], shares[:, :, 1].ravel()[exposed] * step**2
    )
    by_pocket = np.argsort(pocket, kind="stable")
    corners, mouth = _inward_facets(complex, tets), mouth[rows].ravel()
    walls = _sorted_rows(sixfold, tables.has[2][tables.facets[3][rows]].ravel() != 0)
    opens = _sorted_rows(sixfold, mouth != NONE)
    return Pockets(
        largest_alpha,
        **in_place(
            complex,
            volume=volume[order] * step**3,
            area=sums(atom_pocket, atom_area, k),
            n_mouths=_distinct(sixfold[opens], mouth[opens], k),
            atom_offsets=exclusive_scan(np.bincount(atom_pocket, minlength=k)),
            atoms=atoms,
            atom_area=atom_area,
            tet_offsets=exclusive_scan(np.bincount(pocket, minlength=k)),
            tets=tets[by_pocket],
            facet_offsets=exclusive_scan(np.bincount(sixfold[walls], minlength=k)),
            facets=corners[walls],
            mouth_offsets=exclusive_scan(np.bincount(sixfold[opens], minlength=k)),
            mouths=corners[opens],
            mouth=_renumbered(mouth[opens]),
        ),
    )


def _tables_of(complex: FoundComplex) -> _Tables:
    """Everything at the largest alpha, and flags of what is there at the complex's own."""
    with complex._session.call(None, {}):
        whole = complex._largest
        simplices = [to_host(table.simplices) for table in whole.simplices]
        facets = [np.empty((0, 1), np.int32), *(to_host(rows) for rows in whole.facets[1:])]
        is_gabriel = to_host(whole.simplices[2].is_gabriel).view(np.uint8)
        has = [(to_host(t.alpha_value) <= complex.alpha).view(np.uint8) for t in whole.simplices]
    return _Tables(simplices, facets, is_gabriel, has)


def _find(complex: FoundComplex, tables: _Tables) -> tuple[np.ndarray, np.ndarray]:
    """Pocket of each tetrahedron (n,) and mouth of each of its facets (n, 4), -1 for none."""
    host, balls = complex._session.host, complex._balls
    n = len(tables.simplices[3])
    flows = np.empty((n, 4), np.uint8)
    host.launch(
        "find_flows",
        4 * n,
        *(to_host(balls.items), tables.simplices[3], tables.facets[3], tables.is_gabriel),
        *(balls.sign_errors, flows, np.zeros(1, np.int64)),
    )
    pocket, mouth = np.empty(n, np.int32), np.empty((n, 4), np.int32)
    host.run(
        "gather_pockets",
        *(tables.facets[3], flows, tables.has[3], n),
        *(tables.facets[2], tables.has[2], len(tables.simplices[2])),
        *(tables.has[1], len(tables.simplices[1]), pocket, mouth),
    )
    return pocket, mouth


def _measured(
    complex: FoundComplex, tables: _Tables, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Volumes (m,) of tetrahedra and what the solid's balls have of them (m, 4, 2), in steps."""
    volume, shares = np.empty(len(rows), np.float64), np.empty((len(rows), 4, 2), np.float64)
    with complex._session.call(None, {}):
        balls = to_host(grown_balls(complex))
    complex._session.host.launch(
        "measure_empty_tets",
        len(rows),
        *(rows, balls, tables.simplices[3]),
        *(tables.facets[3], tables.facets[2], tables.facets[1]),
        *(*tables.has[:3], volume, shares),
    )
    return volume, shares


def _inward_facets(complex: FoundComplex, tets: np.ndarray) -> np.ndarray:
    """Facets (4 m, 3) of tetrahedra (m, 4), facet k opposite to vertex k, normals towards it."""
    centers = to_host(complex._balls.items)[:, :3].astype(np.int64)
    a, b, c, d = (centers[tets[:, m]] for m in range(4))
    is_positive = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) > 0
    facets = tets[:, [[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]]]  # of a positive one
    return np.where(is_positive[:, None, None], facets, facets[:, :, ::-1]).reshape(-1, 3)


def _sorted_rows(group: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The rows chosen by a mask, sorted by their groups."""
    rows = np.flatnonzero(chosen)
    return rows[np.argsort(group[rows], kind="stable")]


def _distinct(group: np.ndarray, label: np.ndarray, n_groups: int) -> np.ndarray:
    """Different labels in each group; a label lies in one group."""
    _, first = np.unique(label, return_index=True)
    return np.bincount(group[first], minlength=n_groups)


def _renumbered(label: np.ndarray) -> np.ndarray:
    """The labels numbered from 0 in the order in which they come."""
    _, first, which = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[which.ravel()]
