"""What a barcode will take, known before it starts: simplices to look at, bytes to hold."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import comb, lgamma

import numpy as np

from ..device import Work, to_host
from ..device.arrays import array_module
from ..errors import DeviceMemoryError, InputError, LongRunWarning, duration
from .ranks import DENSE, RankedGraph

COLLAPSE_FROM = 50  # simplices an edge: to collapse it takes a CPU as long as to look at so many
COLLAPSE_FROM_IF_SPARSE = 2  # the same of a sparse graph
COLLAPSE_FROM_ON_GPU = 5000  # a GPU, whose stream is faster by more than its collapse
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

    def collapse_pays(self, on_gpu: bool) -> bool:
        """Whether edges are collapsed first, by what the simplices would cost.

        A graph of few edges is as much worth it on a GPU: its columns are reduced on the host, and
        have fewer entries afterwards (4,096 points up to a threshold on an H200: 0.96 s, 0.24 s).
        On a CPU it takes two microseconds an edge there, and is nearly always worth them (800
        points of a torus, 14,530 edges, 10 possible triangles an edge: 47 ms without, 30 ms with).
        """
        if self.edges < DENSE * self.n * (self.n - 1) / 2:
            an_edge = COLLAPSE_FROM if on_gpu else COLLAPSE_FROM_IF_SPARSE
        else:
            an_edge = COLLAPSE_FROM_ON_GPU if on_gpu else COLLAPSE_FROM
        return self.max_dimension >= 2 and self.simplices > an_edge * self.edges

    def require(self, work: Work, work_limit: float) -> None:
        """Refuse what is not going to end, or not going to fit, with the figure and a way out.

        Warn of what is going to end after minutes on a CPU.
        """
        highest, threads = max(self.max_dimension, 1), work.host.threads
        if self.simplices > work_limit:
            raise InputError(
                f"dimensions up to {highest} have up to {self.simplices:.2g} simplices, "
                f"{self.n:,} points with {self.edges:,} edges, where work_limit allows "
                f"{work_limit:.2g}; lower max_dimension or threshold, take fewer points, or raise "
                "work_limit"
            )
        what = f"the ranks of {self.edges:,} edges of {self.n:,} points"
        work.require(self.bytes, what)
        free = work.device.free_memory()
        if self.bytes > free:
            raise DeviceMemoryError(
                f"{what} need {self.bytes:,} bytes, where {free:,} are free; lower threshold or "
                "take fewer points"
            )
        seconds = self.simplices / (DONE_IN_A_SECOND * threads)
        if seconds > LONG and not work.device.is_cuda:
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
