"""Invariants of images of any size: Euler characteristic, pairing, and ends of V-paths."""

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import Field, read_raw

STEP_OF_CODE = {
    1: (0, 0, 1),
    2: (0, 0, -1),
    3: (0, 1, 0),
    4: (0, -1, 0),
    5: (1, 0, 0),
    6: (-1, 0, 0),
}


def generated() -> dict[str, Field]:
    """Images of every kind that a run can afford."""
    random = np.random.default_rng(71)
    z, y, x = np.mgrid[-1:1:40j, -1:1:44j, -1:1:48j]
    return {
        "smooth": np.sin(5 * x) * np.cos(4 * y) + np.sin(3 * z),
        "noisy": np.sin(5 * x) * np.cos(4 * y) + np.sin(3 * z) + 0.1 * random.random(x.shape),
        "noise": random.random((40, 40, 40)),
        "binary": random.integers(0, 2, (40, 40, 40), dtype=np.uint8),
        "picture": random.integers(0, 255, (300, 200), dtype=np.uint8),
        "line": random.integers(0, 20, 10_000),
        "slab": random.integers(0, 9, (2, 150, 150)),
    }


@pytest.fixture(scope="module", params=list(generated()))
def image(request):
    return generated()[request.param]


def owners_and_dimensions(values: Field) -> tuple[Field, Field]:
    """The rank of the highest vertex, and the dimension, of each cell of the doubled grid."""
    shape = (1,) * (3 - values.ndim) + values.shape
    rank = np.empty(values.size, np.int64)
    rank[np.argsort(values, axis=None, kind="stable")] = np.arange(values.size)
    owner = np.full([2 * n - 1 for n in shape], -1)
    owner[::2, ::2, ::2] = rank.reshape(shape)
    for axis in range(3):
        cells = np.moveaxis(owner, axis, 0)
        cells[1::2] = np.maximum(cells[:-1:2], cells[2::2])
    dimension = np.indices(owner.shape) % 2
    return owner, dimension.sum(axis=0)


def test_the_euler_characteristic_is_one(device, image):
    assert sx.morse_smale(image, device=device).critical.euler_characteristic == 1


def test_every_cell_is_critical_or_in_one_mutual_pair_of_one_owner(device, image):
    gradient = sx.discrete_gradient(image, device=device)
    codes = sx.to_host(gradient.codes())
    owner, dimension = owners_and_dimensions(image)
    assert set(np.unique(codes)) <= set(range(1, 8))
    np.testing.assert_array_equal(
        np.sort(sx.to_host(gradient.critical.cell_id)), np.flatnonzero(codes == 7)
    )
    for code, step in STEP_OF_CODE.items():
        cells = np.argwhere(codes == code)
        partners = cells + step
        assert (partners >= 0).all()
        assert (partners < codes.shape).all()
        here, there = tuple(cells.T), tuple(partners.T)
        back = code + 1 if code % 2 else code - 1
        assert (codes[there] == back).all()
        assert (owner[there] == owner[here]).all()
        assert (abs(dimension[there] - dimension[here]) == 1).all()


def test_every_descending_v_path_falls_and_ends_in_a_minimum(device, image):
    codes = sx.to_host(sx.discrete_gradient(image, device=device).codes())[::2, ::2, ::2]
    shape = codes.shape
    rank = owners_and_dimensions(image)[0][::2, ::2, ::2].ravel()
    strides = np.array([shape[1] * shape[2], shape[2], 1])
    step = np.zeros(8, np.int64)
    for code, direction in STEP_OF_CODE.items():
        step[code] = np.array(direction) @ strides
    below = np.arange(image.size) + step[codes.ravel()]
    moves = codes.ravel() != 7
    assert (rank[below[moves]] < rank[moves.nonzero()[0]]).all()
    while not np.array_equal(below[below], below):
        below = below[below]
    minima = np.flatnonzero(~moves)
    labels = np.searchsorted(minima, below)
    found = sx.to_host(sx.morse_smale(image, device=device).segmentation("descending"))
    np.testing.assert_array_equal(found.ravel(), labels)


def test_arrows_are_the_pairs_of_the_gradient(device, image):
    gradient = sx.discrete_gradient(image, spacing=(0.5, 1, 2), device=device)
    codes = sx.to_host(gradient.codes())
    arrows = gradient.arrows()
    tails, heads = sx.to_host(arrows.tail_cell_id), sx.to_host(arrows.head_cell_id)
    assert len(tails) * 2 + len(gradient.critical) == codes.size
    assert len(np.unique(np.concatenate([tails, heads]))) == 2 * len(tails)
    grid = gradient.domain
    tail_dimension = sx.to_host(grid.cell_dimensions(tails))
    np.testing.assert_array_equal(sx.to_host(arrows.tail_dimension), tail_dimension)
    np.testing.assert_array_equal(sx.to_host(grid.cell_dimensions(heads)), tail_dimension + 1)
    start, end = sx.to_host(grid.positions(tails)), sx.to_host(grid.positions(heads))
    np.testing.assert_array_equal(sx.to_host(arrows.tail), start)
    np.testing.assert_array_equal(sx.to_host(arrows.vector), end - start)


def test_the_euler_characteristic_of_every_real_volume_is_one(device, shared_volumes):
    paths = sorted(shared_volumes.glob("*.raw.xz"))
    assert paths
    for path in paths:
        critical = sx.morse_smale(read_raw(path), device=device).critical
        assert critical.euler_characteristic == 1, path.name
        assert min(critical.counts) > 0


def test_the_euler_characteristic_of_every_sample_is_one(device, sample_data):
    vtk_to_numpy = pytest.importorskip("vtkmodules.util.numpy_support").vtk_to_numpy
    vtkXMLImageDataReader = pytest.importorskip("vtkmodules.vtkIOXML").vtkXMLImageDataReader

    paths = sorted(sample_data.glob("*.vti"))
    assert paths
    for path in paths:
        reader = vtkXMLImageDataReader()
        reader.SetFileName(str(path))
        reader.Update()
        image = reader.GetOutput()
        values = vtk_to_numpy(image.GetPointData().GetScalars())
        shape = image.GetDimensions()[::-1]
        critical = sx.morse_smale(values.reshape(shape), device=device).critical
        assert critical.euler_characteristic == 1, path.name
