"""Reductions over the pairs of two point sets: sums, extrema, and lists (Charlier et al. 2021).

``a_i = Reduce over j in S(i) of F(x_i, y_j, b_j, p)``, where S is block-sparse and may have a
radius. The order of all sums is fixed (kernels/sums/lanes.h), so results are bit-identical on the
CPU and the GPU, for any number of threads, and for any cuts of the intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arguments import checked_whole, is_one_of
from ..device import Array, Progress
from ..errors import InputError, Words, shown, wrong_dtype, wrong_shape
from ..kernels import source
from ..spatial.pattern import BlockPattern
from ..spatial.periodic import as_lengths, check_half_box, checked_box
from ..spatial.points import checked_radius
from .bound_formula import BoundFormula
from .call import Call
from .checks import checked_points, checked_values, checked_variables
from .expression import did_you_mean
from .formulas import choose
from .reductions import ACCUMULATE, OF_FACTORS, REDUCTIONS
from .weighted import BY_EXPONENTIALS, result_of


def reduce(
    formula: str,
    x: Any,
    y: Any,
    values: Any = None,
    *,
    of_x: Mapping[str, Any] | None = None,
    of_y: Mapping[str, Any] | None = None,
    reduction: str = "sum",
    pattern: Any = None,
    radius: float | None = None,
    boxsize: Any = None,
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
        A name of :func:`separatrix.formulas`, or one expression of the vectors ``x y dx b p``,
        their entries as in ``x[0]`` and ``x[0:2]``, ``d2 i j``, and the variables of `of_x`,
        `of_y`, and `parameters`. Operators are those of C, and ``**``; functions are ``sqrt exp
        log sin cos tan asin acos atan atan2 sinh cosh tanh erf abs sign floor round step clamp
        where min max``, all by component, and ``sum dot norm squared_norm distance
        squared_distance concat``. Operations on integers (i, j, literals) are exact except for
        divisions: ``1 / 2`` is 0.5. ``i % j`` for j = 0 is 0.
    x, y : (M, D) and (N, D) float32 or float64 array_like, of the same dtype
        Points, in any unit of length.
    values : (N,) or (N, E) array_like, for the points reduced over ((M,) or (M, E) for axis 0)
        ``b``. If the formula does not read b, each column of values multiplies the formula in a sum
        or mean, and its exponential in logsumexp and softmax.
    of_x, of_y : dict of str to (M,) or (M, d), and (N,) or (N, d) array_like, optional
        Further variables of the points by the names that the formula reads.
    reduction : str
        ==================== ============================= ======================
        reduction            result                        for a row without pairs
        ==================== ============================= ======================
        sum, mean            (M,), (M, E) for 2-D values   0, NaN
        min, max             (M,)                          +inf, -inf
        argmin, argmax       (M,) int64, column of y       -1
        logsumexp            (M,), (M, E) for 2-D values   -inf
        softmax              (M,), (M, E) for 2-D values   NaN
        kmin, argkmin        (M, k) ascending              +inf, -1
        min_argmin,          pair of arrays                both
        max_argmax,
        kmin_argkmin
        count                (M,) int64                    0
        collect              CSR                           empty
        ==================== ============================= ======================

        A formula of E components has results (M, E), or (M, E, k), by component; collect requires
        one. A mean is over the pairs; softmax is the mean of the values with weights
        exp(formula). Ties go to the lower index. count and collect include pairs whose value is not
        0. A sum, mean, or softmax with a NaN value is NaN; all other reductions skip NaN.
    pattern : BlockPattern or tuple of KeOps' six arrays, optional
        Pairs to reduce over; by default all, or those of cells within `radius`.
    radius : float, optional
        Only pairs with ``d2 <= radius**2`` count. Also the radius of "within" and "wendland".
    boxsize : float or sequence of D floats, optional
        Lengths of a periodic box from 0, and 0 for axes that are not periodic. Points are moved
        into the box, and each y is the image nearest to x along each axis (minimum-image
        convention). By default, the box of `pattern`; only a pattern of the same box may have a
        radius of its own. A radius must be less than half of each length. Without a radius, or with
        a pattern, built-in formulas are compiled as well.
    axis : {1, 0}
        1: one result per point of x, over the points of y; 0: the reverse.
    parameters : sequence of numbers, or dict
        ``p`` of an expression, or a dict of its named numbers and vectors. Parameters of a
        formula by name are keywords:
        ``sx.reduce("gaussian", x, y, sigma=0.1)``.
    k : int, from 1 to 64
        Number of values for kmin, argkmin, and kmin_argkmin.
    accumulate : {"float64", "compensated"}, optional
        Summation within each chunk of 4096 columns; by default in the dtype of the points.
    math : {"exact", "fast", "tensor"}
        "fast" uses the exponential unit of a GPU in float32, with different bits: Gaussian sums of
        positive values differ by at most 1e-6 (1 + e / 5) of the sum, where e is the exponent of
        the nearest point. Pairs whose Gaussian rounds to 0 are skipped. "tensor" also computes
        ``d2`` on tensor cores, faster from about 12 dimensions on, for sums and means in float32 of
        formulas that read no coordinates: d2 differs by at most 2^-18 of the larger squared
        distance of the two points to the mean of all. No effect on the CPU.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`.

    Returns
    -------
    Array, pair of arrays, or CSR, in the caller's order

    Raises
    ------
    InputError
        If the formula is unknown or does not compile, or shapes or dtypes do not match.
    DeviceMemoryError
        If the points or the collected pairs do not fit in memory.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> x = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> sx.reduce("distance", x, x, reduction="max").tolist()
    [5.0, 5.0]
    """
    call = checked_call(
        formula, x, y, values, named, of_x=of_x, of_y=of_y, reduction=reduction, pattern=pattern,
        radius=radius, boxsize=boxsize, axis=axis, parameters=parameters, k=k,
        accumulate=accumulate, math=math, device=device, threads=threads,
        memory_limit=memory_limit, progress=progress,
    )  # fmt: skip
    return result_of(call)


