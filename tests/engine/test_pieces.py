"""The pieces of a complex, in threads and ranks of MPI, have the bits of the complex as a whole."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from benchmarks.measure import cut_into
from oracles.fields import (
    Field,
    any_order,
    any_small_fields,
    many,
    noise_fields,
    rough_and_smooth,
)
from oracles.pieces import assert_same, level_of, parts_of, results_of, together, whole
from separatrix.complexes.cubical.grid import ImageOptions
from separatrix.pieces.exchange import Exchange, in_threads
from separatrix.pieces.ranked import piece_of

FOLDER = Path(__file__).parent


def in_pieces(
    values: Field, number: int, device: str, *, order: Any = "index", **options: Any
) -> dict[str, np.ndarray]:
    image = ImageOptions(device=device, threads=1, **options)

    def program(others: Exchange) -> dict[str, np.ndarray]:
        return parts_of(piece_of(others, values, None, image, order=order))

    return together(in_threads(number, program))


def layers_of(values: Field) -> int:
    """Number of layers along the first axis longer than 1, along which pieces divide an image."""
    return next((n for n in values.shape if n > 1), 1)


@many(40)
@given(any_small_fields())
def test_pieces_of_one_layer_have_the_bits_of_the_whole(device, values):
    assert_same(in_pieces(values, layers_of(values), device), whole(values))


@pytest.mark.parametrize("seed", range(3))
def test_pieces_of_any_thickness_have_the_bits_of_the_whole(device, seed):
    random = np.random.default_rng(seed)
    for values in noise_fields(15, seed):
        number = int(random.integers(1, layers_of(values) + 1))
        assert_same(in_pieces(values, number, device), whole(values))


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((11, 12, 10), "float64"),
        ((9, 10, 11), "float16"),
        ((17, 4, 5), "float32"),
        ((3, 30, 2), "uint8"),
        ((16, 21), "int64"),
        ((20,), "bool"),
    ],
)
def test_long_paths_cross_many_cuts(device, shape, dtype):
    for values in rough_and_smooth(shape, 5):
        values = (values if dtype[0] in "fb" else 100 * (values + 1)).astype(dtype)
        expected = whole(values)
        for number in (2, 3, shape[0]):
            assert_same(in_pieces(values, number, device), expected)


@pytest.mark.parametrize(
    "periodic",
    [(True, False, False), (True, True, False), (False, False, True), (True, True, True)],
)
def test_axes_may_be_periodic(device, periodic):
    for levels in (3, 50, 30_000):
        values = np.random.default_rng(levels).integers(0, levels, (7, 6, 5), dtype=np.int32)
        expected = whole(values, periodic=periodic)
        for number in (1, 2, 4, 7):
            assert_same(in_pieces(values, number, device, periodic=periodic), expected)


@pytest.mark.parametrize("options", [{}, {"periodic": True}], ids=str)
def test_voxels_may_be_masked(device, options):
    random = np.random.default_rng(9)
    values = random.integers(0, 9, (8, 6, 5)).astype(np.float32)
    masks = random.random(values.shape) < 0.7, np.indices(values.shape)[0] > 4
    for mask in masks:
        expected = whole(values, mask=mask, **options)
        for number in (1, 3, 8):
            assert_same(in_pieces(values, number, device, mask=mask, **options), expected)
        with_nan = np.where(mask, values, np.nan)
        assert_same(in_pieces(with_nan, 4, device, nan="mask", **options), expected)


def test_masks_and_periods_apply_to_given_layers(device):
    random = np.random.default_rng(10)
    values = random.integers(0, 9, (9, 5, 6))
    options, mask = {"periodic": True}, random.random(values.shape) < 0.8
    bounds = (0, 1, 2, 7, 9)

    def program(others: Exchange) -> dict[str, np.ndarray]:
        own = slice(*bounds[others.rank : others.rank + 2])
        image = ImageOptions(device=device, threads=1, mask=mask[own], **options)
        return parts_of(piece_of(others, values[own], (own.start, own.stop), image))

    assert_same(together(in_threads(4, program)), whole(values, mask=mask, **options))


@pytest.mark.parametrize("options", [{}, {"periodic": True}, {"mask": "half"}], ids=str)
def test_ranks_may_order_equal_values(device, options):
    random = np.random.default_rng(12)
    values = random.integers(0, 4, (9, 6, 5)).astype(np.float32)
    options = {
        name: random.random(values.shape) < 0.7 if given == "half" else given
        for name, given in options.items()
    }
    ranks = any_order(values, random)
    expected = whole(values, order=ranks, **options)
    for dtype in (np.int32, np.uint64):
        order = ranks.astype(dtype)
        for number in (1, 3, 9):
            assert_same(in_pieces(values, number, device, order=order, **options), expected)
    bounds = (0, 1, 2, 7, 9)

    def program(others: Exchange) -> dict[str, np.ndarray]:
        own = slice(*bounds[others.rank : others.rank + 2])
        given = {name: part[own] if name == "mask" else part for name, part in options.items()}
        image = ImageOptions(device=device, threads=1, **given)
        run = own.start, own.stop
        return parts_of(piece_of(others, values[own], run, image, order=ranks[own]))

    assert_same(together(in_threads(4, program)), expected)


FEW = np.array([0, 0, 1, 1, 2, 2, 3, 3.0])


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        ([0, 1, 2, 3, 4, 5, 7, 7], "a permutation of 0 to 7; got ranks without 6. "),
        ([9, 1, 2, 3, 4, 5, -1, 7], "a permutation of 0 to 7; got ranks without 0 and 1 other. "),
        (
            [0, 1, 3, 2, 4, 6, 5, 7],
            "with the values; got rank 5 at value 3.0 and rank 6 at value 2.0",
        ),
        (
            [1, 2, 0, 3, 4, 5, 6, 7],
            "with the values; got rank 0 at value 1.0 and rank 1 at value 0.0",
        ),
        ([0, 1, 2, 3, 4, 5, 6], r"order must be an array of integers of shape \(8,\)"),
        (FEW, r"order must be an array of integers of shape \(8,\).* got dtype float64"),
        ("plateau", "order must be 'index', or ranks in all pieces; got 'plateau'"),
    ],
)
def test_ranks_of_pieces_are_checked_as_those_of_the_whole(order, sentence):
    def program(others: Exchange) -> None:
        with pytest.raises(sx.InputError, match=sentence):
            piece_of(others, FEW, None, ImageOptions(device="cpu"), order=order)

    for number in (1, 2, 3):
        in_threads(number, program)
    if isinstance(order, list) and len(order) == FEW.size:
        with pytest.raises(sx.InputError, match=sentence):
            sx.morse_smale(FEW, order=order, device="cpu")


def test_one_digest_for_any_division_of_an_image(device):
    values = rough_and_smooth((17, 9, 8), 7)[1]

    def digest(results: dict[str, np.ndarray]) -> str:
        found = sha256()
        for name, array in sorted(results.items()):
            found.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
        return found.hexdigest()

    digests = {digest(whole(values, threads=threads)) for threads in (1, 3)}
    for number in (1, 2, 3, 4, 16):
        digests.add(digest(in_pieces(values, number, device)))
        with cut_into(number):
            digests.add(digest(results_of(sx.morse_smale(values, device=device))))
        several = [device] + ["cpu"] * (number - 1)
        digests.add(digest(results_of(sx.morse_smale(values, devices=several))))
    assert len(digests) == 1


def test_pieces_are_placed_as_the_whole(device):
    values = np.random.default_rng(2).random((5, 4, 3))
    place = {"spacing": (2.0, 3.0, 0.5), "origin": (1.0, -1.0, 7.0)}
    assert_same(in_pieces(values, 3, device, **place), whole(values, **place))


def test_each_piece_reads_only_its_layers_and_their_neighbors(device):
    class Source:
        shape, read = (40, 3, 3), []

        def __getitem__(self, key: Any) -> Field:
            self.read.append((key[0].start, key[0].stop))
            return values[key]

    values = np.random.default_rng(3).random((40, 3, 3))
    assert_same(in_pieces(Source(), 4, device), whole(values))
    assert sorted(Source.read) == [(0, 12), (9, 22), (19, 32), (29, 40)]


@pytest.mark.parametrize(("shape", "own"), [((5, 2, 3), (2, 2, 3)), ((1, 5, 3), (1, 2, 3))])
def test_labels_have_the_shape_of_the_layers(shape, own):
    def program(others: Exchange) -> tuple[int, ...]:
        piece = piece_of(others, np.zeros(shape), None, ImageOptions(device="cpu"))
        return tuple(piece.segmentation("ascending").shape)

    assert in_threads(2, program)[1] == own


def test_pieces_may_be_given_layer_by_layer(device):
    values = np.random.default_rng(4).integers(0, 9, (9, 5, 6))
    bounds = (0, 1, 2, 7, 9)  # the neighbors of a thin piece have halos from beyond it

    def program(others: Exchange) -> dict[str, np.ndarray]:
        begin, end = bounds[others.rank : others.rank + 2]
        options = ImageOptions(device=device, threads=1)
        return parts_of(piece_of(others, values[begin:end], (begin, end), options))

    assert_same(together(in_threads(4, program)), whole(values))


def test_many_paths_between_two_saddles_are_counted_across_cuts(device):
    values = np.random.default_rng(16).integers(0, 2, (40, 12, 12)).astype(np.float32)
    expected = whole(values)
    assert expected["arcs multiplicity"].max() > 400
    for number in (2, 7, 40):
        assert_same(in_pieces(values, number, device), expected)


# === errors
BAD = np.zeros((6, 3, 3))
BAD[4, 1, 2] = np.nan


@pytest.mark.parametrize(
    ("values", "layers", "options", "sentence"),
    [
        (BAD, None, {}, r"values must be finite; got values\[4, 1, 2\] = nan"),
        (np.zeros((2, 3, 3)), None, {}, "an image of at least 3 layers, one for each of 3 pieces"),
        (np.zeros((6, 3)), (0, 6), {}, "layers must be consecutive runs from 0 on"),
        (np.zeros((6, 3)), (1, 2), {}, r"layers must be \(begin, end\), the run of the 6 layers"),
        (np.zeros((6, 3)), None, {"periodic": (False, False, True)}, "periodic must be"),
        (np.zeros((6, 3)), None, {"mask": np.ones((5, 3), bool)}, r"mask must be .* \(6, 3\)"),
        (np.zeros((6, 3)), None, {"mask": np.zeros((6, 3), bool)}, "All points of the image are"),
        (np.zeros((6, 3)), None, {"mask": np.ones((6, 3))}, "mask must be .*float64, shape"),
        (np.zeros((6, 3), np.longdouble), None, {}, "values must be of at most 8 bytes"),
        (np.zeros((6, 0)), None, {}, "values must be an array of shape"),
        (np.zeros((6, 3), complex), None, {}, "values must be real numbers"),
    ],
)
def test_an_error_of_one_piece_is_that_of_all(values, layers, options, sentence):
    errors = []

    def program(others: Exchange) -> None:
        with pytest.raises(sx.InputError, match=sentence) as caught:
            piece_of(others, values, layers, ImageOptions(device="cpu", **options))
        errors.append(str(caught.value))

    in_threads(3, program)
    assert len(errors) == 3
    assert len(set(errors)) == 1


def test_a_piece_that_is_canceled_ends_all():
    def program(others: Exchange) -> None:
        def cancel(fraction: float, stage: str) -> None:
            if others.rank == 1 and stage == "critical cells":
                raise sx.Canceled("enough")

        values, options = np.random.default_rng(1).random((6, 5, 4)), ImageOptions(device="cpu")
        with pytest.raises(sx.Canceled, match="enough"):
            piece_of(others, values, None, options, cancel)

    in_threads(3, program)


def test_what_is_not_a_communicator_is_rejected():
    with pytest.raises(sx.InputError, match="comm must be a communicator of mpi4py"):
        sx.morse_smale_piece(np.zeros((3, 3)), 2)


# === MPI
@pytest.fixture
def ranks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a script in several ranks of MPI."""
    if find_spec("mpi4py") is None or shutil.which("mpiexec") is None:
        pytest.skip("mpi4py or mpiexec was not found")
    for name in ("", "_CONFIRM"):  # containers are run by root
        monkeypatch.setenv(f"OMPI_ALLOW_RUN_AS_ROOT{name}", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))

    def run(number: int, *arguments: object) -> subprocess.CompletedProcess[str]:
        options = ("--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(number))
        command = ["mpiexec", *options, sys.executable, str(FOLDER / "ranks.py")]
        words = [*command, *map(str, arguments)]
        return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)

    return run


