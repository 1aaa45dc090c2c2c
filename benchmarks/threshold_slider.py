"""How long does a step of the threshold take in ParaView's window?

ParaView's own test player clicks like a user, on a virtual screen with a software renderer: it
applies the filter, then other thresholds, each with Apply.

    python benchmarks/threshold_slider.py VOLUME.vti [--thresholds 0.3 0.2] [--output LINES]

One JSON line for the first Apply and one for each threshold, with seconds of the CPU of all
threads: of the filter; of ParaView from its end to the picture, which gathers information on the
outputs and prepares their geometry; and of the picture. `main_thread` is the part of the sum that
no other core can take over, `wall` the time by the clock until the picture is complete.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from measure import cpu_name

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from examples.demo.first_apply import APPLY, MENU, events_of
from examples.demo.window import environment_of, need, running, virtual_screen, wait_for

THRESHOLDS = (25, 20, 15, 10, 5, 3)  # in values of an 8-bit volume
NUMBER = (
    "pqClientMainWindow/propertiesDock/propertiesPanel/scrollArea/qt_scrollarea_viewport/"
    "scrollAreaWidgetContents/PropertiesFrame/ProxyPanel/PersistenceThreshold/DoubleRangeWidget/"
    "DoubleLineEdit"
)
SCRIPT = """
import json, resource, time
from paraview.simple import *

clocks, filters = [], []

def note(stage):
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    clocks.append((stage, cpu, time.thread_time(), time.perf_counter()))

def begin(*_): note("begin")
def filtered(*_): note("filter")
def updated(*_): note("update")

def drawn(*_):
    note("picture")
    if filters:
        tell()
    elif source := FindSource("SeparatrixMorseSmaleComplex1"):  # before its first Apply
        filters.append(source)
        source.SMProxy.AddObserver("UpdatePropertyEvent", begin)  # not before the first run
        filter = source.GetClientSideObject()
        filter.AddObserver("StartEvent", begin)
        filter.AddObserver("EndEvent", filtered)

def tell():
    stages = [stage for stage, *_ in clocks]
    if not {{"begin", "filter"}} <= set(stages):  # a picture for another reason
        return
    first = [stages.index(stage) for stage in ("begin", "filter")]
    first += [stages.index(stage, first[1]) for stage in ("update", "picture")]
    (_, cpu, own, clock), *later = (clocks[i] for i in first)
    line = {{}}
    for stage, now, main_thread, wall in later:
        line[stage], cpu = round(now - cpu, 3), now
    line["in_all"], line["main_thread"] = round(sum(line.values()), 3), round(main_thread - own, 3)
    line["wall"] = round(wall - clock, 3)
    complex = filters[0].GetClientSideObject()
    line["critical_points"] = sum(complex.report["critical_cells"])
    line["line_points"] = complex.GetOutput(1).GetNumberOfPoints()
    with open("{lines}", "a") as file:
        print(json.dumps({{"threshold": complex.report["persistence"], **line}}), file=file)
    clocks.clear()

volume = XMLImageDataReader(FileName=["{volume}"])
volume.UpdatePipeline()
view = GetActiveViewOrCreate("RenderView")
Show(volume, view)
ResetCamera(view)
SetActiveSource(volume)
view.SMProxy.GetRenderWindow().AddObserver("StartEvent", updated)
view.SMProxy.GetRenderWindow().AddObserver("EndEvent", drawn)
Render(view)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("volume", type=Path)
    parser.add_argument("--thresholds", type=float, nargs="+", default=THRESHOLDS)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    for line in lines_of(options.volume.resolve(), options.thresholds):
        print(line, flush=True)
        if options.output is not None:
            with options.output.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def lines_of(volume: Path, thresholds: Sequence[float]) -> list[str]:
    """One line of JSON per Apply."""
    need("paraview", "Xvfb", "openbox")
    filter = f"{MENU}/menuFilters"
    clicks = [
        (MENU, "activate", "menuFilters"),
        (filter, "activate", "Separatrix"),
        (f"{filter}/Separatrix", "activate", "SeparatrixMorseSmaleComplex"),
        APPLY,
    ]
    for threshold in thresholds:
        clicks += [(NUMBER, "set_string", str(threshold)), APPLY]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        display = stack.enter_context(virtual_screen())
        environment = {**os.environ, **environment_of(folder, display)}
        lines, script, events, ready = (folder / name for name in ("l", "s.py", "e.xml", "ready"))
        macros = Path(environment["HOME"], ".config", "ParaView", "Macros")
        macros.mkdir()
        (macros / "end.py").write_text(f"open({str(ready)!r}, 'w').close()\n")
        script.write_text(SCRIPT.format(volume=volume, lines=lines))
        events.write_text(events_of([*clicks, (f"{MENU}/menu_Macros", "activate", "end")]))
        stack.enter_context(running(["openbox"], environment))
        command = ["paraview", f"--script={script}", f"--test-script={events}"]
        wait_for(ready, stack.enter_context(running(command, environment)))
        told = [json.loads(line) for line in lines.read_text().splitlines()]
    about = {"volume": volume.stem, "machine": cpu_name()}
    return [json.dumps({**about, **line}) for line in told]


if __name__ == "__main__":
    main()
