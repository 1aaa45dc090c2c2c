"""A simulated CuPy: code for GPUs runs on the CPU, and what CuPy refuses raises an error.

    pytest -p simulated_cupy -m gpu tests/engine

Arrays are NumPy's inside, but have only CuPy's methods and arguments, are never converted to NumPy
implicitly, and belong to one of two GPUs, which must be the current one. Kernels run as compiled
for the CPU. A test that needs a kernel of blocks without a form for the CPU is skipped. Races,
limits of memory, and the order of streams are not simulated.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import inspect
import sys
import threading
import time
import types
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from separatrix.device.cuda import CudaDevice
from separatrix.device.host import HostDevice
from separatrix.kernels import source
from separatrix.morse.connectors import minor, table
from separatrix.rips.filtration import Simplices
from separatrix.rips.survivors import Listed, RankRows
from separatrix.spatial.neighbor_search import Search

N_GPUS = 2
_thread = threading.local()

# Of CuPy 14. A function or an argument that is not listed does not exist, so that a new one is
# looked up in CuPy's reference first.
CREATION = """
arange(start, stop=None, step=1, dtype=None)
array(obj, dtype=None, copy=True, order="K", ndmin=0)
asarray(obj, dtype=None, order=None, copy=None)
ascontiguousarray(obj, dtype=None)
asfortranarray(obj, dtype=None)
empty(shape, dtype=float, order="C")
eye(N, M=None, k=0, dtype=float)
full(shape, fill_value, dtype=None, order="C")
ones(shape, dtype=float, order="C")
zeros(shape, dtype=float, order="C")
"""
FUNCTIONS = """
append(arr, values, axis=None)
argsort(a, axis=-1, kind=None)
array_equal(a1, a2)
bincount(x, weights=None, minlength=0)
broadcast_to(array, shape)
clip(a, a_min, a_max, out=None)
column_stack(tup)
concatenate(tup, axis=0, out=None, dtype=None)
count_nonzero(a, axis=None)
cumsum(a, axis=None, dtype=None, out=None)
diff(a, n=1, axis=-1, prepend=None, append=None)
empty_like(prototype, dtype=None)
fill_diagonal(a, val, wrap=False)
flatnonzero(a)
full_like(a, fill_value, dtype=None)
lexsort(keys)
max(a, axis=None, out=None, keepdims=False)
median(a, axis=None, out=None, overwrite_input=False, keepdims=False)
min(a, axis=None, out=None, keepdims=False)
nonzero(a)
ones_like(a, dtype=None)
repeat(a, repeats, axis=None)
roll(a, shift, axis=None)
searchsorted(a, v, side="left", sorter=None)
sort(a, axis=-1, kind=None)
split(ary, indices_or_sections, axis=0)
stack(tup, axis=0, out=None, dtype=None)
sum(a, axis=None, dtype=None, out=None, keepdims=False)
tile(A, reps)
unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None)
where(condition, x=None, y=None)
zeros_like(a, dtype=None)
"""
UFUNCS = """
abs absolute add bitwise_and bitwise_or ceil equal exp floor frexp isfinite isinf isnan ldexp log
logical_and logical_not logical_or maximum minimum multiply rint sqrt square subtract
"""
METHODS = """
all(self, axis=None, out=None, keepdims=False)
any(self, axis=None, out=None, keepdims=False)
argmax(self, axis=None, out=None)
argmin(self, axis=None, out=None)
argsort(self, axis=-1, kind=None)
astype(self, dtype, order="K", casting="unsafe", copy=True)
clip(self, min=None, max=None, out=None)
copy(self, order="C")
cumsum(self, axis=None, dtype=None, out=None)
diagonal(self, offset=0, axis1=0, axis2=1)
fill(self, value)
flatten(self, order="C")
max(self, axis=None, out=None, keepdims=False)
mean(self, axis=None, dtype=None, out=None, keepdims=False)
min(self, axis=None, out=None, keepdims=False)
nonzero(self)
ravel(self, order="C")
repeat(self, repeats, axis=None)
sort(self, axis=-1, kind=None)
squeeze(self, axis=None)
std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False)
sum(self, axis=None, dtype=None, out=None, keepdims=False)
swapaxes(self, axis1, axis2)
take(self, indices, axis=None, out=None)
view(self, dtype=None)
"""
SHARED_WITH_NUMPY = "base dtype item itemsize nbytes ndim shape size strides tobytes tolist"
OPERATORS = "add sub mul truediv floordiv mod pow lshift rshift and or xor matmul"
COMPARISONS = "eq ne lt le gt ge"


# === kernels that CuPy compiles, from its sources

compiled: set[str] = set()
"""Operations that CuPy would have compiled so far, with axes and dtypes.

