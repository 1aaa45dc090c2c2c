"""NRRD volumes by NumPy (http://teem.sourceforge.net/nrrd/format.html): raw, gzip, bzip2 and text
data, in the file (.nrrd) or beside it (.nhdr), with spacing, origin and the direction of the
axes.

VTK's own vtkNrrdReader takes the first axis of a file without `kinds` for components and does not
notice a truncated file.
"""

from __future__ import annotations

import math
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from separatrix_vtk.io.data_files import WrongDataFile, beside, shown
from separatrix_vtk.io.inflating import GZIP_MARK, ROOM, inflated_up_to

LONGEST = 1e150  # step along an axis, as the engine has it
DEFLATED = 1032  # times as long as its archive is what deflate can hold at most
MARKS = {"gz": GZIP_MARK, "gzip": GZIP_MARK, "bz2": b"BZh", "bzip2": b"BZh"}
IN_SPACE = ("domain", "space", "time", "none", "???")  # kinds of an axis that is no component
TYPES = {
    **dict.fromkeys(("signed char", "int8", "int8_t"), "int8"),
    **dict.fromkeys(("uchar", "unsigned char", "uint8", "uint8_t"), "uint8"),
    **dict.fromkeys(("short", "short int", "signed short", "int16", "int16_t"), "int16"),
    **dict.fromkeys(("ushort", "unsigned short", "uint16", "uint16_t"), "uint16"),
    **dict.fromkeys(("int", "signed int", "int32", "int32_t"), "int32"),
    **dict.fromkeys(("uint", "unsigned int", "uint32", "uint32_t"), "uint32"),
    **dict.fromkeys(("longlong", "long long", "int64", "int64_t"), "int64"),
    **dict.fromkeys(("ulonglong", "unsigned long long", "uint64", "uint64_t"), "uint64"),
    "float": "float32",
    "double": "float64",
}
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Nrrd:
    """values (nz, ny, nx) or fewer axes; direction (3, 3), its columns the axes' unit vectors."""

    values: np.ndarray
    spacing: Vector
    origin: Vector
    direction: np.ndarray


class NrrdError(ValueError):
    """What is wrong with the file, without its name."""


class NoVolume(NrrdError):
    """The file is right, and holds something else."""


def read_nrrd(path: Path) -> Nrrd:
    """The volume in a .nrrd or .nhdr file; NrrdError or OSError where it cannot be read."""
    content = path.read_bytes()
    fields, rest = _header(content)
    words = _field(fields, "sizes").split()
    sizes = [int(word) for word in words if re.fullmatch(r"[0-9]{1,18}", word)]
    if len(sizes) != len(words) or 0 in sizes:
        raise NrrdError(f"its sizes are {shown(fields['sizes'])}, not numbers from 1 up")
    if "dimension" in fields and _whole(fields, "dimension", 1) != len(sizes):
        raise NrrdError(f"its dimension is {fields['dimension']}, its sizes are {len(sizes)}")
    if len(sizes) > 3:
        raise NoVolume(f"it has {len(sizes)} axes, a volume has 1 to 3")
    _require_scalars(fields, sizes)
    name = _field(fields, "type")
    if name not in TYPES:
        raise NrrdError(f"its type {shown(name)} is not a number type that can be read")
    dtype = np.dtype(TYPES[name]).newbyteorder("<" if _is_little(fields) else ">")
    if "data file" in fields:
        try:
            rest = beside(path, fields["data file"]).read_bytes()
        except WrongDataFile as error:
            raise NrrdError(str(error)) from None
    if n_lines := _whole(fields, "line skip", 0):
        rest = rest.split(b"\n", n_lines)[-1]
    values = _decode(rest, fields, dtype, math.prod(sizes))
    steps = _steps(fields, sizes)
    spacing, direction = _axes(fields, steps)
    origin = _vectors(fields, "space origin")
    return Nrrd(
        values.astype(dtype.newbyteorder("="), copy=False).reshape(sizes[::-1]),
        spacing,
        _padded(origin[0] if origin else _first_samples(fields, steps)),
        direction,
    )


