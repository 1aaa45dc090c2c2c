"""The Morse-Smale complex of a field: critical points, separatrices, segmentation, graph.

Ports, arrays and codes are TTK's. (id) is vtkIdType, (i8) signed char, (i32) int, (u64) unsigned,
(f) the field's type, (d) double.

port 0  Critical Points   one vertex per critical cell, at the center of the cell
    point   <the field> (f)        value at the cell's highest vertex
            CellDimension (i8)     0 minimum, 1 and 2 saddles, 3 maximum (2D: 2 is the maximum)
            CellId (id)            index of the cell in the doubled grid, x fastest; on a mesh, the
                                   id of a point or top cell in the input, otherwise the engine's
                                   id, unique for each CellDimension
            IsOnBoundary (i8)      1 if the cell is on the boundary of the domain
            ttkVertexScalarField (id)  point id of the highest vertex (cell data: cell id)
            CriticalType (i8)      0 minimum, 1 and 2 saddles, 3 maximum, in 2D too
            IsPersistent (i8)      1 if the pair of the point before simplification is at or above
                                   the threshold, or essential; 0 at saddles of other pairs
            ManifoldSize (id)      number of labels of this extremum; 0 for saddles; -1 unless
                                   both ascending and descending segmentation are enabled
            Persistence (d)        of the pair of the point; the range of the values for the
                                   essential class
            PairedId (id)          CellId of the other point of the pair, -1 if essential
            IsFinite (i8)          0 if essential, otherwise 1
    field   PersistenceThreshold (d), CanceledPairs, SkippedPairs, SkippedPairsAbsent, -Several,
            -Parted, OmittedSaddles (i64), ZeroPersistencePoints (i64, of the complex before
            simplification), MeshDimension (i64, of a mesh)
            Saddles with IsPersistent 0, and what starts or ends at them on ports 1, 2 and 4, are
            omitted unless `keep_skipped_saddles` is set.
port 1  1-Separatrices    polylines through cell centers, from a saddle to an extremum, or from a
                          1-saddle to a 2-saddle (connectors, 3D; one per V-path)
    point   ttkMaskScalarField (i8)  0 at the two ends of a separatrix, otherwise 1
            CellDimension (i8), CellId (id)
    cell    SourceId (id)          CellId of the saddle; of a connector's 1-saddle
            DestinationId (id)     CellId of the other end; -1 where the line leaves the domain
            DestinationType (i8)   CriticalType to which the line leads: 0, 2 (connectors), or
                                   3, also where it leaves the domain
            SeparatrixId (id)      0, 1, ...; the V-paths of a connector are one separatrix
            SeparatrixType (i8)    0 descending to a minimum, 1 connector of saddles, 2 ascending to
                                   a maximum (2D: 1)
            SeparatrixFunctionMaximum, -Minimum (f)  highest and lowest value of its cells
            SeparatrixFunctionDifference  their difference (signed integers: int64 or double)
            NumberOfCriticalPointsOnBoundary (i8)  of its two ends: 0, 1, or 2
            Multiplicity (u64)     number of V-paths of the separatrix: 1 except for connectors
port 2  2-Separatrices    polygons (3D only), one surface per saddle
    cell    as port 1, without Multiplicity and destination. SeparatrixType: 1 ascending from a
            1-saddle, 2 descending from a 2-saddle. NumberOfCriticalPointsOnBoundary: 0 or 1
port 3  Segmentation      the input with labels added, as point data (of cell data: cell data)
            DescendingManifold (i32)  minimum reached by descending: row among the minima
            AscendingManifold (i32)   maximum reached by ascending, -1 if outside of the domain
            MorseSmaleManifold (i32)  number of the pair of both
            SimplifiedField (f), SimplifiedField_Order (id)  if enabled: the field without the
                                   canceled extrema, and the rank of each point in it
    cell    AscendingManifold (i32)   if enabled: exact label of each top cell
port 4  Graph             straight lines between critical points, one per arc of the complex
    point   as port 0, in the same order; then copies of ends across the seam of a periodic image
    cell    SourceId, DestinationId (id), DestinationType, SeparatrixType (i8)  as port 1
            Multiplicity (u64)     number of V-paths; from 2^62 (IsSaturated (i8) 1) only its parity
                                   is exact. After simplification without connectors, an upper
                                   bound with the correct parity
            Persistence (d)        difference of the values of both ends
port 5  Regions           if a segmentation is selected, a table with one row per region
    (i32)   DescendingManifold, AscendingManifold or MorseSmaleManifold: the label, as in port 3
    (i64)   RegionSize             number of points (cell data: cells) with this label
    (f)     RegionMinimum, -Maximum  lowest and highest value among them
    (id)    MinimumId, MaximumId   CellId of the extrema of the region; -1 for none

An array of the input with one of these names is replaced in the output. TTK differs: it uses the
lowest vertex of a saddle for SeparatrixFunctionMinimum, omits lines that leave the domain, draws
one of the V-paths of a connector, and repeats the cell data for each segment of a line.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.options import MorseSmaleOptions
from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.arrays import add, add_numbers, passing_ownership, to_vtk
from separatrix_vtk.base.computing import KeptComplex
from separatrix_vtk.base.properties import is_in_paraview
from separatrix_vtk.base.redistribution import Held
from separatrix_vtk.base.slabs import Part
from separatrix_vtk.filters.scalar_field import outputs as write
from separatrix_vtk.filters.scalar_field.complex_outputs import ComplexOutputs
from separatrix_vtk.filters.scalar_field.complex_part import (
    ARRAY_OF_KIND,
    SEGMENTATION,
    ComplexPart,
)
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.grid_filter import (
    LevelFilter,
    automatic_threshold,
    report_of_pairs,
)

OF_THE_WHOLE = (
    "compute_simplified_field",
    "compute_saddle_connectors",
    "compute_descending_separatrices_2",
    "compute_ascending_separatrices_2",
)


class MorseSmaleComplex(MorseSmaleOptions, LevelFilter):
    """Morse-Smale complex of 1D, 2D or 3D image data, or of a mesh of tetrahedra or triangles.

    The scalar field is chosen by SetInputArrayToProcess; by default it is the active scalars. The
    module docstring describes the output ports. Disabled outputs are empty and are not computed.

    The complex of the last input is cached, so another threshold does not process the volume again.
    Outputs may share its memory: copy arrays before changing them. Call `Modified()` of an input
    array that was changed in place.

    >>> complex = MorseSmaleComplex(device="cpu")
    >>> complex.SetInputConnection(source.GetOutputPort())
    >>> complex.Update()
    >>> complex.GetOutput(3).GetPointData().GetArray("MorseSmaleManifold")
    """

    OUTPUTS = (
        ("Critical Points", "vtkPolyData"),
        ("1-Separatrices", "vtkPolyData"),
        ("2-Separatrices", "vtkPolyData"),
        ("Segmentation", "vtkDataSet"),
        ("Graph", "vtkPolyData"),
        ("Regions", "vtkTable"),
    )
    MADE_ARRAYS = (*write.COMPLEX_ARRAYS, *ARRAY_OF_KIND.values(), *write.SIMPLIFIED_ARRAYS)

    def set_up(self) -> None:
        self._kept = KeptComplex(self)
        self._proposed_for: Hashable = None
        self._is_first_run, self._is_labeled = True, False

    def ports_to_wait(self, requested: int) -> set[int]:
        """In ParaView, a segmentation that has been hidden so far, which takes a tenth of a step.

        Apply requests all outputs, of which the segmentation is hidden. A later run is one for
        those that are visible.
        """
        self._is_labeled |= requested == SEGMENTATION
        first, self._is_first_run = self._is_first_run, False
        is_needed = first or self._is_labeled or not self.keep_complex
        return set() if is_needed or not is_in_paraview(self) else {SEGMENTATION}

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        image, field = self.read_field(inputs[0])
        segmentation, before = outputs[SEGMENTATION], self._kept.timings()
        options = self.engine_options(0.0, 0.35)
        place = [value for name, value in options.items() if name != "progress"]
        known_by = (field.identity, *place)
        try:
            raw = self._kept.raw(known_by, lambda: field.compute(sx.morse_smale, **options))
            complex = self.level_of(raw, field)
            segmentation.ShallowCopy(image)
            is_level = len(complex.critical) < len(raw.critical)
            if SEGMENTATION not in self._waiting_ports:
                self._label(complex, is_level, field, segmentation)
            self.write_outputs(raw, complex, field, outputs, before)
        finally:
            if not self.keep_complex:
                self._kept.forget()

    def write_outputs(
        self,
        raw: Any,
        complex: Any,
        field: Field,
        outputs: list[Any],
        before: dict[str, float],
        sizes: np.ndarray | None = None,
    ) -> None:
        """Fill all outputs except the segmentation, and report the run.

        before: timings of an earlier run; sizes (k,): of manifolds, if they are known
        """
        written = ComplexOutputs(self, complex, field)
        written.fill(outputs, sizes)
        self._tell(raw, written, outputs[0], before)

    def settings_to_divide(self) -> list[str]:
        """The settings that must change to run in pieces."""
        return self.field_settings_to_divide()

    def settings_without_whole(self, dimension: int) -> list[str]:
        """The settings that must change so that no process needs the whole complex."""
        wrong = []
        if self.persistence or self.automatic_threshold:
            if dimension == 3 and self.rematch_saddles:
                wrong.append("{rematch_saddles=False}")
            if dimension == 1:
                wrong += ["{persistence=0}", "{automatic_threshold=False}"]
        has_lines = self.compute_descending_separatrices_1 or self.compute_ascending_separatrices_1
        if has_lines and self.smoothing_iterations:  # lines of all processes share their sections
            wrong.append("{smoothing_iterations=0}")
        of_whole = OF_THE_WHOLE if dimension == 3 else OF_THE_WHOLE[:1]
        return wrong + [f"{{{name}=False}}" for name in of_whole if getattr(self, name)]

    def execute_part(
        self, part: Part, exchange: Exchange, outputs: list[Any]
    ) -> dict[int, list[Held]]:
        options = super().engine_options()
        place = [value for name, value in options.items() if name != "progress"]
        field = (self.field_array(part.image).name, self.periodic, self.nan)
        known_by = (part, *field, *place)
        try:
            self._kept.keep_together("raw", known_by, exchange)
            complex = self._kept.raw(known_by, lambda: ComplexPart(self, part, exchange))
            if self.settings_without_whole(complex.field.dimension):
                return complex.fill_with_whole(self, self._kept, outputs)
            return complex.fill(self, self._kept, outputs)
        finally:
            if not self.keep_complex:
                self._kept.forget()

    def is_labeled(self, kind: str) -> bool:
        return bool(getattr(self, f"compute_{kind}_segmentation"))

    def level_of(self, raw: Any, field: Field) -> Any:
        """The complex at the threshold, cached if possible."""
        threshold, relative = self.level(field)
        field.use(raw)
        if threshold == 0.0 and self.automatic_threshold:
            pairs = write.on_host(raw.pair(progress=self.steps(0.35, 0.35)))
            threshold, relative = automatic_threshold(pairs, field), False
        if threshold == 0.0:
            return raw
        progress = self.steps(0.35, 0.45)
        return self._kept.part(
            "simplified",
            (threshold, relative, self.rematch_saddles),
            lambda: raw.simplify(
                threshold,
                relative=relative,
                rematch_saddles=self.rematch_saddles,
                progress=progress,
            ),
        )

    def _label(self, complex: Any, is_level: bool, field: Field, segmentation: Any) -> None:
        kinds = [kind for kind in ARRAY_OF_KIND if self.is_labeled(kind)]
        ends = np.linspace(0.45, 0.6, len(kinds) + 1).tolist()
        for kind, begin, end in zip(kinds, ends[:-1], ends[1:], strict=True):
            progress = self.steps(begin, end)
            out = write.labels_in_file(self.scratch, field) if self.scratch else None
            labels = sx.to_host(complex.segmentation(kind, out=out, progress=progress))
            name = ARRAY_OF_KIND[kind]
            attributes = field.attributes_of(segmentation)
            with passing_ownership(is_level):  # the engine reads only raw labels again
                add(attributes, to_vtk(labels.reshape(-1), name), active=name)
        if self.compute_top_cell_labels and field.of_cells:
            self.warn(
                "Top cell labels were omitted, because they label the voxels between points, and "
                "this field is cell data."
            )
        elif self.compute_top_cell_labels:
            labels = sx.to_host(complex.cell_labels(progress=self.steps(0.6, 0.6)))
            labels = field.of_cells_of_input(labels)
            add(segmentation.GetCellData(), to_vtk(labels, ARRAY_OF_KIND["ascending"]))
        if self.compute_simplified_field:
            simple = complex.simplified_field(progress=self.steps(0.6, 0.65))
            add(
                field.attributes_of(segmentation),
                *write.simplified_arrays(field, "SimplifiedField", simple),
            )

    def _propose_plateau_order(self, n_points: int, n_artifacts: int, field: Field) -> None:
        """Suggest another order once per field if most critical points are due to this one."""
        is_new = self._proposed_for != field.identity and is_in_paraview(self)
        if is_new and self.order == "index" and 2 * n_artifacts > n_points:
            self._proposed_for = field.identity
            self.warn(
                f"{n_artifacts:,} of the {n_points:,} critical points of the field are in pairs of "
                "equal values, which the order of equal values creates. Set {order='plateau'} to "
                "avoid most of them."
            )

    def _tell(
        self, raw: Any, written: ComplexOutputs, points: Any, before: dict[str, float]
    ) -> None:
        """Describe the simplification in the report and in the field data of port 0."""
        complex, field = written.complex, written.field
        skipped = complex.skipped.counts if complex is not raw else {}
        skipped = {reason: int(count) for reason, count in skipped.items()}
        more: dict[str, Any] = {
            "persistence": float(complex.persistence),
            "canceled_pairs": (len(raw.critical) - len(complex.critical)) // 2,
            "skipped_pairs": skipped,
            "omitted_saddles": int((~written.shown).sum()),
            "saddles_without_lines": written.saddles_without_lines,
        }
        numbers = write.level_numbers(more)
        if self.compute_persistence_pairs:
            pairs = write.on_host(raw.pair(progress=self.steps(0.99, 1.0)))
            self._propose_plateau_order(len(raw.critical), pairs.n_artifacts, field)
            numbers["ZeroPersistencePoints"] = int(pairs.n_artifacts)
            more |= report_of_pairs(pairs, write.on_host(complex.pair()))
        self.keep_report(complex, field, before, **more)
        if self.compute_critical_points:
            add_numbers(points, numbers)
            self.add_dimension(points, field)
