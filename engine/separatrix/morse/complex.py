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
from .field import open_image
from .gradient import GRADIENT_BYTES, DiscreteGradient, compute_gradient
from .grid import NOT_PERIODIC, Grid
from .segmentation import label_sizes, maximum_of_vertices, morse_smale_cells
from .separatrices import ExtremumArcs, Separatrices, draw, trace_extremum_arcs
from .surfaces import SeparatrixSurfaces, trace_surfaces

SEGMENTATION_BYTES = 12  # a voxel: three labels, or two and a forest
LABEL_STAGES: dict[str, dict[str, float]] = {
    "ascending": {"ascending labels": 1.0},
    "descending": {"descending labels": 1.0},
    "cells": {"descending labels": 1.0, "ascending labels": 5.0, "cell labels": 4.0},
}
ARCS = ("ascending", "descending")


def morse_smale(
    values: Any,
    *,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    origin: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Any = None,
    order: str = "index",
    periodic: Sequence[bool] = NOT_PERIODIC,
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
    work, given, grid = open_image(
        values, spacing, origin, direction, device, threads, memory_limit, needed, periodic, order
    )
    gradient = compute_gradient(work, given, grid, progress, order)
    with work.call(None, {}):
        gradient.part_from_callers_memory()
    return MorseSmaleComplex(gradient)


class MorseSmaleComplex:
    """Critical cells, segmentations and separatrices of an image; made by :func:`morse_smale`.

    Labels count extrema in the order of ``critical``: label k is the k-th minimum or the k-th
    maximum, -1 is outside the box.
    """

    def __init__(self, gradient: DiscreteGradient):
        self.gradient = gradient
        self._parts: dict[str, Any] = {}
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
        if not isinstance(kind, str) or kind not in LABEL_STAGES:
            raise InputError(f"kind must be one of {', '.join(LABEL_STAGES)}, not {kind!r}")
        shape = self.gradient.field.shape
        return self._result(
            f"segmentation {kind}",
            lambda: self._labels(kind).reshape(shape),
            progress,
            LABEL_STAGES[kind],
        )

    def top_cell_labels(self, *, progress: Progress | None = None) -> Array:
        """The maximum that each top-dimensional cell ascends to, -1 out of the box.

        int32 (nz-1, ny-1, nx-1); axes of length 1 keep 1, periodic axes all n. These labels are
        exact; a vertex can only take that of one of its cells.
        """
        return self._result(
            "top cells", self._top_cell_labels, progress, {"labels of top cells": 1}
        )

    def manifold_sizes(self, *, progress: Progress | None = None) -> Array:
        """Vertices labelled with each critical cell: (k,) int64; 0 for saddles."""
        stages = {**LABEL_STAGES["cells"], "manifold sizes": 1}
        return self._result("manifold sizes", self._manifold_sizes, progress, stages)

    def extremum_arcs(self, kind: str, *, progress: Progress | None = None) -> ExtremumArcs:
        """The arcs of one kind as they lie on the device; see :class:`ExtremumArcs`."""
        if kind not in ARCS:
            raise InputError(f"kind must be one of {', '.join(ARCS)}, not {kind!r}")
        with self.gradient.work.call(progress, {f"{kind} arcs": 1}):
            return self._arcs(kind)

    def separatrices(
        self, dimension: int = 1, kind: str = "descending", *, progress: Progress | None = None
    ) -> Separatrices | SeparatrixSurfaces:
        """Separatrices: lines from saddles to extrema, or the surfaces about saddles of a volume.

        Parameters
        ----------
        dimension : 1 or 2
            1: polylines through cell centres. 2: quadrilaterals, in volumes only.
        kind : "descending" or "ascending"
            Lines lead from 1-saddles down to minima, or from saddles of the highest index up to
            maxima. Surfaces spread from 2-saddles down, or from 1-saddles up.

        Returns
        -------
        Separatrices if `dimension` is 1, SeparatrixSurfaces if it is 2.
        """
        if kind not in ARCS:
            raise InputError(f"kind must be one of {', '.join(ARCS)}, not {kind!r}")
        if dimension == 2 and self.grid.dimension == 3:
            return self._surfaces(kind, progress)
        if dimension != 1:
            raise InputError(
                f"dimension must be 1, or 2 for a volume, not {dimension!r} for an image of "
                f"dimensions {self.grid.dimensions}"
            )
        stages = {f"{kind} arcs": 1.0, f"{kind} lines": 2.0}
        with self.gradient.work.call(progress, stages):
            arcs = self._arcs(kind)
            return self._once(f"{kind} lines", lambda: draw(self.gradient, arcs, kind))

    def __repr__(self) -> str:
        size = "x".join(map(str, self.grid.dimensions))
        return (
            f"<MorseSmaleComplex of {size} voxels on {self.device}: counts {self.gradient.counts}>"
        )

    # === parts, computed once each
    def _labels(self, kind: str) -> Array:
        gradient = self.gradient
        if kind == "descending":
            return self._once("descending labels", lambda: minimum_of_vertices(gradient))
        if kind == "ascending":
            return self._once("ascending labels", lambda: maximum_of_vertices(gradient))
        n_maxima = gradient.counts[self.grid.dimension]
        n_likely = sum(gradient.counts) // 2  # measured: 0.44 to 0.57 of them on any field
        # Maxima last: the forest that they leave behind is the room for the cells' labels.
        minima, maxima = self._labels("descending"), self._labels("ascending")
        return self._once(
            "cell labels",
            lambda: morse_smale_cells(gradient.work, minima, maxima, n_maxima, n_likely),
        )

    def _arcs(self, kind: str) -> ExtremumArcs:
        return self._once(f"{kind} arcs", lambda: trace_extremum_arcs(self.gradient, kind))

    def _surfaces(self, kind: str, progress: Progress | None) -> SeparatrixSurfaces:
        name = f"{kind} surfaces"
        with self.gradient.work.call(progress, {name: 1.0}):
            if name not in self._parts:
                with self.gradient.work.stage(name) as done:
                    self._parts[name] = trace_surfaces(self.gradient, kind, done)
            return self._parts[name]

    def _top_cell_labels(self) -> Array:
        shape = self.grid.dimensions[::-1]
        labels = self._once("labels of top cells", lambda: maximum_of_top_cells(self.gradient))
        del self._parts["labels of top cells"]  # the result is kept, cut to its shape
        wraps = self.grid.periodic[::-1]
        cut = tuple(slice(0, max(n - 1 + w, 1)) for n, w in zip(shape, wraps, strict=True))
        return self.gradient.work.device.xp.ascontiguousarray(labels.reshape(shape)[cut])

    def _manifold_sizes(self) -> Array:
        work, counts = self.gradient.work, self.gradient.counts
        minima, maxima = self._labels("descending"), self._labels("ascending")
        with work.stage("manifold sizes"):
            sizes = work.device.zeros(sum(counts), np.int64)
            for labels, index in ((minima, 0), (maxima, self.grid.dimension)):
                if index or labels is minima:
                    sizes[self.gradient.rows(index)] = label_sizes(work, labels, counts[index])
        return sizes

    def _once(self, name: str, compute: Callable[[], Any]) -> Any:
        """A part by its stage's name, computed in that stage unless it is there already."""
        if name not in self._parts:
            with self.gradient.work.stage(name):
                self._parts[name] = compute()
        return self._parts[name]

    def _result(
        self,
        name: str,
        compute: Callable[[], Array],
        progress: Progress | None,
        stages: dict[str, float],
    ) -> Array:
        """An array where the caller wants it, brought there once."""
        if name not in self._results:
            work = self.gradient.work
            with work.call(progress, stages):
                self._results[name] = work.result(compute())
        return self._results[name]
