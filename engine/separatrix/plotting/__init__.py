"""Pictures of results: charts with Matplotlib, scenes with PyVista.

Both packages are optional and imported when a picture is drawn. All pictures share the palette.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def required(package: str, purpose: str = "Pictures", extra: str = "plot") -> Any:
    """Return an optional package, or raise ModuleNotFoundError that says how to install it.

    The package itself is installed if it is not part of an extra, "".
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        source = f"'separatrix[{extra}]'" if extra else package
        remedy = f"Run pip install {source}."
        text = f"{purpose} require {error.name}, which is not installed. {remedy}"
        raise ModuleNotFoundError(text, name=error.name) from error
