"""Parser of the text of a formula, which becomes a tree (Pratt 1973).

No part of the text reaches a compiler: generate.py writes the C++ text from the tree.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping

from ..errors import InputError, Words
from .tree import (
    FUNCTIONS,
    FormulaError,
    Node,
    X,
    Y,
    binary,
    call,
    choose,
    constant,
    entries,
    index,
    negation,
    negative,
)

_HINTS = {
    "=": "== for comparisons", "and": "&&", "or": "||", "not": "!", "if": "condition ? a : b",
}  # fmt: skip
MAX_LENGTH = 2000  # characters
MAX_DEPTH = 60  # of nested parentheses, signs, and choices
NAMES = ("x", "y", "dx", "d2", "b", "p", "i", "j", "true", "false", *FUNCTIONS)
"""Names with a meaning of their own."""

_LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="),
           ("+", "-"), ("*", "/", "%"))  # fmt: skip
_PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\|\||&&|\*\*|[=!<>]=|<<|>>|->|\+\+|--|\S)",
    re.ASCII,
)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question about the closest of some names, or ""."""
    near = difflib.get_close_matches(str(name), list(known), 1)
    return f"Did you mean {near[0]!r}?" if near else ""


def does_not_compile(text: str, reason: str) -> InputError:
    """Return the error about the text of a formula that is not valid."""
    return InputError(f"The formula {text!r} does not compile: {reason}.")


def names_in(text: str) -> set[str]:
    """Return the names in an expression."""
    return {match["name"] for match in _TOKEN.finditer(text) if match["name"]}


Meaning = Node | Callable[..., Node]


def parsed(text: str, names: Mapping[str, Meaning]) -> Node:
    """Return the tree of an expression that reads these variables. Raises InputError.

    `names` may also contain functions, in addition to FUNCTIONS.
    """
    for token in (";", "{", "}", "#", "\\", '"', "'", "\n", "`", "@", "$"):
        if token in text:
            raise InputError("formula", f"one expression, without {token!r}", text)
    if len(text) > MAX_LENGTH:
        expected = f"an expression of at most {MAX_LENGTH} characters"
        raise InputError("formula", expected, Words(f"{len(text)} characters"))
    try:
        return _Parser(text, names).whole_expression()
    except FormulaError as error:
        raise does_not_compile(text, str(error)) from None


class _Parser:
    """Reads tokens from left to right; `at` is the index of the next one."""

    def __init__(self, text: str, names: Mapping[str, Meaning]):
        self.text = text
        own = {"i": index(X), "j": index(Y), "true": constant(True), "false": constant(False)}
        self.names: dict[str, Meaning] = {**own, **names}
        found = list(_TOKEN.finditer(text))
        self.tokens = [(str(m.lastgroup), m[0], m.start() + 1) for m in found]
        self.tokens.append(("end", "", len(text) + 1))
        self.at = 0
        self.depth = 0

    def whole_expression(self) -> Node:
        part = self._choice()
        if self._next("end") is None:
            raise self._unexpected("an operator")
        return part

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
        hint = f". Use {_HINTS[text]}" if text in _HINTS else ""
        return does_not_compile(self.text, f"expected {expected}, found {found}{hint}")

    def _expect(self, sign: str) -> None:
        if self._next(sign) is None:
            raise self._unexpected(f"an operator or {sign!r}")

    def _deeper(self, read: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise does_not_compile(self.text, f"the nesting depth exceeds {MAX_DEPTH}")
        part = read()
        self.depth -= 1
        return part

    def _choice(self) -> Node:
        condition = self._operation(0)
        if self._next("?") is None:
            return condition
        first = self._deeper(self._choice)
        self._expect(":")
        return choose(condition, first, self._deeper(self._choice))

    def _operation(self, level: int) -> Node:
        part = self._signed()
        while True:
            group, sign, _ = self.tokens[self.at]
            if group != "sign" or _PRECEDENCE.get(sign, -1) < level:
                return part
            self.at += 1
            part = binary(sign, part, self._operation(_PRECEDENCE[sign] + 1))

    def _signed(self) -> Node:
        sign = self._next("-", "+", "!")
        if sign is None:
            return self._power()
        part = self._deeper(self._signed)
        return negation(part) if sign == "!" else negative(part) if sign == "-" else part

    def _power(self) -> Node:
        """A value, or its power: -a ** b is -(a ** b), and a ** b ** c is a ** (b ** c)."""
        base = self._value()
        return binary("**", base, self._deeper(self._signed)) if self._next("**") else base

    def _value(self) -> Node:
        number = self._next("number")
        if number is not None:
            is_whole = number.isdigit() and int(number) < 2**63
            return constant(int(number) if is_whole else float(number))
        if self._next("("):
            part = self._deeper(self._choice)
            self._expect(")")
            return self._entries(part, "a vector")
        name = self._next("name")
        if name is None:
            raise self._unexpected("a value")
        meaning = self.names.get(name)
        if name in FUNCTIONS or callable(meaning):
            self._expect("(")
            arguments = [self._deeper(self._choice)]
            while self._next(","):
                arguments.append(self._deeper(self._choice))
            self._expect(")")
            value = meaning(*arguments) if callable(meaning) else call(name, *arguments)
            return self._entries(value, name)
        if meaning is None:
            known = (*self.names, *FUNCTIONS)
            hint = did_you_mean(name, known)
            reason = f"unknown name {name!r}; the names are {', '.join(known)}"
            raise FormulaError(f"{reason}. {hint}".rstrip(". "))
        return self._entries(meaning, name)

    def _entries(self, part: Node, name: str) -> Node:
        """A value, or components of it such as x[0] or x[0:2], whose indices are literals."""
        if not self._next("["):
            if part.dimension == 0:
                raise FormulaError(f"{name} has 0 entries")
            return part
        ends = [self._next("number")]
        if self._next(":"):
            ends.append(self._next("number"))
        if not all(end is not None and end.isdigit() for end in ends) or not self._next("]"):
            reason = f"{name} must be followed by a number in brackets, as in {name}[0]"
            raise FormulaError(reason)
        first, end = int(ends[0] or 0), int(ends[-1] or 0) + (len(ends) == 1)
        return entries(part, first, end - first)
