"""Arguments of a reduction for a tree of variables: its points, variables, and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..device.arrays import array_module
from ..device.base import Array
from ..errors import InputError, Words
from .tree import PARAMETER, Node, X, Y, in_order, substituted, variable

Arguments = tuple[tuple[Any, ...], dict[str, Any], dict[str, str]]


def arguments_of(
    tree: Node, arrays: Mapping[str, Array], axis: int, values: Any, options: Mapping[str, Any]
) -> Arguments:
    """Return arguments of :func:`separatrix.reduce`, and the names of the variables there.

    The points are the variables of the first squared distance, which is that of the kernels.
    """
    points = _points(tree)
    radius = (options.get("radius"), getattr(options.get("pattern"), "radius", None))
    if radius != (None, None) and not points:
        expected = "None for a formula without the squared distance of variables of both axes"
        raise InputError("radius", expected, Words("a radius of pairs"))
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
