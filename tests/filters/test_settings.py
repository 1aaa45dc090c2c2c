"""Settings: VTK's setters, Python's properties, misspelled names, bad values, pickling."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import separatrix_vtk
from filters.images import image_with, noise
from separatrix_vtk.base.settings import settings_of

FILTERS = ("MorseSmaleComplex", "CriticalPoints", "DiscreteGradient", "PersistenceDiagram")
SETTERS = {
    "MorseSmaleComplex": {
        "PersistenceThreshold": 0,
        "ThresholdMode": 0,
        "Order": 0,
        "ComputeSaddleConnectors": 1,
        "SmoothingIterations": 0,
        "ComputeSimplifiedField": 0,
        "ComputeGraph": 1,
        "ComputePersistencePairs": 1,
        "RegionTable": 0,
        "KeepComplex": 1,
        "ComputeCriticalPoints": 1,
        "ComputeDescendingSeparatrices1": 1,
        "ComputeAscendingSeparatrices1": 1,
        "ComputeDescendingSeparatrices2": 0,
        "ComputeAscendingSeparatrices2": 0,
        "ComputeAscendingSegmentation": 1,
        "ComputeDescendingSegmentation": 1,
        "ComputeFinalSegmentation": 1,
        "ComputeTopCellLabels": 0,
    },
    "CriticalPoints": {"Method": 0},
    "DiscreteGradient": {"Stride": 1},
    "PersistenceDiagram": {
        "ComputeDimension0": 1,
        "ComputeDimension1": 1,
        "ComputeDimension2": 1,
        "ShowZeroPersistence": 0,
        "ShowInsideDomain": 0,
        "Order": 0,
    },
}
SHARED = {
    "Device": 0, "DeviceIndex": 0, "NumberOfThreads": 0, "DeviceMemoryLimit": 0,
    "Tetrahedralize": 0, "OnDuplicates": 0,
}  # fmt: skip


def made(name: str = "MorseSmaleComplex", **settings: Any) -> Any:
    return getattr(separatrix_vtk, name)(**settings)


@pytest.mark.parametrize("name", FILTERS)
def test_every_setting_has_its_default_setter_and_getter(name: str):
    filter = made(name)
    expected = {**SETTERS[name], **SHARED}
    for stem, default in expected.items():
        assert getattr(filter, f"Get{stem}")() == default
        before = filter.GetMTime()
        getattr(filter, f"Set{stem}")(default)
        assert filter.GetMTime() == before
        changed = 1 - default if default in (0, 1) and stem != "Stride" else default + 1
        getattr(filter, f"Set{stem}")(changed)
        assert getattr(filter, f"Get{stem}")() == changed
        assert filter.GetMTime() > before
    assert {setting.name for setting in settings_of(type(filter)).values()} == set(expected)


def test_flags_can_be_switched_on_and_off():
    filter = made()
    filter.ComputeCriticalPointsOff()
    assert filter.compute_critical_points is False
    filter.ComputeCriticalPointsOn()
    assert filter.GetComputeCriticalPoints() == 1


def test_settings_are_python_properties_and_constructor_keywords():
    filter = made(compute_top_cell_labels=True, number_of_threads=3)
    assert filter.GetComputeTopCellLabels() == 1
    assert filter.number_of_threads == 3
    filter.compute_top_cell_labels = False
    assert filter.GetComputeTopCellLabels() == 0


def test_every_setting_is_documented_with_one_line():
    for name in FILTERS:
        for setting in settings_of(getattr(separatrix_vtk, name)).values():
            assert len(setting.documentation) > 15
            assert getattr(made(name), f"Set{setting.name}").__doc__ == setting.documentation


def test_settings_of_one_filter_are_not_those_of_another():
    one, other = made(), made()
    one.device = "cpu"
    assert other.device == "auto"


@pytest.mark.parametrize(
    ("given", "device", "number", "index"),
    [
        ("auto", "auto", 0, 0),
        ("cpu", "cpu", 1, 0),
        ("cuda", "cuda", 2, 0),
        ("cuda:1", "cuda:1", 2, 1),
        (0, "auto", 0, 0),
        (1, "cpu", 1, 0),
        (2, "cuda", 2, 0),
    ],
)
def test_the_device_is_a_text_or_paraviews_number(given: Any, device: str, number: int, index: int):
    filter = made()
    filter.SetDevice(given)
    assert (filter.device, filter.GetDevice(), filter.GetDeviceIndex()) == (device, number, index)


def test_paraview_sets_device_and_index_in_any_order():
    for calls in (("SetDevice", "SetDeviceIndex"), ("SetDeviceIndex", "SetDevice")):
        filter = made()
        for call in calls:
            getattr(filter, call)(2 if call == "SetDevice" else 1)
        assert filter.device == "cuda:1"
        assert filter.engine_options()["device"] == "cuda:1"


def test_a_choice_is_a_text_or_paraviews_number():
    filter = made()
    filter.SetOrder(1)
    assert (filter.order, filter.GetOrder()) == ("plateau", 1)
    filter.order = "index"
    assert filter.GetOrder() == 0
    before = filter.GetMTime()
    filter.SetOrder("index")
    assert filter.GetMTime() == before


def test_a_text_decides_about_the_index_too():
    filter = made(device="cuda:1")
    filter.device = "cuda"
    assert filter.device == "cuda"


def test_the_engine_gets_the_settings_in_its_own_units():
    options = made(device="auto", number_of_threads=2, device_memory_limit=512).engine_options()
    assert options["device"] is None
    assert options["threads"] == 2
    assert options["memory_limit"] == 512 * 2**20
    options = made().engine_options()
    assert (options["threads"], options["memory_limit"]) == (None, None)


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("device", "gpu", 'device is "auto" (0), "cpu" (1), "cuda" (2) or "cuda:N"; \'gpu\' came'),
        (
            "device",
            "cpu:1",
            'device is "auto" (0), "cpu" (1), "cuda" (2) or "cuda:N"; \'cpu:1\' came',
        ),
        ("device", 3, 'device is "auto" (0), "cpu" (1), "cuda" (2) or "cuda:N"; 3 came'),
        ("number_of_threads", -1, "number_of_threads must be at least 0; -1 came"),
        ("number_of_threads", 1.5, "number_of_threads takes a whole number; 1.5 came"),
        ("number_of_threads", "2", "number_of_threads takes a whole number; '2' came"),
        ("compute_critical_points", "no", "compute_critical_points takes True or False; 'no' came"),
        ("compute_critical_points", 2, "compute_critical_points takes True or False; 2 came"),
        ("persistence_threshold", -1.0, "persistence_threshold must be at least 0; -1.0 came"),
        ("persistence_threshold", float("nan"), "persistence_threshold takes a float; nan came"),
        ("order", "random", 'order is "index" (0) or "plateau" (1); \'random\' came'),
        ("threshold_mode", 2, 'threshold_mode is "absolute" (0) or "relative" (1); 2 came'),
        (
            "region_table",
            True,
            'region_table is "none" (0) or "descending" (1) or "ascending" (2) or '
            '"morse_smale" (3); True came',
        ),
    ],
)
def test_a_value_that_cannot_be_is_refused_where_it_is_set(setting: str, value: Any, sentence: str):
    filter = made()
    with pytest.raises(separatrix_vtk.FilterError) as told:
        setattr(filter, setting, value)
    assert str(told.value) == sentence


def test_a_misspelled_setting_is_refused_with_the_right_one():
    filter = made()
    with pytest.raises(AttributeError, match="no setting 'devcie'; did you mean 'device'"):
        filter.devcie = "cpu"
    with pytest.raises(AttributeError, match="'Compute_Critical_Points'; did you mean 'compute_cr"):
        filter.Compute_Critical_Points = True
    with pytest.raises(AttributeError, match="no setting 'zzz'; settings: device, device_index"):
        filter.zzz = 1
    with pytest.raises(AttributeError, match="no setting 'SetDevice'"):
        filter.SetDevice = "cpu"
    with pytest.raises(AttributeError, match="no setting 'color'"):
        made(color="red")


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("through", ["pickle", "copy", "deepcopy"])
def test_a_filter_is_copied_and_pickled_by_its_class_and_settings(name: str, through: str):
    filter = made(name, device="cuda:1", number_of_threads=3)
    filter.STRICT = True
    filter.SetInputArrayToProcess(0, 0, 0, 1, "density")
    filter.SetInputDataObject(image_with(noise(3, 3, 3)))
    if through == "pickle":
        again = pickle.loads(pickle.dumps(filter))
    else:
        again = getattr(copy, through)(filter)
    assert type(again) is type(filter)
    assert (again.device, again.number_of_threads, again.STRICT) == ("cuda:1", 3, True)
    assert again.GetNumberOfInputConnections(0) == 0
    chosen = again.GetInputArrayInformation(0)
    keys = filter.GetOutputPortInformation(0)  # any information, to reach the keys' home
    assert keys is not None
    assert pickle.dumps(again) == pickle.dumps(filter)
    assert chosen is not None


def test_a_pickled_filter_computes_the_same():
    filter = made(device="cpu", compute_final_segmentation=False)
    again = pickle.loads(pickle.dumps(filter))
    for one in (filter, again):
        one.SetInputDataObject(image_with(noise(4, 4, 4)))
        one.Update()
    assert (
        again.GetOutput(3).GetPointData().GetNumberOfArrays()
        == filter.GetOutput(3).GetPointData().GetNumberOfArrays()
        == 3
    )


def test_a_subclass_with_settings_of_its_own_gets_their_methods():
    from separatrix_vtk.base.settings import Setting

    class Named(separatrix_vtk.CriticalPoints):
        label = Setting("x", "a text that tells nothing", name="Label")
        scale = Setting(1.0, "a factor without a unit", name="Scale")

    filter = Named(device="cpu", label="y")
    filter.SetScale(2)
    assert (filter.GetLabel(), filter.GetScale(), filter.GetDevice()) == ("y", 2.0, 1)
    filter.SetInputDataObject(image_with(noise(3, 3, 3)))
    filter.Update()
    assert filter.GetOutput().GetNumberOfPoints() > 0
