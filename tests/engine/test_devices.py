"""Several devices divide the layers of an image, and give the bits of one device."""

import threading
from typing import Any
from unittest import mock

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import assert_same_bits, everything
from oracles.pieces import assert_same, results_of, whole
from separatrix.pieces import turns

CPUS = {number: ["cpu"] * number for number in (1, 2, 3, 7)}


def ties(*shape: int, levels: int = 20, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, levels, shape, dtype=np.int16)


@pytest.mark.parametrize("shape", [(9, 8, 7), (5, 12), (30,), (2, 9, 9), (1, 1, 1)])
def test_several_devices_give_every_array_of_one(shape):
    values = ties(*shape)
    expected, results = everything(values, device="cpu"), whole(values)
    for devices in CPUS.values():
        assert_same_bits(everything(values, devices=devices), expected)
        assert_same(results_of(sx.morse_smale(values, devices=devices)), results)


@pytest.mark.parametrize(
    "options",
    [
        {"periodic": True},
        {"order": "plateau"},
        {"mask": ties(8, 7, 6) > 3},
        {"memory_limit": (1 << 20) + 6000},
    ],
    ids=str,
)
def test_options_apply_to_several_devices(options):
    values = ties(8, 7, 6)
    found = sx.morse_smale(values, devices=CPUS[3], **options)
    expected = sx.morse_smale(values, device="cpu", **options)
    assert_same(results_of(found), results_of(expected))
    assert_same(results_of(found.simplify(5.0)), results_of(expected.simplify(5.0)))


def test_every_analysis_of_images_takes_several_devices(tmp_path):
    values = ties(8, 7, 6).astype(np.float32)
    devices, one = {"devices": CPUS[2]}, {"device": "cpu"}
    codes = [sx.discrete_gradient(values, **each).codes() for each in (devices, one)]
    np.testing.assert_array_equal(*codes)
    diagrams = [sx.persistence_diagram(values, **each) for each in (devices, one)]
    np.testing.assert_array_equal(*(found.death_row for found in diagrams))
    fields = [sx.simplify_field(values, persistence=4.0, **each) for each in (devices, one)]
    np.testing.assert_array_equal(*(found.order for found in fields))
    in_files = sx.morse_smale(values, scratch=tmp_path, **devices)
    assert_same(results_of(in_files), whole(values))


def test_pieces_of_several_devices_run_at_the_same_time():
    meeting = threading.Barrier(3, timeout=30)
    values = ties(30, 5, 5)
    labels = turns.run_pieces

    def meeting_first(session: Any, number: int, n_lanes: int, program: Any, **options: Any) -> Any:
        def met(exchange: Any, there: Any) -> Any:
            meeting.wait()
            return program(exchange, there)

        return labels(session, number, n_lanes, met, **options)

    with mock.patch("separatrix.complexes.cubical.slab_gradient.run_pieces", meeting_first):
        found = sx.discrete_gradient(values, devices=CPUS[3])
    assert found.device == "cpu in slabs, cpu"
    assert found.counts == sx.discrete_gradient(values, device="cpu").counts


def test_all_devices_are_the_cpu_if_there_is_no_gpu():
    with mock.patch("separatrix.device.choice._n_gpus", return_value=0):
        found = sx.discrete_gradient(ties(5, 4, 3), devices="all")
    assert found.device == "cpu"


def test_threads_are_divided_among_several_cpus():
    found = sx.discrete_gradient(ties(5, 4, 3), devices=CPUS[2], threads=5)
    assert [device.threads for device in found._session.pieces.devices] == [2, 2]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"devices": 3}, r'devices must be device names, such as \["cuda:0", .*"all"; got 3'),
        ({"devices": []}, r"or \"all\"; got \[\]"),
        ({"devices": "cuda:0"}, "got 'cuda:0'"),
        ({"devices": ["gpu"]}, "devices must be .*; got 'gpu'"),
        ({"devices": ["cpu"], "device": "cpu"}, "device must be omitted if devices is set"),
    ],
)
def test_wrong_devices_are_rejected(options, sentence):
    with pytest.raises(sx.InputError, match=sentence):
        sx.morse_smale(ties(5, 4, 3), **options)


def test_an_error_of_one_piece_ends_the_call_and_the_next_call_succeeds():
    found = sx.morse_smale(ties(9, 8, 7), devices=CPUS[3])
    failing = sx.DeviceMemoryError("Labels require 9 bytes.")
    with (
        mock.patch("separatrix.pieces.labels.link_forest", side_effect=failing),
        pytest.raises(sx.DeviceMemoryError, match="9 bytes"),
    ):
        found.segmentation("descending")
    expected = sx.morse_smale(ties(9, 8, 7), device="cpu").segmentation("descending")
    np.testing.assert_array_equal(found.segmentation("descending"), expected)


def test_a_system_without_threads_is_an_error(monkeypatch):
    submit = turns.ThreadPoolExecutor.submit

    def submit_two(self: Any, run: Any, rank: int, *arguments: Any) -> Any:
        if rank == 2:
            raise RuntimeError("can't start new thread")
        return submit(self, run, rank, *arguments)

    n_threads = threading.active_count()
    monkeypatch.setattr(turns.ThreadPoolExecutor, "submit", submit_two)
    with pytest.raises(sx.DeviceMemoryError, match="cannot start a thread for each of 3 pieces"):
        sx.morse_smale(ties(9, 8, 7), devices=CPUS[3])
    assert threading.active_count() == n_threads


def test_an_error_of_progress_ends_all_pieces():
    def stop(fraction: float, stage: str) -> None:
        if fraction > 0.4:
            raise sx.Canceled("enough")

    n_threads = threading.active_count()
    found = sx.morse_smale(ties(20, 8, 7), devices=CPUS[3])
    for kind in ("descending", "ascending"):
        with pytest.raises(sx.Canceled, match="enough"):
            found.segmentation(kind, progress=stop)
    assert threading.active_count() == n_threads
    assert_same(results_of(found), whole(ties(20, 8, 7)))


def test_paths_between_saddles_that_do_not_fit_are_traced_in_thinner_slabs():
    values = ties(20, 6, 5)
    numbers = []
    trace = turns.run_pieces

    def with_little_memory(session: Any, number: int, *arguments: Any, **options: Any) -> Any:
        numbers.append(number)
        if number < 8:
            raise sx.DeviceMemoryError("Too little.", needed=100)
        return trace(session, number, *arguments, **options)

    found = sx.morse_smale(values, devices=CPUS[2])
    with mock.patch("separatrix.pieces.streamed.run_pieces", with_little_memory):
        connectors = found.separatrices(1, "saddle")
    assert numbers == [2, 4, 8]
    expected = sx.morse_smale(values, device="cpu").separatrices(1, "saddle")
    np.testing.assert_array_equal(connectors.cell_id, expected.cell_id)
