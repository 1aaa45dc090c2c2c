"""Settings of a filter: declared once, seen as VTK setters, Python properties and pickled state.

    class MyFilter(Filter):
        '''What it does.'''
        stride = Setting(1, "take every n-th pair", name="Stride", at_least=1)

makes `f.SetStride(4)`, `f.GetStride()` for VTK and ParaView and `f.stride = 4` for Python. A
boolean setting gets `StrideOn()` and `StrideOff()` as well. `Modified()` is called only when a
value changes, so that setting what is already set never makes the pipeline run again. A value
that cannot be right raises a `FilterError` at the line that sets it. ParaView sets from C++, which
would print a traceback and show the outputs of the earlier value: there the next run is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from textwrap import wrap
from typing import Any, Generic, TypeVar, overload

from separatrix_vtk.base.errors import FilterError

Value = TypeVar("Value")
PARAVIEWS_EXECUTIVE = "vtkPVCompositeDataPipeline"


class Setting(Generic[Value]):
    """One setting: a default, one line of documentation with the unit, and the values allowed.

    Parameters: `default` decides the type (bool, int, float or str); `name` is the VTK name, as in
    `SetComputeCriticalPoints`; `at_least` and `at_most` bound a number.
    """

    def __init__(
        self,
        default: Value,
        documentation: str,
        *,
        name: str,
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        self.default, self.name = default, name
        self.at_least, self.at_most = at_least, at_most
        self.documentation = self.__doc__ = documentation
        self.attribute = ""

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute

    @overload
    def __get__(self, filter: None, owner: type) -> Setting[Value]: ...
    @overload
    def __get__(self, filter: object, owner: type) -> Value: ...
    def __get__(self, filter: Any, owner: type) -> Setting[Value] | Value:
        return self if filter is None else filter._values.get(self.attribute, self.default)

    def __set__(self, filter: Any, value: Value) -> None:
        value = self.checked(value)
        if value != self.__get__(filter, type(filter)):
            filter._values[self.attribute] = value
            filter.Modified()

    def checked(self, value: Any) -> Value:
        """The value in the setting's own type, or a FilterError that says what was expected."""
        kind: Any = type(self.default)
        if kind is str and value is None:
            value = ""  # as VTK hands over an empty text
        try:
            number = kind(value)
            if kind is not str and (isinstance(value, str) or number != value):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            wanted = {bool: "True or False", int: "a whole number"}.get(kind, f"a {kind.__name__}")
            raise FilterError(f"{self.attribute} takes {wanted}; {value!r} came") from None
        if self.at_least is not None and number < self.at_least:
            raise FilterError(f"{self.attribute} must be at least {self.at_least}; {value!r} came")
        if self.at_most is not None and number > self.at_most:
            raise FilterError(f"{self.attribute} must be at most {self.at_most}; {value!r} came")
        return number

    def vtk_value(self, value: Any) -> Any:
        """The value as VTK and ParaView know it: flags are 0 and 1."""
        return int(value) if isinstance(value, bool) else value

    @property
    def allowed(self) -> str:
        """Which values there are, for documentation."""
        if self.at_least is None:
            return type(self.default).__name__
        most = "" if self.at_most is None else f" to {self.at_most}"
        return f"{type(self.default).__name__} from {self.at_least}{most or ' up'}"


def is_number_of(value: Any, choices: Sequence[str]) -> bool:
    """Whether a value is the number of one of the choices, as VTK and ParaView know them."""
    return isinstance(value, Real) and not isinstance(value, bool) and value in range(len(choices))


def settings_of(owner: type) -> dict[str, Setting[Any]]:
    """All settings of a class and of those that it stands on, by Python name, oldest first."""
    return {
        name: value
        for base in reversed(owner.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, Setting)
    }


def settings_text(owner: type) -> str:
    """The settings of a class, for its documentation: names, values allowed, defaults, meaning."""
    lines = []
    for name, setting in settings_of(owner).items():
        lines.append(f"{name} : {setting.allowed}; default {setting.default!r}")
        lines += wrap(setting.documentation, 92, initial_indent=" " * 4, subsequent_indent=" " * 4)
    return "\n".join(lines)


def add_vtk_methods(owner: type) -> None:
    """Give the class SetX, GetX (and XOn, XOff) for each of its own settings that lack them."""
    for setting in [value for value in vars(owner).values() if isinstance(value, Setting)]:
        for name, method in _vtk_methods(setting).items():
            if name not in vars(owner):
                method.__name__, method.__qualname__ = name, f"{owner.__qualname__}.{name}"
                method.__doc__ = setting.documentation
                setattr(owner, name, method)


