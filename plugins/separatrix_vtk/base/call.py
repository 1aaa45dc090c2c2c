"""What the functions share: a filter run on a dataset, all outputs out, an exception on errors.

A PyVista dataset gives PyVista datasets. Nothing is copied: the outputs share what they pass on
with the input.
"""

from __future__ import annotations

import os
from typing import Any

from vtkmodules.vtkCommonDataModel import vtkDataObject

from separatrix import InputError
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Filter, Progress
from separatrix_vtk.base.progress_bar import ProgressBar
from separatrix_vtk.base.wrapping import in_pyvistas_words, is_pyvistas, wrapper_for

READ_FIRST = "read the file first, for example with pyvista.read(path)"


def run(
    function: str, filter: Filter, dataset: Any, progress: Progress | None, progress_bar: bool
) -> list[Any]:
    """Return the outputs of a filter for a dataset, None for a reader, as the function of a name.

    progress_bar: whether the progress is shown on stderr.
    """
    try:
        if progress_bar:
            with ProgressBar(function, progress) as bar:
                outputs = filter.run(dataset, bar)
        else:
            outputs = filter.run(dataset, progress)
    except InputError as error:
        if not is_pyvistas(dataset):
            raise
        raise type(error)(in_pyvistas_words(str(error))) from None
    wrap = wrapper_for(dataset)
    return [wrap(output) for output in outputs]


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
