"""Pictures of results: which artists and actors are drawn, in which colors and where."""

import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import pyvista
from matplotlib.colors import to_rgb

import separatrix as sx
from separatrix.plotting import palette, scenes

mpl.use("Agg")
NOISE = np.random.default_rng(1).normal(size=(9, 8, 7))
WAVE = np.sin(np.linspace(0, 6, 40))
CUBE = np.array([[x, y, z] for x in (0.0, 1) for y in (0.0, 1) for z in (0.0, 1)])


def plotter() -> Any:
    pytest.importorskip("vtkmodules.vtkRenderingContextOpenGL2")  # a VTK without rendering
    return pyvista.Plotter(off_screen=True, window_size=(300, 300))


def drawn(scene: Any) -> dict[tuple[float, ...], Any]:
    """The dataset of each color in a scene; the last one that was drawn."""
    return {
        rounded(actor.prop.color): actor.mapper.dataset
        for actor in scene.actors.values()
        if isinstance(actor, pyvista.Actor) and not actor.mapper.scalar_visibility
    }


def rounded(color: Any) -> tuple[float, ...]:
    return tuple(np.round(pyvista.Color(color).float_rgb, 2))


def test_a_diagram_has_one_point_per_pair_in_the_color_of_its_dimension(device):
    pairs = sx.persistence_diagram(NOISE, device=device)
    axes = pairs.plot()
    assert pairs.plot(axes) is axes
    for category in palette.bar_categories(3):
        chosen = sx.to_host(pairs.dimension) == category.value
        expected = np.stack([sx.to_host(pairs.birth), sx.to_host(pairs.death)], axis=1)[chosen]
        points = [
            one.get_offsets()
            for one in axes.collections
            if to_rgb(one.get_facecolor()[0]) == pytest.approx(category.color)
        ]
        finite = expected[np.isfinite(expected[:, 1])]
        assert np.array_equal(points[0], finite)
        endless = expected[np.isinf(expected[:, 1]), 0]
        assert np.array_equal(points[1][:, 0], endless)
        assert (points[1][:, 1] > finite.max()).all()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["components", "loops", "voids"] * 2


def test_a_barcode_has_one_line_per_bar_of_positive_length():
    bars = sx.rips_barcodes(CUBE, max_dimension=2)
    axes = bars.plot()
    lines = [one for one in axes.collections if hasattr(one, "get_segments")]
    for d, one in enumerate(lines):
        ends = np.array(one.get_segments())[:, :, 0]
        expected = bars.of_dimension(d)
        finite = np.isfinite(expected[:, 1])
        assert np.array_equal(ends[finite], expected[finite])
        assert to_rgb(one.get_color()[0]) == pytest.approx(palette.bar_categories()[d].color)
    rows = np.concatenate([np.array(one.get_segments())[:, 0, 1] for one in lines])
    assert rows.tolist() == list(range(len(bars)))


def test_curves_are_those_of_the_diagram():
    pairs = sx.persistence_diagram(NOISE).nonzero()
    for d, line in enumerate(pairs.plot(kind="curves").lines):
        levels, counts = pairs.curve(d)
        assert np.array_equal(line.get_xdata(), levels)
        assert np.array_equal(line.get_ydata(), counts)


@pytest.mark.parametrize("kind", ["diagram", "barcode", "curves"])
def test_a_diagram_without_pairs_has_empty_axes(kind):
    pairs = sx.persistence_diagram([0.0, 1.0])
    axes = pairs.where(np.zeros(len(pairs), bool)).plot(kind=kind)
    assert not any(len(one.get_offsets()) for one in axes.collections)


def test_a_chart_of_an_unknown_kind_is_an_input_error():
    with pytest.raises(sx.InputError, match="kind must be"):
        sx.persistence_diagram([0.0, 1.0]).plot(kind="pie")


def test_a_complex_of_a_volume_has_points_and_lines_of_each_type(device):
    complex = sx.morse_smale(NOISE, persistence=1.5, device=device)
    scene = plotter()
    assert complex.plot(scene) is scene
    found = drawn(scene)
    for category, count in zip(
        palette.critical_categories(3), complex.critical.counts, strict=True
    ):
        assert found[rounded(category.color)].n_points == count
    for kind, category in zip(
        ("descending", "saddle", "ascending"), palette.line_categories(), strict=True
    ):
        lines = complex.separatrices(1, kind)
        assert found[rounded(category.color)].n_cells == lines.offsets.size - 1


