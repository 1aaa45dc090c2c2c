"""ParaView as users run it: a separate virtual screen, and pvpython in a clean environment.

Only the programs themselves are required; a test ends what it has started.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
XML = REPOSITORY / "xml"
SCREEN = "1400x950x24"
SECONDS = 90  # far longer than any script here takes
PACKAGES = {
    "pvpython": "python3-paraview", "paraview": "paraview", "Xvfb": "xvfb", "openbox": "openbox",
    "xwd": "x11-apps",
}  # fmt: skip

KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "TMPDIR", "OMP_NUM_THREADS", "SEPARATRIX_LIBRARY")

# Every script prints this last, on a separate line.
PREAMBLE = """
import json, sys
def report(**values):
    print("REPORT " + json.dumps(values), flush=True)
"""


def need(*programs: str) -> None:
    """Skip where programs are missing, with the command that installs them; fail in CI."""
    missing = [name for name in programs if shutil.which(name) is None]
    if not missing:
        return
    packages = " ".join(sorted({PACKAGES[name] for name in missing}))
    text = f"{', '.join(missing)} not found: sudo apt-get install {packages}"
    if os.environ.get("CI"):
        pytest.fail(text)
    pytest.skip(text)


def end(process: subprocess.Popen[Any]) -> None:
    """End a process and those that it has started, and no others."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            continue
        return


@pytest.fixture(scope="session")
def screen() -> Iterator[str]:
    """The DISPLAY of a separate virtual screen, whose server chooses a free number."""
    need("Xvfb")
    reader, writer = os.pipe()
    # -noreset: it stays as it is when the last program has left.
    options = ["-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset", "-displayfd", str(writer)]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            ["Xvfb", *options], pass_fds=[writer], stdout=log, stderr=log, start_new_session=True
        )
        os.close(writer)
        try:
            number = b""
            while not number.endswith(b"\n") and (byte := os.read(reader, 1)):
                number += byte
            assert number.strip(), "Xvfb did not start"
            yield f":{number.decode().strip()}"
        finally:
            os.close(reader)
            end(server)


def environment_in(folder: Path, screen: str) -> dict[str, str]:
    """Environment variables for a new clone of the repository, with a fresh HOME."""
    home, runtime = folder / "home", folder / "runtime"
    home.mkdir()
    runtime.mkdir(mode=0o700)
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    path = os.pathsep.join(str(REPOSITORY / name) for name in ("engine", "plugins"))
    return {
        **kept,
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "DISPLAY": screen,
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": path,
        "PV_PLUGIN_PATH": str(XML),
    }


@pytest.fixture
def environment(screen: str, tmp_path: Path) -> dict[str, str]:
    return environment_in(tmp_path, screen)


@dataclass(frozen=True)
class Run:
    """Output of a script: its report, and all other text."""

    report: dict[str, Any]
    text: str


class ScriptServer:
    """A pvpython from which scripts are forked (script_server.py)."""

    def __init__(self, environment: dict[str, str]) -> None:
        command = ["pvpython", str(Path(__file__).with_name("script_server.py"))]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)

    def run(self, script: Path, arguments: list[str], environment: dict[str, str]) -> Any:
        """Everything that a script prints, and its exit status."""
        log = script.with_suffix(".log")
        order = {"arguments": [str(script), *arguments], "log": str(log)}
        self.process.stdin.write(json.dumps({**order, "environment": environment}) + "\n")
        self.process.stdin.flush()
        child = int(self.process.stdout.readline())
        watch = threading.Timer(SECONDS, os.kill, (child, signal.SIGKILL))
        watch.start()
        code = int(self.process.stdout.readline())
        watch.cancel()
        return log.read_text(errors="replace"), code


@pytest.fixture(scope="session")
def script_server(
    screen: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[bool], ScriptServer]]:
    """The server whose ParaView has loaded the plugins, or has not; started at first use."""
    need("pvpython")
    servers: dict[bool, ScriptServer] = {}

    def server(has_plugins: bool) -> ScriptServer:
        if has_plugins not in servers:
            environment = environment_in(tmp_path_factory.mktemp("server"), screen)
            if not has_plugins:
                del environment["PV_PLUGIN_PATH"]
            servers[has_plugins] = ScriptServer(environment)
        return servers[has_plugins]

    yield server
    for one in servers.values():
        end(one.process)
        one.process.stdin.close()
        one.process.stdout.close()


@pytest.fixture
def pvpython(
    environment: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[..., Run]:
    """Run a script in pvpython: pvpython(text, *arguments, VARIABLE=value or None).

    With variables other than PV_PLUGIN_PATH, it has a separate pvpython; otherwise it is forked.
    """
    need("pvpython")

    def run(script: str, *arguments: object, **variables: str | None) -> Run:
        path = tmp_path / "script.py"
        path.write_text(PREAMBLE + script, encoding="utf-8")
        words = list(map(str, arguments))
        changed = {**environment, **{k: v for k, v in variables.items() if v is not None}}
        for name in (name for name, value in variables.items() if value is None):
            changed.pop(name, None)
        if variables in ({}, {"PV_PLUGIN_PATH": None}):
            server = request.getfixturevalue("script_server")(not variables)
            text, code = server.run(path, words, changed)
        else:
            text, code = run_to_end(["pvpython", str(path), *words], changed)
        reports = [line[7:] for line in text.splitlines() if line.startswith("REPORT ")]
        assert code == 0, f"pvpython ended with {code}:\n{text}"
        assert len(reports) == 1, f"the script did not come to its end:\n{text}"
        return Run(json.loads(reports[0]), text)

    return run


def run_to_end(command: Sequence[str], environment: dict[str, str]) -> tuple[str, int]:
    """Everything that a program prints, and its exit status."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            end(process)
        log.seek(0)
        return log.read().decode(errors="replace"), code


# A waiting process yields its core, because there may be fewer cores than processes.
MPIRUN = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]


@pytest.fixture
def together(environment: dict[str, str]):
    """Run a script in several processes; returns what was printed, and the exit status."""
    need("pvbatch")
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun not found: sudo apt-get install openmpi-bin")

    def run(n: int, *command: object) -> tuple[str, int]:
        # In containers, the user is root, about which mpirun warns.
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        threads = {"OMP_NUM_THREADS": "1"}
        words = [*MPIRUN, "-n", str(n), "pvbatch", "--symmetric", *map(str, command)]
        return run_to_end(words, {**environment, **allowed, **threads})

    return run
