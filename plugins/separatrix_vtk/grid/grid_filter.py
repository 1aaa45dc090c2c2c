"""What the filters on fields share: reading the field, and keeping what the run did."""

from __future__ import annotations

from typing import Any

from separatrix_vtk.base.arrays import add_numbers
from separatrix_vtk.base.report import report_of
from separatrix_vtk.grid.field import Field
from separatrix_vtk.grid.image import image_field, require_image
from separatrix_vtk.mesh.cells import is_mesh, mesh_cells, require_cells
from separatrix_vtk.mesh.field import MeshField
from separatrix_vtk.mesh.mesh_settings import MeshSettings


class GridFilter(MeshSettings):
    """Base of the filters on a scalar field, on image data or on a mesh.

    The input type is any dataset, so that the sentence about what to apply first is ours; VTK's own
    would only say that the type is wrong.
    """

    INPUT_TYPE = "vtkDataSet"

    def read_field(self, dataset: Any) -> tuple[Any, Field]:
        """The image or mesh and its field, all about them checked but the values themselves."""
        if not is_mesh(dataset) and (dataset is None or not self.tetrahedralize_points(dataset)):
            image = require_image(dataset)
            return image, image_field(image, self.input_array(image))
        require_cells(dataset, self.tetrahedralize)
        cells = mesh_cells(dataset, self.tetrahedralize)
        for text in cells.warnings:
            self.warn(text)
        field = MeshField(cells, self.input_array(cells.dataset), self.on_duplicates)
        return cells.dataset, field

    def tell_dimension(self, output: Any, field: Field) -> None:
        """Of a mesh: how many dimensions its cells have, in the field data of an output."""
        if isinstance(field, MeshField):
            add_numbers(output, {"MeshDimension": field.dimension})

    def keep_report(self, result: Any, field: Field) -> None:
        """Remember counts, device and seconds by stage of an engine result, for `report`."""
        self._report = report_of(result, field.size)
