"""Shell commands in processes that may crash, each forked from one with all modules.

python tests/reliability/fork_server.py: reads a JSON line a command, {"arguments",
"folder"}, and answers with a JSON line: how it ended, what it printed, its peak memory. A forked
process takes 30 ms where a new one takes a second. Nothing is run in the server itself: threads do
not survive a fork.
"""

import contextlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

CPU_SECONDS, WALL_SECONDS = 60, 100
ADDRESS_SPACE = 12 << 30  # so that a file cannot take all memory of the machine
PRELOADED = """
import gemmi, vtkmodules.vtkIOXML, vtkmodules.vtkIOImage, vtkmodules.vtkIOLegacy
import vtkmodules.vtkIOGeometry, vtkmodules.vtkIOPLY, vtkmodules.vtkFiltersCore
import separatrix_vtk, separatrix_vtk.cli.app
for name in separatrix_vtk.__all__:
    getattr(separatrix_vtk, name)
from separatrix.kernels import source
for known in (source.kernels, source.host_tasks, source.host_loops, source.structs):
    known()
source.source_hash()
"""


def serve() -> None:
    """Run commands until the input ends."""
    exec(PRELOADED, {})
    _load_what_commands_load()
    answers = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryDirectory(prefix="forked-") as scratch:
        for line in sys.stdin:
            answers.write(json.dumps(run(json.loads(line), Path(scratch))) + "\n")
            answers.flush()


def _load_what_commands_load() -> None:
    """Run each command on a missing file, because typer imports much on its first use."""
    from separatrix_vtk.cli import main

    with contextlib.redirect_stderr(io.StringIO()):
        for command in ("critical-points", "relations", "density", "neighbors", "rips", "alpha"):
            main([command, "there is no such file.vtp", "out.vtp", "--threads", "1"])


def run(order: dict[str, Any], scratch: Path) -> dict[str, Any]:
    """One command in a child."""
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        _be_the_command(order, scratch)
    status, usage = _ended(child, begun + WALL_SECONDS)
    printed = {name: _text(scratch / name) for name in ("out", "err")}
    return {
        "status": status,
        "mebibytes": usage.ru_maxrss >> 10,
        "seconds": usage.ru_utime + usage.ru_stime,
        **printed,
    }


def _ended(child: int, deadline: float) -> tuple[int, Any]:
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), usage
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            deadline += WALL_SECONDS
        time.sleep(0.003)


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def _be_the_command(order: dict[str, Any], scratch: Path) -> None:
    status = 70
    try:
        os.chdir(order["folder"])
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        for number, name in ((1, "out"), (2, "err")):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(scratch / name, flags, 0o600), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False))  # noqa: SIM115
        sys.stderr = io.TextIOWrapper(open(2, "wb", closefd=False), errors="backslashreplace")  # noqa: SIM115
        os.environ.update(order.get("environment", {}))
        from separatrix_vtk.cli import main

        arguments = [os.fsdecode(a.encode("utf-8", "surrogateescape")) for a in order["arguments"]]
        status = main(arguments)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(status)


if __name__ == "__main__":
    serve()
