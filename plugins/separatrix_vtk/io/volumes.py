"""Images, volumes and meshes from files; see the table of `separatrix_vtk.io`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.io.errors import FileError, FileWarning, reader, require_file
from separatrix_vtk.io.formats import FOLDER, OF_FIELDS, OF_MESHES, READERS, suffix_of, unsupported
from separatrix_vtk.io.labeled_images import as_vtk_values, image_of
from separatrix_vtk.io.mrc import read_mrc
from separatrix_vtk.io.netcdf import read_netcdf
from separatrix_vtk.io.nrrd import read_nrrd
from separatrix_vtk.io.stored_arrays import read_hdf5, read_zarr
from separatrix_vtk.io.streams import takes_streams
from separatrix_vtk.io.tables import load_npy
from separatrix_vtk.io.vtk_files import read_mesh, read_with_vtk
from separatrix_vtk.io.vtk_images import (
    read_dicom,
    read_folder,
    read_nifti,
    read_tiff,
)

NAMED = dict.fromkeys((".nc", ".cdf"), read_netcdf)
STORED = {**dict.fromkeys((".h5", ".hdf5", ".he5"), read_hdf5), ".zarr": read_zarr}
ARRAYS: dict[str, Callable[[Path], tuple[Any, ...]]] = {
    **dict.fromkeys((".nrrd", ".nhdr"), read_nrrd),
    **dict.fromkeys((".mrc", ".map", ".ccp4", ".rec", ".st"), read_mrc),
}
PLACELESS: dict[str, Callable[[Path], Any]] = {  # VTK's readers ignore the origin
    **dict.fromkeys((".nii", ".nii.gz"), read_nifti),
    **dict.fromkeys((".tif", ".tiff"), read_tiff),
    ".dcm": lambda path: read_dicom([path]),
    FOLDER: read_folder,
}
PLACED = (".npy", ".raw", ".png", ".tif", ".tiff", FOLDER)  # by the options spacing and origin
# fuel_64x64x64_uint8.raw, the file names of the Open SciVis collection
SIZE_IN_NAME = re.compile(r"_(\d+)x(\d+)x(\d+)_(u?int(?:8|16|32|64)|float(?:32|64))$")


@takes_streams
@reader
def read_volume(
    path: Path,
    *,
    array: str | None = None,
    dimensions: tuple[int, ...] | None = None,
    dtype: str | None = None,
    byte_order: str = "little",
    spacing: tuple[float, ...] | None = None,
    origin: tuple[float, ...] | None = None,
    scratch: str | None = None,
) -> Any:
    """The image or mesh in a file; spacing and origin may be two numbers for a flat image.

    scratch: a folder for files that are larger than memory: .npy and .raw files are mapped into
    memory, and arrays of HDF5 and zarr are copied to a file there
    """
    suffix = suffix_of(path)
    if suffix not in OF_FIELDS:
        raise unsupported(path, f"one of {', '.join(OF_FIELDS)}")
    if suffix not in (FOLDER, ".zarr") or not path.exists():
        require_file(path)
    if suffix != ".raw" and (dimensions or dtype):
        raise FileError("{dimensions} and {dtype} are for .raw files only.")
    if suffix not in PLACED and (spacing or origin):
        raise FileError(
            f"{suffix} files contain spacing and origin. Omit {{spacing}} and {{origin}}, for "
            f"{', '.join(PLACED)} only."
        )
    if suffix in OF_MESHES:
        return read_mesh(path, array)
    if suffix in STORED:
        return STORED[suffix](path, array, scratch)
    if suffix in NAMED:
        return NAMED[suffix](path, array)
    if array and suffix not in READERS:
        raise FileError(f"{suffix} files contain one array without a name. Omit {{array}}.")
    if suffix in PLACELESS:
        image = PLACELESS[suffix](path)
    elif suffix in READERS:
        image = read_with_vtk(path, "image")
    elif suffix == ".raw":
        values = _read_raw(path, dimensions, dtype, byte_order, scratch is not None)
        image = image_of(_as_volume(path, values))
    else:
        is_npy = suffix == ".npy"
        values, *place = (load_npy(path, scratch is not None),) if is_npy else ARRAYS[suffix](path)
        image = image_of(_as_volume(path, values), "Scalars", *place)
    for name, given in (("spacing", spacing), ("origin", origin)):
        if given and len(given) < 3 and image.GetDimensions()[2] > 1:
            expected = "three numbers for a volume"
            raise FileError(parameter=name, expected=expected, got=given)
    if spacing:
        image.SetSpacing((*spacing, 1.0)[:3])
    if origin:
        image.SetOrigin((*origin, 0.0)[:3])
    return image


def _read_raw(
    path: Path,
    dimensions: tuple[int, ...] | None,
    name: str | None,
    byte_order: str,
    mapped: bool,
) -> np.ndarray:
    if in_name := SIZE_IN_NAME.search(path.stem):
        dimensions = dimensions or (int(in_name[1]), int(in_name[2]), int(in_name[3]))
        name = name or in_name[4]
    if dimensions is None or name is None:
        missing = "{dimensions}" if dimensions is None else "{dtype}, such as float32"
        raise FileError(f".raw files do not store their layout. Specify {missing}.")
    try:
        dtype = np.dtype(name).newbyteorder("<" if byte_order == "little" else ">")
        if dtype.kind not in "iuf":
            raise ValueError
    except Exception:  # NumPy parses such texts, which raises many errors
        known = "an integer or floating-point type, such as float32 or uint8"
        raise sx.InputError("dtype", known, name) from None
    nx, ny, nz = dimensions
    expected, found = nx * ny * nz * dtype.itemsize, path.stat().st_size
    if expected != found:
        raise FileError(
            f"file size is {found} bytes; expected {expected} for {nx} x {ny} x {nz} {dtype.name} "
            "values. Check {dimensions} and {dtype}."
        )
    if mapped:
        values: np.ndarray = np.memmap(path, dtype, "c", shape=(nz, ny, nx))
    else:
        values = np.fromfile(path, dtype=dtype).reshape(nz, ny, nx)
    return values.astype(dtype.newbyteorder("="), copy=False)


def _as_volume(path: Path, values: np.ndarray) -> np.ndarray:
    """(nz, ny, nx) in C order and native byte order, from one, two or three axes."""
    if not 1 <= values.ndim <= 3:
        raise FileError(
            f"contains shape {values.shape}; expected (nz, ny, nx), (ny, nx), or (nx,)."
        )
    values = as_vtk_values(values)
    if values.ndim < 3 and values.dtype.kind == "f":
        _check_finite(values)
    is_whole = values.dtype.kind in "iu" and values.ndim == 3
    if is_whole and values.shape[2] in (3, 4) and min(values.shape[:2]) > 8:
        warnings.warn(
            f"{path}: integers of shape {values.shape} look like an image with {values.shape[2]} "
            "colors per pixel, but are read as a volume. If it is an image, write one channel to "
            "a file, values[..., 0].",
            FileWarning,
            stacklevel=5,
        )
    return values.reshape((1,) * (3 - values.ndim) + values.shape)


def _check_finite(values: np.ndarray) -> None:
    """Report a pixel by its indices in the file; the engine would name three. It may mask NaN."""
    lost = np.argwhere(np.isinf(values))
    if len(lost):
        index = ", ".join(map(str, lost[0]))
        raise FileError(
            parameter="values",
            expected="finite",
            got=values[tuple(lost[0])],
            remedy="Replace them, or write NaN and set {nan='mask'}.",
            where=f"[{index}]",
            count=len(lost),
        )
