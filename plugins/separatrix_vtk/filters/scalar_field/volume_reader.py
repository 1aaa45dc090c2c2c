"""Reader of images and grids in formats that ParaView does not read, or reads without position.

port 0  Volume
    vtkImageData, or vtkRectilinearGrid if the coordinates of the file have uneven steps

ParaView (5.11 to 6.1) draws outlines and slices of images without their direction. Axes are
therefore exchanged and reversed, so that they point along x, y, and z up to a small rotation.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkImageData

from separatrix.errors import SeparatrixError
from separatrix.options import VolumeReaderOptions
from separatrix_vtk.base.arrays import arrays_in, from_vtk, to_vtk
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.base.filter import Reader
from separatrix_vtk.base.pieces import WHOLE_EXTENT
from separatrix_vtk.io.errors import FileWarning
from separatrix_vtk.io.formats import suffix_of
from separatrix_vtk.io.volumes import read_volume
from separatrix_vtk.io.vtk_images import DICOM

STRAIGHT = 1e-6  # of the direction of an axis
ROTATED = (
    "the image is rotated. ParaView draws its outline and slices without the rotation; the outputs "
    "of filters have the correct positions."
)
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
        if path.name in IN_ZARR or suffix_of(path) == DICOM:
            path = path.parent
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FileWarning)
            dataset = read_volume(path, array=self.array or None)
        messages = [str(one.message) for one in caught if one.category is FileWarning]
        if dataset.IsA("vtkImageData"):
            dataset = upright(dataset)
            if abs(direction_of(dataset) - np.eye(3)).max() > STRAIGHT:
                messages.append(f"{path}: {ROTATED}")
        return dataset, messages

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


def upright(image: vtkImageData) -> vtkImageData:
    """The image with axes exchanged and reversed: each is the closest one to x, y, or z."""
    direction, size = direction_of(image), np.array(image.GetDimensions())
    order = max(permutations(range(3)), key=lambda axes: abs(direction[range(3), axes]).sum())
    signs = np.where(direction[range(3), order] < 0, -1, 1)
    if order == (0, 1, 2) and (signs > 0).all():
        return image
    direction, spacing = direction[:, order], np.array(image.GetSpacing())[list(order)]
    lengths = spacing * (size[list(order)] - 1)
    made = vtkImageData()
    made.SetDimensions(size[list(order)].tolist())
    made.SetSpacing(spacing)
    made.SetOrigin(image.GetOrigin() + direction @ (lengths * (signs < 0)))
    made.SetDirectionMatrix(*(direction * signs).reshape(-1))
    turned = tuple(slice(None, None, int(sign)) for sign in signs[::-1])
    axes = tuple(2 - axis for axis in order[::-1])
    for array in arrays_in(image.GetPointData()):
        flat = from_vtk(array)
        values = flat.reshape(*size[::-1], *flat.shape[1:])
        values = values.transpose(*axes, *range(3, values.ndim))[turned]
        made.GetPointData().AddArray(to_vtk(values.reshape(flat.shape), array.GetName()))
    return made
