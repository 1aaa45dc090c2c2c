"""Named arrays of HDF5 files and of zarr, also OME-NGFF (https://ngff.openmicroscopy.org).

Arrays are placed by their dimension scales (HDF5), their named axes and coordinates (zarr, as
xarray writes it), the scales of OME-NGFF, or the attributes spacing or element_size_um, and origin.
With a scratch folder, values are copied to a file there, layer by layer, instead of to memory.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from separatrix_vtk.io.errors import FileError, FileWarning, damaged, library
from separatrix_vtk.io.labeled_images import placed
from separatrix_vtk.io.vtk_files import problem_of

MANY = 2**31  # values; a damaged file may declare any number
MOST_COMPRESSED = 1100  # times: a little more than the most of deflate
READ_BYTES = 32 << 20  # of the layers that are read at a time
SCALE = b"DIMENSION_SCALE"


class Stored(NamedTuple):
    """An array that is not read yet, with the names and the coordinates of its axes."""

    values: Any
    names: list[str]
    places: list[np.ndarray | None]


class Target(NamedTuple):
    """Where the values of a file go: to memory, to a file in a folder, or nowhere."""

    path: Path  # of the file that is read
    folder: str | None = None
    is_test: bool = False

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray | None:
        if self.is_test:
            return None
        if self.folder is None or 0 in shape:
            return np.empty(shape, dtype)
        with tempfile.TemporaryFile(dir=self.folder) as file:
            return np.memmap(file, dtype, "w+", shape=shape)


def read_hdf5(path: Path, array: str | None = None, scratch: str | None = None) -> Any:
    """The arrays of an HDF5 file, all of one shape or the one that is chosen."""
    h5py = library("h5py", path)

    def read(target: Target) -> Any:
        with h5py.File(path) as file:
            return _image({name: _of_hdf5(one) for name, one in _walk(file)}, array, target)

    def problem() -> str:
        try:
            _attempt(lambda: read(Target(path, is_test=True)))
        except FileError as error:
            return str(error)
        return ""

    if text := problem_of([path], problem):
        raise FileError(text)
    return _attempt(lambda: read(Target(path, scratch)))


def read_zarr(path: Path, array: str | None = None, scratch: str | None = None) -> Any:
    """The arrays of a zarr folder; of OME-NGFF the finest level, with one array per channel."""
    zarr, target = library("zarr", path), Target(path, scratch)

    def read() -> Any:
        root = zarr.open(str(path), mode="r")
        if hasattr(root, "shape"):
            return _image({"Scalars": _of_zarr(root, None)}, array, target)
        about = dict(root.attrs)
        about = about.get("ome", about)
        if "multiscales" in about:
            return _of_ngff(root, about, array, target)
        return _image({name: _of_zarr(one, root) for name, one in _walk(root)}, array, target)

    return _attempt(read)


def _attempt(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (FileError, MemoryError):
        raise
    except Exception as error:  # of a library, whose errors have no base
        raise damaged(error or type(error).__name__) from None


def _walk(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays below a group, by their paths."""
    for name in group:
        one = group[name]
        if hasattr(one, "shape"):
            yield f"{prefix}{name}", one
        else:
            yield from _walk(one, f"{prefix}{name}/")


def _image(found: dict[str, Stored], array: str | None, target: Target) -> Any:
    """The image of a chosen array, or of all that have the most axes if these are of one shape."""
    known = {
        name: one
        for name, one in found.items()
        if one.values.dtype.kind in "iufb" and 1 <= sum(n > 1 for n in one.values.shape) <= 3
    }
    names = ", ".join(list(known)[:20]) or "none"
    if array is not None:
        if array.strip("/") not in found:
            raise FileError(f"contains no array {array!r}; its arrays: {names}.")
        known = {array: found[array.strip("/")]}
    if not known:
        raise FileError("contains no array of numbers with one to three axes.")
    most = max(one.values.ndim for one in known.values())
    taken = {name: one for name, one in known.items() if one.values.ndim == most}
    if len({one.values.shape for one in taken.values()}) > 1:
        raise FileError(f"contains arrays of several shapes. Choose {{array}} among {names}.")
    first = next(iter(taken.values()))
    values = {name: _values(one.values, target) for name, one in taken.items()}
    if target.is_test:
        return None
    axes = list(range(first.values.ndim))
    for axis in axes[::-1]:  # channels are often the last, time steps the first
        if len(axes) > 3 and first.values.shape[axis] == 1:
            axes.remove(axis)
    if len(axes) > 3:
        raise FileError(f"contains shape {first.values.shape}; expected one to three axes.")
    shape = [first.values.shape[axis] for axis in axes]
    values = {name: one.reshape(shape) for name, one in values.items()}
    return placed(values, [first.names[a] for a in axes], [first.places[a] for a in axes])


