"""Many concurrent threads: each call returns the same bits as without them."""

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from reliability.whole_results import digest
from reliability.workloads import FAMILIES, image, mesh_arrays, tet_mesh
from separatrix.device.session import Session
from separatrix.lazy import cached_property

FEW, MANY = 2, 30  # rounds of all calls
N_INPUTS = 3
SECONDS = 6  # far longer than any call takes; longer ones hang


def all_at_once(tasks: list[Callable[[], Any]], n_threads: int) -> list[Any]:
    """The results of tasks, which threads that begin at once take in order."""
    gate = threading.Barrier(n_threads)
    with ThreadPoolExecutor(n_threads, initializer=gate.wait) as pool:
        futures = [pool.submit(task) for task in tasks]
        return [future.result(SECONDS) for future in futures]


@pytest.fixture
def impatient():
    """Switch between Python threads every 10 microseconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


# === calls side by side


@pytest.mark.parametrize(
    ("n_threads", "n_rounds"),
    [(8, FEW), *(pytest.param(n, MANY, marks=pytest.mark.long) for n in (2, 4, 8, 16))],
)
def test_concurrent_calls_of_all_families_give_the_serial_bits(
    n_threads, n_rounds, device, impatient
):
    options = {"device": device, "threads": 2}
    cases = [(name, k) for name in FAMILIES for k in range(N_INPUTS)]
    alone = {case: digest(FAMILIES[case[0]](case[1], options)) for case in cases}
    order = np.random.default_rng(n_threads).permutation(np.tile(np.arange(len(cases)), n_rounds))
    chosen = [cases[i] for i in order]
    tasks = [lambda c=case: digest(FAMILIES[c[0]](c[1], options)) for case in chosen]
    for case, found in zip(chosen, all_at_once(tasks, n_threads), strict=True):
        assert found == alone[case], case


# === one object used by several threads


def parts_of_image(device: str) -> tuple[Any, list[Callable[[Any], Any]]]:
    made = sx.morse_smale(image(1), persistence=2.0, device=device)
    return made, [
        lambda c: c.segmentation("morse_smale"),
        lambda c: c.segmentation("descending"),
        lambda c: c.separatrices(1, "saddle"),
        lambda c: c.separatrices(2, "ascending"),
        lambda c: c.arcs,
        lambda c: c.persistence_pairs,
        lambda c: c.simplify(4.0).segmentation("morse_smale"),
        lambda c: c.simplify(7.0).critical,
        lambda c: c.simplified_field().values,
        lambda c: c.regions("ascending"),
        lambda c: c.critical,
        lambda c: c.gradient.codes(),
        lambda c: len(c.timings) * 0,
    ]


def parts_of_mesh(device: str) -> tuple[Any, list[Callable[[Any], Any]]]:
    values = mesh_arrays(1)[2]
    made = tet_mesh(1, {"device": device, "threads": 2})
    names = ("VV", "VT", "EF", "ET", "FF", "TT", "FT", "EE")
    return made, [
        *(lambda m, n=name: m.relation(n).to_csr() for name in names),
        lambda m: m.relation("VT")[np.arange(9)].items,
        lambda m: m.counts,
        lambda m: (m.n_components, m.n_flat, m.crowded_triangles),
        lambda m: [m.is_on_boundary(d) for d in range(4)],
        lambda m: m.critical_points(values),
        lambda m: m.persistence_diagram(values),
        lambda m: [batch["VE"].items for batch in m.stream("VE", batch_bytes=999)],
        lambda m: m.external_cells(0),
    ]


def parts_of_mesh_complex(device: str) -> tuple[Any, list[Callable[[Any], Any]]]:
    made = tet_mesh(1, {"device": device}).morse_smale(mesh_arrays(1)[2], persistence=0.05)
    return made, [
        lambda c: c.segmentation("morse_smale"),
        lambda c: c.separatrices(1, "saddle"),
        lambda c: c.separatrices(1, "ascending"),
        lambda c: c.arcs,
        lambda c: c.persistence_pairs,
        lambda c: c.simplify(0.3).critical,
        lambda c: c.critical,
    ]


def parts_of_alpha(device: str) -> tuple[Any, list[Callable[[Any], Any]]]:
    centers = np.random.default_rng(5).random((40, 3))
    made = sx.alpha_complex(centers, 0.2, alpha=0.02, device=device)
    return made, [
        lambda c: c.tets,
        lambda c: c.hidden,
        lambda c: c.volume(),
        lambda c: c.area(),
        lambda c: c.per_ball(),
        lambda c: c.voids(),
        lambda c: c.at(0.0).pockets(),
        lambda c: c.persistence_diagram(),
        lambda c: c.at(0.01).triangles,
        lambda c: c.statistics["pairs"],
    ]


def parts_of_bars(device: str) -> tuple[Any, list[Callable[[Any], Any]]]:
    points = np.random.default_rng(6).random((24, 3))
    made = sx.rips_barcodes(points, max_dimension=2, representatives=3, device=device)
    return made, [
        lambda b: b.birth,
        lambda b: b.birth_simplex,
        lambda b: b.death_simplex,
        lambda b: [r.vertices for r in b.representatives if hasattr(r, "vertices")],
        lambda b: b.dimension,
    ]


SHARED = {
    "an image's complex": parts_of_image,
    "a mesh": parts_of_mesh,
    "a mesh's complex": parts_of_mesh_complex,
    "an alpha complex": parts_of_alpha,
    "barcodes": parts_of_bars,
}


@pytest.mark.parametrize("n_objects", [3, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("what", list(SHARED))
def test_one_object_may_be_used_by_several_threads(what, n_objects, device, impatient):
    alone, asked = SHARED[what](device)
    expected = [digest(ask(alone)) for ask in asked]
    for seed in range(n_objects):
        shared, _ = SHARED[what](device)
        order = np.random.default_rng(seed).permutation(np.tile(np.arange(len(asked)), 2)).tolist()
        found = all_at_once([lambda a=asked[i], s=shared: digest(a(s)) for i in order], 6)
        assert [expected[i] for i in order] == found, what


# === what could wait for ever, or change while it is read


def test_a_lazy_result_locks_only_its_own_object():
    class Thing:
        @cached_property
        def part(self):
            asked.set()
            assert go_on.wait(SECONDS)
            return object()

    asked, go_on = threading.Event(), threading.Event()
    one, other = Thing(), Thing()
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(lambda: one.part)
        assert asked.wait(SECONDS)
        asked.clear()
        second = pool.submit(lambda: other.part)
        assert asked.wait(5), "another object waits for the first one's"
        go_on.set()
        assert waiting.result(SECONDS) is one.part
        assert second.result(SECONDS) is other.part


@pytest.mark.parametrize("what", ["counts", "stream", "n_components"])
def test_a_callback_and_another_thread_may_request_the_same_relation_of_a_mesh(what, device):
    mesh, values = tet_mesh(1, {"device": device}), mesh_arrays(1)[2]

    def ask():
        if what != "stream":
            return getattr(mesh, what)
        return digest(next(mesh.stream("VT"))["VT"].items)

    other = threading.Thread(target=ask, daemon=True)
    found = []

    def listen(part, stage):
        if not found:
            other.start()
            other.join(0.2)  # by now it waits for the call that this is part of
            found.append(ask())

    caller = threading.Thread(target=mesh.morse_smale, args=(values,),
                              kwargs={"progress": listen}, daemon=True)  # fmt: skip
    caller.start()
    caller.join(SECONDS)
    assert not caller.is_alive(), "both wait for each other"
    other.join(SECONDS)
    assert found == [ask()]


def test_timings_may_be_read_while_a_stage_ends(device):
    session = Session(np.zeros(1), device)
    stages = dict.fromkeys(map(str, range(9)), 1.0)
    with session.call(None, stages):
        with session.stage("0"):
            pass

        class Ending:
            def seconds_between(self, *marks):
                with session.stage(str(len(session._marks))):
                    return 1.0

        session._marks["1"] = (Ending(), None, None)  # type: ignore[assignment]
        assert session.timings["1"] == 1.0


# === first use


FIRST_USE = """
import sys, threading
sys.setswitchinterval(1e-5)
errors, gate = [], threading.Barrier(8)
def use(k):
    try:
        gate.wait()
        import separatrix as sx
        if k % 2:
            assert sx.persistence_diagram([[3, 1, 2], [0, 5, 4]], device="DEVICE").death.size
        else:
            sx.count_neighbors([[0.0, 0.0], [1.0, 0.0]], radius=2.0, device="DEVICE")
    except BaseException as error:
        errors.append(repr(error))
threads = [threading.Thread(target=use, args=(k,)) for k in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not errors, errors
"""


def test_several_threads_may_use_the_engine_for_the_first_time(device):
    script = textwrap.dedent(FIRST_USE).replace("DEVICE", device)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
