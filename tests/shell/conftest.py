"""Files that the tests of commands work on."""

import numpy as np
import pytest

from shell.command import noise


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with an image of 7 x 6 x 5 points."""
    np.save(tmp_path / "field.npy", noise(5, 6, 7))
    monkeypatch.chdir(tmp_path)
    return tmp_path
