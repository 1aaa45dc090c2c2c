"""The base of the filters on fields: reading the field, and reporting the run."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

import separatrix as sx
from separatrix.errors import Words
from separatrix.options.shared import ImageExecutionOptions, ScalarFieldOptions
from separatrix.pieces.exchange import Exchange
from separatrix.pieces.lines import values_of_cells
from separatrix_vtk.base.arrays import add_numbers, from_vtk
from separatrix_vtk.base.computing import ComputingFilter, device_of, seconds_of
from separatrix_vtk.base.datasets import leaves_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.input_array import POINTS, InputArray, find_input_array
from separatrix_vtk.base.pipeline import AS_INPUT
from separatrix_vtk.base.slabs import Part
from separatrix_vtk.filters.mesh.cells import (
    can_be_cut,
    is_mesh,
    kind_of_cell_type,
    mesh_cells,
)
from separatrix_vtk.filters.mesh.field import MeshField
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.grids import GRIDS, as_image
from separatrix_vtk.filters.scalar_field.image import image_field, require_image
from separatrix_vtk.filters.scalar_field.image_part import PartField
from separatrix_vtk.filters.scalar_field.outputs import on_host
from separatrix_vtk.filters.scalar_field.result_text import lines_of_report

NOTHING: Mapping[str, float] = MappingProxyType({})
DIMENSIONS = (0, 1, 2)  # of pairs
LEAST_SHARE = 0.01  # of the range, of an automatic threshold
MOST_PAIRS = (100, 100, 100, 25)  # in a first picture, by dimension: lines of volumes hide others


class GridFilter(ScalarFieldOptions, ImageExecutionOptions, ComputingFilter):
    """Base of the filters on a scalar field, on image data or on a mesh.

    The input type is any dataset, because VTK's error about a wrong type names no remedy.
    """

    INPUT_TYPE: ClassVar[str | tuple[str, ...]] = "vtkDataSet"
    MADE_ARRAYS: ClassVar[tuple[str, ...]] = ()  # that the outputs contain besides the field

    def made_type(self, port: int, source: Any) -> str:
        is_like_input = self.OUTPUTS[port][1] == AS_INPUT
        is_grid = is_like_input and isinstance(source, GRIDS) and not self.tetrahedralize
        return "vtkImageData" if is_grid else super().made_type(port, source)

    def read_field(self, dataset: Any) -> tuple[Any, Field]:
        """The image or mesh and its field, which is validated except for its values."""
        is_cut = dataset is not None and self.tetrahedralize and can_be_cut(dataset)
        if not is_mesh(dataset) and not is_cut:
            image = require_image(as_image(dataset, self.resample))
            on_image = image_field(image, self.field_array(image), self.periodic, self.nan)
            for text in on_image.warnings:
                self.warn(text)
            on_image.order_by(self.order, self.ranks_of(on_image, image))
            return image, on_image
        if self.periodic != "none":
            raise FilterError("A mesh cannot be periodic. Set {periodic='none'}.")
        cells = mesh_cells(dataset, self.tetrahedralize, self._nan_to_omit(dataset))
        for text in cells.warnings:
            self.warn(text)
        self.input_array(dataset)  # an error names no array that cutting adds
        field = MeshField(cells, self.field_array(cells.dataset), self.on_duplicates)
        field.order_by(self.order, self.ranks_of(field, cells.dataset))
        return cells.dataset, field

    def _nan_to_omit(self, mesh: Any) -> np.ndarray | None:
        """Mask (p,) of the points of a mesh to omit with their cells; None if there are none."""
        if self.nan == "error":
            return None
        source = self.input_array(mesh)
        values = from_vtk(source.array)
        is_nan = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
        return is_nan if source.association == POINTS and is_nan.any() else None

    def engine_options(self, begin: float = 0.0, end: float = 1.0) -> dict[str, Any]:
        devices = "all" if self.devices == ("all",) else self.devices or None
        large = {"scratch": self.scratch or None, "devices": devices}
        return {**super().engine_options(begin, end), **large}

    def field_settings_to_divide(self) -> list[str]:
        """The settings of the field that must change to run in pieces."""
        return ["{order='index'}"] if self.order == "plateau" else []

    def can_divide(self, image: Any) -> bool:
        """Whether the field is one of points."""
        return self.input_array(image).association == POINTS

    def piece_of(self, part: Part, exchange: Exchange, end: float) -> tuple[Any, PartField]:
        """The complex and the field of one process's part; progress ends at `end`."""
        array = self.field_array(part.image)
        field = PartField(part, array, exchange, self.periodic, self.nan)
        for text in field.warnings:
            self.warn(text)
        field.order_by(self.order, self.ranks_of(field, part.image))
        options = super().engine_options(0.0, end)
        piece = field.compute(sx.morse_smale_piece, **options)
        field.find_values = partial(values_of_cells, piece._gradient)
        field.find_ends()
        return piece, field

    def field_array(self, dataset: Any) -> InputArray:
        """The array of the field, with a warning if an output array has its name."""
        found = self.input_array(dataset)
        if found.name in self.MADE_ARRAYS:
            self.warn(
                f"The outputs do not contain the values of the scalar field '{found.name}', "
                "because an array that is computed has this name. Rename the field with the "
                "Calculator filter (in VTK vtkArrayCalculator)."
            )
        return found

    def ranks_of(self, field: Field, dataset: Any) -> InputArray | None:
        """The array that orders equal values, if there is one."""
        if self.order != "array":
            return None
        name = self.order_array or f"{field.source.name}_Order"
        ranks = find_input_array(dataset, name, field.source.association)
        n = ranks.array.GetNumberOfTuples()
        if n != field.values.size:
            raise FilterError(
                "order_array", f"an array of {field.values.size} ranks", Words(f"{n} in '{name}'")
            )
        return ranks

    def add_dimension(self, output: Any, field: Field) -> None:
        """Add the dimension of a mesh to the field data of an output."""
        if isinstance(field, MeshField):
            add_numbers(output, {"MeshDimension": field.dimension})

    def GetIsVolume(self) -> int:
        """Return 0 for an image or mesh of fewer than three dimensions, otherwise 1."""
        first = next(iter(leaves_of(self.GetInputDataObject(0, 0))), None)
        if first is None or not first.GetNumberOfPoints():  # unknown until the input has run
            return 1
        if first.IsA("vtkUnstructuredGrid"):
            types = from_vtk(first.GetDistinctCellTypesArray())
            return int(any(kind_of_cell_type(kind)[0] == 3 for kind in types.tolist()))
        if hasattr(first, "GetDimensions"):
            return int(min(first.GetDimensions()) > 1)
        return int(not first.IsA("vtkPolyData"))

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        return lines_of_report(report)

    def GetSuggestedThreshold(self) -> float:
        """The threshold that the pairs of the last run suggest, for the panel; 0 for none."""
        return float(self._report.get("suggested_persistence", 0.0))

    def compute_in_one_stage(
        self, stage: str, field: Field, function: Callable[..., Any], **options: Any
    ) -> Any:
        """The result in host memory of the only stage of a run, which begins its report."""
        options |= self.engine_options(0.0, 0.95)
        begun = time.perf_counter()
        result = on_host(field.compute(function, **options))
        seconds = {stage: time.perf_counter() - begun}
        self._report = {"device": device_of(options), **field.size, "seconds": seconds}
        return result

    def keep_report(
        self,
        result: Any,
        field: Field,
        before: Mapping[str, float] = NOTHING,
        counts: Sequence[int] | None = None,
        **more: Any,
    ) -> None:
        """Set the report of an engine result: device, counts, and seconds by stage.

        counts: of critical cells by index; by default, those of the result
        """
        found = tuple(int(n) for n in (result.critical.counts if counts is None else counts))
        self._report = {
            "device": result.device,
            **field.size,
            "critical_cells": found,
            "euler_characteristic": sum(found[::2]) - sum(found[1::2]),
            "seconds": seconds_of(result, before),
            **more,
        }

    def take_report(self, report: Mapping[str, Any]) -> None:
        """Set the report of a run that another process has described."""
        self._report = report


