"""Results that are tables: arrays with one entry per row."""

from __future__ import annotations

from typing import Any

from .device import Array, to_host
from .plotting import required
from .repr_mixin import ReprMixin

AXES = "xyz"


class Table(ReprMixin):
    """Base of results with arrays of one entry per row: those in COLUMNS, by default all."""

    COLUMNS: tuple[str, ...] = ()

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
        names = self.COLUMNS or [name for name, v in vars(self).items() if getattr(v, "ndim", 0)]
        return {name: getattr(self, name) for name in names}
