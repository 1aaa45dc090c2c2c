"""Pictures of results: charts with Matplotlib, scenes with PyVista.

Both packages are optional and imported when a picture is drawn. All pictures share the palette.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def required(package: str, purpose: str = "Pictures", extra: str = "plot") -> Any:
    """Return an optional package, or raise ModuleNotFoundError that says how to install it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        remedy = f"Run pip install 'separatrix[{extra}]'."
        text = f"{purpose} require {error.name}, which is not installed. {remedy}"
        raise ModuleNotFoundError(text, name=error.name) from error
