"""A caller's expression: parsed here, and written anew as C++ whose every type is known.

The grammar is that of C++ expressions without assignments, casts, pointers and shifts, by operator
precedence (Pratt 1973). Each part is a truth, a whole number (i, j, literals without a point) or
real. Whole numbers are exact among themselves; beside a real, and in every division, they become
real. So ``1 / 2`` is 0.5, and no remainder stops the process: by 0 it is 0.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NoReturn

from ..errors import InputError

MAX_LENGTH = 2000  # characters
MAX_DEPTH = 60  # of parentheses, signs and choices within each other
TRUTH, WHOLE, REAL = range(3)
POINT_NAMES = ("x", "y", "dx")
NAMES = (*POINT_NAMES, "d2", "b", "p", "i", "j", "real", "true", "false")
FUNCTIONS = {"exp": 1, "log": 1, "sqrt": 1, "min": 2, "max": 2, "abs": 1}
"""How many arguments each takes."""

_KINDS = {"d2": REAL, "i": WHOLE, "j": WHOLE, "true": TRUTH, "false": TRUTH}
_LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="),
           ("+", "-"), ("*", "/", "%"))  # fmt: skip
_PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\|\||&&|[=!<>]=|<<|>>|->|\+\+|--|\S)",
    re.ASCII,  # digits of other scripts are none of C++'s
)


@dataclass(frozen=True)
class Part:
    """A part of an expression: C++ text, and what it is."""

    text: str
    kind: int

    @property
    def real(self) -> str:
        """The part as a real."""
        return self.text if self.kind == REAL else f"real({self.text})"

    @property
    def whole(self) -> str:
        """The part, no real, as a whole number."""
        return f"Index({self.text})" if self.kind == TRUTH else self.text


def closest(name: object, known: Iterable[str]) -> str:
    """What to add to a refusal: the nearest of the known names, then all of them."""
    names = list(known)
    near = difflib.get_close_matches(str(name), names, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    return f"{hint} there are {', '.join(names)}"


def names_in(text: str) -> set[str]:
    """The names that stand in an expression."""
    return {match["name"] for match in _TOKEN.finditer(text) if match["name"]}


def compiled_text(text: str, n_dimensions: int, n_values: int | None, n_p: int) -> str:
    """The C++ text of one expression, every index in bounds. Raises InputError."""
    where = f"the formula {text!r}"
    for token in (";", "{", "}", "#", "\\", '"', "'", "\n", "`", "@", "$"):
        if token in text:
            raise InputError(f"{where} must be one C++ expression: {token!r} can't stand in it")
    if len(text) > MAX_LENGTH:
        raise InputError(f"a formula may have {MAX_LENGTH} characters, got {len(text)}")
    if "b" in names_in(text) and n_values is None:
        raise InputError(f"{where} reads b, but no values were given")
    bounds = dict.fromkeys(POINT_NAMES, n_dimensions) | {"b": n_values or 0, "p": n_p}
    return _Parser(text, bounds).whole_expression()


class _Parser:
    """Reads tokens from left to right; `at` is the next one."""

    def __init__(self, text: str, bounds: dict[str, int]):
        self.where = f"the formula {text!r}"
        self.bounds = bounds
        found = list(_TOKEN.finditer(text))
        self.tokens = [(str(m.lastgroup), m[0], m.start() + 1) for m in found]
        self.tokens.append(("end", "", len(text) + 1))
        self.at = 0
        self.depth = 0

    def whole_expression(self) -> str:
        """The expression as C++ text of a real."""
        part = self._choice()
        if self._next("end") is None:
            self._refuse("an operator")
        return part.real

    def _next(self, *wanted: str) -> str | None:
        """The next token, passed, if it is one of these signs or of this group; else None."""
        group, text, _ = self.tokens[self.at]
        if (text if group == "sign" else group) not in wanted:
            return None
        self.at += 1
        return text

    def _refuse(self, expected: str) -> NoReturn:
        group, text, place = self.tokens[self.at]
        found = "its end" if group == "end" else f"{text!r} (character {place})"
        hint = "; compare by ==, nothing can be assigned" if text == "=" else ""
        raise InputError(f"{self.where} does not compile: expected {expected}, found {found}{hint}")

    def _expect(self, sign: str) -> None:
        if self._next(sign) is None:
            self._refuse(f"an operator or {sign!r}")

    def _deeper(self, read: Callable[[], Part]) -> Part:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise InputError(f"{self.where} is nested more than {MAX_DEPTH} deep; simplify it")
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
                raise InputError(
                    f"{self.where} does not compile: {sign} takes whole numbers (i, j, literals "
                    "without a point)"
                )
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
            self._refuse("a value")
        if name in FUNCTIONS or name == "real":
            return self._call(name)
        if name in self.bounds:
            return self._entry(name)
        if name not in _KINDS:
            known = (*NAMES[:8], *FUNCTIONS)
            raise InputError(f"{self.where} has the unknown name {name!r}{closest(name, known)}")
        return Part(name, _KINDS[name])

    def _call(self, name: str) -> Part:
        self._expect("(")
        arguments = [self._deeper(self._choice)]
        while self._next(","):
            arguments.append(self._deeper(self._choice))
        self._expect(")")
        n = FUNCTIONS.get(name, 1)
        if len(arguments) != n:
            raise InputError(
                f"{self.where} does not compile: {name} takes {n} argument{'s' * (n > 1)}, "
                f"got {len(arguments)}"
            )
        if name == "real":
            return Part(f"real({arguments[0].text})", REAL)
        is_real = name in ("exp", "log", "sqrt") or REAL in [a.kind for a in arguments]
        texts = [a.real if is_real else a.whole for a in arguments]
        return Part(f"{name}({', '.join(texts)})", REAL if is_real else WHOLE)

    def _entry(self, name: str) -> Part:
        """x[0]: the index is a literal, never an expression."""
        index = self._next("number") if self._next("[") else None
        if index is None or not index.isdigit() or not self._next("]"):
            raise InputError(
                f"{self.where}: {name} must be followed by a number in brackets: {name}[0]"
            )
        if int(index) >= self.bounds[name]:
            raise InputError(
                f"{self.where} reads {name}[{int(index)}], but {name} has {self.bounds[name]} "
                "entries"
            )
        return Part(f"{name}[{int(index)}]", REAL)


def _joint(a: Part, b: Part) -> int:
    return max(a.kind, b.kind, WHOLE)