def test_a_complex_of_an_image_shows_each_region_in_its_color():
    complex = sx.morse_smale(WAVE[:, None] * WAVE, spacing=(0.5, 0.25), origin=(3.0, -2.0))
    scene = complex.plot(plotter())
    pixels = scene.screenshot(return_img=True)
    labels = complex.segmentation("morse_smale")
    colors = palette.label_colors(labels.max() + 1)
    n_looked_at = 0
    for row, column in np.ndindex(labels.shape):
        around = labels[max(row - 2, 0) : row + 3, max(column - 2, 0) : column + 3]
        if around.size < 25 or (around != around[0, 0]).any():
            continue
        scene.renderer.SetWorldPoint(3.0 + 0.5 * column, -2.0 + 0.25 * row, 0.0, 1.0)
        scene.renderer.WorldToDisplay()
        x, y, _ = scene.renderer.GetDisplayPoint()
        at = pixels[300 - 1 - round(y), round(x)].astype(int)
        critical = complex.critical.position - [3.0 + 0.5 * column, -2.0 + 0.25 * row, 0.0]
        if np.abs(critical).max(axis=1).min() < 1.0:
            continue
        assert np.abs(at - 255 * colors[around[0, 0]]).max() <= 2
        n_looked_at += 1
    assert n_looked_at > 100


def test_a_gradient_has_a_line_per_pair_and_its_critical_cells():
    gradient = sx.discrete_gradient(WAVE[:, None] * WAVE)
    scene = gradient.plot(plotter(), stride=3)
    found, (arrows, *_) = drawn(scene), scene.meshes
    assert np.array_equal(arrows.points[::2], gradient.arrows(3).tail)
    assert np.array_equal(arrows.points[1::2] - arrows.points[::2], gradient.arrows(3).vector)
    maxima = gradient.critical.position[gradient.critical.rows(2)]
    assert np.array_equal(np.sort(found[rounded(palette.VERMILION)].points, 0), np.sort(maxima, 0))


def test_an_alpha_complex_shows_voids_and_cells_without_cofaces(device):
    shell = pyvista.Icosphere(nsub=2, radius=3.0)
    centers = np.concatenate([shell.points, [[9.0, 0, 0], [12.0, 0, 0], [13.0, 0, 0]]])
    complex = sx.alpha_complex(centers, 0.6, device=device)
    found = drawn(complex.plot(plotter()))
    faces = complex.boundary_surface()
    outside, inside = (int((faces.void < 0).sum()), int((faces.void >= 0).sum()))
    assert inside == outside == shell.n_cells
    assert found[rounded(palette.tint(palette.SKY_BLUE))].n_cells == outside
    assert found[rounded(palette.VERMILION)].n_cells == inside
    (ball,) = found[rounded(palette.ORANGE)].cell
    (edge,) = found[rounded(palette.BLUE)].cell
    assert np.allclose(ball.points, [[9.0, 0, 0]])
    assert np.allclose(edge.points, [[12.0, 0, 0], [13.0, 0, 0]])


def test_voids_of_a_box_are_drawn_in_one_piece(device):
    grid = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), -1).reshape(-1, 3)
    balls = grid[(grid != 0).any(axis=1)] + 0.25
    complex = sx.alpha_complex(balls, 0.88, box=[6.0] * 3, device=device)
    found = drawn(complex.plot(plotter(), pockets=complex.pockets()))
    for color in (palette.VERMILION, palette.YELLOW):
        assert found[rounded(color)].n_cells == len(complex.voids().facets) > 0
    places = found[rounded(palette.VERMILION)].points
    assert np.ptp(places, axis=0).tolist() == [2.0] * 3


def test_pockets_are_drawn_with_their_complex():
    centers = np.random.default_rng(3).normal(size=(80, 3)) * 2
    complex = sx.alpha_complex(centers, 0.9, alpha=4.0).at(0.0)
    pockets = complex.pockets()
    found = drawn(complex.plot(plotter(), pockets=pockets))
    assert found[rounded(palette.YELLOW)].n_cells == len(pockets.facets) > 0


def test_meshes_and_triangulations_are_drawn_with_their_own_points(device):
    points = np.random.default_rng(2).normal(size=(30, 3))
    cells = sx.delaunay(points)
    mesh = sx.TetMesh(points, cells.tetrahedra, device=device)
    for scene in (cells.plot(points, plotter()), mesh.plot(plotter())):
        (shown,) = drawn(scene).values()
        assert np.allclose(shown.points, points)
        assert shown.n_cells == len(cells.tetrahedra)
    critical = mesh.critical_points(points[:, 2])
    found = drawn(critical.plot(mesh, plotter()))
    lowest = found[rounded(palette.BLUE)].points
    assert np.allclose(lowest, points[sx.to_host(critical.point[critical.type == 0])])
    complex = mesh.morse_smale(points[:, 2])
    found = drawn(complex.plot(plotter()))
    minima = complex.critical.position[: complex.critical.counts[0]]
    assert np.allclose(found[rounded(palette.BLUE)].points, sx.to_host(minima))


