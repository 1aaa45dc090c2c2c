"""`python -m separatrix_vtk` is the `separatrix` command; `--plugin-path` needs no extras."""

from __future__ import annotations

import sys

from separatrix_vtk.cli import main

if __name__ == "__main__":
    sys.exit(main())
