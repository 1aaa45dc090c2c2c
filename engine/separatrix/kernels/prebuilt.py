"""GPU code that engine/build_cuda.py compiled for the wheel, so that first calls need no NVRTC.

A pack, ``_lib/cuda/<architecture>-<family>.xz``, holds one line of JSON, with the size of each
module by the key of its text and options, and then the modules. Code whose text has changed since
has another key, so it is not found, and NVRTC compiles it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "_lib" / "cuda"


def key_of(text: str, options: tuple[str, ...]) -> str:
    """Return the key of a module: a hash of its text and NVRTC's options."""
    return hashlib.sha256("\n".join((*options, text)).encode()).hexdigest()[:24]


def find(family: str, key: str, capability: tuple[int, int]) -> bytes | None:
    """Return code for a GPU of a compute capability, such as (9, 0): a cubin, PTX, or None."""
    for architecture in fitting(capability):
        modules = _pack(FOLDER / f"{architecture}-{family}.xz")
        if key in modules:
            return modules[key]
    return None


def fitting(capability: tuple[int, int]) -> list[str]:
    """Return the built architectures whose code runs on a GPU, the best first.

    A cubin runs on GPUs of the same major and the same or a later minor capability; PTX, on all
    later ones (CUDA C++ Programming Guide, "Binary Compatibility", "PTX Compatibility").
    """
    built = {path.name.partition("-")[0] for path in FOLDER.glob("*.xz")}
    by_capability = sorted((_capability(name), name) for name in built)
    cubins = [
        name
        for (major, minor), name in by_capability
        if name.startswith("sm_") and major == capability[0] and minor <= capability[1]
    ]
    texts = [
        name for least, name in by_capability if name.startswith("compute_") and least <= capability
    ]
    return [*cubins[::-1], *texts[::-1]]


def pack(modules: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a pack of modules by key."""
    import lzma

    sizes = json.dumps({key: len(code) for key, code in modules.items()})
    return lzma.compress(b"\n".join((sizes.encode(), b"".join(modules.values()))), preset=9)


@cache
def _pack(path: Path) -> Mapping[str, bytes]:
    """Return the modules of a pack by key; none if it is missing or damaged."""
    try:
        import lzma
    except ImportError:  # a Python that was built without it
        return {}
    try:
        line, _, code = lzma.decompress(path.read_bytes()).partition(b"\n")
        modules, begin = {}, 0
        for key, size in json.loads(line).items():
            modules[key] = code[begin : begin + size]
            begin += size
    except (OSError, EOFError, ValueError, lzma.LZMAError):
        return {}
    return modules


def _capability(architecture: str) -> tuple[int, int]:
    """Return (9, 0) for "sm_90" or "compute_90"."""
    number = int(architecture.partition("_")[2])
    return number // 10, number % 10
