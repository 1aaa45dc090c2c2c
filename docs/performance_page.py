"""Write docs/performance.md, the tables of all benchmarks, from the results that are kept.

python docs/performance_page.py            # write the page
python docs/performance_page.py --check    # fail if the page does not match the results
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
# Performance

<!-- Written by `python docs/performance_page.py` from benchmarks/results; do not edit. -->

All numbers on this page come from files in `benchmarks/results`, which are written by scripts.
[Benchmarks](../benchmarks/README.md) describes what each script measures and how to run it. Times
are medians after a warm-up. Other programs ran on the same input, and their results were compared
with those of Separatrix. On the GPU machine of the files of 2026-11-25, work that did not change
since 2026-11-24 takes up to 1.8 times as long on the host, and up to 1.2 times on the GPU.
"""

PARTS = {
    "morse-smale": (
        "Morse-Smale complexes of images: gradient, lines to extrema, segmentations",
        """*All* is the gradient, critical cells, lines to minima and maxima with their geometry,
and three segmentations, for values in device memory. The second table lists the stages, with the
minimum time to move their bytes. Cubical Ripser computes persistence pairs of the same values, a
different task; the next section compares its results. *Bytes per voxel* were measured before
complexes kept their values; the [same measurement](../benchmarks/README.md) now gives 58.""",
    ),
    "whole-complex": (
        "Complete complexes: all lines, diagram, hierarchy, another threshold",
        """*Slider step* is a change of the threshold, with critical cells, lines to extrema, and
three segmentations for the new threshold. On a GPU machine, the *hierarchy* is computed partly on
the CPU, with all threads (16 here). The CPU rows were measured on another machine of the same type,
on which Cubical Ripser also took 1.0 to 1.6 times as long. The second table was measured without
peers, by a later version that pairs extrema on the GPU.""",
    ),
    "diagrams": (
        "Persistence diagrams of noisy volumes",
        """From values in device memory to pairs there, on a machine with 16 CPU cores, which reduce
the remaining columns of saddles. *Uniform*: the smooth field with uniform noise of 1 % of its
range; *normal*: with normal noise of a standard deviation of 1 %.""",
    ),
    "hierarchies": (
        "Hierarchies of noisy volumes",
        """All levels of simplification, then another level with critical cells, arcs, and three
segmentations. *Sine*: products of sines with normal noise. The two cores were shared with other
programs: compare CPU times.""",
    ),
    "simplified-fields": (
        "Complexes of simplified fields",
        """1-saddles that remain at a level with `rematch_saddles`, and those that remain if the
extrema below the level are removed from the field first. Pairs at and above the level are compared
with those of the field. Other programs used the machine at the same time.""",
    ),
    "threshold-slider": (
        "Thresholds in ParaView's window",
        """CPU seconds of all threads in ParaView 5.11 with a software renderer: for the first
*Apply* of the Morse-Smale complex, with all labels, and for the next thresholds. *Update* is the
work of ParaView after any filter: it collects information on all arrays, and creates the geometry
to draw. *Main thread* is the part of the sum that other cores cannot share, and *wall* the time by
the clock. *Uniform-256* is the smooth 256³ field with uniform noise of 1%. Other programs used the
machine at the same time, which lengthens the time by the clock most.""",
    ),
    "pvbatch": (
        "Morse-Smale complexes in several processes of ParaView",
        """Critical points with their persistence, the graph, and three segmentations of a smooth
volume with 1% noise, from a file, with one thread per process. The CPU time excludes waiting for
other processes; the peak of the resident memory includes about 350 MiB for ParaView itself.
*Default*: the outputs of *Apply* at its automatic threshold, for which the first process receives
the gradient. Other programs used the machine at the same time.""",
    ),
    "pieces": (
        "Morse-Smale complexes in pieces",
        """Critical cells, three segmentations, all arcs, and all persistence pairs of a smooth
volume with 1% noise, in pieces of one thread each, without the time spent waiting for others. The
files *in turn* are for `morse_smale`, which processes its pieces on one device, one after the
other, or divides them among several devices.
Other programs used the machine at the same time.""",
    ),
    "streamed": (
        "Volumes in slabs, and on several GPUs",
        """Wall seconds for a smooth volume with 1% noise: *gradient* with critical cells, labels of
the minima and of the maxima, all arcs, and the persistence diagram, which includes the gradient
once more; *pairs* are those of the complex, and use its gradient and connectors, if there are any.
Without a number of pieces or a limit, the image is processed as a whole if possible. 2048 x 1920 x
1536 voxels are more than 2^31. Their layers are generated on the GPU when they are read, and copied
to the host, which is part of the time; their labels are written to host memory slab by slab. The
diagram of 512^3 with a limit was computed as a whole, because the limit is compared with the memory
of the gradient, not with that of the arcs. The files *in turn* were measured with a later version,
which uploads images without a second copy; kernels that its diagram of 512^3 used first were
compiled within the time, about 0.6 s. In the file *two*, 1024^3 voxels are on the first GPU, and so
are results, medians of three; the layers of the larger volume stay on the GPU that generates them.
Two GPUs divide the volume. Bytes are the sum of both, without arrays of earlier runs. The file
*two-h100* was measured with a later version, whose GPUs copy while they work, divide the
Morse-Smale cells, and find the ends of arcs with the labels.""",
    ),
    "neighbors": ("Neighbors of points", ""),
    "reductions": (
        "Block-sparse reductions and densities",
        """*Cut at 4 sigma* includes sorting the points, computing the pattern, and restoring the
order of the results. *Variables* are formulas of `sx.variables`, and the same lines with the
LazyTensor of pykeops, compiled before the measurement. The two cores were shared with other
programs: compare CPU times. The file with all peers was measured with an earlier version of the
kernels. The last GPU file compares the fastest peers with the current kernels.""",
    ),
    "triangulations": (
        "Triangulations and persistence of points",
        """Uniform points in a cube: `delaunay`, and *persistence*, which is the complete alpha
complex with the diagrams of dimensions 0 to 2. *Pockets*: all pockets of a protein with a probe of
1.4 Angstrom. GUDHI triangulates with CGAL, with exact predicates; flooder approximates the
persistence on a GPU. The two cores of the EPYC were shared with other programs: compare CPU times.
The two threads of the Xeon had two cores of the GPU machine. On the H200, 16 CPU cores reduce the
columns that are not paired immediately. A million points on two cores, and ten million or more on
the H200, were measured once, without a warm-up.""",
    ),
    "alpha-complexes": (
        "Alpha complexes of molecules",
        "Times in *ms* are from host arrays to host arrays.",
    ),
    "rips": (
        "Vietoris-Rips barcodes",
        """From a matrix in host memory to bars in host memory. *Stopped*: the program was stopped
after six seconds, or rejected the input. The CPU file of loops lists CPU time of one thread of a
shared machine; other programs were stopped after 10 CPU seconds. *Not run*: the program requires a
matrix or a threshold. On the GPU machine, more than 6,000 points are processed by its 16 CPU cores.
The later H200 files were measured with a version that recognizes most lunes by a point near the
middle of the edge, on a machine with slower CPU cores. Bars are compared after rounding to float32,
in which ripser.py and giotto-ph compute; bars whose births differ only in float64 may be in another
order there. The set of voids is computed up to dimension 2; ripser.py rejects it.""",
    ),
    "mesh-relations": (
        "Relations of tetrahedral meshes",
        "All rows of a relation, with ids of the mesh.",
    ),
    "first-calls": (
        "First calls on a GPU",
        """In a new process with an empty kernel cache, after the import of CuPy. Wheels contain
prebuilt code; otherwise, NVRTC compiles it. The remaining kernels are CuPy's own, one for
each operation and dtype, which CuPy compiles once per machine.""",
    ),
    "mesh-memory": (
        "Memory of analyses of tetrahedral meshes",
        """Highest memory during each analysis in addition to the mesh, which takes 33 bytes per
tetrahedron, and CPU seconds of two threads; on a GPU, wall seconds and all memory in use there.
With a limit, meshes are processed in [packets of segments](mesh_streams.md). On the CPU, arcs,
segmentations, and diagrams include the gradient, and each number was measured in a new process.
On a GPU, the steps of a row follow each other in one process, and *first calls* include loading
or compiling kernels. *From arrays* is a new mesh with its critical points and its gradient, from
arrays in pinned memory to results in host memory.""",
    ),
    "mesh-segments": (
        "Sizes of segments",
        """CPU time of two threads, or time by the clock on a GPU with 16 CPU cores. *Stream*: all
rows in batches. *Packets*: the same for a mesh in host memory, whose packets CPU threads collect
for the CPU or for the GPU. *Segment*: one request per segment.""",
    ),
    "mesh-batches": (
        "Sizes of batches of streams",
        """Time by the clock of a stream of all rows, with several threads that compute the next
batches. The GPU computes up to 64 MiB of small batches at once.""",
    ),
    "mesh-consumers": (
        "Consumers of streams of relations",
        """Local minima of a field from a stream of VV in batches of 256 KB, computed by two
threads, or on a GPU. One thread submits batches to a pool of consumers, and waits for the stream,
or for the oldest batch if more than twice as many are pending as there are consumers. Python's
consumers share one interpreter lock. Other programs used the machine with 2 CPUs at the same
time.""",
    ),
    "real-meshes": (
        "Meshes of real shapes",
        """CPU seconds of two threads. *Agrees with*: the Betti numbers of the shape, GUDHI's bars
and Betti numbers, the Morse inequalities, and the bits of the same analyses in packets of
segments.""",
    ),
    "mesh-analyses": (
        "Analyses of tetrahedral meshes",
        "The first call for critical points includes computing the boundary and the relations.",
    ),
}
"""Heading and text of each kind of result, in the order of the page."""


def kind_of(path: Path) -> str:
    """Return the part of the page for a file of results, by its name."""
    return next((kind for kind in PARTS if kind in path.stem), path.stem)


def page(paths: list[Path]) -> str:
    """Return the page for files of results."""
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
    """Yield the tables of one file, below its name."""
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
        sys.exit(
            f"{PAGE.name} does not match benchmarks/results; run python docs/performance_page.py"
        )


if __name__ == "__main__":
    main()
