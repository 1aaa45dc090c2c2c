"""Fixtures of all tests: the device under test, and volumes."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent

# Packages of the extra `test` that may be missing, by the names that are imported.
OPTIONAL = {
    "cripser", "gemmi", "gudhi", "hatchling", "matplotlib", "pandas", "pyvista", "rich", "ripser",
    "scipy", "tetgen", "typer", "vtkmodules",
}  # fmt: skip

# Seeded: the same examples in every run. `HYPOTHESIS_PROFILE=explore` tries new ones, `brief`
# tries few if each is slow.
settings.register_profile("seeded", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("brief", settings.get_profile("seeded"), max_examples=10)
settings.register_profile("explore", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "seeded"))

# Programs that a shell starts with `&` ignore Ctrl-C, and so would those that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart() -> None:
    """Raise an error for a missing package in CI and `make test`, which run all tests."""
    missing = sorted(name for name in OPTIONAL if find_spec(name) is None)
    if os.environ.get("CI") and missing:
        raise pytest.UsageError(f"{', '.join(missing)} not found: pip install --editable '.[test]'")


def pytest_collection_finish() -> None:
    """Freeze the thousands of collected tests, so that `gc.collect` in a test is fast."""
    gc.collect()
    gc.freeze()


class ModuleOrSkip(pytest.Module):
    """A file of tests, skipped with a reason if it imports a missing optional package."""

    def collect(self) -> Iterable[Any]:
        try:
            return super().collect()
        except self.CollectError as error:
            missing = getattr(error.__cause__, "name", None) or ""
            if os.environ.get("CI") or missing.partition(".")[0] not in OPTIONAL:
                raise
            pytest.skip(f"{missing} is not installed", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    return ModuleOrSkip.from_parent(parent, path=module_path)


# Session scope: hypothesis runs many examples under one value of the fixture.
@pytest.fixture(scope="session", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> str:
    """Each device in turn: "cpu", or with `-m gpu` "cuda" if there is a GPU."""
    if request.param == "cuda" and (reason := why_no_gpu()):
        pytest.skip(f"no GPU can be used: {reason}")
    return request.param


@pytest.fixture
def cuda() -> str:
    """The name of the GPU, for tests marked `gpu` that are not about the CPU too."""
    if reason := why_no_gpu():
        pytest.skip(f"no GPU can be used: {reason}")
    return "cuda"


@pytest.fixture(scope="session")
def sample_data() -> Path:
    """The folder of the repository's own small volumes."""
    return REPOSITORY / "sample_data"


def shared(name: str) -> Path:
    """A folder of real data next to the repository; skips the test if it is missing."""
    folder = REPOSITORY.parent / "shared" / "data" / name
    if not folder.is_dir():
        pytest.skip(f"the folder shared/data/{name} is not beside the repository")
    return folder


@pytest.fixture(scope="session")
def shared_volumes() -> Path:
    """The folder of real volumes."""
    return shared("volumes")


@pytest.fixture(scope="session")
def shared_molecules() -> Path:
    """The folder of real molecules."""
    return shared("molecules")


@pytest.fixture(scope="session")
def shared_rips() -> Path:
    """The folder of point sets and distance matrices."""
    return shared("rips")


@cache
def why_no_gpu() -> str:
    """The reason why no GPU can be used; empty if one can."""
    import separatrix as sx

    gpus = [report for report in sx.devices(probe=True) if report.name.startswith("cuda")]
    if any(report.usable for report in gpus):
        return ""
    return "; ".join(report.reason for report in gpus) or "none was found"
