"""Script of every process of a run in pieces; each saves its parts of the outputs.

pvbatch --symmetric pieces_run.py FILE FOLDER [CONTROLLER]. With CONTROLLER, mpi4py is not used.
"""

import json
import sys

import numpy as np
from paraview import simple
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkParallelCore import vtkMultiProcessController

from separatrix_vtk.base import communication
from separatrix_vtk.base.errors import Messages
from separatrix_vtk.filters.scalar_field.complex_part import ComplexPart
from separatrix_vtk.filters.scalar_field.complex_tables import PartTables
from separatrix_vtk.filters.scalar_field.morse_smale_complex import MorseSmaleComplex

path, folder, *without = sys.argv[1:]
if without:
    communication.mpi_communicator = lambda controller: None
controller = vtkMultiProcessController.GetGlobalController()
rank, n = controller.GetLocalProcessId(), controller.GetNumberOfProcesses()
saved, seen = {}, {"errors shown": 0}
show = Messages.show


def count_and_show(self, source, text, level):
    seen["errors shown"] += level == "Error"
    show(self, source, text, level)


Messages.show = count_and_show
PORTS = ("critical", "lines", "surfaces", "labels", "graph", "regions")
WITHOUT_LINES = {
    "AutomaticThreshold": 0,
    "Descending1Separatrices": 0,
    "Ascending1Separatrices": 0,
    "SaddleConnectors": 0,
}
LEVEL = {**WITHOUT_LINES, "AutomaticThreshold": 1, "RematchSaddles": 0}


def output(proxy, port=0):
    return proxy.GetClientSideObject().GetOutputDataObject(port)


def save(name, proxy, port):
    """All arrays of an output, without ghosts."""
    data = output(proxy, port)
    if data.IsA("vtkTable"):
        saved.update(
            {
                f"{name} {a}": vtk_to_numpy(data.GetColumnByName(a))
                for a in (data.GetColumnName(i) for i in range(data.GetNumberOfColumns()))
            }
        )
        return
    places = {"points": data.GetPointData(), "cells": data.GetCellData()}
    for place, attributes in places.items():
        for i in range(attributes.GetNumberOfArrays()):
            array = attributes.GetArray(i)
            saved[f"{name} {place} {array.GetName()}"] = vtk_to_numpy(array)
    if data.IsA("vtkImageData"):
        seen[f"{name} extent"] = data.GetExtent()
    elif data.GetNumberOfPoints():
        saved[f"{name} points"] = vtk_to_numpy(data.GetPoints().GetData())
    field = data.GetFieldData()
    seen[f"{name} numbers"] = {
        field.GetArrayName(i): field.GetArray(i).GetTuple1(0)
        for i in range(field.GetNumberOfArrays())
    }


def apply(name, source, label, **options):
    made = getattr(simple, f"Separatrix{label}")(source, Device="CPU", **options)
    made.ScalarField = ["POINTS", "f"]
    simple.UpdatePipeline(proxy=made)
    filter = made.GetClientSideObject()
    seen[f"{name} error"] = filter.last_error
    seen[f"{name} divided"] = filter._is_divided
    seen[f"{name} report"] = {k: v for k, v in filter.report.items() if k != "seconds"}
    return made


image = simple.XMLImageDataReader(FileName=[path])
complex = apply("complex", image, "MorseSmaleComplex", **WITHOUT_LINES)
for port, name in ((0, "critical"), (3, "labels"), (4, "graph")):
    save(name, complex, port)
seen["read"] = output(image).GetExtent()
# At a threshold, then at another one; skipped saddles remain, or are omitted.
LINES = {"Descending1Separatrices": 1, "Ascending1Separatrices": 1}
LINES |= {"KeepSkippedSaddles": 1, "RegionTable": "Morse-Smale"}
level = apply("level", image, "MorseSmaleComplex", **{**LEVEL, **LINES})
WITHOUT_SURFACES = ((0, "critical"), (1, "lines"), (3, "labels"), (4, "graph"), (5, "regions"))
for port, name in WITHOUT_SURFACES:
    save(f"level {name}", level, port)
level.MostLinePoints = 60
level.PersistenceThreshold, level.KeepSkippedSaddles = 400.0, 0
level.RegionTable = "Ascending"
simple.UpdatePipeline(proxy=level)
seen["lower error"] = level.GetClientSideObject().last_error
for port, name in WITHOUT_SURFACES:
    save(f"lower {name}", level, port)
# An image of one layer, whose default outputs need no process that has the whole.
flat = apply("flat", simple.ExtractSubset(image, VOI=[-2, 23, 3, 26, 5, 5]), "MorseSmaleComplex")
for port, name in ((0, "critical"), (1, "lines"), (4, "graph")):
    save(f"flat {name}", flat, port)
