"""How long do the persistence diagrams of noisy volumes take, stage by stage?

    python benchmarks/diagrams.py uniform-256 normal-256 --devices cpu cuda [--output LINES]

The fields are those of hierarchy.py. A whole call is timed, from values in device memory to pairs
in device memory; the stages are those of a complex, and do not include the diagram's columns.
"""

from __future__ import annotations

import argparse
import statistics
from datetime import date
from pathlib import Path

from hierarchy import field_of
from measure import Steps, cpu_name, gpu_name, keep, on_device

import separatrix as sx


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fields", nargs="+", help="KIND-SIZE: uniform, normal, sine, white")
    parser.add_argument("--devices", nargs="*", default=["cpu"], choices=["cpu", "cuda"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    options = parser.parse_args()
    for name in options.fields:
        values = field_of(name)
        for device in options.devices:
            (given,), where, wait = on_device(device, options.threads, values)
            seconds = []
            for _ in range(1 + options.times):
                steps = Steps(wait)
                steps("diagram", lambda: sx.persistence_diagram(given, **where))  # noqa: B023
                seconds.append(steps.seconds["diagram"][0])
            complex = sx.morse_smale(given, **where)
            pairs = complex.persistence_pairs
            case = {
                "date": date.today().isoformat(),
                "separatrix": sx.__version__,
                "diagram_of": name,
                "device": device,
                **({"threads": options.threads} if device == "cpu" else {}),
                "machine": cpu_name() if device == "cpu" else gpu_name(),
                "seconds": statistics.median(seconds[1:]),
                "stages": complex.timings,
                "n_pairs": len(pairs.birth),
            }
            print(keep(case, options.output))
            del complex, pairs


if __name__ == "__main__":
    main()
