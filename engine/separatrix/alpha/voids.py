"""Voids: bounded components of the complement of a union of balls.

In a periodic box, which has no outside, these are its cavities, the components that do not repeat.

A component C of the boundary that encloses a volume E(C) > 0 bounds a void. U(C), the volume of
balls within the cones of its sectors, is the part of the union within the polyhedron that C bounds.
An island C' inside the void occupies U(C') - E(C'). Therefore

    volume = E(C) - U(C) - sum over islands (U(C') - E(C')),   area = sum of the exposed areas.

Edelsbrunner 1995, section 6; kernels/alpha/boundary_walks.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device.base import Array
from ..errors import InputError
from ..kernels import NONE
from ..primitives import changes, exclusive_scan, stable_order
from ..results import Table
from .found_complex import FoundComplex
from .topology import Boundary, BoundarySurface, boundary_sides


class LinedRegions(Table):
    """Base of voids and pockets: empty regions with lining atoms and walls."""

    _KIND: str
    atom_offsets: Array
    atoms: Array
    facet_offsets: Array
    facets: Array
    facet_shifts: Array | None

    def __len__(self) -> int:
        return len(self.atom_offsets) - 1

    def atoms_of(self, number: int) -> Array:
        """Return the lining atoms of a region, ascending. Raises InputError."""
        number = self._checked(number)
        return self.atoms[int(self.atom_offsets[number]) : int(self.atom_offsets[number + 1])]

    def facets_of(self, number: int) -> Array:
        """Return the walls of a region. Raises InputError."""
        number = self._checked(number)
        return self.facets[int(self.facet_offsets[number]) : int(self.facet_offsets[number + 1])]

    def _summary(self) -> str:
        return f"{len(self):,} {self._KIND}s"

    def _checked(self, number: int) -> int:
        if not len(self):
            remedy = f"The union of balls has no {self._KIND}s."
            raise InputError("number", f"the index of a {self._KIND}", number, remedy)
        return checked_whole(number, "number", 0, len(self) - 1)


@dataclass(frozen=True, eq=False, repr=False)
class Voids(LinedRegions):
    """Voids of a union of balls, largest first.

    Void v has the rows offsets[v] to offsets[v + 1] - 1 of the arrays that follow these offsets.

    Attributes
    ----------
    volume, area : (k,) float64 array
        Measures of the part that is not covered by balls, without islands.
    atom_offsets, atoms, atom_area : int64, int32, and float64 arrays
        Lining atoms, which are exposed to the void, and their exposed areas.
    facet_offsets, facets : int64 and (f, 3) int32 arrays
        Triangles of the complex that form the walls, with normals into the void; singular triangles
        occur twice.
    n_islands : (k,) int64 array
        Number of pieces inside the void.
    facet_shifts : (f, 3, 3) int32 array or None
        Box vectors to add to the vertices of the walls in a periodic box, such that each component
        of the boundary is in one piece.
    """

    volume: Array
    area: Array
    atom_offsets: Array
    atoms: Array
    atom_area: Array
    facet_offsets: Array
    facets: Array
    n_islands: Array
    facet_shifts: Array | None = None

    _COLUMNS = ("volume", "area", "n_islands")
    _KIND = "void"


def voids_of(complex: FoundComplex, boundary: Boundary) -> Voids:
    """Return the voids of a complex with this boundary."""
    volume, order, rank = _ranked(boundary)
    k, step = len(order), complex.resolution
    sector = rank[boundary.component]
    in_void = sector != NONE
    void, atoms, atom_area = sums_by_pair(
        complex, sector[in_void], boundary.vertex[in_void], boundary.area[in_void] * step**2
    )
    facets = boundary_sides(complex, boundary, rank)
    facing = np.argsort(facets.void, kind="stable")
    facing = facing[facets.void[facing] != NONE]
    n_facets = np.bincount(facets.void[facing], minlength=k)
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
            facet_shifts=None if facets.shifts is None else facets.shifts[facing],
            n_islands=np.bincount(islands[islands != NONE], minlength=k),
        )
    )


def boundary_surface_of(complex: FoundComplex, boundary: Boundary) -> BoundarySurface:
    """Return the boundary as oriented triangles, with voids numbered as in :class:`Voids`."""
    sides = boundary_sides(complex, boundary, _ranked(boundary)[2])
    return BoundarySurface(**in_place(complex, **vars(sides)))


def _ranked(boundary: Boundary) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return volumes by component, in steps, the voids' components, largest first, and ranks."""
    n = len(boundary)
    # the void that each component faces, as its wall or as an island; -1 if none
    faced = np.where(boundary.is_void, np.arange(n, dtype=np.int32), boundary.host)
    in_void = faced != NONE
    missing = boundary.six_volumes / 6.0 - sums(boundary.component, boundary.volume, n)
    volume = sums(faced[in_void], missing[in_void], n).clip(0.0, None)
    voids = np.flatnonzero(boundary.is_void)
    order = voids[np.argsort(-volume[voids], kind="stable")]
    rank = np.full(n + 1, NONE, np.int32)  # the last entry is for the component -1
    rank[order] = np.arange(len(order))
    return volume, order, rank[faced]  # the void that each component faces; -1: the outside


def sums(group: np.ndarray, value: np.ndarray, n_groups: int) -> np.ndarray:
    """Return the sums (n_groups,) float64 of values (n,) by group, added in their order."""
    return np.bincount(group, value, n_groups).astype(np.float64)


def sums_by_pair(
    complex: FoundComplex, group: np.ndarray, atom: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return groups, atoms, and sums of values (n,), sorted, for each (group, atom) that occurs."""
    stride = int(atom.max(initial=0)) + 1
    keys = group.astype(np.int64) * stride + atom
    order = stable_order(complex._session.on(complex._session.host), keys)
    is_first = changes(keys[order])
    row = np.empty(len(keys), np.int64)
    row[order] = np.cumsum(is_first) - 1
    keys = keys[order[is_first]]
    return keys // stride, (keys % stride).astype(np.int32), sums(row, value, len(keys))


def in_place(complex: FoundComplex, **arrays: np.ndarray | None) -> dict[str, Any]:
    """Move arrays, if any, from the host to the memory of the results."""
    session = complex._session
    with session.call(None, {}):
        given = {name: array for name, array in arrays.items() if array is not None}
        if not session.result.on_host:
            given = {name: session.upload(array) for name, array in given.items()}
        return {name: session.result(array) for name, array in given.items()}
