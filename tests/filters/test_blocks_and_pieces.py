"""Data in several blocks, and datasets in pieces, which are never processed separately."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import (
    vtkCompositeDataSet,
    vtkDataSetAttributes,
    vtkImageData,
    vtkMultiBlockDataSet,
    vtkMultiPieceDataSet,
    vtkOverlappingAMR,
    vtkPartitionedDataSet,
    vtkPartitionedDataSetCollection,
    vtkPolyData,
    vtkTable,
)
from vtkmodules.vtkIOParallelXML import vtkXMLPUnstructuredGridWriter
from vtkmodules.vtkIOXML import vtkXMLPUnstructuredGridReader

import separatrix_vtk
from filters.images import failed, image_with, noise, point_array
from filters.meshes import boxes, grid_of, named, surface_of
from filters.point_sets import cloud, polydata_of, table_of
from separatrix_vtk.base.join import joined

VALUES = noise(7, 8, 9)


def part(image: Any, extent: tuple[int, ...]) -> vtkImageData:
    """A part of an image, by its extent."""
    made = vtkImageData()
    made.DeepCopy(image)
    made.Crop(extent)
    return made


def whole_image() -> vtkImageData:
    image = image_with(VALUES, name="f")
    image.SetOrigin(3.0, -2.0, 0.5)
    image.SetSpacing(0.5, 0.25, 2.0)
    cells = np.arange(image.GetNumberOfCells(), dtype=np.int32)
    image.GetCellData().AddArray(named(cells, "cell"))
    return image


def image_parts(*, ghosts: bool = False) -> list[vtkImageData]:
    """Two parts that share a layer of points, or with ghosts two layers that hold nonsense."""
    image = whole_image()
    if not ghosts:
        return [part(image, (0, 4, 0, 7, 0, 6)), part(image, (4, 8, 0, 7, 0, 6))]
    left, right = part(image, (0, 5, 0, 7, 0, 6)), part(image, (4, 8, 0, 7, 0, 6))
    left.GenerateGhostArray([0, 4, 0, 7, 0, 6])
    values, flags = (point_array(left, name) for name in ("f", "vtkGhostType"))
    values[flags != 0] = -99.0
    return [left, right]


def pieces_of(*pieces: Any) -> vtkPartitionedDataSet:
    made = vtkPartitionedDataSet()
    for i, piece in enumerate(pieces):
        made.SetPartition(i, piece)
    return made


def run(filter: Any, dataset: Any) -> Any:
    filter.SetInputDataObject(dataset)
    filter.Update()
    return filter


def named_blocks(**blocks: Any) -> vtkMultiBlockDataSet:
    made = vtkMultiBlockDataSet()
    for i, (name, block) in enumerate(blocks.items()):
        made.SetBlock(i, block)
        made.GetMetaData(i).Set(vtkCompositeDataSet.NAME(), name)
    return made


# === one dataset in pieces


@pytest.mark.parametrize("ghosts", [False, True])
@pytest.mark.parametrize("kind", [vtkPartitionedDataSet, vtkMultiPieceDataSet])
def test_pieces_of_an_image_give_the_result_of_the_whole(kind, ghosts):
    whole = run(separatrix_vtk.MorseSmaleComplex(device="cpu"), whole_image())
    pieces = kind()
    for i, piece in enumerate(image_parts(ghosts=ghosts)):
        pieces.SetPartition(i, piece)
    found = run(separatrix_vtk.MorseSmaleComplex(device="cpu"), pieces)
    assert found.last_error == ""
    assert found.report["critical_cells"] == whole.report["critical_cells"]
    output = found.GetOutput(3)
    assert output.IsA("vtkPartitionedDataSet")
    assert output.GetNumberOfPartitions() == 1
    image = output.GetPartition(0)
    assert image.GetExtent() == (0, 8, 0, 7, 0, 6)
    for name in ("f", "MorseSmaleManifold"):
        np.testing.assert_array_equal(
            point_array(image, name), point_array(whole.GetOutput(3), name)
        )
    np.testing.assert_array_equal(
        point_array(found.GetOutput(0).GetPartition(0), "CellId"),
        point_array(whole.GetOutput(0), "CellId"),
    )


def test_cell_data_of_pieces_are_those_of_the_whole():
    made = joined(image_parts(), is_point_set=False)[0]
    assert [made.GetCellData().GetArray("cell").GetTuple1(i) for i in range(7 * 8 * 6)] == list(
        range(7 * 8 * 6)
    )


def test_pieces_with_origins_of_their_own_are_placed_by_these():
    moved = image_parts()[1]
    x, y, z = moved.GetOrigin()
    moved.SetOrigin(x + 4 * 0.5, y, z)
    moved.SetExtent(0, 4, 0, 7, 0, 6)
    made = joined([image_parts()[0], moved], is_point_set=False)[0]
    np.testing.assert_array_equal(point_array(made, "f"), VALUES.reshape(-1))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda image: image.Crop((6, 8, 0, 7, 0, 6)), "leave 56 points of their box"),
        (lambda image: image.SetSpacing(1, 1, 1), "must be of one grid; got spacing"),
        (lambda image: image.SetOrigin(3.1, -2.0, 0.5), "is shifted by 0.2 of a voxel"),
    ],
)
def test_pieces_that_do_not_fit_are_rejected_with_one_sentence(change, text):
    pieces = image_parts()
    change(pieces[1])
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    heard = []
    filter.AddObserver("ErrorEvent", lambda *_: heard.append(filter.last_error))
    run(filter, pieces_of(*pieces))
    assert text in filter.last_error
    assert len(heard) == 1
    assert filter.GetOutput().GetNumberOfPoints() == 0


def split_mesh(*, ids: bool = False, ghosts: bool = False) -> tuple[Any, list[Any]]:
    """A mesh, and the same in two pieces that repeat the points between them."""
    points, tets, values = boxes(3)
    whole = grid_of(points, tets, values)
    side = points[tets].mean(axis=1)[:, 0] < 1.4
    pieces = []
    for mine in (side, ~side):
        near = np.isin(tets, tets[mine]).any(axis=1) if ghosts else mine
        used, corners = np.unique(tets[near], return_inverse=True)
        piece = grid_of(points[used], corners.reshape(-1, 4), values[used])
        if ghosts:
            flags = np.where(mine[near], 0, vtkDataSetAttributes.DUPLICATECELL).astype(np.uint8)
            piece.GetCellData().AddArray(named(flags, "vtkGhostType"))
        if ids:
            array = named(used.astype(np.int64), "id")
            piece.GetPointData().SetGlobalIds(as_ids(array))
        pieces.append(piece)
    return whole, pieces


def as_ids(array: Any) -> Any:
    from vtkmodules.vtkCommonCore import vtkIdTypeArray

    made = vtkIdTypeArray()
    made.DeepCopy(array)
    made.SetName(array.GetName())
    return made


@pytest.mark.parametrize("ghosts", [False, True])
@pytest.mark.parametrize("ids", [False, True])
def test_pieces_of_a_mesh_give_the_result_of_the_whole(ids, ghosts):
    whole, pieces = split_mesh(ids=ids, ghosts=ghosts)
    expected = run(separatrix_vtk.CriticalPoints(device="cpu"), whole)
    found = run(separatrix_vtk.CriticalPoints(device="cpu"), pieces_of(*pieces))
    assert found.last_error == ""
    tables = []
    for data in (expected.GetOutput(), found.GetOutput().GetPartition(0)):
        columns = [point_array(data, name) for name in ("f", "CriticalType", "IsOnBoundary")]
        table = np.column_stack(columns)
        tables.append(table[np.argsort(table[:, 0])])
    np.testing.assert_array_equal(*tables)
    if ids:  # which are the numbers of the points of the whole
        assert point_array(found.GetOutput().GetPartition(0), "ttkVertexScalarField").tolist() == (
            point_array(expected.GetOutput(), "ttkVertexScalarField").tolist()
        )


def read_together(folder: Any, pieces: list[Any]) -> Any:
    """The plain grid that VTK's reader returns for a .pvtu file of these pieces."""
    for i, piece in enumerate(pieces):
        writer = vtkXMLPUnstructuredGridWriter()
        writer.SetFileName(str(folder / f"piece{i}.pvtu"))
        writer.SetInputData(piece)
        writer.Write()
    index = folder / "piece0.pvtu"
    one = '<Piece Source="piece0_0.vtu"/>'
    text = index.read_text()
    assert text.count(one) == 1
    index.write_text(text.replace(one, one + one.replace("piece0", "piece1")))
    reader = vtkXMLPUnstructuredGridReader()
    reader.SetFileName(str(index))
    reader.Update()
    return reader.GetOutput()


