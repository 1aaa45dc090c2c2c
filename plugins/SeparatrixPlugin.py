"""Separatrix for ParaView 5.12 and newer: Tools > Manage Plugins > Load New, choose this file.

It passes the XML of the filters to ParaView, and lets ParaView's Python import the packages from
the source tree or the wheel that contains this file. Packages that Python finds otherwise have
priority. ParaView 5.11 loads the files of the folder xml/ instead.
"""

import importlib.machinery
import importlib.util
import os
import sys

paraview_plugin_name, paraview_plugin_version = "Separatrix", "0.1.0"

_here = os.path.dirname(os.path.realpath(__file__))  # also through a symbolic link
_folders = (_here, os.path.join(_here, "..", "engine"), os.path.join(_here, "..", ".."))


class _Finder:
    """Finds the two packages of Separatrix next to this file, and no others.

    The folder is not added to sys.path, because it may contain another VTK or NumPy. A package that
    Python finds elsewhere has priority, unless its folder contains no code.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name not in ("separatrix", "separatrix_vtk"):
            return None
        found = importlib.machinery.PathFinder.find_spec(name)
        if found is not None and found.origin is not None:
            return found
        for folder in _folders:
            file = os.path.normpath(os.path.join(folder, name, "__init__.py"))
            if os.path.isfile(file):
                places = [os.path.dirname(file)]
                return importlib.util.spec_from_file_location(
                    name, file, submodule_search_locations=places
                )
        return None


if not any(getattr(finder, "__name__", "") == "_Finder" for finder in sys.meta_path):
    sys.meta_path.insert(0, _Finder)

try:
    import separatrix_vtk
except ModuleNotFoundError as error:
    if error.name != "separatrix_vtk":
        raise
    raise RuntimeError(  # after an ImportError, ParaView would try to load the file otherwise
        f"The packages of Separatrix were not found next to {__file__}. Leave this file in its "
        "folder and make a symbolic link to it, or add the folder of the packages to PYTHONPATH."
    ) from None


class _Xml:
    """A proxy definition for ParaView, which recognizes it by this attribute."""

    def __init__(self, path: "os.PathLike[str]") -> None:
        with open(path, encoding="utf-8") as file:
            self._pvsm_proxy_xml = file.read()


for _number, _path in enumerate(separatrix_vtk.xml_files()):
    globals()[f"_xml_{_number}"] = _Xml(_path)
