"""Every family of kernels once, on little data: what compute-sanitizer and the sanitizers watch.

Correctness is the engine's tests' matter; here it counts that many kernels are launched.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import separatrix as sx
from oracles.meshes import split_grid
from separatrix.device.cuda import CudaDevice
from separatrix.device.host import HostDevice

RELATIONS = "EV FV FE TV TE TF VE VF VT EF ET FT VV EE FF TT".split()  # noqa: SIM905


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of the kernels that are launched; small work goes to the device too."""
    names: set[str] = set()
    for kind in (HostDevice, CudaDevice):

        def launch(self, kernel, *arguments, whole=kind.launch, **keywords):
            names.add(kernel)
            return whole(self, kernel, *arguments, **keywords)

        monkeypatch.setattr(kind, "launch", launch)
    monkeypatch.setattr("separatrix.rips.barcodes.ON_HOST_UP_TO", -1)
    return names


def images(device: str) -> None:
    rng = np.random.default_rng(5)
    rough, flat = rng.random((9, 10, 11), np.float32), rng.random((17, 19))
    for values in (rough, flat, np.round(rng.random((8, 8, 8)) * 4)):
        complex = sx.morse_smale(values, device=device)
        for level in (complex, complex.simplify(0.2)):
            for kind in ("ascending", "descending"):
                level.segmentation(kind)
                level.separatrices(1, kind)
                if values.ndim == 3:
                    level.separatrices(2, kind)
            level.segmentation("morse_smale")
        if values.ndim == 3:
            complex.separatrices(1, "saddle")
        assert len(complex.arcs.multiplicity) == len(complex.arcs.lower)
        assert len(complex.persistence_pairs) > 0
    for keywords in ({"order": "plateau"}, {"periodic": (True, True, True)}):
        assert len(sx.morse_smale(rough, device=device, **keywords).arcs.lower) > 0
    assert len(sx.persistence_diagram(rough, device=device)) > 0
    sx.discrete_gradient(rough, device=device).arrows()


def meshes(device: str) -> None:
    points, tets = split_grid((5, 5, 5))[:2]
    mesh = sx.TetMesh(points, tets, device=device, segment_size=20)
    for name in RELATIONS:
        relation = mesh.relation(name)
        relation.to_csr()
        relation.segment(0)
        assert len(relation[[0, 1, 2]]) == 3
    values = np.random.default_rng(6).random(len(points))
    mesh.critical_points(values)
    mesh.discrete_gradient(values)
    complex = mesh.morse_smale(values)
    for kind in ("ascending", "descending"):
        complex.segmentation(kind)
        complex.separatrices(1, kind)
    assert len(complex.arcs.lower) > 0
    assert sum(complex.simplify(0.2).critical.counts) > 0
    assert len(mesh.persistence_diagram(values)) > 0
    assert sum(1 for _ in mesh.stream("VV", "VT")) > 0


def balls(device: str) -> None:
    rng = np.random.default_rng(7)
    centers, radii = rng.random((200, 3)) * 10, rng.uniform(1, 1.8, 200)
    for alpha in (0.0, 1.4, -0.2):
        complex = sx.alpha_complex(centers, radii, alpha, device=device)
        assert complex.volume() > 0
        complex.area()
        complex.per_ball()
        complex.voids()
    grown = sx.alpha_complex(centers, radii, 20.0, device=device)
    grown.at(0.0).pockets()
    assert len(grown.persistence_diagram()) > 0
    lattice = np.mgrid[:4, :4, :4].reshape(3, -1).T.astype(float)  # nothing but ties
    assert sx.alpha_complex(lattice, 1.0, 0.5, device=device).volume() > 0
    frames = np.stack([centers, centers + 0.01, centers * 1.01])
    assert len(list(sx.alpha_complexes(frames, radii, device=device))) == 3


def filtrations(device: str) -> None:
    points = np.random.default_rng(8).random((60, 3))
    for keywords in ({}, {"collapse": True}, {"field": 3}, {"threshold": 0.5}):
        bars = sx.rips_barcodes(points, max_dimension=2, device=device, **keywords)
        assert len(bars.of_dimension(0)) == 60
    sx.rips_barcodes(points, max_dimension=1, representatives="longest", device=device)
    weights = np.linspace(0, 0.1, 60)
    sx.rips_barcodes(points.astype(np.float32), weights=weights, device=device)


def pairs(device: str) -> None:
    rng = np.random.default_rng(9)
    x, y = rng.random((400, 3), np.float32), rng.random((300, 3), np.float32)
    sx.neighbors(x, radius=0.2, device=device)
    sx.nearest(x, k=5, device=device)
    sx.count_neighbors(x, radius=0.2, device=device)
    sx.sparse_distances(x, radius=0.2, device=device)
    sx.cluster(x, 0.2, device=device)
    pattern = sx.BlockPattern.from_cells(x, y, 0.2, device=device)
    pattern.transpose()
    for reduction in ("sum", "min", "max", "argmin", "logsumexp"):
        found = sx.reduce("gaussian", x, y, reduction=reduction, sigma=0.1, device=device)
        assert len(found) == 400
    sx.reduce("gaussian", x, y, sigma=0.1, pattern=pattern, device=device)
    assert sx.density(x, sigma=0.05, spacing=0.1, device=device).values.size > 0


FAMILIES: dict[str, tuple[Callable[[str], None], int]] = {
    "images": (images, 40),
    "meshes": (meshes, 80),
    "balls": (balls, 15),
    "filtrations": (filtrations, 3),
    "pairs": (pairs, 15),
}
"""Each family, and how many kernels at least it launches."""


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_kernels_runs_to_its_end(family, device, launched):
    run, least = FAMILIES[family]
    run(device)
    assert len(launched) >= least
