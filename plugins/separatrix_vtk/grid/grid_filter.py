"""What the filters on image data share: reading the field, and keeping what the run did."""

from __future__ import annotations

from typing import Any

from separatrix_vtk.base.filter import Filter
from separatrix_vtk.base.report import report_of
from separatrix_vtk.grid.image import ImageField, image_field, require_image


class GridFilter(Filter):
    """Base of the filters on image data.

    The input type is any dataset, so that the sentence about what to apply first is ours; VTK's own
    would only say that the type is wrong.
    """

    INPUT_TYPE = "vtkDataSet"

    def read_field(self, dataset: Any) -> tuple[Any, ImageField]:
        """The image and its field, everything about them checked but the values themselves."""
        image = require_image(dataset)
        return image, image_field(image, self.input_array(image))

    def keep_report(self, result: Any) -> None:
        """Remember counts, device and seconds by stage of an engine result, for `report`."""
        self._report = report_of(result)
