"""Points and values of points as variables of formulas of all pairs."""

from __future__ import annotations

from typing import Any

from .pair_arguments import variable_of
from .symbolic import PairFormula


def variables(data: Any, axis: int | None = None) -> PairFormula:
    """Return points, or values of points, as a variable of formulas of all pairs.

    Parameters
    ----------
    data : (n,) or (n, d) float32 or float64 array_like
        For axis 2: a number or (d,) numbers. Without axis: (M, 1, d) for axis 0, (1, N, d) for
        axis 1.
    axis : {0, 1, 2}
        0: of the points x, one per row of the matrix of pairs. 1: of the points y, one per column.
        2: parameters, equal for all pairs.

    Returns
    -------
    PairFormula

    Raises
    ------
    InputError
        If the shape, the dtype, or the axis is invalid.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> x, y = np.zeros((4, 3)), np.ones((5, 3))
    >>> xi, yj = sx.variables(x, axis=0), sx.variables(y, axis=1)
    >>> K = (-((xi - yj) ** 2).sum(-1) / 6.0).exp()
    >>> K.shape
    (4, 5)
    >>> (K @ np.ones(5)).round(3).tolist()
    [3.033, 3.033, 3.033, 3.033]
    """
    node, array = variable_of(data, axis)
    return PairFormula(node, {node.name: array})
