"""Images larger than memory: values read layer by layer, and arrays in files of a scratch folder.

The files have no names and are deleted with their arrays. The system writes pages of them to disk
when memory is short, and their room is reserved at once, so that a full disk is an error.
"""

from __future__ import annotations

import math
import mmap
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from threading import Lock
from typing import Any

import numpy as np

from ..errors import DeviceMemoryError, InputError, Words
from .arrays import as_array, is_on_gpu, to_host
from .base import Array, Device, OnSlice
from .host import HostDevice

Part = tuple[slice, ...]
SPILL_FROM = 16 << 20  # bytes of an array; smaller ones stay in memory
READ_BYTES = 32 << 20  # of the layers that are read at a time


def checked_folder(scratch: Any) -> str | None:
    """Return the path of the scratch folder, None for none. Raises InputError."""
    if scratch is None:
        return None
    is_path = isinstance(scratch, (str, os.PathLike)) and os.path.isdir(scratch)
    if not is_path or not os.access(scratch, os.W_OK):
        raise InputError("scratch", "an existing folder that can be written to", scratch)
    return os.path.abspath(os.fsdecode(scratch))


class ScratchDevice(HostDevice):
    """The CPU, whose large arrays are in files of a folder."""

    def __init__(
        self,
        folder: str,
        threads: int | None = None,
        listener: Callable[[], OnSlice | None] | None = None,
    ):
        super().__init__(threads, listener)
        self.folder = folder

    def with_threads(self, threads: int) -> HostDevice:
        return ScratchDevice(self.folder, threads)

    def free_memory(self) -> int:
        return super().free_memory() + shutil.disk_usage(self.folder).free

    def empty(self, shape: Any, dtype: Any) -> np.ndarray:
        n_bytes = np.dtype(dtype).itemsize * math.prod(np.atleast_1d(shape).tolist())
        if n_bytes < SPILL_FROM:
            return np.empty(shape, dtype)
        try:
            with tempfile.TemporaryFile(dir=self.folder, prefix="separatrix-") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, n_bytes)
                else:
                    file.truncate(n_bytes)
                pages = mmap.mmap(file.fileno(), n_bytes)
        except OSError as error:
            raise DeviceMemoryError(
                f"An array requires {n_bytes:,} bytes in {self.folder}, which cannot be reserved: "
                f"{error.strerror}. Set {{scratch}} to a folder with more room."
            ) from error
        return np.frombuffer(pages, dtype).reshape(shape)

    def zeros(self, shape: Any, dtype: Any) -> np.ndarray:
        array = self.empty(shape, dtype)
        array[...] = 0
        return array

    def host_empty(self, n: int, dtype: Any) -> np.ndarray:
        return self.empty(n, dtype)


class Source:
    """An image that is read layer by layer from an object with `shape`, `dtype`, and slices."""

    def __init__(self, data: Any, dtype: np.dtype) -> None:
        self._data, self.shape, self.dtype = data, tuple(map(int, data.shape)), dtype
        self._read: np.ndarray | None = None
        self._reading = Lock()  # readers of files need not support several threads

    def read(self, host: HostDevice, done: Callable[[float], None]) -> np.ndarray:
        """Return all values, in native byte order; the next layers are read during a copy."""
        if self._read is None:
            self._read = host.empty(self.shape, self.dtype.newbyteorder("="))
            for part, layers in self.runs(runs_of_layers(self.shape, self.dtype.itemsize)):
                self._read[part] = layers
                done(0.9 * part[-1].stop / self.shape[len(part) - 1])
            self._read.flags.writeable = False
        return self._read

    def runs(
        self, parts: Iterable[Part], device: Device | None = None
    ) -> Iterator[tuple[Part, Array]]:
        """Yield parts with their values; the next ones are read while the caller uses them.

        They are read for a `device`, which is current if the source computes them on a GPU, and
        may then be on any GPU; by default they are NumPy arrays.
        """
        with ThreadPoolExecutor(1, "separatrix") as pool:
            coming: deque[tuple[Part, Future[Array]]] = deque(maxlen=2)
            for part in parts:
                coming.append((part, pool.submit(self._layers, part, device)))
                if len(coming) == 2:
                    first, reading = coming.popleft()
                    yield first, reading.result()
            for part, reading in coming:
                yield part, reading.result()

    def _layers(self, part: Part, device: Device | None) -> Array:
        try:
            with nullcontext() if device is None else device.current():
                with self._reading:
                    layers = self._data[part]
                    if not is_on_gpu(layers):
                        return np.asarray(layers)
                if device is None or not device.is_cuda:
                    return to_host(layers)
                device.synchronize()
                return layers
        except Exception as error:  # the reader of a file may raise any exception
            got = Words(f"{type(self._data).__name__} ({error})")
            raise InputError("values", "an array whose layers can be read", got) from error


def runs_of_layers(
    shape: tuple[int, ...], itemsize: int, first: int = 0, end: int | None = None
) -> Iterator[Part]:
    """Yield the slices that read layers of an array in runs of about READ_BYTES."""
    before = next((i for i, n in enumerate(shape) if n > 1), 0)
    end = shape[before] if end is None else end
    layer_bytes = itemsize * math.prod(shape[before + 1 :])
    step = max(1, READ_BYTES // max(layer_bytes, 1))
    for begin in range(first, end, step):
        yield (*(slice(None),) * before, slice(begin, min(begin + step, end)))


def opened(data: Any, name: str, scratch: Any) -> Array:
    """Return an array, or the Source of one that is copied to the scratch folder. InputError.

    Without a folder, these are sources that NumPy cannot convert. With one, they are also arrays
    in another byte or axis order, and everything that has `shape`, `dtype`, and slices.
    """
    if isinstance(data, np.ndarray):
        is_native = data.dtype.isnative and data.flags.c_contiguous and data.flags.aligned
        is_source = scratch is not None and not is_native
    else:
        has_all = all(hasattr(data, part) for part in ("shape", "dtype", "__getitem__"))
        is_source = has_all and (scratch is not None or not hasattr(data, "__array__"))
    if is_source and not is_on_gpu(data):
        try:
            dtype = np.dtype(data.dtype)
        except TypeError:  # of a tensor
            return as_array(data, name)
        if dtype.kind in "biuf" and len(data.shape) and 0 not in data.shape:
            return Source(data, dtype)
    return as_array(data, name)


def is_read_only_file(array: Array) -> bool:
    """Return whether an array is a memory map that its program cannot change."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return isinstance(getattr(array, "obj", array), mmap.mmap)


def check_out(out: Any, shape: tuple[int, ...]) -> None:
    """Raise InputError unless labels (int32) can be written to slices of `out`."""
    if not all(hasattr(out, part) for part in ("shape", "dtype", "__setitem__")):
        got = type(out).__name__
    elif tuple(out.shape) != shape or not np.can_cast(np.int32, out.dtype):
        got = f"{out.dtype} of shape {tuple(out.shape)}"
    else:
        return
    raise InputError("out", f"an array of shape {shape} that can hold int32", Words(got))


def write_layers(labels: Array, out: Any) -> Any:
    """Write labels to an array, a memory map, or a dataset of a file, and return it."""
    for part in runs_of_layers(labels.shape, labels.itemsize):
        out[part] = to_host(labels[part])
    return out