@pytest.mark.parametrize("ghosts", [False, True])
def test_a_plain_grid_that_repeats_global_ids_gives_the_result_of_the_whole(ghosts, tmp_path):
    whole, pieces = split_mesh(ids=True, ghosts=ghosts)
    together = read_together(tmp_path, pieces)
    assert together.GetNumberOfPoints() > whole.GetNumberOfPoints()
    expected = run(separatrix_vtk.CriticalPoints(device="cpu"), whole).GetOutput()
    for dataset in (together, named_blocks(mesh=together)):
        filter = run(separatrix_vtk.CriticalPoints(device="cpu"), dataset)
        assert filter.last_error == ""
        found = filter.GetOutput()
        found = found if dataset is together else found.GetBlock(0)
        for name in ("f", "CriticalType", "IsOnBoundary", "ttkVertexScalarField"):
            np.testing.assert_array_equal(point_array(found, name), point_array(expected, name))
    filter = run(separatrix_vtk.MorseSmaleComplex(device="cpu"), together)
    assert "gradient" in filter.report["seconds"]
    filter.persistence = 0.1
    filter.Update()
    assert "gradient" not in filter.report["seconds"]  # the joined grid is kept
    filter = run(separatrix_vtk.MeshRelations(device="cpu"), together)
    assert filter.report["points"] == whole.GetNumberOfPoints()
    assert filter.report["tetrahedra"] == whole.GetNumberOfCells()


