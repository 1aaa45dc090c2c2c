"""Compilation of C++ text at run time, cached in a folder of the user.

The name of a library is the hash of its text, the flags, the compiler's version, and the
instruction set of this machine. It is compiled under a temporary name and then renamed, so that
several processes can compile the same text at once. Only the user may write to the folder.

Environment: CXX (the compiler; by default c++, g++, or clang++), SEPARATRIX_CACHE (the folder; by
default $XDG_CACHE_HOME/separatrix or ~/.cache/separatrix).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import KernelError
from ..kernels import source

FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-fno-trapping-math",
    "-fno-math-errno",
)
"""Flags of the host library (build_kernels.py), for bit-identical results."""


SET_CXX = "Set CXX to another compiler"


class CompileError(Exception):
    """The text does not compile; the message is the first error, without its location."""


@cache
def load_compiled(text: str) -> ctypes.CDLL:
    """Return the library of a C++ text. Raises CompileError, or KernelError without a compiler."""
    command = find_compiler()
    made_of = (text, *command, *FLAGS, _macros(tuple(command)), str(source.ABI))
    name = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:32] + ".so"
    path = cache_folder() / name
    if path.is_file():
        try:
            return ctypes.CDLL(str(path))
        except OSError:  # truncated, for example because the disk was full
            pass
    try:
        _compile(command, text, path)
    except OSError as error:
        raise KernelError(
            f"The cache folder {path.parent} cannot be written: {error.strerror or error}. Free "
            "disk space, or set SEPARATRIX_CACHE to another folder."
        ) from error
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        path.unlink(missing_ok=True)
        raise KernelError(
            f"The output of the C++ compiler {command[0]} cannot be loaded: {error}. {SET_CXX}."
        ) from error


def find_compiler() -> list[str]:
    """Return the command of the C++ compiler. Raises KernelError if there is none."""
    named = os.environ.get("CXX", "")
    try:
        chosen = shlex.split(named)
    except ValueError as error:
        raise KernelError(
            f"CXX is not a command: {error} in {named!r}. Set it to a compiler, for example g++."
        ) from None
    for name in [chosen[0]] if chosen else ["c++", "g++", "clang++"]:
        path = shutil.which(name)
        if path is not None:
            return [path, *chosen[1:]]
    missing = f"CXX={chosen[0]} was not found" if chosen else "No C++ compiler was found"
    raise KernelError(f"{missing}. Install one, for example with: apt-get install g++")


def cache_folder() -> Path:
    """Return the folder of compiled libraries, which only the user may write; create it."""
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if not home.is_absolute():  # ignored according to the XDG specification
            home = Path.home() / ".cache"
        folder = Path(os.environ.get("SEPARATRIX_CACHE") or home / "separatrix").absolute()
    except RuntimeError as error:  # there is no home folder
        raise KernelError(f"{error}. Set SEPARATRIX_CACHE to a folder.") from error
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        raise KernelError(
            f"The cache folder {folder} cannot be used: {error.strerror}. Set SEPARATRIX_CACHE to "
            "another folder."
        ) from error
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise KernelError(
            f"Other users can write to the cache folder {folder}, and thus run code. Change its "
            "permissions (chmod 700), or set SEPARATRIX_CACHE to another folder."
        )
    return folder


@cache
def _macros(command: tuple[str, ...]) -> str:
    """Predefined macros: the version of the compiler and the instruction sets."""
    probe = [*command, "-march=native", "-dM", "-E", "-x", "c++", os.devnull]
    done = _run(probe)
    if done.returncode != 0 or "#define" not in done.stdout:
        raise KernelError(
            f"The C++ compiler {command[0]} does not work: {first_error(done.stderr)}."
        )
    return done.stdout


def _run(command: list[str]) -> Any:
    """Run a compiler, with messages in English. Raises KernelError."""
    import subprocess  # slow to import, and rarely used

    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError as error:  # not a program, or no more processes
        raise KernelError(
            f"The C++ compiler {command[0]} cannot be started: {error.strerror or error}. "
            f"{SET_CXX}."
        ) from error


def _compile(command: list[str], text: str, path: Path) -> None:
    import tempfile

    with tempfile.TemporaryDirectory(dir=path.parent, prefix="compiling-") as scratch:
        made, written = Path(scratch, path.name), Path(scratch, "text.cpp")
        written.write_text(text)
        done = _run([*command, *FLAGS, "-o", str(made), str(written)])
        if done.returncode < 0:
            raise KernelError(
                f"The C++ compiler {command[0]} was terminated by signal {-done.returncode}."
            )
        if done.returncode != 0:
            raise CompileError(first_error(done.stderr))
        if not made.is_file():
            raise KernelError(f"The C++ compiler {command[0]} did not write a file. {SET_CXX}.")
        os.replace(made, path)


def first_error(log: str) -> str:
    """Return the first error in a compiler's log, with ASCII quotes, without file and line.

    An error in the caller's formula precedes those of the surrounding text.
    """
    lines = sorted(log.splitlines(), key=lambda line: not line.startswith("formula:"))
    for line in lines:
        _, found, message = line.partition("error: ")
        if found:
            return message.strip().replace("\u2018", "'").replace("\u2019", "'")
    return " ".join(log.split())[:300] or "no message"
