"""VTK filters of Separatrix, for VTK, PyVista and ParaView pipelines, and the `separatrix` command.

A public name is declared once, in the stub `__init__.pyi`, which type checkers read; its module is
imported on first access. Importing this package imports neither VTK nor the engine.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
MODULE_OF = {
    name.name: node.module
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
    for name in node.names
}
"""Public name -> the module that defines it, such as "functions"."""

__all__ = sorted(MODULE_OF)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("separatrix").__version__
    if name not in MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
