"""How results show themselves: in one line, by what they are of, never with their arrays."""

from __future__ import annotations

from numbers import Number
from typing import Any

LONGEST = 80  # characters of a value in a notebook


class ReprMixin:
    """A result that is shown as ``<Class of what>``; a dataclass needs ``repr=False`` for it.

    Notebooks show a table as well: the dtype and shape of each array, and the numbers and names.
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._summary()}>"

    def _repr_html_(self) -> str:
        from html import escape  # slow to import

        held = {name: _in_short(value) for name, value in vars(self).items() if name[0] != "_"}
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in held.items()
            if text
        )
        title = f"<b>{type(self).__name__}</b> of {escape(self._summary())}"
        return f"{title}<table>{rows}</table>" if rows else title

    def _summary(self) -> str:
        """What it is of: counts and sizes."""
        raise NotImplementedError


def _in_short(value: Any) -> str:
    """An array by its dtype and shape, a simple value as it is, "" for anything else."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype} {tuple(value.shape)}"
    if isinstance(value, (list, tuple, dict)):
        text = str(value)
        return text if len(text) <= LONGEST else f"{type(value).__name__} of {len(value):,}"
    return str(value) if isinstance(value, (ReprMixin, Number, str)) else ""
