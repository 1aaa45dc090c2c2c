"""Images and volumes from files: VTK's formats, MetaImage, NRRD, .npy and .raw; and meshes.

| suffix | holds | read by |
| --- | --- | --- |
| .vti | an image, with its place and named arrays | VTK |
| .mhd, .mha | an image, with its place | VTK |
| .nrrd, .nhdr | an image, with its place | NumPy, `nrrd.py` |
| .npy | values (nz, ny, nx), (ny, nx) or (nx,) | NumPy |
| .raw | values, x fastest; the caller specifies the layout | NumPy |
| .vtu, .vtp, .vtk, .stl, .ply, .obj | a mesh | VTK, `vtk_files.py` |

Errors are FileProblem: one sentence that begins with the path.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.layout import RawLayout as RawLayout
from separatrix_vtk.io.layout import Vector
from separatrix_vtk.io.nrrd import NotAVolume, read_nrrd
from separatrix_vtk.io.problems import FileProblem as FileProblem
from separatrix_vtk.io.problems import FileWarning, damaged, plain, require_file, unsupported
from separatrix_vtk.io.vtk_files import IMAGES, MESHES, read_with_vtk
from separatrix_vtk.io.vtk_files import read_mesh as read_mesh

SUFFIXES = (*IMAGES, ".nrrd", ".nhdr", ".npy", ".raw", *MESHES)
# fuel_64x64x64_uint8.raw, as the volumes of the Open SciVis collection are called
SIZE_IN_NAME = re.compile(r"_(\d+)x(\d+)x(\d+)_(u?int(?:8|16|32|64)|float(?:32|64))$")


@dataclass(frozen=True)
class Volume:
    """Values (nz, ny, nx) of an array file, or image or mesh of a VTK file and the array's name."""

    values: np.ndarray | None = None
    image: Any = None
    array: str | None = None
    spacing: Vector = (1.0, 1.0, 1.0)
    origin: Vector = (0.0, 0.0, 0.0)
    direction: np.ndarray = field(default_factory=lambda: np.eye(3))

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Points along x, y and z; of what is no image, none."""
        if self.image is not None:
            return tuple(self.image.GetDimensions()) if hasattr(self.image, "GetDimensions") else ()
        assert self.values is not None
        return (*reversed(self.values.shape), 1, 1)[:3]

    @property
    def n_axes(self) -> int:
        """How many dimensions the image has, or cells of the mesh can have."""
        if self.image is not None and not self.dimensions:
            return 2 if self.image.IsA("vtkPolyData") else 3
        return sum(n > 1 for n in self.dimensions)

    def as_image(self) -> Any:
        """A vtkImageData; array files become one whose scalars share the array's memory."""
        if self.image is not None:
            return self.image
        from separatrix_vtk.filters.scalar_field.image import image_of

        assert self.values is not None
        if self.values.dtype.itemsize > 8:
            raise FileProblem(
                f"VTK has no arrays of {self.values.dtype}. Convert the values to float64."
            )
        return image_of(self.values, "Scalars", self.spacing, self.origin, self.direction)


def read_volume(
    path: Path,
    *,
    array: str | None = None,
    layout: RawLayout | None = None,
    spacing: tuple[float, ...] | None = None,
    origin: tuple[float, ...] | None = None,
) -> Volume:
    """The image or mesh in a file; spacing and origin may be two numbers for an image."""
    layout = layout or RawLayout()
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise unsupported(path, SUFFIXES)
    require_file(path)
    if suffix != ".raw" and (layout.dimensions or layout.dtype):
        raise FileProblem("{dimensions} and {dtype} are for .raw files only.", path)
    if suffix not in (".npy", ".raw") and (spacing or origin):
        raise FileProblem("{spacing} and {origin} are for .raw and .npy files only.", path)
    if suffix in IMAGES:
        return Volume(image=read_with_vtk(path, "image"), array=array)
    if suffix in MESHES:
        return Volume(image=read_mesh(path, array), array=array)
    if array:
        raise FileProblem(f"{suffix} files contain one array without a name. Omit {{array}}.", path)
    if suffix in (".nrrd", ".nhdr"):
        return _read_nrrd(path)
    values = _as_volume(path, _read_raw(path, layout) if suffix == ".raw" else load_npy(path))
    return Volume(
        values,
        spacing=_of_axes(path, "spacing", spacing, values, 1.0),
        origin=_of_axes(path, "origin", origin, values, 0.0),
    )


