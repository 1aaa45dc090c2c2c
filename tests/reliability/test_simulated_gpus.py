"""Code for GPUs on simulated GPUs, without a GPU; see tests/simulated_cupy.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import simulated_cupy
from simulated_cupy import cupy

TESTS = Path(__file__).resolve().parents[1]
BUDGET = {
    "discrete gradient": 1,
    "Morse-Smale complex": 1,
    "persistence diagram": 2,
    "simplification": 2,
    "relations": 1,
    "complex of a mesh": 2,
    "alpha complex": 1,
    "Delaunay triangulation": 1,
    "Rips barcodes": 2,
    "neighbors": 1,
    "density": 2,
}
"""Kernels that CuPy compiles in a first call, about 0.1 s each; lower them, never raise them."""
COUNT_KERNELS = """
import json, sys
import simulated_cupy
simulated_cupy.pytest_configure()
import first_calls
exec(first_calls.PROGRAM.partition("begin =")[0])
counts = {}
for name, call in first_calls.CALLS.items():
    simulated_cupy.compiled.clear()
    exec(call)
    counts[name] = len(simulated_cupy.compiled)
print(json.dumps(counts))
"""
QUICK = ("several_gpus", "arguments", "array_interfaces")


@pytest.mark.parametrize("names", [QUICK, pytest.param(["*"], marks=pytest.mark.long)], ids=len)
def test_code_for_gpus_runs_on_simulated_gpus(names):
    files = [path for name in names for path in (TESTS / "engine").glob(f"test_{name}.py")]
    options = ["-q", "-p", "simulated_cupy", "-m", "gpu and not long and not alone"]
    command = [sys.executable, "-m", "pytest", *options, *map(str, files)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=TESTS.parent)
    assert ran.returncode == 0, ran.stdout[-4000:]


def test_first_calls_compile_few_kernels_of_cupy():
    folders = [str(TESTS), str(TESTS.parent / "benchmarks"), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-c", COUNT_KERNELS]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stderr
    counts = json.loads(ran.stdout)
    assert counts.keys() == BUDGET.keys()
    assert {name: n for name, n in counts.items() if n > BUDGET[name]} == {}


def test_the_simulation_rejects_what_cupy_rejects():
    array = cupy.arange(5)
    assert int(array.max()) == 4
    with pytest.raises(TypeError, match="initial"):
        array.max(initial=0)
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(array)
    with pytest.raises(TypeError, match="Unsupported type"):
        array + np.arange(5)
    with pytest.raises(AttributeError, match="module 'cupy' has no attribute"):
        cupy.isin(array, array)
    with (
        simulated_cupy.Device(1),
        pytest.raises(RuntimeError, match="array of GPU 0, current GPU 1"),
    ):
        array + 1