# As Apply does it, with all outputs; then at another threshold, for which nothing is gathered.
warn, warnings = Messages.show, []
Messages.show = lambda self, source, text, level: (
    warnings.append(text),
    warn(self, source, text, level),
)
options = {f"{way}2Separatrices": 1 for way in ("Descending", "Ascending")}
options |= {"TopCellLabels": 1, "SimplifiedField": 1, "RegionTable": "Morse-Smale"}
applied = apply("applied", image, "MorseSmaleComplex", **options)
for port, name in enumerate(PORTS):
    save(f"applied {name}", applied, port)
seen["warnings of apply"] = warnings[:]
applied.PersistenceThreshold = 40.0
simple.UpdatePipeline(proxy=applied)
for port, name in enumerate(PORTS):
    save(f"again {name}", applied, port)
seen["warnings again"] = warnings[len(seen["warnings of apply"]) :]
seen["again error"] = applied.GetClientSideObject().last_error
Messages.show = warn
# A periodic image, one with NaN, and one with an order array, at a threshold and without.
for name, file, given in (
    ("periodic", "image", {"PeriodicAxes": "X, Y And Z"}),
    ("masked", "masked", {"NaNValues": "Mask"}),
    ("hidden", "hidden", {}),
    ("hidden and periodic", "hidden", {"PeriodicAxes": "X, Y And Z"}),
    ("ordered", "ordered", {"Order": "Array"}),
    ("ordered and periodic", "ordered", {"Order": "Array", "PeriodicAxes": "X, Y And Z"}),
):
    source = simple.XMLImageDataReader(FileName=[f"{folder}/{file}.vti"])
    at_level = apply(f"{name} level", source, "MorseSmaleComplex", **given)
    for port, kind in enumerate(PORTS):
        save(f"{name} level {kind}", at_level, port)
    raw = apply(f"{name} raw", source, "MorseSmaleComplex", **given, **WITHOUT_LINES)
    for port, kind in ((0, "critical"), (3, "labels"), (4, "graph")):
        save(f"{name} raw {kind}", raw, port)
    if name in ("masked", "ordered and periodic"):
        of_level = apply(f"{name} divided", source, "MorseSmaleComplex", **given, **LEVEL)
        for port, kind in ((0, "critical"), (4, "graph")):
            save(f"{name} divided {kind}", of_level, port)
    pairs = apply(f"{name} diagram", source, "PersistenceDiagram", **given)
    save(f"{name} diagram", pairs, 0)
# A block of each process, whose layers the others need.
blocks = simple.Calculator(image, Function="f", ResultArrayName="g")
diagram = apply("diagram", blocks, "PersistenceDiagram")
save("diagram", diagram, 0)
save("curves", diagram, 1)
points = apply("points", blocks, "CriticalPoints")
save("points", points, 0)
seen["blocks"] = output(blocks).GetExtent()
apply("gathered", image, "CriticalPoints", Order="Plateau Aware")

# === an error, a failure, and an abort of the last process alone, at different stages
is_last = rank == n - 1
bad = simple.XMLImageDataReader(FileName=[f"{folder}/bad.vti"])
apply("nan", bad, "MorseSmaleComplex", **WITHOUT_LINES)
apply("ranks", bad, "PersistenceDiagram", Order="Array", OrderArray="other")
write_graph = PartTables.write_graph
if is_last:
    PartTables.write_graph = lambda *_: [][1]
apply("failure", image, "MorseSmaleComplex", **LEVEL)
PartTables.write_graph = write_graph
labels = ComplexPart.labels
if is_last:
    ComplexPart.labels = lambda *_: [][1]
apply("failure of labels", image, "MorseSmaleComplex")
ComplexPart.labels = labels
write_outputs = MorseSmaleComplex.write_outputs
if not rank:
    MorseSmaleComplex.write_outputs = lambda *_: [][1]
apply("failure of the first", image, "MorseSmaleComplex")
MorseSmaleComplex.write_outputs = write_outputs
after = apply("after failures", image, "MorseSmaleComplex")
save("after failures", after, 0)

# === two layers: a third process has none
thin = simple.ExtractSubset(image, VOI=[-2, 23, 3, 26, 5, 6])
for port, name in enumerate(("critical", "lines")):
    save(f"thin {name}", apply("thin", thin, "MorseSmaleComplex"), port)
stopped = simple.SeparatrixPersistenceDiagram(image, Device="CPU")
stopped.ScalarField = ["POINTS", "f"]
filter = stopped.GetClientSideObject()
if is_last:
    observer = filter.AddObserver("ProgressEvent", lambda *_: filter.SetAbortExecute(1))
simple.UpdatePipeline(proxy=stopped)
seen["points after abort"] = output(stopped).GetNumberOfPoints()
seen["abort error"] = filter.last_error
if is_last:
    filter.RemoveObserver(observer)
filter.SetAbortExecute(0)
stopped.SMProxy.MarkModified(stopped.SMProxy)
simple.UpdatePipeline(proxy=stopped)
seen["points after all"] = output(stopped).GetNumberOfPoints()

np.savez(f"{folder}/{rank}.npz", **saved)
with open(f"{folder}/{rank}.json", "w", encoding="utf-8") as file:
    json.dump(seen, file)
