"""Cost estimate of a barcode: the number of simplices and the memory."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import comb

import numpy as np

from ..device import Session, array_module, to_host
from ..errors import InputError, LongRunWarning, duration, warn_caller
from ..primitives import at, shifted, sums_of_rows
from .ranks import DENSE, SMALL, RankedGraph

COLLAPSE_FROM = 50  # simplices per edge of a dense graph, from which a collapse is worthwhile
COLLAPSE_FROM_IF_SPARSE = 2  # the same for a sparse graph
# Estimated simplices per second and CPU core: 2.4e7 to 1e8 in runs of at least one second, for
# dimensions 3 to 8. Higher dimensions take longer per simplex, but their bound is less tight.
SIMPLICES_PER_SECOND = 5e7
LONG = 60.0  # seconds from which a warning is issued
LATEST = 0.05  # fraction of all columns or deaths, the latest, whose time determines the estimate
ON_HOST_UP_TO = 200_000  # simplices, for which a GPU takes longer than the CPU
FEW_POINTS = 256  # whose edges the CPU ranks in less time than kernels take to be launched
PREFIXES_PER_SECOND = 3e9  # that a GPU tries: all sets of as many vertices as the dimension


@dataclass(frozen=True)
class Forecast:
    """Upper bound of the number of simplices, number of edges, and bytes of the ranks."""

    n: int
    max_dimension: int
    edges: int
    simplices: float
    bytes: int

    @property
    def collapse_pays(self) -> bool:
        """Whether an edge collapse is expected to save time.

        Testing an edge of a dense graph takes as long as processing its triangles on a CPU, and
        longer on a GPU (600 to 1,500 points, two threads: 0.8 to 5 times the total time), so a
        collapse saves time only from dimension 3. Edges of a sparse graph have few neighbors. The
        decision does not depend on the device, because a collapse changes the simplices of bars.
        """
        if self.edges < DENSE * self.n * (self.n - 1) / 2:
            return self.max_dimension >= 2 and self.simplices > COLLAPSE_FROM_IF_SPARSE * self.edges
        return self.max_dimension >= 3 and self.simplices > COLLAPSE_FROM * self.edges

    def suits_host(self, threads: int) -> bool:
        """Whether listing the simplices takes longer on a GPU than on the CPU.

        With a matrix, a GPU tries all prefixes of simplices, and the CPU only those that exist.
        """
        n = self.n
        if n > SMALL and self.edges < DENSE * n * (n - 1) / 2:
            return self.simplices <= ON_HOST_UP_TO
        on_gpu = comb(n, max(self.max_dimension, 1)) / PREFIXES_PER_SECOND
        on_host = self.simplices / (SIMPLICES_PER_SECOND * threads)
        return self.simplices <= ON_HOST_UP_TO or on_host < on_gpu

    def require(self, session: Session, work_limit: float, *, is_stored: bool = False) -> float:
        """Raise InputError or DeviceMemoryError beyond a limit; warn if the work takes minutes.

        Free memory is not queried if the ranks or distances are stored already. Returns the seconds
        that were announced, or 0.
        """
        highest, threads = max(self.max_dimension, 1), session.host.threads
        if self.simplices > work_limit:
            raise InputError(
                f"The estimated number of simplices is {self.simplices:.2g} ({self.n:,} points, "
                f"{self.edges:,} edges, dimension {highest}); {{work_limit}} allows "
                f"{work_limit:.2g}. Lower {{max_dimension}} or {{threshold}}, use fewer points, or "
                "raise {work_limit}."
            )
        if not is_stored:
            what = f"the ranks of {self.edges:,} edges of {self.n:,} points"
            session.memory.require(self.bytes, what, "lower {threshold} or use fewer points")
        on_host = self.simplices / (SIMPLICES_PER_SECOND * threads)
        seconds = session.device.launch_form(host=on_host, gpu=0.0)
        if seconds <= LONG:
            return 0.0
        warn_caller(
            f"This computation may take about {duration(seconds)} on {threads} CPU "
            f"thread{'s' * (threads != 1)}, because it has up to {self.simplices:.2g} simplices "
            f"(dimension {highest}). To shorten it, lower {{max_dimension}} or {{threshold}}, or "
            "use fewer points.",
            LongRunWarning,
        )
        return seconds


def forecast(session: Session, graph: RankedGraph, max_dimension: int) -> Forecast:
    """Estimate the cost of a barcode.

    With vertices sorted by degree, a vertex is the highest of at most C(lower neighbors, k)
    simplices of dimension k.
    """
    d, n, ends = max(max_dimension, 1), graph.n, graph.ends
    xp = array_module(ends)
    degrees = sums_of_rows(session.device, ends.ravel(), n)
    place = xp.argsort(xp.argsort(shifted(degrees, factor=-1), kind="stable"))
    lower = np.zeros(n, np.int64)
    if len(ends):
        highest = at(place, ends.reshape(-1)).reshape(-1, 2).max(axis=1)
        lower = to_host(sums_of_rows(session.device, highest, n))
    n_bytes = min(6 * n**2, 12 * len(ends) + 8 * n) + 8 * len(ends)
    kinds, times = (part.tolist() for part in np.unique(lower, return_counts=True))
    terms = (
        comb(m, k) * time for k in range(1, d + 1) for m, time in zip(kinds, times, strict=True)
    )
    return Forecast(n, max_dimension, len(ends), float(sum(terms)), n_bytes)


def near_edges(session: Session, n: float) -> Session:
    """Return the session, or the same one on the CPU, in which edges of n points are ranked."""
    return session.on(session.host) if n <= FEW_POINTS else session


class Outlook:
    """Estimate of the remaining time of a reduction, which is the progress of its stage.

    It is based on the time of the latest columns or deaths, because the last ones take longest, and
    is at least the time since the last one. Warns if it is long, and again whenever it doubles.
    """

    def __init__(
        self, session: Session, total: int, reason: str, about: float = 0.0, warned: float = 0.0
    ) -> None:
        self.session, self.total, self.reason, self.about = session, total, reason, about
        self.warned = max(warned, LONG / 2)
        self.begun = self.latest = time.perf_counter()
        self.seen = [(self.begun, 0)]
        self._tell(about)

    def look(self, n_done: int) -> None:
        """Estimate again after this number of columns or deaths."""
        now = time.perf_counter()
        if n_done > self.seen[-1][1]:
            self.latest = now
        self.seen.append((now, n_done))
        while len(self.seen) > 2 and n_done - self.seen[1][1] >= LATEST * self.total:
            self.seen.pop(0)
        begin, before = self.seen[0]
        passed, seconds = now - self.begun, max(self.about - now + self.begun, 0.0)
        if n_done >= max(LATEST * self.total, before + 1):  # the first deaths are rare
            seconds = (self.total - n_done) * (now - begin) / (n_done - before)
        seconds = max(seconds, now - self.latest)
        if passed >= LONG / 6:
            self._tell(seconds)
        self.session.progressed(passed / max(passed + seconds, 1e-9) if n_done else 0.0)

    def _tell(self, seconds: float) -> None:
        if seconds < 2 * self.warned:
            return
        self.warned = seconds
        warn_caller(
            f"This computation may take about {duration(seconds)}, because {self.reason}. To "
            "shorten it, lower {threshold} or use fewer points.",
            LongRunWarning,
        )
