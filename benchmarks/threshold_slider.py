"""How long does ParaView take for a step of the threshold slider?

In pvpython, with a render view: the first Apply, then other thresholds, each until the picture is
drawn. Run in the repository, with the variables of docs/paraview.md:
xvfb-run -a pvpython benchmarks/threshold_slider.py VOLUME.vti
Prints one JSON line per step: wall-clock and CPU seconds, those of the filter, and line points.
"""

from __future__ import annotations

import json
import resource
import sys
import time

from paraview import simple

THRESHOLDS = (25, 20, 15, 10, 5, 3, 2, 1)  # in values of an 8-bit volume


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main(path: str) -> None:
    volume = simple.XMLImageDataReader(FileName=[path])
    volume.UpdatePipeline()
    view = simple.CreateView("RenderView", ViewSize=[900, 700])
    simple.Show(volume, view)
    complex = simple.SeparatrixMorseSmaleComplex(volume)
    for number, threshold in enumerate((0, *THRESHOLDS)):
        wall, cpu = time.perf_counter(), cpu_seconds()
        complex.PersistenceThreshold = threshold
        if not number:
            for port in (0, 1):
                simple.Show(simple.OutputPort(complex, port), view)
        simple.Render(view)
        report = complex.GetClientSideObject().report
        line = {
            "threshold": threshold or "automatic",
            "wall_seconds": round(time.perf_counter() - wall, 3),
            "cpu_seconds": round(cpu_seconds() - cpu, 3),
            "filter_seconds": round(sum(report["seconds"].values()), 3),
            "critical_points": sum(report["critical_cells"]),
            "line_points": simple.OutputPort(complex, 1).GetDataInformation().GetNumberOfPoints(),
        }
        print(json.dumps(line), flush=True)


main(sys.argv[1])
