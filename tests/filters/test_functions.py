"""The filters as functions for VTK and PyVista, and the import time of the package."""

import functools
import inspect
from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkTable

import separatrix as sx
import separatrix_vtk
from filters.images import image_with, message_window, noise, point_array
from filters.point_sets import polydata_of
from separatrix.options import options_of
from separatrix_vtk.generate.stubs import functions_stub

FILTERS = {
    "morse_smale_complex": "MorseSmaleComplex",
    "persistence_diagram": "PersistenceDiagram",
    "critical_points": "CriticalPoints",
    "discrete_gradient": "DiscreteGradient",
    "topological_simplification": "TopologicalSimplification",
    "mesh_relations": "MeshRelations",
    "rips_barcodes": "RipsBarcodes",
    "point_density": "PointDensity",
    "neighbor_statistics": "NeighborStatistics",
    "delaunay": "Delaunay",
    "alpha_complex": "AlphaComplex",
    "read_molecule": "MoleculeReader",
}
REPLACED = {
    *("compute_dimension_0", "compute_dimension_1", "compute_dimension_2"),
    *("radius_array", "constant_radius", "weight_array", "file_name"),
}


def test_a_misspelled_option_is_a_type_error_with_a_suggestion():
    image = image_with(noise(3, 3, 3))
    with pytest.raises(TypeError, match=r"^critical_points\(\) has no option 'devise'; did you"):
        separatrix_vtk.critical_points(image, devise="cpu")
    with pytest.raises(TypeError, match="'persistence_threshold'; did you mean 'persistence'"):
        separatrix_vtk.morse_smale_complex(image, persistence_threshold=1)
    with pytest.raises(TypeError, match=r"^critical_points\(\) has no option 'qqqq'$"):
        separatrix_vtk.critical_points(image, qqqq=1)


def test_the_dimensions_of_a_diagram_are_chosen_as_in_the_engine():
    image = image_with(noise(4, 5, 6))
    outputs = separatrix_vtk.persistence_diagram(image, dimensions=[0, 2], device="cpu")
    kinds = np.asarray(memoryview(outputs.diagram.GetCellData().GetArray("PairType")))
    assert set(kinds.tolist()) == {-1, 0, 2}
    with pytest.raises(sx.InputError, match=r"dimensions must be some of 0, 1, and 2.*; got \[3\]"):
        separatrix_vtk.persistence_diagram(image, dimensions=[3])


@pytest.mark.parametrize("name", FILTERS)
def test_a_function_has_the_options_of_its_filter_with_their_defaults(name):
    function, filter = getattr(separatrix_vtk, name), getattr(separatrix_vtk, FILTERS[name])
    parameters = inspect.signature(function).parameters
    text = inspect.getdoc(function) or ""
    for option in options_of(filter).values():
        if option.pipeline_only or option.name in REPLACED:
            assert option.name not in parameters
            continue
        assert parameters[option.name].default == option.default
        assert f"\n{option.name} : " in text
    assert {"progress", "progress_bar"} <= set(parameters)


def test_missing_and_superfluous_arguments_raise_type_errors():
    with pytest.raises(TypeError, match=r"^critical_points\(\): missing a required argument: 'im"):
        separatrix_vtk.critical_points()
    with pytest.raises(TypeError, match=r"^critical_points\(\): too many positional arguments"):
        separatrix_vtk.critical_points(None, "field", "point")


def test_an_array_is_chosen_by_name_on_points_and_then_on_cells():
    of_cells = image_with(noise(3, 3, 3), cells=True)
    points = separatrix_vtk.critical_points(of_cells, "field", device="cpu")
    assert point_array(points, "field").size > 0
    with pytest.raises(separatrix_vtk.FilterError, match="The point array 'field' was not found"):
        separatrix_vtk.critical_points(of_cells, "field", association="point")
    with pytest.raises(sx.InputError, match="association must be 'point', 'cell', or None; got"):
        separatrix_vtk.critical_points(of_cells, "field", association="vertex")


def test_errors_are_raised_and_not_printed():
    values = noise(3, 3, 3)
    values[0, 0, 0] = np.nan
    with message_window() as window:
        with pytest.raises(sx.InputError, match="finite"):
            separatrix_vtk.morse_smale_complex(image_with(values), device="cpu")
        with pytest.raises(ValueError, match="The point or cell array 'density' was not found"):
            separatrix_vtk.morse_smale_complex(image_with(noise(3, 3, 3)), "density")
        with pytest.raises(
            separatrix_vtk.FilterError, match="image must be an image or a mesh of VTK; got nd"
        ):
            separatrix_vtk.morse_smale_complex(values)
    assert window.GetOutput() == ""


