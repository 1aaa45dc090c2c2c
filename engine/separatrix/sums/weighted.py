"""Reductions by weighted exponentials of a formula: sums of other formulas and reductions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..device import Array, array_module
from ..errors import InputError, Words
from .bound_formula import bind_formula
from .call import Call
from .checks import as_columns
from .tree import X, Y, variable
from .tree import call as function

BY_EXPONENTIALS = ("logsumexp", "softmax")
LOG_SUM = "log-sum-exp"  # no name in a formula


def result_of(call: Call) -> Any:
    """Return the result of a reduction."""
    if call.reduction == "softmax" or (call.reduction == "logsumexp" and call.has_factors):
        with call.session().device.current():
            return _softmax(call) if call.reduction == "softmax" else _log_of_weighted_sum(call)
    return call.result()


def with_log_sum(call: Call, log_sum: Array) -> tuple[Call, Any]:
    """Return a call that has a log-sum-exp (n_rows, E), and the tree exp(formula - log-sum-exp).

    Rows whose weights are all 0 get the largest number, so that their exponentials do not overflow.
    """
    most = np.finfo(log_sum.dtype).max
    log_sum = as_columns(array_module(log_sum).where(log_sum == -np.inf, most, log_sum))
    shift = variable(LOG_SUM, call.owner, log_sum.shape[1])
    shifted = function("exp", call.chosen.tree - shift)
    return call.having(LOG_SUM, call.owner, log_sum), shifted


def _softmax(call: Call) -> Array:
    """Return the mean of the values with weights exp(formula); NaN without pairs."""
    if call.values is None or not call.has_factors or call.chosen.tree.dimension > 1:
        expected = "given for {reduction='softmax'}, and not read by the formula, which is a number"
        raise InputError("values", expected, None if call.values is None else Words("an array"))
    log_sum = replace(call, values=None, reduction="logsumexp").result()
    shifted, weight = with_log_sum(call, log_sum)
    xp = array_module(call.values)
    columns = as_columns(call.values)
    factors = xp.concatenate([xp.ones_like(columns[:, :1]), columns], axis=1)
    total = shifted.sum_of(weight, call.axis, factors).result()
    with np.errstate(invalid="ignore"):
        mean = total[:, 1:] / total[:, :1]
    # CuPy flushes denormals, and a GPU's NaN of 0 / 0 has other bits.
    mean = xp.where(abs(mean) < np.finfo(mean.dtype).tiny, mean.dtype.type(0), mean)
    mean = xp.where(xp.isnan(mean), mean.dtype.type(np.nan), mean)
    return mean.reshape(len(mean), *call.values.shape[1:])


def _log_of_weighted_sum(call: Call) -> Array:
    """Return the logarithm of the sum of values * exp(formula), (n_rows,) or (n_rows, E)."""
    assert call.values is not None
    values, shape = as_columns(call.values), call.values.shape[1:]
    is_negative = values < 0
    n_negative = int(is_negative.sum())
    if n_negative:
        first = int(is_negative.any(axis=1).argmax())
        got = float(values[first].min())
        expected = "at least 0 for {reduction='logsumexp'}"
        raise InputError("values", expected, got, where=f"[{first}]", count=n_negative)
    tree = call.chosen.tree + function("log", variable("b", Y if call.axis == 1 else X, 1))
    chosen = call.chosen
    chosen = bind_formula(
        *(tree, chosen.expression, chosen.p, chosen.layout, chosen.n_dimensions, call.axis)
    )
    call = replace(call, chosen=chosen)
    found = [replace(call, values=column).result() for column in values.T]
    return array_module(values).stack(found, axis=1).reshape(len(found[0]), *shape)
