"""The sanitizers see what they are for, and find nothing in the engine.

Here is what takes a minute: faults planted on purpose, and some files of the engine's tests on a
library for the address and undefined-behavior sanitizers. `make test-sanitizers` runs them all.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reliability import compute_sanitizer, sanitizers
from separatrix.device.host import OUT_OF_MEMORY

ENGINE = Path(__file__).resolve().parents[1] / "engine"
KERNELS = sanitizers.REPOSITORY / "engine" / "separatrix" / "kernels"
PLANTED = """
#include "common/types.h"
static Index* lost;
extern "C" EXPORT Index fault(int n_threads, Index which) {
  Index *items = new Index[8](), sum = 0;
  if (which == 1) return items[8];
  if (which == 2) return 0x7FFFFFFFFFFFFFFF + which;
  if (which == 3) return (Index)(1e30 * (double)which);
  if (which == 4) return *(volatile Index*)((char*)items + n_threads);
  if (which == 5) lost = items, items = lost = nullptr;
  if (which == 6) deal_out(n_threads, 8, 8, [&](int, Index item) { sum += item; });
  if (which == 7) deal_out(n_threads, 8, 8, [&](int, Index item) { items[item] += item; });
  for (int i = 0; which == 7 && i < 8; ++i) sum += items[i];
  delete[] items;
  return sum;
}
"""
SCRIPT = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).fault(2, ctypes.c_int64(int(sys.argv[2])))"
# Every vertex tells that there are flats.
FLATS = """
import numpy as np
from separatrix.device import Work
low, label, has_flats = np.full(4096, 2**31 - 1, "i4"), np.empty(4096, "i4"), np.zeros(1, "u1")
for _ in range(10):
    Work(low, "cpu").launch("start_labels", 4096, low, label, has_flats)
    assert has_flats[0]
    has_flats[0] = 0
"""
HUNGRY = """
#include "common/types.h"
inline Index hungry(Int32 n_threads) {
  deal_out(n_threads, 64, 1, [](int, Index item) { if (item % 7 == 3) throw std::bad_alloc(); });
  return 1;
}
HOST_TASK(run_out, (Int32 n_threads), hungry(n_threads))
"""
WATCHED = ["address,undefined", "thread"]
FAULTS = [
    ("address,undefined", 1, "heap-buffer-overflow"),
    ("address,undefined", 2, "signed integer overflow"),
    ("address,undefined", 3, "outside the range of representable values"),
    ("address,undefined", 4, "misaligned address"),
    ("address,undefined", 5, "Direct leak of 64 byte"),
    ("thread", 6, "data race"),
]
# Those that take a few seconds each, over all families.
BRIEF = ("alpha_errors", "degenerate", "homology", "mesh_errors", "reduce_errors", "rips_errors")
FEW = 40  # tests at least, else something is wrong with the selection


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A library with faults for each choice of sanitizers, compiled as the engine's is."""
    folder = tmp_path_factory.mktemp("planted")
    found = {names: folder / names / "libseparatrix.so" for names in WATCHED}
    for names, library in found.items():
        compiled(PLANTED, names, library)
    return found


def compiled(text: str, names: str, library: Path) -> None:
    """Compile a C++ text as the engine's library is."""
    builder = sanitizers.build_script()
    library.parent.mkdir(exist_ok=True)
    library.with_suffix(".cpp").write_text(text)
    chosen = builder.sanitizers_of(names) if names else ()
    command = builder.compile_command(sanitizers=chosen)
    made_of = ["-shared", f"-I{KERNELS}", "-o", str(library), str(library.with_suffix(".cpp"))]
    subprocess.run([*command, *made_of], check=True, timeout=300)


def reports_of(command: list[str], names: str, library: Path, folder: Path) -> list[str]:
    """What the sanitizers say of Python with these arguments."""
    chosen = sanitizers.build_script().sanitizers_of(names)
    environment = sanitizers.watched_environment(chosen, library)
    logs = {name: f"{given}:log_path={folder}/log" for name, given in sanitizers.OPTIONS.items()}
    python = [sys.executable, *command]
    with (folder / "log.txt").open("w") as said:
        subprocess.run(python, env=environment | logs, stderr=said, check=False, timeout=300)
    return [report for log in folder.glob("log.*") for report in sanitizers.read_reports(log)]


@pytest.mark.parametrize(("names", "fault", "said"), FAULTS)
def test_a_planted_fault_is_reported(names, fault, said, planted, tmp_path, tried):
    command = ["-c", SCRIPT, str(planted[names]), str(fault)]
    reports = reports_of(command, names, planted[names], tmp_path)
    assert any(said in report for report in reports), reports
    tried("planted faults, seen by the sanitizers")


@pytest.mark.parametrize("names", WATCHED)
def test_nothing_is_reported_where_nothing_is_wrong(names, planted, tmp_path):
    command = ["-c", SCRIPT, str(planted[names]), "7"]
    assert reports_of(command, names, planted[names], tmp_path) == []


RACE = """==================
WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 8 at 0x7f by thread T2:
    #0 in free tsan_interceptors_posix.cpp:706 (libtsan.so.2)
    #1 in FREES elf.c:682 (MODULE)

  Previous read of size 8 at 0x7f by thread T1:
    #0 in Heeding::~Heeding() host_stop.h:17 (libseparatrix.so)
"""


