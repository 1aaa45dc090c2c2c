"""Invalid arguments raise one-line errors; unusual valid ones work; results guard themselves."""

import copy
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import separatrix as sx

IMAGE = np.arange(24.0).reshape(2, 3, 4)
VALUES = np.random.default_rng(5).random((20, 21, 22))
POINTS = np.random.default_rng(4).random((9, 3))
Call = Callable[[Any], Any]


def message(values: Any = IMAGE, **options: Any) -> str:
    """The text of the InputError of an image, which is one line."""
    with pytest.raises(sx.InputError) as raised:
        sx.morse_smale(values, **options)
    text = str(raised.value)
    assert "\n" not in text
    assert 20 < len(text) < 450
    with pytest.raises(sx.InputError, match=re.escape(text)):
        sx.discrete_gradient(values, **options)
    return text


# === values of images
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_values_that_are_not_finite_are_rejected_with_the_first_voxel_and_the_count(
    device, bad, dtype
):
    values = np.arange(60, dtype=dtype).reshape(3, 4, 5)
    values[1, 2, 3] = values[2, 0, 0] = values[2, 3, 4] = bad
    text = message(values, device=device)
    assert f"values[1, 2, 3] = {bad}" in text
    assert "3 invalid values" in text


def test_a_single_nan_is_counted_in_the_singular(device):
    values = np.zeros((300, 400), np.float32)
    values[299, 399] = np.nan
    text = message(values, device=device)
    assert "values[299, 399] = nan" in text
    assert "(1 invalid value)" in text


def test_the_first_of_many_bad_voxels_is_the_first_in_memory_order(device):
    values = np.asfortranarray(np.random.default_rng(1).random((50, 60, 70)))
    values[7, 8, 9] = np.inf
    values[7:, 9:, :9] = np.nan
    count = int((~np.isfinite(values)).sum())
    text = message(values, device=device)
    assert "values[7, 8, 9] = inf" in text
    assert f"{count:,} invalid values" in text


