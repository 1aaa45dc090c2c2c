"""Check a ParaView in its own pvpython: filters exist, one per family computes, and files open.

`pvpython trial.py FILE.xml...`, in the environment that the user should set. Prints one line of
JSON: {"problem": "", "filters": number, "notes": [text, ...], "gpu": "cuda:0" or ""}.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any
from xml.etree import ElementTree

ATOMS = (("N", 1.0, 2.0, 3.0), ("C", 2.5, 2.0, 3.0), ("C", 3.0, 3.4, 3.0), ("O", 2.3, 4.4, 3.5),
         ("S", -4.5, 0.1, -7.0))  # fmt: skip
PDB = "ATOM  {0:5}  {1:<3} ALA A   1    {2:8.3f}{3:8.3f}{4:8.3f}  1.00  0.00          {1:>2}\n"
COLUMNS = (
    "id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id auth_seq_id Cartn_x "
    "Cartn_y Cartn_z"
)
CIF_HEAD = "data_a\nloop_\n" + "".join(f"_atom_site.{name}\n" for name in COLUMNS.split())
FILES = {  # name -> first lines, format of an atom; the first two need gemmi
    "a.pdb": ("", PDB),
    "a.cif": (CIF_HEAD, "{0} {1} {1} . ALA A 1 {2} {3} {4}\n"),
    "a.xyz": (f"{len(ATOMS)}\n\n", "{1} {2} {3} {4}\n"),
}


def main(files: list[str]) -> None:
    """Print the outcome; a problem is one sentence."""
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
    outcome: dict[str, Any] = {"problem": "", "filters": 0, "notes": [], "gpu": ""}
    try:
        try_filters(files, outcome)
    except BaseException as error:
        text = " ".join(str(error).split())
        name = "" if isinstance(error, RuntimeError) else type(error).__name__ + ": "
        outcome["problem"] = outcome["problem"] or name + text
    print("\nSEPARATRIX " + json.dumps(outcome), flush=True)


def try_filters(files: list[str], outcome: dict[str, Any]) -> None:
    """Load what PV_PLUGIN_PATH did not, open files, and run a filter of each family."""
    import numpy as np  # after `main` has changed the path
    from paraview import simple

    from separatrix import devices

    missing = [path for path in files if not all(hasattr(simple, name) for name in proxies(path))]
    for path in missing:
        simple.LoadPlugin(path, remote=False, ns=vars(simple))
    names = [name for path in files for name in proxies(path)]
    absent = [name for name in names if not hasattr(simple, name)]
    outcome["filters"] = len(names) - len(absent)
    if absent:
        outcome["problem"] = "ParaView does not know " + ", ".join(absent)
        return
    if missing:
        outcome["problem"] = "PV_PLUGIN_PATH was not read, scripts need LoadPlugin: " + missing[0]
    image = simple.Wavelet(WholeExtent=[0, 5, 0, 5, 0, 5])
    with tempfile.TemporaryDirectory() as folder:
        molecules = {name: opened(simple, folder, name) for name in FILES}
        for name, molecule in molecules.items():
            try:
                run(molecule)
            except RuntimeError as error:
                if "gemmi" not in str(error):
                    raise
                outcome["notes"].append(f"{name[1:]} files cannot be read: {error}")
        volume = os.path.join(folder, "a.npy")
        np.save(volume, np.arange(27.0).reshape(3, 3, 3))
        run(simple.SeparatrixVolumeReader(FileName=volume))
        points = molecules["a.xyz"]
        for name, source in (
            ("SeparatrixMorseSmaleComplex", image),
            ("SeparatrixPersistenceDiagram", image),
            ("SeparatrixMeshRelations", simple.Delaunay3D(Input=points)),
            ("SeparatrixAlphaComplex", points),
            ("SeparatrixRipsBarcodes", points),
            ("SeparatrixPointDensity", points),
        ):
            source.UpdatePipeline()
            run(getattr(simple, name)(source))
        if any(report.usable for report in devices() if report.name.startswith("cuda")):
            on_gpu = simple.SeparatrixCriticalPoints(image, Device="CUDA")
            run(on_gpu)
            outcome["gpu"] = on_gpu.GetClientSideObject().report["device"]
        own = simple.PythonCalculator(Input=image, Expression="RTData + 1", ArrayName="more")
        own.UpdatePipeline()
        if own.PointData.GetArray("more") is None:
            raise RuntimeError("ParaView's own Python filters do not run; its message is above")


def opened(simple: Any, folder: str, name: str) -> Any:
    """A reader of a file that is written for it."""
    path = os.path.join(folder, name)
    head, line = FILES[name]
    with open(path, "w", encoding="ascii") as file:
        file.write(head + "".join(line.format(i, *atom) for i, atom in enumerate(ATOMS, start=1)))
    return simple.SeparatrixMoleculeReader(FileName=path)


def run(source: Any) -> None:
    """Raise RuntimeError if a reader or filter has no output."""
    source.UpdatePipeline()
    made = source.GetClientSideObject()
    data = source.GetDataInformation()
    if made.last_error or not data.GetNumberOfPoints() + data.GetNumberOfRows():
        error = made.last_error or "its message is above"
        raise RuntimeError(f"{source.SMProxy.GetXMLName()} has no output: {error}")


def proxies(path: str) -> list[str]:
    """Names of the sources and filters that a file of XML defines, in paraview.simple."""
    found = ElementTree.parse(path).getroot().iter("SourceProxy")
    return [element.attrib["name"] for element in found if "class" in element.attrib]


if __name__ == "__main__":
    main(sys.argv[1:])