@pytest.mark.parametrize(
    ("frees", "module", "found"),
    [("__GI__dl_deallocate_tls", "ld-linux-x86-64.so.2", 0), ("drop()", "libseparatrix.so", 1)],
)
def test_what_glibc_frees_of_an_ended_thread_is_no_race(frees, module, found, tmp_path):
    log = tmp_path / "log.1"
    log.write_text(RACE.replace("FREES", frees).replace("MODULE", module))
    assert len(sanitizers.read_reports(log)) == found


def test_threads_that_raise_one_flag_do_not_race(tmp_path):
    library = tmp_path / "libseparatrix.so"
    compiled('#include "library.cpp"\n#include "cubical/plateau.h"\n', "thread", library)
    assert reports_of(["-c", FLATS], "thread", library, tmp_path) == []
    assert (tmp_path / "log.txt").read_text() == ""


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_that_runs_out_in_a_thread_does_not_end_the_process(threads, tmp_path):
    library = tmp_path / "libseparatrix.so"
    compiled(HUNGRY, "", library)
    assert ctypes.CDLL(str(library)).run_out(None, threads) == OUT_OF_MEMORY


def test_some_tests_of_the_engine_find_nothing_on_a_watched_library():
    command = [sys.executable, str(Path(sanitizers.__file__)), "address,undefined", "--jobs", "1"]
    # Compiles three times faster; in a folder of its own, so that its objects are kept.
    environment = os.environ | {"CXXFLAGS": "-O0"}
    environment.pop("SEPARATRIX_LEDGER", None)
    files = [str(ENGINE / f"test_{name}.py") for name in BRIEF]
    done = subprocess.run(
        [*command, "--folder", "brief", *files],
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = int(done.stdout.splitlines()[-1].split(": ")[1].split()[0])
    assert passed >= FEW, done.stdout


REPORTS = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at count_near+0x1b0
=========     by thread (3,0,0) in block (0,0,0)
=========     Address 0x7f2a81400400 is out of bounds
=========
========= Invalid __global__ read of size 4 bytes
=========     at count_near+0x1b0
=========     by thread (4,0,0) in block (0,0,0)
=========
========= Error: Race reported between Write access at pair_stars(Grid, float const *)+0x4c0
=========     and Read access at pair_stars(Grid, float const *)+0x700 [640 hazards]
=========
========= ERROR SUMMARY: 3 errors
"""
FAKE = """\
#!/bin/sh
# Takes the tool's options up to the program to watch, and reports what it is told to.
while [ "$1" != "{python}" ]; do
    [ "$1" = --log-file ] && cp "{reports}" "$2"
    shift
done
echo "12 passed, 3 deselected in 0.42s"
exit {status}
"""


def fake_command(folder: Path, reports: str, status: int) -> Path:
    """A compute-sanitizer that runs nothing."""
    (folder / "reports").write_text(reports)
    command = folder / "compute-sanitizer"
    text = FAKE.format(python=sys.executable, reports=folder / "reports", status=status)
    command.write_text(text)
    command.chmod(0o755)
    return command


@pytest.mark.parametrize(
    ("reports", "status", "errors"),
    [
        ("========= ERROR SUMMARY: 0 errors\n", 0, {}),
        (
            REPORTS,
            compute_sanitizer.ERRORS,
            {
                "Invalid __global__ read of size 4 bytes in count_near": 2,
                "Error: Race reported in pair_stars": 1,
            },
        ),
        ("", 139, {"exit status 139, see memcheck-test-nearest-py.txt": 1}),
    ],
)
def test_what_compute_sanitizer_says_is_summed_up_by_kernel(reports, status, errors, tmp_path):
    command = fake_command(tmp_path, reports, status)
    files = ["tests/engine/test_nearest.py"]
    found = compute_sanitizer.run_tool(str(command), "memcheck", files, "", tmp_path, 60)
    assert found["kernels"] == errors
    assert found["errors"] == sum(errors.values())
    assert (found["passed"], found["failed"], found["left_out"]) == (12, 0, [])


def test_files_that_the_time_does_not_suffice_for_are_named(tmp_path):
    command = fake_command(tmp_path, "", 0)
    found = compute_sanitizer.run_tool(str(command), "memcheck", ["test_a.py"], "", tmp_path, 0)
    assert found["left_out"] == ["test_a.py"]


def test_the_fast_selection_has_files_that_exist():
    names = [*BRIEF]
    assert all((ENGINE / f"test_{name}.py").is_file() for name in names)


@pytest.mark.parametrize(("kernel", "errors"), [("cupy_nonzero_scan", 0), ("pair_stars", 1)])
def test_races_in_kernels_of_cupys_own_are_no_finding(kernel, errors, tmp_path):
    report = (
        f"========= Warning: Race reported between Read access at {kernel}+0x460\n"
        f"=========     and Write access at {kernel}+0x630 [192 hazards]\n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n"
    )
    command = fake_command(tmp_path, report, compute_sanitizer.ERRORS)
    files = ["tests/engine/test_nearest.py"]
    found = compute_sanitizer.run_tool(str(command), "racecheck", files, "", tmp_path, 60)
    assert found["errors"] == errors
