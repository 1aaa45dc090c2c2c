"""Folders, variables, and the launcher that `separatrix paraview-setup` passes to ParaView."""

import subprocess
from pathlib import Path

import pytest

from separatrix_vtk.io.errors import FileError
from separatrix_vtk.paraview.inspection import inspect
from separatrix_vtk.paraview.launcher import MARK, launcher_text, write_launcher
from separatrix_vtk.paraview.packages import (
    Packages,
    as_sh,
    find_packages,
    packages_for,
    variables_for,
)
from separatrix_vtk.paraview.paraviews import SetupError, find_paraviews
from shell.fake_paraviews import CLEAN, TREE, paraview, program

# === packages


def test_a_folder_with_only_the_required_packages_is_used_directly(tmp_path):
    assert find_packages({"HOME": str(tmp_path)}).linked == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("other", "why"),
    [("vtkmodules", "VTK"), ("numpy", "NumPy"), ("scipy", "contains other packages: scipy")],
)
def test_site_packages_with_others_are_replaced_by_links(tmp_path, other, why):
    site = tmp_path / "site-packages"
    for name in ("separatrix", "separatrix_vtk", "separatrix-0.1.0.dist-info", other):
        (site / name).mkdir(parents=True)
    homes = [site / "separatrix", site / "separatrix_vtk"]
    for _ in range(2):
        found = packages_for(homes, site / "separatrix_vtk" / "xml", {"HOME": str(tmp_path)})
        (links,) = found.folders
        assert why in found.linked
        assert links.parent == tmp_path / ".local" / "share" / "separatrix" / "paraview"
        assert {path.name: path.resolve() for path in links.iterdir()} == {
            "separatrix": homes[0],
            "separatrix_vtk": homes[1],
            "xml": site / "separatrix_vtk" / "xml",
        }
        assert found.xml == links / "xml"


def test_a_folder_with_a_colon_gets_a_link_and_a_folder_of_links_is_rejected(tmp_path):
    site = tmp_path / "a:b"
    homes = [site / "separatrix", site / "separatrix_vtk"]
    homes[0].mkdir(parents=True)
    homes[1].mkdir()
    assert "colon" in packages_for(homes, site, {"HOME": str(tmp_path)}).linked
    with pytest.raises(SetupError, match="set XDG_DATA_HOME to another folder"):
        packages_for(homes, site, {"XDG_DATA_HOME": str(site)})


def test_links_that_cannot_be_created_are_reported_in_one_sentence(tmp_path):
    (tmp_path / "site" / "numpy").mkdir(parents=True)
    homes = [tmp_path / "site" / name for name in ("separatrix", "separatrix_vtk")]
    (tmp_path / "share").write_text("a file where a folder should be")
    with pytest.raises(SetupError, match="cannot be created as a symbolic link: Not a directory"):
        packages_for(homes, homes[1], {"XDG_DATA_HOME": str(tmp_path / "share")})


# === environment and launcher


def test_printed_commands_are_safe_to_eval(tmp_path):
    nasty = tmp_path / 'it\'s $(touch gone) `x` "q"\nline'
    packages = Packages((nasty,), nasty / "xml", nasty)
    text = as_sh(variables_for(packages, {"PYTHONPATH": "/mine", "PV_PLUGIN_PATH": "::/other:"}))
    shown = subprocess.run(
        ["sh", "-c", 'eval "$1"; printf "%s|" "$PYTHONPATH" "$PV_PLUGIN_PATH"', "sh", text],
        capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert shown.stdout == f"{nasty}:/mine|{nasty}/xml:/other|"
    assert not (tmp_path / "gone").exists()


def test_a_vtk_on_pythonpath_is_ignored_with_a_warning(tmp_path):
    (tmp_path / "vtkmodules").mkdir()
    given = {**CLEAN, "PYTHONPATH": f"{tmp_path}:/mine:/p one/engine"}
    assert variables_for(TREE, given)["PYTHONPATH"] == "/p one/engine:/p one/plugins:/mine"
    tree = paraview(tmp_path, "6.0.1")
    found = inspect(find_paraviews(tree)[0], TREE, given)
    (warning,) = found.warnings
    assert warning.startswith(f"PYTHONPATH contains a VTK, which crashes ParaView: {tmp_path};")


def launched(file: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(file), *arguments], capture_output=True, text=True, env={**CLEAN, **environment}
    )


@pytest.fixture
def launcher(tmp_path):
    folder = tmp_path / "a 'folder' $HOME"
    tree = paraview(folder, "6.0.1")
    program(tree / "bin" / "pvpython", 'echo "pvpython|$*|$PYTHONPATH|$PV_PLUGIN_PATH"')
    for name in ("engine", "xml"):
        (folder / name).mkdir()
    packages = Packages((folder / "engine",), folder / "xml", folder)
    file = tmp_path / "start it"
    write_launcher(file, launcher_text(tree / "bin", packages, name=file.name))
    return file


def test_the_launcher_starts_paraview_or_the_program_named(launcher, tmp_path):
    folder = tmp_path / "a 'folder' $HOME"
    done = launched(launcher, "--data=a b.vti")
    assert done.stdout == f"paraview --data=a b.vti\n{folder}/engine\n"
    (tmp_path / "vtk" / "vtkmodules").mkdir(parents=True)
    done = launched(
        launcher, "pvpython", "x.py", PYTHONPATH=f"{tmp_path}/vtk:/mi*ne:", PV_PLUGIN_PATH="/more"
    )
    assert done.stdout == f"pvpython|x.py|{folder}/engine:/mi*ne|{folder}/xml:/more\n"


def test_the_launcher_reports_missing_files(launcher, tmp_path):
    done = launched(launcher, "pvserver")
    assert (done.returncode, done.stdout) == (127, "")
    assert "there is no pvserver in" in done.stderr
    (tmp_path / "a 'folder' $HOME" / "xml").rmdir()
    done = launched(launcher)
    assert done.returncode == 1
    assert "no longer exists: run separatrix paraview-setup --launcher again" in done.stderr


def test_a_launcher_is_overwritten_and_another_file_is_not(launcher, tmp_path):
    assert launcher.stat().st_mode & 0o100
    write_launcher(launcher, f"#!/bin/sh\n{MARK}\n")
    assert launcher.read_text().count("\n") == 2
    mine = tmp_path / "mine"
    for made in ("text", ""):
        mine.write_text(made)
        with pytest.raises(
            SetupError, match="was not written by this command; --force overwrites it"
        ):
            write_launcher(mine, "#!/bin/sh\n")
    write_launcher(mine, "#!/bin/sh\n", force=True)
    assert mine.read_text() == "#!/bin/sh\n"
    with pytest.raises(SetupError, match="is a folder; name the file to write"):
        write_launcher(tmp_path, "")
    with pytest.raises(FileError, match=r"start: cannot be written \(No such file or directory"):
        write_launcher(tmp_path / "gone" / "start", "")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".launcher-")]
