"""AlphaComplex: the engine's complex in arrays of the documented names, on every port."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import (
    VTK_LINE,
    VTK_TETRA,
    VTK_TRIANGLE,
    VTK_VERTEX,
)

import separatrix as sx
import separatrix_vtk
from filters.images import array_types, is_empty, message_window
from filters.images import cell_array as cells
from filters.images import point_array as points
from filters.point_sets import polydata_of
from separatrix_vtk.io.point_files import read_points

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


def soup(seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Balls of different sizes that overlap, on multiples of 0.001."""
    rng = np.random.default_rng(seed)
    return rng.random((60, 3)).round(3) * 8, rng.uniform(1.0, 1.8, 60).round(3)


def hollow() -> tuple[np.ndarray, np.ndarray]:
    """A shell of balls around a void, one ball inside the void, one outside, one hidden."""
    k = np.arange(110) + 0.5
    z, turn = 1 - 2 * k / 110, k * np.pi * (1 + 5**0.5)
    flat = np.sqrt(1 - z * z)
    wall = (4 * np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z])).round(3)
    centers = np.vstack([wall, [[0.1, 0.2, 0.3]], [[20, 0, 0]], [[20.1, 0, 0]]])
    return centers, np.concatenate([np.full(110, 1.2), [0.7, 1.5, 0.5]])


def balls(centers: np.ndarray, radii: np.ndarray, **columns: np.ndarray) -> Any:
    return polydata_of(centers, radius=radii, **columns)


def found(of: tuple[np.ndarray, np.ndarray], **settings: Any) -> Any:
    return separatrix_vtk.alpha_complex(balls(*of), device="cpu", **settings)


def field(dataset: Any, name: str) -> float:
    return dataset.GetFieldData().GetArray(name).GetTuple1(0)


def corners(dataset: Any) -> np.ndarray:
    """Positions (m, 3, 3) of the corners of triangles."""
    items = vtk_to_numpy(dataset.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    return vtk_to_numpy(dataset.GetPoints().GetData())[items]


@pytest.mark.parametrize("alpha", [-0.5, 0.0, 2.0])
@pytest.mark.parametrize("probe", [0.0, 0.6])
def test_the_cells_are_the_engines_simplices(alpha, probe):
    centers, radii = soup()
    grid = found((centers, radii), alpha=alpha, probe=probe).complex
    expected = sx.alpha_complex(centers, radii, alpha, probe=probe, device="cpu")
    tables = (expected.vertices, expected.edges, expected.triangles, expected.tets)
    kinds = (VTK_VERTEX, VTK_LINE, VTK_TRIANGLE, VTK_TETRA)
    cell = 0
    for dimension, (table, kind) in enumerate(zip(tables, kinds, strict=True)):
        for row in range(len(table)):
            assert grid.GetCellType(cell) == kind
            ids = grid.GetCell(cell).GetPointIds()
            assert [ids.GetId(i) for i in range(dimension + 1)] == table.simplices[row].tolist()
            cell += 1
    assert grid.GetNumberOfCells() == cell == sum(expected.counts)
    for name, column in (("AlphaValue", "alpha_value"), ("Kind", "kind")):
        values = np.concatenate([getattr(table, column) for table in tables])
        np.testing.assert_array_equal(cells(grid, name), values)
    np.testing.assert_array_equal(
        cells(grid, "CellDimension"), np.repeat(np.arange(4), expected.counts)
    )
    np.testing.assert_array_equal(cells(grid, "IsOnBoundary"), cells(grid, "Kind") != 2)
    np.testing.assert_array_equal(
        cells(grid, "IsGabriel"), np.concatenate([table.is_gabriel for table in tables])
    )
    assert array_types(grid.GetCellData()) == {
        "AlphaValue": "double",
        "CellDimension": "signed char",
        "IsOnBoundary": "signed char",
        "Kind": "signed char",
        "IsGabriel": "signed char",
    }
    np.testing.assert_array_equal(points(grid, "BallRadius"), radii)
    assert grid.GetCellData().GetScalars().GetName() == "Kind"


def test_the_field_data_contain_counts_topology_and_totals():
    expected = sx.alpha_complex(*hollow(), 0.1, probe=0.05, device="cpu")
    outputs = found(hollow(), alpha=0.1, probe=0.05)
    for dataset in (outputs.complex, outputs.atoms):
        numbers = {
            "Alpha": expected.alpha,
            "ProbeRadius": 0.05,
            "Resolution": 0.001,
            "NumberOfAtoms": 113,
            "EulerCharacteristic": expected.euler_characteristic,
            "NumberOfHiddenAtoms": 1,
            "TotalVolume": expected.volume(),
            "TotalArea": expected.area(),
            "NumberOfVoids": 1,
            "VoidVolume": expected.voids().volume[0],
            **{f"Betti{d}": number for d, number in enumerate(expected.betti)},
        }
        for name, number in numbers.items():
            assert field(dataset, name) == number, name
    names = ("Vertices", "Edges", "Triangles", "Tetrahedra")
    counts = [field(outputs.complex, f"NumberOf{name}") for name in names]
    assert tuple(counts) == expected.counts


def test_the_boundary_is_oriented_and_identifies_the_void_that_it_faces():
    boundary = found(hollow()).boundary
    void = cells(boundary, "VoidId")
    assert set(void.tolist()) == {-1, 0}
    for side, sign in ((-1, 1), (0, -1)):
        a, b, c = corners(boundary)[void == side].transpose(1, 0, 2)
        # Outward of the solid: away from the middle outside, toward it in the void.
        outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), (a + b + c) / 3)
        assert (np.sign(outward) == sign).all()
    assert array_types(boundary.GetCellData())["ComponentId"] == "int"
    surface = sx.alpha_complex(*hollow(), device="cpu").boundary_surface()
    np.testing.assert_array_equal(cells(boundary, "ComponentId"), surface.component)
    used = points(boundary, "AtomId")
    assert set(used.tolist()) == set(surface.triangles.ravel().tolist())
    np.testing.assert_array_equal(corners(boundary), hollow()[0][surface.triangles])


