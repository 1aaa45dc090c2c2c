"""Single arguments that are nearly right, and what was once taken without a word."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import separatrix as sx

VALUES = np.random.default_rng(3).random((3, 4, 5))
POINTS = np.random.default_rng(4).random((9, 3))


class Raises:
    """Raises a KeyError as it is asked for its array."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise KeyError("mine")


@pytest.mark.parametrize("flag", ["no", "False", None, 2, 0.0, np.eye(2), np.array([])])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("relative", lambda flag: sx.morse_smale(VALUES, persistence=0.1, relative=flag)),
        ("zero_persistence", lambda flag: sx.persistence_diagram(VALUES, zero_persistence=flag)),
        ("include_self", lambda flag: sx.nearest(POINTS, k=1, include_self=flag)),
        ("pairs", lambda flag: sx.neighbors(POINTS, radius=1.0, pairs=flag)),
        ("gradient", lambda flag: sx.density(POINTS, sigma=1.0, spacing=1.0, gradient=flag)),
        ("cocycles", lambda flag: sx.rips_barcodes(POINTS, cocycles=flag)),
        ("edge_optimization", lambda f: sx.alpha_complex(POINTS, 1.0, edge_optimization=f)),
        ("upper", lambda flag: sx.BlockPattern([[0, 5]], [0, 1], [[0, 5]], 5, 5, upper=flag)),
        ("probe", lambda flag: sx.devices(probe=flag)),
    ],
)
def test_a_flag_is_true_or_false_and_no_text(
    name: str, call: Callable[[Any], Any], flag: Any
) -> None:
    with pytest.raises(sx.InputError, match=f"{name} must be True or False; got"):
        call(flag)


def test_flags_of_numpy_and_numbers_0_and_1_are_flags() -> None:
    for flag in (True, 1, np.True_, np.int8(1)):
        kept = sx.persistence_diagram(np.zeros((2, 2)), zero_persistence=flag, device="cpu")
        assert len(kept) == len(
            sx.persistence_diagram(np.zeros((2, 2)), zero_persistence=True, device="cpu")
        )


def test_a_message_is_one_line_however_long_the_argument_prints() -> None:
    for wrong in (np.eye(9), "x" * 100_000, list(range(100_000)), 10**4000):
        with pytest.raises(sx.InputError) as raised:
            sx.morse_smale(VALUES, order=wrong)
        assert "\n" not in str(raised.value)
        assert len(str(raised.value)) < 450


@pytest.mark.parametrize("name", ["spacing", "origin"])
def test_lengths_are_given_for_each_axis_of_the_values_or_once_for_all(name: str) -> None:
    for wrong in ((2, 3), (2,), "2", ["1", "2", "3"], b"1", 1e200, (1, 1, 10**400)):
        with pytest.raises(sx.InputError, match=f"{name} must be"):
            sx.morse_smale(VALUES, device="cpu", **{name: wrong})
    assert sx.morse_smale(VALUES[0], spacing=(2, 3), device="cpu").domain.spacing == (2, 3, 1)
    assert sx.morse_smale(VALUES, spacing=2, device="cpu").domain.spacing == (2, 2, 2)


def test_an_array_like_that_raises_is_refused_whatever_it_raises() -> None:
    for call in (sx.discrete_gradient, sx.to_host, lambda x: sx.nearest(x, k=1)):
        with pytest.raises(
            sx.InputError, match="must be an array of numbers; got Raises \\('mine'"
        ):
            call(Raises())


@pytest.mark.parametrize("limit", [np.nan, -1, True, "1", 1 + 2j])
def test_a_memory_limit_is_a_positive_number(limit: Any) -> None:
    with pytest.raises(sx.InputError, match="memory_limit must be a positive number"):
        sx.neighbors(POINTS, radius=1.0, memory_limit=limit, device="cpu")


