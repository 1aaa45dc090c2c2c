"""Options of filters: VTK methods, attributes, misspelled names, invalid values, pickling."""

import copy
import pickle
import re
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
def test_every_setting_has_its_default_setter_and_getter(name):
    filter = made(name)
    expected = {one: vtk_name(one) for one in options_of(type(filter)) if one != "array"}
    assert {"Device", "NumberOfThreads", "DeviceMemoryLimit"} <= set(expected.values())
    for option_name, stem in expected.items():
        assert getattr(filter, option_name) == options_of(type(filter))[option_name].default
        default, before = getattr(filter, f"Get{stem}")(), filter.GetMTime()
        getattr(filter, f"Set{stem}")(default)
        assert filter.GetMTime() == before
        changed = "other"  # of an array
        if default not in (None, ""):
            changed = 1 - default if default in (0, 1) and stem != "Stride" else default + 1
        getattr(filter, f"Set{stem}")(changed)
        assert getattr(filter, f"Get{stem}")() == changed
        assert filter.GetMTime() > before


def test_flags_can_be_enabled_and_disabled():
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


def test_no_option_has_a_name_that_vtk_uses():
    for name in separatrix_vtk.__all__:
        owner = getattr(separatrix_vtk, name)
        if isinstance(owner, type) and issubclass(owner, separatrix_vtk.Filter):
            taken = dir(VTKPythonAlgorithmBase)
            assert not set(options_of(owner)) & set(taken)


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
def test_the_device_is_a_string_or_a_number_of_paraview(given, device, number, index):
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


def test_a_choice_is_a_string_or_a_number_of_paraview():
    filter = made()
    filter.SetOrder(1)
    assert (filter.order, filter.GetOrder()) == ("plateau", 1)
    filter.order = "index"
    assert filter.GetOrder() == 0
    before = filter.GetMTime()
    filter.SetOrder("index")
    assert filter.GetMTime() == before


def test_a_string_sets_the_device_index():
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


INVALID: list[tuple[str, str, Any, str]] = [
    ("MorseSmaleComplex", "device", "gpu",
     "device must be 'auto', 'cpu', 'cuda', or 'cuda:N'; got 'gpu'. Did you mean 'cpu'?"),
    ("MorseSmaleComplex", "device", 3, "device must be 'auto', 'cpu', 'cuda', or 'cuda:N'; got 3."),
    ("MorseSmaleComplex", "compute_graph", 2, "compute_graph must be True or False; got 2."),
    ("MorseSmaleComplex", "region_table", True, "region_table must be 'none', 'descending', "
     "'ascending', or 'morse_smale'; got True."),
    ("NeighborStatistics", "radius", -1.0,
     "radius must be a non-negative number or None; got -1.0."),
    ("PointDensity", "dimensions", (3, -4, 5), "dimensions must be 3 values (each a non-negative "
     "integer) or None; got (3, -4, 5)."),
]  # fmt: skip


@pytest.mark.parametrize(("filter", "name", "value", "sentence"), INVALID)
def test_an_invalid_value_is_rejected_where_it_is_set(filter, name, value, sentence):
    with pytest.raises(sx.InputError, match=re.escape(sentence)):
        setattr(made(filter), name, value)


def test_a_misspelled_option_is_rejected_with_a_suggestion():
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
def test_a_filter_is_copied_and_pickled_by_its_class_and_settings(name, through):
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


class Named(separatrix_vtk.CriticalPoints):
    """A filter with two more options."""

    label: str = option(default="x", group="Output", summary="A text.")
    scale: float = option(default=1.0, group="Output", summary="A factor.")


def test_a_subclass_with_its_own_options_gets_their_methods():
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
    mode = sx.InputError("relative", "omitted", True)
    assert panel_sentence(separatrix_vtk.MorseSmaleComplex, mode) == (
        "Threshold Mode must be omitted; got 'Fraction Of Range'."
    )
