"""If host memory or threads run out, the call raises a one-line error and the next call works.

Each single allocation of small calls fails (refuse_memory.cpp), and larger calls run under memory
limits of their process, which are raised in steps. Each test uses separate processes.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from reliability.sanitizers import build_script
from reliability.workloads import FAMILIES

HERE = Path(__file__).resolve().parent
pytestmark = pytest.mark.long
MEBIBYTE = 1 << 20
STEPS = [4, 24, 64, 160, 400]  # MiB above the use of the process after a small call
LARGE = {  # calls of long_calls.py that use about 100 MiB, and their scale
    "image: complex": 1.0, "mesh: complex": 0.3, "alpha: complex": 0.3, "rips: loops": 1.0,
    "points: neighbors": 0.3,
}  # fmt: skip
SCRIPT = """
import gc, json, resource, sys
from reliability.long_calls import CALLS
from reliability.whole_results import digest
name, scale, mebibytes = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
small = CALLS[name](0.003, device="cpu")
expected = digest(small(None))
large = CALLS[name](scale, device="cpu")  # its input is made without a limit
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (mebibytes << 20),) * 2)
try:
    large(None)
    said = ""
except MemoryError as error:
    said = f"{type(error).__name__}: {error}"
gc.collect()
assert digest(small(None)) == expected
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    """refuse_memory.cpp as a library."""
    if sys.platform != "linux":
        pytest.skip("malloc can be replaced so on Linux alone")
    library = tmp_path_factory.mktemp("refusing") / "refuse_memory.so"
    compiler = build_script().compiler.find_compiler()
    source = str(HERE / "refuse_memory.cpp")
    subprocess.run([*compiler, "-O1", "-shared", "-fPIC", "-o", str(library), source], check=True)
    return library


def child(*arguments: str, timeout: float = 300, **options: object) -> str:
    """Return the output of a Python process, which must succeed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment |= options.pop("environment", {})
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **options,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-3000:])
    return done.stdout


def swept(refusing: Path, name: str, step: int, seconds: float) -> dict:
    script = str(HERE / "sweep_memory.py")
    # By its name, because spaces in LD_PRELOAD separate files; those in folders do not.
    folders = [str(refusing.parent), os.environ.get("LD_LIBRARY_PATH", "")]
    preloaded = {
        "LD_PRELOAD": refusing.name,
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, folders)),
    }
    arguments = (str(refusing), name, str(step), str(seconds))
    answer = json.loads(child(script, *arguments, environment=preloaded, timeout=3000))
    assert set(answer["ended"]) <= {"MemoryError", "DeviceMemoryError", "none"}
    return answer


@pytest.mark.parametrize(("step", "seconds"), [(53, 2), (1, 1500)])
@pytest.mark.parametrize("name", FAMILIES)
def test_a_failed_allocation_ends_only_the_call(name, step, seconds, refusing):
    answer = swept(refusing, name, step, seconds)
    assert answer["refused"] >= 1
    assert answer["whole"] or step > 1


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", LARGE)
def test_a_call_within_a_memory_limit_returns_or_raises_and_the_next_call_works(name, step):
    said = json.loads(child("-c", SCRIPT, name, str(LARGE[name]), str(step)))
    kind, _, sentence = said.partition(": ")
    assert "\n" not in said
    assert said or step > min(STEPS)
    if said:
        assert kind in ("MemoryError", "DeviceMemoryError", "_ArrayMemoryError")
        assert any(
            word in sentence for word in ("needs", "requires", "Unable to allocate", "no ro")
        )


THREADS = """
import resource, sys
import numpy as np
import separatrix as sx
from reliability.whole_results import arrays_of
image = np.random.default_rng(0).random((24, 25, 26))
points = np.random.default_rng(0).random((60, 3))
def calls(threads):
    codes = sx.discrete_gradient(image, device="cpu", threads=threads).codes()
    found = sx.rips_barcodes(points, max_dimension=2, collapse=True, device="cpu", threads=threads)
    return codes, *arrays_of(found).values()
expected = calls(1)
LIMIT
for threads in (1024, 3, 1024, 1):
    try:
        found = calls(threads)
    except MemoryError:  # each thread has working memory of its own
        assert threads > 3
        continue
    assert all(map(np.array_equal, expected, found))
print("done")
"""
ROOM = """
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + MIB * (1 << 20),) * 2)
"""
FEW = """
import os
if os.geteuid() == 0:
    os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (FEW, FEW))
"""


@pytest.mark.parametrize("stack", [2, 8])  # MiB: small stacks fill the memory more closely
@pytest.mark.parametrize("room", [40, 300])
def test_work_continues_without_threads_that_have_no_memory_for_stacks(room, stack):
    script = THREADS.replace("LIMIT", ROOM.replace("MIB", str(room)))
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]

    def with_such_stacks():
        resource.setrlimit(resource.RLIMIT_STACK, (stack * MEBIBYTE, most))

    assert child("-c", script, preexec_fn=with_such_stacks) == "done\n"


def test_work_continues_if_the_system_cannot_start_threads():
    if os.geteuid() != 0:
        pytest.skip("only root can become a user without any threads")
    assert child("-c", THREADS.replace("LIMIT", FEW.replace("FEW", "6"))) == "done\n"


def test_a_process_without_free_file_descriptors_computes():
    limit = "import os\nresource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))"
    assert child("-c", THREADS.replace("LIMIT", limit)) == "done\n"
