"""The reductions of a problem: what the forms compute, and the arrays that the caller gets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..device import Array, array_module
from ..kernels import source
from ..primitives import converted, exclusive_scan
from ..results import CSR
from .gpu_form import GpuForm
from .host_form import HostForm
from .problem import Problem, by_components

REDUCTIONS = (
    "sum", "mean", "min", "max", "argmin", "argmax", "min_argmin", "max_argmax", "logsumexp",
    "softmax", "kmin", "argkmin", "kmin_argkmin", "count", "collect",
)  # fmt: skip
OF_FACTORS = ("sum", "mean")
"""Reductions that multiply by values that the formula does not read."""
IN_DTYPE = (*OF_FACTORS, "logsumexp")
"""Reductions in the dtype of the points; all others, such as neighbors and lists, are decided in
float64, and values are rounded to the dtype of the points at the end."""
ACCUMULATE = {None: "PLAIN_SUM", "float64": "WIDE_SUM", "compensated": "COMPENSATED_SUM"}


def returns_values(reduction: str) -> bool:
    """Whether a reduction chooses pairs and returns their values."""
    return reduction.startswith(("min", "max", "kmin"))


def reduced(
    problem: Problem,
    reduction: str,
    k: int,
    accumulate: str | None,
    math: str,
    values: Array | None,
    dtype: np.dtype,
) -> Any:
    """Return the result of a reduction in the caller's order; values of pairs are of `dtype`."""
    session, n, n_results = problem.session, problem.n_rows, problem.chosen.tree.dimension
    xp = session.device.xp
    kind: Any = session.device.launch_form(host=HostForm, gpu=GpuForm)
    form = kind(problem, math)
    if reduction in OF_FACTORS:
        has_factors = values is not None and not problem.chosen.reads_values
        n_components = problem.n_values if has_factors else n_results
        total = session.device.zeros((n, n_components), problem.dtype)
        for each, part in by_components(problem, has_factors, total, kind.MOST_COMPONENTS):
            lane_sum = source.constant(ACCUMULATE[accumulate])
            kind(each, math).sum(lane_sum, has_factors, part)
        if reduction == "mean":
            total = _divided(problem, total, _n_pairs(problem, kind))
        is_flat = n_results == 1 and (not has_factors or values is None or values.ndim == 1)
        return session.result(total.reshape(n) if is_flat else total)
    if n_results > 1:

        def stacked(parts: Any) -> Array:
            return session.result(array_module(parts[0]).stack(parts, axis=1))

        components = [
            reduced(
                replace(problem, chosen=problem.chosen.results(e, e + 1)),
                *(reduction, k, accumulate, math, values, dtype),
            )
            for e in range(n_results)
        ]
        if isinstance(components[0], tuple):
            return tuple(stacked(parts) for parts in zip(*components, strict=True))
        return stacked(components)
    if reduction == "logsumexp":
        out = xp.full(n, -np.inf, problem.dtype)
        form.log_sum(out)
        return session.result(out)
    if reduction == "count":
        counts = session.device.zeros(n, np.int64)
        form.count(counts)
        return session.result(counts)
    if reduction == "collect":
        return _collected(problem, form)
    sign = -1 if "max" in reduction else 1
    least = xp.full((n, k), sign * np.inf, problem.dtype)
    index = xp.full((n, k), -1, np.int64)
    form.least(k, sign, least, index)
    shape = (n, k) if reduction.endswith("kmin") else n
    index = session.result(index.reshape(shape))
    if reduction.startswith("arg"):
        return index
    with np.errstate(over="ignore"):
        least = session.result(converted(session.device, least, dtype).reshape(shape))
    return (least, index) if "arg" in reduction else least


def _n_pairs(problem: Problem, kind: Any) -> Array:
    """Return the number of pairs of each row, in the precision of their sums."""
    xp = problem.session.device.xp
    counts = problem.session.device.zeros(problem.n_rows, np.int64)
    if problem.near is not None:
        problem = replace(problem, chosen=problem.near)
    else:
        infinite = xp.full(8, np.inf, problem.dtype)  # radius of `within`
        chosen = replace(problem.chosen, name="within")
        problem = replace(problem, chosen=chosen, parameters=infinite)
    kind(problem).count(counts)
    return counts


def _divided(problem: Problem, total: Array, counts: Array) -> Array:
    """Return totals (n_rows, E) by counts (n_rows,), divided in float64."""
    device = problem.session.device
    with np.errstate(invalid="ignore"):
        quotient = converted(device, total, np.float64) / counts[:, None]
    return converted(device, quotient, problem.dtype)


def _collected(problem: Problem, form: Any) -> CSR:
    session = problem.session
    counts = session.device.zeros(problem.n_rows, np.int64)
    form.count(counts)
    offsets = exclusive_scan(counts)
    n_pairs = int(offsets[-1])
    needed, what = form.BYTES_PER_ITEM * n_pairs, f"a list of {n_pairs:,} pairs"
    session.memory.require(needed, what, "lower {radius}", limits_host=True)
    items = session.device.empty(n_pairs, np.int64)
    form.list(offsets, items)
    return CSR(session.result(offsets), session.result(items))
