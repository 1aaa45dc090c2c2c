"""Run the tests of the engine with a library that was built with sanitizers.

python tests/reliability/sanitizers.py address,undefined [--jobs N] [pytest's arguments]
python tests/reliability/sanitizers.py thread

Builds the library (engine/build_kernels.py --sanitize) and runs each file of tests in a separate
process, so that a crash ends only one file. Logs are in build/sanitizers/NAMES/logs: FILE.txt is
the output of pytest, FILE.PID that of the sanitizer. A report with a frame of the library, a failed
test, and a process that crashes are findings; the exit status is then 1.

address checks the heap, including NumPy's arrays, and reports leaks at the end, except those of
Python itself. thread runs every loop on SEPARATRIX_NUM_THREADS threads, by default 2, even if it is
short.
"""

import argparse
import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
BUILT = REPOSITORY / "build" / "sanitizers"
SELECTION = "not gpu and not long and not unsanitized"
RUNTIMES = {"address": "asan", "undefined": "ubsan", "thread": "tsan"}
"""Runtimes to load before Python: they have their own allocators and mutexes."""
# The frames of a report name function, source and module.
FRAMES = "stack_trace_format='    #%n %F %L %M'"
OPTIONS = {
    # Python itself leaks, so leaks are found in the log and not by the exit status.
    "ASAN_OPTIONS": f"abort_on_error=1:exitcode=0:detect_leaks=1:{FRAMES}",
    # With the address sanitizer its reports always go to stderr.
    "UBSAN_OPTIONS": f"abort_on_error=1:print_stacktrace=1:{FRAMES}",
    "TSAN_OPTIONS": f"exitcode=0:history_size=4:{FRAMES}",
}
REPORT = re.compile(
    r"^(.*runtime error: .*|.*ERROR: AddressSanitizer.*|WARNING: ThreadSanitizer.*"
    r"|(Direct|Indirect) leak of .*)",
    re.MULTILINE,
)
ELSEWHERE = re.compile(r"Direct leak|Indirect leak|WARNING: ThreadSanitizer")
PARAGRAPHS = re.compile(r"\n(?=(?:Direct|Indirect) leak|=====|.*runtime error: )")
# glibc frees thread-local memory after the end of a thread, under a lock of its own.
AFTER_THE_END = re.compile(
    r"data race .*\n  Write .*\n(    #\d in free .*\n)+    #\d in \w*_dl_deallocate_tls "
)
OURS = "libseparatrix"
NONE_SELECTED = 5  # pytest's exit status


class Run(NamedTuple):
    """The result of a file of tests."""

    file: str
    passed: int
    findings: list[str]
    seconds: float


def main() -> int:
    """Run from the command line; the exit status is 1 if there are findings."""
    parser = argparse.ArgumentParser(description="The tests of the engine under sanitizers.")
    parser.add_argument("sanitizers", help="address,undefined or thread")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files side by side")
    parser.add_argument("--folder", help="of build/sanitizers, for other flags in CXXFLAGS")
    parser.add_argument("--seconds", type=int, default=3600, help="that a file may take")
    arguments, pytests = parser.parse_known_args()
    builder = build_script()
    names = builder.sanitizers_of(arguments.sanitizers)
    folder = BUILT / (arguments.folder or "-".join(names))
    library = builder.build(sanitizers=names, folder=folder)
    given = [word for word in pytests if word.partition("::")[0].endswith(".py")]
    options = [word for word in pytests if word not in given]
    files = given or sorted(str(path) for path in REPOSITORY.glob("tests/engine/test_*.py"))
    logs = library.parent / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    environment = watched_environment(names, library)

    def done(file: str) -> Run:
        run = run_file(file, options, environment, logs, arguments.seconds)
        word = f"{len(run.findings)} findings" if run.findings else "nothing found"
        print(f"{file}: {run.passed} passed, {word}, {run.seconds:.0f} s", flush=True)
        return run

    with ThreadPoolExecutor(arguments.jobs) as pool:
        runs = list(pool.map(done, files))
    findings = [f"{run.file}: {finding}" for run in runs for finding in run.findings]
    passed = sum(run.passed for run in runs)
    print("\n".join(findings))
    print(f"{'-'.join(names)}: {passed} tests passed, {len(findings)} findings; logs: {logs}")
    return int(bool(findings) or not passed)


