"""Parts of a result that are computed when they are first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .session import Progress, Session

Part = TypeVar("Part")


class LazyCache:
    """Parts by name. A part whose computation is stopped is not kept.

    Its methods are to be called inside ``session.call``, whose lock makes other threads wait;
    :meth:`in_call` makes such a call itself.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._kept: dict[str, Any] = {}

    def once(self, name: str, compute: Callable[[], Part], stage: str | None = None) -> Part:
        """A part by its name, computed in a stage, of that name by default, unless it is there."""
        return self.cached_with_progress(name, lambda done: compute(), stage)

    def cached_with_progress(
        self,
        name: str,
        compute: Callable[[Callable[[float], None]], Part],
        stage: str | None = None,
    ) -> Part:
        """The same for a part that tells how far it is."""
        if name not in self._kept:
            with self.session.stage(stage or name) as done:
                self._kept[name] = compute(done)
        part: Part = self._kept[name]
        return part

    def without_stage(self, name: str, compute: Callable[[], Part]) -> Part:
        """A part that is no stage of its own."""
        if name not in self._kept:
            self._kept[name] = compute()
        part: Part = self._kept[name]
        return part

    def in_call(
        self, name: str, compute: Callable[[], Part], progress: Progress | None = None
    ) -> Part:
        """As :meth:`once`, outside a call or inside one, which may have the stage."""
        session = self.session
        with (
            session.call(None, {}),  # what has no stages is part of the call around it
            session.call(progress, {} if session.has_stage(name) else {name: 1.0}),
        ):
            return self.once(name, compute)
