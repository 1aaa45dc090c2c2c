"""Volumes from files: .vti, .mhd, .mha by VTK's readers; .nrrd, .nhdr, .npy, .raw by NumPy alone.

Meshes too, by VTK's readers: .vtu, .vtp, .vtk, .stl, .ply, .obj.

Whatever is wrong with a file comes out as a FileProblem: one sentence with the path in it.
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
from separatrix_vtk.io.metaimage import what_is_missing
from separatrix_vtk.io.nrrd import NoVolume, NrrdError, read_nrrd
from separatrix_vtk.io.problems import FileProblem as FileProblem
from separatrix_vtk.io.problems import FileWarning
from separatrix_vtk.io.trial import trouble_of, what_is_printed
from separatrix_vtk.io.vtk_messages import what_vtk_says

VTK_READERS = {
    ".vti": ("vtkmodules.vtkIOXML", "vtkXMLImageDataReader"),
    ".mhd": ("vtkmodules.vtkIOImage", "vtkMetaImageReader"),
    ".mha": ("vtkmodules.vtkIOImage", "vtkMetaImageReader"),
}
MESH_READERS = {
    ".vtu": ("vtkmodules.vtkIOXML", "vtkXMLUnstructuredGridReader"),
    ".vtp": ("vtkmodules.vtkIOXML", "vtkXMLPolyDataReader"),
    ".vtk": ("vtkmodules.vtkIOLegacy", "vtkDataSetReader"),
    ".stl": ("vtkmodules.vtkIOGeometry", "vtkSTLReader"),
    ".ply": ("vtkmodules.vtkIOPLY", "vtkPLYReader"),
    ".obj": ("vtkmodules.vtkIOGeometry", "vtkOBJReader"),
}
SUFFIXES = (*VTK_READERS, ".nrrd", ".nhdr", ".npy", ".raw", *MESH_READERS)
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
                f"VTK holds no {self.values.dtype}: convert the values to float64, or write .npz"
            )
        return image_of(self.values, "Scalars", self.spacing, self.origin, self.direction)

    def for_engine(self, settings: dict[str, Any]) -> Any:
        """The field that the engine is asked through; `settings` say how a mesh is read."""
        if self.image is None:
            from separatrix_vtk.filters.scalar_field.array_field import ArrayField

            assert self.values is not None
            return ArrayField(self.values, self.spacing, self.origin, self.direction)
        from separatrix_vtk.base.input_array import find_input_array
        from separatrix_vtk.filters.mesh.cells import is_mesh, mesh_cells
        from separatrix_vtk.filters.mesh.field import MeshField
        from separatrix_vtk.filters.scalar_field.image import image_field, require_image

        if not is_mesh(self.image):
            image = require_image(self.image)
            return image_field(image, find_input_array(image, self.array or "", None))
        cells = mesh_cells(self.image, settings["tetrahedralize"])
        for text in cells.warnings:
            warnings.warn(text, FileWarning, stacklevel=2)
        source = find_input_array(cells.dataset, self.array or "", None)
        return MeshField(cells, source, settings["on_duplicates"])


def read_volume(
    path: Path,
    *,
    array: str | None = None,
    layout: RawLayout | None = None,
    spacing: tuple[float, ...] | None = None,
    origin: tuple[float, ...] | None = None,
) -> Volume:
    """The volume in a file, by its suffix; spacing and origin may be two numbers for an image."""
    layout = layout or RawLayout()
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FileProblem(
            f"{path}: cannot read '{suffix or path.name}', only {', '.join(SUFFIXES)}"
        )
    if not path.is_file():
        raise FileProblem(
            f"{path}: {'is not a file' if path.exists() else 'there is no such file'}"
        )
    if suffix != ".raw" and (layout.dimensions or layout.dtype):
        raise FileProblem(f"{path}: --dims and --dtype are for .raw files only")
    if suffix not in (".npy", ".raw") and (spacing or origin):
        raise FileProblem(f"{path}: --spacing and --origin are for .raw and .npy files")
    if suffix in VTK_READERS:
        return Volume(image=read_with_vtk(path, *VTK_READERS[suffix]), array=array)
    if suffix in MESH_READERS:
        return Volume(image=read_mesh(path, array), array=array)
    if array:
        raise FileProblem(f"{path}: a {suffix} file has one array and no names, leave --array out")
    if suffix in (".nrrd", ".nhdr"):
        return _read_nrrd(path)
    values = _as_volume(path, _read_raw(path, layout) if suffix == ".raw" else load_npy(path))
    return Volume(
        values,
        spacing=_of_axes("--spacing", spacing, values, 1.0),
        origin=_of_axes("--origin", origin, values, 0.0),
    )


def _of_axes(
    option: str, given: tuple[float, ...] | None, values: np.ndarray, usual: float
) -> Vector:
    """A number for each of x, y and z."""
    if given and len(given) < 3 and len(values) > 1:
        numbers = ",".join(f"{number:g}" for number in given)
        raise FileProblem(f"{option} {numbers}: the volume has three axes, give three numbers")
    x, y, z = (*(given or ()), usual, usual, usual)[:3]
    return x, y, z


def _read_nrrd(path: Path) -> Volume:
    try:
        nrrd = read_nrrd(path)
    except NoVolume as error:
        raise FileProblem(f"{path}: {error}") from None
    except NrrdError as error:
        raise FileProblem(f"{path}: truncated or damaged ({_one_line(error)})") from None
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read ({_one_line(error)})") from None
    values = _as_volume(path, nrrd.values)
    return Volume(values, None, None, nrrd.spacing, nrrd.origin, nrrd.direction)


def load_npy(path: Path) -> np.ndarray:
    """The array of a .npy file, whose header is not believed before the file is as long."""
    try:
        if not _begins_with(path, b"\x93NUMPY"):
            raise ValueError("it does not begin with the mark of NumPy files")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that look like Python's own text
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # NumPy reads headers by Python's parser, which has many errors
        is_told = isinstance(error, (OSError, ValueError))
        reason = _one_line(error) if is_told else "its header is damaged"
        raise FileProblem(f"{path}: not a readable .npy file ({reason})") from None
    return np.array(mapped)


def _read_raw(path: Path, layout: RawLayout) -> np.ndarray:
    dimensions, name = layout.dimensions, layout.dtype
    if in_name := SIZE_IN_NAME.search(path.stem):
        dimensions = dimensions or (int(in_name[1]), int(in_name[2]), int(in_name[3]))
        name = name or in_name[4]
    if dimensions is None or name is None:
        missing = "--dims NX,NY,NZ" if dimensions is None else "--dtype, such as float32"
        raise FileProblem(f"{path}: a .raw file does not say how it is laid out: give {missing}")
    try:
        dtype = np.dtype(name).newbyteorder("<" if layout.byte_order == "little" else ">")
    except Exception:  # NumPy parses such texts, which has many errors
        raise FileProblem(f"--dtype {name}: no such type; float32, uint8, int16, ...") from None
    if dtype.kind not in "iuf":
        raise FileProblem(f"--dtype {name}: a scalar field is made of integers or floats")
    nx, ny, nz = dimensions
    expected, found = nx * ny * nz * dtype.itemsize, path.stat().st_size
    if expected != found:
        raise FileProblem(
            f"{path}: the file has {found} bytes, {nx} x {ny} x {nz} values of {dtype.name} "
            f"need {expected}; check --dims and --dtype"
        )
    values = np.fromfile(path, dtype=dtype).reshape(nz, ny, nx)
    return values.astype(dtype.newbyteorder("="), copy=False)


def _as_volume(path: Path, values: np.ndarray) -> np.ndarray:
    """(nz, ny, nx) in C order and this machine's byte order, from one, two or three axes."""
    if values.dtype.kind not in "iufb":
        raise FileProblem(f"{path}: holds {values.dtype}, a scalar field is made of real numbers")
    if not 1 <= values.ndim <= 3:
        raise FileProblem(
            f"{path}: has shape {values.shape}; (nz, ny, nx), (ny, nx) or (nx,) was expected"
        )
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
    if values.dtype.itemsize == 2 and values.dtype.kind == "f":
        values = values.astype(np.float32)  # exact, and a type that VTK has
    if values.ndim < 3 and values.dtype.kind == "f":
        _check_finite(path, values)
    if _looks_like_colors(values):
        warnings.warn(
            f"{path}: whole numbers of shape {values.shape} look like an image of "
            f"{values.shape[2]} colors a pixel and are taken as a volume; if it is one, write a "
            "file of one channel, values[..., 0]",
            FileWarning,
            stacklevel=4,
        )
    values = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    return values.reshape((1,) * (3 - values.ndim) + values.shape)


