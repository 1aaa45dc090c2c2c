"""V-paths of a gradient whose edges and triangles are not stored, from the cells around points.

Ids of edges and triangles follow from the cells around their lowest vertex
(kernels/simplicial/star_trie.h, star_forests.h, star_surfaces.h). A mesh with a point that has too
many neighbors above it stores its edges and triangles instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import Array
from ...lazy import cached_property
from .pairing import SimplicialPairing

STAR_PATH_STEPS = (
    "mark_star_triangles_from_saddles",
    "mark_star_triangles_from_queue",
    "mark_star_triangles_again",
    "link_star_path_nodes",
)


class StarPairing(SimplicialPairing):
    """A :class:`SimplicialPairing` of a mesh on the host without edges and triangles."""

    @property
    def path_steps(self) -> tuple[tuple[str, str, str, str], tuple[Array, ...]]:
        trie = self.simplices.star_trie
        return super().path_steps if trie is None else (STAR_PATH_STEPS, trie)

    @property
    def ascent_steps(self) -> tuple[str, tuple[Any, ...]]:
        trie = self.simplices.star_trie
        return super().ascent_steps if trie is None else ("fill_star_ascents", trie)

    def falling_steps(self) -> tuple[str, tuple[Any, ...]]:
        trie = self.simplices.star_trie
        if trie is None:
            return super().falling_steps()
        return "expand_falling_by_stars", (*trie, self.up(1))

    def rising_steps(self) -> tuple[str, tuple[Any, ...]]:
        trie = self.simplices.star_trie
        if trie is None:
            return super().rising_steps()
        return "expand_rising_by_stars", (*trie, self.codes_of[2])

    def polygon_steps(self, edges: Array) -> tuple[tuple[str, str], tuple[Any, ...]]:
        trie = self.simplices.star_trie
        if trie is None:
            return super().polygon_steps(edges)
        kernels = ("measure_polygons_by_stars", "draw_polygons_by_stars")
        return kernels, (*trie, self.up(1), edges)

    def corners_of(self, dimension: int, ids: Array) -> Array:
        trie = self.simplices.star_trie
        if dimension == 0 or trie is None:
            return super().corners_of(dimension, ids)
        if dimension == self.dimension:
            return np.ascontiguousarray(self.simplices.tets[ids, : dimension + 1])
        ids = ids.astype(np.int32, copy=False)
        corners = np.empty((ids.size, dimension + 1), np.int32)
        self.session.launch("find_star_corners", ids.size, *trie, dimension, ids, corners)
        return corners

    def _cofacets(self, dimension: int) -> Array:
        trie = self.simplices.star_trie
        if trie is None:
            return super()._cofacets(dimension)
        if dimension == 0:
            return self._paired_vertices[0]
        with self.session.call(None, {}):
            up = self.session.device.unset(self.codes_of[dimension].size, np.int32)
            codes, n = self.codes_of[dimension + 1], self.simplices.n_vertices
            if dimension == 1:
                self.session.launch("pair_edges_by_stars", n, *trie, codes, up)
            else:
                self.session.launch(
                    "pair_facets_by_stars", codes.size, *trie, self.dimension, codes, up
                )
            return up

    @cached_property
    def _paired_vertices(self) -> tuple[Array, Array]:
        """The edge (V,) int32 that each vertex is paired with, and its other end, or -1."""
        trie, n = self.simplices.star_trie, self.simplices.n_vertices
        assert trie is not None
        up, forest = (self.session.device.unset(n, np.int32) for _ in range(2))
        with self.session.call(None, {}):
            codes = self.extremum_codes[1]
            self.session.launch("pair_vertices_by_stars", n, *trie, codes, up, forest)
        return up, forest

    def extremum_forest(self, index: int) -> Array:
        mesh, session = self.simplices, self.session
        if not index:
            has_stars = mesh.star_trie is not None
            return self._paired_vertices[1] if has_stars else super().extremum_forest(0)
        forest = np.empty(mesh.n_top, np.int32)
        model = (index, self.extremum_codes[index], *mesh.stars)
        session.launch("link_tops_across", forest.size, *model, forest)
        return forest