def _values(stored: Any, target: Target, fixed: dict[int, int] | None = None) -> Any:
    """The values of a stored array, at `fixed` places of some axes, read layer by layer."""
    fixed = fixed or {}
    kept = [axis for axis in range(len(stored.shape)) if axis not in fixed]
    shape = tuple(stored.shape[axis] for axis in kept)
    n_bytes = math.prod(shape) * stored.dtype.itemsize
    if math.prod(shape) >= MANY and n_bytes > MOST_COMPRESSED * _size_of(target.path):
        raise FileError(
            f"declares shape {stored.shape}, of {n_bytes:,} bytes, but contains only "
            f"{_size_of(target.path):,}. Choose another {{array}}."
        )
    values = target.empty(shape, stored.dtype.newbyteorder("="))
    across = next((axis for axis in kept if stored.shape[axis] > 1), kept[0] if kept else 0)
    n_layers = stored.shape[across] if kept else 1
    step = max(1, READ_BYTES * n_layers // max(n_bytes, 1))
    place: list[Any] = [fixed.get(axis, slice(None)) for axis in range(len(stored.shape))]
    for begin in range(0, n_layers, step):
        if kept:
            place[across] = slice(begin, begin + step)
        layers = stored[tuple(place)]
        if values is not None:
            values[tuple(place[axis] for axis in kept)] = layers
    return values


def _size_of(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    files = [one for one in path.rglob("*") if one.is_file()] if path.is_dir() else [path]
    return sum(one.stat().st_size for one in files)


def _of_hdf5(stored: Any) -> Stored:
    about = dict(stored.attrs)
    if about.get("CLASS") == SCALE:  # coordinates of other arrays
        return Stored(np.empty(0, "S1"), [], [])
    names, places = [], []
    for axis in stored.dims:
        scale = axis[0] if len(axis) else None
        names.append(axis.label or (scale.name.rpartition("/")[2] if scale is not None else ""))
        is_place = scale is not None and scale.dtype.kind in "iuf"
        places.append(np.asarray(scale) if is_place else None)
    return _by_attributes(Stored(stored, names, places), about)


def _of_zarr(stored: Any, group: Any) -> Stored:
    about = dict(stored.attrs)
    names = about.get("_ARRAY_DIMENSIONS") or getattr(stored.metadata, "dimension_names", None)
    names = [str(name or "") for name in names or [""] * stored.ndim]
    if names == [stored.name.rpartition("/")[2]]:  # coordinates of other arrays
        return Stored(np.empty(0, "S1"), [], [])
    # A group contains "", which is itself.
    numbers = [
        group[name] if name and group is not None and name in group else None for name in names
    ]
    places = [
        np.asarray(one[...])
        if one is not None and one.ndim == 1 and one.dtype.kind in "iuf"
        else None
        for one in numbers
    ]
    return _by_attributes(Stored(stored, names, places), about)


def _by_attributes(one: Stored, about: dict[str, Any]) -> Stored:
    """The array with places by its attributes, if it has no coordinates: by z, y, and x."""
    steps = np.ravel(about.get("element_size_um", about.get("spacing", ())))
    begin = np.ravel(about.get("origin", np.zeros(len(steps))))
    n_axes = len(one.names)
    if any(place is not None for place in one.places) or not len(steps) == len(begin) == n_axes:
        return one
    sizes = zip(begin, steps, one.values.shape, strict=True)
    places: list[np.ndarray | None] = [float(b) + float(s) * np.arange(n) for b, s, n in sizes]
    return one._replace(places=places)


def _of_ngff(root: Any, about: dict[str, Any], array: str | None, target: Target) -> Any:
    """The level `array` of an OME-NGFF image, by default the finest."""
    image = about["multiscales"][0]
    levels = {level["path"]: level for level in image["datasets"]}
    level = levels.get(array or "", image["datasets"][0])
    if array is not None and array not in levels:
        raise FileError(f"contains no level {array!r}; its levels: {', '.join(levels)}.")
    names = [axis["name"] if isinstance(axis, dict) else axis for axis in image["axes"]]
    stored, steps, begin = root[level["path"]], np.ones(len(names)), np.zeros(len(names))
    for change in [
        *level.get("coordinateTransformations", ()), *image.get("coordinateTransformations", ())
    ]:  # fmt: skip
        if change["type"] == "scale":
            steps, begin = steps * change["scale"], begin * change["scale"]
        elif change["type"] == "translation":
            begin = begin + change["translation"]
    fixed = {}
    if "t" in names:
        fixed[names.index("t")] = 0
        if (n := stored.shape[names.index("t")]) > 1:
            text = f"{target.path}: the first of {n} time steps is read."
            warnings.warn(text, FileWarning, stacklevel=6)
    space = [k for k, name in enumerate(names) if name in ("x", "y", "z")]
    places = [begin[k] + steps[k] * np.arange(stored.shape[k]) for k in space]
    if "c" not in names:
        arrays = {str(image.get("name") or "Scalars"): _values(stored, target, fixed)}
        return placed(arrays, [names[k] for k in space], places)
    channels = (about.get("omero") or {}).get("channels", ())
    arrays = {}
    for c in range(stored.shape[names.index("c")]):
        label = channels[c].get("label") if c < len(channels) else None
        channel = _values(stored, target, {**fixed, names.index("c"): c})
        arrays[str(label or f"channel {c}")] = channel
    return placed(arrays, [names[k] for k in space], places)
