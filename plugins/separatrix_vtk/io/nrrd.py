"""NRRD volumes (http://teem.sourceforge.net/nrrd/format.html) with spacing, origin and direction.

Data are raw, gzip, bzip2 or text, in the file (.nrrd) or next to it (.nhdr). Sizes are checked
before memory is allocated, data files are only opened in the folder of the header, and archives are
decompressed up to the size that the header declares.

Why not a library: vtkNrrdReader takes the first axis of a file without `kinds` for components and
does not notice a truncated file; pynrrd (1.1) opens any data file that a header names, decompresses
without a limit, reads the first member of an archive only, and stops at the first word of text that
is not a number.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from separatrix_vtk.io.errors import FileError, damaged, data_file, plain, shown
from separatrix_vtk.io.numbers import real_in
from separatrix_vtk.io.streams import ERRORS, MARKS, ROOM, decompressed

LONGEST = 1e150  # step along an axis, as in the engine
DEFLATED = 1032  # the most bytes that one byte of an archive represents
ENCODINGS = {"gz": "gzip", "bz2": "bzip2", "txt": "text", "ascii": "text"}
IN_SPACE = ("domain", "space", "time", "none", "???")  # kinds of an axis that is not a component
TYPES = {
    **dict.fromkeys(("signed char", "int8", "int8_t"), "i1"),
    **dict.fromkeys(("uchar", "unsigned char", "uint8", "uint8_t"), "u1"),
    **dict.fromkeys(("short", "short int", "signed short", "int16", "int16_t"), "i2"),
    **dict.fromkeys(("ushort", "unsigned short", "uint16", "uint16_t"), "u2"),
    **dict.fromkeys(("int", "signed int", "int32", "int32_t"), "i4"),
    **dict.fromkeys(("uint", "unsigned int", "uint32", "uint32_t"), "u4"),
    **dict.fromkeys(("longlong", "long long", "int64", "int64_t"), "i8"),
    **dict.fromkeys(("ulonglong", "unsigned long long", "uint64", "uint64_t"), "u8"),
    "float": "f4",
    "double": "f8",
}
Vector = tuple[float, float, float]


def read_nrrd(path: Path) -> tuple[np.ndarray, Vector, Vector, np.ndarray]:
    """The volume in a .nrrd or .nhdr file.

    Returns values (nz, ny, nx) or of fewer axes, spacing, origin, and the direction (3, 3), whose
    columns are unit vectors along the axes. Raises FileError.
    """
    try:
        return _read(path)
    except OSError as error:
        raise FileError(f"cannot be read ({plain(error)}).") from None
    except ValueError as error:
        if isinstance(error, FileError):
            raise
        raise damaged(error) from None


def _read(path: Path) -> tuple[np.ndarray, Vector, Vector, np.ndarray]:
    header, data = _split(path.read_bytes())
    words = header.text("sizes").split()
    sizes = [int(word) for word in words if re.fullmatch(r"[0-9]{1,18}", word)]
    if len(sizes) != len(words) or 0 in sizes:
        raise ValueError(f"its sizes are {shown(header['sizes'])}, not positive integers")
    if "dimension" in header and header.integer("dimension", 1) != len(sizes):
        raise ValueError(f"its dimension is {header['dimension']}, but it has {len(sizes)} sizes")
    if len(sizes) > 3:
        raise FileError(f"it has {len(sizes)} axes; expected 1 to 3.")
    _require_scalars(header, sizes)
    name, endian = header.text("type"), header.get("endian", "little").lower()
    if name not in TYPES:
        raise ValueError(f"its type {shown(name)} is not a supported number type")
    if endian not in ("little", "big"):
        raise ValueError(f"its endian is {shown(endian)}, not little or big")
    dtype = np.dtype(TYPES[name]).newbyteorder("<" if endian == "little" else ">")
    if "data file" in header:
        data = data_file(path, header["data file"]).read_bytes()
    if n_lines := header.integer("line skip", 0):
        data = data.split(b"\n", n_lines)[-1]
    values = _decode(data, header, dtype, math.prod(sizes)).reshape(sizes[::-1])
    steps = _steps(header, sizes)
    spacing, direction = _axes(header, steps)
    origin = header.vectors("space origin") or [_first_samples(header, steps)]
    values = values.astype(dtype.newbyteorder("="), copy=False)
    return values, spacing, _padded(origin[0]), direction


class Header(dict[str, str]):
    """The fields of a header; their names are in lower case."""

    def text(self, name: str) -> str:
        """A required field."""
        if not self.get(name):
            raise ValueError(f"its header has no field '{name}'")
        return self[name]

    def integer(self, name: str, low: int) -> int:
        """A field that is an integer of at least `low`; 0 if it is missing."""
        text = self.get(name, "0")
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text) or int(text) < low:
            raise ValueError(f"its {name} is {shown(text)}, not an integer of at least {low}")
        return int(text)

    def reals(self, name: str, words: list[str]) -> list[float]:
        """The numbers that words of a field represent."""
        try:
            return [real_in(word) for word in words]
        except ValueError:
            raise ValueError(f"its {name}: {shown(' '.join(words))} are not numbers") from None

    def per_axis(self, name: str, n_axes: int) -> list[float]:
        """A number for each axis, nan where it is unknown."""
        numbers = self.reals(name, self.get(name, "").split())
        return [*numbers, *[math.nan] * n_axes][:n_axes]

    def vectors(self, name: str) -> list[tuple[float, ...]]:
        """The (x,y,z) groups of a field, without the axes marked 'none'."""
        groups = re.findall(r"\(([^)]*)\)", self.get(name, ""))
        return [tuple(self.reals(name, group.split(","))) for group in groups]

    def is_cell(self, axis: int) -> bool:
        """Whether the samples of an axis are centers of cells."""
        centers = (self.get("centers") or self.get("centerings", "")).lower().split()
        return centers[axis : axis + 1] == ["cell"]


def _split(content: bytes) -> tuple[Header, bytes]:
    """The header, and the bytes after the empty line that ends it."""
    if not content.startswith(b"NRRD"):
        raise ValueError("it does not begin with NRRD")
    end = re.search(rb"\r?\n\r?\n", content)
    text, rest = (content[: end.start()], content[end.end() :]) if end else (content, b"")
    fields = Header()
    for line in text.decode("ascii", "replace").splitlines()[1:]:
        name, colon, value = line.partition(":")
        if colon and not line.startswith("#") and not value.startswith("="):  # := is a note
            key = name.strip().lower()
            fields["data file" if key == "datafile" else key] = value.strip()
    return fields, rest


def _require_scalars(header: Header, sizes: list[int]) -> None:
    """Reject an axis of components, which would be read as an axis of space."""
    kinds = header.get("kinds", "").lower().split()
    steps = re.findall(r"\([^)]*\)|none", header.get("space directions", ""))
    for i, size in enumerate(sizes):
        kind = kinds[i] if i < len(kinds) else "none"
        is_none = len(steps) == len(sizes) and steps[i] == "none"
        if size > 1 and (is_none or kind not in IN_SPACE):
            what = "is not a spatial axis" if kind in IN_SPACE else f"is of kind {shown(kind)}"
            raise FileError(
                f"its axis {i} of {len(sizes)} {what}: {size} numbers per voxel; expected one. "
                "Write one component to a file."
            )


# === values


def _decode(data: bytes, header: Header, dtype: np.dtype, n_values: int) -> np.ndarray:
    """The values; no more are decoded than the data can contain."""
    encoding = header.text("encoding").lower()
    encoding = ENCODINGS.get(encoding, encoding)
    n_bytes, skip = n_values * dtype.itemsize, header.integer("byte skip", -1)
    if encoding in MARKS:
        data = _decompress(data, encoding, n_bytes, skip)
    elif encoding == "text":
        data = _numbers(data, dtype)
    elif encoding != "raw":
        raise ValueError(f"its encoding {shown(encoding)} is not supported")
    data = data[max(len(data) - n_bytes, 0) :] if skip == -1 else data[skip:]
    if len(data) < n_bytes:
        raise ValueError(f"it has {len(data)} bytes of data; expected {n_bytes} for its sizes")
    return np.frombuffer(data, dtype=dtype, count=n_values)


def _decompress(data: bytes, encoding: str, n_bytes: int, skip: int) -> bytes:
    if not data.startswith(MARKS[encoding]):
        raise ValueError(f"its data are not compressed with {encoding}, or damaged")
    limit = ROOM + DEFLATED * len(data)
    if n_bytes + max(skip, 0) > limit:
        raise ValueError(
            f"its {len(data)} bytes of {encoding} data cannot contain the {n_bytes} bytes that its "
            "sizes require"
        )
    try:
        return decompressed(data, limit if skip == -1 else n_bytes + skip)
    except ERRORS as error:
        raise ValueError(f"its {encoding} data are damaged: {error}") from None


def _numbers(data: bytes, dtype: np.dtype) -> bytes:
    try:
        if b"_" in data:  # 1_0 is a number to NumPy
            raise ValueError
        return np.array(data.split(), dtype=dtype.newbyteorder("=")).astype(dtype).tobytes()
    except (ValueError, OverflowError):
        raise ValueError(f"its text has words that are not numbers of type {dtype.name}") from None


# === place


def _axes(header: Header, steps: list[float]) -> tuple[Vector, np.ndarray]:
    vectors = header.vectors("space directions")
    direction = np.eye(3)
    if len(vectors) == len(steps) and all(len(vector) in (2, 3) for vector in vectors):
        axes = np.array([_padded(vector) for vector in vectors])
        lengths = np.array([math.hypot(*axis) for axis in axes])
        if wrong := [length for length in lengths if not 1 / LONGEST <= length <= LONGEST]:
            raise ValueError(
                f"an axis in its space directions has length {wrong[0]:g}, not {1 / LONGEST:g} "
                f"to {LONGEST:g}"
            )
        units = axes / lengths[:, None]
        if len(axes) == 2:  # a slice in space: its normal is the third axis
            units = np.vstack([units, np.cross(*units)])
        if len(axes) > 1:
            direction = units.T
        return _padded(tuple(lengths), 1.0), direction
    if wrong := [s for s in steps if not (math.isnan(s) or 0 < s < math.inf)]:
        raise ValueError(f"one of its spacings is {wrong[0]:g}, not a length or nan")
    return _padded(tuple(1.0 if math.isnan(s) else s for s in steps), 1.0), direction


def _steps(header: Header, sizes: list[int]) -> list[float]:
    """The distance of samples along each axis, by its spacing or its ends; nan if unknown."""
    steps, lows, highs = (
        header.per_axis(name, len(sizes)) for name in ("spacings", "axis mins", "axis maxs")
    )
    for i, size in enumerate(sizes):
        n_steps = size if header.is_cell(i) else size - 1
        if math.isnan(steps[i]) and n_steps:
            steps[i] = (highs[i] - lows[i]) / n_steps
    return steps


def _first_samples(header: Header, steps: list[float]) -> tuple[float, ...]:
    """The first sample of each axis: at its lower end, or in the center of a cell."""
    first = header.per_axis("axis mins", len(steps))
    for i, step in enumerate(steps):
        if header.is_cell(i) and not math.isnan(step):
            first[i] += step / 2
    return tuple(0.0 if math.isnan(place) else place for place in first)


def _padded(vector: tuple[float, ...], filling: float = 0.0) -> Vector:
    x, y, z = (*vector, *(filling,) * 3)[:3]
    return float(x), float(y), float(z)
