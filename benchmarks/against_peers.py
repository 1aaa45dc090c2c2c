"""Who is how fast at the same job? The README's table, made from the kept results.

    python benchmarks/against_peers.py            # writes the table into README.md
    python benchmarks/against_peers.py --check    # exit status 1 where it is not current

Every row is one job on one input in one run; a cell is the wall time of the whole call.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
README = REPOSITORY / "README.md"
RESULTS = REPOSITORY / "benchmarks" / "results"
BEGIN = "<!-- made by benchmarks/against_peers.py: do not edit -->"
END = "<!-- end of what benchmarks/against_peers.py makes -->"
TITLES = ("job", "Separatrix, one H200", "Separatrix, CPU", "peers")
Case = dict[str, Any]


def kept(job: str) -> list[Case]:
    """The lines of the newest results of a job, of all machines of that day."""
    newest = sorted(RESULTS.glob(f"*-{job}-*.jsonl"))[-1].name[:10]
    files = sorted(RESULTS.glob(f"{newest}-{job}-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def time_of(seconds: float) -> str:
    """Seconds as one reads them: two or three digits, in s or ms."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    value = seconds * 1e3
    return f"{value:.1f} ms" if value < 9.95 else f"{value:.0f} ms"


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Job, our time on the GPU, on the CPU, and the peers'."""
    yield from of_diagrams()
    yield from of_alpha_complexes()
    yield from of_barcodes()
    yield from of_reductions()
    yield from of_neighbors()


def of_diagrams() -> Iterator[tuple[str, str, str, str]]:
    for field, name in (("smooth plus 1% noise", "noisy field, 256³"), ("boston_teapot", "teapot")):
        cases = [
            case
            for case in kept("whole-complex")
            if case["field"] == field and case["dimensions"][0] == 256
        ]
        gpu = next(case for case in cases if case["device"] == "cuda")
        cpu = next(case for case in cases if case["device"] == "cpu")
        for stage, job in (("arcs", "Morse-Smale complex"), ("diagram", "persistence diagram")):
            peers = (
                {
                    peer.replace("cripser", "Cubical Ripser"): time_of(found)
                    for peer, found in gpu["peers"].items()
                }
                if stage == "diagram"
                else {}
            )
            yield (
                f"{job} of a volume ({name})",
                time_of(gpu["seconds"][stage]),
                threaded(cpu, cpu["seconds"][stage]),
                listed(peers) or "-",
            )


def of_alpha_complexes() -> Iterator[tuple[str, str, str, str]]:
    for molecule in ("4HHB", "1AON"):
        cases = [
            case
            for case in kept("alpha-complexes")
            if (case["molecule"], case.get("alpha"), case.get("probe")) == (molecule, 0, 0)
        ]
        gpu = next(case for case in cases if case.get("device") == "cuda")
        cpu = next(case for case in cases if case.get("device") == "cpu")
        peers = {
            case["peer"].partition(",")[0]: time_of(case["seconds"])
            for case in cases
            if "peer" in case
        }
        yield (
            f"alpha complex of {gpu['atoms']:,} atoms ({molecule})",
            time_of(gpu["seconds"]),
            threaded(cpu, cpu["seconds"]),
            listed(peers),
        )


def of_barcodes() -> Iterator[tuple[str, str, str, str]]:
    names = {"gph": "giotto-ph", "gph-collapse": "giotto-ph, collapsed", "gudhi": "GUDHI"}
    names["ripser++"] = "Ripser++, same GPU"
    for name in ("sphere_3_192", "celegans", "dragon1000", "hiv_like_1088"):
        cases = [case for case in kept("rips") if case["set"] == name]
        gpu = next(case for case in cases if case["device"] == "cuda")
        peers = {
            names[peer.partition(" ")[0]]: time_of(found["seconds"])
            for peer, found in gpu["peers"].items()
            if "seconds" in found
        }
        cpu = next((case for case in cases if case["device"] == "cpu"), None)
        yield (
            f"Rips barcode up to H{gpu['max_dimension']} of {gpu['points']} points ({name})",
            time_of(gpu["seconds"]),
            threaded(cpu, cpu["seconds"]) if cpu else "-",
            listed(peers),
        )


def of_reductions() -> Iterator[tuple[str, str, str, str]]:
    names = {
        "dense 100,000": "gaussian sum, 100,000 x 100,000 points",
        "cut at 4 sigma, 1,000,000": "gaussian sum of a million points, cut at 4 sigma",
        "dense 20,000": "gaussian sum, 20,000 x 20,000 points",
        "cut at 4 sigma, 200,000": "gaussian sum of 200,000 points, cut at 4 sigma",
    }
    for name, job in names.items():
        cases = [case for case in kept("reductions") if case["case"] == name]
        ours = [case for case in cases if "peer" not in case]
        gpu = next((case for case in ours if case["device"] == "cuda"), None)
        cpu = max(
            (case for case in ours if case["device"] == "cpu"), key=lambda case: case["threads"]
        )
        peers = {case["peer"]: time_of(case["seconds"]) for case in cases if "peer" in case}
        yield (
            job,
            time_of(gpu["seconds"]) if gpu else "-",
            threaded(cpu, cpu["seconds"]),
            listed(
                {
                    peer.replace("pykeops", "KeOps") + ", same CPU"
                    if "pykeops" in peer
                    else peer: t
                    for peer, t in peers.items()
                }
            )
            or "-",
        )


def of_neighbors() -> Iterator[tuple[str, str, str, str]]:
    cases = [case for case in kept("neighbors") if case["n"] == 1_000_000]
    gpu = next(case for case in cases if "threads" not in case)
    cpu = next(case["cpu_seconds"] for case in cases if "threads" in case)
    yield (
        f"{gpu['k']} nearest neighbors of a million points",
        time_of(gpu["seconds"]["nearest"]),
        f"{time_of(cpu['nearest'])} of processor time",
        f"SciPy {time_of(cpu['SciPy, tree'] + cpu['SciPy, query'])} of processor time",
    )


def threaded(case: Case, seconds: float) -> str:
    """A time on a CPU, with its threads."""
    threads = case["threads"]
    return f"{time_of(seconds)}, {threads} thread{'s' if threads > 1 else ''}"


def listed(peers: dict[str, str]) -> str:
    return "; ".join(f"{peer} {found}" for peer, found in peers.items())


def table() -> str:
    """The table between its two marks."""
    lines = ["| " + " | ".join(TITLES) + " |", "|---|--:|--:|---|"]
    lines += ["| " + " | ".join(cells) + " |" for cells in rows()]
    return "\n".join([BEGIN, *lines, END])


def with_table(text: str) -> str:
    """A README with the table of today's results."""
    head, _, rest = text.partition(BEGIN)
    return head + table() + rest.partition(END)[2]


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        sys.exit(0 if with_table(text) == text else "README.md: python benchmarks/against_peers.py")
    fresh = README.with_suffix(".fresh")  # on a full disk the old one stays
    fresh.write_text(with_table(text), encoding="utf-8")
    fresh.replace(README)