def _header(content: bytes) -> tuple[dict[str, str], bytes]:
    """The fields, names in lower case, and what stands after the empty line that ends them."""
    if not content.startswith(b"NRRD"):
        raise NrrdError("it does not begin with NRRD")
    end = re.search(rb"\r?\n\r?\n", content)
    text, rest = (content[: end.start()], content[end.end() :]) if end else (content, b"")
    fields: dict[str, str] = {}
    for line in text.decode("ascii", "replace").splitlines()[1:]:
        name, colon, value = line.partition(":")
        if colon and not line.startswith("#") and not value.startswith("="):  # := is a note
            key = name.strip().lower()
            fields[{"datafile": "data file"}.get(key, key)] = value.strip()
    return fields, rest


def _require_scalars(fields: dict[str, str], sizes: list[int]) -> None:
    """Refuse an axis of components, which would be taken for one of space."""
    kinds = [kind.lower() for kind in fields.get("kinds", "").split()]
    steps = re.findall(r"\([^)]*\)|none", fields.get("space directions", ""))
    for i, size in enumerate(sizes):
        kind = kinds[i] if i < len(kinds) else "none"
        is_none = len(steps) == len(sizes) and steps[i] == "none"
        if size > 1 and (is_none or kind not in IN_SPACE):
            what = "is no direction in space" if kind in IN_SPACE else f"is of kind {shown(kind)}"
            raise NoVolume(
                f"its axis {i} of {len(sizes)} {what}: {size} numbers a voxel, a scalar field has "
                "one; write a file of one of them"
            )


def _field(fields: dict[str, str], name: str) -> str:
    if not fields.get(name):
        raise NrrdError(f"its header has no field '{name}'")
    return fields[name]


def _is_little(fields: dict[str, str]) -> bool:
    endian = fields.get("endian", "little").lower()
    if endian not in ("little", "big"):
        raise NrrdError(f"its endian is {shown(endian)}, not little or big")
    return endian == "little"


def _whole(fields: dict[str, str], name: str, low: int) -> int:
    """A field that is a whole number from `low` up, 0 where it is not there."""
    text = fields.get(name, "0")
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text) or int(text) < low:
        raise NrrdError(f"its {name} is {shown(text)}, not a whole number from {low} up")
    return int(text)


def _decode(data: bytes, fields: dict[str, str], dtype: np.dtype, n_values: int) -> np.ndarray:
    """The values, of which no more are made than there can be in so many bytes."""
    encoding = _field(fields, "encoding").lower()
    expected, skip = n_values * dtype.itemsize, _whole(fields, "byte skip", -1)
    if encoding in MARKS:
        data = _inflated(data, encoding, expected, skip)
    elif encoding in ("txt", "text", "ascii"):
        data = _numbers(data, dtype)
    elif encoding != "raw":
        raise NrrdError(f"its encoding {shown(encoding)} cannot be read")
    data = data[max(len(data) - expected, 0) :] if skip == -1 else data[skip:]
    if len(data) < expected:
        raise NrrdError(f"it has {len(data)} bytes of data where its sizes need {expected}")
    return np.frombuffer(data, dtype=dtype, count=n_values)


def _inflated(data: bytes, encoding: str, expected: int, skip: int) -> bytes:
    if not data.startswith(MARKS[encoding]):
        raise NrrdError(f"its data are not compressed as {encoding}, or damaged")
    limit = ROOM + DEFLATED * len(data)
    if expected + max(skip, 0) > limit:
        raise NrrdError(
            f"it has {len(data)} bytes of {encoding} data, which cannot hold the {expected} that "
            "its sizes need"
        )
    try:
        return inflated_up_to(data, limit if skip == -1 else expected + skip)
    except (EOFError, OSError, zlib.error) as error:
        raise NrrdError(f"its {encoding} data are damaged ({error})") from None


