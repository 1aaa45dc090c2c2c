"""Scripts in processes that are forked from one pvpython, which has imported what they import.

Runs in pvpython: reads one JSON line per script, {"arguments": [path, ...], "environment", "log"},
and writes its exit status. Starting pvpython takes two CPU seconds, and a fork none. The server
itself draws and computes nothing.
"""

import json
import os
import runpy
import sys
import traceback

import paraview.simple  # noqa: F401
import vtkmodules.util.numpy_support  # noqa: F401

import separatrix_vtk
import separatrix_vtk.paraview.color_maps  # noqa: F401


def be_the_script(arguments, environment, log):
    """Run a script as the whole program, and end."""
    status = 1
    try:
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for number in (1, 2):
            os.dup2(out, number)
        os.setsid()
        sys.stdout, sys.stderr = os.fdopen(1, "w", 1), os.fdopen(2, "w", 1)  # not pvpython's own
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


for line in os.fdopen(0):
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        be_the_script(**order)
    os.write(1, f"{child}\n".encode())
    os.write(1, f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n".encode())
