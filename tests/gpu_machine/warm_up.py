"""Every CUDA module compiled once, a process a core, into CuPy's cache on disk.

Without it each process of a test run compiles at its first use what the others are compiling too.
"""

from __future__ import annotations

import multiprocessing
import os
import time

from separatrix.kernels import source


def compile_module(name: str) -> str:
    """Leave a module in CuPy's cache; its name."""
    import cupy

    text, options = source.modules()[name]
    cupy.RawModule(code=text, options=options, backend="nvrtc").compile()
    return name


def main() -> None:
    """Compile all modules, and say how long that took."""
    begin, names = time.monotonic(), list(source.modules())
    n_processes = min(len(os.sched_getaffinity(0)), len(names))
    with multiprocessing.get_context("spawn").Pool(n_processes) as pool:
        for _ in pool.imap_unordered(compile_module, names):
            pass
    seconds = time.monotonic() - begin
    print(f"{len(names)} CUDA modules in {seconds:.1f} s, {n_processes} processes", flush=True)


if __name__ == "__main__":
    main()
