"""Do counts of apparent pairs and of columns equal the published ones?

    python benchmarks/rips_tables.py FOLDER [--output lines.jsonl]

FOLDER contains the distance matrices of benchmarks/rips.py. Published in Zhang, Xiao, Wang,
"GPU-accelerated computation of Vietoris-Rips persistence barcodes", 2020: in table 1, the
percentage of apparent pairs without a threshold, relative to the bound, and in table 5, the
simplices of dimensions 1 to 3 that are removed by their diameter. Values are rounded to float32,
as in the paper.
"""

from __future__ import annotations

import argparse
import time
from math import comb
from pathlib import Path

import numpy as np
from measure import cpu_name, keep
from rips import SETS, read

import separatrix as sx

PUBLISHED: dict[str, tuple[tuple[float, ...], int]] = {
    "sphere_3_192": ((99.707909, 99.734764), 8_159_941),
    "celegans": ((99.661017, 99.962021), 61_576_563),
    "Vicsek300": ((), 47_803_132),
}
"""Percentages by dimension, and the number of simplices beyond the enclosing radius."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, help="append one JSON line per set")
    options, good = parser.parse_args(), True
    for name, (percentages, published) in PUBLISHED.items():
        file, kind, *_ = SETS[name]
        distances = read(options.folder / file, kind).astype(np.float32).astype(np.float64)
        n, radius, begin = len(distances), distances.max(axis=1).min(), time.process_time()
        everything = sx.apparent_pairs(distances=distances, max_dimension=2)
        within = sx.apparent_pairs(distances=distances, max_dimension=3, threshold=radius)
        found = [round(100 * c.pairs / comb(n - 1, c.dimension + 1), 6) for c in everything]
        beyond = sum(counts.beyond for counts in within)
        plain = {"max_dimension": 3, "collapse": False, "method": "cohomology"}
        bars = sx.rips_barcodes(distances=distances, **plain)
        counted = bars.statistics["dimensions"][1:]
        shortcut = [100 * of_d["shortcut_pairs"] / of_d["columns"] for of_d in counted]
        equal = beyond == published and all(
            map(float.__eq__, found[: len(percentages)], percentages)
        )
        good &= equal
        print(f"{name}: {n} points, apparent pairs {found} % (published {list(percentages)})")
        print(f"    shortcut pairs {[round(percent, 4) for percent in shortcut]} % of the columns")
        print(f"    beyond the enclosing radius {beyond:,} (published {published:,})")
        line = {"set": name, "points": n, "percent_of_bound": found, "beyond": beyond}
        line["percent_shortcut"] = [round(percent, 6) for percent in shortcut]
        seconds = round(time.process_time() - begin, 2)
        line |= {"equal": equal, "cpu_seconds": seconds, "machine": cpu_name()}
        keep(line, options.output)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
