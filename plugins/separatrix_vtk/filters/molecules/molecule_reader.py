"""Reader of the atoms of molecules, with radii, for ParaView and VTK.

port 0  Atoms    one vertex per atom; positions (d) in Angstrom, in the order of the file
    point   radius (d)             in Angstrom: from .pqr and .crd files, otherwise by element
            atom_type (i32)        atomic number; 0 if unknown
            residue (i32)          number of the residue in the file
            chain (i64)            character code, as in vtkPDBReader; for longer names, the codes
                                   of all characters as one number in base 256
            model (i32)            number of the model or frame
            altloc (u8)            character code of the alternate location, 0 for none
            ishetatm (u8)          1 for HETATM records
            occupancy, b_factor (f)
            assembly_copy (i32)    operator of the assembly that created the copy, from 1
            charge (d)             only from .pqr files
            atom_types, residue_names, chain_names (text)   names, if enabled
    field   Model, NumberOfModels, OmittedAtoms (i64)
            Cell (6 d)             lengths in Angstrom and angles in degrees of the cell of the
                                   crystal or the model, if the file has one

Models are time steps unless one is selected; the time of a model is its number.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkPolyData
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

from separatrix.errors import SeparatrixError
from separatrix.options import MoleculeReaderOptions
from separatrix_vtk.base.arrays import add, add_numbers, fill_polydata, texts_to_vtk, to_vtk
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Reader
from separatrix_vtk.base.properties import sentence
from separatrix_vtk.io.molecules.atoms import Atoms, Molecule
from separatrix_vtk.io.molecules.elements import radii_in
from separatrix_vtk.io.molecules.reading import read_molecule_file
from separatrix_vtk.io.molecules.selection import MODELS_AS_TIME_STEPS, chosen_atoms

TIME_STEPS = vtkStreamingDemandDrivenPipeline.TIME_STEPS
TIME_RANGE = vtkStreamingDemandDrivenPipeline.TIME_RANGE
TIME = vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP


class MoleculeReader(MoleculeReaderOptions, Reader):
    """Read the atoms of a .pdb, .cif, .pqr, .xyz, or .crd file, also compressed with gzip.

    The output contains points with radii. PDB and mmCIF files require gemmi (extra `molecules`).
    The module docstring describes the arrays.

    Examples
    --------
    >>> atoms = MoleculeReader(file_name="sample_data/1crn.pdb")
    >>> atoms.Update()
    >>> atoms.GetOutput().GetNumberOfPoints()
    327
    """

    OUTPUTS = (("Atoms", "vtkPolyData"),)

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        molecule: Molecule = self.content()
        self.step(0.5, "choosing atoms")
        model = self._model_at(self._time, molecule)
        overrides = radii_in(self.radii, "radii")
        try:
            atoms, radii, omitted = chosen_atoms(molecule, model, self, overrides)
        except SeparatrixError as error:
            template = f"{error.message} {error.remedy}".rstrip()  # rendered by the front end
            text = template if error.message else sentence(self, error)
            raise FilterError(f"{self.file_name}: {text}") from None
        self.step(0.8, "making points")
        numbers = {
            "Model": model,
            "NumberOfModels": len(molecule.models),
            "OmittedAtoms": sum(omitted.values()),
        }
        fill(outputs[0], atoms, radii, names=self.names)
        add_numbers(outputs[0], numbers)
        if cell := molecule.cell_of(model):
            add(outputs[0].GetFieldData(), to_vtk(np.array([cell]), "Cell"))
        if self.model == MODELS_AS_TIME_STEPS and len(molecule.models) > 1:
            step = float(_times(molecule)[molecule.models.index(model)])
            outputs[0].GetInformation().Set(vtkDataObject.DATA_TIME_STEP(), step)
        self._report = {"n_atoms": len(atoms), "omitted": omitted, "models": molecule.models,
                        "model": model, "assemblies": tuple(molecule.assemblies)}  # fmt: skip

    def read(self, path: Path) -> Molecule:
        return read_molecule_file(path)

    def _model_at(self, time: float | None, molecule: Molecule) -> int:
        """Return the model to read: the last one whose time is not later."""
        if self.model != MODELS_AS_TIME_STEPS:
            return self.model
        reached = 0 if time is None else int(np.searchsorted(_times(molecule), time, "right")) - 1
        return molecule.models[max(reached, 0)]

    # === for the pipeline

    def RequestInformation(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Announce the time steps. Errors of the file are reported when it is processed."""
        info = outputs.GetInformationObject(0)
        info.Remove(TIME_STEPS())
        info.Remove(TIME_RANGE())
        with suppress(SeparatrixError, MemoryError):
            if self.model == MODELS_AS_TIME_STEPS and len((molecule := self.content()).models) > 1:
                times = _times(molecule)
                info.Set(TIME_STEPS(), times, len(times))
                info.Set(TIME_RANGE(), [times[0], times[-1]], 2)
        return 1

    def RequestData(self, request: Any, inputs: Any, outputs: Any) -> int:
        info = outputs.GetInformationObject(0)
        self._time = info.Get(TIME()) if info.Has(TIME()) else None
        return super().RequestData(request, inputs, outputs)


def _times(molecule: Molecule) -> list[float]:
    """Return the time of each model: its number if these ascend, otherwise 1, 2, ..."""
    models = molecule.models
    is_ascending = all(a < b for a, b in pairwise(models))
    return [float(t) for t in (models if is_ascending else range(1, len(models) + 1))]


def fill(output: vtkPolyData, atoms: Atoms, radii: np.ndarray, *, names: bool = True) -> None:
    """Fill an output with atoms and their radii (n,), in Angstrom."""
    fill_polydata(output, atoms.positions, vertices=True)
    columns = {
        "radius": radii,
        "atom_type": atoms.elements.astype(np.int32),
        "residue": atoms.residues,
        "chain": _chain_numbers(atoms.chains),
        "model": atoms.models,
        "altloc": atoms.altlocs,
        "ishetatm": atoms.is_hetatm.astype(np.uint8),
        "occupancy": atoms.occupancy,
        "b_factor": atoms.b_factor,
        "assembly_copy": atoms.copies,
    }
    if "charges" in atoms.dtype.names:
        columns["charge"] = atoms.charges
    data = output.GetPointData()
    add(data, *(to_vtk(values, name) for name, values in columns.items()), active="atom_type")
    if names:
        texts = {
            "atom_types": atoms.names,
            "residue_names": atoms.residue_names,
            "chain_names": atoms.chains,
        }
        for name, values in texts.items():
            data.AddArray(texts_to_vtk(np.char.decode(values, "latin-1").tolist(), name))


def _chain_numbers(chains: np.ndarray) -> np.ndarray:
    """Convert names (n,) S8 to numbers with the character codes as digits in base 256."""
    codes = np.ascontiguousarray(chains).view(np.uint8).reshape(-1, 8)
    numbers = np.zeros(len(codes), np.int64)
    for column in codes.T[:7]:  # an eighth would overflow into the sign
        numbers = np.where(column > 0, numbers * 256 + column, numbers)
    return numbers
