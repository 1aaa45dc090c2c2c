"""How long do a step of the slider of alpha, all pockets, and protrusions of a molecule take?

    python benchmarks/alpha_slider.py MOLECULE [--probe 1.4] [--pockets] [--protrusions 6]
        [--threads 2] [--output lines.jsonl]

Prints the CPU seconds of all threads for the filter Alpha Complex with its default outputs, at
several alphas in turn, and for the engine's pockets from arrays to arrays. The run fails unless
the last alpha, a threshold, has the complex of a new filter.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from alpha_complexes import read
from measure import cpu_name, keep

import separatrix as sx
import separatrix_vtk

ALPHAS = (0.0, 1.0, 0.5, 2.0, 4.0, 9.0, 3.0)


def cpu_seconds(run: Callable[[], Any]) -> tuple[Any, float]:
    """The result, and the CPU seconds of all threads."""
    begin = time.process_time()
    found = run()
    return found, round(time.process_time() - begin, 3)


def slider(molecule: str, settings: dict[str, Any]) -> list[dict[str, float]]:
    """The alphas in turn, with the CPU seconds of each."""
    atoms = separatrix_vtk.read_molecule(molecule)
    filter = separatrix_vtk.AlphaComplex(**settings)
    filter.SetInputDataObject(atoms)
    steps = []
    for alpha in ALPHAS:
        filter.alpha = alpha
        steps.append({"alpha": alpha, "cpu_seconds": cpu_seconds(filter.Update)[1]})
    fresh = separatrix_vtk.AlphaComplex(alpha=ALPHAS[-1], **settings)
    fresh.SetInputDataObject(atoms)
    fresh.Update()
    counts = [
        {key: n for key, n in one.report.items() if key.startswith(("Number", "Total"))}
        for one in (filter, fresh)
    ]
    if counts[0] != counts[1]:
        raise SystemExit(f"different results: {counts}")
    return steps


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("molecule")
    parser.add_argument("--probe", type=float, default=0.0)
    parser.add_argument("--pockets", action="store_true")
    parser.add_argument("--protrusions", type=float, help="radius; also measures protrusions")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    how = {"device": "cpu", "threads": given.threads}
    centers, radii = read(given.molecule)
    case: dict[str, Any] = {
        "date": str(date.today()),
        "machine": cpu_name(),
        "molecule": Path(given.molecule).name,
        "atoms": len(centers),
        "probe": given.probe,
        "threads": given.threads,
        "pockets": given.pockets,
        "steps": slider(
            given.molecule, {"probe": given.probe, "compute_pockets": given.pockets, **how}
        ),
    }
    whole, case["complete_cpu_seconds"] = cpu_seconds(
        lambda: sx.alpha_complex(centers, radii, np.inf, probe=given.probe, **how)
    )
    union = whole.at(0.0)
    pockets, case["pockets_cpu_seconds"] = cpu_seconds(union.pockets)
    case |= {"n_pockets": len(pockets), "n_mouths": len(pockets.mouths)}
    if given.protrusions:
        found, case["protrusions_cpu_seconds"] = cpu_seconds(
            lambda: union.protrusions(given.protrusions)
        )
        case |= {"radius": given.protrusions, "n_protrusions": len(found)}
    print(keep(case, given.output))


if __name__ == "__main__":
    main()
