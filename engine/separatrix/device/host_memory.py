"""Host memory that a process can still allocate.

The minimum of the memory that is available on the machine, within the limit of the process
(``ulimit -v``), and within its control group, as in a container.
"""

from __future__ import annotations

import os
from pathlib import Path

try:
    import resource
except ImportError:  # not a Unix
    resource = None  # type: ignore[assignment]

MEMORY_FILE = Path("/proc/meminfo")
OWN_GROUP = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")
FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""Files with the limit, the usage, and the caches in it, of control groups version 2 and 1."""


def free_host_memory() -> int:
    """Return the bytes that this process can allocate without swapping; file caches are free."""
    found = (_of_machine(), _of_process(), _of_groups())
    return max(0, min(bytes for bytes in found if bytes is not None))


def physical_memory() -> int:
    """Return the bytes of memory of the machine; a large number where the system does not say."""
    if not hasattr(os, "sysconf"):  # Windows
        return 1 << 40
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_machine() -> int:
    try:
        lines = MEMORY_FILE.read_text().splitlines()
        kib = next(line.split()[1] for line in lines if line.startswith("MemAvailable:"))
        return int(kib) << 10
    except (OSError, StopIteration):
        return physical_memory()


def _of_process() -> int | None:
    if resource is None:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return limit - pages * os.sysconf("SC_PAGE_SIZE")


def _of_groups() -> int | None:
    """Within the limits of the control group and its ancestors; None without one."""
    try:
        lines = OWN_GROUP.read_text().splitlines()
    except OSError:
        return None
    left = []
    for line in lines:
        _, controllers, own = line.split(":", 2)
        if controllers in FILES:
            root = GROUPS / controllers
            folder = root / own.lstrip("/")
            within = [each for each in (folder, *folder.parents) if each.is_relative_to(root)]
            left += [_of_group(each, *FILES[controllers]) for each in within]
    return min((bytes for bytes in left if bytes is not None), default=None)


def _of_group(folder: Path, limit_file: str, used_file: str, cached: str) -> int | None:
    try:
        limit = int((folder / limit_file).read_text())  # "max" is no limit
        used = int((folder / used_file).read_text())
        counts = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return limit - used + int(counts.get(cached, 0))
    except (OSError, ValueError):
        return None
