"""The persistence diagram of a field: its features and their persistence.

Ports, arrays and codes are TTK's. (id) is vtkIdType, (i8) signed char, (i64) a 64-bit integer, (d)
double.

port 0  Persistence Diagram  one line per pair of critical points: in the plane, from (birth,
        birth) to (birth, death), followed by the diagonal; or in the domain, between both points
    point   ttkVertexScalarField (id)  point id of the critical cell's highest vertex (cell data:
                                   cell id)
            CriticalType (i8)      0 minimum, 1 and 2 saddles, 3 maximum, in 2D too
            Coordinates (d, 3)     position of the critical point in the domain
            CellId (id)            index of the critical cell, as in MorseSmaleComplex
    cell    PairIdentifier (id)    0, 1, ...; -1 the diagonal
            PairType (i8)          dimension: 0 minimum and saddle, 1 two saddles (2D: saddle and
                                   maximum), 2 saddle and maximum; -1 the diagonal
            Persistence, Birth, Death (d)
            IsFinite (i8)          0 for an essential class, which is drawn up to the maximum
    field   SuggestedThreshold (d)  in the clearest gap of the curve; 0 for none
port 1  Persistence Curves  a table with two rows per persistence that occurs, for charts of steps
            Persistence (d)        a threshold
            Number Of Pairs (...) (i64)  number of pairs with at least that persistence: of all, and
                                   of each computed dimension
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkTable, vtkUnstructuredGrid

import separatrix as sx
from separatrix.options import PersistenceDiagramOptions
from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.arrays import NONE, add, add_numbers, ids_to_vtk, to_vtk
from separatrix_vtk.base.redistribution import Held
from separatrix_vtk.base.slabs import Part
from separatrix_vtk.filters.diagrams import write_pair_lines
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.grid_filter import GridFilter, report_of_pairs
from separatrix_vtk.filters.scalar_field.image_part import pairs_on_first
from separatrix_vtk.filters.scalar_field.outputs import MAXIMUM, on_host

CURVE = "Number Of Pairs ({})"
PAIRS = {  # dimension of the image -> names of the pairs of each dimension
    0: (),
    1: ("minimum-maximum pairs", "closed lines"),
    2: ("minimum-saddle pairs", "saddle-maximum pairs", "closed surfaces"),
    3: ("minimum-saddle pairs", "saddle-saddle pairs", "saddle-maximum pairs", "closed volumes"),
}


class PersistenceDiagram(PersistenceDiagramOptions, GridFilter):
    """Persistence diagram of the sublevel sets of a scalar field on image data or on a mesh.

    >>> diagram = PersistenceDiagram(compute_dimension_1=False)
    >>> diagram.SetInputConnection(source.GetOutputPort())
    >>> diagram.Update()
    >>> diagram.GetOutput().GetCellData().GetArray("Persistence")
    """

    OUTPUTS = (
        ("Persistence Diagram", "vtkUnstructuredGrid"),
        ("Persistence Curves", "vtkTable"),
    )

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        self.check_together()
        _, field = self.read_field(inputs[0])
        # The class of a volume that is periodic along all axes belongs to the highest maximum.
        dimensions = (*self.dimensions, 3) if self.compute_dimension_2 else self.dimensions
        every = self.compute_in_one_stage(
            "persistence diagram",
            field,
            sx.persistence_diagram,
            dimensions=dimensions,
            zero_persistence=True,
        )
        pairs = every if self.show_zero_persistence else every.nonzero()
        write_diagram(outputs[0], pairs, field, self.show_inside_domain)
        write_curves(outputs[1], pairs, field.dimension, field.value_range)
        self.add_dimension(outputs[0], field)
        report = report_of_pairs(every, dimensions=dimensions)
        add_numbers(outputs[0], {"SuggestedThreshold": report["suggested_persistence"]})
        self._report = {**self._report, **report}

    def settings_to_divide(self) -> list[str]:
        """The settings that must change to run in pieces."""
        return self.field_settings_to_divide()

    def execute_part(
        self, part: Part, exchange: Exchange, outputs: list[Any]
    ) -> dict[int, list[Held]]:
        self.check_together()
        begun = time.perf_counter()
        piece, field = self.piece_of(part, exchange, 0.4)
        every = on_host(piece.persistence_pairs)
        self._report = {"device": piece.device, **field.size}
        self._report["seconds"] = {"persistence diagram": time.perf_counter() - begun}
        every = every.where(np.isin(every.dimension, [*self.dimensions, 3]))
        self.step(0.9, "outputs")
        gathered = pairs_on_first(exchange, every)
        report = report_of_pairs(gathered, dimensions=self.dimensions)
        report = exchange.gather(report)[0]
        pairs = every if self.show_zero_persistence else every.nonzero()
        field.know_vertices(piece, pairs)
        first = sum(exchange.gather(len(pairs))[: exchange.rank])
        is_first = exchange.rank == 0
        write_diagram(
            outputs[0], pairs, field, self.show_inside_domain, first, has_diagonal=is_first
        )
        if is_first:
            pairs = gathered if self.show_zero_persistence else gathered.nonzero()
            write_curves(outputs[1], pairs, field.dimension, field.value_range)
        add_numbers(outputs[0], {"SuggestedThreshold": report["suggested_persistence"]})
        self._report = {**self._report, **report}
        return {}


def write_diagram(
    output: vtkUnstructuredGrid,
    pairs: Any,
    field: Field,
    inside_domain: bool,
    first: int = 0,
    has_diagonal: bool = True,
) -> None:
    """One line per pair; in the plane of births (x) and deaths (y), also the diagonal.

    first: the PairIdentifier of the first pair; has_diagonal: whether this output has it
    """
    has_diagonal &= not inside_domain
    low, high = field.extreme_values
    value_range = field.value_range
    bottom, top = field.cells_of_points(field.extreme_points)

    finite = pairs.death_cell != NONE
    cells = np.stack([pairs.birth_cell, np.where(finite, pairs.death_cell, top)], axis=1)
    index = np.stack([pairs.dimension, pairs.dimension + 1], axis=1).astype(np.int8)
    cell_dimension = np.where(finite[:, None] | [True, False], index, np.int8(0))
    index[(index == field.dimension) | (~finite[:, None] & [False, True])] = MAXIMUM
    if has_diagonal:  # it comes last, from the lowest value to the highest
        cells = np.concatenate([cells, [[bottom, top]]])
        index = np.concatenate([index, np.array([[0, MAXIMUM]], dtype=np.int8)])
        cell_dimension = np.concatenate([cell_dimension, np.zeros((1, 2), dtype=np.int8)])
    named = (cells.reshape(-1), cell_dimension.reshape(-1))
    positions = field.positions_of(*named)
    if inside_domain:
        positions[1::2] = field.nearest_copies(positions[1::2], positions[::2])
    write_pair_lines(
        output,
        pairs.dimension,
        pairs.birth,
        np.where(finite, pairs.death, high),
        finite,
        persistence=np.where(finite, pairs.persistence, value_range),
        number=np.arange(first, first + len(pairs)),
        diagonal=(low, high, value_range) if has_diagonal else None,
        points=positions if inside_domain else None,
    )
    add(
        output.GetPointData(),
        ids_to_vtk(field.highest_points(*named), "ttkVertexScalarField"),
        to_vtk(index.reshape(-1), "CriticalType"),
        to_vtk(positions, "Coordinates"),
        ids_to_vtk(cells.reshape(-1), "CellId"),
    )


def write_curves(output: vtkTable, pairs: Any, image_dimension: int, value_range: float) -> None:
    """Number of pairs of at least a persistence that occurs; two rows per step, for charts.

    The persistence of an essential class is the range of the values.
    """
    persistence = np.where(pairs.death_cell != NONE, pairs.persistence, value_range)
    levels = np.unique(persistence)
    columns = {"Persistence": levels, CURVE.format("all pairs"): left_at(levels, persistence)}
    for dimension, name in enumerate(PAIRS[image_dimension]):
        of_dimension = persistence[pairs.dimension == dimension]
        if of_dimension.size:
            columns[CURVE.format(name)] = left_at(levels, of_dimension)
    for name, column in columns.items():
        steps = np.repeat(column, 2)
        output.AddColumn(to_vtk(steps[:-1] if name == "Persistence" else steps[1:], name))


def left_at(levels: np.ndarray, persistence: np.ndarray) -> np.ndarray:
    """Number of pairs at or above each level: (m,) int64."""
    below = np.searchsorted(np.sort(persistence), levels, side="left")
    return (len(persistence) - below).astype(np.int64)
