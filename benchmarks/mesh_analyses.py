"""How fast are critical points, gradients, Morse-Smale complexes, and diagrams of a mesh?

    python benchmarks/mesh_analyses.py --edges 64 204 --devices cpu cuda [--peers gudhi]
        [--output lines.jsonl]

The mesh is the jittered grid of mesh_relations.py, with tetrahedra in random order, a smooth field,
and a little noise. Each analysis is timed as a user calls it, on an existing mesh; `host to host`
is timed from NumPy arrays of points, tetrahedra, and values to critical points in NumPy arrays, and
includes the mesh. The run fails unless the alternating sums of critical simplices and all devices
agree, and, with the peer GUDHI (a lower-star filtration of its simplex tree), the diagrams.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from fields import digest
from measure import Steps, cpu_name, gpu_name, keep, on_device
from mesh_relations import jittered_grid

import separatrix as sx

PEER_TETS = 200_000  # GUDHI's tree of more takes minutes and gigabytes


def field_on(points: np.ndarray, noise: float) -> np.ndarray:
    """Waves a few dozen edges long, and noise."""
    x, y, z = points.T / 9
    rng = np.random.default_rng(1)
    waves = np.sin(x) + np.sin(1.3 * y) * np.cos(1.1 * z)
    return (waves + noise * rng.standard_normal(len(points))).astype(np.float32)


def gudhi_diagram(tets: np.ndarray, values: np.ndarray) -> dict[int, np.ndarray]:
    import gudhi

    tree = gudhi.SimplexTree()
    for tet in tets.tolist():
        tree.insert(tet, filtration=-np.inf)
    for vertex, value in enumerate(values.tolist()):
        tree.assign_filtration([vertex], value)
    tree.make_filtration_non_decreasing()
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    return {
        d: sorted_bars(*np.array(tree.persistence_intervals_in_dimension(d)).reshape(-1, 2).T)
        for d in range(3)
    }


def sorted_bars(birth: np.ndarray, death: np.ndarray) -> np.ndarray:
    bars = np.column_stack([birth, death])[birth != death]
    return bars[np.lexsort(bars.T)]


def own_bars(found: sx.PersistenceDiagram) -> dict[int, np.ndarray]:
    dimension, birth, death = map(sx.to_host, (found.dimension, found.birth, found.death))
    return {d: sorted_bars(birth[dimension == d], death[dimension == d]) for d in range(3)}


def one_run(
    given: tuple[Any, ...], settings: dict[str, Any], done: Callable[[], None]
) -> tuple[dict[str, tuple[float, float]], dict[str, Any]]:
    """{what: (wall seconds, process seconds)}, and what must agree everywhere."""
    timed = Steps(done)
    points, tets, values = given
    mesh = timed("mesh", lambda: sx.TetMesh(points, tets, **settings))
    critical = timed("critical points", lambda: mesh.critical_points(values))
    timed("critical points again", lambda: mesh.critical_points(values))
    gradient = timed("gradient", lambda: mesh.discrete_gradient(values))
    complex = mesh.morse_smale(values)
    timed("arcs", lambda: complex.arcs)
    labels = timed("segmentation", lambda: complex.segmentation("morse_smale"))
    diagram = timed("diagram", lambda: mesh.persistence_diagram(values))
    assert gradient.euler_characteristic == mesh.euler_characteristic
    assert critical.euler_characteristic == mesh.euler_characteristic
    arcs, bars = complex.arcs, own_bars(diagram)
    agreed = {
        "counts": gradient.counts,
        "arcs": len(arcs.upper),
        "bits": digest(
            *map(sx.to_host, (critical.type, arcs.upper, arcs.lower, arcs.multiplicity, labels)),
            *bars.values(),
        ),
    }
    return timed.seconds, {**agreed, "bars": bars}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, nargs="*", default=[32])
    parser.add_argument("--noise", type=float, default=0.02)
    parser.add_argument("--devices", nargs="*", default=["cpu"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--peers", nargs="*", default=[], choices=["gudhi"])
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    options = parser.parse_args()
    good = True
    for edge in options.edges:
        points, tets = jittered_grid(edge)
        tets = tets[np.random.default_rng(2).permutation(len(tets))]
        host = (points, tets, field_on(points, options.noise))
        bits, bars = set(), None
        for device in options.devices:
            given, settings, done = on_device(device, options.threads, *host)
            best: dict[str, tuple[float, float]] = {}
            for turn in range(options.repeat + 1):  # the first warms up
                found, agreed = one_run(given, settings, done)
                if turn:
                    best = {k: min(v, best.get(k, v)) for k, v in found.items()}
            bars = agreed.pop("bars")
            bits.add(agreed["bits"])
            begin = time.perf_counter()
            sx.to_host(sx.TetMesh(*host[:2], **settings).critical_points(host[2]).type)
            best["host to host, critical points"] = (time.perf_counter() - begin, 0.0)
            case = {
                "date": date.today().isoformat(),
                "separatrix": sx.__version__,
                "machine": cpu_name() if device == "cpu" else gpu_name(),
                "threads": options.threads if device == "cpu" else None,
                "tets": len(tets),
                "points": len(points),
                "milliseconds": {k: round(1e3 * wall, 3) for k, (wall, _) in best.items()},
                **agreed,
            }
            if device == "cpu":
                case["cpu_milliseconds"] = {k: round(1e3 * cpu, 3) for k, (_, cpu) in best.items()}
            report(case, options.output)
        good &= len(bits) <= 1
        if "gudhi" in options.peers and len(tets) <= PEER_TETS and bars is not None:
            begin = time.perf_counter()
            expected = gudhi_diagram(tets, host[2])
            seconds = time.perf_counter() - begin
            equal = all(np.array_equal(bars[d], expected[d]) for d in range(3))
            good &= equal
            peer = {"peer": f"GUDHI {version('gudhi')}", "tets": len(tets), "equal": equal}
            report({**peer, "milliseconds": {"diagram": round(1e3 * seconds, 1)}}, options.output)
    print("all results agree" if good else "RESULTS DIFFER")
    return 0 if good else 1


def report(case: dict[str, Any], output: Path | None) -> None:
    print(keep(case, output), flush=True)


if __name__ == "__main__":
    sys.exit(main())
