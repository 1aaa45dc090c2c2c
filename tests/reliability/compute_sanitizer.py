"""The GPU tests of the engine under NVIDIA's compute-sanitizer.

python tests/reliability/compute_sanitizer.py [memcheck racecheck initcheck] [--seconds 540]
    [--logs FOLDER] [--tests FILE...] [-k WORD]

memcheck finds misaligned accesses and those outside of arrays, racecheck finds hazards between the
threads of a block that share memory, and initcheck finds reads of uninitialized memory. Each file
of tests runs in a separate process; the summary lists files that were omitted for lack of time.
By default each family of kernels runs once; `--tests tests/engine/*.py` runs all tests, for hours.
Logs, and a JSON line per tool in summary.jsonl, are in build/sanitizers/compute. The exit status is
1 if a tool reports an error or a test fails.

The command is searched in PATH, $CUDA_PATH, and /usr/local/cuda, or given by COMPUTE_SANITIZER.
"""

import argparse
import json
import os
import re
import shutil
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from sanitizers import NONE_SELECTED, REPOSITORY, run_logged

TOOLS = {
    # Tests run out of memory on purpose, which is not an error of a kernel.
    "memcheck": ["--report-api-errors", "no", "--padding", "32"],
    "racecheck": ["--racecheck-report", "analysis"],
    "initcheck": [],
}
"""The options of each tool."""
KERNELS = "tests/reliability/test_memory_safety_kernels.py"
FAST = ("images", "meshes", "balls", "bars", "points", "sums")
# An error; and its place, for a race in the same line, otherwise in the next one.
FOUND = re.compile(r"^========= ((?:Invalid|Misaligned|Uninitialized|Error|Program hit|Race).*)$")
PLACE = re.compile(r"\bat (?:[\w:]*::)?(\w+)(?:<.*>)?(?:\(.*\))?\+0x")
# CuPy's nonzero passes a scan from block to block through shared memory.
WARNED = re.compile(r"^========= Warning: Race reported")
PLACE_OF_CUPY = re.compile(r"at cupy_\w+.* at cupy_\w+")
ERRORS = 99  # compute-sanitizer's exit status after errors


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="GPU tests under compute-sanitizer.")
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=f"of {', '.join(TOOLS)}")
    parser.add_argument("--seconds", type=float, default=540, help="for all tools together")
    parser.add_argument("--logs", type=Path, default=REPOSITORY / "build/sanitizers/compute")
    parser.add_argument("--tests", nargs="+", help="files, with ::NAME where one likes")
    parser.add_argument("-k", default="", help="pytest's selection by names")
    arguments = parser.parse_args()
    tools = arguments.tools or [*TOOLS]
    if unknown := set(tools) - TOOLS.keys():
        parser.error(f"there is no tool {min(unknown)!r}; there are {', '.join(TOOLS)}")
    command = find_command()
    one = f"{KERNELS}::test_a_family_of_kernels_runs_to_its_end"
    files = arguments.tests or [f"{one}[cuda-{name}]" for name in FAST]
    arguments.logs.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + arguments.seconds
    failed = False
    for place, tool in enumerate(tools):
        share = (end - time.monotonic()) / (len(tools) - place)
        found = run_tool(command, tool, files, arguments.k, arguments.logs, share)
        print(json.dumps(found), flush=True)
        with (arguments.logs / "summary.jsonl").open("a") as summary:
            summary.write(json.dumps(found) + "\n")
        failed |= bool(found["errors"] or found["failed"] or not found["passed"])
    return int(failed)