@pytest.mark.parametrize("number", [2, 3])
def test_ranks_have_the_bits_of_the_whole(ranks, tmp_path, number):
    values = rough_and_smooth((12, 11, 10), 9)[1]
    np.save(tmp_path / "image.npy", values)
    done = ranks(number, tmp_path, "image.npy")
    assert done.returncode == 0, done.stderr
    found = [dict(np.load(tmp_path / f"{rank}.npz")) for rank in range(number)]
    assert_same(together(found), whole(values))


@pytest.mark.parametrize("number", [2, 3])
def test_a_level_of_ranks_has_the_bits_of_the_whole(ranks, tmp_path, number):
    values = rough_and_smooth((12, 11, 10), 9)[0]
    np.save(tmp_path / "image.npy", values)
    done = ranks(number, tmp_path, "image.npy", 0.5)
    assert done.returncode == 0, done.stderr
    found = [dict(np.load(tmp_path / f"{rank}.npz")) for rank in range(number)]
    level = sx.morse_smale(values, device="cpu").simplify(0.5)
    assert_same(together(found), together([level_of(level, np.arange(len(level.critical)))]))


def test_an_error_of_one_rank_ends_all(ranks, tmp_path):
    np.save(tmp_path / "image.npy", BAD)
    done = ranks(2, tmp_path, "image.npy")
    assert done.returncode == 0, done.stderr
    for rank in range(2):
        text = (tmp_path / f"{rank}.txt").read_text()
        assert text.startswith("values must be finite; got values[4, 1, 2] = nan")
