"""Values of a formula for all pairs by NumPy: what a tree means, and the kernels compute."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from .tree import REAL, Node, X, in_order

_BY_NAME = {
    "||": np.logical_or, "&&": np.logical_and, "|": np.bitwise_or, "^": np.bitwise_xor,
    "&": np.bitwise_and, "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
    ">": np.greater, ">=": np.greater_equal, "+": np.add, "-": np.subtract, "*": np.multiply,
    "/": np.divide, "**": np.power, "negative": np.negative, "!": np.logical_not,
    "real": np.positive, "abs": np.abs,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "round": np.rint,
}  # fmt: skip
_ERF = np.frompyfunc(math.erf, 1, 1)


def evaluate(
    root: Node, arrays: Mapping[str, np.ndarray], n_rows: int, n_columns: int
) -> np.ndarray:
    """Return the values of a tree for all pairs of x and y in float64.

    Parameters
    ----------
    root : Node
    arrays : mapping of str to ndarray
        The variables by name: (n_rows, d) of x, (n_columns, d) of y, (d,) of parameters.
    n_rows, n_columns : int
        Numbers of points x and y.

    Returns
    -------
    (n_rows, n_columns, dimension) ndarray of float64
    """
    values: dict[int, np.ndarray] = {}
    with np.errstate(all="ignore"):
        for node in in_order(root):
            values[id(node)] = _value(
                node, [values[id(c)] for c in node.children], arrays, n_rows, n_columns
            )
    result = np.asarray(values[id(root)], float)
    return np.broadcast_to(result, (n_rows, n_columns, root.dimension))


def _value(
    node: Node, of: list[np.ndarray], arrays: Mapping[str, np.ndarray], n_rows: int, n_columns: int
) -> np.ndarray:
    op = node.op
    if op == "constant":
        return np.full((1, 1, 1), node.number)
    if op in ("variable", "index"):
        if op == "index":
            array: np.ndarray = np.arange(n_rows if node.owner == X else n_columns)
        else:
            array = np.asarray(arrays[node.name], float)
        array = array.reshape(-1, node.dimension)
        return array[:, None] if node.owner == X else array[None]
    if op == "choose":
        return np.where(of[0] != 0, of[1], of[2])
    if op == "sum":
        return of[0].sum(-1, keepdims=True)
    if op == "dot":
        return (of[0] * of[1]).sum(-1, keepdims=True)
    if op == "concat":
        shape = np.broadcast_shapes(*(each.shape[:2] for each in of))
        return np.concatenate([np.broadcast_to(each, (*shape, each.shape[2])) for each in of], -1)
    if op == "entries":
        return of[0][..., int(node.number) : int(node.number) + node.dimension]
    if op in ("min", "max"):  # the first argument unless the second is beyond it, as in the kernels
        beyond = of[1] < of[0] if op == "min" else of[1] > of[0]
        return np.where(beyond, of[1], of[0])
    if op == "%":
        a, b = (np.asarray(each, np.int64) for each in of)
        return np.where((b == 0) | (b == -1), 0, np.fmod(a, np.where(b == 0, 1, b)))
    if op == "erf":
        return _ERF(np.asarray(of[0], float)).astype(float)
    if op in ("&&", "||", "!"):
        of = [each != 0 for each in of]
    elif node.kind == REAL:
        of = [np.asarray(each, float) for each in of]
    else:
        of = [each + 0 if each.dtype != bool else each.astype(np.int64) for each in of]
    function = _BY_NAME.get(op) or getattr(np, op)
    return np.asarray(function(*of))
