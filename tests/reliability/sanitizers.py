"""The tests of the engine, on a library that watches itself.

python tests/reliability/sanitizers.py address,undefined [--jobs N] [pytest's arguments]
python tests/reliability/sanitizers.py thread

Builds the library (engine/build_kernels.py --sanitize) and runs each file of tests in a process of
its own, so that one that ends at an error takes no other with it. Logs lie in
build/sanitizers/NAMES/logs: FILE.txt is what pytest says, FILE.PID what the sanitizer does. Any
report that has a frame of ours, any test that fails and any process that dies is a finding: exit
status 1.

address watches the heap, where NumPy's arrays are too, and at the end what nobody freed; the leaks
of Python itself are left out by their frames. thread runs every loop on SEPARATRIX_NUM_THREADS
threads, by default 2, however short it is.
"""

import argparse
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
"""What must be in the process before Python: the sanitizers' own allocators and mutexes."""
# The frames of a report name function, source and module.
FRAMES = "stack_trace_format='    #%n %F %L %M'"
OPTIONS = {
    # Python leaks at its end, so the exit status tells nothing of leaks: the log does.
    "ASAN_OPTIONS": f"abort_on_error=1:exitcode=0:detect_leaks=1:{FRAMES}",
    # Beside the address sanitizer its reports go to the standard error, whatever one says.
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
# glibc frees what was local to a thread when that has ended, under a lock that nobody sees.
AFTER_THE_END = re.compile(
    r"data race .*\n  Write .*\n(    #\d in free .*\n)+    #\d in \w*_dl_deallocate_tls "
)
OURS = "libseparatrix"
NONE_SELECTED = 5  # pytest's exit status


class Run(NamedTuple):
    """What a file of tests came to."""

    file: str
    passed: int
    findings: list[str]
    seconds: float


def main() -> int:
    """Run from the command line; the exit status is 1 where something was found."""
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
    # Python itself knows no C++, and without libstdc++ the runtimes do not find its exceptions.
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
    # By name alone, where the loader knows it and the compiler does not.
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
    """Run one file's tests, and read what was said."""
    stem = Path(file.partition("::")[0]).stem
    reports = logs / stem
    own = {name: f"{text}:log_path={reports}" for name, text in OPTIONS.items()}
    said = logs / f"{stem}.txt"
    # Python's own output is caught alone: a report must not be lost with a process that dies.
    caught = ["-p", "no:cacheprovider", "--capture=sys"]
    command = [sys.executable, "-m", "pytest", "-q", *caught, "-m", SELECTION]
    begin = time.monotonic()
    with said.open("w") as out:
        try:
            status: int | str = subprocess.run(
                [*command, *options, file],
                cwd=REPOSITORY,
                env=environment | own,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            status = f"none after {seconds} s"
    text = said.read_text(errors="replace")
    count = re.search(r"(\d+) passed", text)
    written = [said, *logs.glob(f"{stem}.[0-9]*")]
    findings = [finding for log in written for finding in read_reports(log)]
    findings += re.findall(r"^FAILED .*|^ERROR .*", text, re.MULTILINE)
    if status not in (0, NONE_SELECTED) and not findings:
        findings.append(f"pytest's exit status was {status}: {said}")
    passed = int(count[1]) if count else 0
    return Run(file, passed, findings, time.monotonic() - begin)


def read_reports(log: Path) -> list[str]:
    """The headlines of a log's reports that concern us."""
    text = log.read_text(errors="replace")
    found = []
    for paragraph in PARAGRAPHS.split(text):
        headline = REPORT.search(paragraph)
        # Leaks and races are Python's own too.
        if headline is None or AFTER_THE_END.search(paragraph):
            continue
        if OURS in paragraph or not ELSEWHERE.match(headline[0]):
            frame = next((line.strip() for line in paragraph.splitlines() if OURS in line), "")
            found.append(f"{headline[0]}; {frame} ({log.name})")
    return found


if __name__ == "__main__":
    sys.exit(main())