@pytest.mark.parametrize(
    ("values", "words"),
    [
        *((np.zeros(s), ["at least one voxel", str(s)]) for s in [(0,), (3, 0, 4), (0, 0, 0)]),
        *(
            (np.zeros(s), ["shape (nz, ny, nx), (ny, nx) or (nx,)", str(s)])
            for s in [(), (1, 2, 3, 4), (1,) * 5]
        ),
        (IMAGE.astype(complex), ["real", "complex128"]),
        (np.array([["a", "b"]]), ["<U1"]),
        (np.array([[None, {}]]), ["object"]),
        (np.array(["2020-01-01", "2021-01-01"], "datetime64[D]"), ["datetime64[D]"]),
        (np.zeros(4, [("x", float), ("y", float)]), ["('x'"]),
        *((wrong, ["values"]) for wrong in [None, "volume.vti", {"a": 1}, [[1, 2], [3]], object()]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_are_not_an_image_are_rejected(values, words):
    text = message(values, device="cpu")
    assert all(word in text for word in words), text


# === options of images
@pytest.mark.parametrize(
    ("name", "wrong", "text"),
    [
        ("spacing", [(0, 1, 1), (1, -1, 1), (1, 1, np.nan), (1, np.inf, 1), (), None, -1.0, 1e200],
         "spacing must be"),
        ("origin", [(0, np.nan, 0), (np.inf, 0, 0), 1e200], "origin must be"),
        *((name, ["abc", (1, 2, 3, 4), "2", ["1", "2", "3"], b"1", (1, 1, 10**400)],
           f"{name} must be") for name in ("spacing", "origin")),
        *((name, [(2, 3), (2,)], f"{name} must be one number, or 3 numbers in x, y, z order")
          for name in ("spacing", "origin")),
        ("direction", [np.zeros((3, 3)), np.eye(2), np.full((3, 3), np.nan), "abc"],
         "direction must be"),
        ("device", ["gpu", "cuda:", "cuda:x", "cuda:-1", "", "cpu:0", 3, "opencl", "cuda:\u00b2"],
         "'auto', 'cpu', 'cuda', or 'cuda:N'"),
        ("threads", [0, -1, 1.5, "two", True, 60_000, 2**32],
         "threads must be an integer from 1 to 1,024 or None"),
        ("memory_limit", [0, -5, np.nan, True, "1GB", 1 + 2j],
         "memory_limit must be a positive number of bytes or None"),
        ("progress", ["yes", True, 3], "progress must be callable"),
    ],
)  # fmt: skip
def test_options_of_an_image_are_checked(name, wrong, text):
    for value in wrong:
        said = message(**{"device": "cpu", name: value})
        assert text in said
        assert name != "device" or repr(value) in said


def test_one_spacing_for_all_axes_or_one_for_each_is_accepted(device):
    image, line = np.zeros((3, 4)), np.zeros(5)
    for values, given, taken in (
        (np.zeros((2, 3, 4)), 2, (2, 2, 2)),
        (image, (0.5, 0.25), (0.5, 0.25, 1)),
        (image, (0.5, 0.25, 4), (0.5, 0.25, 4)),
        (line, [3], (3, 1, 1)),
    ):
        assert sx.morse_smale(values, spacing=given, device=device).domain.spacing == taken
    # A plane may be anywhere in space.
    plane = sx.morse_smale(image, origin=(1, 2, 3), device=device)
    assert set(sx.to_host(plane.critical.position)[:, 2].tolist()) == {3.0}


def test_a_small_direction_matrix_is_a_direction_matrix():
    found = sx.morse_smale(VALUES, direction=np.eye(3) * 1e-5, device="cpu")
    assert found.critical.position.max() < 22e-5


# === methods
@pytest.mark.parametrize(
    ("call", "wrong", "text"),
    [
        (lambda kind: sx.morse_smale(IMAGE, device="cpu").segmentation(kind),
         ["Ascending", "minima", "", None, 3, ["morse_smale"]], "ascending, descending, morse_sm"),
        (lambda kind: sx.morse_smale(IMAGE, device="cpu").separatrices(1, kind),
         ["both", "cells", None], "ascending, descending"),
        (lambda d: sx.morse_smale(IMAGE, device="cpu").separatrices(d, "descending"),
         [0, 3, -1, "1", None], "dimension must be 1"),
        (lambda stride: sx.discrete_gradient(IMAGE, device="cpu").arrows(stride),
         [0, -1, 1.5, "a"], "stride must be a positive integer"),
        (lambda index: sx.morse_smale(IMAGE, device="cpu").critical.rows(index),
         [-1, 8, 1.0, True, None, "1"], "index must be an integer from 0 to 3"),
        (lambda ids: sx.morse_smale(IMAGE, device="cpu").domain.positions(np.array(ids)),
         [[-1], [10**6], [0.5], [1j], ["a"]], "cell_ids must be"),
        (lambda rows: sx.rips_barcodes(POINTS, device="cpu").for_short_loops(np.array(rows)),
         [[-1], [10**6], [0.5], [1j], ["a"]], "rows must be"),
        (lambda n: sx.smooth(sx.morse_smale(IMAGE, device="cpu").separatrices(), n),
         [2**31], "iterations must be an integer from 0 to 100,000"),
        (lambda limit: sx.neighbors(POINTS, radius=1.0, memory_limit=limit, device="cpu"),
         [np.nan, -1, True, "1", 1 + 2j], "memory_limit must be a positive number"),
        (lambda limit: sx.count_neighbors(POINTS, radius=1.0, device="cpu", memory_limit=limit),
         [-1], "memory_limit must be a positive number"),
        (lambda limit: sx.cluster(POINTS, 1.0, device="cpu", memory_limit=limit),
         [-1], "memory_limit must be a positive number"),
        (lambda radius: sx.neighbors(POINTS, radius=radius, device="cpu"),
         [-1, np.nan, "1", None, True], "radius must be a non-negative number"),
        (lambda k: sx.nearest(POINTS, k=k, device="cpu"),
         [0, -1, 2.5, "3", True, None, 2**70, 10**12], "k must be an integer from 1 to 2,147,483"),
        (lambda y: sx.nearest(POINTS, y, k=1, include_self=False, device="cpu"),
         [POINTS], "y must be None if"),
        (lambda size: sx.cluster(POINTS, size, device="cpu"),
         [0, -1.0, np.nan, "1"], "size must be a positive number"),
        (lambda levels: sx.cluster(POINTS, 1, levels=levels, device="cpu"),
         [0, 22, 1.5, "2", True], "levels must be an integer from 1 to 21"),
        (lambda points: sx.cluster(points, 1, device="cpu"),
         [np.zeros((2, 64))], "d from 1 to 63; got shape"),
        (lambda alpha: sx.alpha_complex(POINTS, 1.0, alpha=alpha, device="cpu"),
         [b"1"], "alpha must be a squared length"),
        (lambda epsilon: sx.rips_barcodes(POINTS, epsilon=epsilon, device="cpu"),
         [10**400], "epsilon"),
        (lambda p: next(sx.alpha_complexes(np.stack([POINTS, POINTS]), 1.0, progress=p)),
         [True], "progress must be callable"),
        (lambda p: list(tetrahedron().stream("VV", progress=p)),
         [True], "progress must be callable"),
    ],
)  # fmt: skip
def test_arguments_of_methods_are_checked(call, wrong, text):
    for value in wrong:
        with pytest.raises(sx.InputError, match=text):
            call(value)


def tetrahedron() -> sx.TetMesh:
    return sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], device="cpu")


@pytest.mark.parametrize("flag", ["no", "False", None, 2, 0.0, np.eye(2), np.array([])])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("relative", lambda flag: sx.morse_smale(IMAGE, persistence=0.1, relative=flag)),
        ("zero_persistence", lambda flag: sx.persistence_diagram(IMAGE, zero_persistence=flag)),
        ("include_self", lambda flag: sx.nearest(POINTS, k=1, include_self=flag)),
        ("pairs", lambda flag: sx.neighbors(POINTS, radius=1.0, pairs=flag)),
        ("gradient", lambda flag: sx.density(POINTS, sigma=1.0, spacing=1.0, gradient=flag)),
        ("cocycles", lambda flag: sx.rips_barcodes(POINTS, cocycles=flag)),
        ("edge_optimization", lambda f: sx.alpha_complex(POINTS, 1.0, edge_optimization=f)),
        ("upper", lambda flag: sx.BlockPattern([[0, 5]], [0, 1], [[0, 5]], 5, 5, upper=flag)),
        ("probe", lambda flag: sx.devices(probe=flag)),
    ],
)
def test_a_flag_must_be_true_or_false(name, call, flag):
    with pytest.raises(sx.InputError, match=f"{name} must be True or False; got"):
        call(flag)


