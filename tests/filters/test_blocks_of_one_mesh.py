"""Blocks that share points by global ids are one mesh; all others are processed separately."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkIdList
from vtkmodules.vtkCommonDataModel import (
    VTK_POLYHEDRON,
    vtkDataSetAttributes,
    vtkPartitionedDataSetCollection,
    vtkUnstructuredGrid,
)
from vtkmodules.vtkFiltersCore import vtkAppendFilter

import separatrix as sx
import separatrix_vtk
from filters.images import point_array
from filters.meshes import boxes, grid_of, named, surface_of
from filters.test_blocks_and_pieces import as_ids, named_blocks, pieces_of, run, split_mesh

COLUMNS = ("f", "CriticalType", "IsOnBoundary", "ttkVertexScalarField")


def with_ids(mesh: Any, first: int = 0) -> Any:
    """The mesh, whose points are numbered from `first`."""
    ids = np.arange(first, first + mesh.GetNumberOfPoints(), dtype=np.int64)
    mesh.GetPointData().SetGlobalIds(as_ids(named(ids, "id")))
    return mesh


def moved(mesh: Any) -> Any:
    """A copy at another place, with the same ids."""
    made = vtkUnstructuredGrid()
    made.DeepCopy(mesh)
    points = made.GetPoints()
    for i in range(points.GetNumberOfPoints()):
        x, y, z = points.GetPoint(i)
        points.SetPoint(i, x + 20, y, z)
    return made


def leaves(output: Any) -> list[Any]:
    if output.IsA("vtkMultiBlockDataSet"):
        return [output.GetBlock(i) for i in range(output.GetNumberOfBlocks())]
    sets = map(output.GetPartitionedDataSet, range(output.GetNumberOfPartitionedDataSets()))
    return [one.GetPartition(0) if one and one.GetNumberOfPartitions() else None for one in sets]


def size_of(leaf: Any) -> int:
    return 0 if leaf is None else int(leaf.GetNumberOfPoints())


def warned(filter: Any, dataset: Any) -> list[str]:
    texts: list[str] = []
    note = lambda *given: texts.append(given[-1])  # noqa: E731
    note.CallDataType = "string0"
    filter.AddObserver("WarningEvent", note)
    run(filter, dataset)
    assert filter.last_error == ""
    return texts


def collection(*pieces: Any) -> Any:
    made = vtkPartitionedDataSetCollection()
    for i, piece in enumerate(pieces):
        made.SetPartitionedDataSet(i, pieces_of(piece))
    return made


@pytest.mark.parametrize(
    "made", [lambda *blocks: named_blocks(left=blocks[0], right=blocks[1]), collection]
)
@pytest.mark.parametrize("ghosts", [False, True])
def test_blocks_that_share_global_ids_give_the_result_of_the_whole(made, ghosts):
    whole, blocks = split_mesh(ids=True, ghosts=ghosts)
    expected = run(separatrix_vtk.CriticalPoints(device="cpu"), whole).GetOutput()
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    texts = warned(filter, made(*blocks))
    assert len(texts) == 1
    assert "because they have points of equal global ids" in texts[0]
    found, other = leaves(filter.GetOutputDataObject(0))
    assert size_of(other) == 0
    for name in COLUMNS:
        np.testing.assert_array_equal(point_array(found, name), point_array(expected, name))


def test_the_joined_mesh_is_kept_for_another_threshold():
    _, (left, right) = split_mesh(ids=True)
    blocks = named_blocks(left=left, gap=None, right=right)
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    texts = warned(filter, blocks)
    assert texts[0].startswith("Block 'left' contains the results of block 'right', too")
    filter.persistence = 0.1
    filter.Update()
    assert len(texts) == 1
    assert "gradient" not in filter.report["blocks"]["block 'left'"]["seconds"]
    assert [*filter.report["blocks"]] == ["block 'left'"]


def separate() -> dict[str, Callable[[], list[Any]]]:
    def whole() -> Any:
        return with_ids(split_mesh()[0])

    def face() -> Any:
        points, tets, values = boxes(3)
        return with_ids(surface_of(points, tets[:1, :3], values))

    def other_body() -> Any:
        mesh = whole()
        return with_ids(moved(mesh), mesh.GetNumberOfPoints())

    def other_field() -> list[Any]:
        _, (left, right) = split_mesh(ids=True)
        right.GetPointData().GetArray("f").SetName("g")
        right.GetPointData().SetActiveScalars("g")
        return [left, right]

    def other_type() -> list[Any]:
        _, (left, right) = split_mesh(ids=True)
        values = named(point_array(right, "f").astype(np.float32), "f")
        right.GetPointData().SetScalars(values)
        return [left, right]

    return {
        "another field": other_field,
        "a field of another type": other_type,
        "without ids": lambda: split_mesh()[1],
        "ids of each block": lambda: [whole(), moved(whole())],
        "other ids": lambda: [whole(), other_body()],
        "two copies": lambda: [whole(), whole()],
        "a surface of the volume": lambda: [whole(), face()],
        "ids in one block": lambda: [split_mesh(ids=True)[1][0], split_mesh()[1][1]],
    }


@pytest.mark.parametrize("name", separate())
def test_other_blocks_are_separate(name):
    first, second = separate()[name]()
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    assert warned(filter, named_blocks(left=first, right=second)) == []
    for leaf, block in zip(leaves(filter.GetOutputDataObject(0)), (first, second), strict=True):
        alone = run(separatrix_vtk.CriticalPoints(device="cpu"), block).GetOutput()
        name = block.GetPointData().GetScalars().GetName()
        np.testing.assert_array_equal(point_array(leaf, name), point_array(alone, name))


def test_two_meshes_of_several_blocks_are_two():
    whole, (left, right) = split_mesh(ids=True)
    n = whole.GetNumberOfPoints()
    others = [moved(block) for block in (left, right)]
    for block in others:
        ids = block.GetPointData().GetGlobalIds()
        for i in range(ids.GetNumberOfTuples()):
            ids.SetValue(i, ids.GetValue(i) + n)
    filter = separatrix_vtk.MeshRelations(device="cpu")
    blocks = named_blocks(a=left, b=others[0], c=right, d=others[1])
    (text,) = warned(filter, blocks)
    assert "Block 'a' contains the results of block 'c'" in text
    assert "Block 'b' contains the results of block 'd'" in text
    reports = filter.report["blocks"]
    assert [reports[f"block '{name}'"]["points"] for name in "ab"] == [n, n]


def appended(*meshes: Any) -> Any:
    """The meshes as one, with the ids of each."""
    append = vtkAppendFilter()
    for mesh in meshes:
        append.AddInputData(mesh)
    append.Update()
    return append.GetOutput()


@pytest.mark.parametrize("order", [*itertools.permutations("abc")])
def test_blocks_that_cannot_be_of_one_mesh_are_separate_in_any_order(order):
    _, (left, right) = split_mesh(ids=True)
    twice = appended(moved(left), left)
    for blocks in ({"a": left, "b": left, "c": right}, {"a": twice, "b": twice, "c": right}):
        filter = separatrix_vtk.MeshRelations(device="cpu")
        assert warned(filter, named_blocks(**{name: blocks[name] for name in order})) == []
        for name in order:
            n = blocks[name].GetNumberOfPoints()
            assert filter.report["blocks"][f"block '{name}'"]["points"] == n


@pytest.mark.parametrize("order", [*itertools.permutations("abc")])
def test_another_mesh_with_equal_ids_does_not_keep_blocks_from_joining(order):
    _, (left, right) = split_mesh(ids=True)
    blocks = {"a": left, "b": right, "c": moved(appended(left, right))}
    filter = separatrix_vtk.MeshRelations(device="cpu")
    assert len(warned(filter, named_blocks(**{name: blocks[name] for name in order}))) == 1
    assert len(filter.report["blocks"]) == 2


def test_a_block_within_another_is_a_part_of_its_mesh():
    points, tets, values = boxes(3)
    inside = np.arange(len(tets)) == len(tets) // 2
    blocks = []
    for mine in (inside, ~inside):
        used, corners = np.unique(tets[mine], return_inverse=True)
        block = grid_of(points[used], corners.reshape(-1, 4), values[used])
        block.GetPointData().SetGlobalIds(as_ids(named(used.astype(np.int64), "id")))
        blocks.append(block)
    filter = separatrix_vtk.MeshRelations(device="cpu")
    assert warned(filter, named_blocks(one=blocks[0], rest=blocks[1]))
    assert filter.report["blocks"]["block 'one'"]["tetrahedra"] == len(tets)


def as_polyhedra(grid: Any) -> Any:
    """The grid with each tetrahedron as a polyhedron of four faces."""
    made = vtkUnstructuredGrid()
    made.SetPoints(grid.GetPoints())
    for corners in vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 4):
        faces = vtkIdList()
        for number in (4, *(k for face in itertools.combinations(corners, 3) for k in (3, *face))):
            faces.InsertNextId(int(number))
        made.InsertNextCell(VTK_POLYHEDRON, faces)
    made.GetPointData().ShallowCopy(grid.GetPointData())
    for name in range(grid.GetCellData().GetNumberOfArrays()):
        made.GetCellData().AddArray(grid.GetCellData().GetArray(name))
    return made


@pytest.mark.skipif(not hasattr(vtkUnstructuredGrid, "SetPolyhedralCells"), reason="VTK before 9.4")
@pytest.mark.parametrize("ghosts", [False, True])
def test_blocks_of_polyhedra_are_joined_and_cut_on_request(ghosts):
    whole, blocks = split_mesh(ids=True, ghosts=ghosts)
    left, right = map(as_polyhedra, blocks)
    text = rejected(separatrix_vtk.CriticalPoints(device="cpu"), left, right)
    assert "Set tetrahedralize=True" in text
    expected = run(separatrix_vtk.CriticalPoints(device="cpu"), whole).GetOutput()
    filter = separatrix_vtk.CriticalPoints(device="cpu", tetrahedralize=True)
    assert len(warned(filter, named_blocks(left=left, right=right))) == 1
    found, other = leaves(filter.GetOutputDataObject(0))
    assert size_of(other) == 0
    for name in COLUMNS:
        np.testing.assert_array_equal(point_array(found, name), point_array(expected, name))


def test_points_of_blocks_stay_separate():
    _, (left, right) = split_mesh(ids=True)
    filter = separatrix_vtk.RipsBarcodes(device="cpu", max_dimension=0)
    assert warned(filter, named_blocks(left=left, right=right)) == []


def parts() -> tuple[Any, Any, int, int]:
    """Two blocks of one mesh, and the rows in both of one point that they share."""
    _, (left, right) = split_mesh(ids=True)
    ids = [vtk_to_numpy(block.GetPointData().GetGlobalIds()) for block in (left, right)]
    _, rows, others = np.intersect1d(*ids, return_indices=True)
    return left, right, int(rows[0]), int(others[0])


def rejected(filter: Any, left: Any, right: Any) -> str:
    with pytest.raises(sx.InputError) as caught:
        filter.run(named_blocks(left=left, right=right))
    return str(caught.value)


@pytest.mark.parametrize("chosen", [{"array": "f"}, {}])
def test_blocks_of_one_mesh_must_agree_in_the_array_that_is_used(chosen):
    left, right, row, other = parts()
    values = vtk_to_numpy(right.GetPointData().GetArray("f"))
    before = float(values[other])
    values[other] += 1
    id = int(left.GetPointData().GetGlobalIds().GetValue(row))
    text = rejected(separatrix_vtk.CriticalPoints(device="cpu", **chosen), left, right)
    assert text == (
        "The point array 'f' must have equal values at points of equal global ids; got "
        f"{before!r} in block 'left' and {before + 1!r} in block 'right' at the global id {id}. "
        "Correct the values, or remove the global ids (Pass Arrays) to process the blocks "
        "separately."
    )
    for block in (left, right):  # which is not used
        g = np.arange(block.GetNumberOfPoints(), dtype=np.float64)
        block.GetPointData().AddArray(named(g, "g"))
    assert "array 'g'" in rejected(
        separatrix_vtk.CriticalPoints(device="cpu", array="g"), left, right
    )
    values[other] = before
    separatrix_vtk.CriticalPoints(device="cpu", **chosen).run(named_blocks(left=left, right=right))
    filter = separatrix_vtk.MeshRelations(device="cpu")  # uses no array
    filter.run(named_blocks(left=left, right=right))


def test_shared_values_that_are_nan_agree_and_those_of_ghosts_do_not_count():
    left, right, row, other = parts()
    for block, i in ((left, row), (right, other)):
        vtk_to_numpy(block.GetPointData().GetArray("f"))[i] = np.nan
    text = rejected(separatrix_vtk.CriticalPoints(device="cpu"), left, right)
    assert "must be finite" in text
    vtk_to_numpy(right.GetPointData().GetArray("f"))[other] = 7.0
    vtk_to_numpy(left.GetPointData().GetArray("f"))[row] = 8.0
    flags = np.zeros(right.GetNumberOfPoints(), np.uint8)
    flags[other] = vtkDataSetAttributes.DUPLICATEPOINT
    right.GetPointData().AddArray(named(flags, "vtkGhostType"))
    separatrix_vtk.CriticalPoints(device="cpu").run(named_blocks(left=left, right=right))


@pytest.mark.parametrize("lacking", [0, 1])
def test_the_block_that_lacks_the_array_is_named(lacking):
    left, right, *_ = parts()
    with_array = (right, left)[lacking]
    with_array.GetPointData().AddArray(named(np.arange(with_array.GetNumberOfPoints()), "g"))
    lacks, has = ("left", "right") if lacking == 0 else ("right", "left")
    text = rejected(separatrix_vtk.CriticalPoints(device="cpu", array="g"), left, right)
    assert text == (
        f"block '{lacks}' does not contain the point array 'g', but block '{has}' of the same mesh "
        "does. Add it to all blocks of the mesh, or remove the global ids (Pass Arrays) to process "
        "the blocks separately."
    )
