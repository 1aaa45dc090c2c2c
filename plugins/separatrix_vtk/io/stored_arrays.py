"""Named arrays of HDF5 files and of zarr, also OME-NGFF (https://ngff.openmicroscopy.org).

Arrays are placed by their dimension scales (HDF5), their named axes and coordinates (zarr, as
xarray writes it), the scales of OME-NGFF, or the attributes spacing or element_size_um, and origin.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from separatrix_vtk.io.errors import FileError, FileWarning, damaged, library
from separatrix_vtk.io.labeled_images import placed
from separatrix_vtk.io.vtk_files import problem_of

LARGEST = 2**31 - 1  # values, the most that the engine takes
SCALE = b"DIMENSION_SCALE"


class Stored(NamedTuple):
    """An array that is not read yet, with the names and the coordinates of its axes."""

    values: Any
    names: list[str]
    places: list[np.ndarray | None]


def read_hdf5(path: Path, array: str | None = None) -> Any:
    """The arrays of an HDF5 file, all of one shape or the one that is chosen."""
    h5py = library("h5py", path)

    def read() -> Any:
        with h5py.File(path) as file:
            return _image({name: _of_hdf5(one) for name, one in _walk(file)}, array)

    def problem() -> str:
        try:
            _attempt(read)
        except FileError as error:
            return str(error)
        return ""

    if text := problem_of([path], problem):
        raise FileError(text)
    return _attempt(read)


def read_zarr(path: Path, array: str | None = None) -> Any:
    """The arrays of a zarr folder; of OME-NGFF the finest level, with one array per channel."""
    zarr = library("zarr", path)

    def read() -> Any:
        root = zarr.open(str(path), mode="r")
        if hasattr(root, "shape"):
            return _image({"Scalars": _of_zarr(root, None)}, array)
        about = dict(root.attrs)
        about = about.get("ome", about)
        if "multiscales" in about:
            return _of_ngff(path, root, about, array)
        return _image({name: _of_zarr(one, root) for name, one in _walk(root)}, array)

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


def _image(found: dict[str, Stored], array: str | None) -> Any:
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
    values = {name: _values(one.values) for name, one in taken.items()}
    axes = list(range(first.values.ndim))
    for axis in axes[::-1]:  # channels are often the last, time steps the first
        if len(axes) > 3 and first.values.shape[axis] == 1:
            axes.remove(axis)
    if len(axes) > 3:
        raise FileError(f"contains shape {first.values.shape}; expected one to three axes.")
    shape = [first.values.shape[axis] for axis in axes]
    values = {name: one.reshape(shape) for name, one in values.items()}
    return placed(values, [first.names[a] for a in axes], [first.places[a] for a in axes])


def _values(stored: Any) -> np.ndarray:
    """All values of a stored array, of which a small file may declare any number."""
    if math.prod(stored.shape) > LARGEST:
        raise FileError(
            f"contains shape {stored.shape}, more than {LARGEST:,} values. Choose another "
            "{array}."
        )
    return np.asarray(stored[...])


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


def _of_ngff(path: Path, root: Any, about: dict[str, Any], array: str | None) -> Any:
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
    index: list[Any] = [slice(None)] * len(names)
    if "t" in names:
        index[names.index("t")] = 0
        if (n := stored.shape[names.index("t")]) > 1:
            text = f"{path}: the first of {n} time steps is read."
            warnings.warn(text, FileWarning, stacklevel=6)
    space = [k for k, name in enumerate(names) if name in ("x", "y", "z")]
    places = [begin[k] + steps[k] * np.arange(stored.shape[k]) for k in space]
    if math.prod(stored.shape[k] for k in space) > LARGEST:
        raise FileError(f"contains shape {stored.shape}. Choose a coarser level as {{array}}.")
    if "c" not in names:
        arrays = {str(image.get("name") or "Scalars"): np.asarray(stored[tuple(index)])}
        return placed(arrays, [names[k] for k in space], places)
    channels = (about.get("omero") or {}).get("channels", ())
    arrays = {}
    for c in range(stored.shape[names.index("c")]):
        index[names.index("c")] = c
        label = channels[c].get("label") if c < len(channels) else None
        arrays[str(label or f"channel {c}")] = np.asarray(stored[tuple(index)])
    return placed(arrays, [names[k] for k in space], places)
