"""Images processed in slabs have the bits of one piece, within their memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pytest

import separatrix as sx
from benchmarks.measure import cut_into
from oracles.everything import assert_same_bits, everything
from oracles.fields import Field, any_order, noise_fields
from oracles.pieces import assert_same, results_of, whole
from separatrix.device import Session
from separatrix.device.host import HostDevice
from separatrix.pieces import turns

SHAPES = [(9, 10, 11), (8, 33, 9), (1, 30, 31), (30, 1, 31), (30, 31, 1), (20, 30), (40,)]
SHAPES += [(7, 1, 1), (1, 1, 7), (2, 9, 9), (1, 1, 1)]
NUMBERS = (1, 2, 3, 7)


class SmallDevice(HostDevice):
    """The CPU as a GPU with little memory."""

    name = "cuda:0"
    is_cuda = True

    def __init__(self, memory: int) -> None:
        super().__init__(1)
        self.memory = memory
        self.limits: list[int] = []

    def free_memory(self) -> int:
        return self.memory

    def within(self, n_bytes: int) -> Any:
        self.limits.append(n_bytes)
        return super().within(n_bytes)


@contextmanager
def on_a_device_of(memory: int) -> Iterator[SmallDevice]:
    small = SmallDevice(memory)
    with mock.patch("separatrix.device.session.select", return_value=small):
        yield small


def ties(shape: tuple[int, ...], levels: int, seed: int = 0) -> Field:
    return np.random.default_rng(seed).integers(0, levels, shape, dtype=np.int16)


# === the same bits
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("levels", [1, 2, 5, 30_000])
def test_any_number_of_slabs_gives_every_array_of_the_image_in_one_piece(device, shape, levels):
    values = ties(shape, levels)
    whole = everything(values, device="cpu")
    for number in (*NUMBERS, 99):
        with cut_into(number):
            assert_same_bits(whole, everything(values, device=device))


@pytest.mark.parametrize(
    ("shape", "periodic"),
    [
        ((9, 5, 6), (False, False, True)),
        ((4, 3, 5), (True, True, True)),
        ((3, 3, 3), (True, True, True)),
        ((1, 9, 8), (True, True, False)),
        ((8, 7), (False, True)),
        ((12,), (True,)),
    ],
)
@pytest.mark.parametrize("levels", [1, 2, 30_000])
def test_slabs_across_a_period_give_every_array_of_the_image_in_one_piece(
    device, shape, periodic, levels
):
    values = ties(shape, levels)
    whole = everything(values, device="cpu", periodic=periodic)
    for number in (*NUMBERS, 99):
        with cut_into(number):
            assert_same_bits(whole, everything(values, device=device, periodic=periodic))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": "plateau"},
        {"periodic": (False, True, True)},
        {"periodic": True},
        {"mask": np.indices((7, 5, 6)).sum(0) % 9 > 0, "periodic": (False, False, True)},
    ],
    ids=str,
)
def test_arcs_and_pairs_of_slabs_are_those_of_one_piece(device, options):
    for levels in (2, 30_000):
        values = ties((7, 5, 6), levels, 8)
        expected = whole(values, **options)
        for number in (2, 3, 7):
            with cut_into(number):
                assert_same(results_of(sx.morse_smale(values, device=device, **options)), expected)


def test_small_fields_of_ties_are_the_same_in_slabs(device):
    for k, values in enumerate(noise_fields(60, seed=31)):
        with cut_into(NUMBERS[k % 4]):
            found = everything(values, device=device)
        assert_same_bits(everything(values, device="cpu"), found)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", ">f4", "float64", "longdouble"])
def test_values_of_every_kind_are_compared_as_in_one_piece(device, dtype):
    values = ties((9, 8, 7), 5).astype(dtype)
    for array in (values, np.asfortranarray(values), values[::-1, ::2]):
        with cut_into(3):
            found = everything(array, device=device)
        assert_same_bits(everything(array, device="cpu"), found)


def test_paths_that_cross_the_cuts_many_times_are_joined(device):
    # A valley that goes up and down through all layers, column after column, to one minimum.
    values = np.full((12, 3, 31), 10_000, np.int32)
    height = 0
    for k, x in enumerate(range(0, 31, 2)):
        layers = range(12) if k % 2 == 0 else range(11, -1, -1)
        for z in layers:
            values[z, 1, x] = height = height + 1
        if x + 1 < 31:
            values[layers[-1], 1, x + 1] = height = height + 1
    for field in (values, -values):
        whole = everything(field, device="cpu")
        for number in (2, 5, 12):
            with cut_into(number):
                assert_same_bits(whole, everything(field, device=device))


def test_more_critical_cells_than_there_is_room_for_are_listed_in_steps(device):
    chess = np.indices((24, 24, 24)).sum(0) % 2  # every voxel an extremum or the owner of a saddle
    whole = sx.discrete_gradient(chess, device="cpu").critical
    assert len(whole) > 0.9 * chess.size
    with cut_into(2):
        found = sx.discrete_gradient(chess, device=device).critical
    for column in ("cell_id", "index", "value", "vertex", "position"):
        np.testing.assert_array_equal(getattr(found, column), getattr(whole, column))


# === choosing
@pytest.mark.parametrize("periodic", [False, True])
def test_an_image_that_does_not_fit_is_processed_in_slabs_and_reports_it(periodic):
    values = ties((64, 40, 40), 1000).astype(np.float32)
    whole = everything(values, device="cpu", periodic=periodic)
    for free, limit in ((2_200_000, None), (1 << 40, 2_200_000), (1_600_000, None)):
        with on_a_device_of(free) as small:
            options = {"device": "cuda", "memory_limit": limit, "periodic": periodic}
            found = sx.morse_smale(values, **options)
            assert found.device == "cuda:0 in slabs, cpu"
            assert small.limits
            assert max(small.limits) <= 2_200_000
            assert {"upload", "gradient", "critical cells"} <= set(found.timings)
            assert_same_bits(whole, everything(values, **options))


def test_an_image_that_fits_is_processed_in_one_piece():
    with on_a_device_of(1 << 40) as small:
        values = np.zeros((9, 9, 9), np.float32)
        found = sx.discrete_gradient(values, device="cuda", memory_limit=1_000_000)
        assert found.device == "cuda:0"
        assert not small.limits


def test_critical_cells_that_do_not_fit_next_to_the_image_are_listed_in_slabs():
    values = (np.indices((64, 32, 32)).sum(0) % 2).astype(np.uint8)
    needed = int(6.5 * values.size)  # value, word and counts; 65,536 critical cells of 32 bytes
    whole = sx.discrete_gradient(values, device="cpu")
    with on_a_device_of(1 << 40):
        plenty = sx.discrete_gradient(values, device="cuda", memory_limit=needed + 3_000_000)
        little = sx.discrete_gradient(values, device="cuda", memory_limit=needed + 1_900_000)
    assert plenty.device == "cuda:0"
    assert little.device == "cuda:0 in slabs, cpu"
    np.testing.assert_array_equal(little.critical.cell_id, whole.critical.cell_id)


def test_a_device_without_memory_for_one_layer_is_rejected_with_the_bytes_needed():
    values = np.zeros((64, 64, 64), np.float32)
    with on_a_device_of(1 << 40), pytest.raises(sx.DeviceMemoryError) as raised:
        sx.discrete_gradient(values, device="cuda", memory_limit=1000)
    text = str(raised.value)
    assert "memory_limit allows 1,000" in text
    assert f"{4 * 64 * 64 * (4 + 18) + (1 << 20):,} bytes" in text
    assert "even in slabs of one layer" in text
    with on_a_device_of(1_410_000), pytest.raises(sx.DeviceMemoryError, match="are available"):
        sx.discrete_gradient(values, device="cuda")
    with on_a_device_of(5000), pytest.raises(sx.DeviceMemoryError, match="5,000 are free"):
        sx.discrete_gradient(values, device="cuda")


def test_an_image_larger_than_the_hosts_memory_is_rejected():
    values = np.zeros((64, 64, 64), np.float32)
    with (
        on_a_device_of(2_200_000),
        mock.patch.object(HostDevice, "free_memory", return_value=1000),
        pytest.raises(sx.DeviceMemoryError, match="1,048,576 bytes of host memory; 1,000 are"),
    ):
        sx.discrete_gradient(values, device="cuda")


def test_labels_are_computed_on_the_host_if_they_do_not_fit_on_the_device():
    values = ties((64, 40, 40), 1000)
    with on_a_device_of(1_700_000) as small:
        found = sx.morse_smale(values, device="cuda")
        small.memory = 5000
        streamed = len(small.limits)
        labels = {kind: found.segmentation(kind) for kind in ("morse_smale", "ascending")}
        assert len(small.limits) == streamed
    for kind, array in labels.items():
        whole = sx.morse_smale(values, device="cpu").segmentation(kind)
        np.testing.assert_array_equal(array, whole)


# === what a caller sees
def test_progress_rises_with_every_slab(device):
    reported = []
    with cut_into(7):
        found = sx.morse_smale(
            ties((30, 20, 20), 9), device=device, progress=lambda *now: reported.append(now)
        )
    fractions = [fraction for fraction, _ in reported]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert len({fraction for fraction, stage in reported if stage == "gradient"}) >= 7
    for kind in ("descending", "ascending", "morse_smale"):
        later = []
        found.segmentation(kind, progress=lambda part, _, later=later: later.append(part))
        assert later == sorted(later)
        assert later[-1] == 1
        assert len(set(later)) >= 7


def test_cancellation_between_slabs_does_not_affect_later_calls(device):
    values = ties((30, 20, 20), 9)

    def stop_after(n_calls):
        left = iter(range(n_calls))

        def progress(fraction, stage):
            if next(left, None) is None:
                raise sx.Canceled("enough")

        return progress

    with cut_into(5):
        for n_calls in range(0, 9, 2):
            with pytest.raises(sx.Canceled, match="enough"):
                sx.morse_smale(values, device=device, progress=stop_after(n_calls))
        found = sx.morse_smale(values, device=device)
        for n_calls in range(0, 12, 3):
            with pytest.raises(sx.Canceled, match="enough"):
                found.segmentation("ascending", progress=stop_after(n_calls))
        labels = found.segmentation("ascending")
    whole = sx.morse_smale(values, device="cpu").segmentation("ascending")
    np.testing.assert_array_equal(labels, whole)


def test_values_that_are_not_finite_are_named_as_in_one_piece(device):
    values = np.zeros((9, 8, 7), np.float32)
    values[2, 3, 4] = values[8, 0, 0] = np.nan
    with cut_into(4), pytest.raises(sx.InputError, match=r"values\[2, 3, 4\] = nan \(2 invalid"):
        sx.discrete_gradient(values, device=device)


def test_the_callers_array_may_change_after_the_call(device):
    values = ties((12, 9, 9), 99)
    whole = sx.morse_smale(values, device="cpu").segmentation("morse_smale")
    with cut_into(3):
        found = sx.morse_smale(values, device=device)
    values[:] = 0
    np.testing.assert_array_equal(found.segmentation("morse_smale"), whole)


def test_slabs_are_halved_if_their_devices_have_less_memory_than_expected(device, monkeypatch):
    values = ties((13, 6, 5), 30_000)
    whole = everything(values, device="cpu")
    numbers = []

    def run_pieces(session: Session, number: int, *arguments: Any, **options: Any) -> Any:
        numbers.append(number)
        if number < 8:
            raise sx.DeviceMemoryError("The GPU is full.", needed=100)
        return turns.run_pieces(session, number, *arguments, **options)

    for module in ("pieces.streamed", "complexes.cubical.slab_gradient"):
        monkeypatch.setattr(f"separatrix.{module}.run_pieces", run_pieces)
    with cut_into(2):
        assert_same_bits(whole, everything(values, device=device))
    assert set(numbers) == {2, 4, 8}


# === on a GPU
class Peak:
    """The most device memory that calls in a context have allocated, in all threads."""

    def __init__(self) -> None:
        import cupy

        self._free = lambda: int(cupy.cuda.runtime.memGetInfo()[0])
        self._begin, self.bytes = self._free(), 0

    def recording(self, malloc: Any) -> Any:
        def allocate(n_bytes: int) -> Any:
            found = malloc(n_bytes)
            self.bytes = max(self.bytes, self._begin - self._free())
            return found

        return allocate


@contextmanager
def peak_of_memory() -> Iterator[Peak]:
    import cupy

    peak = Peak()

    class Pool(cupy.cuda.MemoryPool):
        def __init__(self) -> None:
            super().__init__()
            self.malloc = peak.recording(super().malloc)

    default = cupy.get_default_memory_pool().malloc
    with mock.patch.object(cupy.cuda, "MemoryPool", Pool):
        cupy.cuda.set_allocator(peak.recording(default))
        try:
            yield peak
        finally:
            cupy.cuda.set_allocator(default)


@pytest.mark.alone
@pytest.mark.gpu
@pytest.mark.parametrize("limit_mib", [24, 64, 160])
def test_the_peak_of_device_memory_stays_below_the_limit(cuda, limit_mib):
    values = np.random.default_rng(3).random((256, 256, 256), np.float32)
    kinds = ("descending", "ascending", "morse_smale")
    limit = {"device": cuda, "memory_limit": limit_mib << 20}
    sx.morse_smale(values, **limit).segmentation("morse_smale")  # modules take memory, too
    sx.release_memory()
    with peak_of_memory() as peak:
        found = sx.morse_smale(values, **limit)
        labels = {kind: found.segmentation(kind) for kind in kinds}
    assert "slabs" in found.device
    assert 0 < peak.bytes <= (limit_mib + 8) << 20  # the driver deals in pages of 2 MiB
    whole = sx.morse_smale(values, device=cuda)
    for kind in kinds:
        np.testing.assert_array_equal(labels[kind], sx.to_host(whole.segmentation(kind)))


@pytest.mark.gpu
def test_an_array_on_the_gpu_is_read_in_place(cuda):
    import cupy

    values = ties((40, 41, 42), 99).astype(np.float32)
    for there in (cupy.asarray(values), cupy.asfortranarray(cupy.asarray(values))):
        with cut_into(4):
            assert_same_bits(everything(values, device="cpu"), everything(there))


# === with other options
@pytest.mark.parametrize(
    "periodic",
    [
        (True, False, False),
        (False, True, False),
        (True, True, False),
        (False, False, True),
        (True, True, True),
    ],
)
@pytest.mark.parametrize("order", ["index", "plateau", "array"])
def test_slabs_of_periodic_layers_and_of_plateaus_in_order_are_those_of_one_piece(
    device, periodic, order
):
    options = {"periodic": periodic, "order": order}
    for levels in (3, 30_000):
        values = ties((7, 6, 5), levels, 5)
        if order == "array":
            options["order"] = any_order(values, np.random.default_rng(levels))
        whole = sx.morse_smale(values, device="cpu", **options)
        for number in (2, 3, 7):
            with cut_into(number):
                found = sx.morse_smale(values, device=device, **options)
                for name in ("cell_id", "value", "vertex", "position"):
                    expected = getattr(whole.critical, name)
                    np.testing.assert_array_equal(
                        sx.to_host(getattr(found.critical, name)), expected
                    )
                for kind in ("ascending", "descending", "morse_smale"):
                    np.testing.assert_array_equal(
                        sx.to_host(found.segmentation(kind)), whole.segmentation(kind)
                    )
                simple, expected = (one.simplify(2.0).simplified_field() for one in (found, whole))
                np.testing.assert_array_equal(simple.values, expected.values)
                np.testing.assert_array_equal(simple.order, expected.order)
                level = found.simplify(0.3, relative=True)
            expected_level = whole.simplify(0.3, relative=True)
            assert level.persistence == expected_level.persistence
            assert level.critical.counts == expected_level.critical.counts


def test_pairs_of_an_image_in_slabs_are_those_of_the_whole_on_the_device_of_the_slabs(
    device, monkeypatch
):
    monkeypatch.setattr("separatrix.morse.graph.FEW_CELLS", 100)
    for values in noise_fields(4, 11):
        expected = sx.persistence_diagram(values, device="cpu")
        for n_bytes in (150, 1 << 60):  # the second does not fit
            monkeypatch.setattr("separatrix.morse.graph.GRAPH_BYTES", n_bytes)
            with cut_into(3):
                found = sx.persistence_diagram(values, device=device)
            for name, column in vars(expected).items():
                np.testing.assert_array_equal(sx.to_host(getattr(found, name)), column)


# === outputs that do not fit next to an image that does
@pytest.mark.gpu
@pytest.mark.parametrize("bytes_per_voxel", [17, 30, 90, 140])
def test_connectors_and_pairs_respect_the_limit_with_the_same_bits(cuda, bytes_per_voxel):
    values = np.random.default_rng(6).random((70, 32, 32), np.float32)
    expected = sx.persistence_diagram(values, device="cpu")
    limit = bytes_per_voxel * values.size
    found = sx.persistence_diagram(values, device=cuda, memory_limit=limit)
    for name, column in vars(expected).items():
        np.testing.assert_array_equal(sx.to_host(getattr(found, name)), column, err_msg=name)


@pytest.mark.gpu
def test_what_needs_more_than_the_limit_is_computed_elsewhere(cuda, monkeypatch):
    values = np.random.default_rng(6).random((70, 32, 32), np.float32)
    asked, begin = [], Session.in_slabs

    def in_slabs(session: Session) -> Any:
        asked.append(session)
        return begin(session)

    monkeypatch.setattr(Session, "in_slabs", in_slabs)
    expected = sx.morse_smale(values, device="cpu")
    for bytes_per_voxel, is_asked in ((90, True), (230, False)):
        asked.clear()
        found = sx.morse_smale(values, device=cuda, memory_limit=bytes_per_voxel * values.size)
        assert found.device == "cuda:0"
        pairs = found.persistence_pairs
        for name, column in vars(expected.persistence_pairs).items():
            np.testing.assert_array_equal(sx.to_host(getattr(pairs, name)), column)
        if is_asked:
            with pytest.raises(sx.DeviceMemoryError, match=r"A table of .* arcs requires"):
                _ = found.arcs
        else:
            for name, column in vars(expected.arcs).items():
                np.testing.assert_array_equal(sx.to_host(getattr(found.arcs, name)), column)
        assert bool(asked) is is_asked
        assert isinstance(found._graph().rank, np.ndarray) is is_asked
    # Not even slabs of one layer fit.
    monkeypatch.setattr(
        "separatrix.complexes.cubical.gradient.stream_connectors", lambda *_, **__: None
    )
    found = sx.morse_smale(values, device=cuda, memory_limit=90 * values.size)
    found_pairs = sx.to_host(found.persistence_pairs.death_cell)
    np.testing.assert_array_equal(found_pairs, expected.persistence_pairs.death_cell)
    found = sx.morse_smale(values, device=cuda, memory_limit=90 * values.size)
    monkeypatch.setattr(found._session.memory, "limit", 22 * values.size)
    with pytest.raises(sx.DeviceMemoryError, match="A table of 100,069 connectors requires"):
        _ = found.persistence_pairs


@pytest.mark.alone
@pytest.mark.gpu
def test_the_peak_of_a_diagram_stays_below_the_limit(cuda):
    values = np.random.default_rng(3).random((192, 192, 192), np.float32)
    limit = 40 * values.size
    sx.persistence_diagram(values, device=cuda, memory_limit=limit)  # modules take memory, too
    sx.release_memory()
    with peak_of_memory() as peak:
        sx.persistence_diagram(values, device=cuda, memory_limit=limit)
    assert 0 < peak.bytes <= limit + (8 << 20)
