"""What the filters on fields share: reading the field, and keeping what the run did."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from separatrix.options.shared import MeshOptions
from separatrix_vtk.base.arrays import add_numbers
from separatrix_vtk.base.computing import ComputingFilter
from separatrix_vtk.base.input_array import InputArray
from separatrix_vtk.filters.mesh.cells import can_be_cut, is_mesh, mesh_cells, require_cells
from separatrix_vtk.filters.mesh.field import MeshField
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.image import image_field, require_image

Report = dict[str, Any]
NOTHING: Mapping[str, float] = MappingProxyType({})
DIMENSIONS = (0, 1, 2)  # of pairs


class GridFilter(MeshOptions, ComputingFilter):
    """Base of the filters on a scalar field, on image data or on a mesh.

    The input type is any dataset, so that the sentence about what to apply first is ours; VTK's own
    would only say that the type is wrong.
    """

    INPUT_TYPE = "vtkDataSet"
    MADE_ARRAYS: ClassVar[tuple[str, ...]] = ()  # beside which the field stands in the outputs

    def read_field(self, dataset: Any) -> tuple[Any, Field]:
        """The image or mesh and its field, all about them checked but the values themselves."""
        is_cut = dataset is not None and self.tetrahedralize and can_be_cut(dataset)
        if not is_mesh(dataset) and not is_cut:
            image = require_image(dataset)
            return image, image_field(image, self.field_array(image))
        require_cells(dataset, self.tetrahedralize)
        cells = mesh_cells(dataset, self.tetrahedralize)
        for text in cells.warnings:
            self.warn(text)
        field = MeshField(cells, self.field_array(cells.dataset), self.on_duplicates)
        return cells.dataset, field

    def field_array(self, dataset: Any) -> InputArray:
        """The array of the field, with a warning where its name is that of one that is made."""
        found = self.input_array(dataset)
        if found.name in self.MADE_ARRAYS:
            self.warn(
                f"The outputs do not contain the values of the scalar field '{found.name}', "
                "because an array that is computed has this name. Rename the field with the "
                "Calculator filter (in VTK vtkArrayCalculator)."
            )
        return found

    def tell_dimension(self, output: Any, field: Field) -> None:
        """Of a mesh: how many dimensions its cells have, in the field data of an output."""
        if isinstance(field, MeshField):
            add_numbers(output, {"MeshDimension": field.dimension})

    def keep_report(self, result: Any, field: Field) -> None:
        """Remember counts, device and seconds by stage of an engine result, for `report`."""
        self._report = report_of(result, field.size)


def report_of(
    result: Any, size: Mapping[str, Any], before: Mapping[str, float] = NOTHING
) -> Report:
    """Counts, device and seconds by stage of an engine's gradient or complex.

    size: of the image or mesh, under the names that it is told by; before: the clocks of the stages
    when the run began; a clock that has not changed since is left out, as the stage did not run
    again.
    """
    return {
        "device": result.device,
        **size,
        "critical_cells": tuple(int(n) for n in result.critical.counts),
        "euler_characteristic": int(result.critical.euler_characteristic),
        "seconds": {
            stage: float(seconds)
            for stage, seconds in result.timings.items()
            if before.get(stage) != seconds
        },
    }


def report_of_level(raw: Any, complex: Any) -> Report:
    """What the simplification of a raw complex did: its level, pairs canceled and pairs skipped.

    skipped_pairs: the pairs of saddles that are below the level and stay, by reason.
    """
    skipped = complex.skipped.counts if complex is not raw else {}
    return {
        "persistence": float(complex.persistence),
        "cancelled_pairs": (len(raw.critical) - len(complex.critical)) // 2,
        "skipped_pairs": {reason: int(count) for reason, count in skipped.items()},
    }


def report_of_pairs(raw: Any, left: Any = None, dimensions: Collection[int] = DIMENSIONS) -> Report:
    """Pairs by dimension, those of equal values left out, and how many critical cells these are.

    raw, left: the pairs before and after simplification. Those left are counted; None for a
    dimension that was not asked for. Equal values are told of the raw ones.
    """
    told = (raw if left is None else left).nonzero()
    highest = int(raw.dimension.max(initial=0))
    return {
        "pairs": [
            len(told.of_dimension(d)) if d in dimensions else None for d in range(highest + 1)
        ],
        "zero_persistence_points": int(raw.n_artifacts),
    }
