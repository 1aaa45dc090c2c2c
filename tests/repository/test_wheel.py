"""The wheel is complete, and works without a source tree."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import pytest

import separatrix as sx

pytestmark = pytest.mark.long

REPOSITORY = Path(__file__).resolve().parents[2]
PLATFORM = sysconfig.get_platform().replace("-", "_").replace(".", "_")
BUILT = REPOSITORY / "build" / "wheel" / PLATFORM
QUICKLY = {"CXXFLAGS": "-O0"}  # compiles four times as fast as a wheel for users


def pip(*arguments: str, directory: Path, **variables: str) -> None:
    """Run the pip of the tests' Python without the network."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        cwd=directory,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built as `pip install .` builds it but for the compiler's effort."""
    if importlib.util.find_spec("pip") is None or importlib.util.find_spec("hatchling") is None:
        pytest.skip("pip and hatchling are needed to build a wheel")
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    pip("wheel", *options, str(REPOSITORY), directory=folder, **QUICKLY)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder outside the tree with the wheel's contents."""
    folder = tmp_path_factory.mktemp("installed")
    pip("install", "--no-deps", "--no-index", "--target", str(folder), str(wheel), directory=folder)
    return folder


def test_the_wheel_is_for_any_python_of_this_platform(wheel):
    name, version, *tag = wheel.stem.split("-", 4)
    assert (name, version) == ("separatrix", sx.__version__)
    assert tag[:2] == ["py3", "none"]
    assert tag[2] != "any"


