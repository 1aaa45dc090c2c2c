"""How do the processes of pvbatch divide the Morse-Smale complex of an image?

    python benchmarks/pvbatch_pieces.py --size 256 --ranks 1 2 [--level] [--output lines.jsonl]

The filter computes critical points with their persistence, the graph, and three segmentations of a
smooth volume with 1% noise, from a file, with one thread per process; with `--level`, at the
automatic threshold; with `--default` in its place, the outputs of Apply, which include lines and
rematched saddles, for which the first process receives the gradient. For each process, the script
prints the CPU seconds of the filter and its reader, with and without exchanges, in which a waiting
process also uses its CPU, and its peak resident memory, also before the filter. The run fails
unless all numbers of processes give the same numbers of critical points and arcs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parent
ON_CPU = {"Device": "CPU", "NumberOfThreads": 1}
WITHOUT_LINES = {
    "AutomaticThreshold": 0,
    "Descending1Separatrices": 0,
    "Ascending1Separatrices": 0,
    "SaddleConnectors": 0,
}
OPTIONS = {
    "without lines": WITHOUT_LINES,
    "level": {**WITHOUT_LINES, "AutomaticThreshold": 1, "RematchSaddles": 0},
    "default": {},
}


def mebibytes(name: str) -> int:
    """An entry of this process's status, such as VmHWM, the peak of its resident memory."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith(name))


def measure_rank(path: str, target: str, how: str) -> None:
    """Run the filter in one process of pvbatch, and save what it took."""
    from paraview import simple
    from vtkmodules.vtkParallelCore import vtkMultiProcessController

    from separatrix.pieces import exchange

    waited = 0.0

    def counted(method: Any) -> Any:
        def run(*arguments: Any) -> Any:
            nonlocal waited
            begun = time.process_time()
            found = method(*arguments)
            waited += time.process_time() - begun
            return found

        return run

    exchange.RankExchange._gathered = counted(exchange.RankExchange._gathered)
    reader = simple.XMLImageDataReader(FileName=[path])
    complex = simple.SeparatrixMorseSmaleComplex(reader, **ON_CPU, **OPTIONS[how])
    complex.ScalarField = ["POINTS", "f"]
    before, begun = mebibytes("VmRSS"), time.process_time()
    simple.UpdatePipeline(proxy=complex)
    seconds = time.process_time() - begun
    filter = complex.GetClientSideObject()
    assert not filter.last_error
    points, graph = filter.GetOutputDataObject(0), filter.GetOutputDataObject(4)
    found = {
        "cpu_s": round(seconds, 2),
        "cpu_s_without_exchanges": round(seconds - waited, 2),
        "peak_mib": mebibytes("VmHWM"),
        "before_mib": before,
        "cells": points.GetNumberOfPoints(),
        "arcs": graph.GetNumberOfCells(),
    }
    controller = vtkMultiProcessController.GetGlobalController()
    rank = controller.GetLocalProcessId() if controller else 0
    Path(f"{target}.{rank}").write_text(json.dumps(found), encoding="utf-8")


def run(path: Path, ranks: int, how: str) -> list[dict[str, Any]]:
    """What each of the processes took."""
    variables = {
        "PYTHONPATH": f"{REPOSITORY}/engine:{REPOSITORY}/plugins",
        "PV_PLUGIN_PATH": f"{REPOSITORY}/xml",
        "OMP_NUM_THREADS": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    target = path.with_suffix(".json")
    program = ["xvfb-run", "-a", "mpiexec", "--oversubscribe", "-n", str(ranks)]
    program += ["pvbatch", "--symmetric", __file__, str(path), str(target), how]
    subprocess.run(program, env={**os.environ, **variables}, check=True)
    return [json.loads(Path(f"{target}.{rank}").read_text("utf-8")) for rank in range(ranks)]


def write_volume(path: Path, size: int) -> None:
    """Write a smooth volume with 1 % noise."""
    from fields import smooth_noisy
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

    values = smooth_noisy((size,) * 3, 0.01)
    image = vtkImageData()
    image.SetDimensions(size, size, size)
    array = numpy_to_vtk(values.reshape(-1))
    array.SetName("f")
    image.GetPointData().SetScalars(array)
    writer = vtkXMLImageDataWriter()
    writer.SetFileName(str(path))
    writer.SetInputData(image)
    writer.SetCompressorTypeToNone()
    writer.EncodeAppendedDataOff()
    writer.Write()


def main() -> None:
    """Measure each number of processes."""
    from measure import cpu_name, keep

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    for how in ("level", "default"):
        parser.add_argument(f"--{how}", dest="how", action="store_const", const=how)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    how = given.how or "without lines"
    counts = set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "volume.vti"
        write_volume(path, given.size)
        for number in given.ranks:
            found = run(path, number, how)
            counts.add(tuple(sum(one.pop(name) for one in found) for name in ("cells", "arcs")))
            case = {
                "benchmark": "pvbatch pieces",
                "date": str(date.today()),
                "machine": cpu_name(),
                "size": given.size,
                "processes": number,
                "outputs": how,
                "slowest_cpu_s": max(one["cpu_s_without_exchanges"] for one in found),
                "most_peak_mib": max(one["peak_mib"] for one in found),
                "each": found,
            }
            print(keep(case, given.output), flush=True)
    assert len(counts) == 1, f"the processes give other critical points or arcs: {counts}"


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[2].endswith(".json"):
        measure_rank(*sys.argv[1:])
    else:
        main()
