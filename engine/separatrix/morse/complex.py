"""The Morse-Smale complex of an image: what a user holds, and how its parts are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..device.base import Array
from ..device.work import Progress
from ..errors import InputError
from .critical import CriticalCells
from .extrema import maximum_of_top_cells, minimum_of_vertices
from .field import load_field
from .gradient import GRADIENT_BYTES, DiscreteGradient, compute_gradient
from .grid import Grid
from .segmentation import label_sizes, maximum_of_vertices, morse_smale_cells
from .separatrices import ExtremumArcs, Separatrices, draw, trace_extremum_arcs

SEGMENTATION_BYTES = 12  # a voxel: three labels, or two and a forest
SEGMENTATIONS = ("ascending", "descending", "cells")
ARCS = ("ascending", "descending")


def morse_smale(
    values: Any,
    *,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    origin: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Any = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> MorseSmaleComplex:
    """Morse-Smale complex of a scalar field on an image.

    The discrete gradient and the critical cells are computed at once; segmentations and
    separatrices when they are asked for, and then kept. The parameters and errors are those of
    :func:`separatrix.discrete_gradient`.

    Returns
    -------
    MorseSmaleComplex

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> z, y, x = np.mgrid[-1:1:9j, -1:1:9j, -1:1:9j]
    >>> complex = sx.morse_smale(x**2 + y**2 + z**2)
    >>> complex.critical.counts[0], complex.critical.euler_characteristic
    (1, 1)
    """
    needed = GRADIENT_BYTES + SEGMENTATION_BYTES
    work, field = load_field(
        values, spacing, origin, direction, device, threads, memory_limit, progress, needed
    )
    return MorseSmaleComplex(compute_gradient(work, field, 1.0))


class MorseSmaleComplex:
    """Critical cells, segmentations and separatrices of an image; made by :func:`morse_smale`.

    Labels count extrema in the order of ``critical``: label k is the k-th minimum or the k-th
    maximum, -1 is outside the box.
    """

    def __init__(self, gradient: DiscreteGradient):
        self.gradient = gradient
        self._on_device: dict[str, Any] = {}
        self._results: dict[str, Any] = {}

    @property
    def grid(self) -> Grid:
        """The image's grid."""
        return self.gradient.grid

    @property
    def critical(self) -> CriticalCells:
        """The critical cells, sorted by (index, cell id)."""
        return self.gradient.critical

    @property
    def device(self) -> str:
        """Where it is computed: "cpu" or "cuda:N"."""
        return self.gradient.device

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage, of what has been computed so far."""
        return self.gradient.timings

    def segmentation(self, kind: str, *, progress: Progress | None = None) -> Array:
        """A label per vertex: int32, in the shape of the values.

        Parameters
        ----------
        kind : "ascending", "descending" or "cells"
            "descending": the minimum reached by descending (TTK's DescendingManifold).
            "ascending": the maximum reached by ascending (TTK's AscendingManifold), -1 where the
            path leaves the box. "cells": dense ids of the pairs (minimum, maximum) in sorted
            order (MorseSmaleManifold).
        """
        if kind not in SEGMENTATIONS:
            raise InputError(f"kind must be one of {', '.join(SEGMENTATIONS)}, not {kind!r}")
        return self._result(f"segmentation {kind}", lambda: self._labels(kind), progress)

    def top_cell_labels(self, *, progress: Progress | None = None) -> Array:
        """The maximum that each top-dimensional cell ascends to, -1 out of the box.

        int32 (nz-1, ny-1, nx-1); axes of length 1 keep 1. These labels are exact; a vertex can
        only take that of one of its cells.
        """
        return self._result("segmentation of top cells", self._top_cell_labels, progress)

    def manifold_sizes(self) -> Array:
        """Vertices labelled with each critical cell: (k,) int64; 0 for saddles."""
        return self._result("manifold sizes", self._manifold_sizes, None)

    def separatrices(
        self, dimension: int = 1, kind: str = "descending", *, progress: Progress | None = None
    ) -> Separatrices:
        """Separatrices of dimension 1: polylines from saddles through cell centres to extrema.

        Parameters
        ----------
        kind : "descending" or "ascending"
            From 1-saddles down to minima, or from saddles of the highest index up to maxima.
        """
        if dimension != 1:
            raise InputError(f"dimension must be 1, not {dimension!r}")
        if kind not in ARCS:
            raise InputError(f"kind must be one of {', '.join(ARCS)}, not {kind!r}")
        self._kept(f"{kind} arcs", lambda: trace_extremum_arcs(self.gradient, kind), progress)
        return self._kept(
            f"{kind} lines",
            lambda: draw(self.gradient, self._on_device[f"{kind} arcs"], kind),
            progress,
            self._results,
        )

    def extremum_arcs(self, kind: str) -> ExtremumArcs:
        """The arcs of one kind as they lie on the device; see :class:`ExtremumArcs`."""
        return self._kept(f"{kind} arcs", lambda: trace_extremum_arcs(self.gradient, kind))

    # === parts, computed once each
    def _labels(self, kind: str) -> Array:
        if kind == "descending":
            return self._kept("descending labels", lambda: minimum_of_vertices(self.gradient))
        if kind == "ascending":
            return self._kept("ascending labels", lambda: maximum_of_vertices(self.gradient))
        n_maxima = self.critical.counts[self.grid.dimension]
        minima, maxima = self._labels("descending"), self._labels("ascending")
        return self._kept(
            "cell labels", lambda: morse_smale_cells(self.gradient.work, minima, maxima, n_maxima)
        )

    def _top_cell_labels(self) -> Array:
        labels = maximum_of_top_cells(self.gradient).reshape(self.grid.dimensions[::-1])
        cut = tuple(slice(0, max(n - 1, 1)) for n in labels.shape)
        return self.gradient.work.device.xp.ascontiguousarray(labels[cut])

    def _manifold_sizes(self) -> Array:
        work, critical = self.gradient.work, self.critical
        sizes = work.device.zeros(len(critical), np.int64)
        for kind, index in (("descending", 0), ("ascending", self.grid.dimension)):
            rows = critical.rows(index)
            if index or kind == "descending":
                sizes[rows] = label_sizes(work, self._labels(kind), critical.counts[index])
        return sizes

    def _kept(
        self,
        name: str,
        compute: Callable[[], Any],
        progress: Progress | None = None,
        where: dict[str, Any] | None = None,
    ) -> Any:
        kept = self._on_device if where is None else where
        if name not in kept:
            work = self.gradient.work
            work.progress = progress or work.progress
            with work.current(), work.stage(name):
                kept[name] = compute()
        return kept[name]

    def _result(self, name: str, compute: Callable[[], Array], progress: Progress | None) -> Array:
        if name not in self._results:
            work = self.gradient.work
            if progress is not None:
                work.progress = progress
            with work.current():
                array = work.result(compute())
            if name.startswith("segmentation ") and array.size == self.grid.n_vertices:
                array = array.reshape(self.gradient.field.shape)
            self._results[name] = array
        return self._results[name]
