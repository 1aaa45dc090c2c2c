"""The filters on small data: a number selects input and settings, which change between runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import separatrix_vtk
from filters.images import image_with
from filters.meshes import grid_of, surface_of
from filters.point_sets import polydata_of
from reliability.contents import content
from reliability.workloads import cloud, image, mesh_arrays, random_of

MOLECULE = Path(__file__).resolve().parents[2] / "sample_data" / "1crn.pdb"
CIRCLES = MOLECULE.with_name("linked_circles.csv")
VOLUMES = [MOLECULE.with_name(name) for name in ("two_centers.vti", "terrain.vti")]
Settings = dict[str, Any]


def image_input(k: int) -> Any:
    """An image, or every third time a mesh."""
    return mesh_input(k) if k % 3 == 2 else image_with(np.atleast_3d(image(k)))


def mesh_input(k: int) -> Any:
    """Tetrahedra, or every fourth time triangles."""
    points, tets, values = mesh_arrays(k)
    if k % 4 == 3:
        n = 5
        corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).reshape(-1, 1)
        halves = [corner + np.array(way) for way in ((0, 1, n + 2), (0, n + 2, n + 1))]
        flat = np.stack([*np.divmod(np.arange((n + 1) ** 2), n + 1), np.zeros((n + 1) ** 2)], 1)
        return surface_of(flat.astype(float), np.concatenate(halves), values[: len(flat)])
    return grid_of(points, tets, values)


def atoms_input(k: int) -> Any:
    """Points with radii."""
    points = cloud(k, 14)
    return polydata_of(points, Radius=0.2 + 0.1 * random_of(k).random(len(points)))


def points_input(k: int) -> Any:
    """Points with a column of weights."""
    points = cloud(k, 16)
    return polydata_of(points, mass=random_of(k + 1).random(len(points)))


def no_input(k: int) -> None:
    """No input, for readers."""


def balls_by_array(k: int) -> Settings:
    """Radii of the array, or a constant radius."""
    return {"radius_source": ("automatic", "constant")[k % 2], "constant_radius": 0.2 + 0.01 * k}


FILTERS: dict[str, tuple[Callable[[int], Any], Callable[[int], Settings]]] = {
    "CriticalPoints": (image_input, lambda k: {"method": ("link", "gradient")[k % 2]}),
    "DiscreteGradient": (image_input, lambda k: {"stride": 1 + k % 2}),
    "TopologicalSimplification": (image_input, lambda k: {"persistence": 0.5 * (k % 3)}),
    "MorseSmaleComplex": (
        image_input,
        lambda k: {
            "persistence": float(k % 3),
            "compute_ascending_separatrices_2": k % 2 == 0,
            "compute_simplified_field": k % 2 == 1,
            "keep_complex": k % 4 > 0,
        },
    ),
    "PersistenceDiagram": (image_input, lambda k: {"show_inside_domain": k % 2 == 0}),
    "MeshRelations": (
        mesh_input,
        lambda k: {
            "segment_size": 5 + k % 7,
            "compute_edges": k % 2 == 0,
            "compute_triangles": k % 2 == 1,
            "relations": ("VV", "VE EF")[k % 2],
        },
    ),
    "MoleculeReader": (
        no_input,
        lambda k: {"file_name": str(MOLECULE), "water": k % 2 == 0, "names": k % 3 > 0},
    ),
    "DistanceReader": (
        no_input,
        lambda k: {"file_name": str(CIRCLES), "format": ("auto", "csv")[k % 2]},
    ),
    "VolumeReader": (no_input, lambda k: {"file_name": str(VOLUMES[k % 2])}),
    "NeighborStatistics": (
        points_input,
        lambda k: {"number_of_neighbors": 2 + k % 4, "radius": 0.3 * (k % 2)},
    ),
    "PointDensity": (
        points_input,
        lambda k: {"sigma": 0.2, "dimensions": (5, 4 + k % 3, 3), "compute_gradient": k % 2 == 0},
    ),
    "Delaunay": (
        points_input,
        lambda k: {"weights": (None, "mass")[k % 2], "neighbors": k % 3 == 0},
    ),
    "RipsBarcodes": (
        points_input,
        lambda k: {
            "max_dimension": 1 + k % 2,
            "field": (2, 3)[k % 2],
            "number_of_representatives": k % 4,
        },
    ),
    "AlphaComplex": (
        atoms_input,
        lambda k: {
            **balls_by_array(k),
            "alpha": 0.01 * (k % 3),
            "compute_pockets": k % 2 == 0,
            "compute_diagram": k % 2 == 1,
            "largest_alpha": (None, 0.05)[k % 2],
        },
    ),
    "AlphaTimeSeries": (
        atoms_input,
        lambda k: {**balls_by_array(k), "compute_pockets": k % 2 == 0},
    ),
}
"""By name: the input and the settings of a number."""


def make(name: str, device: str = "cpu") -> Any:
    """A new filter."""
    options = {} if name.endswith("Reader") else {"device": device, "threads": 1}
    return getattr(separatrix_vtk, name)(**options)


def configure(filter: Any, k: int) -> None:
    """Give a filter the input and the settings of a number."""
    source, settings = FILTERS[type(filter).__name__]
    dataset = source(k)
    for name, value in settings(k).items():
        setattr(filter, name, value)
    if dataset is not None:
        filter.SetInputData(dataset)


def update(filter: Any, k: int) -> Any:
    """Configure a filter and update it."""
    configure(filter, k)
    filter.Update()
    assert filter.last_error == "", filter.last_error
    return filter


def bits_of(filter: Any) -> Any:
    """The contents of all output ports of a filter."""
    return [content(filter.GetOutput(port)) for port in range(len(filter.OUTPUTS))]