POINTS = np.random.default_rng(5).random((4, 3))
FIELD = noise(3, 3, 3)
IMAGE = image_with(FIELD)
NAMED = "array must be the name of an array or None; got {}. Add the values to the dataset, and "
WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any], str, str]] = [
    ("morse_smale_complex", (IMAGE, FIELD), {}, "array",
     NAMED.format("an array of shape (3, 3, 3)")),
    ("persistence_diagram", (IMAGE, 2.5), {}, "array", NAMED.format("2.5")),
    ("critical_points", (IMAGE, 3), {"association": "point"}, "array", NAMED.format("3")),
    ("critical_points", (IMAGE,), {"progress": 3}, "progress",
     "progress must be callable as progress(fraction, stage); got int."),
    ("critical_points", (IMAGE,), {"progress": "bar", "progress_bar": True}, "progress",
     "progress must be callable as progress(fraction, stage); got str."),
    ("morse_smale_complex", (vtkTable(),), {}, "image", "image must be vtkDataSet; got vtkTable."),
    ("alpha_complex", (vtkImageData(),), {}, "atoms", "atoms must be polygonal data, a grid with"),
    ("alpha_complex", (POINTS,), {}, "", "An array of radii ('radius' or 'Radius' or 'radii' or "
     "'vdw_radius') was not found; available: none. Choose one with radius. For equal radii, set "
     "radius_source='constant' and radius; for points without radii, set radius_source='points'."),
    *(("alpha_complex", (POINTS,), {"radius": one}, "radius",
       f"radius must be a positive number; got {one}.") for one in (-1, 0, True, np.array(-0.5))),
    ("alpha_complex", (POINTS,), {"radius": [1, 1, 0, -1]}, "radius", "radius must be positive and "
     "finite; got radius[2] = 0.0 (2 invalid values)."),
    ("point_density", (POINTS,), {"weights": 3}, "weights",
     "weights must be the name of an array, one number per point, or None; got 3."),
    ("point_density", (POINTS, [1, np.inf, 1, 1]), {}, "weights",
     "weights must be finite; got weights[1] = inf"),
    ("point_density", (polydata_of(POINTS, v=POINTS), "v"), {}, "",
     "The point array 'v' must have one component; got 3."),
    ("neighbor_statistics", (POINTS, 4), {}, "critical_points",
     "critical_points must be points of VTK"),
    ("neighbor_statistics", (POINTS, np.zeros(4)), {}, "critical_points",
     "critical_points must be an array of shape (n, 3)"),
    ("rips_barcodes", (polydata_of(POINTS),), {"columns": ("x",)}, "columns",
     "columns must be omitted for points in a dataset; got ('x',). Only tables and arrays have"),
    ("rips_barcodes", (POINTS,), {"columns": ("x",)}, "",
     "The point array 'x' was not found; available: x0, x1, x2."),
    ("rips_barcodes", (POINTS,), {"distance_matrix": True}, "",
     "A distance matrix must have as many columns as rows; got 3 columns and 4 rows."),
    ("rips_barcodes", (POINTS[0],), {}, "points",
     "points must be an array of shape (n, k); got shape (3,)."),
    ("read_molecule", (None,), {}, "path", "path must be the path of a file; got NoneType."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "options", "parameter", "sentence"), WRONG)
def test_an_error_names_a_parameter_of_the_function(name, arguments, options, parameter, sentence):
    with pytest.raises(sx.InputError) as raised:
        getattr(separatrix_vtk, name)(*arguments, **options)
    assert str(raised.value).startswith(sentence)
    assert raised.value.parameter == parameter
    assert not parameter or parameter in inspect.signature(getattr(separatrix_vtk, name)).parameters


def test_a_number_may_be_an_array_without_dimensions():
    found, expected = (
        separatrix_vtk.morse_smale_complex(IMAGE, persistence=level, threads=threads)[0]
        for level, threads in ((np.array(0.3), np.array(1)), (0.3, 1))
    )
    np.testing.assert_array_equal(point_array(found, "CellId"), point_array(expected, "CellId"))
    with_array = separatrix_vtk.alpha_complex(POINTS, np.array(0.1), radius=np.array(0.5)).atoms
    plain = separatrix_vtk.alpha_complex(POINTS, 0.1, radius=0.5).atoms
    np.testing.assert_array_equal(point_array(with_array, "Area"), point_array(plain, "Area"))


@pytest.mark.filterwarnings("ignore:The input matrix is square and symmetric")
@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_square_array_is_a_distance_matrix_only_on_request(n):
    distances = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) ** 0.5
    for options, given in (
        ({"distance_matrix": True}, {"distances": distances}),
        ({}, {"points": distances}),
    ):
        bars = separatrix_vtk.rips_barcodes(distances, **options).bars
        death = np.asarray(memoryview(bars.GetColumnByName("Death")))
        np.testing.assert_array_equal(death, sx.rips_barcodes(**given).death)


def test_a_function_that_is_not_public_stops_the_generator(monkeypatch):
    hidden = functools.wraps(separatrix_vtk.point_density)(lambda: None)
    hidden.__name__ = "lower_neighbors"
    monkeypatch.setattr(separatrix_vtk.functions, "lower_neighbors", hidden, raising=False)
    with pytest.raises(ValueError, match=r"lower_neighbors: declared in functions\.py, but not"):
        functions_stub()


def test_plain_vtk_input_gives_plain_vtk_output():
    pytest.importorskip("pyvista")
    points = separatrix_vtk.critical_points(image_with(noise(3, 3, 3)))
    assert type(points).__module__.startswith("vtkmodules")


def test_every_public_name_can_be_imported_and_no_other():
    for name in separatrix_vtk.__all__:
        assert getattr(separatrix_vtk, name) is not None
    assert set(separatrix_vtk.__all__) <= set(dir(separatrix_vtk))
    unknown = "MorseSmallComplex"
    with pytest.raises(AttributeError, match="no attribute 'MorseSmallComplex'"):
        getattr(separatrix_vtk, unknown)
