"""Runs `separatrix` as a user does, in a separate process.

Plain calls are forked from a process that has imported everything (reliability/fork_server.py),
which takes 30 ms. Calls with other environment variables or without a module start a new Python.
"""

import atexit
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules import vtkIOXML
from vtkmodules.util.numpy_support import vtk_to_numpy

from reliability.spoiled_files import Shell

WITHOUT = "import sys; sys.modules[{module!r}] = None; "
RUN = "import sys; from separatrix_vtk.cli import main; sys.exit(main())"


def separatrix(
    *arguments: object, folder: Path, without: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder; `without` names a module that appears not to be installed."""
    if not without and not environment:
        return forked([str(argument) for argument in arguments], folder)
    code = (WITHOUT.format(module=without) if without else "") + RUN
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "COLUMNS": "100", **environment},
    )


def forked(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process forked from the server."""
    ended = server().run(*arguments, folder=str(folder))
    return subprocess.CompletedProcess(arguments, ended["status"], ended["out"], ended["err"])


@cache
def server() -> Shell:
    """The process that commands are forked from; it ends with the tests."""
    shell = Shell(Path.cwd(), COLUMNS="100")
    atexit.register(shell.process.terminate)
    return shell


def refused(done: subprocess.CompletedProcess[str], status: int = 2) -> str:
    """The error of a rejected command, without the name of the command."""
    assert done.returncode == status, done
    assert done.stdout == ""
    assert done.stderr.startswith("separatrix: ")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr[len("separatrix: ") :].rstrip("\n")


def rows_in(text: str) -> dict[str, str]:
    """The rows of a printed table, by their names."""
    return {name: value.strip() for name, value in (r.split("  ", 1) for r in text.splitlines())}


def assert_refused(line: str, sentence: str, folder: Path) -> None:
    """Assert that a command line is rejected with this text, and changes no file."""
    before = files_in(folder)
    assert sentence.format(folder=folder) in refused(separatrix(*line.split(), folder=folder))
    assert files_in(folder) == before


def read(path: Path) -> Any:
    """The VTK dataset of an XML file."""
    kinds = {".vti": "ImageData", ".vtp": "PolyData", ".vtm": "MultiBlockData"}
    kind = kinds.get(path.suffix, "UnstructuredGrid")
    reader = getattr(vtkIOXML, f"vtkXML{kind}Reader")()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


def array_of(dataset: Any, name: str) -> np.ndarray:
    """An array of the points."""
    return vtk_to_numpy(dataset.GetPointData().GetArray(name))


def noise(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(11).uniform(0, 100, shape).astype(dtype)


def files_in(folder: Path) -> list[str]:
    """Every file below a folder, temporary ones too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
