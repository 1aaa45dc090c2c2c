"""What a device is: an array module, a way to launch kernels, a clock, and its memory.

Arguments of a launch are checked here, once, against the parameters that the kernel's header
declares: dtype, contiguity, and that the array lives on the device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, NoReturn, TypeVar

import numpy as np

from ..kernels import source

Array = Any  # numpy.ndarray or cupy.ndarray: CuPy may not be there to name its type
OnSlice = Callable[[float], None]
Form = TypeVar("Form")


class Device(ABC):
    """A place where kernels run. ``name`` is "cpu" or "cuda:N"; ``xp`` is NumPy or CuPy."""

    name: str
    xp: Any
    is_cuda: bool

    @abstractmethod
    def launch(
        self, kernel: str, n_items: int, *arguments: Any, on_slice: OnSlice | None = None
    ) -> None:
        """Run `kernel` for items 0 .. n_items - 1.

        Arrays are checked against the header, scalars are converted, a tuple fills a struct.
        `on_slice`, if given, hears of the part done (0 to 1) several times a second where the
        device can be interrupted; what it raises stops the launch.
        """

    def __reduce__(self) -> NoReturn:
        # What computes on demand holds its device, and its lock; arrays alone can travel.
        raise TypeError(
            "a result that computes its parts when they are asked for can't be pickled or deeply "
            "copied; pickle or copy its arrays, or compute it anew in each process"
        )

    def launch_form(self, *, host: Form, gpu: Form) -> Form:
        """Of two forms of the same work, which give the same bits, the one for this device."""
        return gpu if self.is_cuda else host

    def with_threads(self, threads: int) -> Device:
        """The device for a thread of its caller's; the CPU's launches have `threads` each."""
        return self

    def known_count(self, count: Array, at_most: int) -> int:
        """How many items a launch must cover: the number in `count` (1,), or where that would
        have to be waited for, the bound.
        """
        return at_most if self.is_cuda else int(count[0])

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all launched work is done."""

    @abstractmethod
    def mark(self) -> Any:
        """A point in the device's time; see :meth:`seconds_between`."""

    @abstractmethod
    def seconds_between(self, begin: Any, end: Any) -> float:
        """Seconds of device time between two marks."""

    @abstractmethod
    def free_memory(self) -> int:
        """Bytes that could be allocated now."""

    def free_cached(self) -> None:
        """Give back memory that is kept for later arrays."""
        return None

    def within(self, n_bytes: int) -> AbstractContextManager[None]:
        """Context whose new arrays, and what is kept of them for later ones, stay below a limit.

        All of it goes back at the end: no array made inside may be used outside.
        """
        return nullcontext()

    def current(self) -> AbstractContextManager[None]:
        """Context in which arrays are made on this device and its errors are ours."""
        return nullcontext()

    def queue(self) -> AbstractContextManager[Any]:
        """A new context whose launches and copies keep their order beside those of others."""
        return nullcontext()

    def copy_up(self, source: np.ndarray, target: Array) -> None:
        """Copy a host array into one of the device; it may return before pinned memory is read."""
        target[...] = source

    def copy_down(self, source: Array, target: np.ndarray) -> None:
        """Copy a device array into one of the host; it may return before all is written."""
        target[...] = source

    def host_empty(self, n: int, dtype: Any) -> np.ndarray:
        """New array (n,) of the host, for large ones that are copied to the device and back."""
        return np.empty(n, dtype)

    def zeros(self, shape: Any, dtype: Any) -> Array:
        """New array of zeros on the device."""
        return self.xp.zeros(shape, dtype)

    def empty(self, shape: Any, dtype: Any) -> Array:
        """New array on the device, its contents undefined."""
        return self.xp.empty(shape, dtype)

    def bind(self, kernel: source.Kernel, arguments: tuple[Any, ...]) -> list[Any]:
        """The arguments checked and converted to arrays, NumPy scalars and structured scalars.

        Half of what a launch costs the host: dtypes are compared as objects, their names are slow.
        """
        parameters = kernel.parameters
        if len(arguments) != len(parameters):
            raise TypeError(
                f"kernel {kernel.name} takes {len(parameters)} arguments, got {len(arguments)}"
            )
        array_type, bound = self.xp.ndarray, []
        for parameter, argument in zip(parameters, arguments, strict=True):
            if not parameter.is_array:
                bound.append(_bind_scalar(parameter, argument))
                continue
            if (
                not isinstance(argument, array_type)
                or argument.dtype not in _dtypes_of(parameter.type)
                or not argument.flags.c_contiguous
            ):
                raise self._misfit(kernel, parameter, argument)
            if parameter.is_written and not self.is_cuda and not argument.flags.writeable:
                raise self._misfit(kernel, parameter, argument)
            bound.append(argument)
        return bound

    def _misfit(
        self, kernel: source.Kernel, parameter: source.Parameter, array: Array
    ) -> TypeError:
        where = f"kernel {kernel.name}, {parameter.name}"
        if not isinstance(array, self.xp.ndarray):
            return TypeError(
                f"{where}: expected an array on {self.name}, got {type(array).__name__}"
            )
        allowed = _dtypes_of(parameter.type)
        if array.dtype not in allowed:
            names = " or ".join(dtype.name for dtype in allowed)
            return TypeError(f"{where}: expected dtype {names}, got {array.dtype}")
        if not array.flags.c_contiguous:
            return TypeError(f"{where}: expected a C-contiguous array")
        return TypeError(f"{where}: the kernel writes to this array, which is read-only")


def value_dtype(kernel: source.Kernel, bound: list[Any]) -> str | None:
    """Dtype name of the scalars that a value kernel is given, None for any other kernel."""
    if kernel.dtypes == (None,):
        return None
    found = [
        (parameter.name, str(argument.dtype.name))
        for parameter, argument in zip(kernel.parameters, bound, strict=True)
        if parameter.type in ("Value", "Float")
    ]
    if len({dtype for _, dtype in found}) > 1:
        raise TypeError(f"kernel {kernel.name}: arrays of values differ in dtype: {dict(found)}")
    return found[0][1] if found else None


@cache
def _dtypes_of(parameter_type: str) -> tuple[np.dtype, ...]:
    """What an array parameter may hold."""
    several = {"Value": tuple(source.VALUE_TYPES), "Float": source.FLOAT_TYPES}
    names = several.get(parameter_type) or (source.SCALAR_TYPES[parameter_type],)
    return tuple(map(np.dtype, names))


@cache
def struct_dtype(name: str) -> np.dtype:
    """The NumPy dtype of a struct that a kernel takes by value."""
    return np.dtype(list(source.structs()[name]), align=True)


def _bind_scalar(parameter: source.Parameter, value: Any) -> Any:
    if parameter.type in source.SCALAR_TYPES:
        return _dtypes_of(parameter.type)[0].type(value)
    return np.array(tuple(value), struct_dtype(parameter.type))[()]