def test_the_wheel_contains_the_library_the_xml_and_the_plugin_file(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    xml = {f"separatrix_vtk/xml/{path.name}" for path in (REPOSITORY / "xml").glob("*.xml")}
    assert xml
    assert (
        xml
        | {
            "separatrix/_lib/libseparatrix.so",
            "separatrix/kernels/common/types.h",
            "separatrix_vtk/plugin/SeparatrixPlugin.py",
        }
        <= names
    )
    assert {"separatrix/py.typed", "separatrix_vtk/py.typed"} <= names
    library = zipfile.ZipFile(wheel).read("separatrix/_lib/libseparatrix.so")
    assert b".debug_info" not in library
    assert [name for name in names if name.endswith("/licenses/LICENSE")]
    made = (".pyc", ".o", "/key", ".orig")
    assert not [name for name in names if name.endswith(made) or "/tests/" in name]
    folders = {name.partition("/")[0] for name in names}
    assert folders == {"separatrix", "separatrix_vtk", f"separatrix-{sx.__version__}.dist-info"}


def test_the_wheel_requires_only_numpy(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        lines = archive.read(metadata).decode().splitlines()
    required = [
        line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line
    ]
    assert [line.split()[1].split(">")[0] for line in required] == ["numpy"]


def test_building_a_wheel_leaves_the_trees_own_library_as_it_is(wheel):
    library = REPOSITORY / "engine" / "separatrix" / "_lib" / "libseparatrix.so"
    assert library.stat().st_mtime < wheel.stat().st_mtime
    assert (BUILT / library.name).read_bytes() != library.read_bytes()


def test_a_wheel_can_be_built_from_the_source_archive(wheel, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path), "-t"]
    subprocess.run([*build, "sdist"], cwd=REPOSITORY, check=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    subprocess.run(["tar", "xzf", str(archive)], cwd=tmp_path, check=True)
    (tree,) = (path for path in tmp_path.iterdir() if path.is_dir())
    # Objects compiled for the wheel are reused: their keys are hashes of the sources.
    made = tree / BUILT.relative_to(REPOSITORY) / "objects"
    shutil.copytree(BUILT / "objects", made)
    before = {path.name: path.stat().st_mtime_ns for path in made.iterdir()}
    subprocess.run([*build, "wheel"], cwd=tree, check=True, env=os.environ | QUICKLY)
    (fresh,) = tmp_path.glob("*.whl")
    assert {path.name: path.stat().st_mtime_ns for path in made.iterdir()} == before
    assert fresh.name == wheel.name
    assert sorted(zipfile.ZipFile(fresh).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


# === other Pythons


def pythons() -> list[str]:
    """A Python of each version on PATH, and that of the system with its packages."""
    kept = Path(os.environ.get("PYENV_ROOT", "/nowhere"), "versions")
    places = [sys.executable, "/usr/bin/python3"]
    for name in (f"python3.{minor}" for minor in range(10, 15)):
        places += [shutil.which(name) or name, *map(str, sorted(kept.glob(f"*/bin/{name}")))]
    found: dict[str, str] = {}
    for place in filter(shutil.which, places):
        done = subprocess.run(
            [place, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True
        )
        if done.returncode == 0:
            found.setdefault(done.stdout, place)
    return list(found.values())


PYTHONS = pythons()
COMPUTE = """
import numpy as np, separatrix as sx, separatrix_vtk
print(*sx.morse_smale(np.arange(27.0).reshape(3, 3, 3), device="cpu").critical.counts)
assert all(path.is_file() for path in separatrix_vtk.xml_files())
"""


def environment_of(python: str, folder: Path, wheel: Path, *options: str) -> Path:
    """A virtual environment with the wheel in it; the path of its Python."""
    subprocess.run([python, "-m", "venv", "--without-pip", *options, str(folder)], check=True)
    own = folder / "bin" / "python"
    pip("--python", str(own), "install", "--no-deps", "--no-index", str(wheel), directory=folder)
    return own


def told_by(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program without settings of the tests."""
    environment = {"PATH": os.defpath, "HOME": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200
    )


@pytest.mark.parametrize("python", PYTHONS)
def test_the_wheel_installs_into_any_python_and_prints_its_plugin_file(python, wheel, tmp_path):
    own = environment_of(python, tmp_path / "venv", wheel, "--system-site-packages")
    for command in ([str(own), "-m", "separatrix_vtk"], [str(own.with_name("separatrix"))]):
        done = told_by([*command, "--plugin-path"], tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        plugin = Path(done.stdout.strip())
        assert plugin.is_file()
        assert tmp_path / "venv" in plugin.parents
    if told_by([str(own), "-c", "import numpy"], tmp_path).returncode == 0:
        done = told_by([str(own), "-c", COMPUTE], tmp_path)
        assert done.stdout == "1 0 0 0\n", done.stderr
        done = told_by([str(own.with_name("separatrix")), "--version"], tmp_path)
        assert done.stdout == f"separatrix {sx.__version__}\n"


@pytest.mark.parametrize("python", PYTHONS)
def test_with_numpy_from_the_package_index_it_computes_in_any_python(python, wheel, tmp_path):
    own = environment_of(python, tmp_path / "venv", wheel)
    pip("--python", str(own), "install", "numpy", directory=tmp_path)
    done = told_by([str(own), "-c", COMPUTE], tmp_path)
    assert done.stdout == "1 0 0 0\n", done.stderr


def test_the_library_depends_only_on_the_c_and_c_plus_plus_libraries(installed):
    """It has threads of its own, so it does not require libgomp."""
    library = installed / "separatrix" / "_lib" / "libseparatrix.so"
    done = subprocess.run(["ldd", str(library)], check=True, capture_output=True, text=True)
    names = {line.split()[0].rpartition("/")[2] for line in done.stdout.splitlines()}
    system = ("linux-vdso", "ld-linux", "libstdc++.", "libm.", "libgcc_s.", "libc.", "libpthread.")
    assert [name for name in names if not name.startswith(system)] == []


# === a new user

PICTURES = {
    "morse-smale": ("field.nii.gz", "--persistence", "5%"),
    "alpha": (str(REPOSITORY / "sample_data" / "1crn.pdb"), "--probe", "1.4"),
}


@pytest.fixture(scope="module")
def newly_installed(wheel, tmp_path_factory):
    """The programs of an environment with the wheel and its extras from the package index."""
    folder = tmp_path_factory.mktemp("new")
    own = environment_of(sys.executable, folder / "venv", wheel)
    extras = f"{wheel}[cli,molecules,plot,vtk]"
    pip("--python", str(own), "install", extras, directory=folder)
    return own.parent


@pytest.mark.parametrize("name", PICTURES)
def test_the_first_picture_takes_seconds_without_a_compiler(name, newly_installed, tmp_path):
    vtk_io = pytest.importorskip("vtkmodules.vtkIOImage")
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader

    reader = vtkXMLImageDataReader(file_name=str(REPOSITORY / "sample_data" / "noisy_field.vti"))
    writer = vtk_io.vtkNIFTIImageWriter(file_name=str(tmp_path / "field.nii.gz"))
    writer.SetInputConnection(reader.GetOutputPort())
    writer.Write()
    command = [str(newly_installed / "separatrix"), name, *PICTURES[name], "--picture", "first.png"]
    environment = {"PATH": str(newly_installed), "HOME": str(tmp_path)}  # without compilers
    begin = time.monotonic()
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - begin < 30
    assert (tmp_path / "first.png").stat().st_size > 10_000


# === ParaView


@pytest.mark.paraview
def test_paraview_works_next_to_a_vtk_wheel(installed, tmp_path):
    if shutil.which("pvpython") is None:
        pytest.skip("pvpython is needed")
    site = tmp_path / "site-packages"
    shutil.copytree(installed, site)
    vtk = importlib.util.find_spec("vtkmodules")
    if vtk is not None and vtk.origin is not None:
        (site / "vtkmodules").symlink_to(Path(vtk.origin).parent)
    else:
        (site / "vtkmodules").mkdir()
        (site / "vtkmodules" / "__init__.py").write_text("import os; os.abort()")
    (site / "numpy").symlink_to(Path(sysconfig.get_path("purelib"), "numpy"))
    code = f"import sys; sys.path.insert(0, {str(site)!r}); from separatrix_vtk.cli import main; "
    command = [sys.executable, "-c", code + "sys.exit(main())", "paraview-setup"]
    done = told_by([*command, "--check", "--json", "--launcher", "start"], tmp_path)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["paraviews"]
    assert found["packages_linked"] == f"{site} contains another VTK, which crashes ParaView"
    script = tmp_path / "where.py"
    script.write_text(WHERE)
    done = told_by([str(tmp_path / "start"), "pvpython", str(script)], tmp_path)
    at = [line[3:] for line in done.stdout.splitlines() if line.startswith("AT ")]
    assert [str(site) in place for place in at[:2]] == [False, False], done.stderr
    assert [place.startswith(found["packages"][0]) for place in at[2:]] == [True, True]


WHERE = """
import numpy, vtkmodules, separatrix, separatrix_vtk
for module in (numpy, vtkmodules, separatrix, separatrix_vtk):
    print("AT", module.__file__)
"""
