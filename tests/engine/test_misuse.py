"""What nobody meant a user to do with a result or an argument: a sentence, and no crash."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import separatrix as sx

VALUES = np.random.default_rng(5).random((20, 21, 22))


def test_slices_of_more_than_2_to_the_26_voxels_are_paired() -> None:
    # A distance of words times 32 does not fit 32 bits there. Half a gigabyte, a few seconds.
    critical = sx.discrete_gradient(np.zeros((2, 8200, 8200), np.uint8), device="cpu").critical
    assert critical.counts == (1, 0, 0, 0)


@pytest.mark.parametrize("kind", ["descending", "ascending", "morse_smale"])
def test_results_that_later_parts_stand_on_cannot_be_overwritten(kind: str) -> None:
    found = sx.morse_smale(VALUES, device="cpu")
    for array in (found.segmentation(kind), found.critical.cell_id):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_arrays_that_lie_on_the_device_cannot_be_overwritten_either() -> None:
    points = np.random.default_rng(6).random((5, 3))
    mesh = sx.TetMesh(points, [[0, 1, 2, 3], [1, 2, 3, 4]], device="cpu")
    gradient, arcs = mesh.discrete_gradient(points[:, 0]), sx.morse_smale(VALUES, device="cpu")
    arrays = [*gradient.codes(), gradient.critical_ids]
    for kind in ("ascending", "descending"):
        found = arcs.extremum_arcs(kind)
        arrays += [found.saddles, found.extremum, found.offsets, found.chain]
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize("send", [pickle.dumps, copy.deepcopy])
def test_what_computes_on_demand_says_that_it_cannot_be_sent_elsewhere(send: Any) -> None:
    triangle = sx.TriangleMesh(np.eye(3), [[0, 1, 2]], device="cpu")
    ball = sx.alpha_complex(np.zeros((1, 3)), [1.0], 0.0, device="cpu")
    for result in (sx.morse_smale(VALUES, device="cpu"), triangle, ball):
        with pytest.raises(TypeError, match="is evaluated lazily and cannot be pickled"):
            send(result)
    assert send(sx.nearest(VALUES[0, :, :3], k=2, device="cpu"))


def test_one_complex_can_be_asked_from_several_threads() -> None:
    alone = sx.morse_smale(VALUES, device="cpu")
    expected = [alone.segmentation("morse_smale"), alone.separatrices(1, "ascending").cell_id]
    for _ in range(10):
        shared = sx.morse_smale(VALUES, device="cpu")

        def ask(k: int, found: Any = shared) -> Any:
            return (
                found.separatrices(1, "ascending").cell_id
                if k % 2
                else found.segmentation("morse_smale")
            )

        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(ask, range(6)))
        for answer, right in zip(answers, expected * 3, strict=True):
            np.testing.assert_array_equal(answer, right)


def test_a_callback_may_look_at_the_complex_that_it_hears_of() -> None:
    found = sx.morse_smale(VALUES, device="cpu")
    seen: list[int] = []
    found.segmentation("morse_smale", progress=lambda *_: seen.append(len(found.critical)))
    assert set(seen) == {sum(found.critical.counts)}


def test_a_gradient_without_its_values_is_refused_where_they_are_needed() -> None:
    found = sx.MorseSmaleComplex(sx.discrete_gradient(VALUES, device="cpu"))
    found.segmentation("descending")
    with pytest.raises(sx.InputError, match=r"separatrix\.morse_smale"):
        found.segmentation("ascending")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"threads": 60_000}, "threads must be an integer from 1 to 1,024 or None; got 60000"),
        ({"threads": 2**32}, "1 to 1,024"),
        ({"device": "cuda:\u00b2"}, "device must be"),
        ({"spacing": -1.0}, "spacing must be positive"),
        ({"memory_limit": "1GB"}, "memory_limit must be a positive number of bytes or None"),
        ({"memory_limit": 0}, "memory_limit must be a positive number"),
    ],
)
def test_a_wrong_option_gets_a_sentence(options: dict[str, Any], text: str) -> None:
    with pytest.raises(sx.InputError, match=text):
        sx.morse_smale(VALUES, **options)


def test_a_wrong_kind_or_stride_gets_a_sentence() -> None:
    with pytest.raises(sx.InputError, match="kind must be one of"):
        sx.morse_smale(VALUES, device="cpu").segmentation(["morse_smale"])  # type: ignore[arg-type]
    for stride in (0, 1.5, "a"):
        with pytest.raises(sx.InputError, match="stride must be a whole number"):
            sx.discrete_gradient(VALUES, device="cpu").arrows(stride)  # type: ignore[arg-type]


def test_a_small_direction_matrix_is_a_direction_matrix() -> None:
    found = sx.morse_smale(VALUES, direction=np.eye(3) * 1e-5, device="cpu")
    assert found.critical.position.max() < 22e-5


def test_an_array_of_dlpack_alone_is_taken() -> None:
    class OnlyDLPack:
        def __dlpack__(self, **options: Any) -> Any:
            return VALUES.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return VALUES.__dlpack_device__()

    critical = sx.morse_smale(OnlyDLPack(), device="cpu").critical
    assert critical.counts == sx.morse_smale(VALUES, device="cpu").critical.counts


def test_a_long_part_can_be_canceled_while_it_runs() -> None:
    found = sx.morse_smale(np.random.default_rng(1).random((90, 90, 90)), device="cpu", threads=1)
    told: list[str] = []
    found.separatrices(2, "ascending", progress=lambda _, stage: told.append(stage))
    assert told.count("ascending surfaces") > 10


def test_a_big_endian_half_gives_native_values() -> None:
    values = VALUES.astype(">f2")
    assert sx.morse_smale(values, device="cpu").critical.value.dtype == np.dtype("=f2")
