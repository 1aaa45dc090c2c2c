"""The sanitizers report planted faults, and nothing else.

`make test-sanitizers` runs the engine's tests with them (sanitizers.py).
"""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from reliability import sanitizers
from separatrix.device.host import OUT_OF_MEMORY
from separatrix.kernels.source import source_hash

pytestmark = pytest.mark.long

KERNELS = sanitizers.REPOSITORY / "engine" / "separatrix" / "kernels"
PLANTED = """
#include "common/types.h"
#include "common/crew.h"
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
# Every vertex reports flats.
FLATS = """
import numpy as np
from separatrix.device import Session
low, label, has_flats = np.full(4096, 2**31 - 1, "i4"), np.empty(4096, "i4"), np.zeros(1, "u1")
for _ in range(10):
    Session(low, "cpu").launch("start_labels", 4096, low, label, has_flats)
    assert has_flats[0]
    has_flats[0] = 0
"""
HUNGRY = """
#include "common/types.h"
#include "common/crew.h"
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
    ("address,undefined", 7, ""),
    ("thread", 7, ""),
]
"""Sanitizers, a fault of PLANTED, and the report; the seventh is not a fault."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A library with faults for each choice of sanitizers, compiled like that of the engine."""
    folder = tmp_path_factory.mktemp("planted")
    found = {names: folder / names / "libseparatrix.so" for names in WATCHED}
    for names, library in found.items():
        compiled(PLANTED, names, library)
    return found


def compiled(text: str, names: str, library: Path) -> None:
    """Compile a C++ text like the library of the engine."""
    builder = sanitizers.build_script()
    library.parent.mkdir(exist_ok=True)
    library.with_suffix(".cpp").write_text(text)
    chosen = builder.sanitizers_of(names) if names else ()
    command = builder.compile_command(sanitizers=chosen)
    made_of = ["-shared", f"-I{KERNELS}", "-o", str(library), str(library.with_suffix(".cpp"))]
    subprocess.run([*command, *made_of], check=True, timeout=300)


def reports_of(command: list[str], names: str, library: Path, folder: Path) -> list[str]:
    """The reports of the sanitizers for Python with these arguments."""
    chosen = sanitizers.build_script().sanitizers_of(names)
    environment = sanitizers.watched_environment(chosen, library)
    logs = {name: f"{given}:log_path={folder}/log" for name, given in sanitizers.OPTIONS.items()}
    python = [sys.executable, *command]
    with (folder / "log.txt").open("w") as said:
        subprocess.run(python, env=environment | logs, stderr=said, check=False, timeout=300)
    assert "OSError" not in (folder / "log.txt").read_text()  # the library was loaded
    return [report for log in folder.glob("log.*") for report in sanitizers.read_reports(log)]


@pytest.mark.parametrize(("names", "fault", "said"), FAULTS)
def test_only_the_injected_fault_is_reported(names, fault, said, planted, tmp_path):
    command = ["-c", SCRIPT, str(planted[names]), str(fault)]
    reports = reports_of(command, names, planted[names], tmp_path)
    assert any(said in report for report in reports) if said else not reports, reports


def test_threads_that_set_one_flag_do_not_race(tmp_path):
    library = tmp_path / "libseparatrix.so"
    text = f'#define SEPARATRIX_SOURCE_HASH "{source_hash()}"\n#include "library.cpp"\n'
    compiled(text + '#include "cubical/plateau.h"\n', "thread", library)
    assert reports_of(["-c", FLATS], "thread", library, tmp_path) == []
    assert (tmp_path / "log.txt").read_text() == ""


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_that_runs_out_in_a_thread_does_not_end_the_process(threads, tmp_path):
    library = tmp_path / "libseparatrix.so"
    compiled(HUNGRY, "", library)
    assert ctypes.CDLL(str(library)).run_out(None, threads) == OUT_OF_MEMORY
