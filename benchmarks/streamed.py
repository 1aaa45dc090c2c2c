"""How long does a volume take if it is processed in slabs on one device, or on several?

    python benchmarks/streamed.py --shape 192 192 192 --pieces 1 8 --device cpu
    python benchmarks/streamed.py --shape 1536 1920 2048 --device cuda:0 --output lines.jsonl
    python benchmarks/streamed.py --shape 1024 1024 1024 --devices cuda:0 cuda:1 --times 3

A smooth volume with 1% noise is generated on the first device; its layers are generated when they
are read, on the device that reads them, if it is large. The script prints the wall seconds of its
critical cells, segmentations, arcs, pairs, and diagram, and stores each immediately; of several
`--times`, the median. `--pieces` is the smallest number of pieces in which the stages process it; 0
means as many as memory requires, one if possible. `--profile` prints where Python's threads were.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from fields import LazySmoothNoisy, digest
from measure import cpu_name, cut_into, gpu_name, keep

import separatrix as sx

KINDS = ("descending", "ascending", "morse_smale")
STEPS = ("gradient", *KINDS, "arcs", "pairs", "diagram")
OF_COMPLEX = {*KINDS, "arcs", "pairs"}
PROFILE_SECONDS = 0.005
WAITING = ("threading.py", "thread.py", "_base.py", "turns.py", "streamed.py")


class Watched:
    """Samples the free memory of GPUs and what Python's threads do."""

    def __init__(self, gpus: list[int], is_profiled: bool) -> None:
        self.lines: Counter[str] = Counter()
        self.most = 0
        self._is_profiled, self._gpus = is_profiled, gpus
        self._stop = threading.Event()
        self._before = self._used()

    def _used(self) -> int:
        used = 0
        for gpu in self._gpus:
            import cupy

            with cupy.cuda.Device(gpu):
                free, every = cupy.cuda.runtime.memGetInfo()
            used += int(every - free)
        return used

    def _watch(self) -> None:
        while not self._stop.wait(PROFILE_SECONDS):
            self.most = max(self.most, self._used() - self._before)
            frames = list(sys._current_frames().values()) if self._is_profiled else []
            for leaf in frames:
                frame = leaf
                if Path(frame.f_code.co_filename).name in WAITING:
                    continue
                while frame.f_back and "separatrix" not in frame.f_code.co_filename:
                    frame = frame.f_back
                place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
                caller = frame.f_back.f_code.co_name if frame.f_back else ""
                name = f"{place} {frame.f_code.co_name} < {caller} ({leaf.f_code.co_name})"
                self.lines[name] += 1

    @contextmanager
    def during(self) -> Iterator[None]:
        thread = threading.Thread(target=self._watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def show(self) -> None:
        for name, n in self.lines.most_common(30):
            print(f"    {n * PROFILE_SECONDS:7.2f} s {name}", flush=True)


class Decimated:
    """Receives labels layer by layer in host memory, and keeps every `step`-th along each axis."""

    dtype = np.dtype(np.int32)

    def __init__(self, shape: tuple[int, ...], step: int) -> None:
        self.shape, self.step = shape, step
        self.kept = np.empty(tuple(-(-n // step) for n in shape), np.int32)

    def __setitem__(self, place: Any, labels: np.ndarray) -> None:
        layers = place[-1] if isinstance(place, tuple) else place
        first = -(-layers.start // self.step)
        chosen = labels[first * self.step - layers.start :: self.step, :: self.step, :: self.step]
        self.kept[first : first + len(chosen)] = chosen


def steps_of(
    values: Any, chosen: list[str], is_large: bool, **options: Any
) -> Iterator[tuple[str, Callable]]:
    """Names and functions of the steps; a complex keeps nothing that the next does not use."""
    found: list[Any] = []
    segmented = [name for name in chosen if name in KINDS]
    if "gradient" in chosen:
        yield "gradient", lambda: found.append(sx.morse_smale(values, **options)) or found[0]
        for kind in segmented:
            out = Decimated(values.shape, 16) if is_large else None
            yield kind, lambda kind=kind, out=out: found[0].segmentation(kind, out=out)
    if "arcs" in chosen:
        yield "arcs", lambda: found[0].arcs
    if "pairs" in chosen:
        yield "pairs", lambda: found[0].persistence_pairs
    found.clear()
    if "diagram" in chosen:
        yield "diagram", lambda: sx.persistence_diagram(values, **options)


def digest_of(name: str, found: Any) -> str:
    if name == "gradient":
        return digest(found.critical.cell_id)
    if name == "arcs":
        return digest(found.upper, found.lower, found.multiplicity)
    if name in ("pairs", "diagram"):
        return digest(found.birth_cell, found.death_cell)
    return digest(found.kept if isinstance(found, Decimated) else found)


def keep_for_picture(folder: Path, name: str, found: Any, shape: tuple[int, ...]) -> None:
    """Keep decimated labels, and the pairs above a tenth of the range of the smooth part."""
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(found, Decimated):
        np.savez_compressed(folder / f"labels_{name}.npz", labels=found.kept, step=found.step)
    elif name in ("pairs", "diagram"):
        pairs = found.above(0.35)
        names = ("dimension", "birth", "death", "birth_cell", "death_cell")
        columns = {column: sx.to_host(getattr(pairs, column)) for column in names}
        np.savez_compressed(folder / "pairs.npz", shape=shape, **columns)


def measure(shape: tuple[int, ...], number: int, given: argparse.Namespace) -> dict[str, str]:
    """Keep the seconds of each step in so many pieces, and return its digests."""
    values: Any = LazySmoothNoisy(shape, on_gpu=bool(given.gpus))
    is_large = math.prod(shape) >= given.lazy_from
    if not is_large:
        values = values[0 : shape[0]]
    options = {**given.place, "memory_limit": given.memory_limit}
    clock = time.perf_counter if given.gpus else time.process_time
    runs: dict[str, list[float]] = {}
    cases: dict[str, dict[str, Any]] = {}
    with cut_into(number) if number else nullcontext():
        for _ in range(given.times):
            for name, compute in steps_of(values, given.steps, is_large, **options):
                watched = Watched(given.gpus, given.profile)
                made_before = getattr(values, "seconds", 0.0)
                begin = clock()
                with watched.during():
                    found = compute()
                    wait_for(given.gpus)
                runs.setdefault(name, []).append(clock() - begin)
                case = {
                    "benchmark": "streamed",
                    "date": str(date.today()),
                    "machine": machine_of(given.gpus),
                    "shape": shape,
                    "pieces": number,
                    "memory_limit": given.memory_limit,
                    "step": name,
                    "seconds": round(median(runs[name]), 3),
                    "made_seconds": round(getattr(values, "seconds", 0.0) - made_before, 3),
                    "device_bytes_per_voxel": round(watched.most / math.prod(shape), 1),
                    "host_peak_gib": round(
                        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 1
                    ),
                }
                if given.times > 1:
                    case["spread"] = [round(end(runs[name]), 3) for end in (min, max)]
                if name == "gradient":
                    case["counts"], case["place"] = found.gradient.counts, found.device
                if name in ("pairs", "diagram"):
                    case["pairs"] = len(found)
                if not given.no_digests and name not in cases:
                    case["digest"] = digest_of(name, found)
                cases[name] = {**cases.get(name, {}), **case}
                if len(runs[name]) == given.times:
                    print(keep(cases[name], given.output), flush=True)
                watched.show()
                if given.picture:
                    keep_for_picture(given.picture, name, found, shape)
                del found
    return {name: case.get("digest", "") for name, case in cases.items()}


def wait_for(gpus: list[int], work: Callable[[], Any] | None = None) -> None:
    """Wait until all GPUs are idle, after some work on each of them."""
    for gpu in gpus:
        import cupy

        with cupy.cuda.Device(gpu) as device:
            if work:
                work()
            device.synchronize()


def machine_of(gpus: list[int]) -> str:
    """The names of the GPUs, or of the CPU."""
    if not gpus:
        return cpu_name()
    names = Counter(map(gpu_name, gpus))
    return ", ".join(name if n == 1 else f"{n} {name}" for name, n in names.items())


def main() -> None:
    """Measure each number of pieces."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shape", type=int, nargs=3, default=[192, 192, 192])
    parser.add_argument("--pieces", type=int, nargs="+", default=[0])
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--devices", nargs="+", help="in place of --device")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--memory-limit", type=int)
    parser.add_argument("--lazy-from", type=int, default=2**31, help="voxels")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--picture", type=Path, help="folder for examples/pyvista_large_volume.py")
    parser.add_argument("--no-digests", action="store_true")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    if "gradient" not in given.steps and set(given.steps) & OF_COMPLEX:
        parser.error("segmentations, arcs, and pairs require the step gradient")
    given.place = {"devices": given.devices} if given.devices else {"device": given.device}
    names = given.devices or [given.device]
    given.gpus = [int(name.partition(":")[2] or 0) for name in names if name.startswith("cuda")]
    if given.gpus:  # kernels are loaded
        small = LazySmoothNoisy((96, 96, 96), on_gpu=True)[0:96]  # with more than FEW_CELLS
        wait_for(given.gpus, lambda: LazySmoothNoisy((96, 96, 96), on_gpu=True)[0:96])
        for number in (0,) if given.devices else (0, 1, 2):
            with cut_into(number) if number else nullcontext():
                complex = sx.morse_smale(small, **given.place)
                _ = complex.segmentation("morse_smale"), complex.arcs
                _ = sx.persistence_diagram(small, **given.place)
    every = [measure(tuple(given.shape), number, given) for number in given.pieces]
    assert all(one == every[0] for one in every), "the pieces give other results"


if __name__ == "__main__":
    main()