CUB and Thrust come compiled: sorts, and scans and reductions of contiguous arrays in their dtype.
"""
REDUCED_BY_CUB = "bBhHiIlLfd"
SUMMED_BY_CUB = "lLfd"
COPIES = {"append", "column_stack", "concatenate", "repeat", "roll", "stack", "tile"}
COPIES_IF_UNLIKE = {"ascontiguousarray", "ravel"}
COPIES_ALWAYS = {"argsort", "copy", "flatten", "sort"}  # also in the dtype of the array
FILLS = {"full", "full_like", "ones", "ones_like"}
FREE = {"broadcast_to", "diagonal", "empty", "empty_like", "lexsort", "matmul"}
FREE |= {"split", "squeeze", "swapaxes", "view", "zeros", "zeros_like"}
OPERATORS_OF = {"subtract": "sub", "multiply": "mul", "absolute": "abs", "equal": "eq"}
OPERATORS_OF |= {"not_equal": "ne", "bitwise_and": "and", "bitwise_or": "or"}


def _counts(name: str, *operands: Any) -> None:
    """Count a kernel for arrays, the result last, and numbers."""
    arrays = [each for each in operands if isinstance(each, np.ndarray) and each.ndim]
    if not arrays or not all(array.size for array in arrays):
        return
    is_flat = all(array.flags.c_contiguous and array.shape == arrays[0].shape for array in arrays)
    n_axes = 1 if is_flat else max(array.ndim for array in arrays)
    name = OPERATORS_OF.get(name, name)
    kinds = [
        f"{each.dtype}{'' if each.flags.c_contiguous else ' in steps'}"
        if isinstance(each, np.ndarray) and each.ndim
        else "number"
        for each in operands
    ]
    compiled.add(f"{name} ({n_axes}): {', '.join(kinds)}")


def _count_mask(name: str, mask: np.ndarray, array: np.ndarray) -> None:
    flags = mask.reshape(-1)
    _counts("sums of blocks", flags)
    _counts("scan", flags)
    _counts(name, flags, np.empty(flags.shape, array.dtype))


def _count_nonzero(array: np.ndarray) -> None:
    flags = array.reshape(-1)
    if flags.dtype != bool:
        _counts("not_equal", flags, 0, flags)
    _counts("sums of blocks", flags)
    _counts("scan", flags.astype(np.int32))
    _counts("places", flags)


def _count_access(name: str, array: np.ndarray, index: Any, *value: Any) -> None:
    """Count reading or writing at arrays in the index."""
    parts = index if isinstance(index, tuple) else (index,)
    places = [np.asarray(part) for part in parts if isinstance(part, (np.ndarray, list))]
    if len(places) == 1 and places[0].dtype == bool:
        _count_mask(f"{name} by mask", places[0], array)
        return
    at = places[0].reshape(-1)
    if len(places) > 1:
        _counts("join indices", at)
        at = at.astype(np.int64)
    _counts(name, *(np.asarray(v, array.dtype) for v in value), at, np.empty(at.shape, array.dtype))


def _count_assignment(part: Any, value: Any) -> None:
    """Count writing a number or an array to a view."""
    if not isinstance(value, np.ndarray):
        if value != 0 or not part.flags.c_contiguous:
            _counts("fill", part)
    elif (part.dtype, part.shape, part.strides) != (value.dtype, value.shape, value.strides):
        _counts("copy", value, part)


def _count_unique(first: np.ndarray, order_is_wanted: bool) -> None:
    flags, order = np.ones(first.size, bool), np.zeros(first.size, np.int64)
    _counts("not_equal", first, first, flags)
    _counts("fill", flags)
    _counts("copy", flags, flags)
    _count_mask("take by mask", flags, first.reshape(-1))
    if order_is_wanted:
        _counts("take", order, first.reshape(-1))
        _counts("copy", flags, order)
        _counts("subtract", order, 1, order)
        _counts("scatter", order, order, order)


def _is_by_cub(name: str, first: np.ndarray, options: dict[str, Any]) -> bool:
    dtype, axis = options.get("dtype"), options.get("axis")
    kinds = SUMMED_BY_CUB if name == "sum" and dtype is None else REDUCED_BY_CUB
    is_last = axis in (None, -1, first.ndim - 1) and first.flags.c_contiguous
    return is_last and first.dtype.char in kinds and dtype in (None, first.dtype)


def _count_call(name: str, given: list[Any], options: dict[str, Any], found: Any) -> None:
    """Count a function or a method."""
    first, found = given[0], found[0] if isinstance(found, (tuple, list)) else found
    arrays = first if isinstance(first, (list, tuple)) else [first]
    if name in FREE or found is None or not isinstance(arrays[0], np.ndarray):
        return  # None: sorted in place
    if name in ("nonzero", "flatnonzero"):
        _count_nonzero(arrays[0])
    elif name == "fill":
        _count_assignment(first, given[1])
    elif name in FILLS:
        _counts("fill", found)
    elif name in COPIES:
        for array in arrays:
            _counts("copy", array, np.empty(array.shape, found.dtype))
    elif name in COPIES_ALWAYS or (name == "astype" and options.get("copy", True)):
        dtype = found.dtype if name == "astype" else first.dtype
        _counts("copy", first, np.empty(first.shape, dtype))
    elif name in COPIES_IF_UNLIKE or name == "astype":
        if found.dtype != first.dtype or not first.flags.c_contiguous:
            _counts("copy", first, found)
    elif name == "cumsum":
        _counts("copy", first.reshape(found.shape), found)
        if options.get("axis") is not None and first.ndim > 1:
            _counts("scan of rows", found)
    elif name == "unique":
        _count_unique(first, bool(options.get("return_inverse") or options.get("return_index")))
    elif name == "take":
        _count_access("take", first, given[1])
    elif name not in ("max", "min", "argmax", "argmin", "sum") or not _is_by_cub(
        name, first, options
    ):
        _counts(name, *given, np.asarray(found))


@cache
def _signature(arguments: str) -> inspect.Signature:
    scope: dict[str, Any] = {}
    exec(f"def f({arguments}: ...", scope)
    return inspect.signature(scope["f"])


def _declared(table: str) -> dict[str, Callable[..., dict[str, Any]]]:
    """For each name, a function that returns the arguments given to it, by name."""

    def given(arguments: str, *values: Any, **options: Any) -> dict[str, Any]:
        return dict(_signature(arguments).bind(*values, **options).arguments)

    entries = (line.partition("(") for line in table.strip().splitlines())
    return {name: partial(given, arguments) for name, _, arguments in entries}


def inner(value: Any) -> Any:
    """Return the NumPy form of an argument. Raises TypeError for a NumPy array, as CuPy does."""
    if isinstance(value, ndarray):
        if value.device != Device():
            raise RuntimeError(f"array of GPU {value.device.id}, current GPU {Device().id}")
        return value.inside
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    return type(value)(map(inner, value)) if isinstance(value, (list, tuple)) else value


def outer(value: Any) -> Any:
    """Return the CuPy form of a result; numbers are arrays without axes."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = ndarray(())
        array.inside = np.asarray(value)
        return array
    return type(value)(map(outer, value)) if isinstance(value, (list, tuple)) else value


