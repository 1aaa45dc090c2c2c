"""Voids: bounded components of the complement of a union of balls.

A component C of the boundary that encloses a volume E(C) > 0 bounds a void. U(C), what the balls
have of the cones of its sectors, is the union's part of the polyhedron that C bounds; an island
inside takes away all of its own, U(C') - E(C'). So

    volume = E(C) - U(C) - sum over islands (U(C') - E(C')),   area = sum of what they expose to it.

Edelsbrunner 1995, section 6; kernels/alpha/boundary_walks.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device.base import Array
from ..kernels import NONE
from ..primitives import exclusive_scan
from ..repr_mixin import ReprMixin
from .found_complex import FoundComplex
from .topology import Boundary, BoundarySurface, boundary_sides


@dataclass(frozen=True, eq=False, repr=False)
class Voids(ReprMixin):
    """k voids, the largest first.

    ``volume``, ``area`` (k,) float64: of the part of space that no ball covers, islands taken away.
    Lining atoms, those that expose something to the void: void v has the rows atom_offsets[v] to
    atom_offsets[v + 1], int64, of ``atoms`` int32 and ``atom_area`` float64. Its walls likewise:
    facet_offsets, int64, and ``facets`` (f, 3) int32, triangles of the complex with normals into
    the void; a singular triangle is there twice. ``n_islands`` (k,) int64: pieces that float in it.
    """

    volume: Array
    area: Array
    atom_offsets: Array
    atoms: Array
    atom_area: Array
    facet_offsets: Array
    facets: Array
    n_islands: Array

    def __len__(self) -> int:
        return len(self.volume)

    def _summary(self) -> str:
        return f"{len(self):,} voids"

    def atoms_of(self, void: int) -> Array:
        """Lining atoms of one void, ascending."""
        void = checked_whole(void, "void", 0, len(self.volume) - 1)
        return self.atoms[int(self.atom_offsets[void]) : int(self.atom_offsets[void + 1])]

    def facets_of(self, void: int) -> Array:
        """Walls of one void."""
        void = checked_whole(void, "void", 0, len(self.volume) - 1)
        return self.facets[int(self.facet_offsets[void]) : int(self.facet_offsets[void + 1])]


def voids_of(complex: FoundComplex, boundary: Boundary) -> Voids:
    """The voids of a complex whose boundary is known."""
    volume, order, rank = _ranked(boundary)
    k, step = len(order), complex.resolution
    sector = rank[boundary.component]
    in_void = sector != NONE
    void, atoms, atom_area = sums_by_pair(
        sector[in_void], boundary.vertex[in_void], boundary.area[in_void] * step**2
    )
    facets = boundary_sides(boundary)
    facing = np.argsort(rank[facets.component], kind="stable")
    facing = facing[rank[facets.component[facing]] != NONE]
    n_facets = np.bincount(rank[facets.component[facing]], minlength=k)
    islands = rank[~boundary.is_void]
    return Voids(
        **in_place(
            complex,
            volume=volume[order] * step**3,
            area=sums(void, atom_area, k),
            atom_offsets=exclusive_scan(np.bincount(void, minlength=k)),
            atoms=atoms,
            atom_area=atom_area,
            facet_offsets=exclusive_scan(n_facets),
            facets=facets.triangles[facing],
            n_islands=np.bincount(islands[islands != NONE], minlength=k),
        )
    )


def boundary_surface_of(complex: FoundComplex, boundary: Boundary) -> BoundarySurface:
    """The boundary as oriented triangles, its voids numbered as in :class:`Voids`."""
    rank = _ranked(boundary)[2]
    sides = boundary_sides(boundary)
    return BoundarySurface(
        **in_place(
            complex,
            triangles=sides.triangles,
            row=sides.row,
            component=sides.component,
            void=rank[sides.component],
        )
    )


def _ranked(boundary: Boundary) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Volumes by component in steps, components of voids, the largest first, and the reverse.

    The reverse gives islands the void that they lie in, and -1 to what faces the outside.
    """
    n = len(boundary)
    faced = boundary.facing_void
    in_void = faced != NONE
    missing = boundary.six_volumes / 6.0 - sums(boundary.component, boundary.volume, n)
    volume = sums(faced[in_void], missing[in_void], n).clip(0.0, None)
    voids = np.flatnonzero(boundary.is_void)
    order = voids[np.argsort(-volume[voids], kind="stable")]
    rank = np.full(n + 1, NONE, np.int32)  # the last for -1
    rank[order] = np.arange(len(order))
    return volume, order, rank[faced]


def sums(group: np.ndarray, value: np.ndarray, n_groups: int) -> np.ndarray:
    """Sums of values (n,) by group, in the order that they come in: (n_groups,) float64."""
    return np.bincount(group, value, n_groups).astype(np.float64)


def sums_by_pair(
    group: np.ndarray, atom: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of (n,) values for each (group, atom) that occurs, sorted by the two."""
    stride = int(atom.max(initial=0)) + 1
    keys, which = np.unique(group.astype(np.int64) * stride + atom, return_inverse=True)
    return keys // stride, (keys % stride).astype(np.int32), sums(which.ravel(), value, len(keys))


def in_place(complex: FoundComplex, **arrays: np.ndarray) -> dict[str, Any]:
    """Arrays of the host where the caller wants results."""
    session = complex._session
    with session.call(None, {}):
        if not session.result.on_host:
            arrays = {name: session.upload(array) for name, array in arrays.items()}
        return {name: session.result(array) for name, array in arrays.items()}
