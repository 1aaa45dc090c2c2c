"""Prefix sums, compaction, and sorting: NumPy on the host, kernels and CuPy on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .device import Array, CudaDevice, Device, Session
from .device.arrays import array_module, as_device_array, is_on_gpu, to_host
from .kernels.source import constant

ITEMS_AT_ONCE = 1 << 17  # of a sum or a largest value on a GPU
AT_ONCE = 1 << 20  # numbers on the CPU between checks for cancellation
FEW_IN_ROWS = 8  # rows per key above which NumPy sorts keys in less time
FEW_TO_SORT = 1 << 13  # keys that NumPy sorts in less time than a radix sort
SPARSE = 16  # ratio of possible to given keys from which these are sorted
FLAGS_AT_ONCE = constant("FLAGS_AT_ONCE")
N_TOTALS = constant("N_TOTALS")
SCAN_TILE = constant("SCAN_TILE")
WIDENED = (np.dtype(np.float32), np.dtype(np.float64))


def exclusive_scan(counts: Array) -> Array:
    """Return the sums of all counts before each one, and the total: (n,) -> (n + 1,) int64."""
    if not is_on_gpu(counts):
        offsets = np.zeros(counts.size + 1, np.int64)
        np.cumsum(counts.ravel(), dtype=np.int64, out=offsets[1:])
        return offsets
    device, n, counts = CudaDevice(counts.device.id), counts.size, _integers(counts)
    if n == 0:
        return device.zeros(1, np.int64)
    n_tiles, offsets = -(-n // SCAN_TILE), device.empty(n + 1, np.int64)
    tiles = device.zeros(1 + 3 * n_tiles, np.int64)
    device.launch_blocks("scan_tiles", n_tiles, n, counts, tiles, offsets)
    return offsets


def row_of_items(offsets: Array) -> Array:
    """Return the row of each item of a CSR: offsets (n + 1,) int64 -> (m,) int64."""
    if is_on_gpu(offsets):
        device, n = CudaDevice(offsets.device.id), int(offsets[-1])
        rows = device.empty(n, np.int64)
        device.launch("find_rows", n, offsets, offsets.size - 1, rows)
        return rows
    return np.repeat(np.arange(offsets.size - 1, dtype=np.int64), np.diff(offsets))


def filled_rows(
    session: Session, kernels: tuple[str, str], n: int, n_rows: int, *model: Any
) -> tuple[Array, Array]:
    """Return offsets (n_rows + 1,) int64 and items int32 of rows that kernels count and fill."""
    count = session.device.zeros(n_rows, np.int32)
    session.launch(kernels[0], n, *model, count)
    offsets = exclusive_scan(count)
    items = session.device.empty(int(offsets[-1]), np.int32)
    count[:] = 0
    session.launch(kernels[1], n, *model, offsets, count, items)
    return offsets, items


# === items of arrays: NumPy on the host, kernels/common/items.h on a GPU
def _as_items(array: Array) -> tuple[Array, tuple[int, int]]:
    """Return the bytes of a contiguous array, and the bytes and number of units of an item."""
    width, n_bytes = array.dtype.itemsize, array.nbytes // max(len(array), 1)
    width = width if width in (1, 2, 4, 8) else 1
    return array.reshape(-1).view(np.uint8), (width, n_bytes // width)


def copied(array: Array) -> Array:
    """Return a contiguous copy; that of CuPy is compiled."""
    return CudaDevice(array.device.id).copied(array) if is_on_gpu(array) else array.copy()


def at(items: Array, places: Array) -> Array:
    """Return items[places] of items (n, ...); places are integers (k,) from 0, or flags (n,)."""
    if not is_on_gpu(items):
        return items[places]
    device = CudaDevice(items.device.id)
    places = compact(places) if places.dtype == bool else device.xp.ascontiguousarray(places)
    taken = device.empty((places.size, *items.shape[1:]), items.dtype)
    if taken.size:
        given, units = _as_items(device.xp.ascontiguousarray(items))
        device.launch("take_items", places.size, places, *units, given, _as_items(taken)[0])
    return taken


def put(items: Array, places: Array, given: Any) -> None:
    """Set items[places] to `given`, (k, ...) or a number; see :func:`at`. `items` is contiguous."""
    if not is_on_gpu(items):
        items[places] = given
        return
    device = CudaDevice(items.device.id)
    places = compact(places) if places.dtype == bool else device.xp.ascontiguousarray(places)
    if not places.size or not items.size:
        return
    is_number = not getattr(given, "ndim", 0)
    if is_number:
        given = np.full((1, *items.shape[1:]), given, items.dtype)
    elif given.dtype != items.dtype:
        has_kernel = items.dtype.name in ("int32", "int64") and given.dtype.kind in "biu"
        dtype = items.dtype.type
        given = shifted(given, dtype=dtype) if has_kernel else given.astype(dtype)
    changed, units = _as_items(items)
    source = _as_items(as_device_array(given, device))[0]
    device.launch("put_items", places.size, places, *units, source, int(not is_number), changed)


def shifted(
    numbers: Array, first: int = 0, factor: int = 1, dtype: type[np.signedinteger] = np.int64
) -> Array:
    """Return first + factor * numbers, of integers or flags (n,), as int64 or int32."""
    if not is_on_gpu(numbers):
        found = numbers.astype(dtype)  # wraps around like the sum in 64 bits
        if factor != 1:
            found *= factor
        if first:
            found += first
        return found
    device, numbers = CudaDevice(numbers.device.id), _integers(numbers)
    found = device.empty(numbers.shape, dtype)
    kernel = "shift_to_indices" if found.dtype == np.int64 else "shift_to_ids"
    device.launch(kernel, numbers.size, numbers, factor, first, found)
    return found


def is_within(numbers: Array, least: int, most: int | None = None) -> Array:
    """Return flags (n,) bool of the integers from `least` to `most`, by default all above."""
    if not is_on_gpu(numbers):
        return numbers >= least if most is None else (numbers >= least) & (numbers <= most)
    device, numbers = CudaDevice(numbers.device.id), _integers(numbers)
    flags = device.empty(numbers.shape, bool)
    bounds = (least, 2**63 - 1 if most is None else most)
    device.launch("flag_range", numbers.size, numbers, *bounds, flags.view(np.uint8))
    return flags


def lengths_of(offsets: Array) -> Array:
    """Return the lengths (n,) int32 of the rows of offsets (n + 1,)."""
    if not is_on_gpu(offsets):
        return np.diff(offsets).astype(np.int32, copy=False)
    device = CudaDevice(offsets.device.id)
    lengths = device.empty(offsets.size - 1, np.int32)
    device.launch("measure_rows", lengths.size, offsets, lengths)
    return lengths


def stacked(*columns: Array) -> Array:
    """Return columns (n,) of one dtype as an array (n, k)."""
    first, k = columns[0], len(columns)
    if not is_on_gpu(first):
        return np.stack(columns, axis=1)
    device = CudaDevice(first.device.id)
    table = device.empty((first.size, k), first.dtype)
    for j, column in enumerate(columns):
        put(table.reshape(-1), device.numbers(first.size, np.int64, j, k), column)
    return table


def columns_of(table: Array) -> Array:
    """Return the columns of a table (n, k) as rows (k, n), contiguous."""
    if not is_on_gpu(table):
        return np.ascontiguousarray(table.T)
    device, (n, k) = CudaDevice(table.device.id), table.shape
    columns = device.empty((k, n), table.dtype)
    for j, column in enumerate(columns):
        column[...] = at(table.reshape(-1), device.numbers(n, np.int64, j, k))
    return columns


def find_keys(session: Session, keys: Array, order: Array, wanted: Array) -> Array:
    """Return the index (m,) int32 of each wanted key among distinct keys (n,), or -1.

    `order` (n,) int64 sorts the keys.
    """
    found = session.device.empty(wanted.size, np.int32)
    session.launch("find_keys", wanted.size, keys, order, keys.size, wanted, found)
    return found


def backward(numbers: Array) -> Array:
    """Return the array (n,) in reverse order, contiguous."""
    if not is_on_gpu(numbers):
        return np.ascontiguousarray(numbers[::-1])
    n = numbers.size
    return at(numbers, CudaDevice(numbers.device.id).numbers(n, np.int64, n - 1, -1))


def _integers(numbers: Array) -> Array:
    numbers = array_module(numbers).ascontiguousarray(numbers)
    return numbers.view(np.uint8) if numbers.dtype == bool else numbers


def compact(flags: Array) -> Array:
    """Return the indices of nonzero `flags` (n,), ascending, int64."""
    if not is_on_gpu(flags):
        return np.flatnonzero(flags)
    device, n = CudaDevice(flags.device.id), flags.size
    flags = flags if flags.dtype.itemsize == 1 else flags != 0
    flags = device.xp.ascontiguousarray(flags).reshape(-1).view(np.uint8)
    counts = device.empty(-(-n // FLAGS_AT_ONCE), np.int64)
    device.launch("count_flags", counts.size, flags, n, counts)
    ends = exclusive_scan(counts)[1:]
    places = device.empty(int(ends[-1]) if n else 0, np.int64)
    device.launch("place_flags", counts.size if places.size else 0, flags, n, ends, places)
    return places


def total(device: Device, counts: Array) -> int:
    """Return the sum of integers, or the number of true flags, on the host or on `device`."""
    if not is_on_gpu(counts) or counts.size == 0:
        return int(counts.sum(dtype=np.int64))
    counts = counts.view(np.uint8) if counts.dtype == bool else counts
    n_items, totals = min(counts.size, ITEMS_AT_ONCE), device.zeros(N_TOTALS, np.int64)
    device.launch("add_up", n_items, counts.reshape(-1), counts.size, n_items, totals)
    return int(to_host(totals).sum())


def largest_size(numbers: Array) -> float:
    """Return the largest magnitude, 0 for no numbers, or NaN."""
    if not numbers.size:
        return 0.0
    if not is_on_gpu(numbers):
        return float(abs(numbers).max())
    device, n_items = CudaDevice(numbers.device.id), min(numbers.size, ITEMS_AT_ONCE)
    largest, flat = device.zeros(1, np.uint64), device.xp.ascontiguousarray(numbers).reshape(-1)
    device.launch("find_largest", n_items, flat, flat.size, n_items, largest)
    bits = to_host(largest)
    is_single = numbers.dtype == np.float32
    return float((bits.astype(np.uint32).view(np.float32) if is_single else bits.view(float))[0])


def sums_of_rows(device: Device, rows: Array, n: int, amounts: Array | None = None) -> Array:
    """Return the sums of `amounts` (m,) int64, or of ones, by row (m,) below n: (n,) int64."""
    if not is_on_gpu(rows):
        return np.bincount(rows, amounts, n).astype(np.int64, copy=False)
    sums = device.zeros(n, np.int64)
    ones = device.numbers(1, np.int64, 1)
    given = (ones, 0) if amounts is None else (amounts, 1)
    device.launch("add_to_rows", rows.size, device.xp.ascontiguousarray(rows), *given, sums)
    return sums


def taken_in_parts(session: Session, take: Callable[[Array], Array], places: Array) -> Array:
    """Return take(places) of places (k,), on the CPU in parts, so that it can be canceled."""
    at_once = session.device.launch_form(host=AT_ONCE, gpu=places.size)
    if places.size <= at_once:
        return take(places)
    parts = []
    for begin in range(0, places.size, at_once):
        parts.append(take(places[begin : begin + at_once]))
        session.raise_if_canceled()
    return np.concatenate(parts)


def sorted_keys(session: Session, keys: Array) -> Array:
    """Sort keys (n,) uint64 below 2^63; on the CPU it can be canceled."""
    if session.device.launch_form(host=keys.size < AT_ONCE, gpu=True):
        return session.device.xp.sort(keys)
    found = keys.copy()
    sort_images(session, found)
    return found


def changes(keys: Array) -> Array:
    """Return flags (n,) bool of the keys that differ from the previous one, and of the first."""
    if not is_on_gpu(keys):
        return np.concatenate([keys[:1] == keys[:1], keys[1:] != keys[:-1]])
    device = CudaDevice(keys.device.id)
    flags = device.empty(keys.size, bool)
    device.launch("flag_changes", keys.size, keys, flags.view(np.uint8))
    return flags


def sum_of_squares(device: Device, numbers: Array) -> int:
    """Return the sum of the squares of integers (n,)."""
    squares = device.empty(numbers.size, np.int64)
    device.launch("square_numbers", numbers.size, numbers, squares)
    return total(device, squares)


def without_repeats(keys: Array) -> Array:
    """Return the distinct keys (n,), ascending; NumPy's `unique` hashes, which takes far longer."""
    keys = copied(keys)
    keys.sort()
    return at(keys, changes(keys))


