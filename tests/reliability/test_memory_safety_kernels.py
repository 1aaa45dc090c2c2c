"""Run every family of kernels once, on little data, for compute-sanitizer and the sanitizers.

Other tests check the results; these check that many kernels are launched.
"""

import pytest

from reliability.workloads import FAMILIES
from separatrix.device.cuda import CudaDevice
from separatrix.device.host import HostDevice

LEAST = {"images": 55, "meshes": 80, "balls": 15, "bars": 3, "points": 12, "sums": 5}
"""Minimum number of kernels that a family launches."""


@pytest.fixture
def launched(monkeypatch):
    """The names of the kernels that are launched."""
    names = set()
    for kind in (HostDevice, CudaDevice):

        def launch(self, kernel, *arguments, whole=kind.launch, **keywords):
            names.add(kernel)
            return whole(self, kernel, *arguments, **keywords)

        monkeypatch.setattr(kind, "launch", launch)
    return names


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_kernels_runs_to_its_end(family, device, launched):
    for k in range(4):
        FAMILIES[family](k, {"device": device})
    assert len(launched) >= LEAST.get(family, 1), sorted(launched)
