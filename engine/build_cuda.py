"""Compile the GPU code of wheels: every CUDA module for every architecture, without a GPU.

    pip install 'nvidia-cuda-nvrtc-cu12>=12.9,<13'     # its code also runs on drivers for CUDA 13
    python3 engine/build_cuda.py [--architectures sm_80,sm_90]

The packs in engine/separatrix/_lib/cuda (see kernels/prebuilt.py) are used by the tree and become
part of wheels that are built afterwards. Modules whose text has not changed are not compiled again.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import multiprocessing
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

ENGINE = Path(__file__).resolve().parent
ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "compute_120")
"""Cubins for GPUs from Turing to Blackwell, and PTX for later ones."""

sys.path.insert(0, str(ENGINE))
from separatrix.kernels import prebuilt, source  # noqa: E402


class NvrtcError(RuntimeError):
    """NVRTC is missing, or cannot compile a module; the message is one sentence or its log."""


def candidates() -> list[str]:
    """Return where libnvrtc may be: its wheels, the CUDA toolkit, and the loader's paths."""
    found: list[Path] = []
    try:
        import nvidia
    except ImportError:
        pass
    else:
        for root in nvidia.__path__:
            for folder in ("cuda_nvrtc", "cu13"):  # CUDA 12 first, since its code runs on 13
                found += sorted(Path(root).glob(f"{folder}/lib/libnvrtc.so.*[0-9]"))
    toolkit = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"))
    found += sorted(toolkit.glob("lib64/libnvrtc.so*"))
    by_loader = ctypes.util.find_library("nvrtc")
    return [*map(str, found), *filter(None, [by_loader])]


@cache
def nvrtc() -> ctypes.CDLL:
    """Return the library. Raises NvrtcError if there is none."""
    for path in candidates():
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise NvrtcError(
        "NVRTC was not found. Install it with: pip install 'nvidia-cuda-nvrtc-cu12>=12.9,<13'"
    )


def compiled(text: str, options: tuple[str, ...], architecture: str) -> tuple[int, str, bytes]:
    """Return NVRTC's status, its log, and the cubin, or PTX for "compute_..."."""
    library, program = nvrtc(), ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
    every = [option.encode() for option in (*options, f"--gpu-architecture={architecture}")]
    array = (ctypes.c_char_p * len(every))(*every)
    status = library.nvrtcCompileProgram(program, len(every), array)
    log = fetched(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program)
    code = b""
    if status == 0 and architecture.startswith("compute"):
        code = fetched(library.nvrtcGetPTXSize, library.nvrtcGetPTX, program)
    elif status == 0:
        code = fetched(library.nvrtcGetCUBINSize, library.nvrtcGetCUBIN, program)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return status, log.rstrip(b"\0").decode(), code


def fetched(get_size: Any, get: Any, program: ctypes.c_void_p) -> bytes:
    """Return what a pair of NVRTC's functions gives: a size and that many bytes."""
    size = ctypes.c_size_t()
    get_size(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    get(program, buffer)
    return buffer.raw


def compile_module(job: tuple[str, str, Path]) -> None:
    """Write the code of a module, (name, architecture, file)."""
    name, architecture, path = job
    text, options = source.modules()[name]
    status, log, code = compiled(text, (*options, *source.OPTIONS_OF_CUPY), architecture)
    if status != 0:
        raise NvrtcError(f"{name} for {architecture}:\n{log}")
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(code)
    os.replace(fresh, path)


def build(architectures: tuple[str, ...], target: Path, objects: Path) -> int:
    """Write the packs of some architectures and remove those of others; their size in bytes."""
    target.mkdir(parents=True, exist_ok=True)
    objects.mkdir(parents=True, exist_ok=True)
    keys = {name: prebuilt.key_of(*module) for name, module in source.modules().items()}
    files = {(a, n): objects / f"{a}-{key}" for a in architectures for n, key in keys.items()}
    jobs = [(name, a, path) for (a, name), path in files.items() if not path.is_file()]
    nvrtc()
    with multiprocessing.Pool() as pool:
        for _ in pool.imap_unordered(compile_module, jobs):
            pass
    packs: dict[str, dict[str, bytes]] = {}
    for (architecture, name), path in sorted(files.items()):
        family = f"{architecture}-{name.partition('/')[0]}.xz"
        packs.setdefault(family, {})[keys[name]] = path.read_bytes()
    for family, modules in packs.items():
        (target / family).write_bytes(prebuilt.pack(modules))
    for path in {*target.iterdir()} - {target / family for family in packs}:
        path.unlink()
    for path in {*objects.iterdir()} - {*files.values()}:
        path.unlink()
    return sum(path.stat().st_size for path in target.iterdir())


def main() -> None:
    """Build from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--architectures", default=",".join(ARCHITECTURES), help="by default, %(default)s"
    )
    architectures = tuple(parser.parse_args().architectures.split(","))
    begin = time.monotonic()
    try:
        n_bytes = build(architectures, prebuilt.FOLDER, ENGINE.parent / "build" / "cuda")
    except NvrtcError as error:
        sys.exit(f"build_cuda: {error}")
    print(f"{n_bytes / 1e6:.1f} MB in {time.monotonic() - begin:.0f} s: {prebuilt.FOLDER}")


if __name__ == "__main__":
    main()
