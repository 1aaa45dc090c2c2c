"""The first piece simplifies and draws the whole complex; labels of its levels stay divided."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import rough_and_smooth
from separatrix.complexes.cubical.grid import ImageOptions
from separatrix.pieces.complex import piece_of
from separatrix.pieces.exchange import Exchange, in_threads
from separatrix.pieces.whole import LevelLabels, whole_on_first

KINDS = ("descending", "ascending", "morse_smale")


def assert_equal(found: Any, expected: Any) -> None:
    for name, column in vars(expected).items():
        np.testing.assert_array_equal(
            sx.to_host(getattr(found, name)), sx.to_host(column), err_msg=name
        )


@pytest.mark.parametrize("shape", [(13, 9, 8), (17, 12), (1, 21, 6), (30,)])
@pytest.mark.parametrize(
    "options", [{}, {"periodic": True}, {"mask": "half"}], ids=["plain", "periodic", "masked"]
)
def test_a_complex_on_the_first_piece_is_that_of_the_whole(device, shape, options):
    options = {**options}
    if "mask" in options:
        options["mask"] = np.random.default_rng(2).random(shape) < 0.8
    for values in rough_and_smooth(shape, 5):
        raw = sx.morse_smale(values, device="cpu", **options)
        for level in (0.0, 0.3):
            expected = raw.simplify(level, rematch_saddles=True)

            def program(
                others: Exchange, values: np.ndarray = values, level: float = level
            ) -> tuple[Any, ...]:
                image = ImageOptions(device=device, threads=1, **options)
                piece = piece_of(others, values, None, image)
                whole = whole_on_first(piece)
                simple = whole and whole.simplify(level, rematch_saddles=True)
                labels = LevelLabels(piece, simple)
                of_vertices = [sx.to_host(labels.segmentation(kind)) for kind in KINDS]
                return simple, [*of_vertices, sx.to_host(labels.cells())], labels.counts

            number = min(3, next(n for n in shape if n > 1))
            (found, *others), parts, counts = zip(*in_threads(number, program), strict=True)
            assert not any(others)
            assert set(counts) == {expected.critical.counts}
            assert_equal(found.critical, expected.critical)
            assert_equal(found.arcs, expected.arcs)
            assert_equal(found.persistence_pairs, expected.persistence_pairs)
            assert_equal(found.simplified_field(), expected.simplified_field())
            for kind in (*KINDS[:2], "saddle")[: len(shape)]:
                lines = expected.separatrices(1, kind)
                assert_equal(found.separatrices(1, kind), lines)
            if len(shape) == 3 and shape[0] > 1:
                surfaces = expected.separatrices(2, "descending")
                assert_equal(found.separatrices(2, "descending"), surfaces)
            axis = next(i for i, n in enumerate(shape) if n > 1)
            *of_vertices, of_cells = (
                np.concatenate(each, axis) for each in zip(*parts, strict=True)
            )
            for kind, labels in zip(KINDS, of_vertices, strict=True):
                np.testing.assert_array_equal(labels, sx.to_host(expected.segmentation(kind)))
            labels = sx.to_host(expected.cell_labels())
            of_cells = of_cells.reshape((1, 1, *shape)[-3:])[tuple(map(slice, labels.shape))]
            np.testing.assert_array_equal(of_cells, labels)
