"""Damaged files as input of the shell, and the outcomes that are allowed.

A command ends with status 0 and its output, or with status 2, a one-line error, and no file. There
is no traceback, signal, or partial file, and it takes at most 10 CPU seconds and 1 GiB of memory.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

from reliability.mutations import mutant

FOLDER = Path(__file__).resolve().parent
CORPUS = FOLDER / "corpus"
MEBIBYTES = 1024
ON_ONE_THREAD = {"OMP_NUM_THREADS": "1", "SEPARATRIX_DEVICE": "cpu"}
FIELD = [("critical-points", "out.npz"), ("persistence-diagram", "out.csv")]
MESH = [("critical-points", "out.vtp", "-a", "z"), ("relations", "out.vtm")]
POINTS = [("neighbors", "out.npz", "-k", "2"), ("density", "out.vti", "--sigma", "0.5")]
RIPS = [("rips", "out.csv", "--quiet")]
ATOMS = [
    ("alpha", "out.npz"),
    ("neighbors", "out.vtp", "-k", "2", "--atoms", "hetatm,model=all,assembly=1"),
]
BALLS = [("alpha", "out.npz", "--constant-radius", "1.5"), ("neighbors", "out.vtp", "-k", "2")]
COMMANDS = {  # by name, otherwise by suffix
    "points.npy": [*POINTS, *RIPS], "matrix.npy": RIPS, "image.vtk": FIELD, "blanks.csv": POINTS,
    "points.csv": [*POINTS, *RIPS],
    "packed.distance_matrix.gz": RIPS, "packed.pdb.gz": BALLS,
    **dict.fromkeys((".vti", ".mhd", ".mha", ".nrrd", ".nhdr", ".npy", ".raw"), FIELD),
    **dict.fromkeys((".vtu", ".vtk", ".stl", ".ply", ".obj"), MESH),
    ".vtp": [*MESH, *POINTS, *RIPS],
    ".pdb": ATOMS,
    ".cif": [ATOMS[0], ("neighbors", "out.vtp", "-k", "2", "--atoms", "hetatm,model=all")],
    **dict.fromkeys((".pqr", ".xyz", ".crd"), BALLS),
    **dict.fromkeys((".distance_matrix", ".lower_distance_matrix", ".upper_distance_matrix"), RIPS),
    **dict.fromkeys((".point_cloud", ".sparse", ".dipha", ".bin"), RIPS),
}  # fmt: skip


class Shell:
    """The fork server (fork_server.py), and a folder in which commands are run."""

    def __init__(self, folder: Path, **environment: str):
        self.folder = folder
        paths = (FOLDER.parent, FOLDER.parents[1] / "engine", FOLDER.parents[1] / "plugins")
        self.process = subprocess.Popen(
            [sys.executable, str(FOLDER / "fork_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), **environment},
        )

    def run(self, *arguments: str, **more: Any) -> dict[str, Any]:
        """The result of `separatrix ARGUMENTS`: status, out, err, mebibytes, seconds."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        order = {"arguments": arguments, "folder": str(self.folder), **more}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return dict(json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        """End the server."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


def commands_of(name: str) -> list[tuple[str, ...]]:
    """The commands for a file of the corpus, each with its output."""
    return COMMANDS.get(name) or COMMANDS[Path(name).suffix]


def end_of(shell: Shell, path: Path, command: tuple[str, ...], **more: Any) -> tuple[str, Any]:
    """Run a command on a file: what is wrong with the result, or "", and the result."""
    before = {p.name for p in shell.folder.iterdir()}
    name, output, *options = command
    ended = shell.run(name, path.name, output, "--threads", "1", *options, **more)
    made = {p.name for p in shell.folder.iterdir()} - before
    for one in made:
        (shell.folder / one).is_dir() or (shell.folder / one).unlink()
    for one in made:
        if (shell.folder / one).exists():
            for piece in (shell.folder / one).iterdir():
                piece.unlink()
            (shell.folder / one).rmdir()
    return complaint(ended, output, made), ended


def complaint(ended: dict[str, Any], output: str | None, made: set[str]) -> str:
    """The error in the result of a command, or ""."""
    lines = [
        line for line in ended["err"].splitlines() if not line.startswith("separatrix: warning: ")
    ]
    if ended["status"] not in (0, 2):
        return f"status {ended['status']}: {ended['err'][-2000:]}"
    if ended["status"] == 2 and (
        len(lines) != 1 or not lines[0].startswith("separatrix: ") or ended["out"]
    ):
        return f"not a one-line error: {ended['err'][-2000:]} {ended['out'][-500:]}"
    if ended["status"] == 2 and not is_plain(lines[0]):
        return f"not a plain message: {lines[0]!r}"
    if ended["status"] == 2 and made:
        return f"left {made} behind: {lines[0]}"
    if ended["status"] == 0 and lines:
        return f"said {lines} and went on"
    if ended["status"] == 0 and output is not None and output not in made:
        return f"wrote no {output}"
    if any(name.startswith(".") for name in made):
        return f"left {made} behind"
    if ended["mebibytes"] > MEBIBYTES:
        return f"took {ended['mebibytes']} MiB: {ended['err']}"
    if ended["seconds"] > 10:
        return f"took {ended['seconds']:.0f} s"
    return ""


def is_plain(sentence: str) -> bool:
    """Whether an error message is printable and readable on any terminal."""
    words = (
        "invalid literal for",
        "unsupported operand",
        "object has no",
        "must be str",
        "got an unexpected",
    )
    return (
        sentence.isprintable()
        and len(sentence) < 4000
        and not any(word in sentence for word in words)
    )


def spoil(seed: int, name: str, others: list[bytes]) -> bytes:
    """The mutant of a file of the corpus for a seed."""
    random = Random(f"{seed} {name}")  # a text: the same in every process
    return mutant((CORPUS / name).read_bytes(), random, others)
