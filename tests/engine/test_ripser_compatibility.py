"""`separatrix.ripser` and `separatrix.ripserplusplus` return what the packages they replace do."""

import gzip
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix import ripser as ripser_module
from separatrix import ripserplusplus
from separatrix.ripser import Rips, correlation_to_distance, lower_star_img, ripser

distance = pytest.importorskip("scipy.spatial.distance")
sparse = pytest.importorskip("scipy.sparse")

POINTS = np.random.default_rng(24).random((40, 3))
MATRIX = distance.squareform(distance.pdist(POINTS))


def of_peer(*arguments: Any, **keywords: Any) -> dict[str, Any]:
    found: dict[str, Any] = pytest.importorskip("ripser").ripser(*arguments, **keywords)
    return found


def by_ends(bars: np.ndarray) -> np.ndarray:
    return bars[np.lexsort(bars.T[::-1])]


def assert_like_the_peer(*arguments: Any, **keywords: Any) -> dict[str, Any]:
    ours, peers = ripser(*arguments, **keywords), of_peer(*arguments, **keywords)
    assert list(ours) == list(peers)
    for mine, other in zip(ours["dgms"], peers["dgms"], strict=True):
        assert mine.shape == other.shape
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(by_ends(mine), by_ends(other), rtol=1e-6)
    assert [len(of_d) for of_d in ours["cocycles"]] == [len(of_d) for of_d in peers["cocycles"]]
    assert ours["num_edges"] == peers["num_edges"]
    assert ours["idx_perm"].dtype == peers["idx_perm"].dtype
    np.testing.assert_array_equal(ours["idx_perm"], peers["idx_perm"])
    if not sparse.issparse(ours["dperm2all"]):
        np.testing.assert_allclose(ours["dperm2all"], peers["dperm2all"], atol=1e-7)
    assert ours["r_cover"] == pytest.approx(peers["r_cover"])
    return ours


def with_births(matrix: np.ndarray) -> np.ndarray:
    """A matrix of distances with births of its points, each at most the distances of its row."""
    births = np.where(np.eye(len(matrix)), np.inf, matrix).min(axis=1) / 2
    return matrix + np.diag(births)


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"maxdim": 2, "coeff": 3},
        {"thresh": 0.4},
        {"maxdim": 0},
        {"metric": "manhattan"},
        {"metric": "cosine"},
        {"metric": lambda a, b: abs(a - b).sum()},
        {"n_perm": 15},
        {"n_perm": 40},
        {"n_perm": 15, "do_cocycles": True, "coeff": 5},
    ],
)
def test_points_have_the_result_of_the_peer(keywords):
    assert_like_the_peer(POINTS, **keywords)


@pytest.mark.parametrize(
    "distances",
    [
        MATRIX,
        np.triu(MATRIX),
        with_births(MATRIX),
        np.zeros((1, 1)),
        sparse.coo_matrix(np.where(MATRIX < 0.5, MATRIX, 0)),
        sparse.csr_matrix(np.triu(np.where(MATRIX < 0.5, MATRIX, 0))),
        sparse.coo_matrix(np.tril(MATRIX)),
        sparse.csr_matrix(with_births(MATRIX)),
    ],
)
@pytest.mark.parametrize("thresh", [np.inf, 0.45])
def test_distances_have_the_result_of_the_peer(distances, thresh):
    assert_like_the_peer(distances, distance_matrix=True, thresh=thresh, maxdim=2)


def test_the_surface_of_a_cube_has_one_void_in_a_sparse_matrix():
    steps, ends = np.linspace(0, 1, 5), [0.0, 1.0]
    axes = [np.roll([0, 1, 2], k) for k in range(3)]
    faces = np.stack(np.meshgrid(steps, steps, ends), axis=-1).reshape(-1, 3)
    corners = np.concatenate([faces[:, axis] for axis in axes])  # edges and corners repeat
    matrix = distance.squareform(distance.pdist(corners))
    i, j = np.nonzero(matrix <= 1.5)
    near = sparse.coo_matrix((matrix[i, j], (i, j)), shape=matrix.shape)
    for given in (near, near.tocsr()):
        found = ripser(given, distance_matrix=True, maxdim=2, thresh=1.5)["dgms"]
        assert found[2].shape == (1, 2)
        assert found[2][0, 1] == 1.0


