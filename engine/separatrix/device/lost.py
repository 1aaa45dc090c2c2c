"""GPUs that the process can no longer use, according to CUDA's errors.

Some errors are sticky: after an illegal address, or if a GPU has fallen off the bus, all later
calls of the process fail with the same error. CUDA Runtime API, section "Error Handling".
"""

from __future__ import annotations

import re

GONE = {
    "devicesunavailable",
    "deviceuninitialized",
    "nodevice",
    "invaliddevice",
    "eccuncorrectable",
    "nvlinkuncorrectable",
    "systemnotready",
    "unknown",
}
"""The GPU, or its driver, is gone."""
BROKEN = {
    "assert",
    "contained",
    "contextisdestroyed",
    "hardwarestackerror",
    "illegaladdress",
    "illegalinstruction",
    "invalidaddressspace",
    "invalidpc",
    "launchfailed",
    "launchfailure",
    "launchtimeout",
    "misalignedaddress",
}
"""The GPU works, but all further calls of this process fail."""
ADVICE = {
    "insufficientdriver": " Update the NVIDIA driver, or install a CuPy for an older CUDA.",
    "systemdrivermismatch": " Restart the machine, because its driver was updated.",
    "nokernelimagefordevice": " This CUDA does not support the GPU, which is older or newer.",
}

lost_gpus: dict[int, str] = {}
"""Error of each lost GPU, by ordinal."""
proven_gpus: set[int] = set()
"""Ordinals of GPUs on which a kernel has run."""


def name_of(error: BaseException) -> str:
    """Return the name in "parallel_for failed: cudaErrorIllegalAddress: ...": "illegaladdress"."""
    found = re.search(r"cuda_?error_?(\w+)", str(error), re.IGNORECASE)
    return found[1].lower().replace("_", "") if found else ""


def advice_for(error: BaseException) -> str:
    """Return a sentence, after a space, on how to fix a CUDA error; "" if unknown."""
    return ADVICE.get(name_of(error), "")
