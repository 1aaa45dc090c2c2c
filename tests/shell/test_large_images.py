"""Images that devices divide, or that pass through files of a scratch folder, in the shell."""

from __future__ import annotations

import numpy as np
import pytest

from shell.command import refused, separatrix

SHAPE = 14, 12, 13


@pytest.fixture
def folder(tmp_path):
    values = np.random.default_rng(3).integers(0, 50, SHAPE).astype(np.float32)
    np.save(tmp_path / "image.npy", values)
    values.tofile(tmp_path / "image.raw")
    (tmp_path / "scratch").mkdir()
    return tmp_path


def arrays(folder, name, *words):
    done = separatrix("morse-smale", name, "found.npz", "--threads", "1", *words, folder=folder)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "found.npz") as found:
        return {key: found[key].tobytes() for key in found.files}


RAW = ("--dims", "13,12,14", "--dtype", "float32")


@pytest.mark.parametrize(
    ("name", "words"),
    [("image.npy", ()), ("image.raw", RAW), ("image.npy", ("--devices", "cpu,cpu"))],
)
def test_results_do_not_depend_on_devices_and_scratch_files(folder, name, words):
    scratch = () if "--devices" in words else ("--scratch", "scratch")
    whole = arrays(folder, "image.npy")
    assert arrays(folder, name, *words, *scratch) == whole
    assert not any((folder / "scratch").iterdir())


def test_a_missing_scratch_folder_is_an_error(folder):
    words = ("critical-points", "image.npy", "points.csv", "--scratch", "absent")
    error = refused(separatrix(*words, folder=folder))
    assert error.startswith("--scratch must be an existing folder that can be written to")