def test_points_of_one_global_id_at_two_places_are_rejected_in_pieces_and_kept_in_one(tmp_path):
    _, pieces = split_mesh(ids=True)
    shared = pieces[1].GetPointData().GetGlobalIds()
    shared.SetValue(0, pieces[0].GetPointData().GetGlobalIds().GetValue(0))
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    text = failed(filter, pieces_of(*pieces))
    assert "Points of equal global ids must be at the same place; got id " in text
    assert "or remove them (Pass Arrays) to join points by their coordinates." in text
    assert filter.GetOutputDataObject(0).GetNumberOfPoints() == 0
    together = read_together(tmp_path, pieces)
    filter = run(separatrix_vtk.MeshRelations(device="cpu"), together)
    assert filter.last_error == ""
    assert filter.report["points"] == together.GetNumberOfPoints()


def test_a_surface_in_pieces_remains_a_surface():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    pieces = [
        surface_of(points[[0, 1, 2]], [[0, 1, 2]], np.arange(3.0)),
        surface_of(points[[1, 3, 2]], [[0, 1, 2]], np.array([1.0, 3.0, 2.0])),
    ]
    made, n_merged = joined(pieces, is_point_set=False)
    assert isinstance(made, vtkPolyData)
    assert (made.GetNumberOfPoints(), n_merged) == (4, 2)
    assert point_array(made, "f").tolist() == [0, 1, 2, 3]


def test_points_of_a_set_are_not_merged_except_ghosts():
    points = cloud(20)
    ghost = polydata_of(points[8:])
    flags = np.zeros(12, np.uint8)
    flags[:2] = vtkDataSetAttributes.DUPLICATEPOINT
    ghost.GetPointData().AddArray(named(flags, "vtkGhostType"))
    pieces = [polydata_of(points[:10]), ghost]
    assert joined(pieces, is_point_set=True)[0].GetNumberOfPoints() == 20
    twice = [polydata_of(points), polydata_of(points)]
    assert joined(twice, is_point_set=True)[0].GetNumberOfPoints() == 40
    whole = run(separatrix_vtk.AlphaComplex(device="cpu", radius_source="constant"), twice[0])
    found = run(
        separatrix_vtk.AlphaComplex(device="cpu", radius_source="constant"), pieces_of(*pieces)
    )
    fields = [data.GetFieldData() for data in (whole.GetOutput(4),
              found.GetOutput(4).GetPartition(0))]  # fmt: skip
    volumes = [field.GetArray("TotalVolume").GetTuple1(0) for field in fields]
    assert volumes[1] == pytest.approx(volumes[0])


def test_shared_points_of_pieces_count_once():
    whole, pieces = split_mesh()
    found = run(separatrix_vtk.RipsBarcodes(device="cpu", max_dimension=0), pieces_of(*pieces))
    assert found.GetOutput(3).GetNumberOfRows() == whole.GetNumberOfPoints()


def test_tables_in_pieces_are_one_table():
    x, y, z = cloud(12).T
    pieces = [table_of(x=x[:5], y=y[:5], z=z[:5]), table_of(x=x[5:], y=y[5:], z=z[5:])]
    made = joined(pieces, is_point_set=True)[0]
    assert isinstance(made, vtkTable)
    assert [made.GetColumnByName("z").GetTuple1(i) for i in range(12)] == z.tolist()


def test_pieces_of_different_kinds_are_rejected():
    pieces = pieces_of(polydata_of(cloud(5)), whole_image())
    found = run(separatrix_vtk.NeighborStatistics(device="cpu"), pieces)
    assert "The pieces of the input must be of one kind" in found.last_error


def test_joined_pieces_are_cached_until_one_changes():
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    pieces = pieces_of(*image_parts())
    run(filter, pieces)
    first = dict(filter.report["seconds"])
    filter.persistence = 0.1
    filter.Update()
    assert "gradient" in first
    assert "gradient" not in filter.report["seconds"]
    pieces.GetPartition(0).GetPointData().GetArray("f").Modified()
    pieces.Modified()
    filter.Update()
    assert "gradient" in filter.report["seconds"]


# === several datasets


