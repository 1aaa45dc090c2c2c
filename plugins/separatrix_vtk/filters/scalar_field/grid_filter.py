"""What the filters on fields share: reading the field, and keeping what the run did."""

from __future__ import annotations

from typing import Any, ClassVar

from separatrix.options.shared import MeshOptions
from separatrix_vtk.base.arrays import add_numbers
from separatrix_vtk.base.computing import ComputingFilter
from separatrix_vtk.base.input_array import InputArray
from separatrix_vtk.base.report import report_of
from separatrix_vtk.filters.mesh.cells import can_be_cut, is_mesh, mesh_cells, require_cells
from separatrix_vtk.filters.mesh.field import MeshField
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.image import image_field, require_image


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
                f"the scalar field is called '{found.name}' as an array of the outputs is, which "
                "therefore have that array and not the field's values: give the field another name "
                "first with the Calculator filter (in VTK vtkArrayCalculator)"
            )
        return found

    def tell_dimension(self, output: Any, field: Field) -> None:
        """Of a mesh: how many dimensions its cells have, in the field data of an output."""
        if isinstance(field, MeshField):
            add_numbers(output, {"MeshDimension": field.dimension})

    def keep_report(self, result: Any, field: Field) -> None:
        """Remember counts, device and seconds by stage of an engine result, for `report`."""
        self._report = report_of(result, field.size)
