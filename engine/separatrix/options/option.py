"""Options: declared once, in the engine; every front end derives what it shows from here.

    class MorseSmaleOptions(Options):
        persistence: float = option(default=0.0, at_least=0, unit="field", group="Simplification",
                                    summary="Cancel pairs of critical points below this value.")

The annotation is the type, for type checkers and at run time: bool, int, float, or str; a Literal
(a choice); `tuple[float, float, float]` (a vector) or `tuple[str, ...]` (names); any of these or
None, which lets Separatrix choose. To a type checker a declaration is a field of a dataclass. At
run time it is a descriptor that validates. Nothing here knows VTK.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

from ..errors import InputError, Spelling, as_in_python, plain, spelled

Value = TypeVar("Value")
NUMBER = r"\d{1,4}"  # the N of `accepts`


@dataclass(kw_only=True, eq=False)
class Option:
    """One option of an `Options` class, which is its descriptor there.

    In texts, `{name}` is another option, `{name=value}` another option set to a value, and `{unit}`
    the unit of this one.
    """

    default: Any
    summary: str  # one sentence: the first of the tooltip, the docs, and --help
    group: str = ""  # by default that of the class
    details: str = ""  # further sentences, and paragraphs separated by an empty line
    title: str = ""  # by default the name, in title case
    labels: Sequence[str] = ()  # titles of the choices, or of False and True
    unit: str = ""  # "field", "length", "bytes"
    scale: int = 1  # a number in a panel or in the shell times this is the value
    scaled_unit: str = ""  # of the number in a panel or in the shell
    at_least: float | None = None  # smaller values are rejected
    at_most: float | None = None
    above: float | None = None  # this value and smaller ones are rejected
    usual: tuple[float | None, float | None] | None = None  # ends of a slider, if not the limits
    of_extent: float | None = None  # end of a slider, as a fraction of the extent of the input
    none_number: float | None = None  # denotes None where only numbers can be given
    none_title: str = ""  # title of None in a list of arrays
    advanced: bool = False
    panel_default: Any = None  # of the panel and of scripts of ParaView, if it is another one
    pipeline_only: bool = False  # for filters that run repeatedly; not for functions and the shell
    only_for: str = ""  # "3D", "image", "mesh", "table"
    needs: tuple[Any, ...] = ()  # another option and those of its values that give this one meaning
    hidden_without: bool = True  # whether a panel hides this option without what it needs
    affects_result: bool = True
    array_of: str = ""  # "any", "points": the value names an array of the input
    accepts: str = ""  # another form of a choice, where N is a number: "cuda:N"
    separated: bool = False  # names: VTK and panels have one string, separated by commas

    name: str = field(default="", init=False)
    hint: str = field(default="", init=False)  # the annotation, as it is written
    kind: type = field(default=str, init=False)  # of the value, or of each element
    choices: tuple[Any, ...] = field(default=(), init=False)
    length: int | None = field(default=None, init=False)  # of a tuple; 0 is any number of elements
    optional: bool = field(default=False, init=False)  # whether None is a value

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.title = self.title or name.removeprefix("compute_").replace("_", " ").title()

    def resolve(self, written: str, hint: Any) -> None:
        """Derive the type, choices, and length from the annotation."""
        self.hint = written
        for part in get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,):
            if part is NoneType:
                self.optional = True
            elif get_origin(part) is Literal:
                self.choices = get_args(part)
            elif get_origin(part) is tuple:
                self.kind, *others = get_args(part)
                self.length = 0 if ... in others else 1 + len(others)
            elif part in (bool, int, float, str):
                self.kind = part
            else:
                raise TypeError(f"{self.name}: an option cannot have the type {written}")
        self.labels = self.labels or tuple(word.title() for word in self.words)
        self.default = self.check(self.default)

    def __get__(self, options: Any, owner: type) -> Any:
        return self if options is None else options.value_of(self)

    def __set__(self, options: Any, value: Any) -> None:
        value = self.check(value)
        if value != options.value_of(self):
            options.set_value(self, value)

    # === values

    def check(self, value: Any) -> Any:
        """Return the value in the option's own type. Raises InputError if it is invalid."""
        if value is None or (isinstance(value, str) and not value):  # VTK's empty string is None
            if self.optional:
                return None
            value = "" if self.kind is str and not self.choices else value
        if self.length is None:
            return self._check_choice(value) if self.choices else self._check_scalar(value, value)
        given = value
        if isinstance(value, str):
            given = re.split(r"[,;\s]+", value) if self.separated else (value,)
        try:
            elements = tuple(self._check_scalar(element, value) for element in given)
        except TypeError:
            raise self.error(value) from None
        if self.length and len(elements) != self.length:
            raise self.error(value)
        return elements if self.length else tuple(e for e in elements if e != "")

    def parse(self, text: str) -> Any:
        """Return the value that a text denotes, as in a shell. Raises InputError."""
        words = text.split(",") if self.length is not None else [text]
        try:
            if self.choices or self.kind is str:
                choices = dict(zip(self.words, self.choices, strict=True))
                values: list[Any] = [choices.get(word, word) for word in words]
            elif self.kind is bool:
                values = [{"true": True, "false": False}[word.lower()] for word in words]
            else:
                values = [self.kind(word) * self.scale for word in words]
            return self.check(values[0] if self.length is None else values)
        except (InputError, KeyError, ValueError) as error:
            remedy = getattr(error, "remedy", "")
            raise InputError(self.name, self.described(in_panel=True), text, remedy) from None

    def from_number(self, value: Any) -> Any:
        """Return the value that VTK and ParaView denote by a number (or by several)."""
        if self.none_title and value == self.none_title:
            return None
        if self.length:
            return None if self.optional and not any(value) else value
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return value
        if self.choices:
            return self.choices[int(value)] if value in range(len(self.choices)) else value
        if self.optional and value == self.none_number:
            return None
        return value * self.scale if self.scale != 1 else value

    def to_number(self, value: Any) -> Any:
        """Return the number (or numbers) by which VTK and ParaView denote a value."""
        if value is None and self.none_number is not None:
            return (self.none_number,) * self.length if self.length else self.kind(self.none_number)
        if self.choices:
            form = value.partition(":")[0] if self.accepts else value
            return self.choices.index(form)
        if self.scale != 1:
            return value // self.scale
        if self.separated:
            return ",".join(value)
        return int(value) if self.kind is bool else value

    @property
    def words(self) -> tuple[str, ...]:
        """The choices as words of the shell."""
        on_off = ("off", "on")
        return tuple(
            on_off[c] if isinstance(c, bool) else str(c).replace("_", "-") for c in self.choices
        )

    # === texts

    def described(self, *, in_panel: bool = False) -> str:
        """Return which values are valid, in words; with the words and units of a panel."""
        low, high = self.at_least, self.at_most
        if self.choices:
            choices = self.words if in_panel else self.choices
            shown = [*map(repr, choices), *([repr(self.accepts)] if self.accepts else [])]
            text = f"{', '.join(shown[:-1])}{',' * (len(shown) > 2)} or {shown[-1]}"
        elif self.array_of:
            text = "the name of an array"
        elif self.scale != 1:
            text = f"a positive number of {self.scaled_unit if in_panel else self.unit}"
        elif self.above is not None:
            text = "a positive number" if self.above == 0 else f"a number above {self.above:,}"
        elif self.length is None:
            text = _described(self.kind, low, high)
        else:
            count = self.length or "any number of"
            text = f"{count} values (each {_described(self.kind, low, high)})"
        return f"{text} or None" if self.optional and not in_panel else text

    def help(self, spell: Spelling = as_in_python, *, in_panel: bool = False) -> str:
        """Return the summary and the details, with options as a front end spells them."""
        unit = self.scaled_unit if in_panel and self.scaled_unit else self.unit
        text = f"{self.summary} {self.details}".strip().replace("{unit}", unit)
        if in_panel and self.none_number is not None:
            text = text.replace("by default", f"by default ({self.none_number:g})")
        return spelled(text, spell)

    def error(self, value: Any, remedy: str = "") -> InputError:
        """The error about a value of this option."""
        return InputError(self.name, self.described(), value, remedy)

    # === checks

    def _check_choice(self, value: Any) -> Any:
        value = plain(value)
        if isinstance(value, (str, Real)):
            for choice in self.choices:
                if value == choice and isinstance(value, bool) == isinstance(choice, bool):
                    return choice
            pattern = re.escape(self.accepts).replace("N", NUMBER)
            if self.accepts and isinstance(value, str) and re.fullmatch(pattern, value):
                return value
        known = [choice for choice in self.choices if isinstance(choice, str)]
        close = difflib.get_close_matches(str(value), known, n=1)
        raise self.error(value, f"Did you mean {close[0]!r}?" if close else "")

    def _check_scalar(self, value: Any, given: Any) -> Any:
        kind: Any = self.kind
        value, converted = plain(value), None
        if kind is str:
            value = os.fspath(value) if isinstance(value, os.PathLike) else value
            converted = value if isinstance(value, str) else None
        elif isinstance(value, Integral if kind is bool else Real) and (
            kind is bool or not isinstance(value, bool)
        ):
            try:
                converted = kind(value)
                if converted != value:  # 1.5 is not an integer, and NaN is not equal to itself
                    converted = None
            except (TypeError, ValueError, OverflowError):
                converted = None
        number: Any = converted
        if (
            converted is None
            or (self.at_least is not None and number < self.at_least)
            or (self.at_most is not None and number > self.at_most)
            or (self.above is not None and number <= self.above)
        ):
            raise self.error(given)
        return converted


def _described(kind: type, low: float | None, high: float | None) -> str:
    name = {bool: "True or False", int: "an integer", float: "a number", str: "a string"}[kind]
    noun = name.partition(" ")[2]
    if high is not None:
        return f"{name} from {low:,} to {high:,}"
    if low in (0, 1) and (kind is int or low == 0):
        return f"a {'positive' if low else 'non-negative'} {noun}"
    return name if low is None else f"{name} of at least {low:,}"


if TYPE_CHECKING:

    def option(*, default: Value, summary: str, group: str = "", **declared: Any) -> Value:
        """Declare an option. For type checkers it is its default, as `dataclasses.field` is."""

else:
    option = Option