@pytest.mark.parametrize("gap", [None, vtkImageData(), vtkPolyData()])
def test_blocks_keep_their_names_and_empty_ones_their_places(gap):
    inner = named_blocks(deep=image_with(noise(3, 4, 5)))
    blocks = named_blocks(left=image_with(noise(4, 4, 4)), gap=gap, group=inner)
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    texts = []
    filter.AddObserver("ProgressEvent", lambda *_: texts.append(filter.GetProgressText() or ""))
    run(filter, blocks)
    for port in range(6):
        output = filter.GetOutput(port)
        assert output.GetNumberOfBlocks() == 3
        names = [output.GetMetaData(i).Get(vtkCompositeDataSet.NAME()) for i in range(3)]
        assert names == ["left", "gap", "group"]
        assert output.GetBlock(1) is None
        assert output.GetBlock(2).GetMetaData(0).Get(vtkCompositeDataSet.NAME()) == "deep"
    assert filter.GetOutput(3).GetBlock(2).GetBlock(0).GetDimensions() == (5, 4, 3)
    assert filter.last_error == ""
    assert any(text.startswith("block 'left': ") for text in texts)
    assert any(text.startswith("block 'group/deep': ") for text in texts)
    assert set(filter.report["blocks"]) == {"block 'left'", "block 'group/deep'"}


def test_blocks_of_the_same_name_have_separate_reports():
    blocks = named_blocks(a=image_with(noise(3, 3, 3)), b=image_with(noise(4, 4, 4)))
    blocks.GetMetaData(1).Set(vtkCompositeDataSet.NAME(), "a")
    filter = run(separatrix_vtk.CriticalPoints(device="cpu"), blocks)
    assert set(filter.report["blocks"]) == {"block 'a'", "block 'a' (1)"}


@pytest.mark.parametrize("bad", [0, 1])
def test_an_error_names_its_block_and_does_not_affect_others(bad):
    bare = vtkImageData()
    bare.SetDimensions(2, 2, 2)
    given = [("good", image_with(noise(3, 3, 3)))]
    given.insert(bad, ("bad", bare))
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    said = failed(filter, named_blocks(**dict(given)))
    assert said.count("ERROR") == 1
    assert filter.last_error.startswith("block 'bad': The input has no active point scalars")
    assert filter.GetOutput().GetBlock(1 - bad).GetNumberOfPoints() > 0
    assert filter.GetOutput().GetBlock(bad).GetNumberOfPoints() == 0
    run(filter, named_blocks(good=image_with(noise(3, 3, 3))))
    assert filter.last_error == ""


def test_each_dataset_of_a_collection_is_joined_from_its_pieces():
    collection = vtkPartitionedDataSetCollection()
    collection.SetPartitionedDataSet(0, pieces_of(*image_parts()))
    collection.SetPartitionedDataSet(1, pieces_of(image_with(noise(3, 3, 3))))
    collection.GetMetaData(0).Set(vtkCompositeDataSet.NAME(), "in pieces")
    found = run(separatrix_vtk.CriticalPoints(device="cpu"), collection)
    whole = run(separatrix_vtk.CriticalPoints(device="cpu"), whole_image())
    output = found.GetOutput()
    assert output.IsA("vtkPartitionedDataSetCollection")
    assert output.GetMetaData(0).Get(vtkCompositeDataSet.NAME()) == "in pieces"
    np.testing.assert_array_equal(
        point_array(output.GetPartition(0, 0), "CellId"), point_array(whole.GetOutput(), "CellId")
    )
    assert output.GetPartition(1, 0).GetNumberOfPoints() > 0


def test_grids_of_several_levels_are_rejected_with_one_sentence():
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    filter.AddObserver("ErrorEvent", lambda *_: None)
    run(filter, vtkOverlappingAMR())
    assert "whose grids overlap. Apply Resample To Image" in filter.last_error


def test_blocks_and_plain_datasets_can_alternate():
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    plain = image_with(noise(4, 4, 4))
    expected = run(separatrix_vtk.CriticalPoints(device="cpu"), plain).GetOutput()
    for given in (plain, named_blocks(one=plain), pieces_of(plain), plain):
        output = run(filter, given).GetOutput()
        while not isinstance(output, vtkPolyData):
            block = getattr(output, "GetBlock", None) or output.GetPartition
            output = block(0)
        np.testing.assert_array_equal(
            point_array(output, "CellId"), point_array(expected, "CellId")
        )


def test_an_abort_leaves_every_block_empty():
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    filter.AddObserver("ProgressEvent", lambda *_: filter.SetAbortExecute(1))
    run(filter, named_blocks(one=image_with(noise(4, 4, 4)), two=image_with(noise(4, 4, 4))))
    assert filter.GetOutput().GetNumberOfPoints() == 0
    assert filter.last_error == ""


# === what goes between processes
