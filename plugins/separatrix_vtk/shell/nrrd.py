"""NRRD volumes by NumPy (http://teem.sourceforge.net/nrrd/format.html): raw, gzip, bzip2 and text
data, in the file (.nrrd) or beside it (.nhdr), with spacing, origin and the direction of the
axes.

VTK's own vtkNrrdReader takes the first axis of a file without `kinds` for components and does not
notice a truncated file.
"""

from __future__ import annotations

import bz2
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

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


def read_nrrd(path: Path) -> Nrrd:
    """The volume in a .nrrd or .nhdr file; NrrdError or OSError where it cannot be read."""
    content = path.read_bytes()
    fields, rest = _header(content)
    sizes = [int(n) for n in _field(fields, "sizes").split() if n.isdecimal()]
    if len(sizes) != len(_field(fields, "sizes").split()) or 0 in sizes:
        raise NrrdError(f"its sizes are {fields['sizes']!r}, not numbers from 1 up")
    name = _field(fields, "type")
    if name not in TYPES:
        raise NrrdError(f"its type '{name}' is not a number type that can be read")
    dtype = np.dtype(TYPES[name]).newbyteorder("<" if _is_little(fields) else ">")
    if "data file" in fields:
        rest = (path.parent / fields["data file"]).read_bytes()
    if n_lines := int(fields.get("line skip", "0")):
        rest = rest.split(b"\n", n_lines)[-1]
    values = _decode(rest, fields, dtype, int(np.prod(sizes)))
    if len(sizes) > 3:
        raise NrrdError(f"it has {len(sizes)} axes, a volume has 1 to 3")
    spacing, direction = _axes(fields, len(sizes))
    origin = _vectors(fields.get("space origin", ""))
    return Nrrd(
        values.astype(dtype.newbyteorder("="), copy=False).reshape(sizes[::-1]),
        spacing,
        _padded(origin[0] if origin else ()),
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


def _field(fields: dict[str, str], name: str) -> str:
    if not fields.get(name):
        raise NrrdError(f"its header has no field '{name}'")
    return fields[name]


def _is_little(fields: dict[str, str]) -> bool:
    return fields.get("endian", "little").lower() == "little"


def _decode(data: bytes, fields: dict[str, str], dtype: np.dtype, n_values: int) -> np.ndarray:
    encoding = _field(fields, "encoding").lower()
    try:
        if encoding in ("gz", "gzip"):
            data = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data)
        elif encoding in ("bz2", "bzip2"):
            data = bz2.decompress(data)
        elif encoding in ("txt", "text", "ascii"):
            data = np.array(data.split(), dtype=dtype.newbyteorder("=")).astype(dtype).tobytes()
        elif encoding != "raw":
            raise NrrdError(f"its encoding '{encoding}' cannot be read")
    except (OSError, zlib.error) as error:
        raise NrrdError(f"its {encoding} data are damaged ({error})") from None
    expected = n_values * dtype.itemsize
    skip = int(fields.get("byte skip", "0"))
    data = data[len(data) - expected :] if skip == -1 else data[skip:]
    if len(data) < expected:
        raise NrrdError(f"it has {len(data)} bytes of data where its sizes need {expected}")
    return np.frombuffer(data, dtype=dtype, count=n_values)


def _axes(fields: dict[str, str], n_axes: int) -> tuple[Vector, np.ndarray]:
    vectors = _vectors(fields.get("space directions", ""))
    direction = np.eye(3)
    if len(vectors) == n_axes and all(len(vector) in (2, 3) for vector in vectors):
        steps = np.array([_padded(vector) for vector in vectors])
        lengths = np.linalg.norm(steps, axis=1)
        if (lengths > 0).all():
            units = steps / lengths[:, None]
            if n_axes == 2:  # a slice in space: its normal is the third axis
                units = np.vstack([units, np.cross(*units)])
            if n_axes > 1:
                direction = units.T
        return _padded(tuple(lengths), 1.0), direction
    spacings = [float(text) for text in fields.get("spacings", "").split()]
    return _padded(tuple(s if np.isfinite(s) and s > 0 else 1.0 for s in spacings), 1.0), direction


def _vectors(text: str) -> list[tuple[float, ...]]:
    """The (x,y,z) groups of a field; an axis marked 'none' is left out."""
    return [tuple(map(float, group.split(","))) for group in re.findall(r"\(([^)]*)\)", text)]


def _padded(vector: tuple[float, ...], filling: float = 0.0) -> Vector:
    x, y, z = (*vector, *(filling,) * 3)[:3]
    return float(x), float(y), float(z)
