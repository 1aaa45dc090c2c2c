"""Interface of devices: an array module, kernel launches, a clock, and memory.

The arguments of a launch are checked against the parameters in the kernel's header: dtype,
contiguity, and that the array is on the device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from ..kernels import source

Array = Any  # numpy.ndarray or cupy.ndarray; CuPy may be missing
OnSlice = Callable[[float], None]
Allocating = Callable[[], AbstractContextManager[Any]]
Form = TypeVar("Form")
MUCH_CACHED = 1 << 30
"""Bytes that are freed between stages, because the next one allocates arrays of other sizes."""


class Device(ABC):
    """A device that runs kernels. ``name`` is "cpu" or "cuda:N"; ``xp`` is NumPy or CuPy."""

    name: str
    xp: Any
    is_cuda: bool
    is_contiguous: Callable[[Array], bool] = attrgetter("flags.c_contiguous")

    @abstractmethod
    def launch(
        self, kernel: str, n_items: int, *arguments: Any, on_slice: OnSlice | None = None
    ) -> None:
        """Run a kernel for items 0 to n_items - 1.

        Arrays are checked, scalars are converted, and tuples are structs. On the CPU, `on_slice` is
        called several times per second with the completed fraction; an exception cancels.
        """

    def launch_form(self, *, host: Form, gpu: Form) -> Form:
        """Return the form for this device, of two with bit-identical results."""
        return gpu if self.is_cuda else host

    def with_threads(self, threads: int) -> Device:
        """Return the device with `threads` CPU threads per launch, for use in a thread."""
        return self

    def known_count(self, count: Array, at_most: int) -> int:
        """Return the number of items in `count` (1,), or on a GPU a bound that needs no copy."""
        return at_most if self.is_cuda else int(count[0])

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all launched work is done."""

    @abstractmethod
    def mark(self) -> Any:
        """Return the current time of the device; see :meth:`seconds_between`."""

    def wait_for(self, mark: Any) -> None:
        """Wait until the work before a mark is done."""
        return None

    @abstractmethod
    def seconds_between(self, begin: Any, end: Any) -> float:
        """Return the device time between two marks."""

    @abstractmethod
    def free_memory(self) -> int:
        """Return the bytes that can be allocated now."""

    def free_cached(self, at_least: int = 0) -> None:
        """Free cached memory, unless fewer bytes are cached."""
        return None

    def within(self, n_bytes: int) -> AbstractContextManager[Allocating]:
        """Return a context with a pool of memory, which frees cached blocks to stay below a limit.

        It yields a function that returns a context in which a thread allocates from this pool. At
        the end, the memory that no array uses is freed.
        """
        return nullcontext(nullcontext)

    def apart(self) -> AbstractContextManager[None]:
        """Return a context in which the thread allocates outside of pools.

        Arrays that stay are then not parts of larger blocks, which could not be freed.
        """
        return nullcontext()

    def current(self) -> AbstractContextManager[None]:
        """Return a context that allocates on this device and translates CUDA errors."""
        return nullcontext()

    def queue(self) -> AbstractContextManager[Any]:
        """Return a new queue, a context, which runs concurrently with others."""
        return nullcontext()

    def copy_up(self, source: np.ndarray, target: Array) -> None:
        """Copy a host array to the device; may return before pinned memory was read."""
        target[...] = source

    def copy_down(self, source: Array, target: np.ndarray) -> None:
        """Copy a device array to the host; may return before all is written."""
        target[...] = source

    def copy_across(self, source: Array, target: Array) -> None:
        """Copy within the device, or between it and another one of its kind."""
        target[...] = source

    def brought(self, array: Array) -> Array:
        """Return the array; one of another GPU is copied to this one.

        It must be contiguous and complete. Later work on the other GPU is not waited for.
        """
        return array

    def is_pinned(self, array: Array) -> bool:
        """Return whether an array on the host is in memory that is copied without staging."""
        return False

    def mapped(self, array: np.ndarray) -> Array:
        """Return an array on the device in the pinned memory of one on the host."""
        return array

    def host_empty(self, n: int, dtype: Any) -> np.ndarray:
        """Allocate a host array (n,) that is copied fast."""
        return np.empty(n, dtype)

    def zeros(self, shape: Any, dtype: Any) -> Array:
        """Allocate zeros on the device."""
        return self.xp.zeros(shape, dtype)

    def empty(self, shape: Any, dtype: Any) -> Array:
        """Allocate an uninitialized array on the device."""
        return self.xp.empty(shape, dtype)

    def copied(self, array: Array) -> Array:
        """Return a copy of an array of the device, which may be in a file."""
        copy = self.empty(array.shape, array.dtype)
        copy[...] = array
        return copy

    def unset(self, shape: Any, dtype: Any) -> Array:
        """Allocate integers with all bits set: -1, or the largest unsigned one."""
        return self.xp.full(shape, -1, np.dtype(dtype).str.replace("u", "i")).view(dtype)

    def barrier(self) -> Array:
        """Return zeros, by which all blocks of a cooperative launch wait for each other."""
        return self.zeros(source.constant("BARRIER_WORDS"), np.uint64)

    def numbers(self, n: int, dtype: Any, first: int = 0, step: int = 1) -> Array:
        """Return the integers first + step * i (n,)."""
        if step == 0:
            return self.xp.full(n, first, dtype)
        found = self.xp.arange(first, first + step * n, step, dtype=np.int64)
        return found.astype(dtype, copy=False)

    @abstractmethod
    def joined(self, arrays: Sequence[Array]) -> Array:
        """Return contiguous arrays of one dtype, one after the other."""

    def bind(self, kernel: source.Kernel, arguments: tuple[Any, ...]) -> list[Any]:
        """Return the checked arguments as arrays, NumPy scalars, and structured scalars.

        This takes half of the launch time, so dtypes are compared as objects, not by name.
        """
        forms = _forms_of(kernel)
        if len(arguments) != len(forms):
            raise TypeError(
                f"kernel {kernel.name} takes {len(forms)} arguments, got {len(arguments)}"
            )
        array_type, is_contiguous, on_host = self.xp.ndarray, self.is_contiguous, not self.is_cuda
        bound = []
        for index, (dtypes, is_written, scalar) in enumerate(forms):
            argument = arguments[index]
            if scalar is not None:
                argument = scalar(argument)
            elif (
                not isinstance(argument, array_type)
                or argument.dtype not in dtypes
                or not is_contiguous(argument)
                or (is_written and on_host and not argument.flags.writeable)
            ):
                raise TypeError(_mismatch(kernel, index, argument, self.name))
            bound.append(argument)
        return bound


