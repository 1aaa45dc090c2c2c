"""AlphaComplex: sources of radii, selection of atoms, caching, and errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonCore import vtkStringArray
from vtkmodules.vtkIOChemistry import vtkPDBReader

import separatrix as sx
import separatrix_vtk
from filters.images import cell_array as cells
from filters.images import message_window
from filters.images import point_array as points
from filters.point_sets import molecule_of, polydata_of, table_of
from filters.test_alpha_complex import field, found, soup
from separatrix_vtk.io.molecules.elements import radii_of

CRAMBIN = Path(__file__).resolve().parents[2] / "sample_data" / "1crn.pdb"
CENTERS = np.array([[0.0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]])
ELEMENTS = np.array([6, 7, 8, 16])
BONDI = np.array([1.70, 1.55, 1.52, 1.80])


def radii_in(data: Any, **settings: Any) -> np.ndarray:
    return points(separatrix_vtk.alpha_complex(data, device="cpu", **settings).atoms, "BallRadius")


def refused(data: Any, **settings: Any) -> str:
    with pytest.raises((separatrix_vtk.FilterError, sx.InputError)) as reported:
        separatrix_vtk.alpha_complex(data, device="cpu", **settings)
    return str(reported.value)


# === radii
@pytest.mark.parametrize("name", ["atom_type", "Atomic Numbers", "AtomicNumber"])
def test_elements_have_bondis_radii(name):
    data = polydata_of(CENTERS, **{name: ELEMENTS})
    np.testing.assert_array_equal(radii_in(data), BONDI)


def test_a_molecule_and_a_table_are_accepted():
    np.testing.assert_array_equal(radii_in(molecule_of(CENTERS, ELEMENTS)), BONDI)
    table = table_of(x=CENTERS[:, 0], y=CENTERS[:, 1], z=CENTERS[:, 2], radius=BONDI + 1)
    np.testing.assert_array_equal(radii_in(table), BONDI + 1)


def test_an_array_of_radii_takes_precedence_over_elements_by_default():
    data = polydata_of(CENTERS, atom_type=ELEMENTS, radius=np.arange(1.0, 5), big=np.full(4, 9.0))
    np.testing.assert_array_equal(radii_in(data), np.arange(1.0, 5))
    np.testing.assert_array_equal(radii_in(data, radius="big"), np.full(4, 9.0))
    np.testing.assert_array_equal(radii_in(data, radius_source="elements"), BONDI)
    np.testing.assert_array_equal(radii_in(data, radius=2.5), np.full(4, 2.5))
    np.testing.assert_array_equal(radii_in(data, radius=np.full(4, 0.2)), np.full(4, 0.2))
    unknown = polydata_of(CENTERS, atom_type=np.array([6, 0, 0, 6]))
    assert radii_in(unknown, radius_overrides="X=1.3").tolist() == [1.7, 1.3, 1.3, 1.7]
    changed = radii_in(data, radius_overrides="S=2, C=1.5")
    np.testing.assert_array_equal(changed, [1.5, 1.55, 1.52, 2.0])
    other = polydata_of(CENTERS, numbers=ELEMENTS)
    named = radii_in(other, radius_source="elements", element_array="numbers")
    np.testing.assert_array_equal(named, BONDI)


def test_atoms_of_vtks_pdb_reader_have_the_radii_of_their_elements():
    reader = vtkPDBReader()
    reader.SetFileName(str(CRAMBIN))
    reader.Update()
    for port in (0, 1):
        data = reader.GetOutputDataObject(port)
        outputs = separatrix_vtk.alpha_complex(data, device="cpu")
        elements = "atom_type" if port == 0 else "Atomic Numbers"
        expected = radii_of(points(outputs.atoms, elements))
        np.testing.assert_array_equal(points(outputs.atoms, "BallRadius"), expected)
        assert field(outputs.complex, "NumberOfTetrahedra") == 194
    reported = points(
        separatrix_vtk.alpha_complex(reader.GetOutput(), radius="radius").atoms, "radius"
    )
    assert reported.shape == (327, 3)


@pytest.mark.parametrize("radius", [0.0, -1.0, np.nan, np.inf])
def test_an_invalid_radius_is_reported_with_its_row(radius):
    data = polydata_of(CENTERS, radius=np.array([1.0, 1.0, radius, 1.0]))
    assert f"must be positive and finite; got radius[2] = {radius} (1 inval" in refused(data)


def test_invalid_radii_and_positions_are_rejected():
    assert refused(polydata_of(CENTERS), radius="r") == (
        "The point array 'r' was not found; available: none."
    )
    assert "An array of atomic numbers ('atom_type' or" in refused(
        polydata_of(CENTERS, radius=BONDI), radius_source="elements"
    )
    unknown = refused(polydata_of(CENTERS, atom_type=np.array([6, 0, 0, 6])))
    assert unknown.startswith("The element of atom 1 is unknown (atomic number 0; 2 such atoms).")
    vectors = polydata_of(CENTERS, radius=np.arange(12.0).reshape(4, 3))
    assert "got 3 different components." in refused(vectors)
    assert "element_array 'n'[0] = " in refused(
        polydata_of(CENTERS, n=BONDI), radius_source="elements", element_array="n"
    )
    assert "choose a resolution of" in refused(polydata_of(CENTERS * 1e7, radius=BONDI))
    large = {"alpha": 1e6, "method": "local"}
    assert "a smaller alpha or probe" in refused(polydata_of(CENTERS, radius=BONDI), **large)
    assert refused(polydata_of(np.empty((0, 3)))) == "The input has no points (vtkPolyData)."
    many = polydata_of(*[np.random.default_rng(1).random((500, 3))], radius=np.ones(500))
    assert "work_limit allows 1000 tests" in refused(many, work_limit=1000.0, method="local")


def test_pockets_require_a_larger_alpha():
    reported = refused(
        polydata_of(CENTERS, radius=BONDI), alpha=2.0, largest_alpha=1.0, compute_pockets=True
    )
    assert "largest_alpha must be greater than alpha (2) for pockets; got 1.0." in reported
    assert reported.endswith("add 20 to 60, or omit largest_alpha.")


# === which atoms count
def models(**columns: np.ndarray) -> Any:
    """Two models, one upon the other, the second with an atom of a ligand."""
    places = np.vstack([CENTERS, CENTERS + 0.1])
    return polydata_of(
        places,
        atom_type=np.tile(ELEMENTS, 2),
        model=np.repeat([1, 3], 4),
        is_hetatm=np.array([0, 0, 0, 0, 0, 0, 1, 0]),
        **columns,
    )


def test_the_first_of_several_models_is_used_with_a_warning():
    filter = separatrix_vtk.AlphaComplex(device="cpu")
    warnings = []
    filter.AddObserver("WarningEvent", lambda *_: warnings.append("warned"))
    filter.SetInputDataObject(models())
    with message_window():
        filter.Update()
    assert warnings == ["warned"]
    assert points(filter.GetOutput(4), "AtomId").tolist() == [0, 1, 2, 3]
    filter.model = 3
    filter.Update()
    assert points(filter.GetOutput(4), "AtomId").tolist() == [4, 5, 6, 7]
    filter.use_hetatm = False
    filter.Update()
    assert points(filter.GetOutput(4), "AtomId").tolist() == [4, 5, 7]
    assert points(filter.GetOutput(0), "model").tolist() == [3, 3, 3]
    filter.model = -1
    filter.Update()
    assert len(warnings) == 2  # atoms that are too close
    assert len(points(filter.GetOutput(4), "AtomId")) == 7


def test_an_unknown_model_is_rejected():
    reported = refused(models(), model=2)
    assert reported == "model must be a number of the array 'model' (1, 3); got 2."
    assert "'model' (none); got 1." in refused(polydata_of(CENTERS, radius=BONDI), model=1)


def test_an_empty_selection_is_rejected():
    data = polydata_of(CENTERS, radius=BONDI, ishetatm=np.ones(4))
    assert refused(data, use_hetatm=False) == (
        "All 4 atoms are HETATM records, which are excluded. Set use_hetatm=True."
    )


def test_text_arrays_of_selected_atoms_are_kept():
    names = vtkStringArray()
    names.SetName("name")
    for i in range(8):
        names.InsertNextValue(f"atom {i}")
    data = models()
    data.GetPointData().AddArray(names)
    outputs = separatrix_vtk.alpha_complex(data, device="cpu", model=3, use_hetatm=False)
    texts = outputs.atoms.GetPointData().GetAbstractArray("name")
    assert [texts.GetValue(i) for i in range(3)] == ["atom 4", "atom 5", "atom 7"]


# === what is kept
@pytest.fixture
def computed(monkeypatch):
    """The alphas that the engine was called with."""
    alphas = []
    whole = sx.alpha_complex

    def noted(centers, radii, alpha, **how):
        alphas.append(alpha)
        return whole(centers, radii, alpha, **how)

    monkeypatch.setattr(sx, "alpha_complex", noted)
    return alphas


def made(**settings: Any) -> Any:
    filter = separatrix_vtk.AlphaComplex(device="cpu", **settings)
    centers, radii = soup()
    filter.SetInputDataObject(polydata_of(centers, radius=radii))
    filter.Update()
    assert filter.last_error == ""
    return filter


def test_a_smaller_alpha_is_a_threshold_with_the_result_of_a_fresh_run(computed):
    filter = made(largest_alpha=2.0)
    for alpha in (1.0, -0.5, 1.7, 0.0):
        filter.alpha = alpha
        filter.Update()
        assert "clip" not in filter.report["seconds"]
        values = cells(filter.GetOutput(0), "AlphaValue").copy()
        kinds = cells(filter.GetOutput(0), "Kind").copy()
        alone = found(soup(), alpha=alpha).complex
        np.testing.assert_array_equal(values, cells(alone, "AlphaValue"))
        np.testing.assert_array_equal(kinds, cells(alone, "Kind"))
    assert computed == [2.0, 1.0, -0.5, 1.7, 0.0]  # one, and those alone


def test_a_larger_alpha_is_computed_once_for_the_range_of_the_slider(computed):
    filter = made()
    least, most = filter.GetAlphaRange()
    assert (least, most) == (pytest.approx(-(soup()[1].max() ** 2)), pytest.approx(9.7, 0.1))
    for alpha in (0.5, 3.0, 9.0):
        filter.alpha = alpha
        filter.Update()
        assert computed == [0.0, most]
        alone = made(alpha=alpha)
        for name in ("AlphaValue", "Kind"):
            mine, expected = (cells(one.GetOutput(0), name) for one in (filter, alone))
            np.testing.assert_array_equal(mine, expected)
        assert computed.pop() == alpha
    filter.alpha = 20.0
    filter.Update()
    assert computed == [0.0, most, 20.0]
    local = made(method="local")
    local.alpha = 1.0
    local.Update()
    assert computed[-1] == 1.0


def test_pockets_do_not_depend_on_earlier_runs(computed):
    settings = {"compute_pockets": True, "compute_diagram": True}
    alone = made(**settings)
    filter = made(alpha=60.0)
    filter.alpha, filter.compute_pockets, filter.compute_diagram = 0.0, True, True
    filter.Update()
    for name in ("LargestAlpha", "NumberOfPockets", "PocketVolume"):
        assert filter.report[name] == alone.report[name]
    assert filter.GetOutput(5).GetNumberOfCells() == alone.GetOutput(5).GetNumberOfCells()


@pytest.mark.parametrize("change", ["input", "radius", "probe", "resolution", "forgotten"])
def test_changes_that_affect_the_complex_recompute_it(change, computed):
    filter = made(keep_complex=change != "forgotten")
    if change == "input":
        filter.SetInputDataObject(polydata_of(soup(seed=9)[0], radius=soup()[1]))
    elif change == "radius":
        data = filter.GetInputDataObject(0, 0)
        points(data, "radius")[:] = 1.0
        data.GetPointData().GetArray("radius").Modified()
    elif change != "forgotten":
        setattr(filter, change, 0.1)
    filter.alpha = -0.1
    filter.Update()
    assert len(computed) == 2


# === numbers that overflow or are not finite
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e30])
def test_an_invalid_atomic_number_is_rejected(number):
    data = polydata_of(CENTERS, atom_type=np.array([6.0, number, 8.0, 16.0]))
    assert "must be an array of atomic numbers" in refused(data)


def test_radii_whose_squares_overflow_are_rejected():
    reported = refused(polydata_of(CENTERS, radius=np.full(4, 1e300)))
    assert reported.startswith("radius must be at most")


def test_weights_are_squared_radii_of_any_sign():
    weights = np.array([1.0, -0.3, 0.5, 2.25])
    data = polydata_of(CENTERS, w=weights)
    expected = sx.alpha_complex(CENTERS, None, 0.8, weights=weights, device="cpu")
    for given in (weights, "w"):
        found = separatrix_vtk.alpha_complex(data, 0.8, weights=given, device="cpu")
        assert found.complex.GetNumberOfCells() == sum(expected.counts)
        assert points(found.atoms, "BallRadius").tolist() == [1.0, 0.0, np.sqrt(0.5), 1.5]
        np.testing.assert_array_equal(points(found.atoms, "GrownRadius"), np.sqrt(weights + 0.8))
        areas = sx.to_host(expected.per_ball().area)
        np.testing.assert_array_equal(points(found.atoms, "Area"), areas)


def test_weights_require_the_name_of_their_array_and_exclude_radii_and_a_probe():
    data = polydata_of(CENTERS, w=np.ones(4))
    assert refused(data, radius_source="weights") == (
        "radius_source 'weights' requires the name of an array. Set weights."
    )
    assert refused(data, weights="w", radius=1.0) == (
        "radius and weights cannot be combined. Omit one of them."
    )
    assert refused(data, weights="w", probe=1.4).startswith("probe must be 0 if weights are given")


def test_points_without_radii_have_one_triangulation_for_every_alpha():
    places = np.random.default_rng(6).uniform(0, 1, (200, 3))
    filter = separatrix_vtk.AlphaComplex(device="cpu", radius_source="points", compute_diagram=True)
    filter.SetInputData(polydata_of(places))
    whole = sx.alpha_complex(places, 0.0, np.inf, resolution=None, device="cpu")
    assert whole.resolution == 2.0**-28
    for alpha in (0.0, 0.003, 0.02, 5.0):
        filter.alpha = alpha
        filter.Update()
        assert filter.last_error == ""
        expected = whole.at(alpha)
        grid, report = filter.GetOutput(0), filter.report
        assert grid.GetNumberOfCells() == sum(expected.counts)
        assert [report[f"Betti{d}"] for d in range(3)] == list(expected.betti)
        assert report["TotalVolume"] == expected.volume()
        assert ("stars" in report["seconds"]) == (alpha == 0.0)
    low, high = filter.GetAlphaRange()
    assert low == 0.0
    assert np.mean(whole.tets.alpha_value <= high) >= 0.99
    diagram = filter.GetOutput(5)
    assert diagram.GetNumberOfCells() == len(whole.persistence_diagram()) + 1
