"""How ParaView finds Separatrix: which ParaViews there are, what to set for each, a launcher.

The command is `separatrix paraview-setup`. Nothing here imports VTK or ParaView: a ParaView is
asked by its own pvpython; no other program is run but, for want of a display, xvfb-run.
"""
