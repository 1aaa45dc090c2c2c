"""Reductions over the pairs of two point sets: sums, least values, lists (Charlier et al. 2021).

``a_i = Reduce over j in S(i) of F(x_i, y_j, b_j, p)``, with S block-sparse: rows in blocks, each
with intervals of columns, within a radius if one is given. No matrix of pairs is stored. The order
of every sum is fixed (kernels/sums/lanes.h), so results are the same bits on the CPU and on the
GPU, for any number of threads, and however the intervals are cut.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..arguments import is_one_of
from ..csr import CSR
from ..device import Session
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError
from ..kernels import source
from ..primitives import converted, exclusive_scan
from ..spatial.pattern import BlockPattern
from ..spatial.points import checked_radius
from ..spatial.radius_patterns import STAGES, cell_pattern
from .expression import closest, names_in
from .formulas import choose
from .gpu_form import GpuForm
from .host_form import HostForm
from .problem import (
    Problem,
    check_finite,
    checked_points,
    checked_values,
    make_problem,
)
from .ranges import check_coordinates, check_length, check_parameters

REDUCTIONS = (
    "sum", "min", "max", "argmin", "argmax", "logsumexp", "kmin", "argkmin", "count", "collect",
)  # fmt: skip
ACCUMULATE = {None: "PLAIN_SUM", "float64": "WIDE_SUM", "compensated": "COMPENSATED_SUM"}
IN_DTYPE = ("sum", "logsumexp")
"""All others are decided in float64 whatever the points are: neighbors, lists and which of two is
nearer are topology. Values are rounded to the dtype of the points at the end."""
OF_VALUES = ("min", "max", "kmin")  # decided in float64, given in the dtype of the points

REACH = 1  # cells to a radius, of the pattern made for one; more are slower on the CPU (measured)
FEW_PAIRS = 1 << 18  # not worth a pattern
ROUNDED_UP = 1 + 1e-6  # a float32 squared distance within r^2 may belong to a slightly longer one


def reduce(
    formula: str,
    x: Any,
    y: Any,
    values: Any = None,
    *,
    reduction: str = "sum",
    pattern: Any = None,
    radius: float | None = None,
    axis: int = 1,
    parameters: Any = (),
    k: int | None = None,
    accumulate: str | None = None,
    math: str = "exact",
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
    **named: float,
) -> Any:
    """Reduce a formula over pairs of points.

    Parameters
    ----------
    formula : str
        A name of :func:`separatrix.formulas`, or one C++ expression over ``x[d] y[d] dx[d] d2 b[e]
        p[q] i j real`` and ``exp log sqrt min max abs``. Whole numbers (i, j, literals) are exact
        among themselves, real in a division: ``1 / 2`` is 0.5, ``i % j`` for j = 0 is 0.
    x, y : (M, D), (N, D) float32 or float64, the same dtype
        Points. Lengths are in their unit.
    values : (N,) or (N, E), of the points reduced over ((M,) or (M, E) for axis 0)
        ``b``. If the formula does not read b, a sum multiplies it by each column of values.
    reduction : str
        ==================== ============================= ======================
        reduction            result                        for a row without pairs
        ==================== ============================= ======================
        sum                  (M,), (M, E) for 2-D values   0
        min, max             (M,)                          +inf, -inf
        argmin, argmax       (M,) int64, column of y       -1
        logsumexp            (M,)                          -inf
        kmin, argkmin        (M, k) ascending              +inf, -1
        count                (M,) int64                    0
        collect              CSR                           empty
        ==================== ============================= ======================

        Ties go to the lower index. count and collect take pairs whose value is not 0. A sum with a
        NaN value is NaN; every other reduction passes over it.
    pattern : BlockPattern, optional
        Which pairs are looked at; all by default, or the cells within `radius`.
    radius : float, optional
        A pair counts only if ``d2 <= radius**2``. Also the radius of "within" and "wendland".
    axis : 1 or 0
        1: one result a point of x, over those of y; 0: the other way.
    parameters : sequence of numbers, or dict
        ``p`` of an expression. Those of a formula by name are given by their names:
        ``sx.reduce("gaussian", x, y, sigma=0.1)``.
    k : int, 1 to 32
        How many, for kmin and argkmin.
    accumulate : "float64" or "compensated", optional
        How a sum is carried within each chunk of 4096 columns; by default in the points' dtype.
    math : "exact" or "fast"
        "fast" may use the GPU's approximate exponential, outside the promise of equal bits.
    device, threads, memory_limit, progress
        As in :func:`separatrix.morse_smale`.

    Returns
    -------
    Array or CSR, in the caller's order

    Raises
    ------
    InputError
        An unknown formula, an expression that does not compile, shapes or dtypes that don't fit, a
        pattern of other extents.
    DeviceMemoryError
        More points, or pairs to be collected, than fit.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> x = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> sx.reduce("distance", x, x, reduction="max").tolist()
    [5.0, 5.0]
    """
    x, y = checked_points(x, "x"), checked_points(y, "y")
    _check_alike(x, y)
    _check_options(reduction, axis, accumulate, math)
    k = _checked_k(k, reduction)
    of = y if axis == 1 else x
    dtype = np.dtype(x.dtype).newbyteorder("=")
    if values is not None:
        values = checked_values(values, len(of), dtype, "y" if axis == 1 else "x")
    has_parameters = np.size(parameters) > 0 if isinstance(parameters, np.ndarray) else parameters
    if radius is not None:
        radius = checked_radius(radius)
        if is_one_of(formula, ("within", "wendland")) and not has_parameters:
            named.setdefault("radius", radius)
    n_values = None if values is None else (*values.shape, 1)[1]
    chosen = choose(formula, parameters, named, x.shape[1], n_values)
    if values is not None and not chosen.reads_values and reduction != "sum":
        raise InputError(
            f"values are not read by {reduction} of {formula!r}: leave them out, or give an "
            "expression that reads b[0]"
        )
    radius = _checked_pattern(pattern, radius, len(x), len(y))
    real = dtype if reduction in IN_DTYPE else np.dtype(np.float64)
    check_parameters(chosen, real)
    if radius is not None:
        check_length(radius, "radius", real)
    session = Session(x, device, threads, memory_limit)
    with session.call(progress, {"upload": 0.5, **STAGES, "sorting": 0.5, "reduction": 9.0}):
        with session.stage("upload"):
            is_one_set = x is y
            x = _uploaded(session, x, "x")
            y = x if is_one_set else _uploaded(session, y, "y")
            if radius is not None or "d2" in names_in(chosen.expression):
                least = dtype if reduction in OF_VALUES else real
                check_coordinates(x, "x", least)
                check_coordinates(y, "y", least)
            values = None if values is None else _uploaded(session, values, "values")
        rows, columns = (x, y) if axis == 1 else (y, x)
        if pattern is None:
            pattern, triangle = _pattern_within(session, rows, columns, radius), 0
        else:
            triangle = pattern.upper * (1 if axis == 1 else -1)
            pattern = pattern if axis == 1 else _transposed(pattern)
        with session.stage("sorting"):
            chosen = replace(chosen, is_swapped=axis == 0)
            problem = make_problem(
                session, chosen, rows, columns, values, pattern, radius, triangle, real
            )
        with session.stage("reduction"):
            return _reduced(problem, reduction, k, accumulate, math == "fast", values, dtype)


def _reduced(
    problem: Problem,
    reduction: str,
    k: int,
    accumulate: str | None,
    is_fast: bool,
    values: Array | None,
    dtype: np.dtype,
) -> Any:
    session, n = problem.session, problem.n_rows
    on_gpu = partial(GpuForm, is_fast=is_fast)
    make: Any = session.device.launch_form(host=HostForm, gpu=on_gpu)
    form = make(problem)
    if reduction == "sum":
        has_factors = values is not None and not problem.chosen.reads_values
        n_components = problem.n_values if has_factors else 1
        total = session.device.zeros((n, n_components), problem.dtype)
        form.sum(source.constant(ACCUMULATE[accumulate]), has_factors, total)
        is_flat = not has_factors or values is None or values.ndim == 1
        return session.result(total.reshape(n) if is_flat else total)
    if reduction == "logsumexp":
        out = session.device.xp.full(n, -np.inf, problem.dtype)
        form.log_sum(out)
        return session.result(out)
    if reduction == "count":
        counts = session.device.zeros(n, np.int64)
        form.count(counts)
        return session.result(counts)
    if reduction == "collect":
        return _collected(problem, form)
    sign = -1 if reduction.endswith("max") else 1
    least = session.device.xp.full((n, k), sign * np.inf, problem.dtype)
    index = session.device.xp.full((n, k), -1, np.int64)
    form.least(k, sign, least, index)
    with np.errstate(over="ignore"):
        out = index if reduction.startswith("arg") else converted(session.device, least, dtype)
    return session.result(out if reduction.endswith("kmin") else out.reshape(n))


def _collected(problem: Problem, form: Any) -> CSR:
    session = problem.session
    counts = session.device.zeros(problem.n_rows, np.int64)
    form.count(counts)
    offsets = exclusive_scan(counts)
    n_pairs = int(offsets[-1])
    needed = form.bytes_to_list(n_pairs)
    what = f"a list of {n_pairs:,} pairs"
    session.memory.require(needed, what, "lower the radius", limits_host=True)
    items = session.device.empty(n_pairs, np.int64)
    form.list(offsets, items)
    return CSR(session.result(offsets), session.result(items))


# === checks at the public edge
def _check_alike(x: Array, y: Array) -> None:
    if x.shape[1] != y.shape[1]:
        raise InputError(
            f"x and y must have as many coordinates: x has shape {x.shape}, y {y.shape}"
        )
    if x.dtype.newbyteorder("=") != y.dtype.newbyteorder("="):
        raise InputError(
            f"x and y must have one dtype, got {x.dtype} and {y.dtype}; convert one of them"
        )


def _check_options(reduction: Any, axis: Any, accumulate: Any, math: Any) -> None:
    if not isinstance(reduction, str) or reduction not in REDUCTIONS:
        raise InputError(f"there is no reduction {reduction!r}{closest(reduction, REDUCTIONS)}")
    if isinstance(axis, bool) or not is_one_of(axis, (0, 1)):
        raise InputError(f"axis must be 1 (a result for each point of x) or 0 (of y), not {axis!r}")
    if accumulate is not None and (not isinstance(accumulate, str) or accumulate not in ACCUMULATE):
        raise InputError(f"accumulate must be None, 'float64' or 'compensated', not {accumulate!r}")
    if accumulate is not None and reduction != "sum":
        raise InputError(f"accumulate is for sums, and means nothing for {reduction}")
    if not is_one_of(math, ("exact", "fast")):
        raise InputError(f"math must be 'exact' or 'fast', not {math!r}")


def _checked_k(k: Any, reduction: str) -> int:
    if reduction not in ("kmin", "argkmin"):
        if k is not None:
            raise InputError(f"k is for kmin and argkmin, and means nothing for {reduction}")
        return 1
    most = source.constant("MOST_NEIGHBORS")
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= most:
        raise InputError(f"k must be 1 to {most} for {reduction}, not {k!r}")
    return int(k)


def _checked_pattern(
    pattern: Any, radius: float | None, n_rows: int, n_columns: int
) -> float | None:
    """The radius that pairs are tested against: the caller's, or else the pattern's."""
    if pattern is None:
        return radius
    if not isinstance(pattern, BlockPattern):
        raise InputError(f"pattern must be a BlockPattern or None, not {pattern!r}")
    if (pattern.n_rows, pattern.n_columns) != (n_rows, n_columns):
        raise InputError(
            f"the pattern is for {pattern.n_rows:,} points and {pattern.n_columns:,}, but x has "
            f"{n_rows:,} and y {n_columns:,}"
        )
    covered = pattern.radius
    if covered is not None and radius is not None and radius > covered:
        raise InputError(
            f"the pattern covers pairs within {covered}, radius is {radius}; make a pattern with "
            "that radius"
        )
    return covered if radius is None else radius


def _pattern_within(session: Session, x: Array, y: Array, radius: float | None) -> BlockPattern:
    """A pattern that covers the radius: of cells where that leaves pairs out, else of all pairs."""
    is_small = radius is None or np.isinf(radius) or x.shape[1] > 3 or len(x) * len(y) < FEW_PAIRS
    if is_small or radius is None:
        return BlockPattern.dense(len(x), len(y))
    same = None if x is y else y
    fields = cell_pattern(session, x, same, radius * ROUNDED_UP, REACH)
    return BlockPattern(**fields, _is_checked=True)


def _transposed(pattern: BlockPattern) -> BlockPattern:
    """The pairs (column, row) of the tiles, of a triangle too."""
    if not pattern.upper:
        return pattern.transpose()
    tiles = BlockPattern(
        pattern.blocks,
        pattern.offsets,
        pattern.intervals,
        pattern.n_rows,
        pattern.n_columns,
        pattern.row_order,
        pattern.column_order,
        pattern.radius,
        _is_checked=True,
    )
    return tiles.transpose()


def _uploaded(session: Session, array: Array, name: str) -> Array:
    uploaded = session.upload(array)
    check_finite(uploaded, name)
    return uploaded
