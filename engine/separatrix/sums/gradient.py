"""Gradients of sums and log-sum-exps over pairs, which are sums of derivatives of the formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..device import Array, Progress, array_module, as_array
from ..errors import InputError, wrong_dtype, wrong_shape
from .call import Call
from .checks import as_columns, checked_finite
from .derivative import derivatives
from .expression import did_you_mean
from .reduce import checked_call, reduce
from .tree import PARAMETER, X, Y, variable
from .weighted import result_of, with_log_sum


def gradient(
    formula: str,
    x: Any,
    y: Any,
    values: Any = None,
    *,
    wrt: str | Sequence[str] = "x",
    upstream: Any = None,
    of_x: Mapping[str, Any] | None = None,
    of_y: Mapping[str, Any] | None = None,
    reduction: str = "sum",
    pattern: Any = None,
    radius: float | None = None,
    boxsize: Any = None,
    axis: int = 1,
    parameters: Any = (),
    accumulate: str | None = None,
    math: str = "exact",
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
    **named: float,
) -> Any:
    """Compute the gradient of a sum or log-sum-exp over pairs.

    Parameters
    ----------
    formula, x, y, values, of_x, of_y, pattern, radius, boxsize, axis, parameters, accumulate, math
        See :func:`separatrix.reduce`. The pairs, which `radius` and `pattern` choose, are constant.
    wrt : str, or sequence of str
        ``"x"``, ``"y"``, ``"values"``, a name of `of_x`, `of_y`, or `parameters` (``"p"`` if they
        have no names), or a length of a formula by name, such as ``"sigma"``.
    upstream : array_like, optional
        Derivative of a number with respect to each result of :func:`separatrix.reduce`, in its
        shape and dtype; 1 by default, so that the gradient is that of the sum of the results.
    reduction : {"sum", "logsumexp"}
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`. `progress` is called for each variable.

    Returns
    -------
    Array in the shape of the variable, or dict of them by name if `wrt` is a sequence
        floor, round, sign, and comparisons have derivative 0; min, max, and where have that of the
        branch that they take; a distance of 0 has gradient 0, and so have the points of a
        log-sum-exp whose values are all 0. A gradient with respect to parameters has shape (d,).

    Raises
    ------
    InputError
        As :func:`separatrix.reduce`, or if a variable is unknown.
    DeviceMemoryError
        If the points do not fit in memory.

    Notes
    -----
    The tree of the formula is differentiated in reverse mode (Griewank, Walther 2008), and each
    gradient is one sum over the pairs, O(pairs), with the same bits on every device.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> x, y = np.array([[1.0, 0.0]]), np.zeros((2, 2))
    >>> sx.gradient("squared_distance", x, y).tolist()
    [[4.0, 0.0]]
    """
    if not isinstance(wrt, (str, list, tuple)):
        raise InputError("wrt", "the name of a variable, or a sequence of them", wrt)
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    check_differentiable(reduction)
    call = checked_call(
        formula, x, y, values, named, of_x=of_x, of_y=of_y, reduction=reduction, pattern=pattern,
        radius=radius, boxsize=boxsize, axis=axis, parameters=parameters, k=None, math=math,
        in_lengths=True, caller=gradient, accumulate=accumulate, device=device, threads=threads,
        memory_limit=memory_limit, progress=progress,
    )  # fmt: skip
    variables = variables_of(call)
    for name in names:
        if name not in variables:
            expected = f"one of {', '.join(variables)}, or a sequence of them"
            raise InputError("wrt", expected, name, did_you_mean(name, variables))
    session = call.session()
    with session.device.current():
        upstream = _checked_upstream(call, upstream)
        log_sum = result_of(call) if reduction == "logsumexp" else None
        summed = sum_to_differentiate(call, log_sum)
        shapes = {name: np.shape(array) for name, array in {**(of_x or {}), **(of_y or {})}.items()}
        found = {}
        for name in names:
            owner, array = variables[name]
            part = derivative(summed, "b" if name == "values" else name, upstream)
            if part is None:
                found[name] = session.result(session.device.zeros(array.shape, call.dtype))
            else:
                rows = part.result()
                total = sum_over_rows(call, rows) if owner == PARAMETER else rows
                found[name] = total.reshape(shapes.get(name, array.shape))
    return found[names[0]] if isinstance(wrt, str) else found


def check_differentiable(reduction: Any) -> None:
    """Raise InputError for a reduction without gradients."""
    if reduction not in ("sum", "logsumexp"):
        raise InputError("reduction", "'sum' or 'logsumexp'", reduction)


def variables_of(call: Call) -> dict[str, tuple[int, Array]]:
    """Return the owners X, Y, or PARAMETER, and the arrays of all variables by name."""
    variables: dict[str, tuple[int, Array]] = {"x": (X, call.x), "y": (Y, call.y)}
    if call.values is not None:
        variables["values"] = (Y if call.axis == 1 else X, call.values)
    variables |= {name: (X, array) for name, array in call.of_x.items()}
    variables |= {name: (Y, array) for name, array in call.of_y.items()}
    end = len(call.chosen.p)
    for name, (array, first) in reversed(list(call.chosen.layout.items())):
        if array == "p" and first < end:
            variables[name] = (PARAMETER, np.array(call.chosen.p[first:end]))
            end = first
    return variables


def _checked_upstream(call: Call, upstream: Any) -> Array:
    """Return derivatives in the shape of the results of a call; 1 by default."""
    shape: tuple[int, ...] = (len(call.x if call.owner == X else call.y),)
    if call.has_factors and call.values is not None:
        shape += call.values.shape[1:]
    elif call.chosen.tree.dimension > 1:
        shape += (call.chosen.tree.dimension,)
    if upstream is None:
        return array_module(call.x).ones(shape, call.dtype)
    upstream = as_array(upstream, "upstream")
    if upstream.shape != shape:
        raise wrong_shape("upstream", f"an array of shape {shape}", upstream)
    if upstream.dtype.newbyteorder("=") != call.dtype:
        raise wrong_dtype("upstream", f"an array of {call.dtype}", upstream, "Convert it.")
    return checked_finite(upstream, "upstream")


def sum_to_differentiate(call: Call, log_sum: Array | None) -> Call:
    """Return the sum whose derivatives are those of a call with this log-sum-exp.

    That of a log-sum-exp is the sum of values * exp(formula - log-sum-exp), where the log-sum-exp
    is constant.
    """
    tree, values = call.chosen.tree, call.values
    has_factors = call.has_factors
    if log_sum is not None:
        with call.session().device.current():
            call, tree = with_log_sum(call, log_sum)
    if values is not None:
        columns = as_columns(checked_finite(values, "values"))
        owner = Y if call.axis == 1 else X
        call = call.having("b", owner, columns)
        if has_factors:
            tree *= variable("b", owner, columns.shape[1])
    return call.sum_of(tree, call.axis)


def upstream_name(summed: Call) -> str:
    """Return the variable of a derivative that weights the results; no name in a formula."""
    return f"upstream {len(summed.of_x) + len(summed.of_y)}"


def derivative(summed: Call, name: str, upstream: Any) -> Call | None:
    """Return the sum that is the gradient for the owner of a variable; None if it is 0.

    For a parameter it has a row for each result, to be added. `upstream` becomes a variable, so the
    derivative can be differentiated, too.
    """
    owner, _ = variables_of(summed)[name]
    label = upstream_name(summed)
    seed = variable(label, summed.owner, summed.chosen.tree.dimension)
    (tree,) = derivatives(summed.chosen.tree, seed, [name])
    if tree is None:
        return None
    axis = summed.axis if owner == PARAMETER else int(owner == X)
    upstream = as_columns(as_array(upstream, "upstream"))
    return summed.having(label, summed.owner, upstream).sum_of(tree, axis)


def sum_over_rows(call: Call, rows: Array) -> Array:
    """Return the sum (d,) of rows (n,) or (n, d), in the order of all sums."""
    rows = as_columns(rows)
    xp = array_module(rows)
    one, points = (xp.zeros((n, 1), call.dtype) for n in (1, len(rows)))
    total = reduce(
        "within", one, points, rows, parameters={"radius": 1.0}, accumulate="compensated",
        device=call.device, threads=call.threads,
    )  # fmt: skip
    return total[0]
