"""Options of levels: sources of surfaces and lines, relative levels, and invalid values."""

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import complex_of
from oracles.mesh_fields import delaunay

VALUES = np.random.default_rng(71).random((20, 21, 22))


def complex_on(domain: str, level: float, device: str) -> sx.MorseSmaleComplex:
    if domain == "image":
        return sx.morse_smale(VALUES, persistence=level, device=device)
    random = np.random.default_rng(3)
    mesh = delaunay(random, 60, 3, 1.0)
    return complex_of(*mesh, random.random(60), device=device).simplify(level)


@pytest.mark.parametrize("domain", ["image", "mesh"])
@pytest.mark.parametrize("kind", ["descending", "ascending"])
@pytest.mark.parametrize("level", [0.0, 0.3])
def test_surfaces_of_chosen_saddles_are_those_among_all(device, level, kind, domain):
    found = complex_on(domain, level, device)
    rows = found.critical.rows(2 if kind == "descending" else 1)
    chosen = np.arange(rows.start, rows.stop)[::7][::-1]
    whole = found.separatrices(2, kind)
    here = np.isin(sx.to_host(whole.source), chosen)
    some = found.separatrices(2, kind, sources=np.concatenate([chosen, chosen[:2]]))
    np.testing.assert_array_equal(sx.to_host(some.source), sx.to_host(whole.source)[here])
    cells, lengths = sx.to_host(whole.cell_id), np.diff(sx.to_host(whole.offsets))
    polygons = sx.to_host(whole.corners)[np.repeat(here, lengths)]
    np.testing.assert_array_equal(
        sx.to_host(some.cell_id)[sx.to_host(some.corners)], cells[polygons]
    )
    np.testing.assert_array_equal(
        sx.to_host(some.polygon_cell_id), sx.to_host(whole.polygon_cell_id)[here]
    )
    assert domain == "mesh" or (np.diff(sx.to_host(some.cell_id)) > 0).all()
    assert found.separatrices(2, kind, sources=[]).corners.shape == (0,)


@pytest.mark.parametrize("domain", ["image", "mesh"])
@pytest.mark.parametrize("kind", ["descending", "ascending", "saddle"])
@pytest.mark.parametrize("level", [0.0, 0.3])
def test_lines_of_chosen_saddles_are_those_among_all(device, level, kind, domain):
    found = complex_on(domain, level, device)
    rows = found.critical.rows(1 if kind == "descending" else 2)
    whole = found.separatrices(1, kind)
    if kind != "saddle":
        lengths = np.diff(sx.to_host(whole.offsets))
        np.testing.assert_array_equal(sx.to_host(found.extremum_arcs(kind).n_points), lengths)
    for chosen in (np.arange(rows.start, rows.stop)[::7], np.empty(0, int)):
        some = found.separatrices(1, kind, sources=chosen)
        ends = whole.destination if kind == "saddle" else whole.source
        here = np.isin(sx.to_host(ends), chosen)
        of_points = np.repeat(here, np.diff(sx.to_host(whole.offsets)))
        for name in ("points", "cell_id", "cell_dimension"):
            expected = sx.to_host(getattr(whole, name))[of_points]
            np.testing.assert_array_equal(sx.to_host(getattr(some, name)), expected)
        for name in ("source", "destination"):
            expected = sx.to_host(getattr(whole, name))[here]
            np.testing.assert_array_equal(sx.to_host(getattr(some, name)), expected)
        old, new = sx.to_host(whole.separatrix)[here], sx.to_host(some.separatrix)
        np.testing.assert_array_equal(new, np.unique(old, return_inverse=True)[1])


def test_a_fraction_of_the_range_is_a_level(device):
    values = (VALUES * 200).astype(np.int8)
    spread = float(values.max()) - float(values.min())
    found = sx.morse_smale(values, persistence=0.25, relative=True, device=device)
    assert found.persistence == 0.25 * spread
    assert found.critical.counts == sx.morse_smale(values).simplify(0.25 * spread).critical.counts
    assert sx.morse_smale(values, relative=True, device=device).persistence == 0


@pytest.mark.parametrize(
    ("level", "relative", "text"),
    [
        (-1, False, "persistence must be a non-negative number; got -1."),
        (float("nan"), False, "persistence must be a non-negative number; got nan"),
        ("1", False, "persistence must be a non-negative number; got '1'"),
        (True, False, "persistence must be a non-negative number; got True"),
        (1.5, True, "a fraction from 0 to 1 if relative=True; got 1.5"),
        (-0.1, True, "persistence must be a non-negative number; got -0.1"),
        (float("nan"), True, "persistence must be a non-negative number; got nan"),
    ],
)
def test_an_invalid_level_is_rejected(level, relative, text):
    with pytest.raises(sx.InputError, match=text):
        sx.morse_smale(VALUES, persistence=level, relative=relative, device="cpu")
    with pytest.raises(sx.InputError, match=text):
        sx.morse_smale(VALUES, device="cpu").simplify(level, relative=relative)


def test_invalid_sources_and_kinds_are_rejected():
    found = sx.morse_smale(VALUES, device="cpu")
    first = found.critical.rows(2).start
    with pytest.raises(sx.InputError, match=rf"rows of 2-saddles in critical \({first} to \d+\)"):
        found.separatrices(2, "descending", sources=[first, 0])
    with pytest.raises(sx.InputError, match="rows of critical cells, integers; got dtype"):
        found.separatrices(2, "descending", sources=[0.5])
    with pytest.raises(sx.InputError, match="sources must be rows of 1-saddles in critical"):
        found.separatrices(1, "descending", sources=[first])
    plane = sx.morse_smale(VALUES[0], device="cpu")
    with pytest.raises(sx.InputError, match=r"rows of 2-saddles in critical \(none\)"):
        plane.separatrices(1, "saddle", sources=[len(plane.critical) - 1])
    with pytest.raises(sx.InputError, match="kind must be one of ascending, descending; got"):
        found.separatrices(2, "saddle")
    with pytest.raises(sx.InputError, match="kind must be one of ascending, descending, saddle"):
        found.separatrices(1, "minimum")
    with pytest.raises(sx.InputError, match=r"1, or 2 for a volume or tetrahedra, for .*; got 3"):
        found.separatrices(3)
    with pytest.raises(
        sx.InputError, match="kind must be one of ascending, descending, morse_smale"
    ):
        found.regions("all")
    with pytest.raises(sx.InputError, match="index must be an integer from 1 to 3; got 4"):
        found.boundary(4)
    with pytest.raises(sx.InputError, match="method must be one of frontier, matrix"):
        found.trace_arcs(method="fast")


def test_values_that_are_not_stored_raise_an_error_if_required():
    found = sx.MorseSmaleComplex(sx.discrete_gradient(VALUES, device="cpu"))
    assert found.simplify(0.2).critical.euler_characteristic == 1
    for ask in (
        lambda: found.simplify(0.1, relative=True),
        lambda: found.regions("descending"),
        lambda: found.simplify(0.2).simplified_field().values,
    ):
        with pytest.raises(sx.InputError, match=r"no longer contains. Create the complex with"):
            ask()
