"""VTK: the Morse-Smale complex of a volume in a pipeline, its lines colored by their kind."""

import sys

import vtk

from separatrix_vtk import MorseSmaleComplex

reader = vtk.vtkXMLImageDataReader(file_name="sample_data/two_centers.vti")
complex = MorseSmaleComplex(persistence=0.02, relative=True)
complex.SetInputConnection(reader.GetOutputPort())
tubes = vtk.vtkTubeFilter(radius=0.02, input_connection=complex.GetOutputPort(1))
mapper = vtk.vtkPolyDataMapper(input_connection=tubes.GetOutputPort(), scalar_range=(0, 2))
mapper.SetScalarModeToUseCellFieldData()
mapper.SelectColorArray("SeparatrixType")

renderer = vtk.vtkRenderer(background=(1, 1, 1))
renderer.AddActor(vtk.vtkActor(mapper=mapper))
renderer.active_camera.SetPosition(1, -2, 1.5)
renderer.active_camera.SetViewUp(0, 0, 1)
renderer.ResetCamera()
window = vtk.vtkRenderWindow(off_screen_rendering=True, size=(900, 700))
window.AddRenderer(renderer)
picture = vtk.vtkWindowToImageFilter(input=window)
name = sys.argv[1] if len(sys.argv) > 1 else "volume.png"
vtk.vtkPNGWriter(file_name=name, input_connection=picture.GetOutputPort()).Write()
