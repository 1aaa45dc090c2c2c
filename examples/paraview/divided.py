"""ParaView: regions of a volume that several processes divide among them; each draws its part.

    PYTHONPATH=$PWD/engine:$PWD/plugins PV_PLUGIN_PATH=$PWD/xml \\
        xvfb-run -a mpiexec -n 2 pvbatch --symmetric examples/paraview/divided.py divided.png

Each process makes its slab of a volume, and computes the regions, critical points, and arcs in it.
Nothing is gathered: the pictures of the processes are composed. Left: the regions of the minima,
and the critical points. Right: the same surface, colored by process.
"""

import sys

from paraview import simple

volume = simple.Wavelet(WholeExtent=[-40, 40] * 3, XFreq=21, YFreq=15, ZFreq=18)
complex = simple.SeparatrixMorseSmaleComplex(volume, AutomaticThreshold=0, SaddleConnectors=0)
complex.Descending1Separatrices = complex.Ascending1Separatrices = 0  # need the whole volume
complex.ScalarField = ["POINTS", "RTData"]
complex.UpdatePipeline()

regions = simple.OutputPort(complex, "Segmentation")
half = simple.Clip(regions, Invert=0)
half.ClipType.Normal = [0.0, 1.0, 0.0]
has_ids = hasattr(simple, "ProcessIds")  # since ParaView 5.12
by_process = simple.ProcessIds(half) if has_ids else simple.ProcessIdScalars(half)
process = "PointProcessIds" if has_ids else "ProcessId"

left, right = simple.CreateView("RenderView"), simple.CreateView("RenderView")
for view, data, array in ((left, half, "DescendingManifold"), (right, by_process, process)):
    view.ViewSize, view.OrientationAxesVisibility = [800, 700], 0
    view.UseColorPaletteForBackground, view.Background = 0, [1.0, 1.0, 1.0]
    shown = simple.Show(data, view)
    shown.Representation = "Surface"
    simple.ColorBy(shown, ("POINTS", array))
    shown.SetScalarBarVisibility(view, False)
colors = simple.GetColorTransferFunction(process)
colors.RGBPoints = [0.0, 0.23, 0.46, 0.68, 1.0, 0.93, 0.67, 0.2]
points = simple.Show(simple.OutputPort(complex, "Critical Points"), left)
points.Representation = "Point Gaussian"
points.GaussianRadius = 1.0
points.ColorArrayName = ["POINTS", ""]
points.AmbientColor = points.DiffuseColor = [0.1, 0.1, 0.1]
layout = simple.CreateLayout("Divided")
layout.SplitHorizontal(0, 0.5)
layout.AssignView(1, left)
layout.AssignView(2, right)
for view in (left, right):
    simple.ResetCamera(view)
    camera = view.GetActiveCamera()
    camera.SetPosition(-110.0, -160.0, 90.0)
    camera.SetFocalPoint(0.0, 20.0, 0.0)
    camera.SetViewUp(0.0, 0.0, 1.0)
    simple.ResetCamera(view)
simple.SaveScreenshot(
    sys.argv[1] if len(sys.argv) > 1 else "divided.png", layout, ImageResolution=[1600, 700]
)
