"""Variants of arrays and numbers that callers may pass: other forms, and arbitrary objects.

`SAME` turns an array into one of equal entries; the answer must not change by a bit. `ANYTHING`
turns it into what is wrong, odd or merely unusual; `NUMBERS` replaces any other argument.
"""

import decimal
import fractions
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray


class Subclass(np.ndarray):
    """A subclass of ndarray."""


class Converts:
    """Has only ``__array__``."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.array if dtype is None else self.array.astype(dtype)


class Interface:
    """Has only ``__array_interface__``."""

    def __init__(self, array: Array) -> None:
        self.array = np.ascontiguousarray(array)
        self.__array_interface__ = self.array.__array_interface__


class OnlyDLPack:
    """Has only DLPack, as a tensor of another library on any device."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


class Fails:
    """Claims to be an array, and raises an error on conversion."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        raise self.error


class Lies:
    """Converts to something that is not an array."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return "an array"


def frozen(array: Array) -> Array:
    """A read-only copy."""
    made = array.copy()
    made.flags.writeable = False
    return made


def strided(array: Array) -> Array:
    """Every other entry of a larger array."""
    if not array.ndim:
        return array
    large = np.repeat(array, 2, axis=array.ndim - 1)
    return large[..., ::2]


def backwards(array: Array) -> Array:
    """A view with negative strides."""
    flip = (slice(None, None, -1),) * array.ndim
    return array[flip].copy()[flip]


def unaligned(array: Array) -> Array:
    """A copy that is misaligned by one byte."""
    buffer = np.zeros(array.nbytes + 1, np.uint8)[1:]
    made = buffer.view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def swapped(array: Array) -> Array:
    """The array in the other byte order."""
    return array.astype(array.dtype.newbyteorder("S"))


SAME: dict[str, Callable[[Array], Any]] = {
    "Fortran order": np.asfortranarray,
    "strides of two": strided,
    "negative strides": backwards,
    "one byte off": unaligned,
    "the other byte order": swapped,
    "read-only": frozen,
    "a subclass": lambda array: array.view(Subclass),
    "a masked array without masks": np.ma.array,
    "a memoryview": lambda array: memoryview(np.ascontiguousarray(array)),
    "__array__": Converts,
    "__array_interface__": Interface,
    "DLPack": OnlyDLPack,
    "broadcast": lambda array: np.broadcast_to(array, array.shape),
    "a read-only __array_interface__": lambda array: Interface(frozen(array)),
}


def with_entry(array: Array, entry: Any) -> Array:
    """The array with another entry in the middle, in a dtype that can represent it."""
    made = np.array(array, np.result_type(array.dtype, np.float32), copy=True)
    with np.errstate(all="ignore"):
        if made.size:
            made.reshape(-1)[made.size // 2] = entry
    return made


def masked(array: Array) -> Array:
    """The array with one masked entry."""
    made = np.ma.array(array, copy=True)
    if made.size:
        made[(0,) * made.ndim] = np.ma.masked
    return made


def as_type(dtype: Any) -> Callable[[Array], Any]:
    """The entries in another dtype."""

    def change(array: Array) -> Any:
        with np.errstate(all="ignore"):
            return array.astype(dtype)

    return change


def always(thing: Any) -> Callable[[Array], Any]:
    """The same value for every array."""
    return lambda array: thing


DTYPES = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
    "float32", "float64", "longdouble", "complex64", "complex128", "object", "U8", "S8", "V4",
    "datetime64[s]", "timedelta64[s]", ">f4", ">f8", ">i4", ">u2",
)  # fmt: skip
ENTRIES = (
    math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e-310, -1e-40, 1e-30, 1e30, 1e150, -1e300,
    1.7e308, 2.0**31, -1.0, 0.5, 2.0**63,
)  # fmt: skip

