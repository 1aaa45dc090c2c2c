"""Parts of a result that are computed on first access, within the calls of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .session import Progress, Session

Part = TypeVar("Part")


class LazyCache:
    """Parts by name. A part whose computation is canceled is not cached.

    Methods must be called within ``session.call``, whose lock makes other threads wait;
    :meth:`in_call` opens such a call itself.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._kept: dict[str, Any] = {}

    def once(self, name: str, compute: Callable[[], Part], stage: str | None = None) -> Part:
        """Return a part, computed in a stage of that name unless another is given."""
        if name not in self._kept:
            with self.session.stage(stage or name):
                self._kept[name] = compute()
        part: Part = self._kept[name]
        return part

    def has(self, name: str) -> bool:
        """Return whether a part is known."""
        return name in self._kept

    def drop(self, name: str) -> None:
        """Forget a part, which is computed again when it is requested."""
        self._kept.pop(name, None)

    def without_stage(self, name: str, compute: Callable[[], Part]) -> Part:
        """Return a part that has no stage of its own."""
        if name not in self._kept:
            self._kept[name] = compute()
        part: Part = self._kept[name]
        return part

    def in_call(
        self, name: str, compute: Callable[[], Part], progress: Progress | None = None
    ) -> Part:
        """Return a part outside of a call, or within one, which may contain the stage."""
        session = self.session
        with (
            session.call(None, {}),  # a call without stages is part of the surrounding one
            session.call(progress, {} if session.has_stage(name) else {name: 1.0}),
        ):
            return self.once(name, compute)