def checked_call(
    formula: Any,
    x: Any,
    y: Any,
    values: Any,
    named: dict[str, Any],
    *,
    of_x: Any,
    of_y: Any,
    reduction: Any,
    pattern: Any,
    radius: Any,
    axis: Any,
    parameters: Any,
    k: Any,
    accumulate: Any,
    math: Any,
    boxsize: Any = None,
    in_lengths: bool = False,
    caller: Any = None,
    **execution: Any,
) -> Call:
    """Return the checked arguments of :func:`reduce`. Raises InputError or TypeError.

    With `in_lengths`, the tree of a formula by name reads its lengths. `caller` is the public
    function, for errors.
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
    of_x = checked_variables(of_x, len(x), dtype, "x")
    of_y = checked_variables(of_y, len(y), dtype, "y")
    sizes = [{name: array.shape[1] for name, array in of.items()} for of in (of_x, of_y)]
    chosen = choose(
        *(formula, parameters, named, x.shape[1], n_values),
        *(caller or reduce, axis, *sizes, in_lengths),
    )
    reads_factors = reduction in OF_FACTORS or reduction in BY_EXPONENTIALS
    if values is not None and not chosen.reads_values and not reads_factors:
        remedy = "Omit them, or use an expression that reads b[0]."
        got = Words("an array")
        raise InputError("values", f"None for {reduction} of {chosen.expression!r}", got, remedy)
    if math == "tensor" and (dtype != np.float32 or chosen.reads_points):
        expected = "'exact' or 'fast' in float64, and for formulas that read points or indices"
        raise InputError("math", expected, math)
    if chosen.tree.dimension > 1:
        _check_several(chosen, values, reduction)
    if isinstance(pattern, (tuple, list)):
        pattern = BlockPattern.from_keops(pattern, n_rows=len(x), n_columns=len(y))
    radius = _checked_pattern(pattern, radius, len(x), len(y))
    of_pattern = None if pattern is None else pattern.boxsize
    box = checked_box(of_pattern if boxsize is None else boxsize, x.shape[1])
    if box is not None:
        if pattern is not None and pattern.radius is not None and as_lengths(box) != of_pattern:
            expected = "one without a radius, or of the same {boxsize}"
            remedy = "Create it by BlockPattern.from_cells(..., boxsize=...)."
            raise InputError("pattern", expected, Words("a pattern within a radius"), remedy)
        radius = None if radius == np.inf else radius
        if radius is not None:
            check_half_box(radius, box)
        if math == "tensor" and (radius is None or pattern is not None):
            raise InputError("math", "'exact' or 'fast' for all pairs or a pattern in a box", math)
    return Call(
        *(chosen, x, y, values, of_x, of_y, axis, pattern, radius),
        *(reduction, k, accumulate, math),
        box=box,
        **execution,
    )


# === validation
def _check_alike(x: Array, y: Array) -> None:
    if x.shape[1] != y.shape[1]:
        raise wrong_shape("y", f"an array of shape (n, {x.shape[1]}), like {{x}}", y)
    if x.dtype.newbyteorder("=") != y.dtype.newbyteorder("="):
        raise wrong_dtype("y", f"an array of {x.dtype}, like {{x}}", y, "Convert one of them.")


def _check_several(chosen: BoundFormula, values: Any, reduction: str) -> None:
    n = chosen.tree.dimension
    if values is not None and not chosen.reads_values:
        remedy = f"Multiply by b[0] in the formula: ({chosen.expression}) * b[0]."
        expected = f"read by a formula of {n} components"
        raise InputError("values", expected, Words("values that it does not read"), remedy)
    if reduction == "collect":
        expected = f"one of the others for a formula of {n} components"
        remedy = f"Collect one component, such as ({chosen.expression})[0], or combine them by ||."
        raise InputError("reduction", expected, reduction, remedy)


def _check_options(reduction: Any, axis: Any, accumulate: Any, math: Any) -> None:
    if not is_one_of(reduction, REDUCTIONS):
        expected = f"one of {', '.join(REDUCTIONS)}"
        raise InputError("reduction", expected, reduction, did_you_mean(reduction, REDUCTIONS))
    if isinstance(axis, bool) or not is_one_of(axis, (0, 1)):
        raise InputError("axis", "1 (one result per point of {x}) or 0 (per point of {y})", axis)
    if accumulate is not None and not is_one_of(accumulate, ACCUMULATE):
        raise InputError("accumulate", "None, 'float64', or 'compensated'", accumulate)
    if accumulate is not None and reduction not in OF_FACTORS:
        raise InputError("accumulate", f"None for {{reduction={reduction!r}}}", accumulate)
    if not is_one_of(math, ("exact", "fast", "tensor")):
        raise InputError("math", "'exact', 'fast', or 'tensor'", math)
    if math == "tensor" and (reduction not in OF_FACTORS or accumulate is not None):
        raise InputError("math", "'exact' or 'fast' except for plain sums and means", math)


def _checked_k(k: Any, reduction: str) -> int:
    if not reduction.endswith("kmin"):
        if k is not None:
            raise InputError("k", f"None for {{reduction={reduction!r}}}", k)
        return 1
    return checked_whole(k, "k", 1, source.constant("MOST_NEIGHBORS"))


def _checked_pattern(
    pattern: Any, radius: float | None, n_rows: int, n_columns: int
) -> float | None:
    """Return the radius of the test of pairs: the given one, or else that of the pattern."""
    if pattern is None:
        return radius
    if not isinstance(pattern, BlockPattern):
        raise InputError("pattern", "a BlockPattern, KeOps' six arrays, or None", shown(pattern))
    if (pattern.n_rows, pattern.n_columns) != (n_rows, n_columns):
        got = Words(f"a pattern of {pattern.n_rows:,} x {pattern.n_columns:,} points")
        raise InputError("pattern", f"a pattern of {n_rows:,} x {n_columns:,} points", got)
    covered = pattern.radius
    if covered is not None and radius is not None and radius > covered:
        remedy = "Create a pattern with this radius."
        raise InputError("radius", f"at most {covered}, which {{pattern}} covers", radius, remedy)
    return covered if radius is None else radius
