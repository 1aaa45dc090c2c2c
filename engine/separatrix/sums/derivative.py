"""Derivatives of formulas, as trees, in reverse mode (Griewank, Walther 2008).

floor, round, comparisons, and operations on integers have derivative 0, and so has a square root
at 0. min, max, and choices have the derivative of the branch that they take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add

from .tree import REAL, Node, call, choose, concat, constant, entries, in_order, total


def derivatives(root: Node, seed: Node, names: Sequence[str]) -> list[Node | None]:
    """Return the derivative of dot(seed, root) with respect to each variable.

    Parameters
    ----------
    root : Node
        A formula of any dimension.
    seed : Node
        Weights of its components, which the variables do not affect.
    names : sequence of str
        Names of variables.

    Returns
    -------
    list of Node or None
        Trees of the dimensions of the variables; None for a derivative that is 0.
    """
    order = in_order(root)
    depends: set[int] = set()
    for node in order:
        is_one = node.op == "variable" and node.name in names
        if is_one or (node.kind == REAL and any(id(child) in depends for child in node.children)):
            depends.add(id(node))
    parts: dict[int, list[Node]] = {id(root): [seed]}
    found: dict[str, Node] = {}
    for node in reversed(order):
        if id(node) not in depends or id(node) not in parts:
            continue
        along = reduce(add, parts[id(node)])
        if node.op == "variable":
            before = found.get(node.name)
            found[node.name] = along if before is None else before + along
        for child, rule in zip(node.children, _RULES.get(node.op, ()), strict=False):
            part = rule(node, along) if id(child) in depends else None
            if part is not None:
                parts.setdefault(id(child), []).append(
                    total(part) if child.dimension == 1 else part
                )
        if node.op == "concat":
            first = 0
            for child in node.children:
                if id(child) in depends:
                    part = entries(along, first, child.dimension)
                    parts.setdefault(id(child), []).append(part)
                first += child.dimension
    return [found.get(name) for name in names]


# === rules: (node, derivative with respect to the node) -> that with respect to a child
Rule = Callable[[Node, Node], Node | None]


def _of_child(derivative: Callable[[Node], Node]) -> tuple[Rule]:
    """Return the rule of a function of one number by its derivative at the child."""
    return (lambda node, along: along * derivative(node.children[0]),)


def _of_value(derivative: Callable[[Node], Node]) -> tuple[Rule]:
    """Return the rule of a function of one number by its derivative as a function of its value."""
    return (lambda node, along: along * derivative(node),)


def _where(condition: Node, along: Node) -> Node:
    return choose(condition, along, constant(0.0))


def _unless(condition: Node, along: Node) -> Node:
    return choose(condition, constant(0.0), along)


def _is_second_beyond(node: Node) -> Node:
    first, second = node.children
    return second < first if node.op == "min" else second > first


def _of_base(node: Node, along: Node) -> Node:
    base, exponent = node.children
    less = constant(exponent.number - 1) if exponent.op == "constant" else exponent - 1
    if less.op == "constant" and less.number == 0:
        return along
    return along * exponent * base**less


def _of_exponent(node: Node, along: Node) -> Node:
    base = node.children[0]
    return _where(base > 0, along * node * call("log", base))


def _of_inverse_sine(a: Node) -> Node:
    return 1 / call("sqrt", 1 - a**2)


def _of_arc(node: Node, along: Node, other: int) -> Node:
    y, x = node.children
    return along * node.children[other] / (x**2 + y**2)


def _among_zeros(node: Node, along: Node) -> Node:
    child = node.children[0]
    first = int(node.number)
    after = child.dimension - first - node.dimension
    zero = constant(0.0)
    return concat(*[zero] * first, along, *[zero] * after)


def _of_first_factor(node: Node, along: Node) -> Node:
    a, b = node.children
    return (along * 2 if a is b else along) * b


def _of_second_factor(node: Node, along: Node) -> Node | None:
    a, b = node.children
    return None if a is b else along * a


_PRODUCT: tuple[Rule, ...] = (_of_first_factor, _of_second_factor)
_CHOICE: tuple[Rule, ...] = (
    lambda node, along: _unless(_is_second_beyond(node), along),
    lambda node, along: _where(_is_second_beyond(node), along),
)
_RULES: dict[str, tuple[Rule, ...]] = {
    "+": (lambda node, along: along,) * 2,
    "-": (lambda node, along: along, lambda node, along: -along),
    "*": _PRODUCT,
    "/": (
        lambda node, along: along / node.children[1],
        lambda node, along: -(along * node / node.children[1]),
    ),
    "**": (_of_base, _of_exponent),
    "negative": (lambda node, along: -along,),
    "choose": (
        lambda node, along: None,
        lambda node, along: _where(node.children[0], along),
        lambda node, along: _unless(node.children[0], along),
    ),
    "min": _CHOICE,
    "max": _CHOICE,
    "sum": (lambda node, along: concat(*[along] * node.children[0].dimension),),
    "dot": _PRODUCT,
    "entries": (_among_zeros,),
    "abs": _of_child(lambda a: call("sign", a)),
    "exp": _of_value(lambda value: value),
    "log": (lambda node, along: along / node.children[0],),
    "sqrt": (lambda node, along: _where(node > 0, along / (2 * node)),),
    "sin": _of_child(lambda a: call("cos", a)),
    "cos": _of_child(lambda a: -call("sin", a)),
    "tan": _of_value(lambda value: 1 + value**2),
    "asin": _of_child(_of_inverse_sine),
    "acos": _of_child(lambda a: -_of_inverse_sine(a)),
    "atan": _of_child(lambda a: 1 / (1 + a**2)),
    "atan2": (
        lambda node, along: _of_arc(node, along, 1),
        lambda node, along: -_of_arc(node, along, 0),
    ),
    "sinh": _of_child(lambda a: call("cosh", a)),
    "cosh": _of_child(lambda a: call("sinh", a)),
    "tanh": _of_value(lambda value: 1 - value**2),
    "erf": _of_child(lambda a: 2 / math.sqrt(math.pi) * call("exp", -(a**2))),
}
