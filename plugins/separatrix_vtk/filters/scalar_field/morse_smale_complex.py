"""The Morse-Smale complex of a field: critical points, separatrices, segmentation, graph.

Ports, arrays and codes are TTK's. (id) is vtkIdType, (i8) signed char, (i32) int, (u64) unsigned,
(f) the field's type, (d) double.

port 0  Critical Points   vertices, one a critical cell, at the cell's center
    point   <the field> (f)        value at the cell's highest vertex
            CellDimension (i8)     0 minimum, 1 and 2 saddles, 3 maximum (2D: 2 is the maximum)
            CellId (id)            index of the cell in the doubled grid, x fastest; of a mesh the
                                   input's number of a point or a top cell, else the engine's of
                                   an edge or an inner triangle: with CellDimension it is unique
            IsOnBoundary (i8)      1 if the cell lies in the boundary of the domain
            ttkVertexScalarField (id)  point id of the highest vertex (cell data: cell id)
            CriticalType (i8)      0 minimum, 1 and 2 saddles, 3 maximum, in 2D too
            ManifoldSize (id)      how many labels name this extremum; 0 for saddles;
                                   -1 unless both ascending and descending segmentation are on
            Persistence (d)        of the pair that the point belongs to; the range of the values
                                   for the one that nothing ends
            PairedId (id)          CellId of the other point of the pair, -1 for that one
            IsFinite (i8)          0 for that one, else 1
    field   PersistenceThreshold (d), CancelledPairs, SkippedPairs, SkippedPairsAbsent, -Even,
            -Odd, -TooDense (i64), ZeroPersistencePoints (i64, of the complex before
            simplification), MeshDimension (i64, of a mesh)
port 1  1-Separatrices    lines of two points through cell centers, from a saddle to an extremum,
                          or from a 1-saddle to a 2-saddle (connectors, 3D)
    point   ttkMaskScalarField (i8)  0 at the two ends of a separatrix, else 1
            CellDimension (i8), CellId (id)
    cell    SourceId (id)          CellId of the saddle; of a connector's 1-saddle
            DestinationId (id)     CellId of the other end; -1 where the line leaves the domain
            SeparatrixId (id)      0, 1, ... a number for each separatrix; the V-paths of one
                                   connector are one separatrix, drawn as a network
            SeparatrixType (i8)    0 descending to a minimum, 1 connector of saddles, 2 ascending to
                                   a maximum (2D: 1)
            SeparatrixFunctionMaximum, -Minimum (f)  highest and lowest value of its cells
            SeparatrixFunctionDifference  their difference (signed integers: int64 or double)
            NumberOfCriticalPointsOnBoundary (i8)  how many of its two ends: 0, 1 or 2
            Multiplicity (u64)     how many V-paths the separatrix stands for: 1, but for connectors
port 2  2-Separatrices    polygons (3D only), a surface a saddle
    cell    as port 1, without DestinationId and Multiplicity. SeparatrixType: 1 ascending from a
            1-saddle, 2 descending from a 2-saddle. NumberOfCriticalPointsOnBoundary counts the
            saddle alone.
port 3  Segmentation      the input with labels added, as point data (of cell data: cell data)
            DescendingManifold (i32)  which minimum is reached by descending: row among the minima
            AscendingManifold (i32)   which maximum is reached by ascending, -1 out of the domain
            MorseSmaleManifold (i32)  number of the pair of both
            SimplifiedField (f)    if switched on: the field without the extrema that were canceled
    cell    AscendingManifold (i32)   if top cell labels are on: exact label of each top cell
port 4  Graph             straight lines between critical points, one an arc of the complex
    point   as port 0
    cell    SourceId, DestinationId (id), SeparatrixType (i8)  as port 1
            Multiplicity (u64)     number of V-paths; from 2^62 on (IsSaturated (i8) 1) only its
                                   parity is exact. After simplification without connectors: a
                                   bound from above, of the right parity
            Persistence (d)        difference of the values of both ends
port 5  Regions           a table, one row a region of the segmentation chosen, if one is
    (i32)   DescendingManifold, AscendingManifold or MorseSmaleManifold: the label, as in port 3
    (i64)   RegionSize             how many points (cell data: cells) have it
    (f)     RegionMinimum, -Maximum  lowest and highest value among them
    (id)    MinimumId, MaximumId   CellId of the extrema that name the region; -1 for none

An array of the input with one of these names is replaced in the output; the input keeps its own.
TTK differs: it takes the lowest vertex of a saddle for SeparatrixFunctionMinimum, leaves out lines
that leave the domain, and draws one of a connector's V-paths.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData

import separatrix as sx
from separatrix.options import MorseSmaleOptions
from separatrix_vtk.base.arrays import add, add_numbers, to_vtk
from separatrix_vtk.base.computing import KeptComplex
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.grid_filter import (
    GridFilter,
    report_of,
    report_of_level,
    report_of_pairs,
)
from separatrix_vtk.filters.scalar_field.outputs import (
    PARTNER_ARRAYS,
    POINT_ARRAYS,
    of_field,
    on_host,
    partners_of,
    write_critical_points,
    write_regions,
)
from separatrix_vtk.filters.scalar_field.separatrix_outputs import (
    ASCENDING,
    ASCENDING_2D,
    ASCENDING_SURFACE,
    CONNECTOR,
    DESCENDING,
    DESCENDING_SURFACE,
    LineFamily,
    write_graph,
    write_lines,
    write_surfaces,
)

ARRAY_OF_KIND = {
    "descending": "DescendingManifold",
    "ascending": "AscendingManifold",
    "morse_smale": "MorseSmaleManifold",
}
REASONS = {"absent": "Absent", "even": "Even", "odd": "Odd", "too_dense": "TooDense"}

MOST_CONNECTORS = 100_000  # to draw: noise of 96 cubed has 280,000, of millions of lines


class MorseSmaleComplex(MorseSmaleOptions, GridFilter):
    """Morse-Smale complex of 1D, 2D or 3D image data, or of a mesh of tetrahedra or triangles.

    Input: vtkImageData, vtkUnstructuredGrid or vtkPolyData with a scalar field, chosen by
    SetInputArrayToProcess (else the active scalars). Outputs: 0 critical points, 1 1-separatrices,
    2 2-separatrices, 3 segmentation, 4 the graph, 5 the regions as a table; what is switched off is
    not computed and its output is empty.

    The complex of the last input is kept, so that another threshold takes no work on the volume.
    Outputs may share its memory: copy what you want to change. An array changed in place is new to
    the filter after its `Modified()`.

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
    MADE_ARRAYS = (*POINT_ARRAYS, *PARTNER_ARRAYS, *ARRAY_OF_KIND.values(), "SimplifiedField")

    def set_up(self) -> None:
        self._kept = KeptComplex(self)

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        image, field = self.read_field(inputs[0])
        points, lines, surfaces, segmentation, graph, regions = outputs
        before = self._kept.timings()
        try:
            raw, complex = self._complexes(field)
            critical = on_host(complex.critical)
            segmentation.ShallowCopy(image)
            self._label(complex, field, segmentation)
            self._write_points(complex, critical, field, points, graph)
            if families := self._lines(complex, critical, field.dimension):
                write_lines(lines, families, critical, field)
            if surface_families := self._surfaces(complex, field.dimension):
                write_surfaces(surfaces, surface_families, critical, field)
            if self.region_table != "none":
                kind = self.region_table
                found = complex.regions(kind, progress=self.steps(0.96, 0.99))
                write_regions(regions, ARRAY_OF_KIND[kind], on_host(found), critical, field)
            self._tell(raw, complex, field, points, before)
        finally:
            if not self.keep_complex:
                self._kept.forget()

    # === parts

    def _complexes(self, field: Field) -> tuple[Any, Any]:
        """The raw complex, kept or computed, and the one at the threshold."""
        threshold, relative = self._level(field)
        options = self.engine_options(0.0, 0.35)
        known_by = {k: v for k, v in options.items() if k != "progress"}
        raw = self._kept.raw(
            (field.identity, self.order, *known_by.values()),
            lambda: field.morse_smale(order=self.order, **options),
        )
        field.use(raw)
        if threshold == 0.0:
            return raw, raw
        progress = self.steps(0.35, 0.45)
        return raw, self._kept.simplified(
            (threshold, relative),
            lambda: raw.simplify(threshold, relative=relative, progress=progress),
        )

    def _level(self, field: Field) -> tuple[float, bool]:
        """The threshold, and whether it is a fraction of the range.

        In a panel, users change the mode before the number, so the threshold may exceed 1 in
        relative mode. It is then used as an absolute threshold, and a warning is issued. Functions
        reject it before the run.
        """
        threshold, relative = self.persistence, self.relative
        if not relative or threshold <= 1.0:
            return threshold, relative
        share = min(threshold / field.value_range, 1.0) if field.value_range > 0 else 1.0
        self.warn(
            f"{{persistence}} {threshold:g} was interpreted as absolute, because a fraction of the "
            f"range must be from 0 to 1. Set it to {share:.4g} for the same result."
        )
        return threshold, False

    def _label(self, complex: Any, field: Field, segmentation: Any) -> None:
        wanted = {
            "descending": self.compute_descending_segmentation,
            "ascending": self.compute_ascending_segmentation,
            "morse_smale": self.compute_morse_smale_segmentation,
        }
        kinds = [kind for kind, on in wanted.items() if on]
        ends = np.linspace(0.45, 0.6, len(kinds) + 1).tolist()
        for kind, begin, end in zip(kinds, ends[:-1], ends[1:], strict=True):
            progress = self.steps(begin, end)
            labels = sx.to_host(complex.segmentation(kind, progress=progress))
            add(field.attributes_of(segmentation), to_vtk(labels.reshape(-1), ARRAY_OF_KIND[kind]))
        if self.compute_top_cell_labels and field.of_cells:
            self.warn(
                "Top cell labels were left out, because they label the voxels between points, and "
                "this field is cell data."
            )
        elif self.compute_top_cell_labels:
            labels = sx.to_host(complex.cell_labels(progress=self.steps(0.6, 0.6)))
            add(segmentation.GetCellData(), to_vtk(labels.reshape(-1), ARRAY_OF_KIND["ascending"]))
        if self.compute_simplified_field:
            values = sx.to_host(complex.simplified_values(progress=self.steps(0.6, 0.65)))
            array = of_field(field, "SimplifiedField", values.reshape(-1))
            add(field.attributes_of(segmentation), array)

    def _write_points(
        self, complex: Any, critical: Any, field: Field, points: Any, graph: Any
    ) -> None:
        """Ports 0 and 4, which share their points."""
        if not (self.compute_critical_points or self.compute_graph):
            return
        sizes, partners = self._manifold_sizes(complex), None
        if self.compute_persistence_pairs:
            pairs = on_host(complex.pair(progress=self.steps(0.65, 0.7)))
            partners = partners_of(pairs, critical, field.value_range)
        written = vtkPolyData()
        write_critical_points(written, critical, field, sizes, partners)
        if self.compute_critical_points:
            points.ShallowCopy(written)
        if self.compute_graph:
            write_graph(graph, written, self._arcs(complex, field.dimension), critical)

    def _manifold_sizes(self, complex: Any) -> np.ndarray:
        if self.compute_ascending_segmentation and self.compute_descending_segmentation:
            return sx.to_host(complex.manifold_sizes())
        return np.full(len(complex.critical), -1)

    def _arcs(self, complex: Any, dimension: int) -> Any:
        """The arcs. Where connectors are drawn, their V-paths are counted as they are drawn."""
        counted = self.compute_saddle_connectors and dimension == 3
        method = "frontier" if counted else None
        return on_host(complex.trace_arcs(method=method, progress=self.steps(0.7, 0.8)))

    def _lines(self, complex: Any, critical: Any, dimension: int) -> list[LineFamily]:
        ascending = ASCENDING if dimension == 3 else ASCENDING_2D
        wanted = [
            (self.compute_descending_separatrices_1, "descending", DESCENDING, (0.8, 0.82), 1),
            (self.compute_ascending_separatrices_1, "ascending", ascending, (0.82, 0.84), 2),
            (self.compute_saddle_connectors, "saddle", CONNECTOR, (0.84, 0.88), 3),
        ]
        families = []
        for on, kind, code, share, least_dimension in wanted:
            if not on or dimension < least_dimension:
                continue
            if kind == "saddle" and self._are_too_many_connectors(complex, critical):
                continue
            lines = complex.separatrices(1, kind, progress=self.steps(*share))
            if self.smoothing_iterations:
                lines = sx.smooth(lines, self.smoothing_iterations)
            lines = on_host(lines)
            if kind == "saddle":
                arcs = self._arcs(complex, dimension)
                multiplicity = arcs.multiplicity[critical.index[arcs.upper] == 2]
            else:
                multiplicity = np.ones(len(lines.source), dtype=np.uint64)
            families.append(LineFamily(code, lines, multiplicity))
        return families

    def _are_too_many_connectors(self, complex: Any, critical: Any) -> bool:
        """On noise their networks of V-paths are millions of lines, which share most cells."""
        arcs = self._arcs(complex, 3)
        n_connectors = int((critical.index[arcs.upper] == 2).sum())
        if n_connectors <= MOST_CONNECTORS:
            return False
        self.warn(
            f"The {n_connectors:,} saddle connectors were not drawn, because the limit is "
            f"{MOST_CONNECTORS:,}. Raise {{persistence}}, or use the output Graph, which contains "
            "all of them."
        )
        return True

    def _surfaces(self, complex: Any, dimension: int) -> list[tuple[int, Any]]:
        wanted = [
            (
                self.compute_descending_separatrices_2,
                "descending",
                DESCENDING_SURFACE,
                (0.88, 0.92),
            ),
            (self.compute_ascending_separatrices_2, "ascending", ASCENDING_SURFACE, (0.92, 0.96)),
        ]
        return [
            (code, on_host(complex.separatrices(2, kind, progress=self.steps(*share))))
            for on, kind, code, share in wanted
            if on and dimension == 3
        ]

    def _tell(
        self, raw: Any, complex: Any, field: Field, points: Any, before: dict[str, float]
    ) -> None:
        """What simplification did, in the report and in the field data of port 0.

        before: the clocks of the stages when this run began.
        """
        level = report_of_level(raw, complex)
        skipped = level["skipped_pairs"]
        numbers = {
            "PersistenceThreshold": level["persistence"],
            "CancelledPairs": level["cancelled_pairs"],
            "SkippedPairs": sum(skipped.values()),
            **{f"SkippedPairs{name}": skipped.get(key, 0) for key, name in REASONS.items()},
        }
        told: dict[str, Any] = {}
        if self.compute_persistence_pairs:
            pairs = on_host(raw.pair(progress=self.steps(0.99, 1.0)))
            numbers["ZeroPersistencePoints"] = int(pairs.n_artifacts)
            told |= report_of_pairs(pairs, on_host(complex.pair()))
        self._report = {**report_of(complex, field.size, before), **level, **told}
        if self.compute_critical_points:
            add_numbers(points, numbers)
            self.tell_dimension(points, field)

    # === for the pipeline

    def GetThresholdRange(self) -> tuple[float, float]:
        """The thresholds that make sense: what ParaView's slider offers."""
        if self.relative:
            return 0.0, 1.0
        try:
            low, high = self.input_array(self.GetInputDataObject(0, 0)).array.GetFiniteRange()
        except (AttributeError, FilterError):  # nothing there yet
            return 0.0, 1.0
        return 0.0, high - low if high > low else 1.0
