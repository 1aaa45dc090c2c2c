"""A macro for ParaView: Macros > Import New Macro, choose this file.

Its button colors the outputs of the active Separatrix filter, and draws critical points as spheres
and separatrices as tubes.
"""

from separatrix_vtk.paraview.colors import color_outputs

color_outputs()
