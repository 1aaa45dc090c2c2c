"""Disks that are full, limits on the size of files, and folders that may not be written to.

At any time, a file with the final name is complete: either the new one or the old one.
"""

import os
from pathlib import Path

import pytest

pytest.importorskip("vtkmodules")

from reliability.footprint import files_of_at_most
from separatrix_vtk.cli import main
from separatrix_vtk.cli.exit_codes import MACHINE, USER_ERROR
from separatrix_vtk.io import writers as write
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.paraview.launcher import write_launcher

long = pytest.mark.long
REPOSITORY = Path(__file__).resolve().parents[2]
TERRAIN = str(REPOSITORY / "sample_data" / "terrain.vti")
TORUS = str(REPOSITORY / "sample_data" / "torus.csv")
RING = str(REPOSITORY / "sample_data" / "ring.vtu")
WRITERS = {
    ".vtm": ["morse-smale", TERRAIN, "out.vtm"],
    ".vtp": ["morse-smale", TERRAIN, "out.vtp"],
    ".vti": ["morse-smale", TERRAIN, "out.vti"],
    ".vtu": ["morse-smale", RING, "out.vtu"],
    ".npz": ["morse-smale", TERRAIN, "out.npz"],
    ".csv": ["persistence-diagram", TERRAIN, "out.csv"],
}
OLD = "what was there before"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def ran(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The status of a command, and its messages on stderr."""
    status = main([*arguments, "--device", "cpu", "--quiet"])
    return status, capsys.readouterr().err


@pytest.mark.parametrize("is_there", [False, True], ids=["new", "old"])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_full_disk_raises_an_error_and_preserves_the_old_file(kind, is_there, folder, capsys):
    command = WRITERS[kind]
    if is_there:
        (folder / command[2]).write_text(OLD)
    before = files_of(folder)
    with files_of_at_most(1000):
        status, said = ran(command, capsys)
    assert status == MACHINE
    assert said.startswith("separatrix: ")
    assert said.count("\n") == 1
    assert "out" in said
    assert "full" in said or "too large" in said
    assert files_of(folder) == before
    assert not [path for path in folder.iterdir() if path.is_dir()]


@long
def test_after_a_full_disk_the_same_command_works(folder, capsys):
    command = WRITERS[".vtm"]
    assert ran(command, capsys) == (0, "")
    expected = files_of(folder)
    assert len(expected) > 3
    for size in (1000, 20_000, 60_000):
        with files_of_at_most(size):
            assert ran(command, capsys)[0] == MACHINE
        assert files_of(folder) == expected
    assert ran(command, capsys) == (0, "")
    assert files_of(folder) == expected


@long
@pytest.mark.parametrize("stop", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_vtm_keeps_its_old_pieces_if_a_new_piece_cannot_be_moved(
    stop, folder, capsys, monkeypatch
):
    command = WRITERS[".vtm"]
    assert ran(command, capsys) == (0, "")
    (folder / "out" / "foreign.txt").write_text(OLD)
    expected = files_of(folder)
    replace, n_tried = os.replace, 0
    for k in range(40):
        calls = iter(range(1000))

        def failing(source, target, k=k, calls=calls):
            if next(calls) == k:
                raise stop
            replace(source, target)

        monkeypatch.setattr(write.os, "replace", failing)
        status, _ = ran([*command, "--persistence", "5%"], capsys)
        monkeypatch.setattr(write.os, "replace", replace)
        if status == 0:
            break
        assert status == (MACHINE if isinstance(stop, OSError) else 130)
        assert files_of(folder) == expected
        assert {path.name for path in folder.iterdir()} == {"out", "out.vtm"}
        n_tried += 1
    assert n_tried > 5
    assert files_of(folder) != expected


@long
@pytest.mark.parametrize(
    "stop", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "stopped"]
)
def test_old_pieces_that_cannot_be_restored_are_kept_and_named(stop, folder, capsys, monkeypatch):
    command = WRITERS[".vtm"]
    assert ran(command, capsys) == (0, "")
    expected = files_of(folder)
    replace = os.replace

    def failing(source, target):
        is_back = Path(source).parent.name == write.REPLACED
        if Path(target).name == "out.vtm" or (is_back and Path(source).name == "out_1.vtp"):
            raise stop
        replace(source, target)

    monkeypatch.setattr(write.os, "replace", failing)
    status, said = ran([*command, "--persistence", "5%"], capsys)
    monkeypatch.setattr(write.os, "replace", replace)
    (kept,) = folder.glob(".*/*")
    reason, expected_status = (
        ("No space left on device", MACHINE)
        if isinstance(stop, OSError)
        else ("stopped", USER_ERROR)
    )
    assert status == expected_status
    assert said == (
        f"separatrix: out.vtm: cannot be written ({reason}). 1 of the old pieces could not be "
        f"restored into out and are kept in {kept}.\n"
    )
    (kept / "out_1.vtp").rename(folder / "out" / "out_1.vtp")
    assert files_of(folder) == expected
    assert kept.parent.stat().st_mode & 0o777 == 0o700


@long
def test_a_missing_folder_or_a_file_in_its_place_is_a_one_line_error(folder, capsys):
    (folder / "file").write_text(OLD)
    for place in ("missing/out.vtm", "file/out.vtm", "/proc/out.vtm", "/proc/self/out.npz"):
        status, said = ran(["morse-smale", TERRAIN, place], capsys)
        assert (status, said.count("\n")) == (USER_ERROR, 1)
        assert place in said


@long
@pytest.mark.parametrize("suffix", [".npz", ".vtp", ".vtm", ".csv"])
def test_a_file_name_of_the_maximum_length_is_written_and_a_longer_one_rejected(
    suffix, folder, capsys
):
    command = "morse-smale" if suffix != ".csv" else "persistence-diagram"
    room = os.pathconf(folder, "PC_NAME_MAX") - len("_99.vtp" if suffix == ".vtm" else suffix)
    name = "n" * room + suffix
    assert ran([command, TERRAIN, name], capsys) == (0, "")
    assert len(list(folder.iterdir())) == 1 + (suffix == ".vtm")
    status, said = ran([command, TERRAIN, "n" + name], capsys)
    assert (status, said.count("\n")) == (USER_ERROR, 1)
    assert "its name has 256 bytes; the maximum in" in said
    deep = folder / Path(*["d" * 200] * 21)
    status, said = ran([command, TERRAIN, str(deep / name)], capsys)
    assert (status, said.count("\n")) == (USER_ERROR, 1)


@long
def test_a_path_too_long_for_the_temporary_folder_is_rejected(folder, capsys):
    longest = os.pathconf(folder, "PC_PATH_MAX")
    name = folder
    while len(str(name)) + 202 < longest - 36:
        name /= "d" * 200
    name /= "d" * (longest - 36 - len(str(name)))
    name.mkdir(parents=True)
    status, said = ran(["morse-smale", TERRAIN, str(name / "out.npz")], capsys)
    assert (status, said.count("\n")) == (USER_ERROR, 1)
    assert f"the maximum is {longest}. Write it to a folder with a shorter path." in said


@long
def test_a_launcher_written_to_a_full_disk_leaves_the_old_one(folder):
    file = folder / "paraview"
    file.write_text(OLD)
    problem = pytest.raises(FileError, match=r"paraview: cannot be written \(File too large")
    with files_of_at_most(1000), problem:
        write_launcher(file, "#!/bin/sh\n" + "# a long line\n" * 500, force=True)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"paraview": OLD}
