"""V-paths among vertices beyond 2^31 are those of the same gradient in a small image.

The small gradient is in the last layers of a large image, whose other layers have no cells. Their
words are zeros, which take no memory until they are written.
"""

from dataclasses import replace

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import rough_and_smooth
from separatrix.complexes.cubical.gradient import CubicalGradient
from separatrix.complexes.cubical.lower_star import CriticalList
from separatrix.complexes.cubical.slabs import doubled_layer
from separatrix.morse.connectors.table import Connectors

SHAPE = (12, 7, 6)
N_LAYERS = 2**31 // 42 + 1000


def moved(small: CubicalGradient) -> tuple[CubicalGradient, int]:
    """The gradient in the last layers of a large image, and the shift of its cell ids."""
    nx, ny, nz = small.grid.dimensions
    grid = replace(small.grid, dimensions=(nx, ny, N_LAYERS))
    assert grid.is_large
    shift = (N_LAYERS - nz) * doubled_layer(grid)
    words = np.zeros(grid.n_vertices, np.uint32)
    words[-small.words.size :] = small.words.reshape(-1)
    columns = (small.owner_vertices, small.owner_values, small.owner_levels)
    critical = CriticalList(small.counts, small.critical_ids + shift, *columns)
    return CubicalGradient(small.session, replace(small.field, grid=grid), words, critical), shift


def lines_of(
    gradient: CubicalGradient, kind: str, connectors: Connectors
) -> tuple[np.ndarray, ...]:
    """Cells of lines, their offsets, and where they lead."""
    if kind == "saddle":
        (_, cells, _, offsets), numbers = gradient.draw_connectors(connectors)
        return cells, offsets, numbers
    arcs = gradient.extremum_arcs(kind)
    _, cells, _, offsets = gradient.draw_extremum_arcs(arcs, kind)
    return cells, offsets, arcs.extremum


@pytest.mark.parametrize("number", range(3))
def test_lines_and_surfaces_beyond_2_to_the_31_are_those_of_a_small_image(number):
    complex = sx.morse_smale(rough_and_smooth(SHAPE, 11)[number], device="cpu", threads=1)
    assert complex.arcs.upper.size
    small, connectors = complex._gradient, complex._connectors()
    large, shift = moved(small)
    with small.session.call(None, {}):
        for kind in ("descending", "ascending", "saddle"):
            cells, *rest = lines_of(small, kind, connectors)
            found, *others = lines_of(large, kind, connectors)
            np.testing.assert_array_equal(found, cells + shift)
            for one, other in zip(rest, others, strict=True):
                np.testing.assert_array_equal(one, other)
        for kind, index in (("descending", 2), ("ascending", 1)):
            rows = np.flatnonzero(complex.critical.index == index)
            found, expected = (
                one.trace_surfaces(kind, rows, lambda part: None) for one in (large, small)
            )
            np.testing.assert_array_equal(found.polygon_cell_id, expected.polygon_cell_id + shift)
            inner = (
                np.s_[:] if kind == "descending" else expected.cell_id >= doubled_layer(small.grid)
            )
            np.testing.assert_array_equal(found.cell_id[inner], expected.cell_id[inner] + shift)
            np.testing.assert_array_equal(found.source, expected.source)


@pytest.mark.long
def test_levels_beyond_2_to_the_31_are_those_of_a_small_image():
    """It takes 4 GB."""
    complex = sx.morse_smale(rough_and_smooth(SHAPE, 11)[0], device="cpu", threads=1)
    small, pairs = complex._gradient, complex.persistence_pairs
    of_saddles = (pairs.dimension == 1) & (pairs.death_row >= 0)
    persistence, host, found = pairs.persistence[of_saddles], small.session.host, []
    order = np.argsort(persistence, kind="stable")
    for gradient in (small, moved(small)[0]):
        n, extents = gradient.grid.n_vertices, gradient.grid.extents
        cells = [
            gradient.critical_ids[rows[of_saddles][order]]
            for rows in (pairs.death_row, pairs.birth_row)
        ]
        words, keys, sizes = np.zeros(n, np.uint32), np.zeros(n, np.uint32), np.zeros(3, np.int64)
        words[-small.words.size :] = small.words.reshape(-1)
        rows = [np.arange(order.size, dtype=np.uint32) for _ in range(2)]
        given = (*rows, persistence[order], np.empty(0), np.empty(0), 0, 2, sizes)
        model = (extents, words, keys, 0, 0, *cells, order.size)
        log = host.run("cancel_grid_saddles", *model, *given)
        n_events, n_turned, n_tried = sizes.tolist()
        columns = [np.empty(n_events, np.int32) for _ in range(3)]
        turned = np.empty(n_turned, np.uint64)
        tries = [np.empty(n_tried, dtype) for dtype in (np.int32, np.uint32, np.uint8)]
        host.run("take_saddle_log", log, *columns, turned, *tries)
        del words, keys
        turned.sort()
        level = np.zeros(n, np.uint32)
        level[-small.words.size :] = small.words.reshape(-1)
        replayed = (extents, gradient.words.reshape(-1), turned, n_turned, n_events // 2, level)
        host.launch("replay_turns", n_turned, *replayed)
        found.append([*columns, *tries, level[-small.words.size :].copy()])
    assert found[0][0].size > 50
    assert (found[0][-1] != small.words.reshape(-1)).any()
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