def find_command() -> str:
    """The path of compute-sanitizer; exits with a message if it is not installed."""
    if named := os.environ.get("COMPUTE_SANITIZER"):
        return named
    folders = [os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    parts = ("bin", "compute-sanitizer", "extras/compute-sanitizer")
    for path in [None, *(f"{folder}/{part}" for folder in folders if folder for part in parts)]:
        if found := shutil.which("compute-sanitizer", path=path):
            return found
    sys.exit(
        "compute_sanitizer: compute-sanitizer was not found in PATH, $CUDA_PATH and "
        "/usr/local/cuda; it is part of the CUDA toolkit (apt: cuda-sanitizer-12-9 and others)"
    )


def run_tool(
    command: str, tool: str, files: list[str], selection: str, logs: Path, seconds: float
) -> dict[str, Any]:
    """Run as many files under one tool as the time allows, and return a summary."""
    begin = time.monotonic()
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(
            [*(str(REPOSITORY / part) for part in ("tests", "engine", "plugins"))]
            + [path for path in [os.environ.get("PYTHONPATH")] if path]
        ),
        "HYPOTHESIS_PROFILE": "brief",
    }
    passed, failed, omitted, kernels, errors = 0, 0, [], Counter[str](), 0
    for file in files:
        stem = f"{tool}-{re.sub(r'[^A-Za-z0-9]+', '-', Path(file).name).strip('-')[-60:]}"
        log, said = logs / f"{stem}.log", logs / f"{stem}.txt"
        log.unlink(missing_ok=True)
        watch = [command, "--tool", tool, *TOOLS[tool], "--error-exitcode", str(ERRORS)]
        watch += ["--log-file", str(log), "--print-limit", "100000"]
        tests = [sys.executable, "-m", "pytest", "-q", "-m", "gpu and not long", "-k", selection]
        tests += ["-p", "no:cacheprovider", "-p", "reliability.plain_memory", file]
        left = seconds - (time.monotonic() - begin)
        if left <= 1:
            omitted.append(Path(file).name)
            continue
        status, text = run_logged([*watch, *tests], environment, said, left)
        if status is None:
            omitted.append(Path(file).name)
        counts = counts_of(text)
        passed, failed = passed + counts["passed"], failed + counts["failed"] + counts["error"]
        own = read_log(log)
        kernels += own
        errors += own.total()
        is_normal = status in (None, 0, NONE_SELECTED)
        if (
            not (is_normal or (status == ERRORS and is_cupys_alone(log)))
            and not own.total()
            and not counts["failed"]
        ):
            errors += 1
            kernels[f"exit status {status}, see {said.name}"] += 1
    return {
        "tool": tool,
        "passed": passed,
        "failed": failed,
        "errors": errors,
        "kernels": dict(kernels.most_common()),
        "omitted": omitted,
        "seconds": round(time.monotonic() - begin, 1),
    }


def counts_of(text: str) -> Counter[str]:
    """Number of tests by outcome, from the last line of pytest or its rows of dots."""
    found = Counter({word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error)", text)})
    if not found:  # pytest was interrupted
        rows = [row.split()[0] for row in text.splitlines() if re.match(r"^[.sFEx]+( |$)", row)]
        found["passed"] = sum(row.count(".") for row in rows)
        found["failed"] = sum(row.count("F") + row.count("E") for row in rows)
    return found


def is_cupys_alone(log: Path) -> bool:
    """Whether all reports are warnings about kernels of CuPy."""
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    reports = [k for k, line in enumerate(lines) if WARNED.search(line)]
    places = [" ".join(lines[k : k + 2]) for k in reports]
    return bool(places) and all(PLACE_OF_CUPY.search(place) for place in places)


def read_log(log: Path) -> Counter[str]:
    """Reports of a log by headline and kernel."""
    found: Counter[str] = Counter()
    if not log.is_file():
        return found
    text = log.read_text(errors="replace")
    for paragraph in re.split(r"\n(?==========(?: *$| \w))", text, flags=re.MULTILINE):
        if headline := FOUND.search(paragraph.partition("\n")[0]):
            what = re.sub(r" (between .*|at address .*|0x[0-9a-f]+)", "", headline[1])
            place = PLACE.search(paragraph)
            found[f"{what} in {place[1]}" if place else what] += 1
    return found


if __name__ == "__main__":
    sys.exit(main())