def test_a_representative_is_drawn_on_its_points():
    angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    points = np.stack([np.cos(angle), np.sin(angle), angle, angle], axis=1)
    bars = sx.rips_barcodes(points[:, :2], representatives=1)
    point, loop = bars.representatives
    found = drawn(loop.plot(points, plotter()))
    assert found[rounded(palette.GREEN)].n_cells == len(loop.simplices) == 12
    assert np.array_equal(found[rounded(palette.GREEN)].points, points[:, :3])
    assert found[rounded(palette.GRAY)].n_cells == 12
    found = drawn(point.plot(points, plotter(), color=palette.ORANGE))
    assert found[rounded(palette.ORANGE)].n_cells == len(point.simplices)


def test_densities_and_clusters_are_drawn():
    points = np.random.default_rng(2).normal(size=(50, 3))
    image = sx.density(points, sigma=0.5, spacing=0.25)
    (actor,) = (a for a in image.plot(plotter()).actors.values() if scalars_of(a) is not None)
    levels = np.unique(np.round(scalars_of(actor), 4))
    step = (image.values.max() - image.values.min()) / 5
    assert np.allclose(levels, image.values.min() + step * np.arange(1, 5), atol=1e-3)
    flat = sx.density(points[:, :2], sigma=0.5, spacing=0.25)
    (actor,) = (a for a in flat.plot(plotter()).actors.values() if scalars_of(a) is not None)
    assert np.array_equal(scalars_of(actor), flat.values.ravel())

    groups = sx.cluster(points, 1.0)
    (actor,) = groups.plot(plotter()).actors.values()
    colors = palette.label_colors(groups.n)[groups.sort(groups.labels)]
    assert np.allclose(actor.mapper.dataset.points, groups.points)
    assert np.array_equal(scalars_of(actor), colors)


def scalars_of(actor: Any) -> np.ndarray | None:
    if not isinstance(actor, pyvista.Actor) or not actor.mapper.scalar_visibility:
        return None
    return actor.mapper.dataset[actor.mapper.array_name]


@pytest.mark.parametrize(
    ("package", "draw"),
    [
        ("matplotlib.pyplot", lambda: sx.persistence_diagram([0.0, 1.0]).plot()),
        ("pyvista", lambda: sx.morse_smale([0.0, 1.0]).plot()),
        ("pandas", lambda: sx.morse_smale([0.0, 1.0]).critical.to_pandas()),
    ],
)
def test_a_missing_package_is_named_with_its_remedy(package, draw, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=r"which is not installed\. Run pip install"):
        draw()


# === tables


def test_tables_become_data_frames_with_a_column_per_array(device):
    complex = sx.morse_smale(NOISE, persistence=1.0, device=device)
    for table in (complex.critical, complex.arcs, complex.regions("ascending"), complex.skipped):
        frame = table.to_pandas()
        assert len(frame) == len(table)
        for name, column in frame.items():
            if hasattr(table, name):
                assert np.array_equal(column, sx.to_host(getattr(table, name)))
    assert np.array_equal(
        complex.critical.to_pandas()[["position_x", "position_y", "position_z"]],
        sx.to_host(complex.critical.position),
    )


def test_tables_of_pairs_bars_simplices_and_relations():
    bars = sx.rips_barcodes(CUBE).to_pandas()
    assert bars[bars.dimension == 1].death.tolist() == pytest.approx([2**0.5] * 5)
    diagram = sx.persistence_diagram(NOISE)
    assert diagram.to_pandas().persistence.sum() == diagram.persistence.sum()
    balls = sx.alpha_complex(CUBE, 0.6)
    edges = balls.edges.to_pandas()
    assert (
        edges[["simplices_0", "simplices_1"]].to_numpy().tolist() == balls.edges.simplices.tolist()
    )
    assert balls.per_ball().to_pandas().volume.sum() == pytest.approx(balls.volume())
    assert list(balls.voids().to_pandas()) == ["volume", "area", "n_islands"]
    near = sx.neighbors(CUBE, radius=1.1, distances=True)
    frame = near.to_pandas()
    assert list(frame) == ["row", "items", "distances"]
    for row, group in frame.groupby("row"):
        assert group["items"].tolist() == near[row].tolist()


@pytest.mark.skipif(sys.platform != "linux", reason="VTK draws without X11 there")
def test_without_a_display_and_egl_an_error_names_the_packages(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("VTK_DEFAULT_OPENGL_WINDOW", raising=False)
    monkeypatch.setattr(scenes, "can_be_loaded", lambda library: False)
    with pytest.raises(sx.InputError, match="run apt-get install libegl1 libgl1-mesa-dri"):
        scenes.scene(off_screen=True)
