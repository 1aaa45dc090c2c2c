"""PyVista: its datasets in and out, its active scalars, and `mesh.separatrix`."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
import separatrix_vtk
from filters.images import noise
from separatrix.plotting import palette

pyvista = pytest.importorskip("pyvista")
Figure = pytest.importorskip("matplotlib.figure").Figure

REPOSITORY = Path(__file__).resolve().parents[2]
FUNCTIONS = (
    "morse_smale_complex",
    "persistence_diagram",
    "critical_points",
    "discrete_gradient",
    "mesh_relations",
    "alpha_complex",
    "rips_barcodes",
    "point_density",
    "neighbor_statistics",
    "delaunay",
    "topological_simplification",
)
OF_FIELDS, OF_POINTS = FUNCTIONS[:4], FUNCTIONS[5:-1]
POINTS = np.random.default_rng(17).random((30, 3))
OPTIONS: dict[str, dict[str, Any]] = {
    "alpha_complex": {"radius": 0.2},
    "point_density": {"sigma": 0.2, "spacing": 0.1},
}


def image(*shape: int) -> Any:
    """An image (nz, ny, nx) with the point array `field`."""
    made = pyvista.ImageData(dimensions=shape[::-1])
    made["field"] = noise(*shape).reshape(-1)
    return made


def call(name: str, dataset: Any, **options: Any) -> list[Any]:
    """All outputs of a function, one or several."""
    outputs = getattr(separatrix_vtk, name)(dataset, **OPTIONS.get(name, {}), **options)
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


# === which datasets


@pytest.mark.parametrize("name", OF_FIELDS)
def test_a_field_gives_pyvista_datasets_at_all_ports(name):
    for dataset in (image(4, 5, 6), image(3, 4, 5).cast_to_unstructured_grid().triangulate()):
        assert {type(output).__module__.split(".")[0] for output in call(name, dataset)} == {
            "pyvista"
        }


@pytest.mark.parametrize("name", OF_POINTS)
@pytest.mark.parametrize(
    "made",
    [
        pyvista.PointSet,
        pyvista.PolyData,
        lambda points: pyvista.PolyData(points).cast_to_unstructured_grid(),
        lambda points: pyvista.Table(dict(zip("xyz", points.T.copy(), strict=True))),
    ],
    ids=["PointSet", "PolyData", "UnstructuredGrid", "Table"],
)
def test_points_of_every_kind_of_dataset_are_accepted(name, made):
    outputs, expected = call(name, made(POINTS)), call(name, POINTS)
    for output, plain in zip(outputs, expected, strict=True):
        assert isinstance(output, pyvista.DataObject)
        wrapped = pyvista.wrap(plain)
        if isinstance(wrapped, pyvista.DataSet):
            assert output.n_points == wrapped.n_points
            shared = set(wrapped.point_data) & set(output.point_data)
            for array in shared | ({"Density"} & set(wrapped.point_data)):
                np.testing.assert_array_equal(output[array], wrapped[array])


def test_polydata_without_cells_are_points():
    bare = pyvista.PolyData()
    bare.points = POINTS
    assert bare.n_cells == 0
    assert separatrix_vtk.alpha_complex(bare, radius=0.2).atoms.n_points == 30
    assert separatrix_vtk.rips_barcodes(bare).bars.n_rows >= 30


def test_pyvistas_active_scalars_are_the_field_be_they_of_points_or_of_cells():
    made = image(4, 5, 6)
    made.cell_data["of cells"] = noise(3, 4, 5, seed=3).reshape(-1)
    made.point_data["another"] = noise(4, 5, 6, seed=4).reshape(-1)
    for name in ("field", "of cells", "another"):
        made.set_active_scalars(name)
        points = separatrix_vtk.critical_points(made)
        assert name in points.array_names
        same = separatrix_vtk.critical_points(made, name)
        np.testing.assert_array_equal(points["CellId"], same["CellId"])
        assert made.active_scalars_name == name
    assert "field" in separatrix_vtk.critical_points(made, "field").array_names


def test_other_cells_are_split_on_request_or_rejected():
    grid = image(3, 4, 5).cast_to_unstructured_grid()
    with pytest.raises(separatrix_vtk.FilterError, match=r"in PyVista mesh\.triangulate\(\)"):
        separatrix_vtk.critical_points(grid)


@pytest.mark.parametrize("kind", ["structured", "rectilinear", "unstructured"])
def test_a_grid_is_split_on_request(kind):
    grid = getattr(image(3, 4, 5), f"cast_to_{kind}_grid")()
    cut = separatrix_vtk.critical_points(grid, "field", tetrahedralize=True)
    expected = separatrix_vtk.critical_points(grid.triangulate(), "field")
    np.testing.assert_array_equal(cut["CriticalType"], expected["CriticalType"])


@pytest.mark.parametrize("kind", ["structured", "rectilinear"])
@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 6, 5), (4, 1, 6)])
def test_a_grid_with_even_steps_is_an_image_also_if_it_is_turned(kind, shape):
    made = image(*shape)
    made.spacing, made.origin = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)
    grid = getattr(made, f"cast_to_{kind}_grid")()
    expected = separatrix_vtk.critical_points(made, "field")
    if kind == "structured":
        turn = pyvista.Transform().rotate_vector((1, 2, 3), 40).matrix
        grid, expected = (one.transform(turn, inplace=False) for one in (grid, expected))
    found = separatrix_vtk.critical_points(grid, "field")
    np.testing.assert_allclose(found.points, expected.points, atol=1e-12)
    np.testing.assert_array_equal(found["CriticalType"], expected["CriticalType"])


def test_a_grid_with_uneven_steps_is_sampled_on_request():
    grid = image(6, 5, 4).cast_to_rectilinear_grid()
    grid["field"] = grid.points[:, 0] * 1.0
    grid.x = grid.x**2
    sentence = (
        r"got a vtkRectilinearGrid with other steps\. Set resample=True or tetrahedralize=True"
    )
    with pytest.raises(separatrix_vtk.FilterError, match=sentence):
        separatrix_vtk.morse_smale_complex(grid, "field")
    found = separatrix_vtk.morse_smale_complex(grid, "field", resample=True).segmentation
    assert found.dimensions == grid.dimensions
    assert found.bounds == pytest.approx(grid.bounds, abs=1e-4)
    angle, radius = np.meshgrid(np.linspace(0, np.pi / 2, 20), np.linspace(1, 2, 12))
    ring = pyvista.StructuredGrid(radius * np.cos(angle), radius * np.sin(angle), 0 * angle)
    ring["field"] = np.sin(9 * ring.points[:, 0])
    points = separatrix_vtk.critical_points(ring, resample=True)
    assert np.linalg.norm(points.points, axis=1).min() > 0.9  # none in the hole


def test_arrays_are_shared_and_the_input_is_not_changed():
    made = image(4, 5, 6)
    before = made.copy()
    segmentation = separatrix_vtk.morse_smale_complex(made).segmentation
    assert np.shares_memory(segmentation["field"], made["field"])
    cloud = pyvista.PointSet(POINTS)
    found = separatrix_vtk.neighbor_statistics(cloud)
    assert isinstance(found, pyvista.PointSet)
    assert np.shares_memory(found.points, cloud.points)
    assert cloud.array_names == []
    assert made == before
    assert made.active_scalars_name == before.active_scalars_name


def test_errors_name_the_expected_input():
    with pytest.raises(separatrix_vtk.FilterError, match=r"got the path 'a\.vti'\. Read the file"):
        separatrix_vtk.morse_smale_complex("a.vti")
    with pytest.raises(separatrix_vtk.FilterError, match="Pass the output of this algorithm"):
        separatrix_vtk.mesh_relations(separatrix_vtk.MeshRelations())
    with pytest.raises(separatrix_vtk.FilterError, match=r"image must be vtkDataSet; got .*Table"):
        separatrix_vtk.critical_points(pyvista.Table({"x": np.zeros(1)}))
    bad = image(3, 3, 3)
    bad["field"][4] = np.nan
    with pytest.raises(sx.InputError, match="values must be finite"):
        separatrix_vtk.critical_points(bad)
    bad["vectors"] = np.zeros((27, 3))
    with pytest.raises(separatrix_vtk.FilterError, match=r"in PyVista NumPy on mesh\[name\]"):
        separatrix_vtk.critical_points(bad, "vectors")


# === the accessor


def test_the_accessor_has_all_functions_with_their_documentation():
    from separatrix_vtk.pyvista import Separatrix

    made = image(4, 5, 6)
    assert isinstance(made.separatrix, Separatrix)
    assert made.separatrix is made.separatrix
    methods = [name for name in dir(made.separatrix) if not name.startswith("_")]
    assert sorted(FUNCTIONS) == methods
    for name in FUNCTIONS:
        function, method = getattr(separatrix_vtk, name), getattr(made.separatrix, name)
        assert method.__doc__.splitlines()[0] == function.__doc__.splitlines()[0]
        others = list(inspect.signature(function).parameters.values())[1:]
        assert list(inspect.signature(method).parameters.values()) == others


def test_a_method_is_the_function():
    made = image(4, 5, 6)
    ours, same = made.separatrix.critical_points("field"), separatrix_vtk.critical_points(made)
    assert ours == same
    cloud = pyvista.PolyData(POINTS)
    assert cloud.separatrix.alpha_complex(0.01, radius=0.2).complex == (
        separatrix_vtk.alpha_complex(cloud, 0.01, radius=0.2).complex
    )
    blocks = pyvista.MultiBlock([made, made])
    assert len(blocks.separatrix.critical_points()) == 2
    table = pyvista.Table(dict(zip("xyz", POINTS.T.copy(), strict=True)))
    assert table.separatrix.rips_barcodes().bars.n_rows >= 30


def test_pyvista_finds_the_accessor_by_the_entry_point(tmp_path):
    if not hasattr(pyvista, "register_dataset_accessor"):
        pytest.skip("PyVista 0.48 brought accessors")
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    table = re.search(r'\[project\.entry-points\."(pyvista\.accessors)"\]\n(.*) = "(.*)"', project)
    assert table is not None
    group, name, module = table.groups()
    installed = tmp_path / "ours-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: ours\nVersion: 0\n")
    (installed / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n")
    code = (
        "import sys, pyvista; cube = pyvista.Cube().triangulate();"
        "assert 'separatrix' in dir(cube); assert 'separatrix_vtk' not in sys.modules;"
        "print(cube.separatrix.mesh_relations(compute_edges=True).edges.n_lines)"
    )
    roots = [str(REPOSITORY / "engine"), str(REPOSITORY / "plugins"), str(tmp_path)]
    roots += filter(None, [os.environ.get("PYTHONPATH")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(roots)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.stdout, done.returncode) == ("18\n", 0), done.stderr


def test_an_older_pyvista_has_the_functions_only(monkeypatch):
    pytest.importorskip("vtkmodules.vtkRenderingContextOpenGL2")  # for PyVista to look at it
    from separatrix_vtk.pyvista import attach

    monkeypatch.delattr(pyvista, "register_dataset_accessor", raising=False)
    attach()


def test_a_molecule_is_read_as_pyvistas(sample_data):
    from separatrix_vtk.pyvista import read_molecule

    atoms = read_molecule(sample_data / "1crn.pdb", hydrogens=False)
    assert isinstance(atoms, pyvista.PolyData)
    assert (atoms.n_points, atoms["atom_types"][0]) == (327, "N")
    with pytest.raises(TypeError, match=r"^read_molecule\(\) has no option 'hydrogen'"):
        read_molecule(sample_data / "1crn.pdb", hydrogen=False)


# === pictures


def drawn(scene: Any) -> dict[Any, int]:
    """Number of cells of each color in a scene."""
    actors = [actor for actor in scene.actors.values() if isinstance(actor, pyvista.Actor)]
    return {actor.prop.color: actor.mapper.dataset.n_cells for actor in actors}


def test_outputs_draw_themselves_by_type():
    outputs = separatrix_vtk.morse_smale_complex(image(6, 7, 8))
    scene = pyvista.Plotter(off_screen=True)
    assert outputs.plot(scene) is scene
    found = drawn(scene)
    types = outputs.critical_points["CriticalType"]
    for category in palette.critical_type_categories(3):
        number = int((types == category.value).sum())
        assert found[pyvista.Color(category.color)] == number
    for category in palette.line_categories():
        number = int((outputs.separatrices_1["DestinationType"] == category.value).sum())
        assert found[pyvista.Color(category.color)] == number

    gradient = separatrix_vtk.discrete_gradient(image(6, 7, 8))
    found = drawn(gradient.plot(pyvista.Plotter(off_screen=True)))
    assert found[pyvista.Color(palette.BLUE)] == (types == 0).sum()

    balls = separatrix_vtk.alpha_complex(pyvista.PointSet(POINTS), radius=0.12)
    found = drawn(balls.plot(pyvista.Plotter(off_screen=True)))
    assert found[pyvista.Color(palette.tint(palette.SKY_BLUE))] == balls.boundary.n_cells

    mesh = separatrix_vtk.mesh_relations(pyvista.Icosahedron())
    assert list(drawn(mesh.plot(pyvista.Plotter(off_screen=True))).values()) == [20]


def test_diagrams_and_barcodes_draw_themselves_on_axes():
    axes = Figure().subplots()
    diagram = separatrix_vtk.persistence_diagram(image(6, 7, 8))
    assert diagram.plot(axes) is axes
    n_points = sum(len(one.get_offsets()) for one in axes.collections)
    assert n_points == (diagram.diagram["Persistence"] > 0).sum() - 1  # without the diagonal
    axes = separatrix_vtk.rips_barcodes(pyvista.PointSet(POINTS)).plot(Figure().subplots())
    assert len(axes.collections[0].get_segments()) == len(POINTS)