def test_flags_of_numpy_and_numbers_0_and_1_are_flags():
    expected = len(sx.persistence_diagram(np.zeros((2, 2)), zero_persistence=True, device="cpu"))
    for flag in (1, np.True_, np.int8(1)):
        kept = sx.persistence_diagram(np.zeros((2, 2)), zero_persistence=flag, device="cpu")
        assert len(kept) == expected


def test_a_message_is_one_line_however_long_the_argument_prints():
    for wrong in (np.eye(9), "x" * 100_000, list(range(100_000)), 10**4000):
        assert message(order=wrong)


class Raises:
    """Raises a KeyError when its array is requested."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise KeyError("mine")


def test_an_array_like_that_raises_any_exception_is_rejected():
    for call in (sx.discrete_gradient, sx.to_host, lambda x: sx.nearest(x, k=1)):
        with pytest.raises(
            sx.InputError, match=r"must be an array of numbers; got Raises \('mine'"
        ):
            call(Raises())


@pytest.mark.parametrize("limit", [np.inf, 10**400, np.float16(6e4), np.longdouble(1e9)])
def test_a_memory_limit_of_any_type_of_number_is_accepted(limit):
    assert len(sx.neighbors(POINTS, radius=0.1, memory_limit=limit, device="cpu").offsets) == 10


def test_radii_beyond_floats_are_infinite():
    everything = sx.reduce("distance", POINTS, POINTS, reduction="count", device="cpu")
    within = {"radius": 10**400, "reduction": "count", "device": "cpu"}
    np.testing.assert_array_equal(sx.reduce("distance", POINTS, POINTS, **within), everything)
    for radius in (10**400, 1e200, np.inf):
        counts = sx.count_neighbors(POINTS, radius=radius, device="cpu")
        np.testing.assert_array_equal(counts, everything + 1)  # itself, at distance 0


def test_a_stream_of_batches_of_any_size_is_one_batch():
    assert len(list(tetrahedron().stream("VV", batch_bytes=2**64))) == 1


def test_an_unknown_keyword_is_a_type_error_with_the_closest_name():
    with pytest.raises(TypeError, match=r"morse_smale\(\) has no option 'persistance'; did you"):
        sx.morse_smale([0.0, 1.0], persistance=1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="TetMesh has no option 'thread'; did you mean"):
        sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], thread=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"nearest\(\) has no option 'radus'$"):
        sx.nearest(POINTS, radus=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"persistence_diagram.* has no option 'persistance'$"):
        sx.persistence_diagram([0.0, 1.0], persistance=1)  # type: ignore[call-arg]
    for name, close in (("sgima", "sigma"), ("sigmaa", "sigma"), ("raduis", "radius")):
        text = rf"reduce\(\) has no option '{name}'; did you mean '{close}'\?"
        with pytest.raises(TypeError, match=text):
            sx.reduce("gaussian", POINTS, POINTS, sigma=1.0, **{name: 1.0})


def test_public_signatures_name_every_option():
    functions = [
        (name, member)
        for name in sx.__all__
        for owner in [getattr(sx, name)]
        for member in ([owner] if inspect.isfunction(owner) else public_methods(owner))
    ]
    assert len(functions) > 60
    named = ("reduce", "gradient", "torch_reduce", "PairFormula")
    for name, function in functions:
        kinds = {p.kind for p in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds or name in named, function


def public_methods(owner: type) -> list[Any]:
    """Its constructor too; numbers of a formula are named as the formula names them."""
    methods = inspect.getmembers(owner, inspect.isfunction)
    return [m for name, m in methods if not name.startswith("_") or name == "__init__"]


def test_errors_are_also_exceptions_of_python():
    assert issubclass(sx.InputError, ValueError)
    assert issubclass(sx.DeviceMemoryError, MemoryError)
    assert issubclass(sx.DeviceUnavailable, RuntimeError)
    assert issubclass(sx.KernelError, RuntimeError)
    assert issubclass(sx.Canceled, Exception)
    assert not issubclass(sx.Canceled, (ValueError, RuntimeError))


# === results
@pytest.mark.long
def test_slices_of_more_than_2_to_the_26_voxels_are_paired():
    # A distance of words times 32 does not fit 32 bits there. Half a gigabyte, a few seconds.
    critical = sx.discrete_gradient(np.zeros((2, 8200, 8200), np.uint8), device="cpu").critical
    assert critical.counts == (1, 0, 0, 0)


def test_results_that_later_parts_use_are_read_only():
    points = np.random.default_rng(6).random((5, 3))
    mesh = sx.TetMesh(points, [[0, 1, 2, 3], [1, 2, 3, 4]], device="cpu")
    gradient, found = mesh.discrete_gradient(points[:, 0]), sx.morse_smale(VALUES, device="cpu")
    arrays = [*gradient.codes(), gradient._pairing.critical_ids, found.critical.cell_id]
    arrays += [found.segmentation(kind) for kind in ("descending", "ascending", "morse_smale")]
    for kind in ("ascending", "descending"):
        arcs = found.extremum_arcs(kind)
        arrays += [arcs.saddles, arcs.extremum, arcs.offsets, arcs.chain]
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize("send", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
@pytest.mark.parametrize("is_used", [False, True])
def test_lazy_results_are_pickled_and_copied_with_their_computed_parts(send, is_used):
    found = sx.morse_smale(VALUES, persistence=0.1, device="cpu")
    mesh = sx.TetMesh(np.vstack([np.zeros(3), np.eye(3)]), [[0, 1, 2, 3]], device="cpu")
    ball = sx.alpha_complex(np.zeros((1, 3)), [1.0], 0.0, device="cpu")
    if is_used:
        _ = found.segmentation("ascending"), found.arcs, len(mesh.relation("VV")), ball.per_ball()
    again, mesh_again, ball_again = map(send, (found, mesh, ball))
    np.testing.assert_array_equal(again.segmentation("ascending"), found.segmentation("ascending"))
    assert again.simplify(0.3).critical.counts == found.simplify(0.3).critical.counts
    assert set(found.timings) == set(again.timings)
    assert mesh_again.relation("VV").to_csr()[1].tolist() == [0, 2, 3]
    assert ball_again.per_ball().volume == ball.per_ball().volume
    stop = {"progress": lambda *_: (_ for _ in ()).throw(sx.Canceled)}
    with pytest.raises(sx.Canceled):
        send(sx.morse_smale(VALUES, device="cpu")).segmentation("ascending", **stop)


def test_a_callback_may_use_the_complex_that_it_reports_on():
    found = sx.morse_smale(VALUES, device="cpu")
    seen = []
    found.segmentation("morse_smale", progress=lambda *_: seen.append(len(found.critical)))
    assert set(seen) == {sum(found.critical.counts)}


def test_a_gradient_without_values_is_rejected_if_they_are_required():
    found = sx.MorseSmaleComplex(sx.discrete_gradient(VALUES, device="cpu"))
    found.segmentation("descending")
    with pytest.raises(sx.InputError, match=r"separatrix\.morse_smale"):
        found.segmentation("ascending")
