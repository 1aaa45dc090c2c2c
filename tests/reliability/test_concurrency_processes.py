"""Several processes at once: spawned like this one, or forked, with one thread and no GPU."""

import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from reliability.whole_results import digest
from reliability.workloads import FAMILIES, image
from separatrix.device import choice, host

pytestmark = pytest.mark.long
SECONDS = 20
CASES = [(name, k) for name in FAMILIES for k in range(2)]


def found_by(device: str, seed: int, n_rounds: int) -> dict[tuple[str, int], str]:
    """A hash of the bits of each case, in random order; two rounds must not differ."""
    order = np.random.default_rng(seed).permutation(len(CASES) * n_rounds)
    found: dict[tuple[str, int], str] = {}
    for i in order.tolist():
        name, k = case = CASES[i % len(CASES)]
        bits = digest(FAMILIES[name](k, {"device": device, "threads": 2}))
        bits_are = hashlib.sha256(bits).hexdigest()
        assert found.setdefault(case, bits_are) == bits_are, case
    return found


@pytest.mark.parametrize(("n_processes", "n_rounds"), [(2, 1), (6, 10)])
def test_spawned_processes_give_the_same_bits(n_processes, n_rounds, device):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_processes, context) as pool:
        futures = [pool.submit(found_by, device, seed, n_rounds) for seed in range(n_processes)]
        expected = found_by(device, 99, 1)  # beside them
        assert all(future.result(300) == expected for future in futures)


# === forked after use


def in_fork(work: Callable[[], Any]) -> str:
    """The result of `work` in a forked process as text; "hung" if it does not return."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():  # Python 3.12: of forking a process that has threads
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)  # ends it
        try:
            text = str(work())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    os.waitpid(child, 0)
    return text or "hung"


def labels(threads: int | None) -> str:
    """A hash of the labels of an image that is large enough for several threads."""
    values = np.random.default_rng(4).random((30, 30, 30))
    found = sx.morse_smale(values, device="cpu", threads=threads)
    return hashlib.sha256(digest(found.segmentation("morse_smale"))).hexdigest()


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_a_forked_process_computes_and_gives_the_same_bits(threads):
    expected = labels(2)  # starts threads, which a process forked from this one lacks
    assert in_fork(lambda: labels(threads)) == expected
    assert labels(threads) == expected


def test_calls_of_all_families_work_in_a_forked_process():
    expected = found_by("cpu", 1, 1)
    assert in_fork(lambda: found_by("cpu", 1, 1)) == str(expected)


def test_a_device_created_before_a_fork_has_one_thread_after_it():
    made = host.HostDevice(3)
    assert in_fork(lambda: (made.threads, host.HostDevice(2).threads)) == "(1, 1)"
    assert made.threads == 3


def test_a_process_forked_before_first_use_has_all_threads():
    script = """
import os, sys
from separatrix.device import host
if os.fork() == 0:
    os._exit(host.HostDevice(3).threads)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 3


def test_a_result_created_before_a_fork_can_be_used_after_it():
    made, fresh = (sx.morse_smale(image(1), device="cpu", threads=2) for _ in range(2))
    expected = digest(made.segmentation("morse_smale"))
    assert in_fork(lambda: digest(fresh.segmentation("morse_smale")) == expected) == "True"


def test_a_process_forked_from_a_gpu_process_raises_a_clear_error(monkeypatch):
    monkeypatch.setattr(choice, "used_gpus", {0})
    said = in_fork(lambda: sx.persistence_diagram([[1, 0], [2, 3]], device="cuda"))
    assert said == (
        "DeviceUnavailable: cuda:0 cannot be used: This process was forked from one that uses "
        "CUDA. Start it with the spawn method."
    )
    done = in_fork(lambda: sx.discrete_gradient([[1, 0], [2, 3]]).device)
    assert done == "cpu"


@pytest.mark.gpu
def test_a_forked_process_cannot_use_the_gpu_of_its_parent(cuda):
    sx.persistence_diagram([[1, 0], [2, 3]], device=cuda)
    assert "Start it with the spawn method" in in_fork(
        lambda: sx.persistence_diagram([[1, 0], [2, 3]], device=cuda)
    )
    assert in_fork(lambda: labels(2)) == labels(2)