def _on_host(value: Any) -> Any:
    return inner(value) if isinstance(value, ndarray) else value


class Device:
    """A GPU; as a context, the current one of this thread."""

    attributes = types.MappingProxyType({"MultiProcessorCount": 4})
    compute_capability = "90"

    def __init__(self, ordinal: int | None = None):
        self.id = getattr(_thread, "gpu", 0) if ordinal is None else ordinal

    def __enter__(self) -> Device:
        self.outer = getattr(_thread, "gpu", 0)
        _thread.gpu = self.id
        return self

    def __exit__(self, *error: Any) -> None:
        _thread.gpu = self.outer

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    __hash__ = None  # type: ignore[assignment]


class ndarray:  # noqa: N801 (the name in CuPy)
    """An array on a GPU; `inside` is its NumPy form."""

    def __init__(self, shape: Any, dtype: Any = float, memptr: Any = None):
        self.inside = np.empty(shape, dtype) if memptr is None else memptr
        self.device = Device()

    T = property(lambda self: self.part(self.inside.T))

    def part(self, view: np.ndarray) -> ndarray:
        """Return an array in the same memory; its GPU need not be the current one."""
        array = outer(view)
        array.device = self.device
        return array

    def __getattr__(self, name: str) -> Any:
        if name in SHARED_WITH_NUMPY.split():
            return getattr(self.inside, name)
        raise AttributeError(f"CuPy's arrays have no attribute {name}")

    @property
    def data(self) -> Any:
        """The memory that streams copy from and to."""
        place = self.inside.ctypes.data
        return types.SimpleNamespace(
            ptr=place,
            memset_async=lambda value, n: ctypes.memset(place, value, n) and None,
            copy_from_host_async=lambda host, n, stream: ctypes.memmove(place, host, n) and None,
            copy_to_host_async=lambda host, n, stream: ctypes.memmove(host, place, n) and None,
            copy_from_device_async=lambda other, n, stream: (
                ctypes.memmove(place, other.ptr, n) and None
            ),
        )

    @property
    def flags(self) -> Any:
        flags, names = self.inside.flags, ("c_contiguous", "f_contiguous", "owndata")
        return types.SimpleNamespace(**{name: flags[name.upper()] for name in names})

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self.inside.__array_interface__, "version": 3}

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **options: Any) -> Any:
        if method != "__call__":
            raise TypeError(f"CuPy has no {ufunc.__name__}.{method}")
        return getattr(cupy, ufunc.__name__)(*given, **options)

    def __array_function__(self, function: Any, kinds: Any, given: Any, options: Any) -> Any:
        return getattr(cupy, function.__name__)(*given, **options)

    def get(self, stream: Any = None, order: str = "C", out: Any = None) -> np.ndarray:
        if out is None:
            return np.array(self.inside, order=order)  # type: ignore[call-overload]
        out[...] = self.inside
        return out

    def set(self, array: np.ndarray) -> None:
        self.inside[...] = array

    def reshape(self, *shape: Any, order: str = "C") -> ndarray:
        return self.part(self.inside.reshape(*shape, order=order))

    def transpose(self, *axes: Any) -> ndarray:
        return self.part(self.inside.transpose(*axes))

    def __getitem__(self, index: Any) -> ndarray:
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(part, (ndarray, np.ndarray, list)) for part in parts):
            _count_access("take", inner(self), _index(index))
            return outer(inner(self)[_index(index)])
        return self.part(self.inside[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        place, given = _index(index), inner(value)
        parts = place if isinstance(place, tuple) else (place,)
        if any(isinstance(part, (np.ndarray, list)) for part in parts):
            _count_access("scatter", inner(self), place, given)
        elif isinstance(part := inner(self)[place], np.ndarray):
            _count_assignment(part, given)
        inner(self)[place] = given

    def __iter__(self) -> Any:
        return map(outer, inner(self))

    def __reduce__(self) -> Any:
        return cupy.array, (self.inside,)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device.id

    def __dlpack__(self, **options: Any) -> Any:
        return self.inside.__dlpack__()

    __hash__ = None  # type: ignore[assignment]


def _index(index: Any) -> Any:
    """Return the NumPy form of an index; CuPy copies NumPy arrays in it to the GPU."""
    return tuple(map(_index, index)) if isinstance(index, tuple) else _on_host(index)


def _complete(kind: type) -> None:
    """Give arrays their operators and methods."""

    def operator(name: str) -> Any:
        def compute(a: ndarray, *b: Any) -> Any:
            found = getattr(inner(a), name)(*map(inner, b))
            if found is not NotImplemented:
                given = [inner(a), *map(inner, b)]
                _counts(name.strip("_"), *given, np.asarray(found))
            return outer(found)

        return compute

    def in_place(name: str) -> Any:
        def compute(a: ndarray, b: Any) -> ndarray:
            getattr(inner(a), name)(inner(b))
            _counts(name.strip("_i"), inner(a), inner(b), inner(a))
            return a

        return compute

    for name in OPERATORS.split():
        setattr(kind, f"__{name}__", operator(f"__{name}__"))
        setattr(kind, f"__r{name}__", operator(f"__r{name}__"))
        setattr(kind, f"__i{name}__", in_place(f"__i{name}__"))
    for name in (*COMPARISONS.split(), "neg", "pos", "abs", "invert"):
        setattr(kind, f"__{name}__", operator(f"__{name}__"))
    for name in ("bool", "int", "float", "len", "repr", "str"):
        setattr(kind, f"__{name}__", lambda a, name=name: getattr(a.inside, f"__{name}__")())
    for name, given in _declared(METHODS).items():
        setattr(kind, name, _method(getattr(np.ndarray, name), given))


def _method(function: Any, given: Callable[..., Any]) -> Any:
    def method(array: ndarray, *values: Any, **options: Any) -> Any:
        if function is np.ndarray.fill:
            _count_call("fill", [inner(array), *values], {}, inner(array))
            return inner(array).fill(*values)
        return _called(function, given, array, *values, **options)

    return method


def _called(
    function: Callable[..., Any], given: Callable[..., Any], *values: Any, **more: Any
) -> Any:
    """Call NumPy's function with arguments that CuPy takes."""
    named = given(*values, **more)
    passed = {name: inner(value) for name, value in named.items()}
    if function in (np.argsort, np.ndarray.argsort):
        passed["kind"] = "stable"  # as all sorts of CuPy
    first = [passed.pop(name) for name in list(passed)[:1]]
    if function is np.where:
        first, passed = [*first, *passed.values()], {}
    computed = function(*first, **passed)
    _count_call(function.__name__, [*first, *passed.values()], passed, computed)
    found = outer(computed)
    return named.get("out", found)


def _create(name: str, given: Callable[..., Any], *values: Any, **more: Any) -> Any:
    """Create an array; only those that are made from others take arrays, of any GPU or the host."""
    named = given(*values, **more)
    if "obj" not in named:
        if any(isinstance(value, ndarray) and value.ndim for value in named.values()):
            raise TypeError(f"{name} of CuPy takes numbers")
        passed = [_on_host(value) for value in named.values()]
        made = getattr(np, name)(*passed[:1], **dict(zip([*named][1:], passed[1:], strict=True)))
        if name not in FREE and not (name == "full" and passed[1] == 0):
            _counts("fill" if name in FILLS else name, made)
        return outer(made)
    data, named["copy"] = named.pop("obj"), True
    if isinstance(data, ndarray) and data.device == Device() and name != "array":
        made = getattr(np, name)(data.inside, **{k: v for k, v in named.items() if k != "copy"})
        _count_call("astype", [data.inside], {"copy": False}, made)
        return data if made is data.inside else outer(made)
    if hasattr(data, "__cuda_array_interface__") and not isinstance(data, ndarray):
        memory = types.SimpleNamespace(__array_interface__=data.__cuda_array_interface__)
        return outer(np.asarray(memory))
    if isinstance(data, ndarray):
        data = data.inside
        _counts("copy", data, np.empty(data.shape, named.get("dtype") or data.dtype))
    data = [_on_host(entry) for entry in data] if isinstance(data, (list, tuple)) else data
    if name.endswith("array") and name not in ("array", "asarray"):
        del named["copy"]
        return outer(getattr(np, name)(data, **named).copy(order="A"))
    return outer(np.array(data, **named))


class Pool:
    """A pool of memory without a limit."""

    malloc = set_limit = free_all_blocks = lambda self, *arguments, **options: None
    free_bytes = used_bytes = get_limit = total_bytes = lambda self: 0


class Event:
    """An event with a time."""

    def record(self) -> None:
        self.time = time.perf_counter()

    synchronize = record


class Stream(contextlib.nullcontext):  # type: ignore[type-arg]
    """A stream whose work is done immediately."""

    ptr = 0

    def __init__(self, non_blocking: bool = False):
        super().__init__()

    def synchronize(self) -> None:
        pass

    def record(self) -> Event:
        return Event()

    def wait_event(self, event: Event) -> None:
        pass


class CUDARuntimeError(RuntimeError):
    """Never raised."""


def _module() -> Any:
    dtypes = (
        "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 inf nan"
    )
    module, space = types.ModuleType("cupy"), types.SimpleNamespace
    contents: dict[str, Any] = {name: getattr(np, name) for name in dtypes.split()}
    for name, given in _declared(FUNCTIONS).items():
        contents[name] = partial(_called, getattr(np, name), given)
    for name, given in _declared(CREATION).items():
        contents[name] = partial(_create, name, given)
    for name in UFUNCS.split():
        contents[name] = partial(_applied, getattr(np, name))
    runtime = space(
        CUDARuntimeError=CUDARuntimeError,
        getDevice=lambda: Device().id,
        getDeviceCount=lambda: N_GPUS,
        getDeviceProperties=lambda ordinal: {"name": b"Simulated", "totalGlobalMem": 1 << 34},
        pointerGetAttributes=lambda pointer: space(device=Device().id, type=0),
        memGetInfo=lambda: (1 << 33, 1 << 34),
    )
    cuda = space(
        Device=Device,
        Event=Event,
        MemoryPool=Pool,
        MemoryPointer=lambda memory, offset: memory,
        UnownedMemory=lambda place, n_bytes, owner, ordinal: owner,
        Stream=Stream,
        PinnedMemory=bytearray,
        PinnedMemoryPointer=lambda memory, offset: memory,
        alloc_pinned_memory=bytearray,
        get_current_stream=Stream,
        get_elapsed_time=lambda begin, end: 1e3 * (end.time - begin.time),
        using_allocator=contextlib.nullcontext,
        compiler=space(CompileException=type("CompileException", (Exception,), {})),
        driver=space(CUDADriverError=type("CUDADriverError", (RuntimeError,), {})),
        memory=space(OutOfMemoryError=type("OutOfMemoryError", (MemoryError,), {})),
        runtime=runtime,
    )
    contents.update(
        shape=lambda array: array.shape,
        __version__="14.2.0",
        ndarray=ndarray,
        cuda=cuda,
        from_dlpack=lambda array, **options: outer(np.from_dlpack(array)),
        may_share_memory=lambda a, b: np.may_share_memory(a.inside, b.inside),
        get_default_memory_pool=Pool,
        get_default_pinned_memory_pool=Pool,
    )
    vars(module).update(contents)
    return module


def _applied(ufunc: Any, *given: Any, out: Any = None, **options: Any) -> Any:
    computed = ufunc(*map(inner, given), **options)
    first = computed[0] if isinstance(computed, tuple) else computed
    _counts(ufunc.__name__, *map(inner, given), np.asarray(first))
    found = outer(computed)
    if out is None:
        return found
    out = out[0] if isinstance(out, tuple) else out
    out[...] = found
    return out


# === kernels


def _launch(self: Any, kernel: str, n_items: int, *arguments: Any, on_slice: Any = None) -> None:
    if n_items:
        self.bind(source.kernels().get(kernel) or source.host_loops()[kernel], arguments)
        HostDevice(1).launch(kernel, n_items, *map(_on_host, arguments))


def _launch_blocks(self: Any, kernel: str, n_blocks: int, *arguments: Any, **options: Any) -> None:
    if not n_blocks:
        return
    declared = source.block_kernels()[kernel]
    self.bind(declared, arguments)
    if kernel == "scan_tiles":
        _, counts, _, sums = map(_on_host, arguments)
        sums[0], sums[1:] = 0, np.cumsum(counts, dtype=np.int64)
        return
    if kernel.endswith(("_in_rounds", "_at_once")):
        return HostDevice(1).launch(kernel, 1, *map(_on_host, arguments))
    if kernel.endswith("_by_team"):
        return HostDevice(1).launch(kernel, arguments[0], *map(_on_host, arguments))
    if not kernel.endswith("_from_queue"):
        pytest.skip(f"{kernel}, a kernel of blocks, is not simulated")
    given = dict(zip((p.name for p in declared.parameters), map(_on_host, arguments), strict=True))
    given["max_steps"] = 1 << 30
    wanted = [given[parameter.name] for parameter in source.kernels()[kernel].parameters]
    HostDevice(1).launch(kernel, len(given["waiting"]), *wanted)


def _sparse_matrices(session: Any) -> Any:
    if session.device.is_cuda:
        pytest.skip("sparse matrices of CuPy are not simulated")
    return importlib.import_module("scipy.sparse")


class NoBlocks:
    """Replaces CudaDevice if a kernel of blocks has a form for the CPU."""


def pytest_configure() -> None:
    """Let this process compute with the simulated CuPy."""
    sys.modules["cupy"] = cupy
    CudaDevice.launch = _launch  # type: ignore[method-assign]
    CudaDevice.launch_blocks = _launch_blocks  # type: ignore[method-assign]
    CudaDevice.resident_blocks = lambda self, kernel, *shape: 1  # type: ignore[method-assign]
    for name in WITH_FORMS_FOR_THE_CPU:
        importlib.import_module(f"separatrix.{name}").CudaDevice = NoBlocks  # type: ignore[attr-defined]
    table._sparse_module = _sparse_matrices
    minor._count_large_by_groups = minor._count_large_on_host
    Search._sorted_at_once = _sorted_by_row  # type: ignore[method-assign]
    RankRows._on_gpu = _survivors  # type: ignore[method-assign]


def _sorted_by_row(self: Search, *rows: Any) -> tuple[Any, ...]:
    if self.each_pair_once:
        pytest.skip("the form of pairs for GPUs is not simulated")
    return self._sorted_by_row(*rows)


def _survivors(self: RankRows, session: Any, *arguments: Any) -> list[Listed]:
    """Copy the ranks to the host, and the result back."""
    rows, matrix = self.adjacency, self.matrix
    there = replace(
        self,
        matrix=None if matrix is None else matrix.get(),
        adjacency=rows and type(rows)(*(getattr(rows, f.name).get() for f in fields(rows))),
    )
    (found,) = there._on_host(session, *arguments)
    parts = (cupy.asarray(part) for part in (found.simplices.vertices, found.simplices.rank))
    return [Listed(Simplices(*parts), found.counts)]


WITH_FORMS_FOR_THE_CPU = (
    "alpha.neighbors",
    "complexes.cubical.field",
    "complexes.cubical.forests",
    "complexes.cubical.lower_star",
    "complexes.simplicial.lower_star",
    "sums.density",
)
cupy = _module()
_complete(ndarray)