def build_script() -> ModuleType:
    """engine/build_kernels.py as a module."""
    path = REPOSITORY / "engine" / "build_kernels.py"
    spec = importlib.util.spec_from_file_location("build_kernels", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def watched_environment(names: tuple[str, ...], library: Path) -> dict[str, str]:
    """The variables under which a process runs the library and its sanitizers."""
    # Python does not load libstdc++, in which the runtimes look up exceptions.
    wanted = [f"lib{RUNTIMES[name]}.so" for name in names]
    compiler = build_script().compiler.find_compiler()
    runtimes = [
        subprocess.run(
            [*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in wanted
    ]
    for name, path in zip(wanted, runtimes, strict=True):
        if not Path(path).is_file():
            sys.exit(f"sanitizers: the compiler has no {name}; it comes with GCC (apt: g++)")
    # By its name, because the loader may find it where the compiler does not.
    runtimes = [*(str(Path(path).resolve()) for path in runtimes), "libstdc++.so.6"]
    paths = os.pathsep.join([str(REPOSITORY / "engine"), str(REPOSITORY / "plugins")])
    threads = {"SEPARATRIX_NUM_THREADS": "2"} if "thread" in names else {}
    return {
        "HYPOTHESIS_PROFILE": "brief",
        **threads,
        **os.environ,
        "SEPARATRIX_LIBRARY": str(library),
        "LD_PRELOAD": os.pathsep.join(runtimes),
        "PYTHONPATH": os.pathsep.join(filter(None, [paths, os.environ.get("PYTHONPATH")])),
    }


def run_file(
    file: str, options: list[str], environment: dict[str, str], logs: Path, seconds: int
) -> Run:
    """Run the tests of one file, and read the logs."""
    stem = Path(file.partition("::")[0]).stem
    reports = logs / stem
    own = {name: f"{text}:log_path={reports}" for name, text in OPTIONS.items()}
    said = logs / f"{stem}.txt"
    # Only Python's output is captured, so that reports of a crashed process are not lost.
    caught = ["-p", "no:cacheprovider", "--capture=sys"]
    command = [sys.executable, "-m", "pytest", "-q", *caught, "-m", SELECTION]
    begin = time.monotonic()
    status, text = run_logged([*command, *options, file], environment | own, said, seconds)
    count = re.search(r"(\d+) passed", text)
    written = [said, *logs.glob(f"{stem}.[0-9]*")]
    findings = [finding for log in written for finding in read_reports(log)]
    findings += re.findall(r"^FAILED .*|^ERROR .*", text, re.MULTILINE)
    if status not in (0, NONE_SELECTED) and not findings:
        ended = f"after {seconds} s" if status is None else f"with exit status {status}"
        findings.append(f"pytest ended {ended}: {said}")
    passed = int(count[1]) if count else 0
    return Run(file, passed, findings, time.monotonic() - begin)


def run_logged(
    command: list[str], environment: dict[str, str], log: Path, seconds: float
) -> tuple[int | None, str]:
    """Run a command in the repository: exit status, None after a timeout, and its output."""
    with log.open("w") as out, contextlib.suppress(subprocess.TimeoutExpired):
        status = subprocess.call(
            command,
            cwd=REPOSITORY,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )
        return status, log.read_text(errors="replace")
    return None, log.read_text(errors="replace")


def read_reports(log: Path) -> list[str]:
    """The headlines of the relevant reports of a log."""
    text = log.read_text(errors="replace")
    found = []
    for paragraph in PARAGRAPHS.split(text):
        headline = REPORT.search(paragraph)
        # Python itself has leaks and races.
        if headline is None or AFTER_THE_END.search(paragraph):
            continue
        if OURS in paragraph or not ELSEWHERE.match(headline[0]):
            frame = next((line.strip() for line in paragraph.splitlines() if OURS in line), "")
            found.append(f"{headline[0]}; {frame} ({log.name})")
    return found


if __name__ == "__main__":
    sys.exit(main())
