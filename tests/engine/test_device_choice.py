"""Selection of the device by the caller and the environment, and reasons against a GPU."""

import logging
import os
import subprocess
import sys

import numpy as np
import pytest

import separatrix as sx
from separatrix.device.host import default_threads, usable_cpus

GOOD = np.arange(24.0).reshape(2, 3, 4)


def gpu_reason() -> str:
    """The reason why the first GPU cannot be used; empty if it can."""
    return next(report.reason for report in sx.devices() if report.name == "cuda:0")


def in_a_new_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python code with the engine that is under test and some variables set."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_complex_reports_its_device(device):
    name = sx.morse_smale(GOOD, device=device).device
    assert name == ("cpu" if device == "cpu" else "cuda:0")
    assert sx.discrete_gradient(GOOD, device=device).device == name


def test_the_cpu_is_always_usable_and_described():
    cpu = sx.devices()[0]
    assert (cpu.name, cpu.usable, cpu.reason) == ("cpu", True, "")
    assert "thread" in cpu.description
    assert cpu.memory > 0


def test_every_device_is_usable_or_has_a_reason():
    for probe in (True, False):
        reports = sx.devices(probe=probe)
        assert [r.name for r in reports[:2]] == ["cpu", "cuda:0"]
        assert all(r.usable == (r.reason == "") for r in reports)
        assert all("\n" not in r.reason for r in reports)


def test_a_gpu_that_is_not_there_is_unavailable_with_a_reason():
    with pytest.raises(sx.DeviceUnavailable, match=r"cuda:999 cannot be used: \w+"):
        sx.morse_smale(GOOD, device="cuda:999")


def test_cuda_on_a_machine_without_a_usable_gpu_is_unavailable_with_the_reason():
    if not gpu_reason():
        pytest.skip("there is a usable GPU here")
    with pytest.raises(sx.DeviceUnavailable) as raised:
        sx.morse_smale(GOOD, device="cuda")
    assert gpu_reason() in str(raised.value)


@pytest.mark.parametrize("request_text", [None, "auto", "AUTO"])
def test_auto_uses_the_gpu_or_else_the_cpu(request_text, monkeypatch):
    monkeypatch.delenv("SEPARATRIX_DEVICE", raising=False)
    expected = "cpu" if gpu_reason() else "cuda:0"
    assert sx.morse_smale(GOOD, device=request_text).device == expected


@pytest.mark.parametrize("request_text", [None, "auto"])
def test_the_environment_sets_the_meaning_of_auto(request_text, monkeypatch):
    monkeypatch.setenv("SEPARATRIX_DEVICE", "cpu")
    assert sx.morse_smale(GOOD, device=request_text).device == "cpu"


def test_an_invalid_device_in_the_environment_is_rejected_with_the_variable(monkeypatch):
    monkeypatch.setenv("SEPARATRIX_DEVICE", "toaster")
    with pytest.raises(sx.InputError, match=r"SEPARATRIX_DEVICE must be .*; got 'toaster'"):
        sx.morse_smale(GOOD)


def test_a_named_device_overrides_the_environment(monkeypatch):
    monkeypatch.setenv("SEPARATRIX_DEVICE", "toaster")
    assert sx.morse_smale(GOOD, device="cpu").device == "cpu"


def test_cuda_in_the_environment_does_not_fall_back_to_the_cpu(monkeypatch):
    monkeypatch.setenv("SEPARATRIX_DEVICE", "cuda:999")
    with pytest.raises(sx.DeviceUnavailable, match="cuda:999"):
        sx.morse_smale(GOOD)


@pytest.mark.parametrize("text", ["0", "-2", "many", "1.5"])
def test_an_invalid_number_of_threads_in_the_environment_is_rejected(text, monkeypatch):
    monkeypatch.setenv("SEPARATRIX_NUM_THREADS", text)
    with pytest.raises(sx.InputError, match=r"SEPARATRIX_NUM_THREADS must be"):
        sx.morse_smale(GOOD, device="cpu")


@pytest.mark.parametrize(
    ("omp", "own", "threads"),
    [
        ("3", "", 3),
        ("3,2", "", 3),
        ("3", "5", 5),
        ("", "", None),
        ("-1", "", None),
        ("x", "", None),
    ],
)
def test_omp_num_threads_is_the_number_of_threads_unless_there_is_an_own_one(
    omp, own, threads, monkeypatch
):
    monkeypatch.setenv("OMP_NUM_THREADS", omp)
    monkeypatch.setenv("SEPARATRIX_NUM_THREADS", own)
    assert default_threads() == (threads or usable_cpus())


def test_falling_back_to_the_cpu_is_logged_in_one_line():
    if not gpu_reason():
        pytest.skip("there is a usable GPU here")
    code = (
        "import logging, numpy, separatrix as sx; logging.basicConfig(level='INFO')\n"
        "for _ in range(3): sx.morse_smale(numpy.zeros(3))"
    )
    lines = in_a_new_process(code, SEPARATRIX_DEVICE="auto").stderr.splitlines()
    reported = [line for line in lines if "separatrix" in line]
    assert len(reported) == 1
    assert "CPU" in reported[0]
    assert gpu_reason() in reported[0]


def test_nothing_is_logged_if_the_cpu_is_requested(caplog):
    with caplog.at_level(logging.DEBUG):
        sx.morse_smale(GOOD, device="cpu")
    assert not [record for record in caplog.records if record.name.startswith("separatrix")]


def test_timings_name_the_stages_in_seconds(device):
    found = sx.morse_smale(GOOD, device=device)
    stages = set(found.timings)
    assert stages
    found.segmentation("morse_smale")
    assert stages < set(found.timings)
    assert all(isinstance(s, float) and 0 <= s < 60 for s in found.timings.values())


@pytest.mark.gpu
def test_a_memory_limit_that_is_too_small_is_reported_with_the_required_memory(cuda):
    values = np.zeros((64, 64, 64), np.float32)
    with pytest.raises(sx.DeviceMemoryError, match=r"memory_limit allows 1,000") as raised:
        sx.morse_smale(values, device=cuda, memory_limit=1000)
    assert "Raise it" in str(raised.value)
