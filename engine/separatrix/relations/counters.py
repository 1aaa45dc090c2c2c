"""Counts of a scheduler's work and of the waiting times of its consumers, by relation.

The seconds are those of the published breakdown (Liu et al. 2025, tables 5 to 7): summed over the
requests that waited, each counting the whole launch for which it waited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Protocol

STEPS = ("push", "queue", "preparation", "kernel", "integration")


class Awaited(Protocol):
    """An awaited segment: when it was queued and taken, and the seconds of its steps."""

    pushed: float
    taken: float
    took: tuple[float, float, float]


@dataclass
class Counters:
    """Counts of one relation, or of all together.

    ``requests`` for segments are ``hits`` in the cache, ``joins`` of a request in progress, or
    pushed. ``launches`` made ``made`` segments, ``ahead`` of them before they were requested, of
    which ``used`` were requested later and ``wasted`` dropped unread. ``evictions`` are segments
    dropped from the cache, ``unkept`` those that did not fit, ``direct`` rows computed by the
    consumer. Seconds: ``waiting``, which includes ``push`` (to the queue), ``queue`` (in it),
    ``preparation``, ``kernel`` with copies, ``integration`` (cut, cached, returned).
    """

    requests: int = 0
    hits: int = 0
    joins: int = 0
    pushed: int = 0
    launches: int = 0
    made: int = 0
    ahead: int = 0
    used: int = 0
    wasted: int = 0
    evictions: int = 0
    unkept: int = 0
    direct: int = 0
    waiting: float = 0.0
    push: float = 0.0
    queue: float = 0.0
    preparation: float = 0.0
    kernel: float = 0.0
    integration: float = 0.0

    def count_waiting(self, began: float, pushed: float, flights: Sequence[Awaited]) -> None:
        """Count a request that began and was pushed then, and has received its last segment."""
        last = max(flights, key=lambda flight: flight.taken)
        self.waiting += perf_counter() - began
        self.push += pushed - began
        self.queue += max(0.0, last.taken - max(pushed, last.pushed))
        self.preparation += last.took[0]
        self.kernel += last.took[1]
        self.integration += last.took[2]

    def __add__(self, other: Counters) -> Counters:
        return Counters(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def table(by_relation: dict[str, Counters]) -> str:
    """Return the counters as a table with one column per relation, and the sums last."""
    columns = {**by_relation, "all": sum(by_relation.values(), Counters())}
    lines = [f"{'':16}" + "".join(f"{name:>12}" for name in columns)]
    for field in fields(Counters):
        values = [getattr(counters, field.name) for counters in columns.values()]
        is_time = isinstance(values[-1], float)
        name = f"{field.name} (s)" if is_time else field.name
        if field.name in STEPS:
            name = "  " + name
        shown = [f"{value:12.4f}" if is_time else f"{value:12,}" for value in values]
        lines.append(f"{name:16}" + "".join(shown))
    return "\n".join(lines)
