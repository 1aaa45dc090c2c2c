"""The two kinds of mesh that users make: of tetrahedra, and of triangles."""

from __future__ import annotations

import numpy as np

from ...device.base import Array
from ...lazy import cached_property
from .simplicial_mesh import PART, SimplicialMesh


class TetMesh(SimplicialMesh):
    """A mesh of tetrahedra and the relations between its vertices, edges, triangles and cells.

    Parameters
    ----------
    points : array (V, 3) of float32 or float64
        Finite. Points of no cell keep their ids and have empty rows; they are not in the complex.
    cells : array (T, 4) of integers
        Four different points of each tetrahedron, in any order. No two tetrahedra are the same.
    segment_size : int
        Vertices of a segment at most.
    segments : None or "octree", "runs", or array (V,) of integers
        Leaves of an octree, runs of `segment_size` vertices, or the segment of each point. The
        first two number everything alike; ids depend on a given one.
    device, threads, memory_limit, progress
        As in :func:`separatrix.morse_smale`. A mesh for which a GPU has too little memory, or is
        allowed too little, stays on the host; :meth:`stream` and :meth:`machine` make its relations
        on the GPU part by part.
    on_duplicates : "error" or "drop"
        What to do with cells that are there twice, have a point twice or one out of range. Of
        equal ones the first stays.

    Raises
    ------
    InputError
        Points that are not finite, and cells with points out of range, with one point twice, or
        there twice; the message names the first and their number.
    DeviceUnavailable, DeviceMemoryError
        As for :func:`separatrix.morse_smale`.

    Notes
    -----
    O(V log V + T log T) for the orders; edges, triangles and relations are made when they are asked
    for, segment by segment: Liu, Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025; Liu, Iuricich et
    al., "TopoCluster", IEEE TVCG 2023.

    Examples
    --------
    >>> import numpy as np
    >>> import separatrix as sx
    >>> points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    >>> mesh = sx.TetMesh(points, [[0, 1, 2, 3], [1, 2, 3, 4]], device="cpu")
    >>> mesh.relation("VT")[4].tolist(), mesh.counts
    ([1], (5, 9, 7, 2))
    """

    dimension = 3

    @cached_property
    def n_flat(self) -> int:
        """Tetrahedra whose volume is zero as float64 computes it."""
        s = self.simplices
        with self.session.call(None, PART):
            is_flat = self.session.device.empty(s.n_top, np.uint8)
            self.session.launch(
                "find_flat_tets", s.n_top, self._points.values, s.point_of, s.tets, is_flat
            )
            return int(is_flat.sum(dtype=np.int64))

    @cached_property
    def crowded_triangles(self) -> Array:
        """Mesh ids of the triangles that have three and more tetrahedra, int64."""
        with self.session.call(None, PART):
            return self.session.result(self.incidence.crowded_triangles)


class TriangleMesh(SimplicialMesh):
    """A mesh of triangles in the plane or in space; its parameters are those of :class:`TetMesh`.

    points : array (V, 2) or (V, 3); cells : array (T, 3) of integers. Relations are those of V,
    E and F, the triangles being the user's cells.
    """

    dimension = 2
