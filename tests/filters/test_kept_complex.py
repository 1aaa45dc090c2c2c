"""The complex that a filter caches: a new threshold reuses it, and it is released."""

import gc
import weakref
from functools import partial
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkDataSetAttributes

import separatrix as sx
import separatrix_vtk
from filters.images import array_types, image_with, noise, point_array, updated
from filters.images import run_morse_smale as run
from filters.meshes import boxes, grid_of, named
from filters.point_sets import cloud, polydata_of

VOLUME = noise(6, 7, 8)
LEVEL = 12.0


@pytest.fixture
def computed(monkeypatch):
    """Shapes of the volumes that the engine was given, one each time."""
    shapes = []
    whole = sx.morse_smale

    def noted(values, **how):
        shapes.append(values.shape)
        return whole(values, **how)

    monkeypatch.setattr(sx, "morse_smale", noted)
    return shapes


def test_another_threshold_does_not_read_the_volume_again(computed):
    filter = run(VOLUME)
    stages = {"upload", "gradient", "critical cells"}
    assert stages <= set(filter.report["seconds"])
    counts = []
    for threshold in (1.0, LEVEL, 3.0, 0.0):
        filter.persistence = threshold
        filter.Update()
        counts.append(sum(filter.report["critical_cells"]))
        assert not stages & set(filter.report["seconds"])
    filter.compute_top_cell_labels = True
    filter.relative = True
    filter.Update()
    assert computed == [VOLUME.shape]
    assert counts[1] < counts[2] < counts[0] < counts[3]


def test_successive_thresholds_give_the_results_of_fresh_runs():
    """Also if a user writes to the labels, and if a threshold cancels nothing."""
    filter = run(VOLUME)
    for threshold in (LEVEL, 2.0, 1e-9, 30.0, 0.0):
        filter.persistence = threshold
        filter.Update()
        alone = run(VOLUME, persistence=threshold)
        for port in range(5):
            one, other = filter.GetOutput(port), alone.GetOutput(port)
            assert array_types(one.GetPointData()) == array_types(other.GetPointData())
            assert array_types(one.GetCellData()) == array_types(other.GetCellData())
        for mine, expected in zip(arrays_of(filter), arrays_of(alone), strict=True):
            np.testing.assert_array_equal(mine, expected)
        for name in ("DescendingManifold", "AscendingManifold", "MorseSmaleManifold"):
            point_array(filter.GetOutput(3), name)[:] = -7


CHANGES = (
    "values", "array", "spacing", "order", "order array", "axes", "marks", "threads", "modified",
    "forgotten",
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_changes_that_affect_the_complex_recompute_it(change, computed):
    image = image_with(VOLUME.copy())
    ranks = np.argsort(np.argsort(VOLUME, axis=None)).astype(np.int32)
    marks = np.zeros(VOLUME.size, np.uint8)
    for name, values in (("ranks", ranks), (vtkDataSetAttributes.GhostArrayName(), marks)):
        image.GetPointData().AddArray(named(values, name))
    how = {"order_array": "ranks", "keep_complex": change != "forgotten"}
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu", persistence=LEVEL, **how)
    updated(filter, image)
    if change == "values":
        image = image_with(VOLUME[::-1].copy())
        filter.SetInputDataObject(image)
    elif change == "array":
        other = image_with(VOLUME + 1, name="other").GetPointData().GetArray("other")
        image.GetPointData().AddArray(other)
        filter.SetInputArrayToProcess(0, 0, 0, 0, "other")
    elif change == "spacing":
        image.SetSpacing(1.0, 2.0, 3.0)
    elif change == "order":
        filter.order = "plateau"
    elif change == "order array":
        filter.order = "array"
    elif change == "axes":
        filter.periodic = "x"
    elif change == "marks":
        array = image.GetPointData().GetArray(vtkDataSetAttributes.GhostArrayName())
        array.SetValue(100, vtkDataSetAttributes.HIDDENPOINT)
        array.Modified()
        image.Modified()
    elif change == "forgotten":
        filter.persistence = 1.0
    elif change == "threads":
        filter.threads = 1
    else:
        point_array(image, "field")[:] = VOLUME[:, ::-1].reshape(-1)
        image.GetPointData().GetArray("field").Modified()
        image.Modified()
    filter.Update()
    assert filter.last_error == ""
    assert len(computed) == 2


def test_the_cached_complex_is_released_with_its_input_and_its_filter(monkeypatch):
    kept = []
    whole = sx.morse_smale

    def noted(*given, **how):
        # The one before is gone by now: two never share the device's memory.
        assert [alive for alive in kept if alive() is not None] == []
        complex = whole(*given, **how)
        kept.append(weakref.ref(complex))
        return complex

    monkeypatch.setattr(sx, "morse_smale", noted)
    filter = run(VOLUME, persistence=LEVEL)
    assert kept[0]() is not None
    filter.SetInputDataObject(image_with(noise(4, 5, 6)))
    filter.Update()
    gc.collect()
    assert (kept[0](), len(kept)) == (None, 2)
    del filter
    gc.collect()
    assert kept[1]() is None


def arrays_of(filter: Any) -> list[np.ndarray]:
    """Every array of numbers of every output, as VTK lets others write to it."""
    found = []
    for port in range(filter.GetNumberOfOutputPorts()):
        output = filter.GetOutputDataObject(port)
        for kind in (vtkDataObject.POINT, vtkDataObject.CELL, vtkDataObject.ROW):
            if (data := output.GetAttributesAsFieldData(kind)) is not None:
                found += [data.GetArray(i) for i in range(data.GetNumberOfArrays())]
        if output.IsA("vtkPointSet") and output.GetNumberOfPoints():
            found.append(output.GetPoints().GetData())
    return [vtk_to_numpy(array) for array in found]


@pytest.mark.parametrize("kind", ["image", "mesh", "atoms"])
def test_writing_to_an_output_does_not_change_the_cached_complex(kind):
    if kind == "atoms":
        of_balls = {"alpha": 1.0, "radius_source": "constant"}
        make, given = partial(separatrix_vtk.AlphaComplex, **of_balls), polydata_of(cloud(60))
    else:
        make = partial(separatrix_vtk.MorseSmaleComplex, compute_persistence_pairs=True)
        given = image_with(VOLUME.copy()) if kind == "image" else grid_of(*boxes(3))
    inputs = [given.GetPointData().GetArray(0)] if kind != "atoms" else []
    inputs += [given.GetPoints().GetData()] if kind != "image" else []
    found = []
    for writes in (False, True):
        filter = make(device="cpu")
        filter.SetInputDataObject(given)
        filter.Update()
        for array in arrays_of(filter) if writes else []:
            if not any(np.shares_memory(array, vtk_to_numpy(own)) for own in inputs):
                array[...] = 0
        filter.Modified()
        filter.Update()
        assert filter.last_error == ""
        found.append([array.tolist() for array in arrays_of(filter)])
    assert found[0] == found[1]
