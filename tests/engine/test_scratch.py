"""Images read layer by layer, with a scratch folder for their arrays, have the bits of others."""

import os
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import assert_same_bits, everything
from oracles.fields import Field
from separatrix.device import scratch


class Sliced:
    """The minimal interface of a file reader."""

    def __init__(self, values: Field):
        self._values, self.shape, self.dtype = values, values.shape, values.dtype
        self.read: list[Any] = []

    def __getitem__(self, part: Any) -> Any:
        self.read.append(part)
        return self._values[part].tolist()


def in_hdf5(values: Field, folder: Path) -> Any:
    h5py = pytest.importorskip("h5py")
    return h5py.File(folder / "image.h5", "w").create_dataset("image", data=values, chunks=True)


def in_zarr(values: Field, folder: Path) -> Any:
    zarr = pytest.importorskip("zarr")
    return zarr.array(values, store=folder / "image.zarr", chunks=(3, *values.shape[1:]))


def in_raw_file(values: Field, folder: Path) -> Any:
    values.tofile(folder / "image.raw")
    return np.memmap(folder / "image.raw", values.dtype, "r", shape=values.shape)


SOURCES = {
    "HDF5": in_hdf5,
    "zarr": in_zarr,
    "memory map": in_raw_file,
    "other bytes": lambda values, folder: in_raw_file(values.astype(">f4"), folder),
    "other axes": lambda values, folder: np.asfortranarray(values),
    "slices": lambda values, folder: Sliced(values),
}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "SPILL_FROM", 1000)
    monkeypatch.setattr(scratch, "READ_BYTES", 900)


def values_of(*shape: int, levels: int = 9) -> Field:
    return np.random.default_rng(5).integers(0, levels, shape).astype(np.float32)


@pytest.mark.parametrize(
    ("source", "shape"),
    [
        *((source, (9, 8, 7)) for source in SOURCES),
        *(("slices", shape) for shape in [(1, 12, 9), (20, 30), (40,)]),
    ],
)
def test_every_source_gives_the_same_bits_as_an_array(tmp_path, source, shape):
    values = values_of(*shape)
    given = SOURCES[source](values, tmp_path)
    found = everything(given, device="cpu", scratch=tmp_path)
    assert_same_bits(found, everything(values, device="cpu"))
    assert not [name for name in os.listdir(tmp_path) if name.startswith("separatrix-")]


@pytest.mark.parametrize(
    "options",
    [
        {"order": "plateau"},
        {"periodic": (True, False, True)},
        {"mask": np.indices((9, 8, 7)).sum(0) % 5 > 0},
    ],
    ids=str,
)
def test_options_apply_to_sources(tmp_path, options):
    values = values_of(9, 8, 7)
    whole = sx.morse_smale(values, device="cpu", **options)
    found = sx.morse_smale(Sliced(values), device="cpu", scratch=str(tmp_path), **options)
    for one, expected in ((found, whole), (found.simplify(3.0), whole.simplify(3.0))):
        np.testing.assert_array_equal(one.critical.cell_id, expected.critical.cell_id)
        np.testing.assert_array_equal(one.arcs.multiplicity, expected.arcs.multiplicity)
        for kind in ("descending", "morse_smale"):
            np.testing.assert_array_equal(one.segmentation(kind), expected.segmentation(kind))


def test_arrays_of_the_image_are_not_in_memory(tmp_path):
    values = np.sin(np.indices((90, 60, 60)) / 9).sum(0).astype(np.float32)
    given = in_raw_file(values, tmp_path)

    def peak(**options: Any) -> int:
        tracemalloc.start()
        try:
            sx.morse_smale(given, device="cpu", threads=1, **options).segmentation("descending")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(scratch=tmp_path, memory_limit=3_000_000) < peak() - given.nbytes


def test_layers_are_read_once_and_progress_rises(tmp_path):
    source, reported = Sliced(values_of(12, 10, 10)), []
    sx.morse_smale(
        source, device="cpu", progress=lambda part, stage: reported.append((part, stage))
    )
    runs = [part[0] for part in source.read]
    assert [(run.start, run.stop) for run in runs] == [(i, i + 2) for i in range(0, 12, 2)]
    assert [part for part, _ in reported] == sorted(part for part, _ in reported)
    assert len({part for part, stage in reported if stage == "upload"}) >= len(runs)


@pytest.mark.parametrize("shape", [(30, 8, 7), (1, 30, 8), (40,)])
def test_labels_are_written_to_a_file_slab_by_slab(tmp_path, shape):
    class Target:
        dtype, written = np.dtype(np.int64), []

        def __setitem__(self, part: Any, labels: Any) -> None:
            self.written.append(part[-1])
            array[part] = labels

    values, array, target = values_of(*shape), np.zeros(shape, np.int64), Target()
    target.shape = shape
    whole = sx.morse_smale(values, device="cpu")
    limit = (1 << 20) + 25000 + 28 * len(whole.critical)
    complex = sx.morse_smale(values, device="cpu", scratch=tmp_path, memory_limit=limit)
    for kind in ("descending", "ascending"):
        target.written.clear()
        assert complex.segmentation(kind, out=target) is target
        ends = sorted((run.start, run.stop) for run in target.written)
        assert [begin for begin, _ in ends[1:]] == [end for _, end in ends[:-1]]
        assert len(ends) > (shape[0] == 30)
        np.testing.assert_array_equal(array, whole.segmentation(kind))
        assert not any(kind in name for name in complex._labels._kept)


