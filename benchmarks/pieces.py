"""How is the work of a Morse-Smale complex divided among pieces?

    python benchmarks/pieces.py --size 256 --pieces 1 2 4 [--output lines.jsonl]

The CPU seconds of each piece on one thread, without the time of waiting for others, for critical
cells, three segmentations, all arcs, and all pairs of a smooth volume with 1 % noise. Pieces are
threads, which exchange what ranks of MPI exchange. The run fails unless all numbers of pieces give
the same arcs and pairs.
"""

from __future__ import annotations

import argparse
import time
from datetime import date
from pathlib import Path

import numpy as np
from fields import digest, smooth_noisy
from measure import cpu_name, keep

import separatrix as sx
from separatrix.complexes.cubical.grid import ImageOptions
from separatrix.pieces.complex import piece_of
from separatrix.pieces.exchange import Exchange, in_threads

KINDS = ("descending", "ascending", "morse_smale")


def timed_piece(
    others: Exchange, values: np.ndarray
) -> tuple[dict[str, float], sx.MorseSmalePiece]:
    """Seconds of each stage in one piece."""
    seconds, begin = {}, time.thread_time()

    def stage_is_done(name: str) -> None:
        nonlocal begin
        now = time.thread_time()
        seconds[name], begin = round(now - begin, 2), now

    piece = piece_of(others, values, None, ImageOptions(device="cpu", threads=1))
    stage_is_done("gradient")
    for kind in KINDS:
        piece.segmentation(kind)
    stage_is_done("segmentations")
    _ = piece.arcs
    stage_is_done("arcs")
    _ = piece.persistence_pairs
    stage_is_done("pairs")
    return seconds, piece


def columns_of(piece: sx.MorseSmalePiece) -> tuple[np.ndarray, ...]:
    return piece.arcs.upper, piece.arcs.lower, piece.arcs.multiplicity


def digest_of(pieces: list[sx.MorseSmalePiece]) -> str:
    """One digest of the arcs and pairs of all pieces."""
    arcs = [np.concatenate(column) for column in zip(*map(columns_of, pieces), strict=True)]
    pairs = [(p.persistence_pairs.birth_cell, p.persistence_pairs.death_cell) for p in pieces]
    births, deaths = map(np.concatenate, zip(*pairs, strict=True))
    arc_order, pair_order = np.lexsort(arcs[1::-1]), np.argsort(births)
    ordered = [column[arc_order] for column in arcs]
    return digest(*ordered, births[pair_order], deaths[pair_order])


def main() -> None:
    """Measure each number of pieces."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--pieces", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    values = smooth_noisy((given.size,) * 3, 0.01)
    digests = set()
    for number in given.pieces:
        done = in_threads(number, lambda others: timed_piece(others, values))
        digests.add(digest_of([piece for _, piece in done]))
        case = {
            "benchmark": "pieces",
            "date": str(date.today()),
            "machine": cpu_name(),
            "size": given.size,
            "pieces": number,
            "slowest_cpu_s": round(max(sum(seconds.values()) for seconds, _ in done), 2),
            "cpu_s": [seconds for seconds, _ in done],
        }
        print(keep(case, given.output), flush=True)
    assert len(digests) == 1, "the pieces give other arcs or pairs"


if __name__ == "__main__":
    main()
