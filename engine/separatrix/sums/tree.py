"""Formulas as trees of typed nodes: what the parser and the symbolic variables build.

A node has a kind (truth value, integer, or real), a dimension (number of components), and
children. Operations on integers are exact; with a real operand, and in divisions, they become
real. Operations are by component; an operand of dimension 1 applies to every component of the
other one. The builders check dimensions. Trees share nodes, and are compared by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

TRUTH, WHOLE, REAL = range(3)
X, Y, PARAMETER = range(3)
"""Owners of variables: the points x, the points y, or the call."""

MOST_COMPONENTS = 4096  # of a node

REAL_FUNCTIONS = (
    "exp", "log", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "erf", "floor", "round",
)  # fmt: skip
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
SIGNS = ("||", "&&", "|", "^", "&", *COMPARISONS, "+", "-", "*", "/", "%", "**")
"""Operators of two operands; `|`, `^`, `&`, and `%` (whose sign is that of the first operand, and
which is 0 for a divisor of 0) require integers."""


class FormulaError(ValueError):
    """An operation that does not apply to its operands: the reason, without a period."""


def _operator(sign: str, is_reversed: bool = False) -> Callable[[Node, Node | float], Node]:
    """Return the method of Node for an operator with a node or a number."""

    def method(self: Node, other: Node | float) -> Node:
        other = other if isinstance(other, Node) else constant(other)
        return binary(sign, other, self) if is_reversed else binary(sign, self, other)

    return method


@dataclass(frozen=True, eq=False)
class Node:
    """An operation of a formula, which operators of Python build as well.

    ===============  ==========================================================================
    op               children, and further fields
    ===============  ==========================================================================
    constant         none; `number`, an int (bool for a truth value) or a float
    variable         none; `name`, and `owner` X, Y, or PARAMETER
    index            none; `owner`: the index of the point x (``i``) or y (``j``)
    one of SIGNS     two; of `**`, a real power
    negative, !, real  one
    REAL_FUNCTIONS   one; and "abs", of any kind
    min, max, atan2  two
    choose           condition, value if it holds, and value if not
    sum              one; the sum of its components
    dot              two of equal dimension; the sum of products, fused in float32
    concat           any number
    entries          one; `number`, the first of `dimension` components that it keeps
    ===============  ==========================================================================
    """

    op: str
    children: tuple[Node, ...] = ()
    dimension: int = 1
    kind: int = REAL
    name: str = ""
    owner: int = PARAMETER
    number: float = field(default=0, compare=False)

    __add__, __radd__ = _operator("+"), _operator("+", True)
    __sub__, __rsub__ = _operator("-"), _operator("-", True)
    __mul__, __rmul__ = _operator("*"), _operator("*", True)
    __truediv__, __rtruediv__ = _operator("/"), _operator("/", True)
    __pow__ = _operator("**")
    __lt__, __le__, __gt__, __ge__ = map(_operator, ("<", "<=", ">", ">="))

    def __neg__(self) -> Node:
        return negative(self)


def constant(number: float) -> Node:
    """Return the node of a number or a truth value, of its kind."""
    kind = TRUTH if isinstance(number, bool) else WHOLE if isinstance(number, int) else REAL
    return Node("constant", kind=kind, number=number)


def variable(name: str, owner: int, dimension: int = 1) -> Node:
    """Return the node of a variable of X, Y, or PARAMETER."""
    return Node("variable", dimension=dimension, name=name, owner=owner)


def index(owner: int) -> Node:
    """Return the node of the index of the point of X or Y."""
    return Node("index", kind=WHOLE, owner=owner)


def binary(sign: str, a: Node, b: Node) -> Node:
    """Return the node of one of SIGNS."""
    kind = max(a.kind, b.kind, WHOLE)
    if sign in ("%", "&", "|", "^") and kind == REAL:
        hint = "; use ** for powers" if sign == "^" else ""
        raise FormulaError(f"{sign} requires integers (i, j, or literals without a point){hint}")
    if sign in ("&&", "||") or sign in COMPARISONS:
        kind = TRUTH
    elif sign in ("/", "**"):
        kind = REAL
    return Node(sign, (a, b), common_dimension(sign, a, b), kind)


def negative(a: Node) -> Node:
    """Return the node of -a."""
    if a.op == "constant" and a.kind != TRUTH:
        return constant(-a.number)
    return Node("negative", (a,), a.dimension, max(a.kind, WHOLE))


def negation(a: Node) -> Node:
    """Return the node of the truth value that a is 0."""
    return Node("!", (a,), a.dimension, TRUTH)


def call(function: str, *arguments: Node) -> Node:
    """Return the node of a function of FUNCTIONS."""
    n = FUNCTIONS[function]
    if n and len(arguments) != n:
        plural = "s" * (n > 1)
        raise FormulaError(f"{function} has {n} argument{plural}; got {len(arguments)}")
    if function in _BUILDERS:
        return _BUILDERS[function](*arguments)
    kind = max(WHOLE, *(a.kind for a in arguments))
    is_real = function in REAL_FUNCTIONS or function == "atan2"
    dimension = common_dimension(function, *arguments)
    return Node(function, arguments, dimension, REAL if is_real else kind)


def choose(condition: Node, a: Node, b: Node) -> Node:
    """Return the node that is a where a condition holds, and b elsewhere."""
    kind = max(a.kind, b.kind, WHOLE)
    return Node("choose", (condition, a, b), common_dimension("a choice", condition, a, b), kind)


def total(a: Node) -> Node:
    """Return the sum of the components; a sum of products is a dot product."""
    if a.dimension == 1:
        return a
    if a.op == "*" and all(each.dimension == a.dimension for each in a.children):
        return dot(*a.children)
    if a.op == "**" and a.children[1].op == "constant" and a.children[1].number == 2:
        return dot(a.children[0], a.children[0])
    return Node("sum", (a,), kind=max(a.kind, WHOLE))


def dot(a: Node, b: Node) -> Node:
    """Return the node of the scalar product."""
    if a.dimension != b.dimension:
        raise FormulaError(f"dot requires equal dimensions; got {a.dimension} and {b.dimension}")
    return Node("dot", (a, b))


def norm(a: Node) -> Node:
    """Return the node of the Euclidean norm."""
    return call("sqrt", dot(a, a))


def squared_distance(a: Node, b: Node) -> Node:
    """Return the node of the squared Euclidean distance."""
    if a.dimension != b.dimension:
        sizes = f"{a.dimension} and {b.dimension}"
        raise FormulaError(f"a distance requires equal dimensions; got {sizes}")
    between = a - b
    return dot(between, between)


def concat(*parts: Node) -> Node:
    """Return the node of the components of all parts."""
    dimension = sum(part.dimension for part in parts)
    if dimension > MOST_COMPONENTS:
        raise FormulaError(f"concat has {dimension} components; the maximum is {MOST_COMPONENTS}")
    return Node("concat", parts, dimension, max(part.kind for part in parts))


def entries(a: Node, first: int, n: int = 1) -> Node:
    """Return n components, from the first on."""
    if n < 1:
        raise FormulaError(f"{described(a)} has no components from {first} to {first + n}")
    if first < 0 or first + n > a.dimension:
        plural = "entries" if a.dimension != 1 else "entry"
        reads = f"[{first}]" if n == 1 else f"[{first}:{first + n}]"
        raise FormulaError(
            f"it reads {described(a)}{reads}; {described(a)} has {a.dimension} {plural}"
        )
    if n == a.dimension:
        return a
    return Node("entries", (a,), n, a.kind, number=first)


def common_dimension(what: str, *parts: Node) -> int:
    """Return the dimension of an operation by component."""
    sizes = {part.dimension for part in parts} - {1}
    if len(sizes) > 1:
        listed = " and ".join(str(part.dimension) for part in parts)
        raise FormulaError(f"{what} requires equal dimensions, or 1; got {listed}")
    return max(sizes, default=1)


def described(a: Node) -> str:
    """Return the words for a node in an error."""
    return a.name or {"index": "ij"[a.owner % 2]}.get(a.op, "the vector")


def in_order(*roots: Node) -> list[Node]:
    """Return the nodes of trees, each once, children before their parents; without recursion."""
    seen: set[int] = set()
    order: list[Node] = []
    stack: list[tuple[Node, Iterator[Node]]] = []
    for root in roots:
        if id(root) not in seen:
            seen.add(id(root))
            stack.append((root, iter(root.children)))
        while stack:
            node, children = stack[-1]
            child = next(children, None)
            if child is None:
                order.append(node)
                stack.pop()
            elif id(child) not in seen:
                seen.add(id(child))
                stack.append((child, iter(child.children)))
    return order


def substituted(root: Node, new: Mapping[Node, Node]) -> Node:
    """Return a tree with new nodes instead of old ones."""
    made = {id(old): node for old, node in new.items()}
    for node in in_order(root):
        children = tuple(made[id(child)] for child in node.children)
        is_same = all(a is b for a, b in zip(children, node.children, strict=True))
        made.setdefault(id(node), node if is_same else replace(node, children=children))
    return made[id(root)]


_BUILDERS: dict[str, Callable[..., Node]] = {
    "real": lambda a: a if a.kind == REAL else Node("real", (a,), a.dimension),
    "step": lambda a: a >= 0,
    "sign": lambda a: (a > 0) - (a < 0),
    "clamp": lambda a, low, high: call("min", call("max", a, low), high),
    "where": choose,
    "sum": total,
    "dot": dot,
    "norm": norm,
    "squared_norm": lambda a: dot(a, a),
    "squared_distance": squared_distance,
    "distance": lambda a, b: call("sqrt", squared_distance(a, b)),
    "concat": concat,
}
FUNCTIONS = dict.fromkeys(REAL_FUNCTIONS, 1) | {
    "abs": 1, "sign": 1, "step": 1, "sum": 1, "norm": 1, "squared_norm": 1, "real": 1,
    "min": 2, "max": 2, "atan2": 2, "dot": 2, "squared_distance": 2, "distance": 2,
    "clamp": 3, "where": 3, "concat": 0,
}  # fmt: skip
"""Number of arguments of each function; 0 for any number."""
