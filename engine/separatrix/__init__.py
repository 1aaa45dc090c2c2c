"""Separatrix: topology of scientific data on the GPU, or on the CPU if there is none.

Arrays in (NumPy, CuPy, or anything with their interfaces), frozen dataclasses of arrays out.

A public name is declared once, in the stub `__init__.pyi`, which type checkers read; its module is
imported on first access (PEP 562; Scientific Python SPEC 1).
"""

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_MODULE_OF = {
    name.name: f".{node.module}"
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
    for name in node.names
}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
