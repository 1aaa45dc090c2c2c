"""Free memory of the host, and calls that check it before they begin."""

import os
import resource
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix.device import host_memory
from separatrix.device.host import HostDevice
from separatrix.device.memory import LOOK_FROM
from separatrix.device.session import Session

GIBIBYTE = 1 << 30


def fake_groups(folder: Path, version: int, limits: dict[str, str]) -> None:
    """Write the files of control groups, each of which uses 3 GiB, 1 GiB of it for files."""
    root = folder if version == 2 else folder / "memory"
    names = host_memory.FILES["" if version == 2 else "memory"]
    for place, limit in limits.items():
        group = root / place
        group.mkdir(parents=True, exist_ok=True)
        (group / names[0]).write_text(f"{limit}\n")
        (group / names[1]).write_text(f"{3 * GIBIBYTE}\n")
        (group / "memory.stat").write_text(f"anon 5\n{names[2]} {GIBIBYTE}\n")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("limits", "free"),
    [
        ({"": "max", "jobs": "max", "jobs/own": "max"}, 100),
        ({"": "max", "jobs": "max", "jobs/own": str(5 * GIBIBYTE)}, 3),
        ({"": "max", "jobs": str(4 * GIBIBYTE), "jobs/own": str(50 * GIBIBYTE)}, 2),
        ({"": str(4 * GIBIBYTE)}, 2),  # of a container, which does not see its own path
        ({"": str(1 * GIBIBYTE)}, 0),
    ],
)
def test_free_memory_is_the_minimum_of_machine_process_and_control_groups(
    version, limits, free, tmp_path, monkeypatch
):
    fake_groups(tmp_path / "groups", version, limits)
    own = {1: "7:cpu:/other\n4:memory:/jobs/own\n", 2: "0::/jobs/own\n"}[version]
    (tmp_path / "cgroup").write_text(own)
    (tmp_path / "meminfo").write_text(f"MemTotal: 9 kB\nMemAvailable: {100 << 20} kB\n")
    monkeypatch.setattr(host_memory, "OWN_GROUP", tmp_path / "cgroup")
    monkeypatch.setattr(host_memory, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(host_memory, "MEMORY_FILE", tmp_path / "meminfo")
    assert host_memory.free_host_memory() == free * GIBIBYTE


def test_free_memory_respects_the_limit_of_the_process():
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    used = pages * os.sysconf("SC_PAGE_SIZE")
    try:
        resource.setrlimit(resource.RLIMIT_AS, (used + GIBIBYTE, before[1]))
        assert 0 < host_memory.free_host_memory() <= GIBIBYTE
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert host_memory.free_host_memory() > 0


def test_a_call_on_the_cpu_checks_memory_before_a_large_allocation(monkeypatch):
    monkeypatch.setattr(HostDevice, "free_memory", lambda self: LOOK_FROM - 1)
    session = Session(np.zeros(1), "cpu")
    session.memory.require(LOOK_FROM - 1, "a small thing")
    with pytest.raises(sx.DeviceMemoryError, match=r"A large thing requires 33,554,432 bytes of h"):
        session.memory.require(LOOK_FROM, "a large thing")
    points = np.random.default_rng(0).random((2000, 3))
    with pytest.raises(sx.DeviceMemoryError, match=r"requires [\d,]+ bytes"):
        sx.neighbors(points, radius=2.0, device="cpu")
    assert len(sx.neighbors(points[:50], radius=2.0, device="cpu").items) == 50 * 50


def test_a_memory_limit_does_not_apply_to_an_image_on_the_cpu():
    image = np.random.default_rng(0).random((5, 6, 7))
    found = sx.discrete_gradient(image, device="cpu", memory_limit=1)
    assert found.critical.euler_characteristic == 1
