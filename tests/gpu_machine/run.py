"""The tests on a GPU, on a machine with no network, from the folder that prepare.py made.

    python3 tests/gpu_machine/run.py .gpu                       # minutes
    python3 tests/gpu_machine/run.py .gpu --long                # only the long ones, an hour
    python3 tests/gpu_machine/run.py .gpu -- -k molecule -x     # pytest's own options after --

It unpacks VTK and the wheels, compiles the kernels for the CPU, and for the GPU as for a wheel,
then runs pytest: side by side, and then the tests that measure a whole process or GPU (marked
`alone`) one by one. The summary and each part's log go to `--output`; to keep a run beside the
change that it tried, copy its summary to tests/gpu_machine/results. Where git does not know the
commit, `--commit` names it.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import tomllib

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "filters", "shell", "reliability")
N_PROCESSES = max(8, 3 * (os.cpu_count() or 1) // 4)
DEVICE = """
import platform, cupy, numpy, separatrix as sx, vtkmodules.vtkCommonCore as vtk
sx.discrete_gradient([0.0], device="cuda")  # or an error that says why no GPU can be used
runtime, gpu = cupy.cuda.runtime, cupy.cuda.runtime.getDeviceProperties(0)
print(f"{runtime.getDeviceCount()} x {gpu['name'].decode()}, CUDA {runtime.driverGetVersion()}")
print(f"Python {platform.python_version()}, CuPy {cupy.__version__}, NumPy {numpy.__version__}, "
      f"VTK {vtk.vtkVersion.GetVTKVersion()}")
"""
ARCHITECTURE = "import cupy; print('sm_' + cupy.cuda.Device().compute_capability)"


def main() -> int:
    """Set up, test, and write the summary; pytest's exit status."""
    options = options_of(sys.argv[1:])
    options.output.mkdir(parents=True, exist_ok=True)
    site = options.site
    unpack(options.folder, site)
    path = [*(str(REPOSITORY / name) for name in ("engine", "plugins")), str(site)]
    os.environ["PYTHONUNBUFFERED"] = "1"  # keeps the output of a run that is stopped
    os.environ["PYTHONPATH"] = os.pathsep.join(path)
    python("engine/build_kernels.py")
    lines = [f"commit {options.commit or commit()}", *told_by(DEVICE)]
    python("engine/build_cuda.py", "--architectures", *told_by(ARCHITECTURE))
    now = datetime.datetime.now(datetime.timezone.utc)
    lines.insert(0, f"{now:%Y-%m-%d %H:%M} UTC")
    summary = options.output / f"gpu-run-{now:%Y-%m-%d}{'-long' if options.long else ''}.txt"
    worst = 0
    for name, marks, processes in parts(options.long):
        log = options.output / f"{name}.log"
        begin = time.monotonic()
        status = tests(marks, processes, log, options.pytest)
        seconds = time.monotonic() - begin
        lines += ["", f'{name}: -m "{marks}", {processes} processes, {seconds:.0f} s']
        lines += summary_of(log)
        worst = max(worst, 0 if status == 5 else status)  # 5: nothing was selected
        summary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("", *lines, summary, sep="\n", flush=True)
    return worst


def options_of(arguments: list[str]) -> argparse.Namespace:
    """The command line; what stands after -- is pytest's."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="what prepare.py made")
    parser.add_argument("--long", action="store_true", help="the tests marked `long` instead")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "build" / "gpu-run")
    parser.add_argument("--site", type=Path, default=Path("/tmp/site"), help="to unpack to")
    parser.add_argument("--commit", default="", help="what is tested, where git does not know")
    options = parser.parse_args(arguments[:cut])
    options.pytest = arguments[cut + 1 :]
    return options


def unpack(folder: Path, site: Path) -> None:
    """VTK, the wheels, and the metadata by which PyVista finds our accessor."""
    if (site / "vtkmodules").exists():
        return
    with tarfile.open(folder / "vtk.tar.xz") as packed:
        packed.extractall(site, filter="data")
    wheels = sorted(map(str, (folder / "wheels").glob("*.whl")))
    python("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", site, *wheels)
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = site / "separatrix-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: separatrix\nVersion: 0\n")
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {module}" for name, module in entries.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")


def parts(long: bool) -> list[tuple[str, str, int]]:
    """Name, marks and number of processes of each run of pytest."""
    marks = "gpu and long" if long else "gpu and not long"
    return [
        ("side-by-side", f"{marks} and not alone", N_PROCESSES),
        ("one-by-one", f"{marks} and alone", 1),
    ]


def tests(marks: str, processes: int, log: Path, options: list[str]) -> int:
    """Run pytest with its output here and in the log; its exit status."""
    workers = ["-n", str(processes), "--dist", "worksteal"] if processes > 1 else []
    folders = [f"tests/{name}" for name in FOLDERS]
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:benchmark", "-m", marks, *workers,
        "--durations=60", *options, *folders,
    ]  # fmt: skip
    with log.open("w", buffering=1, encoding="utf-8") as kept:
        process = subprocess.Popen(
            command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            kept.write(line)
            print(line, end="", flush=True)
        return process.wait()


def summary_of(log: Path) -> list[str]:
    """Failed tests, reasons of skipped tests, and pytest's counts."""
    lines = log.read_text(encoding="utf-8").splitlines()
    reported = [line for line in lines if re.match(r"(FAILED|ERROR|SKIPPED) ", line)]
    return [*reported, lines[-1] if lines else "pytest said nothing"]


def python(*arguments: object) -> None:
    """Run Python in the repository, and exit if it fails."""
    subprocess.run([sys.executable, *map(str, arguments)], cwd=REPOSITORY, check=True)


def told_by(code: str) -> list[str]:
    """Output of a program. Raises its failure."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip().splitlines()


def commit() -> str:
    """The commit that git has checked out."""
    reported = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=40"],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return reported.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
