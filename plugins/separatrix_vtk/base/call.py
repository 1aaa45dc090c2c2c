"""What makes a function of a filter: a dataset in, all outputs out, an exception on errors.

A PyVista dataset gives PyVista datasets. Options are the filter's settings by their Python names,
and `progress` and `progress_bar`. Nothing is copied: the outputs share what they pass on with the
input.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any, TypeVar

from vtkmodules.vtkCommonDataModel import vtkDataObject

from separatrix import InputError
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Filter, Progress
from separatrix_vtk.base.progress_bar import ProgressBar
from separatrix_vtk.base.settings import settings_text
from separatrix_vtk.base.wrapping import in_pyvistas_words, is_pyvistas, wrapper_for

Function = TypeVar("Function", bound=Callable[..., Any])
READ_FIRST = "read the file first, for example with pyvista.read(path)"
OF_EVERY_CALL = (
    "progress : called with a fraction and the name of a stage; default None\n"
    "    raising separatrix.Cancelled in it stops the work\n"
    "progress_bar : bool; default False\n"
    "    show on stderr how far the work is"
)


def with_settings_of(filter: type[Filter]) -> Callable[[Function], Function]:
    """Put a filter's settings at the end of a function's documentation."""

    def documented(function: Function) -> Function:
        text = inspect.cleandoc(function.__doc__ or "")
        settings = f"{settings_text(filter)}\n{OF_EVERY_CALL}"
        function.__doc__ = f"{text}\n\nSettings\n--------\n{settings}\n"
        return function

    return documented


def call(function: str, filter: Filter, dataset: Any, options: dict[str, Any]) -> list[Any]:
    """The outputs of a filter's run on a dataset, for the function of this name.

    A reader's dataset is None. options: settings, `progress` and `progress_bar`.
    """
    settings = dict(options)
    progress: Progress | None = settings.pop("progress", None)
    is_shown = settings.pop("progress_bar", False)
    set_options(function, filter, settings)
    try:
        if is_shown:
            with ProgressBar(function, progress) as bar:
                outputs = filter.run(dataset, bar)
        else:
            outputs = filter.run(dataset, progress)
    except (FilterError, InputError) as error:
        if not is_pyvistas(dataset):
            raise
        raise type(error)(in_pyvistas_words(str(error))) from None
    wrap = wrapper_for(dataset)
    return [wrap(output) for output in outputs]


def set_options(function: str, filter: Filter, options: dict[str, Any]) -> None:
    """Set a filter's settings; one that there is not is told in the function's own name."""
    filter.check_names(f"{function}()", options)
    for name, value in options.items():
        try:
            setattr(filter, name, value)
        except AttributeError as error:
            told = str(error).replace(type(filter).__name__, f"{function}()", 1)
            raise AttributeError(told) from None


def vtk_dataset(given: Any, expected: str, otherwise: str = "") -> Any:
    """The dataset in what was given; a FilterError begins with what was `expected`.

    otherwise: what takes arrays instead. VTK's dataset_adapter keeps its dataset as VTKObject.
    """
    dataset = getattr(given, "VTKObject", given)
    if isinstance(dataset, vtkDataObject):
        return dataset
    came = type(given).__name__
    if isinstance(given, (str, os.PathLike)):
        came, otherwise = f"the path {os.fspath(given)!r}", READ_FIRST
    elif hasattr(given, "GetOutputDataObject"):
        otherwise = "an algorithm: give its output, after Update()"
    raise FilterError(f"{expected}, {came} came" + (otherwise and f" ({otherwise})"))
