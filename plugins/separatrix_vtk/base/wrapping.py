"""What a PyVista user gets: outputs as PyVista's datasets, errors that name PyVista's functions.

PyVista is never imported for it: where the input is one of its datasets, it is there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet, vtkMultiBlockDataSet

# What messages name of VTK, and what does the same in PyVista.
WORDS = {
    "in VTK vtkArrayCalculator": "in PyVista NumPy on mesh[name]",
    "in VTK vtkCellDataToPointData": "in PyVista mesh.cell_data_to_point_data()",
    "in VTK vtkDataSetTriangleFilter": "in PyVista mesh.triangulate()",
    "in VTK vtkResampleToImage": "in PyVista pyvista.ImageData(...).sample(mesh)",
    "in VTK vtkImageDataToPointSet": "in PyVista mesh.cast_to_pointset()",
    "in VTK vtkThreshold": "in PyVista mesh.threshold(...)",
    "in VTK vtkTableToPolyData": "in PyVista pyvista.PointSet(...)",
}


def is_pyvistas(dataset: Any) -> bool:
    """Whether a dataset is of a class of PyVista."""
    pyvista = sys.modules.get("pyvista")
    return pyvista is not None and isinstance(dataset, pyvista.DataObject)


def in_pyvistas_words(text: str) -> str:
    """A message with PyVista's functions in the place of VTK's classes."""
    for vtks, pyvistas in WORDS.items():
        text = text.replace(vtks, pyvistas)
    return text


def wrapper_for(dataset: Any) -> Callable[[Any], Any]:
    """What makes PyVista datasets of outputs, if the input was one."""
    if not is_pyvistas(dataset):
        return lambda output: output
    pyvista = sys.modules["pyvista"]

    def wrap(output: Any) -> Any:
        if not isinstance(output, vtkMultiBlockDataSet):
            return pyvista.wrap(output)
        blocks = pyvista.MultiBlock()  # by hand: PyVista 0.49 fails to wrap blocks that are tables
        for i in range(output.GetNumberOfBlocks()):
            information = output.GetMetaData(i) if output.HasMetaData(i) else None
            name = information and information.Get(vtkCompositeDataSet.NAME())
            blocks.append(wrap(output.GetBlock(i)), name)
        return blocks

    return wrap
