"""What a run tells besides its datasets, for `filter.report` and for the shell. Knows no VTK."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import separatrix as sx

Report = dict[str, Any]
NOTHING: Mapping[str, float] = MappingProxyType({})
ALL = (0, 1, 2)  # dimensions of pairs


def report_of(
    result: Any, size: Mapping[str, Any], before: Mapping[str, float] = NOTHING
) -> Report:
    """Counts, device and seconds by stage of an engine's gradient or complex.

    size: of the image or mesh, under the names that it is told by; before: the clocks of the stages
    when the run began; a clock that has not changed since is left out, as the stage did not run
    again.
    """
    return {
        "device": result.device,
        **size,
        "critical_cells": tuple(int(n) for n in result.critical.counts),
        "euler_characteristic": int(result.critical.euler_characteristic),
        "seconds": {
            stage: float(seconds)
            for stage, seconds in result.timings.items()
            if before.get(stage) != seconds
        },
    }


def report_of_level(raw: Any, complex: Any) -> Report:
    """What the simplification of a raw complex did: its level, pairs canceled and pairs skipped.

    skipped_pairs: the pairs of saddles that are below the level and stay, by reason.
    """
    skipped = complex.skipped.counts if complex is not raw else {}
    return {
        "persistence": float(complex.persistence),
        "cancelled_pairs": (len(raw.critical) - len(complex.critical)) // 2,
        "skipped_pairs": {reason: int(count) for reason, count in skipped.items()},
    }


def report_of_pairs(raw: Any, left: Any = None, dimensions: Collection[int] = ALL) -> Report:
    """Pairs by dimension, those of equal values left out, and how many critical cells these are.

    raw, left: the pairs before and after simplification. Those left are counted; None for a
    dimension that was not asked for. Equal values are told of the raw ones.
    """
    told = (raw if left is None else left).nonzero()
    highest = int(raw.dimension.max(initial=0))
    return {
        "pairs": [
            len(told.of_dimension(d)) if d in dimensions else None for d in range(highest + 1)
        ],
        "zero_persistence_points": int(raw.n_artifacts),
    }


def device_of(options: dict[str, Any]) -> str:
    """The device that a call of the engine with these options takes: "cpu" or "cuda:N"."""
    return sx.discrete_gradient([0.0], device=options["device"]).device