def _numbers(data: bytes, dtype: np.dtype) -> bytes:
    try:
        if b"_" in data:  # 1_0 is a number to NumPy
            raise ValueError
        return np.array(data.split(), dtype=dtype.newbyteorder("=")).astype(dtype).tobytes()
    except (ValueError, OverflowError):
        raise NrrdError(f"its text has words that are no numbers of {dtype.name}") from None


def _axes(fields: dict[str, str], steps: list[float]) -> tuple[Vector, np.ndarray]:
    vectors, n_axes = _vectors(fields, "space directions"), len(steps)
    direction = np.eye(3)
    if len(vectors) == n_axes and all(len(vector) in (2, 3) for vector in vectors):
        axes = np.array([_padded(vector) for vector in vectors])
        lengths = np.array([math.hypot(*axis) for axis in axes])
        if wrong := [length for length in lengths if not 1 / LONGEST <= length <= LONGEST]:
            raise NrrdError(
                f"an axis in its space directions is {wrong[0]:g} long, not from {1 / LONGEST:g} "
                f"to {LONGEST:g}"
            )
        units = axes / lengths[:, None]
        if n_axes == 2:  # a slice in space: its normal is the third axis
            units = np.vstack([units, np.cross(*units)])
        if n_axes > 1:
            direction = units.T
        return _padded(tuple(lengths), 1.0), direction
    if wrong := [s for s in steps if not (math.isnan(s) or 0 < s < math.inf)]:
        raise NrrdError(f"one of its spacings is {wrong[0]:g}, not a length or nan")
    return _padded(tuple(1.0 if math.isnan(s) else s for s in steps), 1.0), direction


def _steps(fields: dict[str, str], sizes: list[int]) -> list[float]:
    """From sample to sample along each axis, by its spacing or its ends; nan where none is told."""
    steps = _each(fields, "spacings", len(sizes))
    lows, highs = (_each(fields, name, len(sizes)) for name in ("axis mins", "axis maxs"))
    for i, size in enumerate(sizes):
        n_steps = size if _is_cell(fields, i) else size - 1
        if math.isnan(steps[i]) and n_steps:
            steps[i] = (highs[i] - lows[i]) / n_steps
    return steps


def _first_samples(fields: dict[str, str], steps: list[float]) -> tuple[float, ...]:
    """Where the first sample of each axis lies: at its lower end, or in the middle of a cell."""
    first = _each(fields, "axis mins", len(steps))
    for i, step in enumerate(steps):
        if _is_cell(fields, i) and not math.isnan(step):
            first[i] += step / 2
    return tuple(0.0 if math.isnan(place) else place for place in first)


def _is_cell(fields: dict[str, str], axis: int) -> bool:
    centers = (fields.get("centers") or fields.get("centerings", "")).lower().split()
    return centers[axis : axis + 1] == ["cell"]


def _each(fields: dict[str, str], name: str, n_axes: int) -> list[float]:
    """A number an axis, nan where it is not known."""
    numbers = _reals(name, fields.get(name, "").split())
    return [*numbers, *[math.nan] * n_axes][:n_axes]


def _vectors(fields: dict[str, str], name: str) -> list[tuple[float, ...]]:
    """The (x,y,z) groups of a field; an axis marked 'none' is left out."""
    groups = re.findall(r"\(([^)]*)\)", fields.get(name, ""))
    return [tuple(_reals(name, group.split(","))) for group in groups]


def _reals(name: str, words: list[str]) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError:
        raise NrrdError(f"its {name} are {shown(' '.join(words))}, not numbers") from None


def _padded(vector: tuple[float, ...], filling: float = 0.0) -> Vector:
    x, y, z = (*vector, *(filling,) * 3)[:3]
    return float(x), float(y), float(z)