def _looks_like_colors(values: np.ndarray) -> bool:
    """Whether it may be (ny, nx, channels) rather than (nz, ny, nx)."""
    is_whole = values.dtype.kind in "iu" and values.ndim == 3
    return is_whole and values.shape[2] in (3, 4) and min(values.shape[:2]) > 8


def _check_finite(path: Path, values: np.ndarray) -> None:
    """Tell a pixel by the two indices that it has in the file; the engine knows three."""
    lost = np.argwhere(~np.isfinite(values))
    if len(lost):
        index = ", ".join(map(str, lost[0]))
        raise FileProblem(
            f"{path}: values must be finite: values[{index}] is {values[tuple(lost[0])]} "
            f"({len(lost):,} such value{'s' * (len(lost) > 1)}); replace them, for example with "
            "numpy.nan_to_num"
        )


def read_mesh(path: Path, array: str | None = None) -> Any:
    """The mesh in a file; x, y and z as `array` make a coordinate the field, if none is so called.

    A .vtk file may hold an image as well.
    """
    suffix = path.suffix.lower()
    if suffix not in MESH_READERS:
        raise FileProblem(
            f"{path}: cannot read a mesh from '{suffix or path.name}', only "
            f"{', '.join(MESH_READERS)}"
        )
    if not path.is_file():
        raise FileProblem(
            f"{path}: {'is not a file' if path.exists() else 'there is no such file'}"
        )
    mesh = read_with_vtk(path, *MESH_READERS[suffix], what="mesh")
    if suffix == ".obj":  # the reader's own numbers of groups, no field of the user's
        mesh.GetCellData().RemoveArray("GroupIds")
    is_coordinate = array in ("x", "y", "z") and mesh.IsA("vtkPointSet")
    if is_coordinate and not mesh.GetPointData().HasArray(array):
        from separatrix_vtk.base.arrays import from_vtk, to_vtk

        points = from_vtk(mesh.GetPoints().GetData())
        mesh.GetPointData().AddArray(to_vtk(points[:, "xyz".index(str(array))], str(array)))
    return mesh