@pytest.mark.parametrize("limit", [np.inf, 10**400, np.float16(6e4), np.longdouble(1e9)])
def test_a_memory_limit_of_any_type_of_number_is_taken(limit: Any) -> None:
    assert len(sx.neighbors(POINTS, radius=0.1, memory_limit=limit, device="cpu").offsets) == 10


def test_numbers_beyond_floats_are_infinite_or_refused() -> None:
    everything = sx.reduce("distance", POINTS, POINTS, reduction="count", device="cpu")
    within = {"radius": 10**400, "reduction": "count", "device": "cpu"}
    np.testing.assert_array_equal(sx.reduce("distance", POINTS, POINTS, **within), everything)
    counts = sx.count_neighbors(POINTS, radius=10**400, device="cpu")
    np.testing.assert_array_equal(counts, everything + 1)  # itself, at distance 0
    with pytest.raises(sx.InputError, match="epsilon"):
        sx.rips_barcodes(POINTS, epsilon=10**400, device="cpu")


def test_bytes_are_no_alphas() -> None:
    with pytest.raises(sx.InputError, match="alpha must be a finite squared length"):
        sx.alpha_complex(POINTS, 1.0, alpha=b"1", device="cpu")


def test_smoothing_without_end_is_refused() -> None:
    lines = sx.morse_smale(VALUES, device="cpu").separatrices(1, "ascending")
    with pytest.raises(sx.InputError, match="iterations must be at most 100,000"):
        sx.smooth(lines, 2**31)  # type: ignore[arg-type]


def test_rows_and_ids_that_are_not_there_are_refused() -> None:
    grid = sx.morse_smale(VALUES, device="cpu").domain
    bars = sx.rips_barcodes(POINTS, device="cpu")
    for wrong in ([-1], [10**6], [0.5], [1j], ["a"]):
        with pytest.raises(sx.InputError, match="cell_ids must be"):
            grid.positions(np.array(wrong))
        with pytest.raises(sx.InputError, match="rows must be"):
            bars.for_short_loops(np.array(wrong))
    for wrong in (-1, 8, 1.0, True, None, "1"):
        with pytest.raises(sx.InputError, match="index must be an integer from 0 to 3"):
            sx.morse_smale(VALUES, device="cpu").critical.rows(wrong)  # type: ignore[arg-type]


def test_what_is_called_to_tell_of_progress_is_looked_at_before_anything() -> None:
    frames = np.stack([POINTS, POINTS])
    with pytest.raises(sx.InputError, match="progress must be callable"):
        next(sx.alpha_complexes(frames, 1.0, progress=True))  # type: ignore[arg-type]
    mesh = sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], device="cpu")
    with pytest.raises(sx.InputError, match="progress must be callable"):
        list(mesh.stream("VV", progress=True))  # type: ignore[arg-type]


def test_a_stream_of_batches_of_any_size_is_one_batch() -> None:
    mesh = sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], device="cpu")
    assert len(list(mesh.stream("VV", batch_bytes=2**64))) == 1


def test_an_unknown_keyword_is_a_type_error_with_the_closest_name() -> None:
    with pytest.raises(TypeError, match=r"morse_smale\(\) has no option 'persistance'; did you"):
        sx.morse_smale([0.0, 1.0], persistance=1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="TetMesh has no option 'thread'; did you mean"):
        sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], thread=1)  # type: ignore[call-arg]


def test_public_signatures_name_every_option() -> None:
    functions = [
        (name, member)
        for name in sx.__all__
        for owner in [getattr(sx, name)]
        for member in ([owner] if inspect.isfunction(owner) else public_methods(owner))
    ]
    assert len(functions) > 60
    for name, function in functions:
        kinds = {p.kind for p in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds or name == "reduce", function


def public_methods(owner: type) -> list[Any]:
    """Its constructor too; numbers of a formula are named as the formula names them."""
    methods = inspect.getmembers(owner, inspect.isfunction)
    return [m for name, m in methods if not name.startswith("_") or name == "__init__"]
