"""Errors of CuPy and CUDA, translated to those of Separatrix; GPUs that the process has lost.

Some errors are sticky: after an illegal address, or if a GPU has fallen off the bus, all later
calls of the process fail with the same error. CUDA Runtime API, section "Error Handling".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb
from typing import Any

from ..errors import DeviceMemoryError, DeviceUnavailable, KernelError, one_line

INSTALL_CUPY = (
    "Install the extra for your driver: pip install 'separatrix[cuda13]' or 'separatrix[cuda12]'"
)
LESS_MEMORY = "Use a smaller input, fewer outputs, or device='cpu'."
CUPYS_PACKAGES = ("cupy", "cupyx", "cupy_backends")
FULL = ("MemoryAllocation", "OUT_OF_MEMORY", "INSUFFICIENT_RESOURCES", "ALLOC_FAILED")
"""Parts of the messages of CUDA and cuSPARSE if memory is exhausted."""
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


def reason_of(error: BaseException) -> str:
    """Return the message of an error, or else its name, in one line without a final period."""
    return one_line(error).removesuffix(".") or type(error).__name__


def name_of(error: BaseException) -> str:
    """Return the name in "parallel_for failed: cudaErrorIllegalAddress: ...": "illegaladdress"."""
    found = re.search(r"cuda_?error_?(\w+)", str(error), re.IGNORECASE)
    return found[1].lower().replace("_", "") if found else ""


def advice_for(error: BaseException) -> str:
    """Return a sentence, after a space, on how to fix a CUDA error; "" if unknown."""
    return ADVICE.get(name_of(error), "")


@contextmanager
def translated_errors(device: Any) -> Iterator[None]:
    """Translate CuPy's memory, compiler, and runtime errors, with remedies."""
    library = device.xp
    try:
        yield
    except (DeviceMemoryError, DeviceUnavailable, KernelError):
        raise  # of a nested context
    except library.cuda.memory.OutOfMemoryError as error:
        raise _out_of_memory(device, str(error), getattr(error, "_size", None)) from error
    except MemoryError as error:
        if "bad_alloc" not in str(error) or not _is_of_cupy(error):
            raise  # of the host
        # Thrust, which sorts, does not report a failed allocation of CuPy otherwise.
        raise _out_of_memory(device, "working memory of a sort") from error
    except library.cuda.compiler.CompileException as error:
        raise KernelError(f"NVRTC cannot compile a kernel for {device.name}: {error}") from error
    except (
        library.cuda.runtime.CUDARuntimeError,
        library.cuda.driver.CUDADriverError,
    ) as error:
        raise _of_cuda(device, error) from error
    except (RuntimeError, ImportError, OSError, AssertionError) as error:
        if "nvrtc" in str(error).lower():
            raise KernelError(
                f"Kernels for {device.name} cannot be compiled: {reason_of(error)}. {INSTALL_CUPY}"
                ", which contains NVRTC, or use device='cpu'."
            ) from error
        if not _is_of_cupy(error):
            raise
        raise _of_cuda(device, error) from error  # of Thrust or cuSPARSE


def _is_of_cupy(error: BaseException) -> bool:
    """Return whether code of CuPy raised the error, not its caller or a callback."""
    module = ""
    for frame, _ in walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__"))
    return module.partition(".")[0] in CUPYS_PACKAGES


def _out_of_memory(device: Any, said: str, needed: int | None = None) -> DeviceMemoryError:
    free = _free_bytes(device)
    shown = "unknown" if free is None else f"{free:,}"
    return DeviceMemoryError(
        f"{device.name} ran out of memory ({said}); {shown} bytes are free. {LESS_MEMORY}",
        needed=needed,
        free=free,
    )


def _of_cuda(device: Any, error: Exception) -> Exception:
    """Translate an error of CUDA; after some of them, the GPU is lost."""
    if any(word in str(error) for word in FULL):
        return DeviceMemoryError(
            f"The memory of {device.name}, or pinned host memory, is exhausted: "
            f"{reason_of(error)}. {LESS_MEMORY}"
        )
    if device.ordinal in proven_gpus and name_of(error) in GONE:
        lost_gpus[device.ordinal] = reason_of(error)
        return DeviceUnavailable(
            f"{device.name} was lost during a call ({reason_of(error)}). Check it with nvidia-smi, "
            "then restart this program, or use device='cpu'."
        )
    if name_of(error) in BROKEN:
        lost_gpus[device.ordinal] = reason_of(error)
        return KernelError(
            f"{device.name} failed: {reason_of(error)}. This program can no longer use it. Restart "
            "the program, or use device='cpu', and please report this."
        )
    return KernelError(f"{device.name} failed: {reason_of(error)}.{advice_for(error)}")


def _free_bytes(device: Any) -> int | None:
    try:
        return device.free_memory()
    except RuntimeError:  # the GPU is lost as well
        return None
