"""How long do the complete triangulation and the persistence of points take?

    python benchmarks/triangulations.py --sizes 1e5 1e6 --devices cpu --threads 2
        [--peers gudhi flooder] [--molecules FILES] [--output lines.jsonl]

For uniform points in a cube, the script times `delaunay`, and the alpha complex at an infinite
alpha with the persistence diagrams of dimensions 0 to 2; for molecules, all pockets with a probe of
1.4. Input and results are in device memory. A peer is GUDHI, with CGAL's triangulation and exact
predicates, on one thread. The run fails unless the numbers of tetrahedra and of pairs of positive
length agree. The other peer is flooder, which approximates persistence on a GPU: its Flood complex
has only some of the points, the landmarks, as vertices. CPU seconds include all threads; other work
on the machine increases wall seconds.
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
from alpha_complexes import read
from measure import cpu_name, gpu_name, keep, on_device, watched_pool

import separatrix as sx

TINY = 1e-9  # of the unit cube; GUDHI rounds values on their way
N_LANDMARKS = 1000  # of flooder, as in its documentation


def timed(run: Callable[[], Any], done: Callable[[], object], times: int) -> dict[str, Any]:
    """The last result, and the least wall and CPU seconds of repetitions after a warm-up."""
    found: dict[str, Any] = {"seconds": np.inf, "cpu_seconds": np.inf}
    for turn in range(times + 1):
        wall, process = time.perf_counter(), time.process_time()
        found["result"] = run()
        done()
        if turn or times == 1:  # of large inputs, the only run counts
            found["seconds"] = min(found["seconds"], time.perf_counter() - wall)
            found["cpu_seconds"] = min(found["cpu_seconds"], time.process_time() - process)
        if times == 1:
            break
    return found


def n_long_pairs(dimension: np.ndarray, birth: np.ndarray, death: np.ndarray) -> list[int]:
    """Numbers of pairs longer than TINY in dimensions 0 to 2."""
    is_long = ~(death - birth <= TINY)
    return np.bincount(dimension[is_long], minlength=3)[:3].tolist()


def cases(points: np.ndarray, device: str, threads: int, times: int) -> list[dict[str, Any]]:
    """Seconds of the triangulation, and of the complex with its persistence."""
    (places,), options, done = on_device(device, threads, points)
    triangulation: dict[str, Any] = {}
    with watched_pool(device, triangulation):
        triangulation |= timed(lambda: sx.delaunay(places, **options), done, times)
        n_tets = len(triangulation.pop("result").tetrahedra)

    def persistence() -> tuple[Any, Any]:
        complex = sx.alpha_complex(places, 0.0, np.inf, resolution=None, **options)
        return complex, complex.persistence_diagram()

    whole: dict[str, Any] = {}
    with watched_pool(device, whole):
        whole |= timed(persistence, done, times)
        complex, pairs = whole.pop("result")
        columns = [sx.to_host(getattr(pairs, name)) for name in ("dimension", "birth", "death")]
    return [
        {"case": "delaunay", "tetrahedra": n_tets, **triangulation},
        {
            "case": "persistence",
            "stages": complex.timings,
            "pairs": n_long_pairs(*columns),
            **whole,
        },
    ]


def cases_of_gudhi(points: np.ndarray) -> list[dict[str, Any]]:
    """The same by GUDHI on one thread."""
    import gudhi

    complex = timed(lambda: gudhi.AlphaComplex(points=points, precision="safe"), bool, 1)
    alpha = complex.pop("result")

    def persistence() -> tuple[int, list[Any]]:
        tree = alpha.create_simplex_tree()
        return tree.num_simplices_by_dimension()[3], tree.persistence(homology_coeff_field=2)

    whole = timed(persistence, bool, 1)
    n_tets, pairs = whole.pop("result")
    whole = {name: seconds + complex[name] for name, seconds in whole.items()}
    dimension, ends = np.array([d for d, _ in pairs]), np.array([ends for _, ends in pairs])
    return [
        {"case": "delaunay", "tetrahedra": int(n_tets), **complex},
        {"case": "persistence", "pairs": n_long_pairs(dimension, *ends.T), **whole},
    ]


def cases_of_flooder(points: np.ndarray, times: int) -> list[dict[str, Any]]:
    """Persistence of the Flood complex, which is approximate, on a GPU, without the transfer."""
    import torch
    from flooder import flood_complex, generate_landmarks

    there = torch.from_numpy(points.astype(np.float32)).to("cuda")

    def persistence() -> Any:
        landmarks = generate_landmarks(there, N_LANDMARKS)
        tree = flood_complex(there, landmarks, return_simplex_tree=True)
        tree.compute_persistence()
        return tree

    whole = timed(persistence, torch.cuda.synchronize, times)
    n_simplices = whole.pop("result").num_simplices()
    return [{"case": "approximation", "simplices": n_simplices, **whole}]


def report(case: dict[str, Any], output: Path | None) -> None:
    who = case.get("peer", case["machine"])
    print(
        f"{case['case']:12s} {case['input']:16s} {case['n']:12,} {who[:40]:40s} "
        f"{case['seconds']:9.3f} s  {case['cpu_seconds']:9.3f} CPU s",
        flush=True,
    )
    keep({"date": date.today().isoformat(), "separatrix": sx.__version__, **case}, output)


def main() -> int:
    """Run all cases; 1 if any results differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="*", type=float, default=[1e4])
    parser.add_argument("--molecules", nargs="*", default=[])
    parser.add_argument("--devices", nargs="*", default=["cpu"], choices=["cpu", "cuda"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peers", nargs="*", default=[], choices=["gudhi", "flooder"])
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    is_equal = True
    for n in map(int, options.sizes):
        points = np.random.default_rng(0).uniform(0, 1, (n, 3))
        known: dict[str, Any] = {}
        runs = [(device, None) for device in options.devices]
        for device, peer in [*runs, *((None, peer) for peer in options.peers)]:
            where: dict[str, Any] = {}
            if peer == "flooder":  # before CuPy is loaded
                found = cases_of_flooder(points, options.times)
                where["peer"] = f"flooder {version('flooder')}, {N_LANDMARKS:,} landmarks"
            elif peer:
                where["peer"] = f"GUDHI {version('gudhi')}, 1 thread"
                found = cases_of_gudhi(points)
            else:
                where |= {"device": device, "threads": options.threads}
                found = cases(points, device, options.threads, options.times)
            where["machine"] = gpu_name() if device == "cuda" or peer == "flooder" else cpu_name()
            for case in found:
                answer = case.get("tetrahedra", case.get("pairs", case.get("simplices")))
                is_equal &= known.setdefault(case["case"], answer) == answer
                report({"input": "uniform", "n": n, **where, **case}, options.output)
    for name in options.molecules:
        atoms = read(name)
        for device in options.devices:
            given, where, done = on_device(device, options.threads, *atoms)

            def pockets(given: Any = given, where: Any = where) -> Any:
                return sx.alpha_complex(*given, np.inf, probe=1.4, **where).at(0.0).pockets()

            case = timed(pockets, done, options.times)
            case["pockets"] = len(case.pop("result"))
            machine = gpu_name() if device == "cuda" else cpu_name()
            known_as = {"case": "pockets", "input": Path(name).name, "n": len(atoms[0])}
            settings = {"machine": machine, "device": device, "threads": options.threads}
            report({**known_as, **settings, **case}, options.output)
    if not is_equal:
        print("RESULTS DIFFER", file=sys.stderr)
    return 0 if is_equal else 1


if __name__ == "__main__":
    sys.exit(main())
