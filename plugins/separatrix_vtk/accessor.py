"""The functions on one PyVista dataset, as methods; `accessor.pyi` shows their parameters."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

import separatrix_vtk
from separatrix_vtk.base.function import Function


class Methods:
    """Methods of `mesh.separatrix`."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset


def method_of(function: Function) -> Function:
    """Return a function as a method of its first argument."""

    @functools.wraps(function)
    def method(self: Methods, *arguments: Any, **keywords: Any) -> Any:
        return function(self._dataset, *arguments, **keywords)

    signature = inspect.signature(function)
    (first, _), *others = signature.parameters.items()
    owner = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [owner, *(one for _, one in others)]
    method.__signature__ = signature.replace(parameters=parameters)
    method.__qualname__ = f"Methods.{function.__name__}"
    text = re.sub(rf"(?m)^{first} : .*\n(    .*\n)+", "", function.__doc__, count=1)
    call = rf"(?m)^((?:>>>|\.\.\.) .*?)\b{function.__name__}\(([\w.]+(?:\(\))?)(?:, )?"
    method.__doc__ = re.sub(call, rf"\1\2.separatrix.{function.__name__}(", text)
    return method


for _name, _module in separatrix_vtk.MODULE_OF.items():
    if _module == "functions" and _name != "read_molecule":
        setattr(Methods, _name, method_of(getattr(separatrix_vtk, _name)))
