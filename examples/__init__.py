"""Short scripts for PyVista and VTK, and in `demo` the demonstration that `make demo` runs."""