def _vtk_methods(setting: Setting[Any]) -> dict[str, Callable[..., Any]]:
    def set_value(self: Any, *values: Any) -> None:
        was_refused = self._refused.pop(setting.attribute, "")
        try:
            setattr(self, setting.attribute, values[0] if len(values) == 1 else values)
        except FilterError as error:
            if not self.GetExecutive().IsA(PARAVIEWS_EXECUTIVE):
                raise
            self._refused[setting.attribute] = str(error)
        if was_refused != self._refused.get(setting.attribute, ""):
            self.Modified()

    def get_value(self: Any) -> Any:
        return setting.vtk_value(getattr(self, setting.attribute))

    methods: dict[str, Callable[..., Any]] = {
        f"Set{setting.name}": set_value,
        f"Get{setting.name}": get_value,
    }
    if isinstance(setting.default, bool):
        methods[f"{setting.name}On"] = lambda self: setattr(self, setting.attribute, True)
        methods[f"{setting.name}Off"] = lambda self: setattr(self, setting.attribute, False)
    return methods


class VectorSetting(Setting[tuple[float, ...]]):
    """So many numbers, whole ones if the default's are; VTK and ParaView set them one by one."""

    def __init__(
        self,
        default: tuple[float, ...],
        documentation: str,
        *,
        name: str,
        at_least: float | None = None,
    ) -> None:
        super().__init__(default, documentation, name=name, at_least=at_least)
        self.is_whole = all(isinstance(number, int) for number in default)

    @property
    def allowed(self) -> str:
        return f"{len(self.default)} {'whole numbers' if self.is_whole else 'numbers'}"

    def checked(self, value: Any) -> tuple[float, ...]:
        try:
            numbers = tuple(int(v) if self.is_whole else float(v) for v in value)
            if isinstance(value, str) or len(numbers) != len(self.default):
                raise ValueError
            if any(number != given for number, given in zip(numbers, value, strict=True)):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            kind = "whole numbers" if self.is_whole else "numbers"
            raise FilterError(
                f"{self.attribute} takes {len(self.default)} {kind}; {value!r} came"
            ) from None
        if self.at_least is not None and min(numbers) < self.at_least:
            raise FilterError(f"{self.attribute} must be at least {self.at_least}; {value!r} came")
        return numbers


class ChoiceSetting(Setting[str]):
    """One of a few texts, the first of them by default; VTK and ParaView know it by its number."""

    def __init__(self, *choices: str, documentation: str, name: str) -> None:
        super().__init__(choices[0], documentation, name=name)
        self.choices = choices

    def checked(self, value: Any) -> str:
        if isinstance(value, str) and value in self.choices:
            return value
        if is_number_of(value, self.choices):
            return self.choices[int(value)]
        wanted = " or ".join(f'"{text}" ({i})' for i, text in enumerate(self.choices))
        raise FilterError(f"{self.attribute} is {wanted}; {value!r} came")

    def vtk_value(self, value: Any) -> int:
        return self.choices.index(value)

    @property
    def allowed(self) -> str:
        return " or ".join(f'"{choice}"' for choice in self.choices)


class DeviceSetting(Setting[str]):
    """Where to compute: "auto", "cpu", "cuda" or "cuda:N"; ParaView sets 0, 1 or 2.

    A text decides about the setting `device_index` too, a number leaves it as it is.
    """

    NAMES = ("auto", "cpu", "cuda")
    allowed = '"auto", "cpu", "cuda" or "cuda:N"'

    def __get__(self, filter: Any, owner: type) -> Any:
        value = super().__get__(filter, owner)
        return f"cuda:{filter.device_index}" if value == "cuda" and filter.device_index else value

    def __set__(self, filter: Any, value: Any) -> None:
        name, _, index = self.checked(value).partition(":")
        if name != filter._values.get(self.attribute, self.default):
            filter._values[self.attribute] = name
            filter.Modified()
        if isinstance(value, str):
            filter.device_index = int(index or 0)

    def checked(self, value: Any) -> str:
        if isinstance(value, str):
            name, colon, index = value.partition(":")
            if name in self.NAMES and (not colon or (name == "cuda" and index.isdecimal())):
                return value
        elif is_number_of(value, self.NAMES):
            return self.NAMES[int(value)]
        raise FilterError(
            f'{self.attribute} is "auto" (0), "cpu" (1), "cuda" (2) or "cuda:N"; {value!r} came'
        )
