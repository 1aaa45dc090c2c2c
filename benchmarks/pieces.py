"""How is the work of a Morse-Smale complex divided among pieces?

    python benchmarks/pieces.py --size 256 --pieces 1 2 4 [--output lines.jsonl]
    python benchmarks/pieces.py --size 256 --in-turn --pieces 1 2 8 [--output lines.jsonl]
    python benchmarks/pieces.py --size 512 --devices cuda:0 cuda:1 --pieces 2 --threads 16

The script computes critical cells, three segmentations, all arcs, and all pairs of a smooth volume
with 1% noise. By default, it prints the CPU seconds of each piece on one thread, without the time
spent waiting for others. Pieces are threads, which exchange the same data as ranks of MPI. With
`--in-turn` or `--devices`, it prints the seconds of `morse_smale` itself, whose pieces pass through
one device one after the other, or are divided among several devices: CPU seconds, or wall seconds
if there are GPUs. The run fails unless all numbers of pieces give the same arcs and pairs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from fields import digest, smooth_noisy
from measure import cpu_name, cut_into, keep

import separatrix as sx
from separatrix.complexes.cubical.grid import ImageOptions
from separatrix.pieces.exchange import Exchange, in_threads
from separatrix.pieces.ranked import piece_of

KINDS = ("descending", "ascending", "morse_smale")
Clock = Callable[[], float]


def timed(make: Callable[[], Any], clock: Clock) -> tuple[dict[str, float], Any]:
    """Seconds of each stage of a complex or a piece of one."""
    seconds, begin = {}, clock()

    def stage_is_done(name: str) -> None:
        nonlocal begin
        now = clock()
        seconds[name], begin = round(now - begin, 2), now

    found = make()
    stage_is_done("gradient")
    for kind in KINDS:
        found.segmentation(kind)
    stage_is_done("segmentations")
    _ = found.arcs
    stage_is_done("arcs")
    _ = found.persistence_pairs
    stage_is_done("pairs")
    return seconds, found


def columns_of(found: Any) -> tuple[np.ndarray, ...]:
    return found.arcs.upper, found.arcs.lower, found.arcs.multiplicity


def digest_of(pieces: list[Any]) -> str:
    """One digest of the arcs and pairs of all pieces."""
    arcs = [np.concatenate(column) for column in zip(*map(columns_of, pieces), strict=True)]
    pairs = [(p.persistence_pairs.birth_cell, p.persistence_pairs.death_cell) for p in pieces]
    births, deaths = map(np.concatenate, zip(*pairs, strict=True))
    arc_order, pair_order = np.lexsort(arcs[1::-1]), np.argsort(births)
    ordered = [column[arc_order] for column in arcs]
    return digest(*ordered, births[pair_order], deaths[pair_order])


def in_several_pieces(values: np.ndarray, number: int) -> tuple[dict[str, Any], str]:
    """CPU seconds of each piece, and the digest."""

    def program(others: Exchange) -> tuple[dict[str, float], sx.MorseSmalePiece]:
        options = ImageOptions(device="cpu", threads=1)
        return timed(lambda: piece_of(others, values, None, options), time.thread_time)

    done = in_threads(number, program)
    slowest = round(max(sum(seconds.values()) for seconds, _ in done), 2)
    measured = {"slowest_cpu_s": slowest, "cpu_s": [seconds for seconds, _ in done]}
    return measured, digest_of([piece for _, piece in done])


def as_a_whole(
    values: np.ndarray, number: int, given: argparse.Namespace
) -> tuple[dict[str, Any], str]:
    """Seconds of a complex whose pieces are run by the process itself, and the digest."""
    options: dict[str, Any] = {"threads": given.threads, "memory_limit": given.memory_limit}
    options |= {"devices": given.devices} if given.devices else {"device": given.device}
    on_gpus = any(name.startswith("cuda") for name in given.devices or [given.device])
    clock, name = (time.perf_counter, "seconds") if on_gpus else (time.process_time, "cpu_s")
    with cut_into(number) if given.in_turn else nullcontext():
        seconds, found = timed(lambda: sx.morse_smale(values, **options), clock)
    total = {f"all_{name}": round(sum(seconds.values()), 2), name: seconds}
    how = {"in_turn": given.in_turn, "device": found.device, "threads": given.threads}
    return {**how, **total}, digest_of([found])


def main() -> None:
    """Measure each number of pieces."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--pieces", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--in-turn", action="store_true")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--devices", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory-limit", type=int)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    values = smooth_noisy((given.size,) * 3, 0.01)
    digests = set()
    for number in given.pieces:
        if given.in_turn or given.devices:
            measured, found = as_a_whole(values, number, given)
        else:
            measured, found = in_several_pieces(values, number)
        digests.add(found)
        case = {
            "benchmark": "pieces",
            "date": str(date.today()),
            "machine": cpu_name(),
            "size": given.size,
            "pieces": len(given.devices) if given.devices else number,
            **measured,
            "digest": found,
        }
        print(keep(case, given.output), flush=True)
    assert len(digests) == 1, "the pieces give other arcs or pairs"


if __name__ == "__main__":
    main()
