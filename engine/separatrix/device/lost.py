"""GPUs that a program had and can't have any more, and what CUDA's errors tell of that.

Some errors stay: after a kernel has read a wrong address, or a GPU has fallen off its bus, every
later call of the process fails with the same words. CUDA Runtime API, section "Error Handling".
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
"""The GPU, or its driver, has gone."""
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
"""The GPU is there, but not for this process."""
ADVICE = {
    "insufficientdriver": "; update the NVIDIA driver, or install a CuPy for an older CUDA",
    "systemdrivermismatch": "; start the machine again: its driver was updated",
    "nokernelimagefordevice": "; the GPU is older or newer than what this CUDA compiles for",
}

lost_gpus: dict[int, str] = {}
"""Ordinal -> the error that it was lost with."""
proven_gpus: set[int] = set()
"""Ordinals of those on which a kernel has run."""


def name_of(error: BaseException) -> str:
    """CudaErrorIllegalAddress and CUDA_ERROR_ILLEGAL_ADDRESS are both "illegaladdress".

    Thrust puts what it did in front: "parallel_for failed: cudaErrorIllegalAddress: ...".
    """
    found = re.search(r"cuda_?error_?(\w+)", str(error), re.IGNORECASE)
    return found[1].lower().replace("_", "") if found else ""


def is_gone(error: BaseException) -> bool:
    """Whether an error of CUDA's says that the GPU is not there."""
    return name_of(error) in GONE


def broken_context(error: BaseException) -> bool:
    """Whether every call after this error of CUDA's fails too."""
    return name_of(error) in BROKEN


def advice_for(error: BaseException) -> str:
    """What the user can do about an error of CUDA's, if there is anything."""
    return ADVICE.get(name_of(error), "")