def read_with_vtk(path: Path, module: str, name: str, what: str = "image") -> Any:
    """Read by a VTK reader: first in a process that may die of a damaged file, then here."""
    import importlib

    if name == "vtkMetaImageReader" and (missing := what_is_missing(path)):
        raise FileProblem(f"{path}: truncated or damaged ({missing})")
    new_reader = getattr(importlib.import_module(module), name)
    trouble = trouble_of(path, lambda: _read(path, new_reader())[1])
    dataset = None
    if not trouble:
        dataset, trouble = _read(path, new_reader())
    if trouble:
        raise FileProblem(f"{path}: {trouble}")
    if dataset is None or dataset.GetNumberOfPoints() == 0:
        raise FileProblem(f"{path}: there is no {what} in it")
    return dataset


def _read(path: Path, reader: Any) -> tuple[Any, str]:
    """What a reader makes of a file, and what is wrong, or "".

    VTK tells of trouble in its output window only, and MetaIO on stderr: so look there.
    """
    with what_vtk_says() as said, what_is_printed() as printed:
        if hasattr(reader, "CanReadFile") and not reader.CanReadFile(str(path)):
            return None, f"is not a {path.suffix} file, or is damaged"
        reader.SetFileName(str(path))
        reader.Update()
        dataset = reader.GetOutputDataObject(0)
        text = said()
        is_meta = reader.IsA("vtkMetaImageReader")
        if reader.GetErrorCode() or "ERROR:" in text or (is_meta and printed()):
            reason = _first_message(text) if "ERROR:" in text else _one_line(printed())
            return dataset, f"truncated or damaged ({reason or 'VTK gives no reason'})"
    return dataset, ""


def _begins_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _first_message(said: str) -> str:
    """The text of the first error in VTK's output window, without class and address."""
    found = re.search(r"\(0x[0-9a-f]+\): (.+)", said)
    return _one_line(found[1] if found else said.strip() or "VTK gives no reason")


def _one_line(error: object) -> str:
    return " ".join(str(error).split()).rstrip(". ")