def distinct_pairs(session: Session, keys: Array, stride: int, n_first: int) -> Array:
    """Return the distinct keys first * stride + last (n,) int64, ascending; may overwrite `keys`.

    On the CPU it can be canceled, and takes O(n + n_first) for rows of few pairs.
    """
    if session.device.launch_form(host=FEW_IN_ROWS * keys.size < n_first, gpu=True):
        keys.sort()
        return at(keys, changes(keys))
    n = session.host.run("keep_distinct", keys, keys.size, stride, n_first)
    return keys[:n].copy()


def distinct(session: Session, keys: Array, n_keys: int) -> tuple[Array, Array]:
    """Return the distinct keys (n,) below `n_keys`, ascending, and the row of each key among them.

    On the CPU it can be canceled, and takes O(n + n_keys) unless keys are few.
    """
    if session.device.launch_form(host=SPARSE * keys.size < n_keys, gpu=True):
        found, rows = session.device.xp.unique(keys, return_inverse=True)
        return found, rows.reshape(-1)
    is_there, rows = np.zeros(n_keys, np.uint8), np.empty(keys.size, np.int64)
    parts = [slice(begin, begin + AT_ONCE) for begin in range(0, keys.size, AT_ONCE)]
    for part in parts:
        is_there[keys[part]] = 1
        session.raise_if_canceled()
    row_of = np.cumsum(is_there, dtype=np.int64) - 1
    for part in parts:
        rows[part] = row_of[keys[part]]
        session.raise_if_canceled()
    return np.flatnonzero(is_there).astype(keys.dtype), rows


