"""What an object computes when it is first asked for, and keeps, in any number of threads."""

from __future__ import annotations

import functools
from typing import Any, TypeVar, overload

Value = TypeVar("Value")


class cached_property(functools.cached_property[Value]):  # noqa: N801
    """As that of functools, without the lock that it has before Python 3.12.

    That lock is one for all objects of a class and held while the value is computed: of two
    threads, one with it and the other with the lock of the call that computes, both wait for ever.
    Threads that ask at once may compute the value each; all of them get the one that is kept.
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
        # From now on the object's own attribute is found first: this is no data descriptor.
        kept: Value = instance.__dict__.setdefault(self.attrname, self.func(instance))
        return kept
