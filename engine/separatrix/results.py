"""Results: their representations without arrays, tables, and rows of different lengths."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

from .device import Array, Session, to_host
from .plotting import required

LONGEST = 80  # characters of a value in a notebook
AXES = "xyz"


class ReprMixin:
    """Base of results that are shown as ``<Class of summary>``; dataclasses require ``repr=False``.

    Notebooks also show a table with the dtype and shape of each array, numbers, and names, of the
    properties in _SHOWN, by default of all public attributes.
    """

    _SHOWN: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._summary()}>"

    def _repr_html_(self) -> str:
        from html import escape  # slow to import

        names = self._SHOWN or [name for name in vars(self) if name[0] != "_"]
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


class SessionResult(ReprMixin):
    """Base of results that keep the session of their call, which computes their later parts."""

    _session: Session

    @property
    def device(self) -> str:
        """Device of the computation: "cpu", "cuda:N", or "cuda:N in slabs, cpu"."""
        return self._session.place

    @property
    def timings(self) -> dict[str, float]:
        """Seconds per stage, in the order of their first run."""
        return self._session.timings


class Table(ReprMixin):
    """Base of results with arrays of one entry per row: those in _COLUMNS, by default all."""

    _COLUMNS: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(next(iter(self._columns().values())))

    def to_pandas(self) -> Any:
        """Return the table as a pandas.DataFrame with one column per array.

        A matrix has several columns, named with x, y, z if it contains coordinates, and with
        numbers otherwise. Raises ModuleNotFoundError if pandas is not installed.
        """
        columns: dict[str, Any] = {}
        for name, array in self._columns().items():
            array = to_host(array)
            if array.ndim == 1:
                columns[name] = array
                continue
            has_axes = array.dtype.kind == "f" and array.shape[1] <= len(AXES)
            for k, column in enumerate(array.T):
                columns[f"{name}_{AXES[k] if has_axes else k}"] = column
        return required("pandas", "Tables of pandas", "pandas").DataFrame(columns)

    def _columns(self) -> dict[str, Array]:
        names = self._COLUMNS or [name for name, v in vars(self).items() if getattr(v, "ndim", 0)]
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class CSR(Table):
    """Compressed sparse rows.

    Row i is ``items[offsets[i]:offsets[i + 1]]``, or ``csr[i]``. ``offsets`` is an (n + 1,) int64
    array. If rows are sets, their items are ascending.
    """

    offsets: Array
    items: Array

    def __len__(self) -> int:
        return int(self.offsets.size) - 1

    def __getitem__(self, row: int) -> Array:
        """Return the items of a row; negative rows count from the end. Raises IndexError."""
        n = len(self)
        if not -n <= row < n:
            raise IndexError(f"row {row} of a table of {n} rows")
        row %= n
        return self.items[int(self.offsets[row]) : int(self.offsets[row + 1])]

    def _columns(self) -> dict[str, Array]:
        """The row of each item, and what is known of the item."""
        items = {
            n: array for n, array in vars(self).items() if n != "offsets" and array is not None
        }
        return {"row": np.repeat(np.arange(len(self)), np.diff(to_host(self.offsets))), **items}

    def _summary(self) -> str:
        return f"{len(self):,} rows, {self.items.size:,} items"


def _in_short(value: Any) -> str:
    """Return the dtype and shape of an array, a simple value, or "" for other types."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype} {tuple(value.shape)}"
    if isinstance(value, (list, tuple, dict)):
        text = str(value)
        return text if len(text) <= LONGEST else f"{type(value).__name__} of {len(value):,}"
    return str(value) if isinstance(value, (ReprMixin, Number, str)) else ""
