"""An alpha complex as VTK datasets: cells, boundary, voids, pockets, atoms, and diagram.

Cells use 32-bit point ids where these suffice, which halves their memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import (
    VTK_LINE,
    VTK_TETRA,
    VTK_TRIANGLE,
    VTK_VERTEX,
    vtkPolyData,
    vtkUnstructuredGrid,
)

import separatrix as sx
from separatrix_vtk.base.arrays import (
    LARGEST_32,
    NONE,
    add,
    arrays_in,
    cells_of,
    fill_polydata,
    from_vtk,
    ids_to_vtk,
    rows_of,
    to_vtk,
    vtk_points,
)
from separatrix_vtk.filters.diagrams import lines_of_bars, write_pair_lines
from separatrix_vtk.filters.molecules.balls import Balls

CELL_TYPES = np.array([VTK_VERTEX, VTK_LINE, VTK_TRIANGLE, VTK_TETRA], np.uint8)
INTERIOR = 2  # Kind


def set_simplices(output: vtkUnstructuredGrid, simplices: list[np.ndarray]) -> None:
    """Set the cells of a grid from simplices (m, d + 1) int32 of the dimensions 0 to 3."""
    counts = [len(part) for part in simplices]
    types = np.repeat(CELL_TYPES, counts)
    n_items = sum(part.size for part in simplices)
    offsets = np.zeros(len(types) + 1, np.int32 if n_items <= LARGEST_32 else np.int64)
    np.cumsum(np.repeat(np.arange(1, 5, dtype=offsets.dtype), counts), out=offsets[1:])
    items = np.concatenate([part.reshape(-1) for part in simplices])
    output.SetCells(to_vtk(types, "CellTypes"), cells_of(offsets, items))


@dataclass(frozen=True)
class Placed:
    """Simplices whose vertices are points: atoms, and their copies in a periodic box."""

    simplices: list[np.ndarray]  # (m, d + 1) rows of the points
    atom: np.ndarray  # (k,) atom of each point
    positions: np.ndarray  # (k, 3)


def placed(atoms: Balls, box: Any, simplices: list[np.ndarray], shifts: list[np.ndarray]) -> Placed:
    """Place simplices with shifts (m, d + 1, 3) over all atoms, followed by the copies."""
    everyone = np.arange(len(atoms))
    parts = [np.column_stack([everyone, np.zeros((len(atoms), 3), np.int64)])]
    pairs = zip(simplices, shifts, strict=True)
    parts += [np.column_stack([rows.ravel(), by.reshape(-1, 3)]) for rows, by in pairs]
    everything = np.concatenate(parts)
    is_copy = everything[:, 1:].any(axis=1)
    copies, place = np.unique(everything[is_copy], axis=0, return_inverse=True)
    rows = everything[:, 0].copy()
    rows[is_copy] = len(atoms) + place.ravel()
    split = np.split(rows, np.cumsum([len(part) for part in parts])[:-1])[1:]
    atom = np.concatenate([everyone, copies[:, 0]])
    moved = np.concatenate([np.zeros((len(atoms), 3)), copies[:, 1:] @ box])
    return Placed(
        [part.reshape(s.shape).astype(np.int32) for part, s in zip(split, simplices, strict=True)],
        atom,
        atoms.positions[atom] + moved,
    )


def placed_complex(complex: Any, atoms: Balls) -> Placed:
    """Place all simplices of a complex over all atoms, followed by the copies."""
    simplices = [sx.to_host(table.simplices) for table in tables_of(complex)]
    if complex.box is None:
        return Placed(simplices, np.arange(len(atoms)), atoms.positions)
    shifts = [sx.to_host(complex.shifts(dimension)) for dimension in range(4)]
    return placed(atoms, complex.box, simplices, shifts)


def set_triangles(
    output: vtkPolyData,
    atoms: Balls,
    triangles: np.ndarray,
    columns: dict[str, np.ndarray],
    box: Any = None,
    shifts: Any = None,
) -> None:
    """Set triangles (m, 3) of atoms as polygons, with only the atoms that they use as points.

    In a periodic box, the vertices are copies of atoms, moved by shifts (m, 3, 3).
    """
    positions, atom = atoms.positions, np.arange(len(atoms))
    if box is not None:
        points = placed(atoms, box, [triangles], [sx.to_host(shifts)])
        (triangles,), positions, atom = points.simplices, points.positions, points.atom
    used, items = np.unique(triangles, return_inverse=True)
    output.SetPoints(vtk_points(np.ascontiguousarray(positions[used])))
    output.SetPolys(cells_of(3 * np.arange(len(triangles) + 1), items.ravel()))
    for array in atom_arrays(atoms, atom[used]):
        output.GetPointData().AddArray(array)
    for name, values in columns.items():
        output.GetCellData().AddArray(to_vtk(values, name))


def atom_arrays(atoms: Balls, which: np.ndarray | None = None) -> list[Any]:
    """Return the input's arrays of some atoms (by default, all), AtomId, and BallRadius.

    Arrays of the input with one of these two names are omitted.
    """
    rows = atoms.rows if which is None else atoms.rows[which]
    is_whole = which is None and atoms.is_whole
    radii = atoms.radii if which is None else atoms.radii[which]
    own = [ids_to_vtk(rows, "AtomId"), to_vtk(radii, "BallRadius")]
    names = {array.GetName() for array in own}
    given = [a for a in arrays_in(atoms.attributes) if a.GetName() and a.GetName() not in names]
    return [*(array if is_whole else rows_of(array, rows) for array in given), *own]


def write_complex(output: vtkUnstructuredGrid, atoms: Balls, complex: Any) -> np.ndarray | None:
    """Fill port 0 with the simplices as cells. Return the atom of each point, if not the same."""
    tables, points = tables_of(complex), placed_complex(complex, atoms)
    which = None if complex.box is None else points.atom
    output.SetPoints(vtk_points(points.positions))
    add(output.GetPointData(), *atom_arrays(atoms, which))
    set_simplices(output, points.simplices)
    kind = np.concatenate([sx.to_host(table.kind) for table in tables])
    add(
        output.GetCellData(),
        to_vtk(np.concatenate([sx.to_host(table.alpha_value) for table in tables]), "AlphaValue"),
        to_vtk(np.repeat(np.arange(4, dtype=np.int8), complex.counts), "CellDimension"),
        to_vtk((kind != INTERIOR).astype(np.int8), "IsOnBoundary"),
        to_vtk(kind, "Kind"),
        to_vtk(
            np.concatenate([sx.to_host(t.is_gabriel) for t in tables]).astype(np.int8), "IsGabriel"
        ),
        active="Kind",
    )
    return which


def write_boundary(output: vtkPolyData, atoms: Balls, complex: Any, progress: Any = None) -> None:
    """Fill port 1 with the triangles that have an empty side, once per empty side."""
    surface = complex.boundary_surface(progress=progress)
    table = complex.triangles
    row = sx.to_host(surface.row)
    columns = {
        "ComponentId": sx.to_host(surface.component),
        "VoidId": sx.to_host(surface.void),
        "Kind": sx.to_host(table.kind)[row],
        "AlphaValue": sx.to_host(table.alpha_value)[row],
    }
    triangles = sx.to_host(surface.triangles)
    set_triangles(output, atoms, triangles, columns, complex.box, surface.shifts)
    output.GetCellData().SetActiveScalars("VoidId")


def write_voids(output: vtkPolyData, atoms: Balls, complex: Any, voids: Any) -> None:
    """Fill port 2 with the walls of the voids, with normals into the void."""
    n_facets = np.diff(sx.to_host(voids.facet_offsets))
    of_each = _region_columns("VoidId", voids, NumberOfIslands=voids.n_islands)
    columns = {name: np.repeat(values, n_facets) for name, values in of_each.items()}
    facets = sx.to_host(voids.facets)
    set_triangles(output, atoms, facets, columns, complex.box, voids.facet_shifts)
    output.GetCellData().SetActiveScalars("VoidId")


def write_pockets(output: vtkPolyData, atoms: Balls, complex: Any, pockets: Any) -> None:
    """Fill port 3 with the walls of the pockets, normals inward, followed by the mouths."""
    mouths = pockets.mouths
    n_walls = np.diff(sx.to_host(pockets.facet_offsets))
    n_opens = np.diff(sx.to_host(mouths.triangle_offsets))
    pocket_of = np.repeat(sx.to_host(mouths.pocket), n_opens)
    columns = {
        name: np.concatenate([np.repeat(values, n_walls), values[pocket_of]])
        for name, values in _region_columns(
            "PocketId",
            pockets,
            NumberOfMouths=pockets.n_mouths,
            Depth=pockets.depth,
            **_residue_counts(atoms, pockets),
        ).items()
    }
    of_mouths = {
        "MouthId": np.arange(len(mouths), dtype=np.int32),
        "MouthArea": sx.to_host(mouths.area),
        "MouthCircumference": sx.to_host(mouths.circumference),
    }
    for name, values in of_mouths.items():
        of_walls = np.full(n_walls.sum(), NONE if name == "MouthId" else 0, values.dtype)
        columns[name] = np.concatenate([of_walls, np.repeat(values, n_opens)])
    columns["IsMouth"] = (columns["MouthId"] != NONE).astype(np.int8)
    triangles = np.concatenate([sx.to_host(pockets.facets), sx.to_host(mouths.triangles)])
    if complex.box is not None:  # where pockets have no mouths
        columns["Periodicity"] = np.repeat(sx.to_host(pockets.periodicity), n_walls)
    set_triangles(output, atoms, triangles, columns, complex.box, pockets.facet_shifts)
    output.GetCellData().SetActiveScalars("PocketId")


def _residue_counts(atoms: Balls, regions: Any) -> dict[str, np.ndarray]:
    """Return the number of lining residues of each region, if the atoms have the arrays for it."""
    arrays = [atoms.attributes.GetAbstractArray(name) for name in ("chain", "residue")]
    if not all(isinstance(array, vtkDataArray) for array in arrays):
        return {}
    lining = atoms.rows[sx.to_host(regions.atoms)]
    region = np.repeat(np.arange(len(regions)), np.diff(sx.to_host(regions.atom_offsets)))
    names = np.unique(np.stack([region, *(from_vtk(a)[lining] for a in arrays)]), axis=1)
    return {"NumberOfResidues": np.bincount(names[0].astype(np.int64), minlength=len(regions))}


def _region_columns(id_name: str, regions: Any, **more: Any) -> dict[str, np.ndarray]:
    """Columns with one row per void or pocket."""
    return {
        id_name: np.arange(len(regions), dtype=np.int32),
        "Volume": sx.to_host(regions.volume),
        "Area": sx.to_host(regions.area),
        "NumberOfAtoms": np.diff(sx.to_host(regions.atom_offsets)),
        **{name: sx.to_host(values) for name, values in more.items()},
    }


def write_atoms(
    output: vtkPolyData,
    atoms: Balls,
    complex: Any,
    measures: Any = None,
) -> None:
    """Fill port 4 with one vertex per atom."""
    fill_polydata(output, atoms.positions, vertices=True)
    grown = atoms.squared_radii(complex.probe) + complex.alpha
    is_hidden = np.zeros(len(atoms), np.int8)
    is_hidden[sx.to_host(complex.hidden)] = 1
    data = output.GetPointData()
    add(data, *atom_arrays(atoms), to_vtk(np.sqrt(grown.clip(0.0, None)), "GrownRadius"))
    add(data, to_vtk(is_hidden, "IsHidden"))
    if measures is not None:
        add(data, to_vtk(sx.to_host(measures.volume), "Volume"))
        add(data, to_vtk(sx.to_host(measures.area), "Area"), active="Area")


def regions_beside(
    n_atoms: int, regions: dict[str, Any], which: np.ndarray | None = None
) -> list[Any]:
    """Return arrays of the first region of each kind at some atoms (by default, all)."""
    found = {n: _largest_beside(n_atoms, kind) for n, kind in regions.items() if kind is not None}
    return [to_vtk(row if which is None else row[which], name) for name, row in found.items()]


def _largest_beside(n_atoms: int, found: Any) -> np.ndarray:
    """Return the largest (that is, first) region that each atom lines or is part of, or -1."""
    number = np.repeat(
        np.arange(len(found), dtype=np.int32), np.diff(sx.to_host(found.atom_offsets))
    )
    first = np.full(n_atoms, NONE, np.int32)
    first[sx.to_host(found.atoms)[::-1]] = number[::-1]  # the first void is written last
    return first


def write_diagram(
    output: vtkUnstructuredGrid,
    barcode: vtkUnstructuredGrid,
    atoms: Balls,
    complex: Any,
    pairs: Any,
) -> None:
    """Fill port 5 with one line per pair and the diagonal, and port 6 with one bar per pair.

    Lines of essential classes end at the largest alpha or, if it is inf, at the last event.
    """
    birth, death = sx.to_host(pairs.birth), sx.to_host(pairs.death)
    cells = np.stack([sx.to_host(pairs.birth_cell), sx.to_host(pairs.death_cell)], axis=1)
    kind = sx.to_host(pairs.dimension).astype(np.int8)
    is_finite = np.isfinite(death)
    end = complex.alpha
    if end == np.inf:
        end = float(np.concatenate([birth, death[is_finite]]).max(initial=0.0))
    death = np.where(is_finite, death, end)
    cells[:, 1] = np.where(is_finite, cells[:, 1], cells[:, 0])
    dimension = np.stack([kind, np.where(is_finite, kind + 1, kind)], axis=1).astype(np.int8)
    low = float(birth.min(initial=end))
    diagonal = (low, end, end - low)
    write_pair_lines(output, kind, birth, death, is_finite, diagonal=diagonal)
    points = lines_of_bars(kind, birth, death, end - low)
    write_pair_lines(barcode, kind, birth, death, is_finite, points=points)
    ends = np.full((1, 2), NONE)
    cells_at = placed_complex(complex, atoms)
    centers = np.concatenate([cells_at.positions[part].mean(axis=1) for part in cells_at.simplices])
    places = np.concatenate([centers.astype(np.float64)[cells], np.zeros((1, 2, 3))])
    add(
        output.GetPointData(),
        ids_to_vtk(np.concatenate([cells, ends]).reshape(-1), "CellId"),
        to_vtk(np.concatenate([dimension, ends.astype(np.int8)]).reshape(-1), "CellDimension"),
        to_vtk(places.reshape(-1, 3), "Coordinates"),
    )


def tables_of(complex: Any) -> tuple[Any, ...]:
    """Return the tables of the four dimensions."""
    return complex.vertices, complex.edges, complex.triangles, complex.tets