def sort_by_key(session: Session, keys: Array, *values: Array) -> tuple[Array, ...]:
    """Sort keys (n,), and values in the same order; stable."""
    order = stable_order(session, keys)
    return tuple(at(each, order) for each in (keys, *values))


def sort_in_place(session: Session, keys: Array, *values: Array) -> tuple[Array, ...]:
    """Return the same of keys (n,) int64 that are not negative; it may overwrite them."""
    if session.device.launch_form(host=keys.size < FEW_TO_SORT, gpu=True):
        return sort_by_key(session, keys, *values)
    order = sort_images(session, keys.view(np.uint64))
    return keys, *(at(each, order) for each in values)


def stable_order(session: Session, keys: Array) -> Array:
    """Return the order of keys (n,), ties by index; on the CPU it can be canceled."""
    few = keys.size < FEW_TO_SORT or keys.dtype.itemsize not in (4, 8)
    if session.device.launch_form(host=few, gpu=True):
        is_short = keys.dtype.kind in "iu" and keys.dtype.itemsize < 8
        # Of one dtype on a GPU, because CuPy compiles a copy of each.
        keys = shifted(keys) if is_short and is_on_gpu(keys) else keys
        return array_module(keys).argsort(keys, kind="stable")
    if keys.dtype.kind == "f":
        bits = (keys + 0).view(f"i{keys.itemsize}")  # with 0.0 for -0.0
        keys = bits ^ ((bits >> (8 * keys.itemsize - 1)) & np.iinfo(bits.dtype).max)
    images = keys.astype(f"u{keys.itemsize}")
    images -= images.dtype.type(keys.min().astype(images.dtype))  # modulo 2^32 or 2^64
    return sort_images(session, images)


