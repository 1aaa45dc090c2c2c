"""Images and meshes have the same methods and the same form of results."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import LINE_COLUMNS, SURFACE_COLUMNS
from oracles.meshes import split_grid

MESH = split_grid((4, 4, 4))
VALUES = np.random.default_rng(261).random((4, 4, 4))
CALLS = {
    "gradient": lambda *a, **k: sx.discrete_gradient(*a, **k).critical,
    "complex": lambda *a, **k: sx.morse_smale(*a, **k).critical,
    "diagram": sx.persistence_diagram,
}
OF_IMAGES = {
    "spacing": 2.0,
    "origin": (1.0, 0.0, 0.0),
    "direction": np.eye(3).tolist(),
    "periodic": (True, False, False),
    "device": "cpu",
    "threads": 2,
    "memory_limit": 1 << 30,
}


def mesh(device: str) -> sx.TetMesh:
    return sx.TetMesh(MESH.points, MESH.cells, device=device)


def both(device: str, **options: Any) -> list[sx.MorseSmaleComplex]:
    """Complexes of an image and of a mesh."""
    image = sx.morse_smale(VALUES, device=device, **options)
    return [image, sx.morse_smale(VALUES.ravel(), domain=mesh(device), **options)]


def columns(result: Any) -> dict[str, tuple[str, int]]:
    """Name, dtype and number of axes of the arrays of a result."""
    arrays = {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
    return {k: (str(a.dtype), a.ndim) for k, a in arrays.items() if hasattr(a, "dtype")}


LINES = ["float64", "int64", "int8", *["int64"] * 4]
DTYPES = {
    "critical": {
        "cell_id": "int64", "index": "int8", "value": "float64", "vertex": "int64",
        "position": "float64", "on_boundary": "bool",
    },
    "arcs": {"upper": "int64", "lower": "int64", "multiplicity": "uint64"},
    "lines": dict(zip(LINE_COLUMNS, LINES, strict=True)),
    "connectors": dict(zip(LINE_COLUMNS, LINES, strict=True)),
    "surfaces": dict(zip(SURFACE_COLUMNS, LINES, strict=True)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_methods_of_a_mesh_equal_functions_with_a_domain(device, name):
    domain, flat = mesh(device), VALUES.ravel()
    method = {
        "gradient": lambda: domain.discrete_gradient(flat, order="plateau").critical,
        "complex": lambda: domain.morse_smale(flat, order="plateau").critical,
        "diagram": lambda: domain.persistence_diagram(flat, order="plateau"),
    }[name]
    found, expected = CALLS[name](flat, domain=domain, order="plateau"), method()
    for field in dataclasses.fields(expected):
        one, other = (sx.to_host(getattr(result, field.name)) for result in (found, expected))
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("level", [0.0, 0.3])
def test_complexes_of_images_and_meshes_have_the_same_parts(device, level):
    image, other = both(device, persistence=level)
    assert type(image) is type(other) is sx.MorseSmaleComplex
    parts = {
        "critical": lambda c: c.critical,
        "arcs": lambda c: c.arcs,
        "pairs": lambda c: c.persistence_pairs,
        "regions": lambda c: c.regions("morse_smale"),
        "skipped": lambda c: c.skipped,
        "lines": lambda c: c.separatrices(1, "ascending"),
        "connectors": lambda c: c.separatrices(1, "saddle"),
        "surfaces": lambda c: c.separatrices(2, "descending"),
        "arrows": lambda c: c.gradient.arrows(),
    }
    for name, part in parts.items():
        found = columns(part(image))
        assert found == columns(part(other)), name
        assert DTYPES.get(name, {}).items() <= {k: dtype for k, (dtype, _) in found.items()}.items()
    for kind in ("ascending", "descending", "morse_smale"):
        shapes = [c.segmentation(kind).shape for c in (image, other)]
        assert shapes == [VALUES.shape, (VALUES.size,)]
    assert image.cell_labels().dtype == other.cell_labels().dtype
    assert image.domain.dimension == other.domain.dimension == 3


@pytest.mark.parametrize("name", OF_IMAGES)
@pytest.mark.parametrize("call", CALLS)
def test_options_of_images_are_rejected_with_a_mesh(call, name):
    with pytest.raises(sx.InputError, match=f"{name} must be omitted with a mesh as domain"):
        CALLS[call](VALUES.ravel(), domain=mesh("cpu"), **{name: OF_IMAGES[name]})


def test_a_domain_that_is_not_a_mesh_is_rejected():
    with pytest.raises(sx.InputError, match="domain must be a TetMesh or a TriangleMesh; got"):
        sx.morse_smale(VALUES, domain=(1, 2, 3))  # type: ignore[arg-type]


def test_dimensions_without_a_class_are_rejected_by_the_domain(device):
    with pytest.raises(sx.InputError, match="dimensions must be at most 2 for an image"):
        sx.persistence_diagram(VALUES, dimensions=3, device=device)
    square = sx.TriangleMesh([[0, 0], [1, 0], [0, 1]], [[0, 1, 2]], device=device)
    with pytest.raises(sx.InputError, match="dimensions must be at most 2 for a mesh"):
        sx.persistence_diagram(np.zeros(3), domain=square, dimensions=3)
