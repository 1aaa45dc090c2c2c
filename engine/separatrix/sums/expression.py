"""Parser of a caller's expression, which is rewritten as C++ with known types (Pratt 1973).

Each part is a truth value, an integer (i, j, or a literal without a point), or real. Operations on
integers are exact; with a real operand, and in divisions, they become real. A remainder by 0 is 0.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..errors import InputError, Words

MAX_LENGTH = 2000  # characters
MAX_DEPTH = 60  # of nested parentheses, signs, and choices
TRUTH, WHOLE, REAL = range(3)
POINT_NAMES = ("x", "y", "dx")
NAMES = (*POINT_NAMES, "d2", "b", "p", "i", "j", "real", "true", "false")
FUNCTIONS = {"exp": 1, "log": 1, "sqrt": 1, "min": 2, "max": 2, "abs": 1}
"""Number of arguments of each function."""

_KINDS = {"d2": REAL, "i": WHOLE, "j": WHOLE, "true": TRUTH, "false": TRUTH}
_LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="),
           ("+", "-"), ("*", "/", "%"))  # fmt: skip
_PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\|\||&&|[=!<>]=|<<|>>|->|\+\+|--|\S)",
    re.ASCII,  # C++ has ASCII digits only
)


@dataclass(frozen=True)
class Part:
    """A part of an expression: C++ text and kind."""

    text: str
    kind: int

    @property
    def real(self) -> str:
        return self.text if self.kind == REAL else f"real({self.text})"

    @property
    def whole(self) -> str:
        """The part, which is not real, as an integer."""
        return f"Index({self.text})" if self.kind == TRUTH else self.text


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question about the closest of some names, or ""."""
    near = difflib.get_close_matches(str(name), list(known), 1)
    return f"Did you mean {near[0]!r}?" if near else ""


def does_not_compile(text: str, reason: str) -> InputError:
    """Return the error about an expression that is not valid C++."""
    return InputError(f"The formula {text!r} does not compile: {reason}.")


def names_in(text: str) -> set[str]:
    """Return the names in an expression."""
    return {match["name"] for match in _TOKEN.finditer(text) if match["name"]}


def compiled_text(text: str, n_dimensions: int, n_values: int | None, n_p: int) -> str:
    """Return the C++ text of an expression with valid indices. Raises InputError."""
    for token in (";", "{", "}", "#", "\\", '"', "'", "\n", "`", "@", "$"):
        if token in text:
            raise InputError("formula", f"one C++ expression, without {token!r}", text)
    if len(text) > MAX_LENGTH:
        expected = f"an expression of at most {MAX_LENGTH} characters"
        raise InputError("formula", expected, Words(f"{len(text)} characters"))
    if "b" in names_in(text) and n_values is None:
        raise InputError("values", f"given, because the formula {text!r} reads b", None)
    bounds = dict.fromkeys(POINT_NAMES, n_dimensions) | {"b": n_values or 0, "p": n_p}
    return _Parser(text, bounds).whole_expression()