ANYTHING: dict[str, Callable[[Array], Any]] = {
    **{f"dtype {dtype}": as_type(dtype) for dtype in DTYPES if dtype not in ("V4",)},
    **{f"an entry {entry:g}": (lambda a, e=entry: with_entry(a, e)) for entry in ENTRIES},
    "records": lambda a: np.zeros(a.shape, [("x", "f4"), ("y", "f4")]),
    "raw bytes of four": lambda a: np.zeros(a.shape, "V4"),
    "a list": lambda a: a.tolist(),
    "an array of None": lambda a: np.full(a.shape, None),
    "an array of large numbers": lambda a: np.full(a.shape, 10**400),
    "all equal": lambda a: np.full_like(a, a.reshape(-1)[0] if a.size else 0),
    "all of the largest": lambda a: np.full_like(a, limits(a.dtype).max),
    "all of the lowest": lambda a: np.full_like(a, limits(a.dtype).min),
    "all NaN": lambda a: np.full(a.shape, np.nan),
    "masked": masked,
    "no entries": lambda a: a.reshape(-1)[:0],
    "no rows": lambda a: a[:0] if a.ndim else a,
    "no columns": lambda a: a[..., :0] if a.ndim else a,
    "one row": lambda a: a[:1] if a.ndim else a,
    "one row less": lambda a: a[:-1] if a.ndim else a,
    "one column": lambda a: a[..., :1] if a.ndim else a,
    "a column more": lambda a: np.concatenate([a, a[..., :1]], axis=-1) if a.ndim else a,
    "rows twice": lambda a: np.concatenate([a, a]) if a.ndim else a,
    "flat": lambda a: a.reshape(-1),
    "an axis more": lambda a: a[None],
    "an axis less": lambda a: a[0] if a.ndim and len(a) else a,
    "five axes": lambda a: a.reshape((1,) * (5 - a.ndim) + a.shape) if a.ndim < 5 else a,
    "transposed": np.transpose,
    "one number": lambda a: a.reshape(-1)[0] if a.size else 0.0,
    "a generator": lambda a: (row for row in a.reshape(-1)),
    "ragged lists": always([[1.0, 2.0], [3.0]]),
    "None": always(None),
    "a text": always("volume.vti"),
    "bytes": always(b"12345678"),
    "a dict": always({"x": 1}),
    "a set": always({1.0, 2.0}),
    "a type": always(float),
    "an ellipsis": always(...),
    "__array__ that raises ValueError": always(Fails(ValueError("mine"))),
    "__array__ that raises KeyError": always(Fails(KeyError("mine"))),
    "__array__ that raises MemoryError": always(Fails(MemoryError("mine"))),
    "__array__ that gives a text": always(Lies()),
}


def limits(dtype: np.dtype) -> Any:
    """The smallest and largest number of a real dtype; for bool those of uint8."""
    dtype = np.dtype(np.uint8) if dtype.kind == "b" else dtype
    return np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)


NUMBERS: dict[str, Any] = {
    " ".join(repr(n).split())[:60]: n
    for n in (
        None, True, False, 0, 1, 2, 3, -1, 7, 33, 100_001, 2**31, 2**63, -(2**63), 2**64, 10**400,
        -(10**400), 0.0, -0.0, 0.5, 1.5, -2.5, 5e-324, 1e-200, 1e200, 1.7e308, math.nan, math.inf,
        -math.inf, 1 + 2j, "", "1", "text", "sum", "cells", "ascending", "cpu", b"1", (), (1,),
        (0, 1), (2, 3), (1, 2, 3), (1.0, -1.0, 1.0), (math.nan, 1, 1), [True, False, 1], [3], [[1]],
        {}, {"sigma": 1.0}, set(), np.int8(1), np.uint64(2**63), np.float16(0.5), np.float32(2.0),
        np.longdouble("0.1"), np.bool_(True), np.str_("text"), np.datetime64("2020-01-01"),
        np.array(2.0), np.array([1.0]), np.array([]), np.eye(3), np.array(["a"]),
        np.array([None]), fractions.Fraction(1, 3), decimal.Decimal("0.5"), range(3), object, ...,
    )
}  # fmt: skip
NUMBERS["a lambda"] = lambda *_: None


HUGE = (1 << 40, 1 << 33)
