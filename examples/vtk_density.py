"""VTK from 9.4 on: a density of atoms in one expression, and a level of it."""

import sys

import vtk

from separatrix_vtk import MoleculeReader, PointDensity

reader = MoleculeReader(file_name="sample_data/1crn.pdb")
density = PointDensity(sigma=1.2, spacing=0.6)
contour = vtk.vtkFlyingEdges3D(compute_normals=True)
contour.SetValue(0, 0.03)
level = reader >> density >> contour
mapper = vtk.vtkPolyDataMapper(input_connection=level.last.GetOutputPort(), scalar_visibility=False)

renderer = vtk.vtkRenderer(background=(1, 1, 1))
renderer.AddActor(vtk.vtkActor(mapper=mapper))
renderer.active_camera.SetPosition(1, -2, 1.5)
renderer.active_camera.SetViewUp(0, 0, 1)
renderer.ResetCamera()
window = vtk.vtkRenderWindow(off_screen_rendering=True, size=(900, 700))
window.AddRenderer(renderer)
picture = vtk.vtkWindowToImageFilter(input=window)
name = sys.argv[1] if len(sys.argv) > 1 else "density.png"
vtk.vtkPNGWriter(file_name=name, input_connection=picture.GetOutputPort()).Write()
