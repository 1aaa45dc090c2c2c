"""VTK: a file of atoms, read and turned into the surface of their alpha complex."""

import sys

import vtk

from separatrix_vtk import AlphaComplex, MoleculeReader

reader = MoleculeReader(file_name="sample_data/1crn.pdb")
surface = AlphaComplex(probe=1.4)
surface.SetInputConnection(reader.GetOutputPort())
mapper = vtk.vtkPolyDataMapper(input_connection=surface.GetOutputPort(1), scalar_range=(6, 16))
mapper.SetScalarModeToUsePointFieldData()
mapper.SelectColorArray("atom_type")

renderer = vtk.vtkRenderer(background=(1, 1, 1))
renderer.AddActor(vtk.vtkActor(mapper=mapper))
renderer.active_camera.SetPosition(1, -2, 1.5)
renderer.active_camera.SetViewUp(0, 0, 1)
renderer.ResetCamera()
window = vtk.vtkRenderWindow(off_screen_rendering=True, size=(900, 700))
window.AddRenderer(renderer)
picture = vtk.vtkWindowToImageFilter(input=window)
name = sys.argv[1] if len(sys.argv) > 1 else "molecule.png"
vtk.vtkPNGWriter(file_name=name, input_connection=picture.GetOutputPort()).Write()