class LargeExtents(tuple[int, ...]):
    """A struct of an image whose vertices need 64 bits, for which the CPU has kernels."""


class Lane:
    """A queue of a device for pieces of host arrays, used as a context; its work runs in order.

    With two lanes, the copies of one piece overlap with the kernels of another. An array that is
    already on the device is used without a copy. Memory of its arrays is reused by this lane only.
    """

    def __init__(self, device: Device, apart: bool = True):
        """`apart`: in a queue of its own rather than the current one of the device."""
        self.device = device
        self._queue = device.queue() if apart else nullcontext()

    def __enter__(self) -> Lane:
        self._queue.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._queue.__exit__(*error)

    def upload(self, source: Array) -> Array:
        """Return the array (n,) on the device."""
        return source if isinstance(source, self.device.xp.ndarray) else self.upload_copy(source)

    def upload_copy(self, source: np.ndarray) -> Array:
        """Return a writable copy of the array (n,) on the device."""
        array = self.device.empty(source.shape, source.dtype)
        self.device.copy_up(source, array)
        return array

    def room_for(self, target: Array) -> Array:
        """Return a device array for the values of `target`, or `target` if it is on the device."""
        if isinstance(target, self.device.xp.ndarray):
            return target
        return self.device.empty(target.shape, target.dtype)

    def download(self, array: Array, target: Array) -> None:
        """Copy to the host, or within the device; `target` has the values after :meth:`wait`."""
        if array is target:
            return
        if isinstance(target, self.device.xp.ndarray):
            self.device.copy_across(array, target)
        else:
            self.device.copy_down(array, target)

    def wait(self) -> None:
        """Wait until all work in this lane is done."""
        with self:
            self.device.synchronize()


def value_dtype(kernel: source.Kernel, bound: list[Any]) -> str | None:
    """Return the dtype name of the values that a kernel reads; None if it has one instance."""
    if kernel.dtypes == (None,):
        return None
    found = [
        (parameter.name, _name_of(argument.dtype))
        for parameter, argument in zip(kernel.parameters, bound, strict=True)
        if parameter.type in ("Value", "Float")
    ]
    if len({dtype for _, dtype in found}) > 1:
        raise TypeError(f"kernel {kernel.name}: arrays of values differ in dtype: {dict(found)}")
    return found[0][1] if found else None


@cache
def _name_of(dtype: np.dtype) -> str:
    return str(dtype.name)


@cache
def _dtypes_of(parameter_type: str) -> tuple[np.dtype, ...]:
    """Dtypes of an array parameter."""
    several = {"Value": tuple(source.VALUE_TYPES), "Float": source.FLOAT_TYPES}
    names = several.get(parameter_type) or (source.SCALAR_TYPES[parameter_type],)
    return tuple(map(np.dtype, names))


@cache
def struct_dtype(name: str) -> np.dtype:
    """Return the NumPy dtype of a struct that is passed by value."""
    return np.dtype(list(source.structs()[name]), align=True)


@cache
def _forms_of(kernel: source.Kernel) -> tuple[tuple[tuple[np.dtype, ...], bool, Any], ...]:
    """Dtypes of each parameter, whether it is written, and the conversion of a scalar, if it is."""

    def conversion(parameter: source.Parameter) -> Any:
        if parameter.is_array:
            return None
        if parameter.type in source.SCALAR_TYPES:
            return _dtypes_of(parameter.type)[0].type
        return partial(_as_struct, struct_dtype(parameter.type))

    return tuple(
        (_dtypes_of(p.type) if p.is_array else (), p.is_written, conversion(p))
        for p in kernel.parameters
    )


def _as_struct(dtype: np.dtype, value: Any) -> Any:
    return np.array(tuple(value), dtype)[()]


def _mismatch(kernel: source.Kernel, index: int, argument: Any, device: str) -> str:
    parameter = kernel.parameters[index]
    dtypes = " or ".join(dtype.name for dtype in _dtypes_of(parameter.type))
    return (
        f"kernel {kernel.name}, {parameter.name}: expected a {'writable ' * parameter.is_written}"
        f"C-contiguous array of {dtypes} on {device}, got {type(argument).__name__} "
        f"{getattr(argument, 'dtype', '')}"
    )
