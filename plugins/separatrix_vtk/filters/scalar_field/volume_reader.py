"""Reader of images and grids in formats that ParaView does not read, or reads without their place.

port 0  Volume
    vtkImageData, or vtkRectilinearGrid if the coordinates of the file have uneven steps
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from vtkmodules.vtkCommonDataModel import vtkDataObject

from separatrix.errors import SeparatrixError
from separatrix.options import VolumeReaderOptions
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.base.filter import Reader
from separatrix_vtk.base.pieces import WHOLE_EXTENT
from separatrix_vtk.io.errors import FileWarning
from separatrix_vtk.io.volumes import read_volume

IN_ZARR = ("zarr.json", ".zattrs", ".zgroup", ".zarray")  # a file dialog opens no folders


class VolumeReader(VolumeReaderOptions, Reader):
    """Read an image or a grid, such as a NIfTI, NetCDF, HDF5, zarr, or NumPy file.

    `separatrix_vtk.io.read` describes the formats. The first array is the active one.

    Examples
    --------
    >>> volume = VolumeReader(file_name="sample_data/two_centers.vti")
    >>> volume.Update()
    >>> volume.GetOutput().GetDimensions()
    (54, 54, 24)
    """

    OUTPUTS = (("Volume", "vtkImageData"),)

    def made_type(self, port: int, source: Any) -> str:
        """Return the type of the dataset; errors are reported when the file is used."""
        with suppress(SeparatrixError, MemoryError):
            return str(self.content(self.array)[0].GetClassName())
        return "vtkImageData"

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        dataset, messages = self.content(self.array)
        for message in messages:
            self.warn(message)
        outputs[0].ShallowCopy(dataset)
        data = outputs[0].GetPointData()
        if data.HasArray(self.array):
            data.SetActiveScalars(self.array)
        elif data.GetScalars() is None and data.GetNumberOfArrays():
            data.SetActiveScalars(data.GetArrayName(0))
        self._report = {"n_points": dataset.GetNumberOfPoints()}

    def read(self, path: Path) -> tuple[Any, list[str]]:
        if path.name in IN_ZARR:
            path = path.parent
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FileWarning)
            dataset = read_volume(path, array=self.array or None)
        return dataset, [str(one.message) for one in caught if one.category is FileWarning]

    def RequestInformation(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Announce the grid. Errors of the file are reported when it is processed."""
        info = outputs.GetInformationObject(0)
        info.Remove(WHOLE_EXTENT())
        with suppress(SeparatrixError, MemoryError):
            dataset = self.content(self.array)[0]
            if hasattr(dataset, "GetExtent"):
                info.Set(WHOLE_EXTENT(), dataset.GetExtent(), 6)
            if dataset.IsA("vtkImageData"):
                info.Set(vtkDataObject.ORIGIN(), dataset.GetOrigin(), 3)
                info.Set(vtkDataObject.SPACING(), dataset.GetSpacing(), 3)
                info.Set(vtkDataObject.DIRECTION(), direction_of(dataset).reshape(-1).tolist(), 9)
        return 1
