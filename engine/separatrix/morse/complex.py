"""The Morse-Smale complex of an image or a mesh, as users see it."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any, Literal, overload

import numpy as np

from ..arguments import check_one_of, is_one_of
from ..device import Array, Progress
from ..device.scratch import check_out, write_layers
from ..errors import InputError
from ..plotting.scenes import draw_critical, polylines_of
from .combinatorial import LEVEL_STAGES, CombinatorialComplex, checked_level
from .critical import indices_of
from .field import range_of_values
from .flooding import SimplifiedField, simplified_field
from .gradient import DiscreteGradient
from .labels import CELL_LABELS, SHARES, Labels
from .segmentation import Regions
from .separatrices import ExtremumArcs, Separatrices, SeparatrixSurfaces, rows_of_saddles

ARCS = ("ascending", "descending")


class MorseSmaleComplex(CombinatorialComplex):
    """Morse-Smale complex of a scalar field on an image or a mesh.

    Returned by :func:`separatrix.morse_smale` and :meth:`simplify`. Segmentations,
    separatrices, the graph, and persistence pairs are computed on first access and cached. Labels
    count extrema in the order of ``critical``: label k denotes the k-th minimum or the k-th
    maximum, and -1 the outside of the domain.

    Examples
    --------
    >>> import separatrix as sx
    >>> complex = sx.morse_smale([0.0, 5.0, 4.0, 9.0, 1.0])
    >>> complex.critical.value.tolist(), complex.segmentation("descending").tolist()
    ([0.0, 4.0, 1.0, 5.0, 9.0], [0, 0, 1, 2, 2])
    >>> complex.simplify(2.0).critical.value.tolist()
    [0.0, 1.0, 9.0]
    >>> complex.separatrices(1, "descending").points[:4, 0].tolist()
    [1.5, 1.0, 0.5, 0.0]
    """

    _SHOWN = ("domain", "persistence", "critical", "device")
    _raw: MorseSmaleComplex | None

    def simplify(
        self,
        persistence: float,
        *,
        relative: bool = False,
        rematch_saddles: bool = False,
        progress: Progress | None = None,
    ) -> MorseSmaleComplex:
        """Return the complex in which all pairs below a persistence threshold are canceled.

        The first call computes a hierarchy of all cancellations, which all complexes of these
        values share. Each later call takes one pass over the critical cells, plus the time for the
        requested results. Thresholds always refer to the unsimplified complex.

        Parameters
        ----------
        persistence : float
            Threshold, in the unit of the values; if 0, no pairs are canceled.
        relative : bool
            Interpret `persistence` as a fraction, from 0 to 1, of the value range.
        rematch_saddles : bool
            If a saddle cannot be canceled with its persistence partner, cancel it with another
            saddle whose value differs from its own by less than the threshold.
        progress : callable, optional
            As in :func:`separatrix.discrete_gradient`.

        Notes
        -----
        Pairs with a minimum or a maximum are always canceled. A pair of saddles can be canceled
        only if exactly one V-path connects them; :attr:`skipped` lists the pairs that remain, at
        least in part.
        """
        options = checked_level(persistence, relative, rematch_saddles)
        level = options.persistence
        with self._session.call(progress, LEVEL_STAGES):
            raw = (self._raw or self)._traceable
            if relative and level:
                field = self._labels.checked_field("a relative level")
                level *= range_of_values(self._session, field, raw._gradient.used_vertices)
            found = copy(raw)  # shares all parts
            hierarchy = raw._hierarchy(options.rematch_saddles) if level else None
            if hierarchy and (event := hierarchy.events_below(level)):
                gradient = raw._gradient.at_event(hierarchy, event)
                labels = Labels(gradient, raw._labels, hierarchy, event)
                found = MorseSmaleComplex(DiscreteGradient(gradient), _labels=labels)
            found._raw, found._level = raw, level
            return found

    @property
    def _traceable(self) -> MorseSmaleComplex:
        """The same complex where V-paths can be traced through all of its gradient."""
        gradient = self._gradient.traceable
        if gradient is self._gradient:
            return self
        made = partial(MorseSmaleComplex, DiscreteGradient(gradient))
        return self._parts.without_stage("traceable", made)

    # === segmentations
    def segmentation(
        self, kind: str, *, out: Any = None, progress: Progress | None = None
    ) -> Array:
        """Return one int32 label per vertex, in the shape of the values; -1 outside.

        Parameters
        ----------
        kind : "ascending", "descending" or "morse_smale"
            "descending": the minimum that the vertex descends to (DescendingManifold in TTK).
            "ascending": the maximum that it ascends to (AscendingManifold in TTK), or -1 if the
            path leaves the domain. "morse_smale": consecutive ids of the pairs (minimum, maximum)
            in sorted order (MorseSmaleManifold).
        out : object with shape, dtype, and assignment to slices, optional
            Where to write the labels, layer by layer, and what to return: a memory map, or a
            dataset of HDF5 or zarr, of integers of at least 32 bits. If the image is processed in
            slabs, "ascending" and "descending" labels are written while they are computed, and are
            not stored elsewhere.
        """
        stages = self._labels.stages(kind)
        if out is not None:
            check_out(out, self._labels.field.shape)
            with self._session.call(progress, stages):
                if self._labels.write(kind, out):
                    return out
        labels = partial(self._labels.segmentation, kind)
        found = self._result(f"segmentation {kind}", labels, progress, stages)
        return found if out is None else write_layers(found, out)

    def manifold_sizes(self, *, progress: Progress | None = None) -> Array:
        """Return the number of vertices with the label of each critical cell: (k,) int64."""
        stages = {**SHARES["morse_smale"], "manifold sizes": 1.0}
        return self._result("manifold sizes", self._labels.manifold_sizes, progress, stages)

    def regions(self, kind: str, *, progress: Progress | None = None) -> Regions:
        """Return the size, value range, and extrema of each region of a segmentation."""
        stages = {**self._labels.stages(kind), "regions": 1.0}
        regions = partial(self._labels.regions, kind)
        return self._result(f"regions {kind}", regions, progress, stages)

    def simplified_field(self, *, progress: Progress | None = None) -> SimplifiedField:
        """Return the field without the canceled extrema, and its order.

        Values around a canceled minimum are raised to the saddle at which it drains, and those
        around a canceled maximum are lowered to its saddle, by less than the threshold. In the
        order of the result, the field has exactly the minima and maxima of this complex;
        :mod:`separatrix.morse.flooding` states what is guaranteed for its diagram.

        Examples
        --------
        >>> import separatrix as sx
        >>> complex = sx.morse_smale([0.0, 5.0, 4.0, 9.0, 1.0], persistence=2.0)
        >>> simple = complex.simplified_field()
        >>> simple.values.tolist(), simple.order.tolist()
        ([0.0, 5.0, 5.0, 9.0, 1.0], [0, 2, 3, 4, 1])
        """

        def flooded() -> SimplifiedField:
            field, gradient = self._labels.checked_field("a simplified field"), self._gradient
            extrema = (
                gradient.owner_vertices[gradient.rows(index)] for index in (0, gradient.dimension)
            )
            return simplified_field(gradient, field, *extrema)

        stages = {"vertices": 1.0, "flooded": 2.0}
        if self._traceable is not self:
            return self._traceable.simplified_field(progress=progress)
        return self._result("simplified field", flooded, progress, stages)

    def cell_labels(self, *, progress: Progress | None = None) -> Array:
        """Return the maximum that each top-dimensional cell ascends to: int32, -1 outside.

        For an image, the shape is (nz-1, ny-1, nx-1), except that axes of length 1 keep length 1
        and periodic axes keep length n. For a mesh, it is (n_cells,), in the order of the user's
        cells. These labels are exact; each vertex has the label of one of its cells.
        """
        stages = {CELL_LABELS: 3.0, **self._labels.stage_of_level(CELL_LABELS)}
        labels = self._labels.of_cells
        return self._result("cell labels", labels, progress, stages)

    # === geometry
    def extremum_arcs(self, kind: str, *, progress: Progress | None = None) -> ExtremumArcs:
        """Return the arcs between saddles and extrema of one kind, on the device."""
        check_one_of("kind", kind, ARCS)
        trace, name = partial(self._traceable._extremum_arcs, kind), f"{kind} arcs"
        return self._result(name, trace, progress, {name: 1.0})

    def _extremum_arcs(self, kind: str) -> ExtremumArcs:
        with self._session.stage(f"{kind} arcs"):
            return self._gradient.extremum_arcs(kind)

    @overload
    def separatrices(
        self, dimension: Literal[1] = 1, kind: str = ..., *, sources: Any = ..., progress: Any = ...
    ) -> Separatrices: ...
    @overload
    def separatrices(
        self, dimension: Literal[2], kind: str = ..., *, sources: Any = ..., progress: Any = ...
    ) -> SeparatrixSurfaces: ...
    @overload
    def separatrices(
        self, dimension: int, kind: str = ..., *, sources: Any = ..., progress: Any = ...
    ) -> Separatrices | SeparatrixSurfaces: ...
    def separatrices(
        self,
        dimension: int = 1,
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> Separatrices | SeparatrixSurfaces:
        """Return separatrices: lines between critical cells, or surfaces that start at saddles.

        Parameters
        ----------
        dimension : 1 or 2
            1 for polylines through cell centers; 2 for polygons (volumes and tetrahedral meshes
            only).
        kind : "descending", "ascending" or "saddle"
            Lines lead from 1-saddles down to minima ("descending"), from saddles of the highest
            index up to maxima ("ascending"), or, in three dimensions, from 1-saddles to 2-saddles
            ("saddle"). Surfaces extend down from 2-saddles (squares, or triangles of the mesh) or
            up from 1-saddles (polygons around edges).
        sources : (s,) integers, optional
            Rows of ``critical``: the saddles whose surfaces or lines are traced; for lines between
            saddles, 2-saddles. By default all. Memory grows with the traced extent.

        Returns
        -------
        Separatrices if `dimension` is 1, SeparatrixSurfaces if it is 2.
        """
        if self._traceable is not self:
            return self._traceable.separatrices(dimension, kind, sources=sources, progress=progress)
        gradient = self._gradient
        is_surface = is_one_of(dimension, (2,)) and gradient.dimension == 3
        name = f"{kind} {'surfaces' if is_surface else 'lines'}"
        check_one_of("kind", kind, ARCS if is_surface else (*ARCS, "saddle"))
        if not is_surface and not is_one_of(dimension, (1,)):
            expected = f"1, or 2 for a volume or tetrahedra, for {self.domain._kind_text}"
            raise InputError("dimension", expected, dimension)
        index = 2 if kind == "saddle" else indices_of(kind, gradient.dimension)[1]

        def surfaces() -> SeparatrixSurfaces:
            rows = rows_of_saddles(gradient, 2 if kind == "descending" else 1, sources)
            with self._session.stage(name) as done:
                return gradient.trace_surfaces(kind, rows, done)

        def lines() -> Separatrices:
            rows = rows_of_saddles(gradient, index, sources)
            if kind == "saddle":
                connectors = self._connectors()
                if sources is not None:
                    connectors = connectors.of_rows(rows - gradient.rows(2).start)
                with self._session.stage(name):
                    return gradient.connector_lines(connectors)
            # Arcs are not cached, because they are as large as a forest.
            arcs = self._results.pop(f"{kind} arcs", None) or self._extremum_arcs(kind)
            with self._session.stage(name):
                if sources is not None:
                    arcs = arcs.of_rows(rows - gradient.rows(index).start)
                return gradient.extremum_lines(arcs, kind, rows)

        first = {"connectors": 4.0} if kind == "saddle" else {f"{kind} arcs": 1.0}
        stages = {name: 2.0} if is_surface else {**first, name: 2.0}
        compute = surfaces if is_surface else lines
        if sources is None:
            return self._result(name, compute, progress, stages)
        with self._session.call(progress, stages):
            return compute()

    def plot(self, plotter: Any = None) -> Any:
        """Draw critical points and lines by type, with PyVista, and return the plotter.

        Below three dimensions, the regions of the Morse-Smale segmentation are drawn as well.

        Parameters
        ----------
        plotter : pyvista.Plotter, optional
            By default a new one; ``plotter.show()`` opens its window.

        Examples
        --------
        >>> import separatrix as sx
        >>> complex = sx.morse_smale([[0.0, 2.0, 1.0], [3.0, 4.0, 5.0]])
        >>> complex.plot().show()  # doctest: +SKIP
        """
        dimension = self._gradient.dimension
        ends = {"descending": 0, "saddle": 2, "ascending": 3}  # the type that lines lead to
        lines = []
        for kind in ends if dimension == 3 else ARCS:
            found = self.separatrices(1, kind)
            drawn = polylines_of(found.points, found.offsets)
            lines.append((drawn, np.full(drawn.n_cells, ends[kind])))
        labels = self.segmentation("morse_smale") if dimension < 3 else None
        domain = self.domain._drawn()
        points, types = self.critical._drawn(dimension)
        return draw_critical(plotter, domain, dimension, points, types, lines, labels)
