"""The base class of readers: sources that read a file, again only if it has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Filter


class Reader(Filter):
    """A filter without an input; a subclass has the option file_name, and writes `read`."""

    INPUT_TYPE = ()
    file_name: str

    def set_up(self) -> None:
        self._known: tuple[Any, Any] | None = None

    def read(self, path: Path) -> Any:
        """Read a file."""
        raise NotImplementedError(f"{type(self).__name__}.read")

    def content(self, *options: Any) -> Any:
        """What `read` returns, which is called again if the file or the options have changed."""
        if not self.file_name:
            raise FilterError("file_name", "the path of a file", self.file_name)
        path = Path(self.file_name).expanduser()
        state = path.stat() if path.is_file() else None
        known_by = (path, state and (state.st_mtime_ns, state.st_size), options)
        if self._known is None or self._known[0] != known_by:
            self._known = None
            self._known = known_by, self.read(path)
        return self._known[1]