def test_a_void_is_a_closed_surface_with_its_measures():
    voids = found(hollow()).voids
    expected = sx.alpha_complex(*hollow(), device="cpu").voids()
    for name, value in {
        "VoidId": 0,
        "Volume": expected.volume[0],
        "Area": expected.area[0],
        "NumberOfIslands": 1,
        "NumberOfAtoms": len(expected.atoms),
    }.items():
        assert set(cells(voids, name).tolist()) == {value}, name
    edges = vtk_to_numpy(voids.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    directed = [tuple(t[[i, (i + 1) % 3]]) for t in edges for i in range(3)]
    assert sorted(directed) == sorted((b, a) for a, b in directed)  # no edge is open
    assert voids.GetNumberOfPoints() == 110


def test_atoms_have_their_measures_and_the_void_that_they_line():
    centers, radii = hollow()
    outputs = found((centers, radii), alpha=0.2, probe=0.1)
    atoms, expected = outputs.atoms, sx.alpha_complex(centers, radii, 0.2, probe=0.1, device="cpu")
    measures = expected.per_ball()
    np.testing.assert_array_equal(points(atoms, "Volume"), measures.volume)
    np.testing.assert_array_equal(points(atoms, "Area"), measures.area)
    np.testing.assert_allclose(points(atoms, "GrownRadius"), np.sqrt((radii + 0.1) ** 2 + 0.2))
    assert np.flatnonzero(points(atoms, "IsHidden")).tolist() == [112]
    lines = points(atoms, "VoidId") == 0
    assert np.flatnonzero(lines).tolist() == expected.voids().atoms_of(0).tolist()
    assert points(atoms, "Area")[112] == 0
    assert atoms.GetNumberOfCells() == 113
    assert atoms.GetPointData().GetScalars().GetName() == "Area"


def test_pockets_have_walls_mouths_and_measures():
    atoms, _ = read_points(SAMPLES / "1u71.pdb")
    outputs = separatrix_vtk.alpha_complex(atoms, probe=1.4, compute_pockets=True, device="cpu")
    surface = outputs.pockets
    assert field(outputs.complex, "LargestAlpha") == np.inf
    n_pockets = int(field(outputs.complex, "NumberOfPockets"))
    largest = cells(surface, "PocketId") == 0
    assert cells(surface, "Volume")[largest][0] == cells(surface, "Volume").max()
    assert cells(surface, "NumberOfMouths")[largest][0] == 3
    assert len(set(cells(surface, "MouthId")[largest & (cells(surface, "IsMouth") == 1)])) == 3
    is_mouth = cells(surface, "IsMouth") == 1
    np.testing.assert_array_equal(is_mouth, cells(surface, "MouthId") >= 0)
    for name in ("MouthArea", "MouthCircumference"):
        assert not cells(surface, name)[~is_mouth].any()
    assert 10 < cells(surface, "MouthArea")[largest].max() < 200
    assert set(cells(surface, "PocketId").tolist()) == set(range(n_pockets))
    # The inhibitor of the wwPDB entry, which the sample lacks, has its middle here.
    lining = points(outputs.atoms, "PocketId") == 0
    middle = vtk_to_numpy(outputs.atoms.GetPoints().GetData())[lining].mean(axis=0)
    assert np.linalg.norm(middle - [30.615, 13.593, -0.772]) < 1.5
    n_residues = cells(surface, "NumberOfResidues")[largest][0]
    assert 15 < n_residues < cells(surface, "NumberOfAtoms")[largest][0] / 2
    assert cells(surface, "Depth")[largest][0] == cells(surface, "Depth").max() > 5
    without = (cells(surface, "NumberOfMouths") == 0).astype(bool)
    assert not cells(surface, "Depth")[without].any()
    n_voids = len(set(cells(surface, "PocketId")[without].tolist()))
    assert n_voids == field(outputs.complex, "NumberOfVoids")


def test_protrusions_are_numbered_on_the_atoms():
    atoms, _ = read_points(SAMPLES / "1u71.pdb")
    outputs = separatrix_vtk.alpha_complex(atoms, probe=1.4, protrusion_radius=8.0, device="cpu")
    number = points(outputs.atoms, "ProtrusionId")
    np.testing.assert_array_equal(points(outputs.complex, "ProtrusionId"), number)
    n_atoms = np.bincount(number[number >= 0])
    assert len(n_atoms) == field(outputs.complex, "NumberOfProtrusions") >= 3
    volume = np.bincount(number[number >= 0], points(outputs.atoms, "Volume")[number >= 0])
    assert (np.diff(volume) <= 0).all()
    assert 0.2 < n_atoms[0] / len(number) < 0.6  # one of the two lobes of the enzyme


def test_the_diagram_has_one_line_per_pair_and_the_diagonal():
    centers, radii = soup()
    outputs = found((centers, radii), alpha=0.5, largest_alpha=3.0, compute_diagram=True)
    diagram = outputs.diagram
    raw = sx.alpha_complex(centers, radii, 3.0, device="cpu")
    pairs = raw.persistence_diagram()
    n = len(pairs)
    assert diagram.GetNumberOfCells() == n + 1
    np.testing.assert_array_equal(cells(diagram, "Birth")[:-1], pairs.birth)
    is_finite = np.isfinite(pairs.death)
    np.testing.assert_array_equal(
        cells(diagram, "Death")[:-1], np.where(is_finite, pairs.death, 3.0)
    )
    np.testing.assert_array_equal(cells(diagram, "IsFinite")[:-1], is_finite)
    np.testing.assert_array_equal(cells(diagram, "PairType")[:-1], pairs.dimension)
    assert cells(diagram, "PairIdentifier")[-1] == cells(diagram, "PairType")[-1] == -1
    bars = vtk_to_numpy(outputs.barcode.GetPoints().GetData()).reshape(-1, 2, 3)
    for name in ("Birth", "Death", "PairType", "IsFinite"):
        np.testing.assert_array_equal(cells(outputs.barcode, name), cells(diagram, name)[:-1])
    np.testing.assert_array_equal(bars[:, 0, 0], cells(outputs.barcode, "Birth"))
    np.testing.assert_array_equal(bars[:, 1, 0], cells(outputs.barcode, "Death"))
    assert (np.diff(bars[:, 0, 1]) < 0).all()
    ends = points(diagram, "CellDimension").reshape(-1, 2)[:-1]
    np.testing.assert_array_equal(ends[:, 0], pairs.dimension)
    np.testing.assert_array_equal(ends[is_finite, 1], pairs.dimension[is_finite] + 1)
    # A class of dimension 0 ends at the middle of an edge.
    row = int(np.flatnonzero((pairs.dimension == 0) & is_finite)[0])
    edge = raw.edges.simplices[pairs.death_cell[row] - raw.counts[0]]
    place = points(diagram, "Coordinates").reshape(-1, 2, 3)[row, 1]
    np.testing.assert_allclose(place, centers[edge].mean(axis=0))
    assert field(outputs.complex, "Alpha") == 0.5


def test_without_a_largest_alpha_the_diagram_ends_at_the_last_event():
    diagram = found(soup(), compute_diagram=True).diagram
    birth, death = cells(diagram, "Birth"), cells(diagram, "Death")
    is_finite = cells(diagram, "IsFinite")[:-1] == 1
    assert (cells(diagram, "PairType")[:-1][~is_finite]).tolist() == [0]
    assert death[:-1][~is_finite] == death[-1] == max(birth.max(), death[:-1][is_finite].max())


def test_disabled_outputs_are_empty_and_the_others_unchanged():
    off = {f"compute_{name}": False for name in ("complex", "boundary", "voids", "measures")}
    outputs = found(soup(), **off)
    for dataset in outputs[:4]:
        assert is_empty(dataset)
    assert is_empty(outputs.diagram)
    assert is_empty(outputs.barcode)
    assert not outputs.atoms.GetPointData().HasArray("Volume")
    assert not outputs.atoms.GetFieldData().HasArray("Betti0")
    assert outputs.atoms.GetNumberOfPoints() == 60


def test_arrays_of_the_input_are_passed_on_unless_an_output_has_their_name():
    centers, radii = hollow()
    names = np.arange(113) * 2
    data = balls(centers, radii, residue=names, BallRadius=np.zeros(113))
    outputs = separatrix_vtk.alpha_complex(data, device="cpu")
    np.testing.assert_array_equal(points(outputs.complex, "residue"), names)
    np.testing.assert_array_equal(points(outputs.atoms, "BallRadius"), radii)
    of_void = points(outputs.voids, "AtomId")
    np.testing.assert_array_equal(points(outputs.voids, "residue"), names[of_void])
    assert data.GetPointData().GetArray("BallRadius").GetRange() == (0.0, 0.0)


@pytest.mark.parametrize("kept", [np.float32, np.float64])
def test_positions_keep_their_type(kept):
    centers, radii = soup()
    outputs = found((centers.astype(kept), radii))
    for dataset in (outputs.complex, outputs.boundary, outputs.atoms):
        assert vtk_to_numpy(dataset.GetPoints().GetData()).dtype == kept


def test_a_very_small_alpha_gives_an_empty_complex():
    outputs = found(soup(), alpha=-9.0, compute_diagram=True, compute_pockets=True)
    assert outputs.complex.GetNumberOfCells() == 0
    assert field(outputs.complex, "TotalVolume") == 0.0
    assert points(outputs.atoms, "GrownRadius").max() == 0.0
    assert outputs.atoms.GetNumberOfPoints() == 60


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_balls_are_complexes(n):
    outputs = found((np.zeros((n, 3)) + np.arange(n)[:, None], np.ones(n)), compute_diagram=True)
    assert outputs.complex.GetNumberOfCells() == 2 * n - 1
    assert field(outputs.complex, "Betti0") == 1
    if n == 1:
        assert field(outputs.complex, "TotalVolume") == pytest.approx(4 / 3 * np.pi, rel=1e-12)


def test_beyond_the_work_limit_a_whole_triangulation_gives_the_same_cells():
    plain = found(soup(), alpha=2.0).complex
    with pytest.raises(sx.InputError, match="set method='auto'"):
        found(soup(), alpha=2.0, work_limit=1.0, method="local")
    whole = found(soup(), alpha=2.0, work_limit=1.0).complex
    for name in ("AlphaValue", "Kind", "IsGabriel", "CellDimension"):
        assert np.array_equal(cells(whole, name), cells(plain, name))


def test_frames_of_a_time_series_can_use_the_complete_triangulation():
    settings = {"device": "cpu", "probe": 1.0}
    local, _ = separatrix_vtk.AlphaTimeSeries(**settings).run(balls(*soup()))
    series = separatrix_vtk.AlphaTimeSeries(work_limit=1.0, method="local", **settings)
    with pytest.raises(sx.InputError, match="raise work_limit, or set method='auto'"):
        series.run(balls(*soup()))
    series.method = "complete"
    whole, _ = series.run(balls(*soup()))
    for name in ("TotalVolume", "TotalArea", "NumberOfTetrahedra"):
        assert whole.GetColumnByName(name).GetTuple1(0) == local.GetColumnByName(name).GetTuple1(0)


def test_a_grid_too_coarse_for_the_balls_issues_a_warning():
    filter = separatrix_vtk.AlphaComplex(device="cpu")
    filter.radius_source, filter.constant_radius = "constant", 0.02  # 20 steps
    warnings = []
    filter.AddObserver("WarningEvent", lambda *_: warnings.append("warned"))
    filter.SetInputDataObject(polydata_of(soup()[0] / 100))
    with message_window():
        filter.Update()
    assert warnings == ["warned"]
    filter.resolution = 1e-5
    filter.Update()
    assert warnings == ["warned"]


@pytest.mark.parametrize(("scale", "says"), [(1.0, False), (0.1, True)])
def test_positions_in_nanometers_are_suspected(scale, says, monkeypatch):
    said = []
    monkeypatch.setattr(separatrix_vtk.AlphaComplex, "warn", lambda _, text: said.append(text))
    lattice = np.stack(np.meshgrid(*[np.arange(4.0) * 1.5] * 3), -1).reshape(-1, 3)
    data = polydata_of(lattice * scale, atom_type=np.full(64, 6))
    separatrix_vtk.alpha_complex(data, device="cpu")
    assert [("nanometers" in text) for text in said] == [True] * says
