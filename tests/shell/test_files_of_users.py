"""The commands for "your file" in docs/pictures.md run as they stand, on files of those names."""

import re
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
import pyvista
from scipy.io import netcdf_file

from shell.command import separatrix

REPOSITORY = Path(__file__).resolve().parents[2]
FOREIGN, SAMPLES = REPOSITORY / "tests" / "files" / "foreign", REPOSITORY / "sample_data"
PAGE = (REPOSITORY / "docs" / "pictures.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\| [^|]+ \| `separatrix (.*)` \|$", PAGE, re.MULTILINE)
COPIES = {
    "brain.nii.gz": FOREIGN / "turned.nii.gz",
    "stack.tif": FOREIGN / "imagej.tif",
    "protein.pdb": SAMPLES / "1crn.pdb",
    "points.csv": SAMPLES / "linked_circles.csv",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for name, sample in COPIES.items():
        shutil.copy(sample, folder / name)
    shutil.copytree(FOREIGN / "dicom", folder / "scans")
    random = np.random.default_rng(2)
    points, volume = random.random((30, 3)), random.random((6, 5, 4))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.savetxt(folder / "distances.csv", distances, delimiter=",")
    with h5py.File(folder / "data.h5", "w") as file:
        file["volume/data"] = volume
    with netcdf_file(folder / "ocean.nc", "w") as file:
        for axis, n in (("lat", 6), ("lon", 20)):
            file.createDimension(axis, n)
            file.createVariable(axis, "d", (axis,))[:] = 2.0 * np.arange(n)
        values = np.where(np.arange(120).reshape(6, 20) % 50, volume.reshape(6, 20), np.nan)
        file.createVariable("sst", "d", ("lat", "lon"))[:] = values
    axes = np.meshgrid(np.arange(4.0) ** 2, np.arange(5.0), np.arange(6.0), indexing="ij")
    grid = pyvista.StructuredGrid(*axes)
    grid["stress"] = volume.ravel()
    grid.save(folder / "grid.vts")
    grid.cast_to_unstructured_grid().save(folder / "solid.vtu")
    ring = pyvista.read(SAMPLES / "ring.vtu")
    ring.rename_array("temperature", "stress")
    ring.save(folder / "part.vtu")
    pyvista.Sphere().save(folder / "surface.stl")
    return folder


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[1])
def test_a_command_for_a_file_of_the_user_draws_it(folder, command):
    done = separatrix(*command.split(), folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / command.split()[-1]).stat().st_size > 3000


def test_there_is_a_command_for_each_kind_of_file():
    assert len(COMMANDS) == 12
