"""What a run tells besides its datasets, for `filter.report` and for the shell. Knows no VTK."""

from __future__ import annotations

from typing import Any

import separatrix as sx

Report = dict[str, Any]


def report_of(result: Any) -> Report:
    """Counts, device and seconds by stage of an engine's gradient or complex."""
    return {
        "device": result.device,
        "dimensions": tuple(int(n) for n in result.grid.dimensions),
        "critical_cells": tuple(int(n) for n in result.critical.counts),
        "euler_characteristic": int(result.critical.euler_characteristic),
        "seconds": {stage: float(seconds) for stage, seconds in result.timings.items()},
    }


def report_of_level(raw: Any, complex: Any) -> Report:
    """What the simplification of a raw complex did: its level, pairs cancelled and pairs skipped.

    skipped_pairs: the pairs of saddles that are below the level and stay, by reason.
    """
    skipped = complex.skipped.counts if complex is not raw else {}
    return {
        "persistence": float(complex.persistence),
        "cancelled_pairs": (len(raw.critical) - len(complex.critical)) // 2,
        "skipped_pairs": {reason: int(count) for reason, count in skipped.items()},
    }


def report_of_pairs(pairs: Any) -> Report:
    """Pairs by dimension, those of equal values left out, and how many critical cells these are."""
    finite_or_not = pairs.nonzero()
    highest = int(pairs.dimension.max(initial=0))
    return {
        "pairs": [len(finite_or_not.of_dimension(d)) for d in range(highest + 1)],
        "zero_persistence_points": int(pairs.n_artefacts),
    }


def device_of(options: dict[str, Any]) -> str:
    """The device that a call of the engine with these options takes: "cpu" or "cuda:N"."""
    return sx.discrete_gradient([0.0], device=options["device"]).device