def test_cocycles_of_a_permutation_name_the_original_points():
    turn = np.random.default_rng(25).random(300) * 2 * np.pi
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    found = ripser(circle, n_perm=40, do_cocycles=True)
    chosen = ripser(circle[found["idx_perm"]], do_cocycles=True)
    for of_all, of_chosen in zip(found["cocycles"][1], chosen["cocycles"][1], strict=True):
        of_chosen[:, :-1] = found["idx_perm"][of_chosen[:, :-1]]
        np.testing.assert_array_equal(of_all, of_chosen)


def test_diagrams_are_the_bars_of_rips_barcodes():
    bars = sx.rips_barcodes(distances=MATRIX, max_dimension=2, field=3)
    found = ripser(MATRIX, maxdim=2, coeff=3, distance_matrix=True)
    for d in range(3):
        np.testing.assert_array_equal(found["dgms"][d], bars.of_dimension(d))


@pytest.mark.parametrize("of", [ripser, of_peer])
@pytest.mark.parametrize("prime", [2, 3, 7])
def test_cocycles_vanish_on_the_boundaries_of_triangles_until_the_death_of_their_bar(of, prime):
    found = of(MATRIX, coeff=prime, distance_matrix=True, do_cocycles=True)
    assert len(found["dgms"][1]) > 3
    for (_, death), cocycle in zip(found["dgms"][1], found["cocycles"][1], strict=True):
        assert cocycle.dtype == np.int64
        assert cocycle.shape == (len(cocycle), 3)
        assert (cocycle[:, 0] > cocycle[:, 1]).all()
        assert ((cocycle[:, 2] > 0) & (cocycle[:, 2] < prime)).all()
        value = np.zeros(MATRIX.shape, int)
        value[cocycle[:, 1], cocycle[:, 0]] = cocycle[:, 2]
        value -= value.T
        before = ~np.isclose(MATRIX, death) & np.less(MATRIX, death)
        is_triangle = before[:, :, None] & before[:, None, :] & before[None, :, :]
        around = value[:, :, None] - value[:, None, :] + value[None, :, :]
        assert not (around[is_triangle] % prime).any()


@pytest.mark.parametrize(
    ("data", "keywords", "parameter"),
    [
        (POINTS, {"distance_matrix": True}, "X"),
        (POINTS, {"n_perm": 41}, "n_perm"),
        (POINTS, {"n_perm": -1}, "n_perm"),
        (sparse.coo_matrix(MATRIX), {"distance_matrix": True, "n_perm": 3}, "n_perm"),
        (sparse.coo_matrix(MATRIX), {}, "X"),
    ],
)
def test_input_that_the_peer_rejects_is_rejected(data, keywords, parameter):
    with pytest.raises(ValueError) as caught:
        ripser(data, **keywords)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("maxdim", 1.5), ("maxdim", -1), ("thresh", "a"), ("thresh", np.nan), ("coeff", 4),
        ("n_perm", "5"), ("n_perm", 1.5), ("n_perm", 9), ("X", np.empty((0, 2))),
        ("X", np.full((3, 2), np.nan)),
    ],
)  # fmt: skip
def test_errors_name_the_parameters_of_ripser(n, name, value):
    with pytest.raises(sx.InputError) as caught:
        ripser(**{"X": POINTS[:n], name: value})
    assert caught.value.parameter == name


@pytest.mark.parametrize(("shape", "text"), [((3, 3), "square"), ((3, 5), "more columns")])
def test_points_that_look_like_a_mistake_get_a_warning(shape, text):
    with pytest.warns(UserWarning, match=text):
        ripser(np.random.default_rng(0).random(shape))


def test_all_public_names_of_the_peer_exist():
    peer = pytest.importorskip("ripser")
    assert set(peer.__all__) - {"__version__"} == set(ripser_module.__all__)


NOISE = np.random.default_rng(26).integers(0, 9, (14, 19))
WALLED = np.where(np.arange(5) == 2, np.inf, np.arange(15.0).reshape(3, 5))


@pytest.mark.parametrize(
    "image",
    [
        NOISE,
        NOISE / 8 - 1,
        NOISE.astype(np.uint8),
        NOISE > 6,
        NOISE[:1],
        NOISE[:, :1],
        NOISE[:2, :2],
        NOISE[:1, :1],
        NOISE[:0],
        np.zeros((3, 4)),
        np.random.default_rng(27).random((30, 20)),
        WALLED,
    ],
)
def test_lower_stars_of_images_have_the_bars_of_the_peer(image):
    ours, peers = lower_star_img(image), pytest.importorskip("ripser").lower_star_img(image)
    assert ours.dtype == peers.dtype
    np.testing.assert_allclose(ours, by_ends(peers), rtol=1e-6)
    if np.isfinite(image).all():
        assert np.isin(ours[np.isfinite(ours)], image).all()  # not rounded