def _of_axes(
    path: Path, name: str, given: tuple[float, ...] | None, values: np.ndarray, usual: float
) -> Vector:
    """A number for each of x, y and z."""
    if given and len(given) < 3 and len(values) > 1:
        raise FileProblem(f"{{{name}}} must be three numbers for a volume; got {given}.", path)
    x, y, z = (*(given or ()), usual, usual, usual)[:3]
    return x, y, z


def _read_nrrd(path: Path) -> Volume:
    try:
        nrrd = read_nrrd(path)
    except NotAVolume as error:
        raise FileProblem(f"{plain(error)}.", path) from None
    except OSError as error:
        raise FileProblem(f"cannot be read ({plain(error)}).", path) from None
    except ValueError as error:
        raise damaged(path, error) from None
    values = _as_volume(path, nrrd.values)
    return Volume(values, None, None, nrrd.spacing, nrrd.origin, nrrd.direction)


def load_npy(path: Path) -> np.ndarray:
    """The array of a .npy file, whose header is not trusted before the file is as long."""
    try:
        with path.open("rb") as file:
            if file.read(6) != b"\x93NUMPY":
                raise ValueError("it does not begin with the signature of NumPy files")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about headers that look like Python's own text
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # NumPy parses headers as Python, which raises many errors
        reason = plain(error) if isinstance(error, (OSError, ValueError)) else "damaged header"
        raise FileProblem(f"not a readable .npy file ({reason}).", path) from None
    return np.array(mapped)


def _read_raw(path: Path, layout: RawLayout) -> np.ndarray:
    dimensions, name = layout.dimensions, layout.dtype
    if in_name := SIZE_IN_NAME.search(path.stem):
        dimensions = dimensions or (int(in_name[1]), int(in_name[2]), int(in_name[3]))
        name = name or in_name[4]
    if dimensions is None or name is None:
        missing = "{dimensions}" if dimensions is None else "{dtype}, such as float32"
        raise FileProblem(f".raw files do not store their layout. Specify {missing}.", path)
    try:
        dtype = np.dtype(name).newbyteorder("<" if layout.byte_order == "little" else ">")
        if dtype.kind not in "iuf":
            raise ValueError
    except Exception:  # NumPy parses such texts, which raises many errors
        known = "an integer or floating-point type, such as float32 or uint8"
        raise FileProblem(f"{{dtype}} must be {known}; got {name!r}.") from None
    nx, ny, nz = dimensions
    expected, found = nx * ny * nz * dtype.itemsize, path.stat().st_size
    if expected != found:
        raise FileProblem(
            f"file size is {found} bytes; expected {expected} for {nx} x {ny} x {nz} {dtype.name} "
            "values. Check {dimensions} and {dtype}.",
            path,
        )
    values = np.fromfile(path, dtype=dtype).reshape(nz, ny, nx)
    return values.astype(dtype.newbyteorder("="), copy=False)


def _as_volume(path: Path, values: np.ndarray) -> np.ndarray:
    """(nz, ny, nx) in C order and native byte order, from one, two or three axes."""
    if values.dtype.kind not in "iufb":
        raise FileProblem(f"contains {values.dtype}; expected real numbers.", path)
    if not 1 <= values.ndim <= 3:
        raise FileProblem(
            f"contains shape {values.shape}; expected (nz, ny, nx), (ny, nx), or (nx,).", path
        )
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
    if values.dtype.itemsize == 2 and values.dtype.kind == "f":
        values = values.astype(np.float32)  # exact, and a type that VTK has
    if values.ndim < 3 and values.dtype.kind == "f":
        _check_finite(path, values)
    if _looks_like_colors(values):
        warnings.warn(
            f"{path}: integers of shape {values.shape} look like an image with {values.shape[2]} "
            "colors per pixel, but are read as a volume. If it is an image, write one channel to "
            "a file, values[..., 0].",
            FileWarning,
            stacklevel=4,
        )
    values = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    return values.reshape((1,) * (3 - values.ndim) + values.shape)


def _looks_like_colors(values: np.ndarray) -> bool:
    """Whether it may be (ny, nx, channels) instead of (nz, ny, nx)."""
    is_whole = values.dtype.kind in "iu" and values.ndim == 3
    return is_whole and values.shape[2] in (3, 4) and min(values.shape[:2]) > 8


def _check_finite(path: Path, values: np.ndarray) -> None:
    """Report a pixel by the indices that it has in the file; the engine knows three axes."""
    lost = np.argwhere(~np.isfinite(values))
    if len(lost):
        index = ", ".join(map(str, lost[0]))
        raise FileProblem(
            f"values must be finite; got values[{index}] = {values[tuple(lost[0])]} "
            f"({len(lost):,} invalid value{'s' * (len(lost) > 1)}). Replace them, for example with "
            "numpy.nan_to_num.",
            path,
        )
