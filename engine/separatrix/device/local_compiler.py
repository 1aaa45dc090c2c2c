"""C++ made at run time: compiled by the machine's own compiler, kept in the user's cache folder.

A library's name is the hash of all that it is made of: its text, the flags, the compiler's version
and the instructions of this machine. It is compiled under a temporary name and then renamed, so
that two processes may compile the same text at once; the folder is the user's alone.

Environment: CXX (the compiler, default c++, then g++ and clang++), SEPARATRIX_CACHE (the folder,
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
"""Those of the host library (build_kernels.py), so that results have the same bits."""


class CompileError(Exception):
    """The compiler refused the text; the message is the first error, without its place."""


@cache
def load_compiled(text: str) -> ctypes.CDLL:
    """The library of a C++ text. Raises CompileError, or KernelError where nothing can compile."""
    command = find_compiler()
    made_of = (text, *command, *FLAGS, _macros(tuple(command)), str(source.ABI))
    name = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:32] + ".so"
    path = cache_folder() / name
    if path.is_file():
        try:
            return ctypes.CDLL(str(path))
        except OSError:  # a disk that was full: compile it again
            pass
    try:
        _compile(command, text, path)
    except OSError as error:
        raise KernelError(
            f"the cache folder {path.parent} can't be written to: {error.strerror or error}; make "
            "room there, or name another in SEPARATRIX_CACHE"
        ) from error
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        path.unlink(missing_ok=True)
        raise KernelError(
            f"what the C++ compiler {command[0]} has made can't be loaded: {error}; name another "
            "in CXX"
        ) from error


def find_compiler() -> list[str]:
    """The C++ compiler's command. Raises KernelError if there is none."""
    named = os.environ.get("CXX", "")
    try:
        chosen = shlex.split(named)
    except ValueError as error:
        raise KernelError(
            f"CXX can't be split into words: {error} in {named!r}; name a compiler there, for "
            "example g++"
        ) from None
    for name in [chosen[0]] if chosen else ["c++", "g++", "clang++"]:
        path = shutil.which(name)
        if path is not None:
            return [path, *chosen[1:]]
    missing = f"CXX names {chosen[0]}, which is not there" if chosen else "no C++ compiler is there"
    raise KernelError(f"{missing}; install one, for example with: apt-get install g++")


def cache_folder() -> Path:
    """The folder of compiled libraries, made if it is not there; nobody else may write to it."""
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if not home.is_absolute():  # the XDG specification has a relative one ignored
            home = Path.home() / ".cache"
        folder = Path(os.environ.get("SEPARATRIX_CACHE") or home / "separatrix").absolute()
    except RuntimeError as error:  # nobody knows a home folder
        raise KernelError(f"{error}; name a folder of yours in SEPARATRIX_CACHE") from error
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        raise KernelError(
            f"the cache folder {folder} can't be used: {error}; name another in SEPARATRIX_CACHE"
        ) from error
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise KernelError(
            f"the cache folder {folder} can be written to by others, who could put code there; "
            "take their rights away (chmod 700) or name another in SEPARATRIX_CACHE"
        )
    return folder


@cache
def _macros(command: tuple[str, ...]) -> str:
    """The predefined macros: the compiler's version and every instruction set it may use."""
    probe = [*command, "-march=native", "-dM", "-E", "-x", "c++", os.devnull]
    done = _run(probe)
    if done.returncode != 0 or "#define" not in done.stdout:
        raise KernelError(
            f"the C++ compiler {command[0]} does not work: {first_error(done.stderr)}"
        )
    return done.stdout


def _run(command: list[str]) -> Any:
    """Run a compiler, whose messages are in plain English. Raises KernelError."""
    import subprocess  # slow to import, and seldom needed

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
            f"the C++ compiler {command[0]} can't be started: {error.strerror or error}; name "
            "another in CXX"
        ) from error


def _compile(command: list[str], text: str, path: Path) -> None:
    import tempfile

    with tempfile.TemporaryDirectory(dir=path.parent, prefix="compiling-") as scratch:
        made, written = Path(scratch, path.name), Path(scratch, "text.cpp")
        written.write_text(text)
        done = _run([*command, *FLAGS, "-o", str(made), str(written)])
        if done.returncode < 0:
            raise KernelError(
                f"the C++ compiler {command[0]} was ended by signal {-done.returncode}"
            )
        if done.returncode != 0:
            raise CompileError(first_error(done.stderr))
        if not made.is_file():
            raise KernelError(
                f"the C++ compiler {command[0]} has made no file; name another in CXX"
            )
        os.replace(made, path)


def first_error(log: str) -> str:
    """The first error's text in a compiler's log, in plain quotes, without file and line.

    One that lies in the caller's formula comes before those of what stands around it.
    """
    lines = sorted(log.splitlines(), key=lambda line: not line.startswith("formula:"))
    for line in lines:
        _, found, message = line.partition("error: ")
        if found:
            return message.strip().replace("\u2018", "'").replace("\u2019", "'")
    return " ".join(log.split())[:300] or "no message"
