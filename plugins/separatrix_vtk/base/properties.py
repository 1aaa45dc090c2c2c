"""The options of a filter in VTK and ParaView: their names, and Set, Get, On, and Off methods.

`Modified()` is called only when a value changes, so setting the current value never runs the
pipeline again. An invalid value raises an InputError at the line that sets it. ParaView sets
values from C++, which would print a traceback and show the outputs of the earlier value: there the
next run fails instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from separatrix import InputError
from separatrix.errors import SeparatrixError, Spelling, as_in_python
from separatrix.options import Option, Options, options_of
from separatrix_vtk.base.input_array import POINTS_THEN_CELLS, chosen_array

# TTK's names, and abbreviations. All other names are those of Python in CamelCase.
VTK_NAMES: Mapping[str, str] = {
    "collapse": "EdgeCollapse",
    "compute_morse_smale_segmentation": "ComputeFinalSegmentation",
    "dtm_neighbors": "DTMNeighbors",
    "memory_limit": "DeviceMemoryLimit",
    "names": "ComputeNames",
    "persistence": "PersistenceThreshold",
    "probe": "ProbeRadius",
    "relative": "ThresholdMode",
    "threads": "NumberOfThreads",
}
PARAVIEWS_EXECUTIVE = "vtkPVCompositeDataPipeline"


def vtk_name(name: str) -> str:
    """Return the name of an option in VTK, as in SetPersistenceThreshold."""
    return VTK_NAMES.get(name) or "".join(part.capitalize() for part in name.split("_"))


def paraview_name(option: Option) -> str:
    """Return the name of a property, in state files and paraview.simple: the title as one word."""
    return re.sub(r"\W", "", option.title)


def in_panel(owner: type[Options]) -> Spelling:
    """Return a spelling of the options of a filter as its panel titles them."""
    options = options_of(owner)

    def spell(name: str, value: str = "") -> str:
        option = options.get(name)
        if option is None:
            return f"{name}={value}" if value else name
        if option.labels and value:
            values = map(repr, option.choices or (False, True))
            value = dict(zip(values, option.labels, strict=True)).get(value, value)
        value = {"True": "on", "False": "off"}.get(value, value)
        return f"{option.title} to {value}" if value else option.title

    return spell


def is_in_paraview(filter: Any) -> bool:
    """Return whether a filter is part of a pipeline of ParaView."""
    return bool(filter.GetExecutive().IsA(PARAVIEWS_EXECUTIVE))


def spelling_for(filter: Any) -> Spelling:
    """Return how the user knows the options: by their titles in ParaView, by keywords elsewhere."""
    is_panel = is_in_paraview(filter) and not filter._is_function
    return in_panel(type(filter)) if is_panel else as_in_python


def sentence(filter: Any, error: SeparatrixError) -> str:
    """Return the text of an error with options and values as the user knows them."""
    if spelling_for(filter) is as_in_python:
        return error.render()
    return panel_sentence(type(filter), error)


def panel_sentence(owner: type[Options], error: SeparatrixError) -> str:
    """Return the text of an error with the titles and the labels of a panel."""
    option = options_of(owner).get(error.parameter)
    if option is not None and option.labels:
        labels = dict(zip(option.choices or (False, True), option.labels, strict=True))
        expected, got = error.expected, error.got
        if expected == option.described():
            *first, last = map(repr, option.labels)
            expected = f"{', '.join(first)}{',' * (len(first) > 1)} or {last}"
        if isinstance(got, (str, bool)):
            got = labels.get(got, got)
        error = copy(error)
        error.expected, error.got = expected, got
    return error.render(in_panel(owner))


def main_array(owner: type[Options]) -> Option | None:
    """Return the option that SetInputArrayToProcess sets: the first that names an array."""
    return next((option for option in options_of(owner).values() if option.array_of), None)


def arrays_used(filter: Any) -> list[tuple[str, int | None]]:
    """Return the name and association of each array that the options of a filter choose.

    An empty name is that of the active scalars.
    """
    found: list[tuple[str, int | None]] = []
    for option in options_of(type(filter)).values():
        needed, *values = option.needs or ("",)
        if not option.array_of or (needed and getattr(filter, needed) not in values):
            continue
        if option is main_array(type(filter)):
            found.append(chosen_array(filter.GetInputArrayInformation(0)))
        elif name := getattr(filter, option.name):
            found.append((name, POINTS_THEN_CELLS))
    return found


def add_vtk_methods(owner: type[Options]) -> None:
    """Give a filter the methods of its options, except those that it defines itself."""
    for option in options_of(owner).values():
        if option is main_array(owner):
            continue
        for name, method in _vtk_methods(option).items():
            if not hasattr(owner, name):
                method.__name__, method.__qualname__ = name, f"{owner.__qualname__}.{name}"
                method.__doc__ = option.help(lambda name, value: vtk_name(name), in_panel=True)
                setattr(owner, name, method)


def _vtk_methods(option: Option) -> dict[str, Callable[..., Any]]:
    stem = vtk_name(option.name)

    def set_value(self: Any, *values: Any) -> None:
        was_rejected = self._rejected.pop(option.name, "")
        try:
            value = option.from_number(values[0] if len(values) == 1 else values)
            setattr(self, option.name, value)
        except InputError as error:
            if not is_in_paraview(self):
                raise
            self._rejected[option.name] = panel_sentence(type(self), error)
        if was_rejected != self._rejected.get(option.name, ""):
            self.Modified()

    def get_value(self: Any) -> Any:
        return option.to_number(getattr(self, option.name))

    methods: dict[str, Callable[..., Any]] = {f"Set{stem}": set_value, f"Get{stem}": get_value}
    if option.kind is bool:
        methods[f"{stem}On"] = lambda self: setattr(self, option.name, True)
        methods[f"{stem}Off"] = lambda self: setattr(self, option.name, False)
    if option.length == 0 and not option.separated:

        def add(self: Any, name: str) -> None:
            setattr(self, option.name, (*getattr(self, option.name), name))

        methods[f"Add{stem.removesuffix('s')}"] = add
        methods[f"Clear{stem}"] = lambda self: setattr(self, option.name, ())
    return methods