class _Parser:
    """Reads tokens from left to right; `at` is the index of the next one."""

    def __init__(self, text: str, bounds: dict[str, int]):
        self.text = text
        self.bounds = bounds
        found = list(_TOKEN.finditer(text))
        self.tokens = [(str(m.lastgroup), m[0], m.start() + 1) for m in found]
        self.tokens.append(("end", "", len(text) + 1))
        self.at = 0
        self.depth = 0

    def whole_expression(self) -> str:
        """Return the expression as C++ text of a real."""
        part = self._choice()
        if self._next("end") is None:
            raise self._unexpected("an operator")
        return part.real

    def _next(self, *wanted: str) -> str | None:
        """Consume and return the next token if it has one of these signs or groups."""
        group, text, _ = self.tokens[self.at]
        if (text if group == "sign" else group) not in wanted:
            return None
        self.at += 1
        return text

    def _unexpected(self, expected: str) -> InputError:
        group, text, place = self.tokens[self.at]
        found = "the end" if group == "end" else f"{text!r} (character {place})"
        hint = ". Use == for comparisons" if text == "=" else ""
        return does_not_compile(self.text, f"expected {expected}, found {found}{hint}")

    def _expect(self, sign: str) -> None:
        if self._next(sign) is None:
            raise self._unexpected(f"an operator or {sign!r}")

    def _deeper(self, read: Callable[[], Part]) -> Part:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise does_not_compile(self.text, f"the nesting depth exceeds {MAX_DEPTH}")
        part = read()
        self.depth -= 1
        return part

    def _choice(self) -> Part:
        condition = self._operation(0)
        if self._next("?") is None:
            return condition
        first = self._deeper(self._choice)
        self._expect(":")
        second = self._deeper(self._choice)
        kind = _joint(first, second)
        texts = (first.real, second.real) if kind == REAL else (first.whole, second.whole)
        return Part(f"{condition.text} ? {texts[0]} : {texts[1]}", kind)

    def _operation(self, level: int) -> Part:
        part = self._signed()
        while True:
            group, sign, _ = self.tokens[self.at]
            if group != "sign" or _PRECEDENCE.get(sign, -1) < level:
                return part
            self.at += 1
            part = self._joined(sign, part, self._operation(_PRECEDENCE[sign] + 1))

    def _joined(self, sign: str, a: Part, b: Part) -> Part:
        if sign in ("&&", "||"):
            return Part(f"{a.text} {sign} {b.text}", TRUTH)
        kind = REAL if sign == "/" else _joint(a, b)
        if sign in ("%", "&", "|", "^"):
            if kind == REAL:
                reason = f"{sign} requires integers (i, j, or literals without a point)"
                raise does_not_compile(self.text, reason)
            if sign == "%":
                return Part(f"remainder({a.whole}, {b.whole})", WHOLE)
        text = f"{a.real} {sign} {b.real}" if kind == REAL else f"{a.whole} {sign} {b.whole}"
        return Part(text, TRUTH if _PRECEDENCE[sign] in (5, 6) else kind)

    def _signed(self) -> Part:
        sign = self._next("-", "+", "!")
        if sign is None:
            return self._value()
        part = self._deeper(self._signed)
        if sign == "!":
            return Part(f"!{part.text}", TRUTH)
        return Part(
            f"{sign} {part.real if part.kind == REAL else part.whole}", max(part.kind, WHOLE)
        )

    def _value(self) -> Part:
        number = self._next("number")
        if number is not None:
            if not number.isdigit() or int(number) >= 2**63:
                return Part(f"real({number}{'.0' * number.isdigit()})", REAL)
            return Part(f"Index({int(number)})", WHOLE)
        if self._next("("):
            part = self._deeper(self._choice)
            self._expect(")")
            return Part(f"({part.text})", part.kind)
        name = self._next("name")
        if name is None:
            raise self._unexpected("a value")
        if name in FUNCTIONS or name == "real":
            return self._call(name)
        if name in self.bounds:
            return self._entry(name)
        if name not in _KINDS:
            known = (*NAMES[:8], *FUNCTIONS)
            reason = f"unknown name {name!r}; the names are {', '.join(known)}"
            hint = did_you_mean(name, known)
            raise does_not_compile(self.text, f"{reason}. {hint}".rstrip(". "))
        return Part(name, _KINDS[name])

    def _call(self, name: str) -> Part:
        self._expect("(")
        arguments = [self._deeper(self._choice)]
        while self._next(","):
            arguments.append(self._deeper(self._choice))
        self._expect(")")
        n = FUNCTIONS.get(name, 1)
        if len(arguments) != n:
            reason = f"{name} has {n} argument{'s' * (n > 1)}; got {len(arguments)}"
            raise does_not_compile(self.text, reason)
        if name == "real":
            return Part(f"real({arguments[0].text})", REAL)
        is_real = name in ("exp", "log", "sqrt") or REAL in [a.kind for a in arguments]
        texts = [a.real if is_real else a.whole for a in arguments]
        return Part(f"{name}({', '.join(texts)})", REAL if is_real else WHOLE)

    def _entry(self, name: str) -> Part:
        """An entry such as x[0], whose index is a literal."""
        index = self._next("number") if self._next("[") else None
        if index is None or not index.isdigit() or not self._next("]"):
            reason = f"{name} must be followed by a number in brackets, as in {name}[0]"
            raise does_not_compile(self.text, reason)
        if int(index) >= self.bounds[name]:
            reason = f"it reads {name}[{int(index)}]; {name} has {self.bounds[name]} entries"
            raise does_not_compile(self.text, reason)
        return Part(f"{name}[{int(index)}]", REAL)


def _joint(a: Part, b: Part) -> int:
    return max(a.kind, b.kind, WHOLE)
