"""The C++ compiler: its command, flags, and failures, for builds and for formulas at run time.

Only the standard library is imported, because the build hook loads this file by its path.

Environment: CXX, by default c++, g++, or clang++.
"""

from __future__ import annotations

import os
import shlex
import shutil
from functools import cache
from pathlib import Path
from typing import Any

FLAGS = (
    "-std=c++17",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    # A fused multiply-add rounds differently per machine, which would change comparisons.
    "-ffp-contract=off",
    # Floating-point exception flags and errno are not used, but prevent g++ 12 from vectorizing
    # the clamp of the exponential and square roots. Results are the same.
    "-fno-trapping-math",
    "-fno-math-errno",
)
LIBRARIES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"MZ")
"""First bytes of shared libraries: of Linux, macOS, and Windows."""
SET_CXX = "Set CXX to another compiler"


class CompilerError(RuntimeError):
    """A compiler was not found, or it does not work; the message is one sentence."""


def words_of(variable: str) -> list[str]:
    """Return the words of an environment variable with the quoting of a shell."""
    text = os.environ.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise CompilerError(f"{variable} cannot be parsed: {error} in {text!r}.") from None


def find_compiler() -> list[str]:
    """Return the command of the compiler: $CXX if set, otherwise the first usual name."""
    chosen = words_of("CXX")
    for name in [chosen[0]] if chosen else ["c++", "g++", "clang++"]:
        path = shutil.which(name)
        if path is not None:
            return [path, *chosen[1:]]
    missing = f"CXX={chosen[0]} was not found" if chosen else "No C++ compiler was found"
    raise CompilerError(f"{missing}. Install one, for example with: apt-get install g++")


def run(command: list[str], *, shows: bool = False) -> Any:
    """Return the completed process of a compiler, whose messages are captured unless it shows them.

    Captured messages are in English.
    """
    import subprocess  # slow to import, and rarely used

    environment = os.environ if shows else {**os.environ, "LC_ALL": "C"}
    messages = None if shows else subprocess.PIPE
    try:
        return subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=messages,
            text=True,
            errors="replace",
            check=False,
            env=environment,
        )
    except OSError as error:  # not a program, or no more processes
        raise CompilerError(
            f"The C++ compiler {command[0]} cannot be started: {error.strerror or error}. "
            f"{SET_CXX}."
        ) from None


@cache
def macros(*command: str) -> str:
    """Return the predefined macros: the version of the compiler and the instruction sets."""
    done = run([*command, "-dM", "-E", "-x", "c++", os.devnull])
    if done.returncode != 0 or "#define" not in done.stdout:
        raise CompilerError(
            f"The C++ compiler {command[0]} does not work: {first_error(done.stderr)}."
        )
    text: str = done.stdout
    return text


def move_made(
    made: Path, target: Path, command: list[str], begins: tuple[bytes, ...] = (b"",)
) -> None:
    """Put a file that the compiler made in its place, unless it was not made properly."""
    begin = made.read_bytes()[:4] if made.is_file() else b""
    if not begin or not begin.startswith(begins):
        problem = "wrote a file that is not a library" if begin else "did not write a file"
        raise CompilerError(f"The C++ compiler {command[0]} {problem}. {SET_CXX}.")
    os.replace(made, target)


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
