"""Variables of formulas of pairs, and the arguments of a reduction for a tree of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

import numpy as np

from ..arguments import is_one_of
from ..device import Array, array_module, as_array, to_host
from ..errors import InputError, Words, shown, wrong_dtype, wrong_shape
from .checks import as_columns
from .tree import PARAMETER, Node, X, Y, in_order, substituted, variable

_NUMBERS = count()  # for names of variables
Arguments = tuple[tuple[Any, ...], dict[str, Any], dict[str, str]]


def variable_of(data: Any, axis: Any) -> tuple[Node, Array]:
    """Return the node of a new variable, and its array (n, d), (d,) of numbers for axis 2."""
    expected = "an array of shape (n,) or (n, d), or with {axis=None} of (M, 1, d) or (1, N, d)"
    array = as_array(data, "data", expected)
    if axis is None and array.ndim == 3 and 1 in array.shape[:2]:
        axis = 0 if array.shape[1] == 1 else 1
        array = array.reshape(-1, array.shape[2])
    if axis is None or isinstance(axis, bool) or not is_one_of(axis, (X, Y, PARAMETER)):
        raise InputError("axis", "0 (rows), 1 (columns), or 2 (parameters)", shown(axis))
    axis = int(axis)
    if axis == PARAMETER:
        array = to_host(array).astype(float).reshape(-1)
        if not np.isfinite(array).all():
            raise InputError("data", "finite numbers for {axis=2}", shown(data))
    elif array.dtype.newbyteorder("=").name not in ("float32", "float64"):
        remedy = "Convert it, for example with data.astype('float64')."
        raise wrong_dtype("data", "an array of float32 or float64", array, remedy)
    if array.ndim not in (1, 2) or 0 in array.shape[1:] or (axis == PARAMETER and not array.size):
        raise wrong_shape("data", expected, array)
    array = array if axis == PARAMETER else as_columns(array)
    name = f"{'xyp'[axis]}{next(_NUMBERS)}"
    return variable(name, axis, array.shape[-1]), array


def check_alike(arrays: dict[str, Array]) -> None:
    """Reject variables of different numbers of points or dtypes; names begin with the axis."""
    for axis, letter in enumerate("xy"):
        sizes = {len(array) for name, array in arrays.items() if name[0] == letter}
        if len(sizes) > 1:
            got = Words(" and ".join(map(str, sorted(sizes))))
            raise InputError("variables", f"of one number of points for axis {axis}", got)
    dtypes = {str(a.dtype.newbyteorder("=")) for name, a in arrays.items() if name[0] != "p"}
    if len(dtypes) > 1:
        got = Words(" and ".join(sorted(dtypes)))
        raise InputError("variables", "of one dtype", got, "Convert one of them.")


def arguments_of(
    tree: Node, arrays: Mapping[str, Array], axis: int, values: Any, options: Mapping[str, Any]
) -> Arguments:
    """Return arguments of :func:`separatrix.reduce`, and the names of the variables there.

    The points are the variables of the first squared distance, which is that of the kernels.
    """
    points = _points(tree)
    given = [(name, options.get(name)) for name in ("radius", "boxsize")]
    for name, length in (*given, ("radius", getattr(options.get("pattern"), "radius", None))):
        if length is not None and not points:
            expected = "None for a formula without the squared distance of variables of both axes"
            raise InputError(name, expected, shown(length))
    of: list[dict[str, Array]] = [{}, {}, {}]
    for node in variables_in(tree):
        of[node.owner][node.name] = arrays[node.name]
    names = {name: name for each in of for name in each}
    if points:
        x, y = (of[node.owner].pop(node.name) for node in points)
        new = {n: variable("xy"[n.owner], n.owner, n.dimension) for n in points}
        names |= {node.name: node_of.name for node, node_of in new.items()}
        tree = substituted(tree, new)
    else:
        x, y = (_zeros(of, owner, values if owner == axis else None) for owner in (X, Y))
    parameters = {name: array.tolist() for name, array in of[PARAMETER].items()}
    keywords = {"axis": axis, "of_x": of[X], "of_y": of[Y], "parameters": parameters, **options}
    return (tree, x, y, values), keywords, names


def _zeros(of: list[dict[str, Array]], owner: int, values: Any) -> Array:
    """Return points of zeros, as many as variables or else values of their axis have."""
    like = next(iter((of[X] or of[Y] or {"": np.zeros(0)}).values()))
    given = next(iter(of[owner].values()), values)
    if given is None:
        expected = "a formula of variables of axis 0 and of axis 1"
        raise InputError("formula", expected, Words(f"one without variables of axis {owner}"))
    return array_module(like).zeros((len(given), 1), like.dtype)


def variables_in(tree: Node) -> list[Node]:
    """Return the variables of a tree."""
    return [node for node in in_order(tree) if node.op == "variable"]


def _points(tree: Node) -> tuple[Node, Node] | None:
    """Return the variables of x and y whose squared distance a tree reads first, if any."""
    for node in in_order(tree):
        if node.op == "dot" and node.children[0] is node.children[1]:
            between = node.children[0]
            ends = sorted(between.children, key=lambda end: end.owner)
            owners = [end.owner for end in ends if end.op == "variable"]
            is_far = between.op == "-" and owners == [X, Y]
            if is_far and ends[0].dimension == ends[1].dimension:
                return ends[0], ends[1]
    return None
