"""Alpha complexes of weighted points, whose weights have any sign."""

import numpy as np
import pytest

import separatrix as sx
from engine.test_alpha_complex import agree, crowds, same_tables, simplices_of
from oracles.alpha import weighted_alpha_complex

RANDOM = np.random.default_rng(19)
POINTS = RANDOM.integers(0, 4000, (200, 3)) / 1000
RADII = RANDOM.integers(100, 600, 200) / 1000
WEIGHTS = RANDOM.integers(-1_000_000, 1_000_000, 200) / 1e6


@pytest.mark.parametrize("method", ["local", "complete"])
def test_the_complex_of_weights_of_any_sign_is_that_of_the_definition(device, method):
    for points, radii, alpha in crowds(19, 100):
        weights = np.array(radii) ** 2 - RANDOM.integers(0, 20)
        complex = sx.alpha_complex(
            np.array(points, float).reshape(-1, 3),
            *(None, alpha),
            weights=weights,
            resolution=1,
            method=method,
            device=device,
        )
        agree(simplices_of(complex), weighted_alpha_complex(points, weights.tolist(), alpha))


@pytest.mark.parametrize("alpha", [-0.05, 0.0, 0.3, np.inf])
def test_weights_are_squared_radii(device, alpha):
    of_radii = sx.alpha_complex(POINTS, RADII, alpha, device=device)
    of_weights = sx.alpha_complex(POINTS, None, alpha, weights=RADII**2, device=device)
    assert same_tables(of_radii, of_weights)
    if alpha < np.inf:
        assert of_radii.volume() == of_weights.volume()


def test_a_constant_may_be_moved_from_the_weights_to_alpha(device):
    complex = sx.alpha_complex(POINTS, None, 0.5, weights=WEIGHTS, device=device)
    other = sx.alpha_complex(POINTS, None, 2.5, weights=WEIGHTS - 2.0, device=device)
    assert complex.counts == other.counts
    assert complex.betti == other.betti
    assert complex.hidden.tolist() == other.hidden.tolist()
    assert complex.volume() == pytest.approx(other.volume(), rel=1e-12)
    assert len(complex.pockets()) == len(other.pockets())
    for own, moved in ((complex.vertices, other.vertices), (complex.tets, other.tets)):
        np.testing.assert_array_equal(sx.to_host(own.simplices), sx.to_host(moved.simplices))
        values = (sx.to_host(table.alpha_value) for table in (own, moved))
        np.testing.assert_allclose(next(values) + 2.0, next(values), rtol=0, atol=1e-12)


def test_all_values_of_negative_weights_equal_gudhis():
    gudhi = pytest.importorskip("gudhi")
    points, weights = np.rint(POINTS * 1000), np.rint((WEIGHTS - 1.0) * 1e6)
    complex = sx.alpha_complex(points, None, np.inf, weights=weights, resolution=None)
    tree = gudhi.AlphaComplex(points=points, weights=weights, precision="exact")
    tree = tree.create_simplex_tree()
    expected = {tuple(sorted(simplex)): value for simplex, value in tree.get_simplices()}
    found = {simplex: value for simplex, (value, *_) in simplices_of(complex).items()}
    assert found.keys() == expected.keys()
    values = np.array([(found[simplex], expected[simplex]) for simplex in expected])
    np.testing.assert_allclose(*values.T, rtol=1e-12, atol=1e-6)


@pytest.mark.parametrize("box", [None, (5.0, 5.0, 5.0)])
def test_frames_have_the_complexes_of_their_weights(device, box):
    frames = np.stack([POINTS, POINTS + [0.3, 0.0, 0.1]])
    given = {"weights": WEIGHTS, "box": box, "device": device}
    for frame, found in zip(frames, sx.alpha_complexes(frames, None, 0.5, **given), strict=True):
        assert same_tables(found, sx.alpha_complex(frame, None, 0.5, **given))


def test_weights_are_copied(device):
    weights = WEIGHTS.copy()
    complex = sx.alpha_complex(POINTS, None, 0.5, weights=weights, device=device)
    weights[:] = 0.0
    expected = sx.alpha_complex(POINTS, None, 0.5, weights=WEIGHTS, device=device)
    assert len(complex.pockets()) == len(expected.pockets())
    assert complex.hidden.tolist() == expected.hidden.tolist()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"weights": None}, "radii must be real numbers; got None. Alternatively, set weights."),
        (
            {"radii": RADII, "weights": WEIGHTS},
            "radii and weights cannot be combined. Omit one of them.",
        ),
        (
            {"weights": WEIGHTS, "probe": 1.4},
            "probe must be 0 if weights are given; got 1.4. Use radii instead.",
        ),
        (
            {"weights": np.where(np.arange(200) == 3, np.nan, 1.0)},
            "weights must be finite; got weights[3] = nan (1 invalid value). Remove these balls or "
            "assign a weight.",
        ),
        (
            {"weights": np.full(200, -1e10)},
            "weights must be less than 2^52 squared steps of the fixed-point grid in magnitude; "
            "got weights[0] = -1e+10 at a resolution of 0.001 (200 invalid values). Choose a "
            "larger resolution.",
        ),
        (
            {"weights": WEIGHTS[:5]},
            "weights must be an array of shape (200,), one weight per point; got shape (5,).",
        ),
    ],
)
def test_invalid_weights_are_rejected(given, text):
    with pytest.raises(sx.InputError) as raised:
        sx.alpha_complex(POINTS, **given)
    assert str(raised.value) == text


def test_pockets_of_weights_have_no_probe():
    complex = sx.alpha_complex(POINTS, None, 0.5, weights=WEIGHTS)
    with pytest.raises(sx.InputError, match=r"probe must be 0 if weights are given; got 1\.4\."):
        complex.pockets(probe=1.4)
