"""Options of filters: VTK methods, attributes, misspelled names, invalid values, pickling."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase

import separatrix as sx
import separatrix_vtk
from filters.images import image_with, noise
from separatrix.options import option, options_of
from separatrix_vtk.base.properties import panel_sentence, vtk_name

FILTERS = ("MorseSmaleComplex", "CriticalPoints", "DiscreteGradient", "PersistenceDiagram")


def made(name: str = "MorseSmaleComplex", **settings: Any) -> Any:
    return getattr(separatrix_vtk, name)(**settings)


@pytest.mark.parametrize("name", FILTERS)
def test_every_setting_has_its_default_setter_and_getter(name: str):
    filter = made(name)
    expected = {one: vtk_name(one) for one in options_of(type(filter)) if one != "array"}
    assert {"Device", "NumberOfThreads", "DeviceMemoryLimit"} <= set(expected.values())
    for option_name, stem in expected.items():
        assert getattr(filter, option_name) == options_of(type(filter))[option_name].default
        default, before = getattr(filter, f"Get{stem}")(), filter.GetMTime()
        getattr(filter, f"Set{stem}")(default)
        assert filter.GetMTime() == before
        changed: Any = "other"  # of an array
        if default is not None:
            changed = 1 - default if default in (0, 1) and stem != "Stride" else default + 1
        getattr(filter, f"Set{stem}")(changed)
        assert getattr(filter, f"Get{stem}")() == changed
        assert filter.GetMTime() > before


def test_flags_can_be_switched_on_and_off():
    filter = made()
    filter.ComputeCriticalPointsOff()
    assert filter.compute_critical_points is False
    filter.ComputeCriticalPointsOn()
    assert filter.GetComputeCriticalPoints() == 1


def test_settings_are_python_properties_and_constructor_keywords():
    filter = made(compute_top_cell_labels=True, threads=3)
    assert filter.GetComputeTopCellLabels() == 1
    assert filter.threads == 3
    filter.compute_top_cell_labels = False
    assert filter.GetComputeTopCellLabels() == 0


def test_every_setter_is_documented():
    for name in FILTERS:
        for one in options_of(getattr(separatrix_vtk, name)).values():
            if one.name not in ("array", "device"):
                text = getattr(made(name), f"Set{vtk_name(one.name)}").__doc__
                assert text.startswith(one.summary.partition("{")[0][:20])


def test_no_option_has_a_name_of_vtks_own():
    for name in separatrix_vtk.__all__:
        owner = getattr(separatrix_vtk, name)
        if isinstance(owner, type) and issubclass(owner, separatrix_vtk.Filter):
            taken = dir(VTKPythonAlgorithmBase)
            assert not set(options_of(owner)) & set(taken)


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
    options = made(device="auto", threads=2, memory_limit=512 * 2**20).engine_options()
    assert options["device"] is None
    assert options["threads"] == 2
    assert options["memory_limit"] == 512 * 2**20
    options = made().engine_options()
    assert (options["threads"], options["memory_limit"]) == (None, None)


DEVICES = "device must be 'auto', 'cpu', 'cuda', or 'cuda:N'; got "
THREADS = "threads must be an integer from 1 to 1,024 or None; got "
SIZES = "dimensions must be 3 values (each a non-negative integer) or None; got "
INVALID: dict[str, list[tuple[str, Any, str]]] = {
    "MorseSmaleComplex": [
        ("device", "gpu", DEVICES + "'gpu'. Did you mean 'cpu'?"),
        ("device", "cpu:1", DEVICES + "'cpu:1'. Did you mean 'cpu'?"),
        ("device", 3, DEVICES + "3."),
        ("threads", -1, THREADS + "-1."),
        ("threads", 1.5, THREADS + "1.5."),
        ("threads", "2", THREADS + "'2'."),
        ("compute_graph", "no", "compute_graph must be True or False; got 'no'."),
        ("compute_graph", 2, "compute_graph must be True or False; got 2."),
        ("persistence", -1.0, "persistence must be a non-negative number; got -1.0."),
        ("persistence", math.nan, "persistence must be a non-negative number; got nan."),
        ("order", "random", "order must be 'index', 'plateau', or 'array'; got 'random'."),
        ("relative", 2, "relative must be True or False; got 2."),
        (
            "region_table",
            True,
            "region_table must be 'none', 'descending', 'ascending', or 'morse_smale'; got True.",
        ),
    ],
    "NeighborStatistics": [
        ("number_of_neighbors", 0, "number_of_neighbors must be a positive integer; got 0."),
        ("radius", -1.0, "radius must be a non-negative number or None; got -1.0."),
    ],
    "PointDensity": [
        ("sigma", -1.0, "sigma must be a positive number or None; got -1.0."),
        ("sigma", math.nan, "sigma must be a positive number or None; got nan."),
        ("padding", -2.0, "padding must be a non-negative number or None; got -2.0."),
        ("dimensions", (3, 4), SIZES + "(3, 4)."),
        ("dimensions", (3, 4, 0.5), SIZES + "(3, 4, 0.5)."),
        ("dimensions", (3, -4, 5), SIZES + "(3, -4, 5)."),
        ("dimensions", "345", SIZES + "'345'."),
        ("bounds", 3.0, "bounds must be 6 values (each a number); got 3.0."),
        ("kernel", "box", "kernel must be 'gaussian' or 'wendland'; got 'box'."),
    ],
}


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_value_is_rejected_where_it_is_set(name: str):
    for setting, value, sentence in INVALID[name]:
        with pytest.raises(sx.InputError) as raised:
            setattr(made(name), setting, value)
        assert str(raised.value) == sentence


def test_a_misspelled_option_is_rejected_with_the_right_one():
    filter = made()
    with pytest.raises(AttributeError, match="no option 'devcie'; did you mean 'device'"):
        filter.devcie = "cpu"
    with pytest.raises(AttributeError, match="'Compute_Critical_Points'; did you mean 'compute_cr"):
        filter.Compute_Critical_Points = True
    with pytest.raises(AttributeError, match="no option 'zzz'"):
        filter.zzz = 1
    with pytest.raises(AttributeError, match="no option 'SetDevice'"):
        filter.SetDevice = "cpu"
    with pytest.raises(TypeError, match="no option 'color'"):
        made(color="red")


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("through", ["pickle", "copy", "deepcopy"])
def test_a_filter_is_copied_and_pickled_by_its_class_and_settings(name: str, through: str):
    filter = made(name, device="cuda:1", threads=3)
    filter.STRICT = True
    filter.SetInputArrayToProcess(0, 0, 0, 1, "density")
    filter.SetInputDataObject(image_with(noise(3, 3, 3)))
    if through == "pickle":
        again = pickle.loads(pickle.dumps(filter))
    else:
        again = getattr(copy, through)(filter)
    assert type(again) is type(filter)
    assert (again.device, again.threads, again.STRICT) == ("cuda:1", 3, True)
    assert again.GetNumberOfInputConnections(0) == 0
    chosen = again.GetInputArrayInformation(0)
    keys = filter.GetOutputPortInformation(0)  # any information, to reach the keys' home
    assert keys is not None
    assert pickle.dumps(again) == pickle.dumps(filter)
    assert chosen is not None


def test_a_pickled_filter_computes_the_same():
    filter = made(device="cpu", compute_morse_smale_segmentation=False)
    again = pickle.loads(pickle.dumps(filter))
    for one in (filter, again):
        one.SetInputDataObject(image_with(noise(4, 4, 4)))
        one.Update()
    assert (
        again.GetOutput(3).GetPointData().GetNumberOfArrays()
        == filter.GetOutput(3).GetPointData().GetNumberOfArrays()
        == 3
    )


class Named(separatrix_vtk.CriticalPoints):
    """A filter with two more options."""

    label: str = option(default="x", group="Output", summary="A text.")
    scale: float = option(default=1.0, group="Output", summary="A factor.")


def test_a_subclass_with_options_of_its_own_gets_their_methods():
    filter = Named(device="cpu", label="y")
    filter.SetScale(2)
    assert (filter.GetLabel(), filter.GetScale(), filter.GetDevice()) == ("y", 2.0, 1)
    filter.SetInputDataObject(image_with(noise(3, 3, 3)))
    filter.Update()
    assert filter.GetOutput().GetNumberOfPoints() > 0


def test_a_panel_names_options_and_values_by_their_titles():
    kind = separatrix_vtk.NeighborStatistics
    with pytest.raises(sx.InputError) as rejected:
        kind(critical_kind="peaks")
    assert panel_sentence(kind, rejected.value) == (
        "Critical Kind must be 'All', 'Minima', '1-Saddles', '2-Saddles', or 'Maxima'; got 'peaks'."
    )
    missing = separatrix_vtk.FilterError("critical_kind", "a kind of the points", "maxima")
    assert panel_sentence(kind, missing) == (
        "Critical Kind must be a kind of the points; got 'Maxima'."
    )
    mode = sx.InputError("relative", "left out", True)
    assert panel_sentence(separatrix_vtk.MorseSmaleComplex, mode) == (
        "Threshold Mode must be left out; got 'Fraction Of Range'."
    )
