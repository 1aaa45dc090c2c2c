"""How results show themselves: in one line, by what they are of, never with their arrays."""

from __future__ import annotations


class ReprMixin:
    """A result that is shown as ``<Class of what>``; a dataclass wants ``repr=False`` for it."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._summary()}>"

    def _summary(self) -> str:
        """What it is of: counts and sizes."""
        raise NotImplementedError
