"""Invalid input in ParaView: a one-line error, empty outputs, and a pipeline that can run again."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.paraview

SCRIPT = """
from paraview.simple import *
from paraview import servermanager
from separatrix_vtk.base.run import Runner

def image(body):
    source = ProgrammableSource(OutputDataSetType="vtkImageData")
    source.ScriptRequestInformation = '''
executive = self.GetExecutive()
info = executive.GetOutputInformation(0)
info.Set(executive.WHOLE_EXTENT(), 0, 7, 0, 7, 0, 7)
'''
    source.Script = '''
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk
output = self.GetImageDataOutput()
output.SetDimensions(8, 8, 8)
rng = np.random.default_rng(1)
def add(name, values, data=None):
    array = numpy_to_vtk(values, deep=1)
    array.SetName(name)
    (data or output.GetPointData()).AddArray(array)
values = rng.random(512)
''' + body
    source.UpdatePipeline()
    return source

with_nan = image("values[[3, 5]] = np.nan\\nadd('f', values)")
bare = image("pass")
vectors = image("add('v', rng.random((512, 3)))")
good = image("add('f', values)")

view = CreateView("RenderView", ViewSize=[60, 60])
found, runs = {}, []
work = Runner.RequestData
Runner.RequestData = lambda *given: runs.append(1) or work(*given)
def attempt(case, source, **settings):
    for make in (SeparatrixMorseSmaleComplex, SeparatrixCriticalPoints, SeparatrixDiscreteGradient,
                 SeparatrixPersistenceDiagram):
        output = make(source)
        for name, value in settings.items():
            setattr(output, name, value)
        runs.clear()
        instance = output.GetClientSideObject()
        print(f"BEGIN {case}", flush=True)
        output.UpdatePipeline()
        # Apply hides the segmentation. ParaView cannot draw a slice of an image without arrays.
        hidden = ("Segmentation", "Regions", "Persistence Curves")
        n = output.SMProxy.GetNumberOfOutputPorts()
        shown = [i for i in range(n) if output.SMProxy.GetOutputPortName(i) not in hidden]
        for port in shown:
            Show(OutputPort(output, port), view)
        Render(view)
        Render(view)
        print(f"END {case}", flush=True)
        ports = [OutputPort(output, port) for port in range(n)]
        cells = [port.GetDataInformation().GetNumberOfCells() for port in ports]
        arrays = [port.PointData.GetNumberOfArrays() for port in ports]
        if make is SeparatrixMorseSmaleComplex:
            cells[3] = 0                                # the empty image keeps its grid
        found.setdefault(case, []).append([len(runs), sum(cells), sum(arrays), instance.last_error])
        HideAll(view)
        Delete(output)

attempt("nan", with_nan)
attempt("no array", bare)
attempt("vectors", vectors, ScalarField=["POINTS", "v"])
attempt("missing array", good, ScalarField=["POINTS", "pressure"])
attempt("sphere", Sphere())
output = SeparatrixMorseSmaleComplex(good)              # and afterwards everything still works
output.UpdatePipeline()
report(found=found, afterwards=output.GetDataInformation().GetNumberOfPoints() > 0)
"""
SENTENCES = {
    "nan": r"(?i)nan",
    "no array": r"no .*array|no active",
    "vectors": r"'v' must have one component; got 3",
    "missing array": r"point array 'pressure' was not found.*point arrays f",
    "sphere": r"'Normals' must have one component; got 3",
}


def test_an_error_gives_one_sentence_one_run_and_empty_outputs(pvpython):
    run = pvpython(SCRIPT)
    assert run.report["afterwards"]
    assert set(run.report["found"]) == set(SENTENCES)
    for case, answers in run.report["found"].items():
        for runs, cells, arrays, sentence in answers:
            assert (cells, arrays) == (0, 0), case
            assert re.search(SENTENCES[case], sentence), (case, sentence)
            assert runs == 1, (case, runs)
        for part in re.findall(rf"BEGIN {case}\n(.*?)END {case}\n", run.text, re.DOTALL):
            assert part.count("ERROR: In separatrix") == 1, (case, part)
            assert "Traceback" not in part
            assert "ERR|" not in part, part


def test_an_invalid_value_gives_one_sentence_and_no_earlier_result(pvpython, sample_data):
    script = """
from paraview.simple import *
image = XMLImageDataReader(FileName=[sys.argv[1]])
image.UpdatePipeline()
output = SeparatrixCriticalPoints(image, Device="CPU")
made, found = output.GetClientSideObject(), []
def look():
    output.UpdatePipeline()
    found.append([output.GetDataInformation().GetNumberOfPoints() > 0, made.last_error])
look()
output.NumberOfThreads = -1
look()
output.NumberOfThreads = 0   # as it was: and so is the output
look()
try:
    made.SetNumberOfThreads(-2)
    made.threads = -3
except ValueError as error:
    found.append(str(error))
report(found=found)
"""
    run = pvpython(script, sample_data / "two_centers.vti")
    sentence = "Number Of Threads must be an integer from 1 to 1,024 or None; got -1."
    assert run.report["found"][:3] == [[True, ""], [False, sentence], [True, ""]]
    assert run.report["found"][3] == "threads must be an integer from 1 to 1,024 or None; got -3."
    assert run.text.count("ERROR: In separatrix") == 1
    assert "Traceback" not in run.text


SLICE = """
from paraview.simple import *
image = XMLImageDataReader(FileName=[sys.argv[1]])
image.UpdatePipeline()
output = SeparatrixMorseSmaleComplex(image)
view = CreateView("RenderView", ViewSize=[60, 60])
points, slice = (Show(OutputPort(output, port), view) for port in (0, 3))
visible = []
for n_threads in (0, -1, 0):
    output.NumberOfThreads = n_threads
    Render(view)
    Render(view)
    visible.append([points.Visibility, slice.Visibility])
report(visible=visible)
"""


def test_a_slice_next_to_another_output_is_hidden_while_the_filter_fails(pvpython, sample_data):
    run = pvpython(SLICE, sample_data / "two_centers.vti")
    assert run.report["visible"] == [[1, 1], [1, 0], [1, 1]]
    assert run.text.count("ERROR: In separatrix") == 1
    assert "ERR|" not in run.text  # of a texture without values
