"""VTK from 9.4 on: a mesh's field and its basins, by the operator >> and select_ports."""

import sys

import vtk
from vtkmodules.util.execution_model import select_ports

from separatrix_vtk import MorseSmaleComplex

reader = vtk.vtkXMLUnstructuredGridReader(file_name="sample_data/ring.vtu")
complex = MorseSmaleComplex(persistence=0.05, relative=True)
reader >> complex
basins = select_ports(complex, 3) >> vtk.vtkGeometryFilter()  # port 3 is the segmentation
mapper = vtk.vtkPolyDataMapper(input_connection=basins.last.GetOutputPort(), scalar_range=(0, 5))
mapper.SetScalarModeToUsePointFieldData()
mapper.SelectColorArray("DescendingManifold")

renderer = vtk.vtkRenderer(background=(1, 1, 1))
renderer.AddActor(vtk.vtkActor(mapper=mapper))
renderer.active_camera.SetPosition(1, -2, 1.5)
renderer.active_camera.SetViewUp(0, 0, 1)
renderer.ResetCamera()
window = vtk.vtkRenderWindow(off_screen_rendering=True, size=(900, 700))
window.AddRenderer(renderer)
picture = vtk.vtkWindowToImageFilter(input=window)
name = sys.argv[1] if len(sys.argv) > 1 else "mesh.png"
vtk.vtkPNGWriter(file_name=name, input_connection=picture.GetOutputPort()).Write()
