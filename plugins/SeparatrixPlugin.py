"""Separatrix for ParaView 5.12 and newer: Tools > Manage Plugins > Load New, choose this file.

It hands over the filters' server-manager XML and sees to it that ParaView's Python finds the
packages: beside it in a source tree, or round it in an installed wheel. A package that is installed
already wins. ParaView 5.11 and older load the files of the folder xml/ instead.
"""

import importlib.machinery
import importlib.util
import os
import sys

paraview_plugin_name, paraview_plugin_version = "Separatrix", "0.1.0"

_here = os.path.dirname(os.path.realpath(__file__))  # a symbolic link still finds its tree
_folders = (_here, os.path.join(_here, "..", "engine"), os.path.join(_here, "..", ".."))


class _Beside:
    """Finds our packages beside this file, and nothing else that lies there.

    The folder of an installed package does not go on sys.path: a VTK or NumPy in it is not ours to
    bring into ParaView. A package that Python finds by itself wins, a folder without code does not.
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


if not any(getattr(finder, "__name__", "") == "_Beside" for finder in sys.meta_path):
    sys.meta_path.insert(0, _Beside)

try:
    import separatrix_vtk
except ModuleNotFoundError as error:
    if error.name != "separatrix_vtk":
        raise
    raise RuntimeError(  # ParaView would try again after an ImportError, by other ways
        f"the packages of Separatrix are not beside {__file__}: leave this file in its folder "
        "(make a symbolic link to it instead of a copy), or put the folder of the packages into "
        "PYTHONPATH"
    ) from None


class _Xml:
    """What ParaView takes for a proxy definition: anything with this attribute."""

    def __init__(self, path: "os.PathLike[str]") -> None:
        with open(path, encoding="utf-8") as file:
            self._pvsm_proxy_xml = file.read()


for _number, _path in enumerate(separatrix_vtk.xml_files()):
    globals()[f"_xml_{_number}"] = _Xml(_path)
