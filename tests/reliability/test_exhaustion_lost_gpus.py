"""CUDA that is missing, old, or incomplete, and GPUs that are lost in a call, with a fake CuPy.

Each test uses a separate process, in which the fake replaces CuPy.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reliability.fake_cupy import environment_with

pytestmark = pytest.mark.long
LOOK = """
import json, logging, sys
import numpy as np
import separatrix as sx

class Kept(logging.Handler):
    lines = []
    def emit(self, record):
        self.lines.append((record.levelname, record.getMessage()))

logging.getLogger("separatrix").addHandler(Kept())
logging.getLogger("separatrix").setLevel(logging.INFO)
image = np.random.default_rng(0).random((4, 5, 6))
expected = sx.discrete_gradient(image, device="cpu").codes()

def attempt(device):
    try:
        found = sx.discrete_gradient(image, device=device)
        assert np.array_equal(found.codes(), expected)
        return found.device
    except Exception as error:
        return f"{type(error).__name__}: {error}"

gpu = sx.devices()[1]
said = {"usable": gpu.usable, "reason": gpu.reason}
said["calls"] = [attempt(device) for device in ("auto", "auto", "cuda", "auto", "cpu")]
sx.release_memory()
said["reason after"] = sx.devices()[1].reason
said["log"] = Kept.lines
cupy = sys.modules.get("cupy")
said["entered"] = cupy.Device.n_entered if cupy else 0
print(json.dumps(said))
"""


def looked(folder: Path, fault: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        env=environment_with(folder, fault),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("torn", "CuPy is installed but cannot be imported: libcudart.so.12: cannot open shared"),
        ("half", "CuPy is installed but cannot be imported: module 'numpy' has no attribute"),
        (
            "import",
            "CuPy is installed but cannot be imported: CuPy is not correctly installed. Orig",
        ),
        ("old", "CuPy 9.6.0 is too old; version 13 or newer is required. Install the extra"),
        ("no-driver", "CUDA driver is a stub library. Update the NVIDIA driver"),
        ("old-driver", "insufficient for CUDA runtime version. Update the NVIDIA driver"),
        ("no-gpu", "no CUDA-capable device is detected"),
        ("no-nvrtc", "cannot be compiled: CuPy failed to load libnvrtc.so.12"),
        ("wrong-answer", "A test kernel returned a wrong result."),
    ],
)
def test_broken_cuda_is_reported_and_the_cpu_is_used(fault, words, tmp_path):
    said = looked(tmp_path, fault)
    assert not said["usable"]
    assert words in said["reason"]
    assert "\n" not in said["reason"]
    automatic, again, asked, *others = said["calls"]
    assert {automatic, again, *others} == {"cpu"}
    assert asked == f"DeviceUnavailable: cuda:0 cannot be used: {said['reason']}"
    assert [line for _, line in said["log"]] == [f"computing on the CPU: {said['reason']}"]


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("cudaErrorDevicesUnavailable", "DeviceUnavailable", "was lost during a call"),
        ("cudaErrorECCUncorrectable", "DeviceUnavailable", "was lost during a call"),
        ("cudaErrorUnknown", "DeviceUnavailable", "Check it with nvidia-smi"),
        ("cudaErrorIllegalAddress", "KernelError", "This program can no longer use it"),
        ("CUDA_ERROR_LAUNCH_FAILED", "KernelError", "Restart the program"),
    ],
)
def test_after_a_gpu_is_lost_the_cpu_computes_and_reports_the_reason(fault, kind, words, tmp_path):
    said = looked(tmp_path, fault)
    assert said["usable"]
    first, *automatic = [said["calls"][k] for k in (0, 1, 3, 4)]
    assert first.startswith(f"{kind}: cuda:0 ")
    assert words in first
    assert fault in first
    assert "device='cpu'" in first
    assert automatic == ["cpu"] * 3
    reason = f"It was lost in an earlier call of this program ({fault}: said the driver)"
    assert said["calls"][2].startswith(f"DeviceUnavailable: cuda:0 cannot be used: {reason}")
    assert said["reason after"].startswith(reason)
    assert [level for level, _ in said["log"]] == ["WARNING"]
    assert reason in said["log"][0][1]
    assert said["entered"] == 0


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("OutOfMemory", "DeviceMemoryError"),
        ("bad_alloc", "DeviceMemoryError"),
        ("cudaErrorMemoryAllocation", "DeviceMemoryError"),
        ("cudaErrorNotSupported", "KernelError"),
    ],
)
def test_after_other_cuda_errors_the_gpu_is_probed_again(fault, kind, tmp_path):
    said = looked(tmp_path, fault)
    assert all(said["calls"][k].startswith(f"{kind}: cuda:0") for k in range(4))
    assert said["calls"][4] == "cpu"
    assert said["reason after"] == ""
    assert said["log"] == []
