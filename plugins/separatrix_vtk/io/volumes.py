"""Images, volumes and meshes from files; see the table of `separatrix_vtk.io`."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData

import separatrix as sx
from separatrix_vtk.base.arrays import to_vtk
from separatrix_vtk.io.nrrd import read_nrrd
from separatrix_vtk.io.problems import FileProblem, FileWarning, reader, require_file, unsupported
from separatrix_vtk.io.tables import load_npy
from separatrix_vtk.io.vtk_files import IMAGES, MESHES, read_mesh, read_with_vtk

SUFFIXES = (*IMAGES, ".nrrd", ".nhdr", ".npy", ".raw", *MESHES)
# fuel_64x64x64_uint8.raw, the file names of the Open SciVis collection
SIZE_IN_NAME = re.compile(r"_(\d+)x(\d+)x(\d+)_(u?int(?:8|16|32|64)|float(?:32|64))$")


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
) -> Any:
    """The image or mesh in a file; spacing and origin may be two numbers for a flat image."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise unsupported(path, SUFFIXES)
    require_file(path)
    if suffix != ".raw" and (dimensions or dtype):
        raise FileProblem("{dimensions} and {dtype} are for .raw files only.")
    if suffix not in (".npy", ".raw") and (spacing or origin):
        raise FileProblem("{spacing} and {origin} are for .raw and .npy files only.")
    if suffix in IMAGES:
        return read_with_vtk(path, "image")
    if suffix in MESHES:
        return read_mesh(path, array)
    if array:
        raise FileProblem(f"{suffix} files contain one array without a name. Omit {{array}}.")
    if suffix in (".nrrd", ".nhdr"):
        values, spacing, origin, direction = read_nrrd(path)
        return image_of(_as_volume(path, values), "Scalars", spacing, origin, direction)
    values = _as_volume(
        path, _read_raw(path, dimensions, dtype, byte_order) if suffix == ".raw" else load_npy(path)
    )
    for name, given in (("spacing", spacing), ("origin", origin)):
        if given and len(given) < 3 and len(values) > 1:
            expected = "three numbers for a volume"
            raise FileProblem(parameter=name, expected=expected, got=given)
    spacing, origin = (*(spacing or ()), 1.0, 1.0, 1.0)[:3], (*(origin or ()), 0.0, 0.0, 0.0)[:3]
    return image_of(values, "Scalars", spacing, origin)


def image_of(
    values: np.ndarray,
    name: str,
    spacing: tuple[float, ...],
    origin: tuple[float, ...],
    direction: np.ndarray | None = None,
) -> vtkImageData:
    """An image whose point scalars share the memory of `values` (nz, ny, nx)."""
    image = vtkImageData()
    image.SetDimensions(values.shape[::-1])
    image.SetSpacing(spacing)
    image.SetOrigin(origin)
    if direction is not None:
        image.SetDirectionMatrix(*np.asarray(direction, dtype=float).reshape(-1))
    image.GetPointData().SetScalars(to_vtk(values.reshape(-1), name))
    return image


def _read_raw(
    path: Path, dimensions: tuple[int, ...] | None, name: str | None, byte_order: str
) -> np.ndarray:
    if in_name := SIZE_IN_NAME.search(path.stem):
        dimensions = dimensions or (int(in_name[1]), int(in_name[2]), int(in_name[3]))
        name = name or in_name[4]
    if dimensions is None or name is None:
        missing = "{dimensions}" if dimensions is None else "{dtype}, such as float32"
        raise FileProblem(f".raw files do not store their layout. Specify {missing}.")
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
        raise FileProblem(
            f"file size is {found} bytes; expected {expected} for {nx} x {ny} x {nz} {dtype.name} "
            "values. Check {dimensions} and {dtype}."
        )
    values = np.fromfile(path, dtype=dtype).reshape(nz, ny, nx)
    return values.astype(dtype.newbyteorder("="), copy=False)


def _as_volume(path: Path, values: np.ndarray) -> np.ndarray:
    """(nz, ny, nx) in C order and native byte order, from one, two or three axes."""
    if values.dtype.kind not in "iufb":
        raise FileProblem(f"contains {values.dtype}; expected real numbers.")
    if not 1 <= values.ndim <= 3:
        raise FileProblem(
            f"contains shape {values.shape}; expected (nz, ny, nx), (ny, nx), or (nx,)."
        )
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
    if values.dtype.itemsize == 2 and values.dtype.kind == "f":
        values = values.astype(np.float32)  # exact, and a type that VTK has
    if values.dtype.itemsize > 8:
        raise FileProblem(f"VTK has no arrays of {values.dtype}. Convert the values to float64.")
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
    values = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    return values.reshape((1,) * (3 - values.ndim) + values.shape)


def _check_finite(values: np.ndarray) -> None:
    """Report a pixel by its indices in the file; the engine would name three. It may mask NaN."""
    lost = np.argwhere(np.isinf(values))
    if len(lost):
        index = ", ".join(map(str, lost[0]))
        raise FileProblem(
            parameter="values",
            expected="finite",
            got=values[tuple(lost[0])],
            remedy="Replace them, or write NaN and set {nan='mask'}.",
            where=f"[{index}]",
            count=len(lost),
        )
