"""The first piece simplifies and draws the whole complex; labels of its levels stay divided."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.fields import any_order, any_small_fields, many, rough_and_smooth
from oracles.pieces import assert_same, level_of, together
from separatrix.complexes.cubical.grid import ImageOptions
from separatrix.pieces.exchange import Exchange, in_threads
from separatrix.pieces.ranked import piece_of
from separatrix.pieces.whole import level_from_first, whole_on_first

KINDS = ("descending", "ascending", "morse_smale")


def assert_labels(level: sx.MorseSmaleComplex, parts: Any, shape: tuple[int, ...]) -> None:
    """The segmentations and the cell labels of all pieces are those of the level of the image."""
    axis = next(i for i, n in enumerate(shape) if n > 1)
    *of_vertices, of_cells = (np.concatenate(each, axis) for each in zip(*parts, strict=True))
    for kind, labels in zip(KINDS, of_vertices, strict=True):
        np.testing.assert_array_equal(labels, sx.to_host(level.segmentation(kind)))
    labels = sx.to_host(level.cell_labels())
    of_cells = of_cells.reshape((1, 1, *shape)[-3:])[tuple(map(slice, labels.shape))]
    np.testing.assert_array_equal(of_cells, labels)


def results_of(found: sx.MorseSmaleComplex) -> dict[str, np.ndarray]:
    """Everything except labels."""
    dimension = found.gradient.dimension
    tables = [("critical", found.critical), ("arcs", found.arcs)]
    tables.append(("pairs", found.persistence_pairs))
    tables.append(("field", found.simplified_field()))
    for kind in (*KINDS[:2], "saddle")[:dimension]:
        tables.append((kind, found.separatrices(1, kind)))
    if dimension == 3:
        tables.append(("surfaces", found.separatrices(2, "descending")))
    return {
        f"{name} {column}": sx.to_host(array)
        for name, table in tables
        for column, array in vars(table).items()
    }


@pytest.mark.parametrize("shape", [(13, 9, 8), (17, 12), (1, 21, 6), (30,)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"periodic": True},
        {"mask": "half"},
        {"mask": "end"},
        {"order": "ranks"},
        {"is_large": True},
        {"is_large": True, "mask": "half", "order": "ranks"},
    ],
    ids=[
        "plain",
        "periodic",
        "masked",
        "masked at the end",
        "ordered",
        "large",
        "large and masked",
    ],
)
def test_a_complex_on_the_first_piece_is_that_of_the_whole(device, monkeypatch, shape, options):
    options = {**options}
    is_large = options.pop("is_large", False)
    random = np.random.default_rng(2)
    if "mask" in options:
        at_end = np.ones(shape, bool)  # all voxels of the other pieces are valid
        at_end.flat[-1] = False
        options["mask"] = at_end if options["mask"] == "end" else random.random(shape) < 0.8
    is_ordered = options.pop("order", None) is not None
    for values in rough_and_smooth(shape, 5):
        order = any_order(values, random) if is_ordered else "index"
        raw = sx.morse_smale(values, order=order, device="cpu", **options)
        for level in (0.0, 0.3):
            expected = results_of(raw.simplify(level, rematch_saddles=True))

            def program(
                others: Exchange,
                values: np.ndarray = values,
                level: float = level,
                order: Any = order,
            ) -> tuple[Any, ...]:
                image = ImageOptions(device=device, threads=1, **options)
                piece = piece_of(others, values, None, image, order=order)
                whole = whole_on_first(piece)
                simple = whole and whole.simplify(level, rematch_saddles=True)
                labels = level_from_first(piece, simple)
                of_vertices = [sx.to_host(labels.segmentation(kind)) for kind in KINDS]
                found = simple and results_of(simple)
                of_cells = sx.to_host(labels.cell_labels())
                return found, [*of_vertices, of_cells], labels.persistence

            number = min(3, next(n for n in shape if n > 1))
            with monkeypatch.context() as lowered:
                if is_large:
                    most = values.size * 4 // 5
                    lowered.setattr("separatrix.complexes.cubical.grid.MAX_VERTICES", most)
                (found, *others), parts, levels = zip(*in_threads(number, program), strict=True)
            assert not any(others)
            simple = raw.simplify(level, rematch_saddles=True)
            assert set(levels) == {simple.persistence}
            assert found.keys() == expected.keys()
            for name, column in expected.items():
                np.testing.assert_array_equal(found[name], column, err_msg=name)
            assert_labels(simple, parts, shape)


def assert_same_level(
    values: np.ndarray, number: int, threshold: float, device: str, **options: Any
) -> sx.MorseSmaleComplex:
    """A level of pieces has the bits of the level of the whole image, which is returned."""
    level = sx.morse_smale(values, device="cpu", **options).simplify(threshold)
    expected = level_of(level, np.arange(len(level.critical)))

    def program(others: Exchange) -> tuple[Any, ...]:
        image = ImageOptions(device=device, threads=1, **options)
        found = piece_of(others, values, None, image).simplify(threshold)
        labels = [sx.to_host(found.segmentation(kind)) for kind in KINDS]
        labels.append(sx.to_host(found.cell_labels()))
        results = level_of(found, found.rows)
        return results, found.counts, found.skipped_counts, labels

    results, counts, skipped, parts = zip(*in_threads(number, program), strict=True)
    assert_same(together(results), together([expected]))
    assert set(counts) == {level.gradient.counts}
    expected_skipped = level.skipped.counts if threshold else dict.fromkeys(skipped[0], 0)
    assert all(one == expected_skipped for one in skipped)
    assert_labels(level, parts, values.shape)
    return level


@pytest.mark.parametrize("shape", [(13, 9, 8), (9, 6, 7), (17, 12), (1, 21, 6)])
@pytest.mark.parametrize("options", [{}, {"periodic": True}, {"mask": "half"}], ids=str)
def test_a_level_of_pieces_is_that_of_the_whole_image(device, shape, options):
    random = np.random.default_rng(6)
    options = {**options}
    if "mask" in options:
        options["mask"] = random.random(shape) < 0.8
    n_layers, n_skipped = next(n for n in shape if n > 1), 0
    for values in (*rough_and_smooth(shape, 5), random.integers(0, 6, shape, np.int16)):
        for number, threshold in ((1, 0.25), (2, 0.6), (3, 3.0), (n_layers, np.inf), (2, 0.0)):
            level = assert_same_level(values, number, threshold, device, **options)
            n_skipped += len(level.skipped) if threshold else 0
    assert n_skipped or "mask" in options or level.gradient.dimension < 3


@many(20)
@given(any_small_fields().filter(lambda values: sum(n > 1 for n in values.shape) > 1))
def test_a_level_of_pieces_of_one_layer_is_that_of_the_whole_image(device, values):
    number = next(n for n in values.shape if n > 1)
    pairs = sx.morse_smale(values, device="cpu").persistence_pairs
    finite = pairs.persistence[np.isfinite(pairs.persistence)]
    for threshold in (np.inf, float(np.median(finite)) if finite.size else 1.0):
        assert_same_level(values, number, threshold, device)


@pytest.mark.parametrize("number", [2, 3, 4, 16])
def test_reversed_paths_cross_many_cuts(device, number):
    for values in rough_and_smooth((17, 9, 8), 7):
        assert_same_level(values, number, 0.5, device)
    values = np.random.default_rng(16).integers(0, 2, (24, 9, 9)).astype(np.float32)
    level = assert_same_level(values, number, 0.5, device)
    assert sx.to_host(level.arcs.multiplicity).max() > 40


def test_levels_of_a_piece_share_what_they_exchange(device):
    values = rough_and_smooth((13, 9, 8), 5)[0]

    def program(others: Exchange) -> Any:
        piece = piece_of(others, values, None, ImageOptions(device=device, threads=1))
        return [level_of(found := piece.simplify(t), found.rows) for t in thresholds]

    thresholds = (0.6, 0.2, 0.4)
    every = zip(*in_threads(3, program), strict=True)
    for threshold, found in zip(thresholds, every, strict=True):
        level = sx.morse_smale(values, device="cpu").simplify(threshold)
        multiplicity = np.concatenate([part["arcs multiplicity"] for part in found])
        assert multiplicity.sum() == sx.to_host(level.arcs.multiplicity).sum()


def test_lines_that_pieces_do_not_have_are_rejected():
    piece = sx.morse_smale_piece(np.zeros((3, 3, 3)))
    for found in (piece, piece.simplify(1.0)):
        with pytest.raises(sx.InputError, match="dimension must be 1 in pieces; got 2"):
            found.separatrices(2, "descending")
        with pytest.raises(sx.InputError, match="kind must be one of ascending, descending"):
            found.separatrices(1, "saddle")


def test_a_level_of_a_line_in_pieces_is_rejected():
    with pytest.raises(sx.InputError, match="at least two dimensions for a level in pieces"):
        sx.morse_smale_piece([0.0, 5.0, 4.0, 9.0, 1.0]).simplify(2.0)
