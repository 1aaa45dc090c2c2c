"""Properties that are computed on first access and cached, in any number of threads."""

from __future__ import annotations

import functools
from typing import Any, TypeVar, overload

Value = TypeVar("Value")


class cached_property(functools.cached_property[Value]):  # noqa: N801
    """Like that of functools, without the lock before Python 3.12.

    All objects of a class share that lock, and it is held during the computation, so a thread with
    it and a thread with the lock of the computing call would deadlock. Concurrent threads may each
    compute the value; all of them get the one that is cached.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...
    def __get__(
        self, instance: Any, owner: type[Any] | None = None
    ) -> cached_property[Value] | Value:
        if instance is None:
            return self
        # From now on the attribute of the object is found first.
        kept: Value = instance.__dict__.setdefault(self.attrname, self.func(instance))
        return kept
