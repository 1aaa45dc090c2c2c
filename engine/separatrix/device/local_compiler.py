"""Compilation of C++ text at run time, cached in a folder of the user.

The name of a library is the hash of its text, the flags, the compiler's version, and the
instruction set of this machine. It is compiled under a temporary name and then renamed, so that
several processes can compile the same text at once. Only the user may write to the folder.

Environment: SEPARATRIX_CACHE (the folder; by default $XDG_CACHE_HOME/separatrix or
~/.cache/separatrix).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from functools import cache
from pathlib import Path

from ..errors import KernelError
from ..kernels import compiler

FLAGS = (*compiler.FLAGS, "-march=native", "-shared")


class CompileError(Exception):
    """The text does not compile; the message is the first error, without its location."""


@cache
def load_compiled(text: str) -> ctypes.CDLL:
    """Return the library of a C++ text. Raises CompileError, or KernelError without a compiler."""
    folder = cache_folder()
    try:
        command = [*compiler.find_compiler(), *FLAGS]
        made_of = (text, *command, compiler.macros(*command))
        name = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:32] + ".so"
        path = folder / name
        if path.is_file():
            try:
                return ctypes.CDLL(str(path))
            except OSError:  # truncated, for example because the disk was full
                pass
        _compile(command, text, path)
    except compiler.CompilerError as error:
        raise KernelError(str(error)) from error
    except OSError as error:
        raise KernelError(
            f"The cache folder {folder} cannot be written: {error.strerror or error}. Free "
            "disk space, or set SEPARATRIX_CACHE to another folder."
        ) from error
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        path.unlink(missing_ok=True)
        raise KernelError(
            f"The output of the C++ compiler {command[0]} cannot be loaded: {error}. "
            f"{compiler.SET_CXX}."
        ) from error


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
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
        raise KernelError(
            f"Other users can write to the cache folder {folder}, and thus run code. Change its "
            "permissions (chmod 700), or set SEPARATRIX_CACHE to another folder."
        )
    return folder


def _compile(command: list[str], text: str, path: Path) -> None:
    import tempfile  # slow to import, and rarely used

    with tempfile.TemporaryDirectory(dir=path.parent, prefix="compiling-") as scratch:
        made, written = Path(scratch, path.name), Path(scratch, "text.cpp")
        written.write_text(text)
        done = compiler.run([*command, "-o", str(made), str(written)])
        if done.returncode < 0:
            raise KernelError(
                f"The C++ compiler {command[0]} was terminated by signal {-done.returncode}."
            )
        if done.returncode != 0:
            raise CompileError(compiler.first_error(done.stderr))
        compiler.move_made(made, path, command, compiler.LIBRARIES)
