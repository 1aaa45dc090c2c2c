"""Filter for the weighted alpha complex of atoms: topology and measures of their union.

Lengths are in the unit of the points, such as Angstrom; alpha is a squared length. Types: (id)
vtkIdType, (i8) signed char, (i32) int, (i64) 64-bit integer, (d) double.

port 0  Complex           vertices, lines, triangles, and tetrahedra over the atoms, followed by
                          copies of atoms in a periodic box
    point   arrays of the input    of all selected atoms
            AtomId (id)            point of the input
            BallRadius (d)         radius, without probe and alpha; 0 for negative weights
            VoidId, PocketId (i32)  largest void and pocket that the atom lines, or -1
            ProtrusionId (i32)     protrusion that contains the atom, or -1, if enabled
    cell    AlphaValue (d)         smallest alpha at which the cell exists
            CellDimension (i8)     0, 1, 2, 3
            IsOnBoundary (i8)      0 if the cell is in the interior of the complex, otherwise 1
            Kind (i8)              0 singular (without cofaces), 1 regular, 2 interior
            IsGabriel (i8)         1 if no other atom is closer to the center of the cell
    field   Alpha, LargestAlpha (d, squared lengths), ProbeRadius, Resolution (d, lengths),
            NumberOfAtoms, NumberOfVertices, -Edges, -Triangles, -Tetrahedra, EulerCharacteristic,
            NumberOfHiddenAtoms (i64); with measures TotalVolume, TotalArea (d); with boundary or
            voids Betti0, Betti1, Betti2, and in a periodic box Betti3 (i64); with voids
            NumberOfVoids (i64), VoidVolume, VoidArea (d); with pockets NumberOfPockets (i64),
            PocketVolume (d), including voids; with protrusions NumberOfProtrusions (i64)
port 1  Boundary          triangles, with normals away from the solid; singular ones occur twice
    point   as port 0, for the atoms of the triangles
    cell    ComponentId (i32)      component of the boundary
            VoidId (i32)           void that the triangle faces, -1 for the outside, and for
                                   channels of a periodic box; active scalars
            Kind (i8), AlphaValue (d)  as port 0
port 2  Voids             walls of enclosed empty regions, largest void first; in a periodic box, of
                          its cavities
    point   as port 1
    cell    VoidId (i32), Volume, Area (d), NumberOfAtoms, NumberOfIslands (i64)  of the void
port 3  Pockets           walls and mouths of pockets, including voids, if enabled
    point   as port 1
    cell    PocketId (i32), Volume, Area (d), NumberOfMouths, NumberOfAtoms (i64)  of the pocket
            Depth (d)              distance of the farthest tetrahedron from the mouths; 0 for voids
            NumberOfResidues (i64) lining residues, if the atoms have the arrays chain and residue
            Periodicity (i8)       directions in which the pocket repeats, in a periodic box only
            IsMouth (i8)           1 for triangles in a mouth, 0 for walls
            MouthId (i32)          number of the mouth, among all pockets; -1 for walls
            MouthArea, MouthCircumference (d)  of the mouth; 0 for walls
port 4  Atoms             one vertex per atom
    point   as port 0, and GrownRadius (d): the radius with probe and alpha
            IsHidden (i8)          1 if other balls cover the atom
            Volume, Area (d)       contribution of the atom to the union; Area is active
port 5  Diagram           persistence up to the largest alpha, as in TTK, if enabled; classes that
                          never end are drawn up to the last event if that is inf
    point   CellId (id)            row among all cells of the complex at the largest alpha
            CellDimension (i8), Coordinates (d, 3)  dimension and center of the cell
    cell    PairIdentifier (id), PairType (i8), Persistence, Birth, Death (d), IsFinite (i8)
port 6  Barcode           one line per pair along x from birth to death, by dimension and birth
                          along -y, if the diagram is enabled; cell arrays as port 5

The atoms of port 4 have all field data of port 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.errors import SeparatrixError
from separatrix.options import AlphaComplexOptions
from separatrix_vtk.base.arrays import add, add_numbers, from_vtk
from separatrix_vtk.base.computing import KeptComplex, counted, seconds_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.filters.molecules.alpha_outputs import (
    regions_beside,
    write_atoms,
    write_boundary,
    write_complex,
    write_diagram,
    write_pockets,
    write_voids,
)
from separatrix_vtk.filters.molecules.balls import (
    MODEL_ARRAY,
    BallFilter,
    Balls,
    balls_of,
    numbers_of,
)

FEWEST_STEPS = 50  # of the grid per radius, below which rounding is noticeable
CLOSEST = 0.8  # Angstrom; atoms of a molecule are farther apart
ROOM_OF_SLIDER = 3.0  # in squared largest radii


class AlphaComplex(AlphaComplexOptions, BallFilter):
    """Compute the alpha complex, measures, voids, and pockets of balls, such as atoms.

    The input is a point set, molecule, or table. Radii are taken from a point array (selected by
    SetInputArrayToProcess or named `radius`), from atomic numbers, or from a constant. Disabled
    outputs are empty and are not computed. The module docstring describes the output ports.

    Notes
    -----
    The filter caches the complex at the largest alpha so far, so a smaller alpha requires only a
    threshold. If alpha increases, the complex is computed once for the whole range of the slider.
    Time steps of the input are computed on request.

    Examples
    --------
    >>> complex = AlphaComplex(probe=1.4)
    >>> complex.SetInputConnection(atoms.GetOutputPort())
    >>> complex.Update()
    >>> complex.GetOutput(4).GetPointData().GetArray("Area")
    """

    OUTPUTS = (
        ("Complex", "vtkUnstructuredGrid"),
        ("Boundary", "vtkPolyData"),
        ("Voids", "vtkPolyData"),
        ("Pockets", "vtkPolyData"),
        ("Atoms", "vtkPolyData"),
        ("Diagram", "vtkUnstructuredGrid"),
        ("Barcode", "vtkUnstructuredGrid"),
    )

    def set_up(self) -> None:
        self._kept = KeptComplex(self)
        self._range_of_points = 0.0

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        cells, boundary, voids, pockets, vertices, diagram, barcode = outputs
        atoms = balls_of(inputs[0], self)
        before = self._kept.timings()
        try:
            raw, complex = self._complexes(atoms, self.box_of(inputs[0]))
            which = write_complex(cells, atoms, complex) if self.compute_complex else None
            self.step(0.6, "boundary")
            has_measures = math.isfinite(complex.alpha)
            if self.compute_boundary and has_measures:
                write_boundary(boundary, atoms, complex, self.steps(0.6, 0.65))
            progress = self.steps(0.65, 0.7)
            wanted = self.compute_voids and has_measures
            of_voids = complex.voids(progress=progress) if wanted else None
            if of_voids is not None:
                write_voids(voids, atoms, complex, of_voids)
            self.step(0.7, "pockets")
            wanted = self.compute_pockets and has_measures
            of_pockets = self._pockets(complex) if wanted else None
            if of_pockets is not None:
                write_pockets(pockets, atoms, complex, of_pockets)
            protrusions = None
            if self.protrusion_radius is not None and has_measures:
                progress = self.steps(0.75, 0.8)
                protrusions = complex.protrusions(self.protrusion_radius, progress=progress)
            self.step(0.8, "measures")
            progress = self.steps(0.8, 0.9)
            wanted = self.compute_measures and has_measures
            measures = complex.per_ball(progress=progress) if wanted else None
            write_atoms(vertices, atoms, complex, measures)
            regions = {"VoidId": of_voids, "PocketId": of_pockets, "ProtrusionId": protrusions}
            add(vertices.GetPointData(), *regions_beside(len(atoms), regions))
            if self.compute_complex:
                add(cells.GetPointData(), *regions_beside(len(atoms), regions, which))
            self.step(0.9, "persistence")
            if self.compute_diagram:
                write_diagram(diagram, barcode, atoms, raw, self._pairs(raw))
            numbers = self._numbers(raw, complex, measures, of_voids, of_pockets)
            if protrusions is not None:
                numbers["NumberOfProtrusions"] = len(protrusions)
            if self._are_points:
                numbers |= self._betti_of_points(raw, complex)
            add_numbers(cells, numbers)
            add_numbers(vertices, numbers)
            self._report = {
                "device": complex.device,
                **numbers,
                "seconds": seconds_of(complex, before),
            }
        finally:
            if not self.keep_complex:
                self._kept.forget()

    # === parts

    def _complexes(self, atoms: Balls, box: tuple[float, ...] | None) -> tuple[Any, Any]:
        """Return the complex at the largest alpha, cached if possible, and the one at alpha."""
        largest, options = self._largest, self.engine_options(0.0, 0.5)
        known_by = (
            atoms.known_by,
            box,
            self.probe,
            self.resolution,
            *(value for name, value in options.items() if name != "progress"),
            largest if self._depends_on_largest_alpha else None,
        )
        reached = self._kept.reach(known_by)
        if reached < largest - self.resolution**2:  # alpha is rounded to this
            if reached > -math.inf and self.method != "local":  # the slider was moved up
                largest = max(largest, self.GetAlphaRange()[1])
            self._kept.forget()

        def compute() -> Any:
            self._warn_of(atoms)
            return sx.alpha_complex(
                atoms.positions,
                alpha=largest,
                box=box,
                **atoms.sizes,
                **self.search_options,
                **options,
            )

        raw = self._kept.raw(known_by, compute)
        if raw.alpha == self.alpha:
            return raw, raw
        alpha = min(self.alpha, raw.alpha)  # the latter is rounded to the grid
        return raw, self._kept.part("simplified", alpha, lambda: raw.at(alpha))

    def _pairs(self, raw: Any) -> Any:
        """Return the persistence diagram of the complex at the largest alpha, cached."""
        progress = self.steps(0.9, 0.97)
        return self._kept.part(
            "diagram", id(raw), lambda: raw.persistence_diagram(progress=progress)
        )

    @property
    def _are_points(self) -> bool:
        return self.radius_source == "points"

    def _betti_of_points(self, raw: Any, complex: Any) -> dict[str, float]:
        """Return the Betti numbers at any alpha; also keeps the range of the slider."""
        pairs = self._pairs(raw)
        birth, death = sx.to_host(pairs.birth), sx.to_host(pairs.death)
        alive = sx.to_host(pairs.dimension)[(birth <= complex.alpha) & (death > complex.alpha)]
        sizes = np.sort(sx.to_host(raw.tets.alpha_value))
        self._range_of_points = float(sizes[int(0.99 * len(sizes))]) if len(sizes) else 0.0
        n_numbers = 3 if complex.box is None else 4
        numbers = np.bincount(alive, minlength=n_numbers)
        return {f"Betti{d}": int(n) for d, n in enumerate(numbers)}

    @property
    def _depends_on_largest_alpha(self) -> bool:
        """Whether outputs depend on the largest alpha, so a larger one cannot be reused."""
        return self.compute_pockets or self.compute_diagram or self._are_points

    @property
    def _largest(self) -> float:
        if self.largest_alpha is not None:
            return max(self.alpha, self.largest_alpha)
        return math.inf if self._depends_on_largest_alpha and self.method != "local" else self.alpha

    def _pockets(self, complex: Any) -> Any:
        if self.largest_alpha is not None and self.largest_alpha <= self.alpha:
            raise FilterError(
                *("largest_alpha", f"greater than {{alpha}} ({self.alpha:g}) for pockets"),
                self.largest_alpha,
                "For molecules in Angstrom, add 20 to 60, or omit {largest_alpha}.",
            )
        return complex.pockets(progress=self.steps(0.7, 0.75))

    def _warn_of(self, atoms: Balls) -> None:
        if atoms.warning:
            self.warn(atoms.warning)
        if self._are_points:
            return
        radius = float(atoms.radii.max()) + self.probe
        grown = math.sqrt(max(radius * radius + self.alpha, 0))
        if 0.0 < grown < FEWEST_STEPS * self.resolution:
            self.warn(
                f"Positions and radii are inaccurate, because the largest radius ({grown:.3g}) has "
                f"only {grown / self.resolution:.0f} steps of {{resolution}} "
                f"({self.resolution:g}). Set {{resolution}} to about a thousandth of the radius."
            )
        if not atoms.has_elements or len(atoms) < 2:
            return
        options = {**self.engine_options(), "progress": None}
        close = sx.count_neighbors(atoms.positions, radius=CLOSEST, include_self=False, **options)
        n_close = int((sx.to_host(close) > 0).sum())
        if n_close:
            unit = ""
            if 2 * n_close > len(atoms):
                unit = " If positions are in nanometers, convert them to Angstrom."
            cause = "probably because several models or alternate locations are merged"
            advice = "Read the file with Separatrix Molecule Reader, which selects one."
            if atoms.attributes.HasArray("assembly_copy"):  # it was read so
                advice = "Check Model, Alternate Locations, and Assembly of the reader."
                if len(np.unique(from_vtk(atoms.attributes.GetArray(MODEL_ARRAY))[atoms.rows])) < 2:
                    cause = "although all are of one model"
                    advice = (
                        "Check Alternate Locations and Assembly of the reader; if these add no "
                        "copies, the atoms overlap in the file."
                    )
            self.warn(
                f"{n_close:,} of {len(atoms):,} atoms have a neighbor within {CLOSEST} Angstrom, "
                f"{cause}. {advice}{unit}"
            )

    def _numbers(
        self, raw: Any, complex: Any, measures: Any, voids: Any, pockets: Any
    ) -> dict[str, float]:
        betti = not self._are_points and (self.compute_boundary or voids is not None)
        counted = numbers_of(complex, betti, voids)
        numbers: dict[str, float] = {
            "Alpha": complex.alpha,
            "LargestAlpha": raw.alpha,
            "ProbeRadius": complex.probe,
            "Resolution": complex.resolution,
            **counted,
            "NumberOfHiddenAtoms": len(complex.hidden),
        }
        if measures is not None:
            numbers |= {"TotalVolume": measures.total_volume, "TotalArea": measures.total_area}
        if voids is not None:
            numbers["NumberOfVoids"] = len(voids)
        if pockets is not None:
            numbers["NumberOfPockets"] = len(pockets)
            numbers["PocketVolume"] = float(pockets.volume.sum())
        return numbers

    # === for the pipeline

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        names: tuple[str, ...] = ("Atoms", "Vertices", "Edges", "Triangles", "Tetrahedra")
        names += ("Voids", "Pockets", "Protrusions")
        counts = {name: report.get(f"NumberOf{name}") for name in names}
        found = [counted(n, name.lower()) for name, n in counts.items() if n is not None]
        lines = [", ".join(found[i : i + 2]) for i in range(0, len(found), 2)]  # panels are narrow
        if "Betti0" in report:
            betti = [f"{report[f'Betti{d}']:,}" for d in range(4) if f"Betti{d}" in report]
            lines.append("Betti numbers " + ", ".join(betti))
        if "TotalVolume" in report:
            lines.append(f"Volume {report['TotalVolume']:.6g}, area {report['TotalArea']:.6g}")
        return lines

    def GetAlphaRange(self) -> tuple[float, float]:
        """Return the range of meaningful values of alpha, for the slider in ParaView.

        Of points without radii, it contains 99% of the tetrahedra.
        """
        if self._are_points:
            return 0.0, max(self._range_of_points, self.largest_alpha or 0.0, self.alpha)
        dataset = self.GetInputDataObject(0, 0)
        try:
            radius = float(balls_of(dataset, self).radii.max()) + self.probe
        except (SeparatrixError, AttributeError):  # the input is missing or invalid
            radius = 2.0
        most = ROOM_OF_SLIDER * radius**2
        return -(radius**2), max(most, self.largest_alpha or 0.0, self.alpha)
