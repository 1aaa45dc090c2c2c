"""Script of every process of a parallel run; each writes its results to its own file.

pvbatch --symmetric parallel_run.py SAMPLES FOLDER. "Whole" is what a function gives, which each
process computes by itself from all the data.
"""

import json
import sys

import numpy as np
from paraview import simple
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLUnstructuredGridReader
from vtkmodules.vtkParallelCore import vtkMultiProcessController

import separatrix_vtk

samples, folder = sys.argv[1:]
controller = vtkMultiProcessController.GetGlobalController()
rank, n_ranks = controller.GetLocalProcessId(), controller.GetNumberOfProcesses()
seen = {"rank": rank, "n": n_ranks}


def output(proxy, port=0):
    return proxy.GetClientSideObject().GetOutputDataObject(port)


def array(data, name):
    return vtk_to_numpy(data.GetArray(name))


def points(data):
    return vtk_to_numpy(data.GetPoints().GetData())


def rows_in_order(*columns):
    table = np.column_stack([np.round(np.asarray(c, float), 6) for c in columns])
    return table[np.lexsort(table.T[::-1])].tolist()


def is_part_of(part, whole, name, *, exact=True):
    """Whether an image is a part of another one, in its extent and its values."""
    x0, x1, y0, y1, z0, z1 = part.GetExtent()
    a, _, b, _, c, _ = whole.GetExtent()
    values = array(whole.GetPointData(), name).reshape(whole.GetDimensions()[::-1])
    cut = values[z0 - c : z1 - c + 1, y0 - b : y1 - b + 1, x0 - a : x1 - a + 1]
    mine = array(part.GetPointData(), name).reshape(cut.shape)
    return bool((mine == cut).all() if exact else np.allclose(mine, cut, rtol=1e-4, atol=1e-7))


def read(reader, path):
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


# === an image that its reader gives in parts
path = samples + "/atomic_orbital.vti"
whole_image = read(vtkXMLImageDataReader(), path)
whole = separatrix_vtk.morse_smale_complex(whole_image, device="cpu")
image = simple.XMLImageDataReader(FileName=[path])
simple.UpdatePipeline(proxy=image)
seen["points read"] = output(image).GetNumberOfPoints()
complex = simple.SeparatrixMorseSmaleComplex(image, Device="CPU", AutomaticThreshold=0)
complex.ScalarField = ["POINTS", "psi"]
simple.UpdatePipeline(proxy=complex)
critical, labels = output(complex, 0), output(complex, 3)
seen["critical points"] = critical.GetNumberOfPoints()
if rank == 0:
    same = array(critical.GetPointData(), "CellId") == array(
        whole.critical_points.GetPointData(), "CellId"
    )
    seen["same critical points"] = bool(same.all())
seen["labels"] = labels.GetNumberOfPoints()
seen["same labels"] = is_part_of(labels, whole.segmentation, "MorseSmaleManifold")
total = simple.IntegrateVariables(simple.OutputPort(complex, 3))
simple.UpdatePipeline(proxy=total)
if rank == 0:
    seen["volume"] = output(total).GetCellData().GetArray("Volume").GetValue(0)
    seen["whole volume"] = float(np.prod(np.subtract(whole_image.GetDimensions(), 1))) * float(
        np.prod(whole_image.GetSpacing())
    )

# === an error that only one process can see, and what follows
refused = simple.SeparatrixMorseSmaleComplex(image, Device="CPU", AutomaticThreshold=0)
refused.ScalarField = ["POINTS", "nothing"]
simple.UpdatePipeline(proxy=refused)
seen["error"] = refused.GetClientSideObject().last_error
seen["left over"] = output(refused, 0).GetNumberOfPoints()
refused.ScalarField = ["POINTS", "psi"]
simple.UpdatePipeline(proxy=refused)
seen["error later"] = refused.GetClientSideObject().last_error
seen["critical points later"] = output(refused, 0).GetNumberOfPoints()

# === an abort that only process 0 sees, and what is chained after it
stopped = simple.SeparatrixMorseSmaleComplex(image, Device="CPU", AutomaticThreshold=0)
stopped.ScalarField = ["POINTS", "psi"]
after = simple.SeparatrixCriticalPoints(simple.OutputPort(stopped, 3), Device="CPU")
made = stopped.GetClientSideObject()
if rank == 0:
    observer = made.AddObserver("ProgressEvent", lambda *_: made.SetAbortExecute(1))
simple.UpdatePipeline(proxy=after)
seen["aborted"] = [output(stopped).GetNumberOfPoints(), output(after).GetNumberOfPoints()]
seen["abort errors"] = [made.last_error, after.GetClientSideObject().last_error]
if rank == 0:
    made.RemoveObserver(observer)
made.SetAbortExecute(0)
stopped.SMProxy.MarkModified(stopped.SMProxy)
simple.UpdatePipeline(proxy=stopped)
seen["critical points after abort"] = output(stopped, 0).GetNumberOfPoints()