CORRELATIONS = np.corrcoef(POINTS)


def outcome(function: Any, *arguments: Any) -> tuple[Any, list[type[Warning]]]:
    """The result, or the type of the error, and the categories of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(*arguments)
        except ValueError:
            found = ValueError
    return found, [one.category for one in caught]


@pytest.mark.parametrize("check_input", [True, False])
@pytest.mark.parametrize(
    "correlations",
    [
        CORRELATIONS,
        CORRELATIONS.tolist(),
        CORRELATIONS.astype(np.float32),
        np.zeros((0, 0)),
        np.eye(3, dtype=int),
        np.ones(3),
        np.ones((2, 3)),
        np.array([[1, 0.5], [0.4, 1]]),
        np.array([[1, np.nan], [np.nan, 1]]),
        np.array([[1, np.inf], [np.inf, 1]]),
        np.array([[1, 1.06], [1.06, 1]]),
        np.array([[1, -1.02], [-1.02, 1]]),
        np.array([[0.998, 0.5], [0.5, 1]]),
        np.array([[1.002, 0.5], [0.5, 1]]),
    ],
)
def test_correlations_have_the_distances_errors_and_warnings_of_the_peer(correlations, check_input):
    peer = pytest.importorskip("ripser").correlation_to_distance
    ours, our_warnings = outcome(correlation_to_distance, correlations, check_input)
    peers, their_warnings = outcome(peer, correlations, check_input)
    assert our_warnings == their_warnings
    if peers is ValueError:
        assert ours is ValueError
    else:
        assert ours.dtype == peers.dtype
        np.testing.assert_array_max_ulp(ours, peers, 1)


def test_correlations_are_not_changed_in_place():
    given = CORRELATIONS.copy()
    correlation_to_distance(given)
    np.testing.assert_array_equal(given, CORRELATIONS)


@pytest.mark.parametrize(
    ("function", "data", "parameter"),
    [
        (lower_star_img, np.ones(3), "img"),
        (lower_star_img, np.ones((2, 2, 2)), "img"),
        (lower_star_img, np.array([[0, np.nan]]), "img"),
        (lower_star_img, np.ones((2, 2), complex), "img"),
        (correlation_to_distance, np.ones((2, 2), complex), "C"),
        (correlation_to_distance, [["a"]], "C"),
        (correlation_to_distance, [[1, 2], [2, 1]], "C"),
    ],
)
def test_errors_name_the_parameters_of_the_other_functions(function, data, parameter):
    with pytest.raises(sx.InputError) as caught:
        function(data)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("options", "call"),
    [
        ({}, {}),
        ({"maxdim": 2, "thresh": 0.6, "coeff": 3}, {"distance_matrix": True}),
        ({"n_perm": 12, "do_cocycles": True}, {"metric": "manhattan"}),
    ],
)
def test_the_class_keeps_the_results_of_the_function(options, call):
    data = MATRIX if "distance_matrix" in call else POINTS
    ours = Rips(**options, verbose=False)
    peers = pytest.importorskip("ripser").Rips(**options, verbose=False)
    assert {name: getattr(ours, name) for name in vars(peers)} == vars(peers)
    found = ours.fit_transform(data, **call)
    assert found is ours.dgms_
    for mine, other in zip(found, peers.fit_transform(data, **call), strict=True):
        np.testing.assert_allclose(by_ends(mine), by_ends(other), rtol=1e-6)
    assert ours.num_edges_ == peers.num_edges_
    assert list(map(len, ours.cocycles_)) == list(map(len, peers.cocycles_))
    np.testing.assert_array_equal(ours.idx_perm_, peers.idx_perm_)
    np.testing.assert_allclose(ours.dperm2all_, peers.dperm2all_, atol=1e-7)
    assert ours.r_cover_ == pytest.approx(peers.r_cover_)


def test_the_class_prints_its_parameters_if_verbose(capsys):
    Rips(maxdim=2)
    text = "Rips(maxdim=2, thresh=inf, coeff=2, do_cocycles=False, n_perm=None, verbose=True)\n"
    assert capsys.readouterr().out == text
    Rips(verbose=False)
    assert not capsys.readouterr().out


def test_the_class_draws_its_diagrams(monkeypatch):
    drawn = []
    persim = pytest.importorskip("persim")
    monkeypatch.setattr(
        persim, "plot_diagrams", lambda *given, **names: drawn.append((given, names))
    )
    rips = Rips(verbose=False)
    diagrams = rips.transform(POINTS)
    rips.plot(show=False)
    rips.plot(diagrams[1], [0])
    assert drawn[0][0][0] is diagrams
    assert drawn[0][1] == {"show": False}
    assert drawn[1][0][0] is diagrams[1]
    assert drawn[1][0][1:] == ([0],)


def test_an_invalid_distance_is_located_in_the_matrix():
    matrix = MATRIX.copy()
    matrix[3, 7] = np.nan
    with pytest.raises(sx.InputError, match=r"got X\[3, 7\] = nan \(1 invalid value\)"):
        ripser(matrix, distance_matrix=True)
    with pytest.raises(
        sx.InputError, match=r"got nan between points 0 and 2 \(39 invalid values\)"
    ):
        ripser(np.where(np.arange(40)[:, None] == 2, np.nan, POINTS))
    with pytest.raises(
        sx.InputError, match=r"X must be an array of at least one point; got shape \(0, 2\)"
    ):
        ripser(np.empty((0, 2)))


def test_a_chart_without_persim_is_an_error_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "persim", None)
    with pytest.raises(ModuleNotFoundError, match=r"persim, which is not installed. Run pip inst"):
        Rips(verbose=False).plot()


# === Ripser++


def finite_of(**keywords: Any) -> list[np.ndarray]:
    bars = sx.rips_barcodes(**keywords)
    table = [bars.of_dimension(d) for d in range(bars.statistics["max_dimension"] + 1)]
    return [rows[np.isfinite(rows[:, 1])].astype(np.float32) for rows in table]


def assert_bars(found: dict[int, np.ndarray], expected: list[np.ndarray]) -> None:
    assert list(found) == list(range(len(expected)))
    for d, rows in enumerate(expected):
        assert found[d].dtype == np.dtype([("birth", "<f4"), ("death", "<f4")])
        np.testing.assert_array_equal(found[d]["birth"], rows[:, 0])
        np.testing.assert_array_equal(found[d]["death"], rows[:, 1])


NEAR = np.tril(np.where(MATRIX < 0.5, MATRIX, 0))


@pytest.mark.parametrize(
    ("args", "data", "keywords"),
    [
        ("", MATRIX, {"distances": MATRIX}),
        ("--dim 2 --threshold 0.5 --sparse", MATRIX, {"distances": MATRIX, "threshold": 0.5}),
        ("--format lower-distance", MATRIX[np.tril_indices(40, -1)], {"distances": MATRIX}),
        ("--format point-cloud --dim 0", POINTS, {"points": POINTS, "max_dimension": 0}),
        ("--format sparse", sparse.coo_matrix(NEAR), {"sparse": sparse.coo_matrix(NEAR)}),
        ("--format sparse", sparse.csr_matrix(NEAR), {"sparse": sparse.coo_matrix(NEAR)}),
    ],
)
def test_ripserplusplus_returns_the_finite_bars_as_float32(args, data, keywords):
    if "--dim 2" in args:
        keywords = {**keywords, "max_dimension": 2}
    assert_bars(ripserplusplus.run(args, data), finite_of(**keywords))


@pytest.mark.parametrize("edges", [[3, 2, 1], np.array([3, 2, 1]).T])
def test_three_points_have_the_bars_of_the_readme_in_every_format(edges):
    square = np.array([[0, 3, 2], [3, 0, 1], [2, 1, 0]])
    expected = [np.array([[0, 1], [0, 2]], np.float32), np.empty((0, 2), np.float32)]
    assert_bars(ripserplusplus.run("--format lower-distance", np.asarray(edges)), expected)
    assert_bars(ripserplusplus.run("--format distance", square), expected)
    line = np.array([[0], [1], [3]])
    assert_bars(ripserplusplus.run("--dim 1 --format point-cloud", line), expected)


def test_ratio_keeps_bars_with_a_larger_ratio_of_death_to_birth():
    loops = finite_of(distances=MATRIX)[1]
    kept = loops[:, 1] > loops[:, 0] * np.float32(1.2)
    assert 0 < kept.sum() < len(loops)
    found = ripserplusplus.run("--ratio 1.2", MATRIX)
    np.testing.assert_array_equal(found[1]["death"], loops[kept, 1])
    assert len(found[0]) == 39


def test_a_single_point_has_no_finite_bars():
    found = ripserplusplus.run("--format point-cloud", np.array([[1, 2, 3]]))
    assert_bars(found, [np.empty((0, 2), np.float32)] * 2)
    for args in ("", "--format lower-distance"):
        assert not ripserplusplus.run(args, np.zeros((1, 1) if not args else 0))[0].size


@pytest.mark.parametrize(
    ("args", "data", "parameter"),
    [
        (None, MATRIX, "args"), ("--dim 1.5", MATRIX, "args"), ("--dim -1", MATRIX, "--dim"),
        ("--ratio nan", MATRIX, "--ratio"), ("--threshold nan", MATRIX, "--threshold"),
        ("", MATRIX + np.eye(40), "data"), ("--format point-cloud", POINTS * np.nan, "data"),
    ],
)  # fmt: skip
def test_errors_name_the_parameters_of_ripserplusplus(args, data, parameter):
    with pytest.raises(sx.InputError) as caught:
        ripserplusplus.run(args, data)
    assert caught.value.parameter == parameter


def write_text(path: Path, rows: Any, separator: str) -> None:
    path.write_text("".join(separator.join(map(repr, row)) + "\n" for row in rows))


def test_files_of_every_format_have_the_bars_of_arrays(tmp_path):
    expected = finite_of(distances=MATRIX)
    triangle = [MATRIX[i, :i].tolist() for i in range(40)]
    pairs = [(i, j, float(MATRIX[i, j])) for i in range(40) for j in range(i)]
    write_text(tmp_path / "distance", MATRIX.tolist(), " ")
    write_text(tmp_path / "triangle", triangle, ",")
    write_text(tmp_path / "point-cloud", POINTS.tolist(), ", ")
    write_text(tmp_path / "sparse", pairs, " ")
    head = np.array([8067171840, 7, 40], "<i8").tobytes()
    (tmp_path / "dipha").write_bytes(head + MATRIX.tobytes())
    for format, name in [
        ("distance", "distance"),
        ("distance", "triangle"),
        ("lower-distance", "triangle"),
        ("point-cloud", "point-cloud"),
        ("sparse", "sparse"),
        ("dipha", "dipha"),
    ]:
        found = ripserplusplus.run(f"--format {format}", str(tmp_path / name))
        assert_bars(found, expected)
    lower = MATRIX[np.tril_indices(40, -1)].astype("<f4")
    (tmp_path / "binary").write_bytes(lower.tobytes())
    rounded = np.zeros_like(MATRIX)
    rounded[np.tril_indices(40, -1)] = lower
    found = ripserplusplus.run("--format binary", str(tmp_path / "binary"))
    assert_bars(found, finite_of(distances=rounded + rounded.T))


@pytest.mark.parametrize(
    ("args", "data", "text"),
    [
        ("--help", MATRIX, "--format, --dim, --threshold, --ratio, and --sparse; got '--help'"),
        ("--dim", MATRIX, "an integer after --dim"),
        ("--dim two", MATRIX, "an integer after --dim; got 'two'"),
        ("--format dipha", MATRIX, "one of distance, lower-distance, point-cloud, sparse"),
        ("--format lower-distance", np.ones(4), "a triangle of"),
        ("--format lower-distance", np.array(["a"]), "a triangle of"),
        ("--format lower-distance", MATRIX, "a triangle of"),
        ("--format distance", np.ones(3), "a square matrix"),
        ("", "no_such_file", "cannot be read as distance"),
    ],
)
def test_unknown_options_and_unusable_data_are_rejected(args, data, text):
    with pytest.raises(sx.InputError, match=text):
        ripserplusplus.run(args, data)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "no such file or directory"),
        (b"", "it contains no numbers"),
        (b"\n\n", "it contains no numbers"),
        (
            gzip.compress(b"1\n2 3\n", mtime=0),
            "it is not a text file. If it is compressed, decompress it",
        ),
    ],
)
@pytest.mark.parametrize("format", ["distance", "lower-distance", "point-cloud", "sparse"])
def test_a_file_without_text_is_rejected_in_one_sentence(tmp_path, format, content, reason):
    path = tmp_path / "given"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(sx.InputError) as caught:
        ripserplusplus.run(f"--format {format}", str(path))
    assert str(caught.value) == f"{path} cannot be read as {format}: {reason}."


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("dipha", b"short"),
        ("dipha", bytes(48)),
        ("dipha", np.array([8067171840, 7, 3], "<i8").tobytes()),
        ("sparse", b"0 1\n1 2\n"),
        ("point-cloud", b"0 1\n2\n"),
        ("point-cloud", b""),
        ("lower-distance", b"1 two 3"),
        ("lower-distance", b"\xff"),
    ],
)
def test_damaged_files_are_rejected(tmp_path, format, content):
    (tmp_path / "damaged").write_bytes(content)
    with pytest.raises(sx.InputError, match=f"damaged cannot be read as {format}: "):
        ripserplusplus.run(f"--format {format}", str(tmp_path / "damaged"))
