"""Arcs and connectors equal enumerated V-paths, for both methods and on any device."""

import builtins
from collections import Counter
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.image_complexes import METHODS, expected_arcs, table_of
from oracles.everything import LINE_COLUMNS, assert_same_bits
from oracles.lower_star import image_gradient
from separatrix.device import Session
from separatrix.morse.connectors.minor import MULTIPLICITY_LIMIT, Minor, count_paths
from separatrix.morse.connectors.table import multiply_paths

# === tables


def columns_of(lines: sx.Separatrices) -> dict[str, Any]:
    return {name: sx.to_host(getattr(lines, name)) for name in LINE_COLUMNS}


@pytest.mark.parametrize(
    "values",
    [
        *(np.random.default_rng(155).random(shape) for shape in [(1,), (7,), (6, 7), (1, 1, 1)]),
        *(np.random.default_rng(155).random(shape) for shape in [(1, 6, 7), (6, 1, 7), (6, 7, 1)]),
        np.arange(60.0).reshape(3, 4, 5),
    ],
    ids=lambda values: str(values.shape),
)
def test_images_without_saddles_of_a_volume_have_no_connectors(device, values):
    found = sx.morse_smale(values, device=device)
    lines = columns_of(found.separatrices(1, "saddle"))
    assert lines["offsets"].tolist() == [0]
    assert lines["points"].shape == (0, 3)
    for method in METHODS:
        arcs = found.trace_arcs(method=method)
        assert not sx.to_host(arcs.is_saturated).any()
        assert table_of(arcs) == expected_arcs(image_gradient(values))


def test_the_matrix_method_reports_how_to_install_scipy(monkeypatch):
    import_ = builtins.__import__

    def without_scipy(name, *rest, **named):
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError("No module named 'scipy'")
        return import_(name, *rest, **named)

    found = sx.morse_smale(np.random.default_rng(0).random((4, 4, 4)), device="cpu")
    monkeypatch.setattr(builtins, "__import__", without_scipy)
    with pytest.raises(sx.InputError, match=r"method must be 'frontier' unless .*pip install"):
        found.trace_arcs(method="matrix")


# === numbers of paths that no small image has
def ladder(device: str, doublings: int, tail: int) -> tuple[Session, Minor]:
    """A minor with 2^doublings paths to sink 0, `tail` more of them by chains of their own, and
    2^doublings + 1 to sink 1. The session is that of any image.
    """
    session = sx.discrete_gradient(np.zeros((2, 2, 2)), device=device)._session
    n_sinks = 2
    successors = np.full((doublings + 2, 3), -1, np.int32)
    for j in range(doublings):  # both chains of a junction end in the next
        successors[j, :2] = n_sinks + j + 1
    successors[doublings] = [n_sinks + doublings + 1, -1, -1]
    successors[doublings + 1] = [0, 1, -1]
    starts = np.full((1, 4), -1, np.int32)
    starts[0, : 2 + tail] = [n_sinks, 1] + [0] * tail
    xp = session.device.xp
    return session, Minor(xp.asarray(starts), xp.asarray(successors), n_sinks, 0)


@pytest.mark.parametrize("max_small_reach", [0, None])
@pytest.mark.parametrize("doublings", [3, 20, 61, 62, 63, 80, 200])
@pytest.mark.parametrize("tail", [0, 1, 2])
def test_numbers_of_paths_saturate_and_keep_their_parity(device, doublings, tail, max_small_reach):
    session, minor = ladder(device, doublings, tail)
    with session.call(None, {}):
        found = count_paths(session, minor, max_small_reach=max_small_reach)
    exact = [2**doublings + tail, 2**doublings + 1]
    assert sx.to_host(found[1]).tolist() == [0, 1]
    assert sx.to_host(found[2]).tolist() == [
        n if n < MULTIPLICITY_LIMIT else MULTIPLICITY_LIMIT + n % 2 for n in exact
    ]


def test_the_matrix_method_rejects_numbers_beyond_the_exact_range_of_float64(device):
    session, minor = ladder(device, 52, 0)
    assert multiply_paths(session, minor)[2].tolist() == [2**52, 2**52 + 1]
    session, minor = ladder(device, 53, 1)
    with pytest.raises(sx.InputError, match=r"method must be 'frontier' for more than 2\^53"):
        multiply_paths(session, minor)


# === connectors as lines
def test_a_connector_is_one_line_if_it_is_one_path_and_several_otherwise(device):
    found = sx.morse_smale(np.random.default_rng(173).random((12, 12, 12)), device=device)
    lines, arcs = found.separatrices(1, "saddle"), table_of(found.arcs)
    ends = zip(
        sx.to_host(lines.destination).tolist(), sx.to_host(lines.source).tolist(), strict=True
    )
    n_lines = Counter(ends)
    index = sx.to_host(found.critical.index)
    paths = {(p, q): n for p, q, n in arcs if index[p] == 2 and index[q] == 1}
    assert paths.keys() == n_lines.keys()
    assert all((n_lines[arc] == 1) == (n == 1) for arc, n in paths.items())
    assert any(n > 1 for n in paths.values())


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("separatrix.morse.connectors.networks.MAX_CONNECTORS", 100),
        ("separatrix.morse.frontier.MAX_SLOTS", 1 << 12),
        ("separatrix.morse.connectors.minor.MAX_STEPS", 2),
        ("separatrix.morse.connectors.minor.MAX_TURNS", 2),
    ],
)
def test_connectors_do_not_depend_on_the_sizes_of_buffers(device, limit, value, monkeypatch):
    values = np.random.default_rng(177).random((14, 14, 14))
    expected = columns_of(sx.morse_smale(values, device=device).separatrices(1, "saddle"))
    monkeypatch.setattr(limit, value)
    found = columns_of(sx.morse_smale(values, device=device).separatrices(1, "saddle"))
    assert_same_bits(found, expected)


@pytest.mark.parametrize("periodic", [False, True])
def test_marks_of_the_raw_complex_limit_those_of_levels_and_change_no_connector(periodic):
    values = np.random.default_rng(4).integers(0, 60, (19, 17, 18)).astype(float)
    if not periodic:
        values[5:8, 4:9, 6:8] = np.nan
    options = {"device": "cpu", "nan": "mask", "periodic": (periodic,) * 3}
    limited, alone = (sx.morse_smale(values, **options) for _ in range(2))
    for persistence in (1, 5, 12, 25, 40, np.inf):
        levels = [complex.simplify(persistence) for complex in (limited, alone)]
        alone._gradient.marks = None
        assert limited._gradient.marks is not None
        assert table_of(levels[0].arcs) == table_of(levels[1].arcs)
        assert_same_bits(*(columns_of(level.separatrices(1, "saddle")) for level in levels))
