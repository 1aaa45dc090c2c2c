"""Arrays of xarray are placed by the names and the coordinates of their axes."""

import numpy as np
import pytest
import xarray

import separatrix as sx
import separatrix_vtk

VALUES = np.random.default_rng(5).random((4, 5, 6))
PLACES = {"z": 6 + 3.0 * np.arange(4), "y": 5 + 2.0 * np.arange(5), "x": 4 + np.arange(6.0)}
LABELED = xarray.DataArray(VALUES, dims=("z", "y", "x"), coords=PLACES, name="density")
FORMS = {
    "zyx": LABELED,
    "xyz": LABELED.transpose("x", "y", "z"),
    "yxz": LABELED.transpose("y", "x", "z"),
    "descending": LABELED[:, ::-1],
}


def by_place(position: np.ndarray) -> np.ndarray:
    return position[np.lexsort(np.asarray(position).T)]


@pytest.mark.parametrize("form", FORMS)
def test_the_places_of_critical_cells_do_not_depend_on_the_order_of_the_axes(form):
    plain = sx.morse_smale(VALUES, spacing=(1, 2, 3), origin=(4, 5, 6), device="cpu")
    found = sx.morse_smale(FORMS[form], device="cpu")
    expected = by_place(plain.critical.position)
    np.testing.assert_allclose(by_place(found.critical.position), expected)
    assert found.segmentation("ascending").shape == FORMS[form].shape
    image = separatrix_vtk.critical_points(FORMS[form], device="cpu")
    ends = np.column_stack([expected.min(axis=0), expected.max(axis=0)])
    assert image.GetBounds() == pytest.approx(ends.ravel())


def test_the_place_may_be_specified_instead_and_steps_must_be_even():
    uneven = LABELED.assign_coords(x=np.arange(6.0) ** 2)
    with pytest.raises(
        sx.InputError, match=r"evenly spaced along x; got steps from 1 to 9\. Inter"
    ):
        sx.morse_smale(uneven)
    assert sx.morse_smale(uneven, spacing=(2, 2, 2)).domain.spacing == (2, 2, 2)
    flat = xarray.DataArray(VALUES[0], dims=("lat", "lon"), coords={"lat": [50, 40, 30, 20, 10]})
    grid = sx.discrete_gradient(flat, device="cpu").domain
    assert (grid.spacing, grid.origin[1], grid.direction[4]) == ((1, 10, 1), 50, -1)