@pytest.mark.parametrize("target", ["memory map", "zarr", "HDF5"])
def test_labels_are_written_to_a_file(tmp_path, target):
    values = values_of(9, 8, 7)
    out = SOURCES[target](np.zeros(values.shape, np.int32), tmp_path)
    if target == "memory map":
        out = np.memmap(tmp_path / "labels.raw", np.int32, "w+", shape=values.shape)
    complex = sx.morse_smale(values, device="cpu", scratch=tmp_path)
    assert complex.segmentation("morse_smale", out=out) is out
    np.testing.assert_array_equal(out[:], complex.segmentation("morse_smale"))


def test_the_callers_array_may_change_after_the_call(tmp_path):
    values = values_of(9, 8, 7)
    whole = sx.morse_smale(values, device="cpu").regions("ascending")
    found = sx.morse_smale(values, device="cpu", scratch=tmp_path)
    values[:] = 0
    np.testing.assert_array_equal(found.regions("ascending").maximum, whole.maximum)


@pytest.mark.gpu
def test_slabs_of_a_gpu_are_kept_in_files(cuda, tmp_path):
    values = np.sin(np.indices((60, 40, 36)) / 5).sum(0).round(1).astype(np.float32)
    whole = sx.morse_smale(values, device="cpu")
    found = sx.morse_smale(Sliced(values), device=cuda, scratch=tmp_path, memory_limit=1_600_000)
    assert "in slabs" in found.device
    for one, expected in ((found, whole), (found.simplify(0.5), whole.simplify(0.5))):
        np.testing.assert_array_equal(one.arcs.upper, expected.arcs.upper)
        labels = np.zeros(values.shape, np.int32)
        one.segmentation("morse_smale", out=labels)
        np.testing.assert_array_equal(labels, expected.segmentation("morse_smale"))


class Broken(Sliced):
    def __getitem__(self, part: Any) -> Any:
        raise OSError("disk error")


def test_errors_name_the_argument(tmp_path):
    values = values_of(9, 8, 7)
    with pytest.raises(sx.InputError, match="scratch must be an existing folder"):
        sx.morse_smale(values, device="cpu", scratch=tmp_path / "none")
    with pytest.raises(sx.InputError, match="scratch must be an existing folder"):
        sx.morse_smale(values, device="cpu", scratch=3)
    with pytest.raises(sx.InputError, match=r"whose layers can be read; got Broken \(disk error\)"):
        sx.morse_smale(Broken(values), device="cpu")
    with pytest.raises(sx.DeviceMemoryError, match=r"memory_limit allows 1,000. Raise it"):
        sx.morse_smale(values, device="cpu", scratch=tmp_path, memory_limit=1000)
    complex = sx.morse_smale(values, device="cpu")
    for out in (np.zeros((9, 8, 6), np.int32), np.zeros(values.shape, np.int16), [1, 2]):
        with pytest.raises(sx.InputError, match=r"out must be an array of shape \(9, 8, 7\)"):
            complex.segmentation("ascending", out=out)


def test_a_full_disk_is_an_error(tmp_path, monkeypatch):
    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(sx.DeviceMemoryError, match="cannot be reserved: No space left on device"):
        sx.morse_smale(values_of(9, 8, 7), device="cpu", scratch=tmp_path)


@pytest.mark.parametrize("noise", [0.02, 5.0])
def test_a_limit_is_kept_or_the_error_names_what_is_needed(tmp_path, monkeypatch, noise):
    monkeypatch.setattr(scratch, "SPILL_FROM", 1 << 16)
    place = np.indices((80, 60, 60)) / 9
    values = np.sin(place).sum(0) + noise * np.random.default_rng(4).random((80, 60, 60))
    expected = sx.persistence_diagram(values, device="cpu")
    options = {"device": "cpu", "threads": 1, "scratch": tmp_path}
    limit, n_errors = 6_000_000, 0
    while True:
        tracemalloc.start()
        try:
            found = sx.persistence_diagram(values, memory_limit=limit, **options)
            peak = tracemalloc.get_traced_memory()[1]
            break
        except sx.DeviceMemoryError as error:
            text = str(error)
        finally:
            tracemalloc.stop()
        *needed, allowed = (int(n.replace(",", "")) for n in re.findall(r"[\d,]{5,}", text)[-3:])
        assert "memory_limit allows" in text
        assert allowed == limit < sum(needed)
        limit, n_errors = sum(needed), n_errors + 1
    assert n_errors == (0 if noise < 1 else 2)
    assert peak <= limit
    for name, column in vars(expected).items():
        np.testing.assert_array_equal(getattr(found, name), column, err_msg=name)
