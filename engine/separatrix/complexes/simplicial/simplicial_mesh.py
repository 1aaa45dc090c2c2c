"""Base of meshes of tetrahedra and of triangles: ordered points and cells, cut into segments.

Liu, Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025; Liu, Iuricich et al., "TopoCluster", IEEE TVCG
2023.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...arguments import checked_whole
from ...device import Array, Progress, Session, read_only, to_host
from ...errors import InputError, wrong_shape
from ...lazy import cached_property
from ...morse.critical import euler_characteristic
from ...options import checked, known_keywords
from ...options.shared import MeshOptions
from ...plotting.scenes import cells_of, draw_mesh
from ...primitives import converted
from ...relations.boundary import Boundary
from ...relations.relation import Relation, checked_key
from ...relations.rows import Key
from ...relations.stream import Batch, stream
from ...results import ReprMixin
from ...spatial.points import Points, as_points, bounded_points, own_points
from .cells import as_cells, checked_cells, checked_labels, reject_repeated
from .incidence import Incidence
from .resident import build_resident, copying_points, kept, place_of_cells
from .segments import Segments, by_labels, equal_runs, hilbert_order, octree_leaves
from .simplices import Simplices, build_simplices

STAGES = {"points": 1.0, "cells": 2.0}
PART = {"part": 1.0}
PER_POINT, PER_CELL = 64, 160
"""Bytes of device memory for the simplices of a mesh and the lists of its relations."""


class SimplicialMesh(ReprMixin):
    """Base of meshes of tetrahedra and of triangles, which are immutable.

    Attributes
    ----------
    points : (V, d) float32 or float64
        In the given dtype, on the device of the computation. The mesh stores a copy.
    simplices : Simplices
        Cells sorted in mesh order, tries of edges and triangles, and permutations.
    segments : Segments
        Intervals of mesh vertices.
    incidence : Incidence
        Lists from which relations are computed.
    boundary : Boundary
        Simplices on the boundary, by mesh id.
    """

    _SHOWN = ("points", "dimension", "segments")

    dimension: int
    simplices: Simplices
    segments: Segments
    incidence: Incidence
    boundary: Boundary

    @known_keywords
    def __init__(
        self,
        points: Any,
        cells: Any,
        *,
        segment_size: int = 100,
        segments: Any = None,
        device: str | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        on_duplicates: str = "error",
    ):
        given = as_points(points, "points")
        array = as_cells(cells, self.dimension + 1)
        d_allowed = (3,) if self.dimension == 3 else (2, 3)
        if given.shape[1] not in d_allowed:
            raise wrong_shape("points", f"an array (n, {' or '.join(map(str, d_allowed))})", given)
        size = checked_whole(segment_size, "segment_size", 1)
        drop = checked(MeshOptions, "on_duplicates", on_duplicates) == "drop"
        labels = None
        if isinstance(segments, str) and segments not in ("octree", "runs"):
            raise InputError("segments", "'octree', 'runs', or one number per point", segments)
        if segments is not None and not isinstance(segments, str):
            labels = checked_labels(segments, len(given))
        self.session = session = Session(given, device, threads, memory_limit)
        with session.call(progress, STAGES):
            n, n_cells = len(given), len(array)
            near, host = session, None  # where points and cells are sorted
            if session.memory.overflows(PER_POINT * n + PER_CELL * n_cells):
                there = session.on(session.device)
                is_near, host = (False, None) if drop else place_of_cells(there, given, array)
                session.stream_from_host()  # relations/workers.py sends parts to the GPU
                near = there if is_near else session
                near.device.free_cached()
            with session.stage("points"), near.device.current():
                self._given = own_points(bounded_points(near, given, "points"), given)
                point_of, keys = hilbert_order(near, self._given)
                if labels is not None:
                    self.segments, point_of = by_labels(near, labels, point_of)
                elif segments == "runs":
                    self.segments = equal_runs(near, n, size)
                else:
                    self.segments = octree_leaves(near, keys, size)
                del keys
            with session.stage("cells"), near.device.current():
                if near is not session:
                    self.segments = Segments(to_host(self.segments.starts))
                    bounds = self._given.low, self._given.high
                    del self._given  # from the GPU
                    point_of = kept(near.device, point_of)
                    near.device.free_cached()
                    with copying_points(given, *bounds) as copying:
                        self.simplices = build_resident(session, near, point_of, array, host)
                        self._given = copying.result()
                else:
                    cells_here, chosen = checked_cells(session, array, n, drop)
                    self.simplices, repeated = build_simplices(
                        session, point_of, cells_here, chosen, drop=drop
                    )
                    if not drop:
                        reject_repeated(repeated, cells_here)
                self.n_dropped = n_cells - self.simplices.n_top
            self.incidence = Incidence(self.simplices, self.segments)
            self.boundary = Boundary(self.incidence)
        self._relations: dict[Key, Relation] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, without arrays that only packets read."""
        return {**vars(self), "_points": self._points, "_given": self._points}

    def _summary(self) -> str:
        s = self.simplices
        return (
            f"{s.n_vertices:,} points, {s.n_top:,} cells, {len(self.segments):,} segments, "
            f"on {self.session.place}"
        )

    @cached_property
    def _points(self) -> Points:
        """The user's points on the device of the computation."""
        if self.simplices.resident is None:
            return self._given
        return replace(self._given, values=self._given.given.astype(np.float64, copy=False))

    @property
    def points(self) -> Array:
        """Points (V, d) in the given dtype, read-only, on the device of the computation."""
        # Converted from the mesh's copy, because given float32 points are in the caller's memory.
        with self.session.device.current():
            points = converted(self.session.device, self._points.values, self._points.given.dtype)
            return read_only(points.view())

    @property
    def _float_points(self) -> Array:
        """Points (V, d) float64, on the device of the computation."""
        return self._points.values

    @property
    def _size_text(self) -> str:
        return f"{self.simplices.n_top:,} cells"

    @property
    def _kind_text(self) -> str:
        return f"a mesh of dimension {self.dimension}"

    def _drawn(self) -> Any:
        """Return the mesh as a pyvista.UnstructuredGrid, with the user's points."""
        simplices = self.simplices
        with self.session.call(None, PART):
            cells = simplices.point_of[simplices.corners_of(self.dimension, slice(None))]
        return cells_of(self.points, cells)

    def plot(self, plotter: Any = None) -> Any:
        """Draw the surface of the mesh with its edges, with PyVista, and return the plotter."""
        return draw_mesh(plotter, self._drawn())

    _has_own_class = True  # of a closed mesh

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Numbers of simplices per dimension, without unused points."""
        with self.session.call(None, PART):
            return self.simplices.counts[: self.dimension + 1]

    @property
    def euler_characteristic(self) -> int:
        """Alternating sum of the counts."""
        return euler_characteristic(self.counts)

    # === relations
    def relation(self, name: str, *, ids: str = "user") -> Relation:
        """Return one of the sixteen relations.

        Parameters
        ----------
        name : two letters of V, E, F, T
            Types of the rows and of the items: "VT" lists the tetrahedra of each vertex.
        ids : "user" or "mesh"
            Whether points and cells have the user's ids or mesh ids, which need no translation.
            Edges and triangles always have mesh ids.
        """
        key = checked_key(name, ids, self.dimension)
        if key not in self._relations:
            self._relations[key] = Relation(self.incidence, key)
        return self._relations[key]

    def stream(
        self,
        *names: str,
        ids: str = "user",
        batch_bytes: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Batch]:
        """Yield batches of segments with rows of relations, prefetching the next batch.

        Example: ``for batch in mesh.stream("VV", "VT"): batch["VT"].items``. `batch_bytes` is the
        size of the rows of a batch, by default an eighth of all rows but at most 16 MiB (64 MiB on
        a GPU), and less if the mesh has a lower limit. `memory_limit` is the total size of all
        batches that exist at the same time.
        """
        keys = [checked_key(name, ids, self.dimension) for name in names]
        return stream(self.incidence, keys, batch_bytes, memory_limit, progress)

    def is_on_boundary(self, dimension: int = 0) -> Array:
        """Return whether each simplex lies on the boundary: (n,) bool, by id.

        The boundary consists of the facets of exactly one cell, and their faces. A cell is on the
        boundary if one of its facets is. Points and cells have the user's ids; dropped cells are
        False.
        """
        s, xp = self.simplices, self.session.device.xp
        with self.session.call(None, PART):
            found = self.boundary.is_on_boundary(dimension)
            if dimension == 0:
                found = found[s.vertex_of]
            elif dimension == self.dimension:
                found = xp.append(found, False)[s.tet_of]  # NONE is the last
            return self.session.result(found)

    def segment_of_points(self) -> Array:
        """Return the segment of each of the user's points: (V,) int32."""
        with self.session.call(None, PART):
            return self.session.result(self.segments.of_vertices(self.simplices.vertex_of))

    def segment_of_cells(self) -> Array:
        """Return the segment that owns each of the user's cells, (n_cells,) int32, or NONE."""
        s, xp = self.simplices, self.session.device.xp
        with self.session.call(None, PART):
            owner = self.segments.of_vertices(xp.ascontiguousarray(s.tets[:, 0]))
            return self.session.result(xp.append(owner, np.int32(-1))[s.tet_of])

    def external_cells(self, k: int) -> Array:
        """Return the ascending ids of cells that touch segment `k` but belong to another one."""
        s, xp, n = self.simplices, self.session.device.xp, len(self.segments)
        k = checked_whole(k, "k", 0, n - 1)
        first, last = self.segments.host_starts[k : k + 2].tolist()
        with self.session.call(None, PART):
            begin, end = int(s.star_begin[first]), int(s.star_begin[last])
            touching = xp.unique(s.star_tets[begin:end])
            others = touching[s.tets[touching, 0] < first]
            return self.session.result(xp.sort(s.cell_of[others]))

    @property
    def edges(self) -> Array:
        """The user's points (E, 2) int32 of each edge, by mesh id."""
        return self.relation("EV").to_table()

    @property
    def triangles(self) -> Array:
        """The user's points (F, 3) int32 of each triangle, by mesh id or by the user's cell."""
        return self.relation("FV").to_table()

    # === statistics of unusual input
    @cached_property
    def n_components(self) -> int:
        """Number of connected components of the complex."""
        with self.session.call(None, PART):
            edges, n = to_host(self.simplices.corners_of(1, slice(None))), self.simplices.n_vertices
            name = np.empty(n, np.int32)
            self.session.host.run("name_sets", edges, len(edges), name, n)
            used = to_host(self.simplices.is_used)
            return int(np.count_nonzero((name == np.arange(n)) & used))

    @property
    def n_unused(self) -> int:
        """Number of points without cells, which are not in the complex."""
        return self.simplices.n_vertices - self.counts[0]

    @cached_property
    def n_coincident(self) -> int:
        """Number of points at the position of an earlier point."""
        points = to_host(self._points.values) + 0.0  # -0 is 0
        return len(points) - len(np.unique(points, axis=0))