# === a mesh that is spread over the processes, with and without ghost cells
path = folder + "/mesh.vtu"
whole = separatrix_vtk.critical_points(read(vtkXMLUnstructuredGridReader(), path), device="cpu")
seen["whole mesh"] = rows_in_order(*points(whole).T, array(whole.GetPointData(), "CriticalType"))
mesh = simple.XMLUnstructuredGridReader(FileName=[path])
for mode in (0, 1):  # cells at a border belong to one process; to all that they touch, as ghosts
    spread = simple.RedistributeDataSet(Input=mesh)
    spread.SMProxy.GetProperty("BoundaryMode").SetElement(0, mode)
    simple.UpdatePipeline(proxy=spread)
    found = simple.SeparatrixCriticalPoints(spread, Device="CPU")
    found.ScalarField = ["POINTS", "f"]
    simple.UpdatePipeline(proxy=found)
    seen[f"error in mode {mode}"] = found.GetClientSideObject().last_error
    seen[f"mesh in mode {mode}"] = (
        rows_in_order(*points(output(found)).T, array(output(found).GetPointData(), "CriticalType"))
        if output(found).GetNumberOfPoints()
        else []
    )

# === points
atoms = simple.SeparatrixMoleculeReader(FileName=folder + "/atoms.xyz")
simple.UpdatePipeline(proxy=atoms)
whole_atoms = separatrix_vtk.read_molecule(folder + "/atoms.xyz")
spread = simple.RedistributeDataSet(Input=atoms)
simple.UpdatePipeline(proxy=spread)
seen["atoms"] = sum(
    leaf.GetNumberOfPoints()
    for leaf in ([output(spread)] if output(spread).IsA("vtkDataSet") else output(spread))
    if leaf
)
alpha = simple.SeparatrixAlphaComplex(spread, Device="CPU", ProbeRadius=1.4)
simple.UpdatePipeline(proxy=alpha)
rips = simple.SeparatrixRipsBarcodes(spread, Device="CPU", MaxDimension=1, Threshold=6.0)
simple.UpdatePipeline(proxy=rips)
density = simple.SeparatrixPointDensity(spread, Device="CPU", Sigma=1.5, Spacing=1.0)
simple.UpdatePipeline(proxy=density)
seen["errors"] = [p.GetClientSideObject().last_error for p in (alpha, rips, density)]
whole = separatrix_vtk.point_density(whole_atoms, device="cpu", sigma=1.5, spacing=1.0)
seen["density"] = output(density).GetNumberOfPoints()
seen["same density"] = is_part_of(output(density), whole, "Density", exact=False)
if rank == 0:
    whole = separatrix_vtk.alpha_complex(whole_atoms, device="cpu", probe=1.4)
    names = ("TotalVolume", "TotalArea", "NumberOfTetrahedra", "Betti2")
    for data, who in ((output(alpha, 4), "alpha"), (whole.atoms, "whole alpha")):
        seen[who] = [data.GetFieldData().GetArray(name).GetTuple1(0) for name in names]
    whole = separatrix_vtk.rips_barcodes(whole_atoms, device="cpu", max_dimension=1, threshold=6.0)
    for data, who in ((output(rips, 3), "rips"), (whole.bars, "whole rips")):
        columns = [array(data.GetRowData(), name) for name in ("Dimension", "Birth", "Death")]
        seen[who] = rows_in_order(*(np.nan_to_num(c, posinf=1e9) for c in columns))
else:
    seen["elsewhere"] = output(alpha, 4).GetNumberOfPoints() + output(rips, 3).GetNumberOfRows()

# === blocks, and what is chained after a filter
both = simple.GroupDatasets(Input=[image, image], BlockNames=["left", "right"])
blocks = simple.SeparatrixCriticalPoints(both, Device="CPU")
blocks.ScalarField = ["POINTS", "psi"]
simple.UpdatePipeline(proxy=blocks)
found = output(blocks)
seen["block error"] = blocks.GetClientSideObject().last_error
seen["blocks"] = [found.GetMetaData(i).Get(found.NAME()) for i in range(2)]
if rank == 0:
    if found.IsA("vtkPartitionedDataSetCollection"):
        seen["of blocks"] = [found.GetPartition(i, 0).GetNumberOfPoints() for i in range(2)]
    else:
        seen["of blocks"] = [found.GetBlock(i).GetNumberOfPoints() for i in range(2)]
chained = simple.SeparatrixCriticalPoints(density, Device="CPU")
simple.UpdatePipeline(proxy=chained)
seen["chain error"] = chained.GetClientSideObject().last_error
seen["chain"] = output(chained).GetNumberOfPoints()  # which the processes divide
if rank == 0:
    whole = separatrix_vtk.point_density(whole_atoms, device="cpu", sigma=1.5, spacing=1.0)
    seen["whole chain"] = separatrix_vtk.critical_points(whole, device="cpu").GetNumberOfPoints()

with open(f"{folder}/{rank}.json", "w", encoding="utf-8") as file:
    json.dump(seen, file)