def sort_images(session: Session, images: np.ndarray) -> np.ndarray:
    """Sort numbers (n,) uint32, or uint64 below 2^63, in place; return their order (n,) int32."""
    order, n_bits = np.empty(images.size, np.int32), int(images.max(initial=0)).bit_length()
    is_short = images.itemsize == 4
    task = "sort_points_by_short_key" if is_short else "sort_points_by_key"
    keys = images if is_short else images.view(np.int64)
    session.host.run(task, keys, images.size, n_bits, order)
    return order


def converted(device: Device, array: Array, dtype: np.dtype | type) -> Array:
    """Return real numbers on the device in another dtype, rounded once, or as they are."""
    # CuPy's conversion between float32 and float64 flushes denormals to zero, unlike NumPy's.
    pair = (array.dtype, np.dtype(dtype))
    if not device.launch_form(host=False, gpu=pair in (WIDENED, WIDENED[::-1])):
        return array.astype(dtype, copy=False)
    array = as_device_array(array, device)
    found = device.empty(array.shape, dtype)
    if pair == WIDENED:
        device.launch("widen_floats", array.size, array.view(np.uint32), found)
    else:
        device.launch("narrow_reals", array.size, array, found.view(np.uint32))
    return found


def uploaded_reals(session: Session, array: Array) -> Array:
    """Return real numbers of the caller, of any dtype, as float64 on the device."""
    if is_on_gpu(array):
        return converted(session.device, session.upload(array), np.float64)
    return session.upload(array.astype(np.float64, copy=False))
