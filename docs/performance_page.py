"""How fast is it, on one page? Writes docs/performance.md from the kept results.

python docs/performance_page.py            # writes the page
python docs/performance_page.py --check    # says whether the page is what the results say
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER / "performance.md"
BENCHMARKS = FOLDER.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from table import tables  # noqa: E402

HEAD = """\
# How fast it is

<!-- Made by `python docs/performance_page.py`: edit benchmarks/results, or that script. -->

Every figure on this page is read from a line of a file in `benchmarks/results`, and every line was
written by a script that can be run again: what is timed, and what stands beside it, is told in
[Benchmarks](../benchmarks/README.md). Times are medians after a warm-up. Where another program has
a column or a row it ran on the same input, and its answer was compared with ours.
"""

PARTS = {
    "morse-smale": (
        "Morse-Smale complexes of images: gradient, lines to extrema, segmentations",
        """*All* is gradient, critical cells, both kinds of extremum arcs with their geometry and
three segmentations, of values that lie on the device. The second table has the stages, beside the
time that moving their bytes takes at the least. Cubical Ripser computes persistence pairs of the
same values: another job, whose answer is compared in the next section. *Bytes a voxel* are of
before complexes kept their values; the [same measurement](../benchmarks/README.md) gives 58
now.""",
    ),
    "whole-complex": (
        "The whole complex: all arcs, diagram, hierarchy, another threshold",
        """*Slider step* is a new threshold with its critical cells, arcs, lines to extrema and
three segmentations.""",
    ),
    "neighbors": ("Neighbors of points", ""),
    "reductions": (
        "Block-sparse reductions and densities",
        """*Cut at 4 sigma* counts sorting the points, the pattern and putting results back in
order.""",
    ),
    "alpha-complexes": (
        "Alpha complexes of molecules",
        "*ms* is from host arrays to host arrays.",
    ),
    "rips": (
        "Vietoris-Rips barcodes",
        """From a matrix in host memory to bars in host memory. *Stopped*: after six seconds, or
refused.""",
    ),
    "mesh-relations": (
        "Relations of tetrahedral meshes",
        "All rows of a relation, in ids of the mesh.",
    ),
    "mesh-machine": (
        "Relations of a mesh on demand",
        """Microseconds: of all rows for the first three lines, a segment for those with consumers,
a row for those with ids. *Packets*: the CPU in the place of a GPU that has too little memory. The
two cores were busy with other programs all the while: these are upper bounds, to one digit. See
[the machine](mesh_machine.md).""",
    ),
    "mesh-analyses": (
        "Analyses of tetrahedral meshes",
        "The first call of critical points pays for boundary and relations.",
    ),
}
"""Heading and sentence of each kind of result, in the order of the page."""


def kind_of(path: Path) -> str:
    """The part that a file of results belongs to: the one whose name its own has."""
    return next((kind for kind in PARTS if kind in path.stem), path.stem)


def page(paths: list[Path]) -> str:
    """The whole page from files of results."""
    parts = [HEAD]
    unknown = sorted({kind_of(path) for path in paths} - set(PARTS))
    for kind in (*PARTS, *unknown):
        title, sentence = PARTS.get(kind, (kind, ""))
        mine = [path for path in paths if kind_of(path) == kind]
        if mine:
            parts.append(f"## {title}")
            parts += [sentence] if sentence else []
            parts += [text for path in mine for text in file_text(path)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def file_text(path: Path) -> Iterator[str]:
    """The tables of one file, under its name."""
    cases: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()]
    yield f"*`{path.name}`*"
    for lines in tables(cases):
        if lines:
            yield "\n".join(lines)


def main() -> None:
    """Write the page, or check it."""
    text = page(sorted((BENCHMARKS / "results").glob("*.jsonl")))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} is not what the results say: python docs/performance_page.py")


if __name__ == "__main__":
    main()
