"""C++ text of a formula, generated from its tree, with the names of kernels/sums/pairs.h.

A value that is used more than once becomes a variable of the text, and so does a long one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .tree import COMPARISONS, PARAMETER, REAL, TRUTH, WHOLE, FormulaError, Node, X, in_order

LONGEST = 120  # characters of a value without a variable
MOST_VALUES = 1 << 14  # of the components of all nodes of a formula
MOST_FACTORS = 64  # of a power by multiplication

_TYPES = {TRUTH: "bool", WHOLE: "Index", REAL: "real"}
_ALIASES = ("constant", "variable", "index", "concat", "entries")
_ATOM = re.compile(r"\w+|\w+\[\d+\]|[a-z_]+\(\w+(\[\d+\])?\)")

Layout = Mapping[str, tuple[str, int]]


@dataclass(frozen=True)
class Value:
    """One component of a node: its text, and kind."""

    text: str
    kind: int

    @property
    def real(self) -> str:
        if self.kind == REAL:
            return self.atom
        return self.text if self.text.startswith("real(") else f"real({self.text})"

    @property
    def whole(self) -> str:
        return f"Index({self.text})" if self.kind == TRUTH else self.atom

    @property
    def atom(self) -> str:
        return self.text if _ATOM.fullmatch(self.text) else f"({self.text})"

    def of_kind(self, kind: int) -> str:
        return self.real if kind == REAL else self.whole


def statements(
    root: Node, layout: Layout, n_dimensions: int, p: Sequence[float]
) -> tuple[list[str], list[str]]:
    """Return C++ statements, and the texts of the components of a formula as reals.

    `layout` has the array (``x``, ``y``, ``b``, or ``p``) and the first entry of each variable.
    The squared distance of the points, which are the first `n_dimensions` entries of ``x`` and
    ``y``, is the name ``d2``. The signs of the parameters `p` are known to the text: exponentials
    of what is not positive need no test for large numbers.
    """
    return _Writer(layout, n_dimensions, p).written(root)


class _Writer:
    def __init__(self, layout: Layout, n_dimensions: int, p: Sequence[float]):
        self.layout = layout
        self.n_dimensions = n_dimensions
        self.p = p
        self.values: dict[int, list[Value]] = {}
        self.signs: dict[int, int] = {}  # of nodes: 1 for at least 0, -1 for at most 0, or 0
        self.lines: list[str] = []
        self.names: dict[str, str] = {}  # of variables, by what they are

    def written(self, root: Node) -> tuple[list[str], list[str]]:
        order = self._needed(in_order(root))
        if sum(node.dimension for node in order) > MOST_VALUES:
            raise FormulaError(f"its vectors have more than {MOST_VALUES} components together")
        uses = Counter({id(root): 1})
        for node in reversed(order):
            own = uses[id(node)] if node.op in _ALIASES else 1
            for child in node.children:
                repeated = node.dimension if child.dimension == 1 else 1
                uses[id(child)] += own * repeated
            if node.op == "**":
                uses[id(node.children[0])] += 1
        values = self.values
        for node in order:
            self.signs[id(node)] = self._sign(node)
            components = self._components(
                node, [values.get(id(child), []) for child in node.children]
            )
            is_named = node.op not in _ALIASES and uses[id(node)] > 1
            values[id(node)] = [
                self._named(value) if is_named or len(value.text) > LONGEST else value
                for value in components
            ]
        return self.lines, [value.real for value in values[id(root)]]

    def _needed(self, order: list[Node]) -> list[Node]:
        """Leave out the differences that only d2 reads."""
        read = {id(child) for node in order if not self._is_d2(node) for child in node.children}
        roots = order[-1:]
        return [node for node in order if id(node) in read or node in roots]

    def _sign(self, node: Node) -> int:
        op, signs = node.op, [self.signs.get(id(child), 0) for child in node.children]
        if op == "constant":
            return 1 if node.number >= 0 else -1
        if op == "variable" and node.owner == PARAMETER:
            first = self.layout[node.name][1]
            numbers = self.p[first : first + node.dimension]
            return 1 if min(numbers, default=-1) >= 0 else -1 if max(numbers, default=1) <= 0 else 0
        if op == "negative":
            return -signs[0]
        if op == "entries":
            return signs[0]
        if op in ("*", "/"):
            return signs[0] * signs[1]
        if op == "+" and signs[0] == signs[1]:
            return signs[0]
        is_square = op == "dot" and node.children[0] is node.children[1]
        if op == "**":
            is_square = signs[0] == 1 or node.children[1].number in (2, 4, 6)
        return 1 if is_square or op in ("sqrt", "abs", "exp") or node.kind == TRUTH else 0

    def _decay(self, exponent: Node, k: int) -> Value:
        """e^exponent for an exponent that is at most 0, as in the built-in formulas."""
        factors: tuple[Node, ...] = ()
        if exponent.op == "negative":
            (inner,) = exponent.children
            factors = inner.children if inner.op == "*" else (inner,)
        elif exponent.op == "*" and "negative" in [child.op for child in exponent.children]:
            a, b = exponent.children
            factors = (a.children[0], b) if a.op == "negative" else (a, b.children[0])
        texts = [self._component(factor, k).real for factor in factors]
        if len(texts) == 2:  # the rate is last
            texts.sort(key=lambda text: text.startswith(("p[", "real(")))
        return Value(f"decay({', '.join(texts) or '-' + self._component(exponent, k).real})", REAL)

    def _component(self, node: Node, k: int) -> Value:
        values = self.values[id(node)]
        return values[k if len(values) > 1 else 0]

    def _named(self, value: Value) -> Value:
        if re.fullmatch(r"\w+", value.text):
            return value
        key = f"{_TYPES[value.kind]} {value.text}"
        if key not in self.names:
            self.names[key] = f"t{len(self.names)}"
            self.lines.append(f"const {_TYPES[value.kind]} {self.names[key]} = {value.text};")
        return Value(self.names[key], value.kind)

    def _is_d2(self, node: Node) -> bool:
        """Whether a node is the squared distance of the points."""
        if node.op != "dot" or node.children[0] is not node.children[1]:
            return False
        between = node.children[0]
        return between.op == "-" and {self._is_point(each) for each in between.children} == {
            "x",
            "y",
        }

    def _is_point(self, node: Node) -> str:
        array, first = self.layout.get(node.name, ("", 0)) if node.op == "variable" else ("", 0)
        return array if first == 0 and node.dimension == self.n_dimensions else ""

    def _components(self, node: Node, of: list[list[Value]]) -> list[Value]:
        op, n = node.op, node.dimension
        if op == "constant":
            return [_literal(node)]
        if op == "index":
            return [Value("i" if node.owner == X else "j", WHOLE)]
        if op == "variable":
            array, first = self.layout[node.name]
            return [Value(f"{array}[{first + k}]", REAL) for k in range(n)]
        if op == "concat":
            return [Value(value.of_kind(node.kind), node.kind) for part in of for value in part]
        if op == "entries":
            return of[0][int(node.number) : int(node.number) + n]
        if op == "sum":
            return [self._sum([value.of_kind(node.kind) for value in of[0]], node.kind)]
        if op == "dot":
            return [Value("d2", REAL) if self._is_d2(node) else self._dot(*of)]
        if op == "exp" and self.signs[id(node.children[0])] == -1:
            return [self._decay(node.children[0], k) for k in range(n)]
        return [
            self._operation(node, [part[k if len(part) > 1 else 0] for part in of])
            for k in range(n)
        ]

    def _sum(self, texts: list[str], kind: int) -> Value:
        value = Value(texts[0], kind)
        for text in texts[1:]:
            value = self._short(Value(f"{value.text} + {text}", kind))
        return value

    def _dot(self, a: list[Value], b: list[Value]) -> Value:
        value = Value(f"{a[0].real} * {b[0].real}", REAL)
        for one, other in zip(a[1:], b[1:], strict=True):
            text = f"with_product({value.text}, {one.real}, {other.real})"
            value = self._short(Value(text, REAL))
        return value

    def _short(self, value: Value) -> Value:
        return self._named(value) if len(value.text) > LONGEST else value

    def _operation(self, node: Node, of: list[Value]) -> Value:
        op, kind = node.op, node.kind
        if op == "negative":
            return Value(f"-{of[0].of_kind(kind)}", kind)
        if op == "!":
            return Value(f"!{of[0].atom}", TRUTH)
        if op == "real":
            return Value(of[0].real, REAL)
        if op == "choose":
            first, second = of[1].of_kind(kind), of[2].of_kind(kind)
            return Value(f"{of[0].atom} ? {first} : {second}", kind)
        if op in ("&&", "||"):
            return Value(f"{of[0].atom} {op} {of[1].atom}", TRUTH)
        if op == "**":
            exponent = node.children[1]
            if exponent.op == "constant" and exponent.kind == WHOLE:
                return self._power(of[0], int(exponent.number))
            return Value(f"real_power({of[0].real}, {of[1].real})", REAL)
        operands = max(value.kind for value in of) if op in COMPARISONS else kind
        texts = [value.of_kind(max(operands, WHOLE)) for value in of]
        if op == "%":
            return Value(f"remainder({texts[0]}, {texts[1]})", WHOLE)
        if op[0].isalpha():
            return Value(f"{op}({', '.join(texts)})", kind)
        return Value(f"{texts[0]} {op} {texts[1]}", kind)

    def _power(self, base: Value, n: int) -> Value:
        """A whole power by repeated squares, up to `MOST_FACTORS`."""
        if abs(n) > MOST_FACTORS:
            return Value(f"real_power({base.real}, real({n}))", REAL)
        if n < 0:
            return Value(f"real(1) / {self._power(base, -n).atom}", REAL)
        square, factors = self._named(Value(base.real, REAL)), []
        for place in range(n.bit_length()):
            if place:
                square = self._named(Value(f"{square.text} * {square.text}", REAL))
            if n >> place & 1:
                factors.append(square.atom)
        return Value(" * ".join(factors) or "real(1)", REAL)


def _literal(node: Node) -> Value:
    if node.kind == REAL and math.isinf(node.number):
        return Value(f"{'-' if node.number < 0 else ''}infinity(real(0))", REAL)
    if node.kind == REAL:
        return Value(f"real({node.number!r})", REAL)
    if node.kind == TRUTH:
        return Value("true" if node.number else "false", TRUTH)
    return Value(f"Index({int(node.number)})", WHOLE)
