"""VTK: random points on a sphere, and their barcode as lines."""

import sys

import vtk

from separatrix_vtk import RipsBarcodes

source = vtk.vtkPointSource(number_of_points=60, radius=1.0)
source.SetDistributionToShell()
barcode = RipsBarcodes(max_dimension=2)
barcode.SetInputConnection(source.GetOutputPort())
mapper = vtk.vtkPolyDataMapper(input_connection=barcode.GetOutputPort(0), scalar_range=(0, 2))
mapper.SetScalarModeToUseCellFieldData()
mapper.SelectColorArray("Dimension")

renderer = vtk.vtkRenderer(background=(1, 1, 1))
renderer.AddActor(vtk.vtkActor(mapper=mapper))
renderer.ResetCamera()
window = vtk.vtkRenderWindow(off_screen_rendering=True, size=(900, 700))
window.AddRenderer(renderer)
picture = vtk.vtkWindowToImageFilter(input=window)
name = sys.argv[1] if len(sys.argv) > 1 else "barcode.png"
vtk.vtkPNGWriter(file_name=name, input_connection=picture.GetOutputPort()).Write()
