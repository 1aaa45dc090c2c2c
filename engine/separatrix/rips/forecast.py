"""What a barcode will take, known before it starts: simplices to look at, bytes to hold."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import comb, lgamma

import numpy as np

from ..device import Session, to_host
from ..device.arrays import array_module
from ..errors import InputError, LongRunWarning, duration
from .ranks import DENSE, RankedGraph

COLLAPSE_FROM = 50  # simplices an edge of a dense graph, from which on its collapse pays
COLLAPSE_FROM_IF_SPARSE = 2  # the same of a sparse graph
# Simplices of a forecast that a core of a CPU gets done in a second: 2.4e7 to 1e8 in runs from a
# second up, of dimensions 3 to 8. Those of higher ones take longer, but the bound is less sharp.
DONE_IN_A_SECOND = 5e7
LONG = 60.0  # seconds from which on it is told that a run will be long
ON_HOST_UP_TO = 200_000  # simplices: a GPU takes longer to be told of them


@dataclass(frozen=True)
class Forecast:
    """``simplices`` of all dimensions at most, ``edges``, and ``bytes`` of the ranks."""

    n: int
    max_dimension: int
    edges: int
    simplices: float
    bytes: int

    @property
    def collapse_pays(self) -> bool:
        """Whether edges are collapsed first, by what the simplices would cost.

        The graph alone decides, never the device or its threads: a collapsed graph has the same
        bars, but other simplices begin and end them. To test an edge of a dense graph takes as
        long as to look at its triangles, on a CPU, and longer on a GPU (600 to 1,500 points, two
        threads: 0.8 to 5 times as long with a collapse as without): only bars of dimension 3 and
        more gain by it. Edges of a sparse graph have few neighbors and are tested at once.
        """
        if self.edges < DENSE * self.n * (self.n - 1) / 2:
            return self.max_dimension >= 2 and self.simplices > COLLAPSE_FROM_IF_SPARSE * self.edges
        return self.max_dimension >= 3 and self.simplices > COLLAPSE_FROM * self.edges

    def require(self, session: Session, work_limit: float) -> None:
        """Refuse what is not going to end, or not going to fit, with the figure and a way out.

        Warn of what is going to end after minutes on a CPU.
        """
        highest, threads = max(self.max_dimension, 1), session.host.threads
        if self.simplices > work_limit:
            raise InputError(
                f"dimensions up to {highest} have up to {self.simplices:.2g} simplices, "
                f"{self.n:,} points with {self.edges:,} edges, where work_limit allows "
                f"{work_limit:.2g}; lower max_dimension or threshold, take fewer points, or raise "
                "work_limit"
            )
        what = f"the ranks of {self.edges:,} edges of {self.n:,} points"
        advice = "lower threshold or take fewer points"
        session.memory.require(self.bytes, what, advice, look_from=0)
        on_host = self.simplices / (DONE_IN_A_SECOND * threads)
        seconds = session.device.launch_form(host=on_host, gpu=0.0)
        if seconds > LONG:
            warnings.warn(
                f"dimensions up to {highest} have up to {self.simplices:.2g} simplices, about "
                f"{duration(seconds)} on the CPU with {threads} thread{'s' * (threads != 1)}; "
                "lower max_dimension or threshold, or take fewer points, if that is too long",
                LongRunWarning,
                stacklevel=3,
            )


def forecast(graph: RankedGraph, max_dimension: int) -> Forecast:
    """Bounds by the degrees: in degeneracy-like order a vertex tops C(lower neighbors, k)."""
    d, n, ends = max(max_dimension, 1), graph.n, graph.ends
    xp = array_module(ends)
    place = xp.argsort(xp.argsort(-xp.bincount(ends.ravel(), minlength=n), kind="stable"))
    lower = to_host(xp.bincount(place[ends].max(axis=1), minlength=n)) if len(ends) else np.zeros(n)
    n_bytes = min(6 * n**2, 12 * len(ends) + 8 * n) + 8 * len(ends)
    simplices = sum(_binomials(lower, k) for k in range(1, d + 1))
    return Forecast(n, max_dimension, len(ends), simplices, n_bytes)


def _binomials(n: np.ndarray, k: int) -> float:
    """Sum of (n_i choose k), exact as long as float64 has every whole number."""
    kinds, times = np.unique(n[n >= k].astype(np.int64), return_counts=True)
    logarithms = [lgamma(m + 1) - lgamma(k + 1) - lgamma(m - k + 1) for m in kinds.tolist()]
    about = float((np.exp(np.minimum(logarithms, 700)) * times).sum())
    if about >= 2**52:
        return about
    numbers = zip(kinds.tolist(), times.tolist(), strict=True)
    return float(sum(comb(m, k) * count for m, count in numbers))
