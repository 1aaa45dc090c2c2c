"""The Morse-Smale complex of a field on a mesh: what a user holds, and how its parts are made."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from ...arguments import checked_flag
from ...device.base import Array
from ...device.session import Progress
from ...errors import InputError
from ...homology import PersistenceDiagram
from ...lazy import cached_property
from ...morse.cache import Parts
from ...morse.complex_base import ComplexBase, Drawing
from ...morse.level import checked_level, part_of
from ...morse.persistence import checked_dimensions, pair_gradient
from ..cubical.critical import CriticalCells
from ..cubical.separatrices import Separatrices
from .cache import MeshParts
from .flow import MeshFlow
from .gradient import MeshGradient
from .lines import draw_connector_lines, draw_extremum_lines
from .simplicial_mesh import SimplicialMesh
from .surfaces import MeshSurfaces, draw_surfaces

DRAWING = Drawing(
    ("lines",), "tetrahedra", draw_extremum_lines, draw_connector_lines, draw_surfaces
)
RAW_SHARE = 0.4  # of the time of a simplified complex
GRADIENT_SHARE = 0.5  # of that of a diagram


class CriticalSimplices(CriticalCells):
    """Critical simplices, sorted by (index, cell id): as the critical cells of an image.

    ``cell_id`` is the user's id of a point (index 0) or a cell (the mesh's dimension), the mesh id
    of an edge or inner triangle; ``vertex`` is a point of the user's, ``position`` the barycenter.
    The Euler characteristic is that of the mesh.
    """


def mesh_morse_smale(
    mesh: SimplicialMesh,
    values: Any,
    *,
    persistence: float = 0.0,
    relative: bool = False,
    progress: Progress | None = None,
) -> MeshMorseSmaleComplex:
    """Morse-Smale complex of `values` (V,), one a point of a mesh.

    The discrete gradient and the critical simplices are computed at once, the rest when it is asked
    for, and then kept. `persistence` cancels all pairs of less persistence, in the unit of the
    values, or as a fraction of their range if `relative`.

    Raises InputError for values that are not one finite number a point, and for a mesh that is no
    manifold: a facet with three cells.
    """
    checked_level(persistence, relative)
    raw_part = part_of(progress, 0.0, RAW_SHARE) if persistence else progress
    raw = MeshMorseSmaleComplex(mesh, mesh.discrete_gradient(values, progress=raw_part))
    if not persistence:
        return raw
    return raw.simplify(persistence, relative=relative, progress=part_of(progress, RAW_SHARE, 1.0))


def mesh_persistence_diagram(
    mesh: SimplicialMesh,
    values: Any,
    *,
    dimensions: Any = None,
    zero_persistence: bool = False,
    progress: Progress | None = None,
) -> PersistenceDiagram:
    """Persistence diagram of the sublevel sets of `values` (V,) on a mesh: lower-star filtration.

    `dimensions`: 0 pieces, 1 tunnels, 2 voids, all by default; `zero_persistence` keeps pairs whose
    two values are equal. Birth and death cells are named as in :class:`CriticalSimplices`.

    Raises InputError as :func:`mesh_morse_smale` does; dimension 0 alone needs no manifold.
    """
    wanted = checked_dimensions(dimensions)
    zero_persistence = checked_flag(zero_persistence, "zero_persistence")
    if min(wanted) > mesh.dimension:
        raise InputError(
            f"dimensions must be at most {mesh.dimension}, that of the mesh, got "
            f"{', '.join(map(str, sorted(wanted)))}"
        )
    first = part_of(progress, 0.0, GRADIENT_SHARE)
    gradient = mesh.discrete_gradient(values, progress=first)
    with mesh.session.call(None, {}):
        flow = MeshFlow(mesh, gradient)
    return pair_gradient(flow, wanted, zero_persistence, part_of(progress, GRADIENT_SHARE, 1.0))


class MeshMorseSmaleComplex(ComplexBase):
    """Critical simplices, segmentations, separatrices, graph and persistence of a field on a mesh.

    Made by :func:`mesh_morse_smale`, and by :meth:`simplify` from another. Labels count extrema in
    the order of ``critical``: label k is the k-th minimum or maximum, -1 is out of the mesh.
    """

    _parts: MeshParts

    def __init__(
        self,
        mesh: SimplicialMesh,
        gradient: MeshGradient | None = None,
        *,
        _parts: MeshParts | None = None,
        _level: float = 0.0,
    ):
        if _parts is None:
            assert gradient is not None
            with mesh.session.call(None, {}):
                _parts = MeshParts(MeshFlow(mesh, gradient))
                _ = _parts.gradient.sides  # refuses what is no manifold
        super().__init__(_parts, _level)
        self.mesh = mesh

    def _at(self, parts: Parts, level: float) -> MeshMorseSmaleComplex:
        assert isinstance(parts, MeshParts)
        return MeshMorseSmaleComplex(self.mesh, _parts=parts, _level=level)

    @property
    def _size(self) -> str:
        return f"{self.mesh.simplices.n_top:,} cells"

    @property
    def _domain(self) -> str:
        return f"a mesh of dimension {self.mesh.dimension}"

    @property
    def gradient(self) -> MeshGradient:
        """The discrete gradient, with V-paths reversed where pairs are canceled."""
        return self._parts.gradient.gradient

    @cached_property
    def critical(self) -> CriticalSimplices:
        """The critical simplices, sorted by (index, cell id)."""
        flow, xp = self._parts.gradient, self._parts.session.device.xp
        result = flow.session.result
        with flow.session.call(None, {}):
            ids = [flow.ids_of(index) for index in range(4)]
            dimensions = range(flow.dimension + 1)
            rim = [self.mesh.incidence.is_on_boundary(d)[ids[d]] for d in dimensions]
            index = np.repeat(np.arange(4, dtype=np.int8), flow.counts)
            return CriticalSimplices(
                cell_id=result(flow.cell_ids),
                index=result(flow.session.upload(index)),
                value=result(flow.owner_values),
                vertex=result(flow.owner_vertices.astype(np.int64)),
                position=result(xp.concatenate([flow.centers(d, ids[d]) for d in dimensions])),
                on_boundary=result(xp.concatenate(rim)),
                counts=flow.counts,
            )

    def cell_labels(self, *, progress: Progress | None = None) -> Array:
        """The maximum that each of the user's cells ascends to: (n_cells,) int32, -1 out.

        These labels are exact; a point can only take that of one of its cells.
        """
        name = "labels of cells"
        stages = {name: 3.0, **self._parts.stage_of_level(name)}
        compute = self._parts.labels_of_cells
        return self._result(name, lambda: self._parts.session.result(compute()), progress, stages)

    # === geometry
    @overload
    def separatrices(
        self,
        dimension: Literal[1] = 1,
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> Separatrices: ...

    @overload
    def separatrices(
        self,
        dimension: Literal[2],
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> MeshSurfaces: ...

    @overload
    def separatrices(
        self,
        dimension: int,
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> Separatrices | MeshSurfaces: ...

    def separatrices(
        self,
        dimension: int = 1,
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> Separatrices | MeshSurfaces:
        """Separatrices: lines between critical simplices, or surfaces about saddles of tetrahedra.

        Parameters
        ----------
        dimension : 1 or 2
            1: polylines through barycenters. 2: polygons, of tetrahedral meshes only.
        kind : "descending", "ascending" or "saddle"
            Lines lead from 1-saddles down to minima, from saddles of the highest index up to
            maxima, or, of tetrahedra, from 1-saddles to 2-saddles. Surfaces spread from 2-saddles
            down (triangles of the mesh), or from 1-saddles up (polygons round edges).
        sources : (s,) integers, optional
            Surfaces of these saddles alone, rows of ``critical``.

        Returns
        -------
        Separatrices if `dimension` is 1, MeshSurfaces if it is 2.
        """
        return self._separatrices(DRAWING, dimension, kind, sources, progress)
