"""Collect all that a machine with a GPU but without a network needs besides this repository.

    python3 tests/gpu_machine/prepare.py [FOLDER]        # .gpu, which git ignores

The machine is taken to have Linux on x86-64, g++, and Python (3.12, or what `--python-version`
says) with CuPy, NumPy, SciPy, scikit-learn, Matplotlib, Rich, Typer, pytest, pytest-xdist and
hypothesis. It has neither VTK nor the programs that results are compared with. They come along:

- `vtk.tar.xz`: of VTK's wheel the modules that this repository and PyVista's core import, with the
  libraries that these need. Nothing that draws on a screen. Some 33 MB of 140.
- `wheels/`: PyVista, gemmi, GUDHI, Cubical Ripser, Ripser, TetGen, some 12 MB.

Copy the repository there with the folder in it, and type what this script prints at its end;
run.py beside it unpacks the folder, builds, and tests.

It needs pip, `readelf` and `strip` (binutils), and the package index.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from vtk_parts import modules_imported, parts

REPOSITORY = Path(__file__).resolve().parents[2]
WHEELS = (
    "cripser", "gemmi", "gudhi", "platformdirs", "pooch", "pyvista", "ripser", "scooby",
    "tetgen",
)  # fmt: skip
PLATFORMS = (28, 27, 24, 17)  # of manylinux: any machine with glibc 2.28 or newer


def main() -> None:
    """Fill the folder of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY / ".gpu")
    parser.add_argument("--python-version", default="3.12", help="that of the machine with the GPU")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wheels = options.folder / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    download(WHEELS, wheels, options.python_version)
    download(pinned_by(next(wheels.glob("pyvista-*.whl"))), wheels, options.python_version)
    with tempfile.TemporaryDirectory() as scratch:
        download(["vtk"], Path(scratch), options.python_version)
        (vtk,) = Path(scratch).glob("*.whl")
        pack_vtk(vtk, options.folder / "vtk.tar.xz")
    sizes = [path.stat().st_size for path in options.folder.rglob("*") if path.is_file()]
    print(f"{options.folder}: {sum(sizes) / 1e6:.1f} MB. On the machine with the GPU type:")
    print(f"python3 tests/gpu_machine/run.py {options.folder.name}")


def download(packages: Iterable[str], folder: Path, version: str) -> None:
    """Fetch the packages' wheels for the other machine, without what they need themselves."""
    platforms = [f"--platform=manylinux_2_{minor}_x86_64" for minor in PLATFORMS]
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
        f"--python-version={version}", "--implementation=cp", *platforms,
        "--platform=manylinux2014_x86_64", f"--dest={folder}", *packages,
    ]  # fmt: skip
    subprocess.run(command, check=True)


def pinned_by(wheel: Path) -> list[str]:
    """Packages that a package requires in one exact version."""
    with zipfile.ZipFile(wheel) as content:
        (name,) = (name for name in content.namelist() if name.endswith(".dist-info/METADATA"))
        text = content.read(name).decode()
    return re.findall(r"^Requires-Dist: ([\w-]+==[\w.]+)$", text, re.MULTILINE)


def pack_vtk(wheel: Path, archive: Path) -> None:
    """Keep of VTK's wheel what the tests import, without symbols, in one archive."""
    with tempfile.TemporaryDirectory() as scratch:
        whole, kept = Path(scratch) / "whole", Path(scratch) / "kept"
        shutil.unpack_archive(wheel, whole, "zip")
        for path in parts(whole, modules_imported(REPOSITORY)):
            target = kept / path.relative_to(whole)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".so":
                strip = ["strip", "--strip-unneeded", "-o", str(target), str(path)]
                subprocess.run(strip, check=True)
            else:
                shutil.copyfile(path, target)
        with tarfile.open(archive, "w:xz", preset=6) as packed:
            packed.add(kept, ".")


if __name__ == "__main__":
    main()
