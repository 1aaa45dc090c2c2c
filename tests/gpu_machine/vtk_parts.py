"""The part of VTK's wheel that tests without a screen import.

The ELF header of a library lists the libraries that it requires (NEEDED). When a Python module is
imported, it imports the modules of the libraries in its own header, so these are included as well.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

READ = ("examples", "plugins", "sample_data", "tests")
# What VTK's own Python and PyVista's core import besides.
OF_OTHERS = {
    "vtkCommonComputationalGeometry", "vtkCommonMath", "vtkCommonTransforms",
    "vtkFiltersExtraction", "vtkFiltersPython", "vtkImagingSources",
}  # fmt: skip
# Modules that open a window, or draw: the GPU machine need have no libGL and no X.
DRAWING = re.compile(r"vtk(Charts|Interaction|Rendering(?!Core)|Views)")
OF_PARAVIEW = {"vtkParallelMPI4Py"}  # which VTK's wheel does not contain
NO_PARTS = {"gtk", "qt", "test", "tk", "web", "wx"}  # folders of vtkmodules


def modules_imported(repository: Path) -> set[str]:
    """The modules of VTK that the repository's Python names, and what these need besides."""
    names = set(OF_OTHERS)
    for folder in READ:
        for path in (repository / folder).rglob("*.py"):
            names |= set(re.findall(r"vtkmodules\.(vtk\w+)", path.read_text(encoding="utf-8")))
    return {name for name in names - OF_PARAVIEW if not DRAWING.match(name)}


def parts(wheel: Path, names: Iterable[str]) -> list[Path]:
    """The files of an unpacked wheel that these modules need, themselves among them."""
    folder = wheel / "vtkmodules"
    modules = {path.name.split(".")[0]: path for path in folder.glob("*.cpython-*.so")}
    found: set[Path] = set()
    ahead = [modules[name] for name in names if name in modules]
    while ahead:
        path = ahead.pop()
        if path in found:
            continue
        found.add(path)
        needed = needed_by(path)
        ahead += [folder / name for name in needed if (folder / name).exists()]
        if path in modules.values():
            stems = [name.removeprefix("lib").split(".")[0] for name in needed]
            ahead += [modules[stem] for stem in stems if stem in modules]
    sources = [
        path for path in folder.rglob("*.py") if not NO_PARTS & set(path.relative_to(folder).parts)
    ]
    return sorted([*found, *sources])


def needed_by(library: Path) -> list[str]:
    """File names of the libraries that a library was linked with."""
    header = subprocess.run(
        ["readelf", "--dynamic", str(library)], capture_output=True, text=True, check=True
    )
    return re.findall(r"\(NEEDED\).*\[(.*)\]", header.stdout)
