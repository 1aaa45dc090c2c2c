"""How do sizes of segments and batches, and the order of requests, change the time of relations?

    python benchmarks/mesh_segments.py --edge 64 [--sizes 25 50 100 200 400] [--device cpu]
        [--batch-bytes 65536 1048576] [--ahead 1 2 4] [--output lines.jsonl]

The mesh is the jittered grid of mesh_relations.py in segments of the given sizes. For each
relation, the script prints the seconds and bytes of a stream of all rows, and of a stream of
packets with the mesh in host memory, and the microseconds per segment if segments are requested
one by one, in order and at random: process seconds on a CPU, and seconds by the clock on a GPU.
With --batch-bytes, it prints the seconds by the clock of a stream in batches of these sizes, with
the given numbers of threads that compute the next batches.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from measure import cpu_name, gpu_name, keep
from mesh_relations import jittered_grid

import separatrix as sx
from separatrix.relations import stream as stream_module

MOST_SEGMENTS = 400


class Timer:
    """Measures in process seconds on a CPU, and in seconds by the clock on a GPU."""

    def __init__(self, device: str) -> None:
        self.now, self.finish = time.process_time, lambda: None
        if device != "cpu":
            import cupy

            self.now, self.finish = time.perf_counter, cupy.cuda.Device().synchronize

    def least(self, run: Callable[[], Any], times: int = 2) -> tuple[float, Any]:
        """Least seconds, and the result."""
        seconds = []
        for _ in range(times):
            self.finish()
            begin = self.now()
            found = run()
            self.finish()
            seconds.append(self.now() - begin)
        return min(seconds), found


def on_host(points: np.ndarray, tets: np.ndarray, **given: Any) -> sx.TetMesh:
    """A mesh on the host, which passes through the device in packets of any size."""
    mesh = sx.TetMesh(points, tets, memory_limit=1, **given)
    mesh.session.memory.limit = None
    if not mesh.session.pieces:  # a CPU has no limit
        mesh.session.stream_from_host()
    return mesh


def streamed(mesh: sx.TetMesh, name: str, **given: Any) -> int:
    """Bytes of all rows, each batch of which is dropped."""
    n_bytes = 0
    for batch in mesh.stream(name, ids="mesh", **given):
        rows = batch[name]
        n_bytes += rows.items.nbytes + (0 if rows.offsets is None else rows.offsets.nbytes)
    return n_bytes


def study_batches(options: argparse.Namespace, points: np.ndarray, tets: np.ndarray) -> None:
    """Print a line for each size of batches and number of threads ahead of the consumer."""
    given = {"device": options.device, "threads": options.threads}
    mesh, timer = sx.TetMesh(points, tets, **given), Timer(options.device)
    timer.now = time.perf_counter
    for name, n_bytes in [(n, b) for n in options.relations for b in options.batch_bytes]:
        seconds, n_batches = {}, sum(1 for _ in mesh.stream(name, batch_bytes=n_bytes))
        for ahead in options.ahead:
            stream_module.LANES = ahead
            found, _ = timer.least(lambda n=name, b=n_bytes: streamed(mesh, n, batch_bytes=b))
            seconds[str(ahead)] = round(found, 5)
        case = {**heading(options, tets), "relation": name, "batch_bytes": n_bytes}
        print(keep({**case, "batches": n_batches, "seconds_ahead": seconds}, options.output))


def heading(options: argparse.Namespace, tets: np.ndarray) -> dict[str, Any]:
    """What all lines have in common."""
    return {
        "date": date.today().isoformat(),
        "separatrix": sx.__version__,
        "machine": cpu_name() if options.device == "cpu" else gpu_name(),
        "tets": len(tets),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edge", type=int, default=64)
    parser.add_argument("--sizes", type=int, nargs="*", default=[25, 50, 100, 200, 400])
    parser.add_argument("--relations", nargs="*", default=["VV", "VT", "EF", "FT", "TT"])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--batch-bytes", type=int, nargs="*", default=[])
    parser.add_argument("--ahead", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--output", type=Path, help="append one JSON line per size")
    options = parser.parse_args()
    points, tets = jittered_grid(options.edge)
    if options.batch_bytes:
        study_batches(options, points, tets)
        return
    least = Timer(options.device).least
    for size in options.sizes:
        given = {"device": options.device, "threads": options.threads, "segment_size": size}
        made, mesh = least(lambda given=given: sx.TetMesh(points, tets, **given))
        far = on_host(points, tets, **given)
        segment = sx.to_host(mesh.segment_of_points())[tets]
        several = np.diff(np.sort(segment, axis=1), axis=1) != 0
        n = len(mesh.segments)
        some = np.arange(min(n, MOST_SEGMENTS))
        order = {"in order": some, "at random": np.random.default_rng(0).integers(0, n, len(some))}
        relations = {}
        for name in options.relations:
            relation = mesh.relation(name, ids="mesh")
            _ = relation.segment(0)  # creates the lists that all rows share
            whole, n_bytes = least(lambda name=name, mesh=mesh: streamed(mesh, name))
            packets, _ = least(lambda name=name, far=far: streamed(far, name), 1)
            relations[name] = {
                "bytes": n_bytes,
                "stream": round(whole, 4),
                "packets": round(packets, 4),
                **{
                    f"segment {how}": round(
                        1e6
                        * least(lambda ks=ks, r=relation: [r.segment(k) for k in ks.tolist()], 1)[0]
                        / len(ks),
                        1,
                    )
                    for how, ks in order.items()
                },
            }
        case = {
            **heading(options, tets),
            "segment_size": size,
            "segments": n,
            "segments_of_a_cell": round(1 + float(several.sum(axis=1).mean()), 3),
            "mesh_seconds": round(made, 3),
            "relations": relations,
        }
        print(keep(case, options.output), flush=True)


if __name__ == "__main__":
    main()
