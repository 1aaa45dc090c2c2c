"""How fast are the alpha complexes of molecules and of the frames of a trajectory?

    python benchmarks/alpha_complexes.py [FILES] --devices cpu --threads 2 [--peers gudhi]
        [--output lines.jsonl]

FILES are molecules that MoleculeReader reads, `NAME.pdb:1` for the biological assembly of that
name, or .npz files with `centers` and `radii`; without files, a cloud with the density of a protein
is generated. All simplices with their values are timed from host arrays to host arrays, and on a
GPU also from device to device. The peer is GUDHI, with CGAL's regular triangulation, on one thread.
The run fails unless the counts of simplices agree, and all bits on all devices.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from fields import digest
from measure import cpu_name, gpu_name, keep, repeat

import separatrix as sx

CASES = ((0.0, 0.0), (1.4, 0.0), (3.0, 0.0), (0.0, 1.4))  # alpha (squared length), probe (length)
TABLES = ("vertices", "edges", "triangles", "tets")
BYTES_IN = 32  # a ball: center and radius in doubles
BANDWIDTH = 4.3e12  # of an H200, bytes read and written in a second
Atoms = tuple[np.ndarray, np.ndarray]


def cloud(n: int, seed: int = 0) -> Atoms:
    """Balls as dense as the atoms of a protein: a jittered lattice."""
    rng = np.random.default_rng(seed)
    side = round(n ** (1 / 3)) + 1
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)[:n] * 2.15
    return np.rint((lattice + rng.uniform(-0.5, 0.5, (n, 3))) * 1e3) / 1e3, rng.choice(
        [1.7, 1.55, 1.52, 1.8], n, p=[0.62, 0.17, 0.2, 0.01]
    )


def read(name: str) -> Atoms:
    """Centers and radii of a file."""
    if name.endswith(".npz"):
        arrays = np.load(name)
        return arrays["centers"], arrays["radii"]
    from separatrix.options import MoleculeReaderOptions
    from separatrix_vtk.io.molecules.reading import read_molecule_file
    from separatrix_vtk.io.molecules.selection import chosen_atoms

    path, _, assembly = name.partition(":")
    molecule = read_molecule_file(Path(path))
    choice = MoleculeReaderOptions(assembly=assembly)
    atoms, radii, _ = chosen_atoms(molecule, molecule.models[0], choice, {})
    return np.rint(atoms.positions * 1e3) / 1e3, radii


def bits_of(complex: sx.AlphaComplex) -> str:
    tables = (getattr(complex, name) for name in TABLES)
    return digest(*(a for t in tables for a in (t.simplices, t.alpha_value, t.is_gabriel, t.kind)))


def gudhi_counts(atoms: Atoms, alpha: float, probe: float) -> list[int]:
    """Simplices of each dimension of the alpha complex, in whole steps of 0.001."""
    import gudhi

    points, radii = np.rint(atoms[0] * 1e3), np.rint((atoms[1] + probe) * 1e3)
    complex = gudhi.AlphaComplex(points=points, weights=radii**2, precision="safe")
    tree = complex.create_simplex_tree(max_alpha_square=alpha * 1e6)
    return list(tree.num_simplices_by_dimension())


def median(run: Callable[[], Any], times: int) -> tuple[Any, float]:
    """The last result, and the median of the wall seconds after one warm-up."""
    found, seconds = repeat(run, times)
    return found, statistics.median(seconds)


def measured(
    atoms: Atoms, alpha: float, probe: float, device: str, threads: int | None, times: int
) -> dict[str, Any]:
    """Wall seconds of host to host, and of device to device; counts, statistics, stages."""

    def host_to_host(**options: Any) -> sx.AlphaComplex:
        # A device that is named would keep the results: without, NumPy in is NumPy out.
        chosen = {} if device == "cuda" else {"device": device, "threads": threads}
        complex = sx.alpha_complex(*atoms, alpha, probe=probe, **chosen, **options)
        _ = complex.tets.simplices
        return complex

    complex, seconds = median(host_to_host, times)
    case = {
        "seconds": seconds,
        "stages": complex.timings,
        "counts": complex.counts,
        "statistics": complex.statistics,
        "bits": bits_of(complex),
    }
    table_bytes = sum(m * (4 * (d + 1) + 10) for d, m in enumerate(complex.counts))
    case["floor_seconds"] = (BYTES_IN * complex.n_balls + table_bytes) / BANDWIDTH
    for name in ("edge_optimization", "alpha_optimization"):
        if probe == 0.0:
            _, case[f"without_{name}"] = median(lambda n=name: host_to_host(**{n: False}), 2)
    if device == "cuda":
        import cupy

        there = tuple(map(cupy.asarray, atoms))

        def on_device() -> None:
            sx.alpha_complex(*there, alpha, probe=probe)
            cupy.cuda.Device().synchronize()

        _, case["device_seconds"] = median(on_device, times)
        pool = cupy.get_default_memory_pool()
        case["pool_bytes"] = pool.total_bytes()
        pool.free_all_blocks()
    return case


def trajectory(atoms: Atoms, n_frames: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.stack([atoms[0] + rng.normal(0, 0.2, atoms[0].shape) for _ in range(n_frames)])


def frames_per_second(
    atoms: Atoms, n_frames: int, device: str, threads: int | None, is_periodic: bool
) -> float:
    frames = trajectory(atoms, n_frames)
    chosen = {} if device == "cuda" else {"device": device, "threads": threads}
    box = np.ptp(atoms[0], axis=0) + 2.0 if is_periodic else None

    def run() -> int:
        found = sx.alpha_complexes(frames, atoms[1], 0.0, box=box, **chosen)
        return sum(len(complex.tets) for complex in found)

    return n_frames / median(run, 2)[1]


def report(case: dict[str, Any], output: Path | None) -> None:
    who = case["machine"] + (f", {case['threads']} threads" if case.get("threads") else "")
    at = f"alpha {case['alpha']:g} probe {case['probe']:g}" if "alpha" in case else "frames"
    at += " in a box" * bool(case.get("is_periodic"))
    print(
        f"{case['molecule']:24s} {case['atoms']:9,} {at:20s} {who[:44]:44s}"
        + (f" {case['seconds'] * 1e3:9.2f} ms" if "seconds" in case else "")
        + (f" {case['device_seconds'] * 1e3:8.2f} ms on device" if "device_seconds" in case else "")
        + (f" {case['per_second']:,.0f} frames/s" if "per_second" in case else ""),
        flush=True,
    )
    keep({"date": date.today().isoformat(), "separatrix": sx.__version__, **case}, output)


def report_frames(named: dict[str, Any], atoms: Atoms, options: argparse.Namespace) -> None:
    """Rates of frames on all devices, without and with a periodic box."""
    for device in options.devices:
        for threads in options.threads if device == "cpu" else [None]:
            machine = gpu_name() if device == "cuda" else cpu_name()
            where = {"device": device, "threads": threads, "machine": machine}
            for is_periodic in (False, True):
                n = options.frames if device == "cuda" else min(options.frames, 50)
                n = max(n // 4, 1) if is_periodic else n
                rate = frames_per_second(atoms, n, device, threads, is_periodic)
                case = {"frames": n, "per_second": rate, "is_periodic": is_periodic}
                report({**named, **case, **where}, options.output)


def main() -> int:
    """Run every case on every device; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--devices", nargs="+", default=["cpu"], choices=["cpu", "cuda"])
    parser.add_argument("--threads", type=int, nargs="+", default=[os.cpu_count() or 1])
    parser.add_argument("--cloud", type=int, default=20_000, help="atoms, if no file is given")
    parser.add_argument("--frames", type=int, default=0, help="of each molecule below 10,000 atoms")
    parser.add_argument("--peers", nargs="*", default=[], choices=["gudhi"])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    options = parser.parse_args()
    molecules = {Path(name).name: read(name) for name in options.files}
    molecules = molecules or {"cloud": cloud(options.cloud)}
    good = True
    for name, atoms in molecules.items():
        named = {"molecule": name.partition(".")[0], "atoms": len(atoms[0])}
        for alpha, probe in CASES:
            bits, counts = set(), set()
            for device in options.devices:
                for threads in options.threads if device == "cpu" else [None]:
                    machine = gpu_name() if device == "cuda" else cpu_name()
                    case = measured(atoms, alpha, probe, device, threads, options.times)
                    bits.add(case.pop("bits"))
                    counts.add(tuple(case["counts"]))
                    where = {"device": device, "threads": threads, "machine": machine}
                    report(
                        {**named, "alpha": alpha, "probe": probe, **where, **case}, options.output
                    )
            if "gudhi" in options.peers:
                found, seconds = median(lambda: gudhi_counts(atoms, alpha, probe), 1)  # noqa: B023
                counts.add((*found, *[0] * (4 - len(found))))
                peer = {"peer": f"GUDHI {version('gudhi')}, 1 thread", "seconds": seconds}
                machine = {"machine": f"{peer['peer']} on {cpu_name()}"}
                report({**named, "alpha": alpha, "probe": probe, **peer, **machine}, options.output)
            if len(bits) > 1 or len(counts) > 1:
                print(f"DIFFERENT: {name} at alpha {alpha}, probe {probe}: {bits} {counts}")
                good = False
        if options.frames and len(atoms[0]) < 10_000:
            report_frames(named, atoms, options)
    print("\nall results agree" if good else "\nRESULTS DIFFER")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
