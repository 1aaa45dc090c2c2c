"""A macro of the tour: tells what the active filter shows, then makes the next sample active.

It runs inside ParaView's window, in the fresh HOME that `test_gui_tour` prepares. TOUR names a
folder with `steps.json`, the names of the sources to come.
"""

import json
import os
import subprocess

from paraview import simple

FOLDER = os.environ["TOUR"]


def shown_in(view, source, port):
    """Representation, array, and scalar bar title of a port in a view; None if hidden."""
    proxy = view.SMProxy.FindRepresentation(source.SMProxy, port)
    if proxy is None or not proxy.GetProperty("Visibility").GetElement(0):
        return None
    kind = view.SMProxy.GetXMLName()
    display = simple.GetDisplayProperties(simple.OutputPort(source, port), view)
    if is_chart(view):
        return [kind, "Index" if display.UseIndexForXAxis else str(display.XArrayName.GetData())]
    if kind == "SpreadSheetView":
        return [kind]
    table = display.LookupTable
    if table is None:  # an output that is empty so far
        return None
    bar = simple.GetScalarBar(table, view)
    title = str(bar.Title) if bar.Visibility else ""
    display.SetScalarBarVisibility(view, False)  # so that colors in the picture are those of data
    return [kind, str(display.Representation.GetData()), str(display.ColorArrayName[1]), title]


def counts_of(source):
    """Points, cells and rows of each port."""
    ports = range(source.SMProxy.GetNumberOfOutputPorts())
    data = [source.SMProxy.GetDataInformation(port) for port in ports]
    return [[d.GetNumberOfPoints(), d.GetNumberOfCells(), d.GetNumberOfRows()] for d in data]


def is_chart(view):
    return view.SMProxy.IsA("vtkSMContextViewProxy")


source = simple.GetActiveSource()
name = source.SMProxy.GetXMLName()
views = sorted(simple.GetViews(), key=lambda view: view.SMProxy.GetXMLName() != "RenderView")
with open(f"{FOLDER}/{name}.xwd", "wb") as file:
    subprocess.run(["xwd", "-root", "-silent"], stdout=file, check=True, timeout=30)
shown = [
    [told for view in views if (told := shown_in(view, source, port))]
    for port in range(source.SMProxy.GetNumberOfOutputPorts())
]
drawn = [v for v in views if not is_chart(v) and v.SMProxy.GetXMLName() != "SpreadSheetView"]
for view in drawn:
    kind = view.SMProxy.GetXMLName()
    simple.SaveScreenshot(f"{FOLDER}/{name}_{kind}.png", view, ImageResolution=view.ViewSize)
told = {"shown": shown, "counts": counts_of(source), "views": len(views)}
told["error"] = source.GetClientSideObject().last_error
with open(f"{FOLDER}/{name}.json", "w", encoding="utf-8") as file:
    json.dump(told, file)

# The next sample, alone in the first view, as after opening it.
with open(f"{FOLDER}/steps.json", encoding="utf-8") as file:
    steps = json.load(file)
for view in views[1:]:
    simple.Delete(view)
simple.SetActiveView(views[0])
simple.HideAll(views[0])
if steps:
    following = simple.FindSource(steps.pop(0))
    if following.SMProxy.GetDataInformation(0).GetNumberOfPoints():
        simple.Show(following, views[0])
    simple.ResetCamera(views[0])
    simple.SetActiveSource(following)
    simple.Render(views[0])
    with open(f"{FOLDER}/steps.json", "w", encoding="utf-8") as file:
        json.dump(steps, file)
