"""Declarations: classes of options, whose instances hold validated values; unknown options."""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from .option import Option, option

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
elif sys.version_info >= (3, 11):
    from typing import dataclass_transform
else:  # only type checkers read it

    def dataclass_transform(**_: Any) -> Callable[[type], type]:
        """Return a class as it is."""
        return lambda cls: cls


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@dataclass_transform(kw_only_default=True, field_specifiers=(option,))
class Options:
    """Base of declarations; an instance holds validated values.

    A subclass may be declared with `group`, that of its options without one, and with `first=True`,
    which places its options before those of other bases and subclasses.
    """

    GROUP_TITLES: ClassVar[dict[str, str]] = {}  # of groups that a panel calls otherwise
    _options: ClassVar[dict[str, Option]] = {}
    _is_first: ClassVar[bool] = False  # whether these options precede those of subclasses
    _values: ClassVar[dict[str, Any]]  # of each instance; a ClassVar, since it is not an option

    def __init_subclass__(cls, first: bool = False, group: str = "", **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._is_first = first
        own = {name: one for name, one in vars(cls).items() if isinstance(one, Option)}
        if own:
            written, hints = (inspect.get_annotations(cls, eval_str=e) for e in (False, True))
            for name, one in own.items():
                one.resolve(str(written[name]), hints[name])
                one.group = one.group or group
        cls._options = {}
        for base in sorted(cls.__mro__, key=lambda base: not vars(base).get("_is_first")):
            for name, one in vars(base).items():
                if isinstance(one, Option):
                    cls._options.setdefault(name, one)

    def __new__(cls, *_: Any, **__: Any) -> Any:
        made = super().__new__(cls)
        object.__setattr__(made, "_values", {})
        return made

    def __init__(self, **values: Any) -> None:
        for name in values:
            if name not in self._options:
                raise TypeError(unknown_option(type(self).__name__, name, self._options))
        for name, value in values.items():
            setattr(self, name, value)

    @property
    def changed_options(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        return dict(self._values)

    def value_of(self, option: Option) -> Any:
        """The value of an option."""
        return self._values.get(option.name, option.default)

    def set_value(self, option: Option, value: Any) -> None:
        """Store a validated value that differs from the present one."""
        self._values[option.name] = value

    def check_together(self) -> None:
        """Raise InputError if options contradict each other; called before the computation."""


def checked(owner: type[Options], name: str, value: Any) -> Any:
    """Return a value of an option in its own type. Raises InputError if it is invalid."""
    return owner._options[name].check(value)


def options_of(owner: type[Options]) -> dict[str, Option]:
    """Return all options by name, in the order of the panel: its own, then those of its bases."""
    return owner._options


def unknown_option(called: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence about an option that does not exist."""
    known = list(known)
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.75)
    close = close or [option for option in known if name.lower().startswith(f"{option}_")]
    return f"{called} has no option {name!r}" + (f"; did you mean {close[0]!r}?" if close else "")


def known_keywords(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a public function: an unknown keyword raises TypeError with a suggestion."""
    names = set(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        for name in keywords.keys() - names:
            is_class = function.__name__ == "__init__"
            named = type(arguments[0]).__name__ if is_class else f"{function.__name__}()"
            raise TypeError(unknown_option(named, name, names))
        return function(*arguments, **keywords)

    return called
