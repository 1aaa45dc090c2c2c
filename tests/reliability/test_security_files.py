"""Names in files lead nowhere, outputs are private until they are whole, libraries have a path."""

import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("vtkmodules")

from separatrix.device import host, local_compiler
from separatrix.errors import KernelError
from separatrix_vtk.cli import main
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.io.volumes import read_volume
from separatrix_vtk.io.writers import write_arrays, write_blocks, write_dataset

ELSEWHERE = (
    "../secret.raw", "a/../../secret.raw", "/etc/passwd", "/dev/zero", "..\\secret.raw",
    "~/secret.raw", "C:\\secret.raw", "\\\\host\\share", "below/../../secret.raw",
)  # fmt: skip
NRRD = "NRRD0004\ntype: uchar\nencoding: raw\nsizes: 2 2 2\ndata file: {}\n\n"
METAIMAGE = "NDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementDataFile = {}\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.raw").write_bytes(bytes(range(8)))
    (tmp_path / "data" / "below").mkdir(parents=True)
    return tmp_path / "data"


@pytest.mark.parametrize(("name", "text"), [("a.nhdr", NRRD), ("a.mhd", METAIMAGE)])
def test_a_header_cannot_name_a_file_outside_its_folder(folder, name, text):
    for elsewhere in ELSEWHERE:
        (folder / name).write_text(text.format(elsewhere))
        with pytest.raises(FileError, match=r"outside of its folder|was not found"):
            read_volume(folder / name)
    (folder / "below" / "own.raw").write_bytes(bytes(range(8)))
    (folder / name).write_text(text.format("below/own.raw"))
    assert read_volume(folder / name).GetDimensions() == (2, 2, 2)


@pytest.mark.parametrize("name", ["a.nhdr", "a.mhd"])
def test_data_that_are_not_a_regular_file_are_not_read(folder, name):
    os.mkfifo(folder / "pipe")
    (folder / "zeros").symlink_to("/dev/zero")
    for beside in ("pipe", "zeros", "below"):
        (folder / name).write_text({"a.nhdr": NRRD, "a.mhd": METAIMAGE}[name].format(beside))
        with pytest.raises(FileError, match="was not found"):
            read_volume(folder / name)


def test_names_of_arrays_are_not_paths_in_an_archive(tmp_path):
    names = ["../../up", "/root", "file", "allow_pickle", "", "a\\b", "C:x", "a\0b", "\udcff", "_"]
    write_arrays(tmp_path / "out.npz", {name: np.arange(3) for name in names})
    with zipfile.ZipFile(tmp_path / "out.npz") as archive:
        members = archive.namelist()
    assert len(set(members)) == len(names)
    assert not [member for member in members if set("/\\:\0") & set(member)]
    with np.load(tmp_path / "out.npz", allow_pickle=False) as kept:
        assert {"file", "allow_pickle", "unnamed"} <= set(kept)
        assert all(kept[name].tolist() == [0, 1, 2] for name in kept)


def test_an_archive_of_objects_is_not_written(tmp_path):
    with pytest.raises(ValueError, match=r"[Oo]bject"):
        write_arrays(tmp_path / "out.npz", {"a": np.array([{}], dtype=object)})
    assert not list(tmp_path.iterdir())


def test_a_link_at_the_place_of_the_output_is_replaced_and_not_followed(tmp_path):
    from separatrix_vtk.io.volumes import read_volume

    image = read_volume(Path(__file__).parent / "corpus" / "ascii.vti")
    other = tmp_path / "other"
    for i, write in enumerate((
        lambda path: write_dataset(path, image),
        lambda path: write_arrays(path, {"a": np.arange(3)}),
        lambda path: write_blocks(path, [("a", image)]),
    )):  # fmt: skip
        other.write_text("keep me")
        path = tmp_path / f"out{i}{('.vti', '.npz', '.vtm')[i]}"
        path.symlink_to(other)
        write(path)
        assert other.read_text() == "keep me"
        assert not path.is_symlink()
    (tmp_path / "folder").mkdir()
    (tmp_path / "pieces").symlink_to(tmp_path / "folder")
    with pytest.raises(FileError, match="is a link"):
        write_blocks(tmp_path / "pieces.vtm", [("a", image)])
    assert not list((tmp_path / "folder").iterdir())


def test_files_being_written_are_private(tmp_path, monkeypatch):
    seen = []
    replace = os.replace

    def watched(source, target):
        folder = Path(source).parent
        seen.append((stat.S_IMODE(folder.stat().st_mode), folder.parent))
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    write_arrays(tmp_path / "out.npz", {"a": np.arange(3)})
    assert seen == [(0o700, tmp_path)]


def test_a_message_contains_no_escape_sequence(tmp_path, capfd):
    path = tmp_path / "a\x1b[2J\nb.csv"
    path.write_text("x,y,z\n1,2,\x1b]0;title\x07\n")
    assert main(["neighbors", str(path)]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert said.rstrip("\n").isprintable()


# === libraries


def test_a_library_is_loaded_only_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for named in ("libseparatrix.so", "./libm.so.6", "libm.so.6"):
        monkeypatch.setenv("SEPARATRIX_LIBRARY", named)
        assert host.library_path() == tmp_path / named
    monkeypatch.delenv("SEPARATRIX_LIBRARY")
    found = host.library_path()
    assert found.is_absolute()
    assert tmp_path not in found.parents


def test_the_folder_of_compiled_formulas_belongs_to_the_user(tmp_path, monkeypatch):
    monkeypatch.delenv("SEPARATRIX_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "here")  # relative: ignored
    assert local_compiler.cache_folder() == tmp_path / ".cache" / "separatrix"
    assert stat.S_IMODE((tmp_path / ".cache" / "separatrix").stat().st_mode) == 0o700
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("SEPARATRIX_CACHE", str(shared))
    with pytest.raises(KernelError, match="Other users can write to"):
        local_compiler.cache_folder()
    if os.getuid() == 0:
        os.chown(shared, 12345, 12345)
        shared.chmod(0o700)
        with pytest.raises(KernelError, match="Other users can write to"):
            local_compiler.cache_folder()


def test_modules_of_the_working_folder_are_not_imported(tmp_path):
    """A command that runs in a folder of data does not import its files."""
    for name in ("numpy", "vtkmodules", "gemmi", "cupy", "separatrix"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the working folder')")
    script = tmp_path / "bin" / "separatrix"
    script.parent.mkdir()
    script.write_text("import sys; from separatrix_vtk.cli import main; sys.exit(main())")
    done = subprocess.run(
        [sys.executable, str(script), "cite", "rips"],
        cwd=tmp_path, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
