"""NetCDF files, read with VTK, whose reader has three problems that are corrected here.

It does not detect truncated classic files, reads missing values of packed variables as numbers, and
places the last axis along x regardless of its name.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.axes import spatial_axes
from separatrix_vtk.base.arrays import from_vtk, names_of
from separatrix_vtk.io.errors import FileError, damaged, library
from separatrix_vtk.io.labeled_images import placed
from separatrix_vtk.io.vtk_files import read_with_vtk

TYPES = {1: ">i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8"}  # of a classic file
TYPES |= {7: ">u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}
LONGEST = 1 << 24  # of the header of a classic file
Attributes = dict[str, Any]


def read_netcdf(path: Path, array: str | None = None) -> Any:
    """The variables on the axes of `array`, by default on most axes; axes by their names.

    Missing values are NaN. Of a file with time steps the first is read.
    """
    chosen = ""

    def prepare(reader: Any) -> None:
        nonlocal chosen
        reader.SphericalCoordinatesOff()
        reader.ReplaceFillValueWithNanOn()
        reader.UpdateMetaData()
        n, shapes = reader.GetNumberOfVariableArrays(), reader.GetVariableDimensions()
        of = {reader.GetVariableArrayName(i): shapes.GetValue(i) for i in range(n)}
        if array is not None and array not in of:
            known = ", ".join(of) or "none"
            raise FileError(f"contains no variable {array!r}; its variables: {known}.")
        chosen = of.get(str(array)) or max(
            of.values(), key=lambda shape: shape.count(","), default=""
        )
        if chosen:
            reader.SetDimensions(chosen)

    missing = missing_values(path)
    grid = read_with_vtk(path, "field", prepare)
    for data in (grid.GetPointData(), grid.GetCellData()):
        for name in missing.keys() & set(names_of(data)):
            values = from_vtk(data.GetArray(name))
            values[values == missing[name]] = np.nan
    names = chosen.strip("()").split(", ")
    is_image = grid.IsA("vtkImageData")
    size = grid.GetDimensions() if is_image or grid.IsA("vtkRectilinearGrid") else ()
    names = names[len(names) - sum(n > 1 for n in size) :]  # without time
    if not size or spatial_axes(names) == sorted(spatial_axes(names))[::-1]:
        return grid
    if is_image:
        ends = zip(grid.GetOrigin(), grid.GetSpacing(), size, strict=True)
        places = [start + step * np.arange(n) for start, step, n in ends]
    else:
        places = [from_vtk(getattr(grid, f"Get{axis}Coordinates")()) for axis in "XYZ"]
    data, n_axes = grid.GetPointData(), len(names)
    shape = size[:n_axes][::-1]
    arrays = {name: from_vtk(data.GetArray(name)).reshape(shape) for name in names_of(data)}
    return placed(arrays, names, places[:n_axes][::-1])


def missing_values(path: Path) -> dict[str, float]:
    """Unpacked missing values of packed variables, by the name of the variable."""
    with path.open("rb") as file:
        head = file.read(LONGEST)
    if head[:3] == b"CDF":
        try:
            found, end = Header(head).variables()
        except (struct.error, KeyError, ValueError, IndexError, MemoryError):
            raise damaged("its header is not readable") from None
        if end > path.stat().st_size:
            raise damaged(f"{path.stat().st_size:,} bytes; its header says {end:,}")
    elif head[:4] != b"\x89HDF":
        raise FileError("not a NetCDF file, or damaged.")
    else:
        try:
            h5py = library("h5py", path)
        except FileError:  # it is optional here
            return {}
        try:
            with h5py.File(path) as stored:
                found = {name: dict(one.attrs) for name, one in stored.items()}
        except (OSError, RuntimeError, KeyError, TypeError) as error:
            raise damaged(error) from None
    missing = {}
    for name, about in found.items():
        if "_FillValue" in about and about.keys() & {"scale_factor", "add_offset"}:
            fill, scale = (
                float(np.ravel(about.get(k, 1))[0]) for k in ("_FillValue", "scale_factor")
            )
            missing[name] = fill * scale + float(np.ravel(about.get("add_offset", 0))[0])
    return missing


class Header:
    """The header of a classic NetCDF file, read from its begin to its end."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 4
        self.size = ">q" if content[3] == 5 else ">i"
        self.offset = ">i" if content[3] == 1 else ">q"

    def number(self, form: str = "") -> int:
        (found,) = struct.unpack_from(form or self.size, self.content, self.at)
        self.at += struct.calcsize(form or self.size)
        return int(found)

    def take(self, n: int) -> bytes:
        """Bytes, which end at a multiple of four."""
        if not 0 <= n <= len(self.content) - self.at:
            raise ValueError
        begin, self.at = self.at, self.at + n + -n % 4
        return self.content[begin : begin + n]

    def name(self) -> str:
        return self.take(self.number()).decode()

    def entries(self) -> range:
        """The numbers of the entries of a list."""
        self.number(">i")
        return range(self.number())

    def attributes(self) -> Attributes:
        found: Attributes = {}
        for _ in self.entries():
            name, dtype = self.name(), np.dtype(TYPES[self.number(">i")])
            found[name] = np.frombuffer(self.take(self.number() * dtype.itemsize), dtype)
        return found

    def variables(self) -> tuple[dict[str, Attributes], int]:
        """The attributes of the variables, and where the data end."""
        n_records = max(self.number(), 0)
        lengths = [(self.name(), self.number())[1] for _ in self.entries()]
        self.attributes()
        found, end, record, last = {}, 0, 0, 0
        for _ in self.entries():
            name = self.name()
            axes = [self.number() for _ in range(self.number())]
            found[name], dtype = self.attributes(), np.dtype(TYPES[self.number(">i")])
            self.number()
            begin, sizes = self.number(self.offset), [lengths[axis] for axis in axes]
            is_record = bool(sizes) and sizes[0] == 0
            n_bytes = int(np.prod(sizes[is_record:], dtype=np.int64)) * dtype.itemsize
            if is_record:
                record, last = record + n_bytes + -n_bytes % 4, max(last, begin + n_bytes)
            end = max(end, begin + n_bytes * (not is_record))
        return found, max(end, last + (n_records - 1) * record if n_records and record else 0)
