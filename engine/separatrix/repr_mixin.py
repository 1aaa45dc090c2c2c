"""Representations of results in one line, and as a table in notebooks, without their arrays."""

from __future__ import annotations

from numbers import Number
from typing import Any

LONGEST = 80  # characters of a value in a notebook


class ReprMixin:
    """Base of results that are shown as ``<Class of summary>``; dataclasses require ``repr=False``.

    Notebooks also show a table with the dtype and shape of each array, numbers, and names, of the
    properties in SHOWN, by default of all public attributes.
    """

    SHOWN: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._summary()}>"

    def _repr_html_(self) -> str:
        from html import escape  # slow to import

        names = self.SHOWN or [name for name in vars(self) if name[0] != "_"]
        held = {name: _in_short(getattr(self, name)) for name in names}
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in held.items()
            if text
        )
        title = f"<b>{type(self).__name__}</b> of {escape(self._summary())}"
        return f"{title}<table>{rows}</table>" if rows else title

    def _summary(self) -> str:
        """Counts and sizes, in a few words."""
        raise NotImplementedError


def _in_short(value: Any) -> str:
    """Return the dtype and shape of an array, a simple value, or "" for other types."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype} {tuple(value.shape)}"
    if isinstance(value, (list, tuple, dict)):
        text = str(value)
        return text if len(text) <= LONGEST else f"{type(value).__name__} of {len(value):,}"
    return str(value) if isinstance(value, (ReprMixin, Number, str)) else ""