class LevelFilter(GridFilter):
    """Base of the filters with a threshold, which may be a fraction of the range."""

    persistence: Any
    relative: Any

    def level(self, field: Field) -> tuple[float, bool]:
        """The threshold, and whether it is a fraction of the range.

        A fraction above 1 is used as an absolute threshold, with a warning, because users of a
        panel change the mode before the number. Functions reject it before the run.
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

    def GetThresholdRange(self) -> tuple[float, float]:
        """The range of meaningful thresholds, for the slider in ParaView."""
        low, high = 0.0, 1.0
        if not self.relative:
            with suppress(AttributeError, FilterError):  # if the input is missing or invalid
                low, high = self.input_array(self.GetInputDataObject(0, 0)).array.GetFiniteRange()
        return 0.0, high - low if high > low else 1.0


def automatic_threshold(pairs: Any, field: Field) -> float:
    """LEAST_SHARE of the range, or a higher threshold if it leaves more than MOST_PAIRS.

    That is the one that the pairs suggest, otherwise the lowest that leaves at most MOST_PAIRS.
    """
    least, most = LEAST_SHARE * field.value_range, MOST_PAIRS[field.dimension]
    levels, counts = pairs.curve()
    is_few = counts <= most
    if len(pairs.above(least)) <= most or not is_few.any():
        return least
    return max(least, pairs.suggested_threshold() or float(levels[is_few][0]))


def report_of_pairs(
    raw: Any, left: Any = None, dimensions: Collection[int] = DIMENSIONS
) -> dict[str, Any]:
    """Numbers of pairs of different values by dimension, and of points in the other pairs.

    raw, left: the pairs before and after simplification, of which the latter are counted; the
    number of a dimension that was not computed is None.
    """
    counted = (raw if left is None else left).nonzero()
    highest = int(raw.dimension.max(initial=0))
    return {
        "pairs": [
            len(counted.of_dimension(d)) if d in dimensions else None for d in range(highest + 1)
        ],
        "zero_persistence_points": int(raw.n_artifacts),
        "suggested_persistence": raw.suggested_threshold(),
    }
