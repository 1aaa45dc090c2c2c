"""Are the results right, and how fast are they, on meshes with real shape and grading?

    python benchmarks/real_meshes.py [NAMES] [--size 1.0] [--device cpu] [--output lines.jsonl]

Meshes by gmsh (HXT), TetGen, and fTetWild (pip install gmsh tetgen pytetwild pyvista gudhi) of
surfaces that PyVista contains or formulas describe: strongly graded, with tunnels, cavities,
several components, and pinched vertices and edges. `--size` scales their edges. The field is the
distance from a point, with noise. For each mesh the script prints counts, the ratio of the longest
to the shortest edge, and CPU seconds, and fails unless

- essential classes and counts agree with GUDHI's Betti numbers and with those that the shape has,
- the diagram is GUDHI's (up to PEER_TETS tetrahedra),
- critical simplices obey the Morse inequalities for these Betti numbers,
- critical points, gradient, arcs, and diagram have the same bits in packets of segments.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from fields import digest
from measure import cpu_name, gpu_name, keep
from mesh_analyses import own_bars, sorted_bars

import separatrix as sx

PEER_TETS = 1_500_000
Cells = tuple[np.ndarray, np.ndarray]


# === gmsh
def by_gmsh(build: Callable[[Any, float], None], size: float) -> Cells:
    """Mesh what `build` adds to the geometry, on two threads."""
    import gmsh

    gmsh.initialize()
    try:
        gmsh.option.setNumber("General.Verbosity", 1)
        gmsh.option.setNumber("General.NumThreads", 2)
        gmsh.option.setNumber("Mesh.Algorithm3D", 10)  # HXT
        gmsh.option.setNumber("Mesh.MeshSizeExtendFromBoundary", 0)
        build(gmsh, size)
        gmsh.model.mesh.generate(3)
        tags, coordinates, _ = gmsh.model.mesh.getNodes()
        _, corners = gmsh.model.mesh.getElementsByType(4)
    finally:
        gmsh.finalize()
    place = np.zeros(int(tags.max()) + 1, np.int64)
    place[tags.astype(np.int64)] = np.arange(len(tags))
    return used(coordinates.reshape(-1, 3), place[corners.astype(np.int64)].reshape(-1, 4))


def graded_around(gmsh: Any, expression: str) -> None:
    """Let the length of edges be a function of x, y, and z."""
    field = gmsh.model.mesh.field.add("MathEval")
    gmsh.model.mesh.field.setString(field, "F", expression)
    gmsh.model.mesh.field.setAsBackgroundMesh(field)


def drilled_block(gmsh: Any, size: float) -> None:
    """A block with two tunnels that cross, and two cavities."""
    occ = gmsh.model.occ
    block = [(3, occ.addBox(0, 0, 0, 4, 2, 2))]
    tools = [
        (3, occ.addCylinder(-1, 1, 1, 6, 0, 0, 0.3)),
        (3, occ.addCylinder(1.2, -1, 1, 0, 4, 0, 0.3)),
        (3, occ.addSphere(3, 0.5, 1.5, 0.3)),
        (3, occ.addSphere(3.4, 1.5, 0.5, 0.25)),
    ]
    occ.cut(block, tools)
    occ.synchronize()
    graded_around(gmsh, f"{size} * (0.02 + 0.04 * Sqrt((x - 1.2)^2 + (y - 1)^2 + (z - 1)^2))")


def three_tori(gmsh: Any, size: float) -> None:
    """Three linked tori that do not touch."""
    occ = gmsh.model.occ
    for k in range(3):
        torus = occ.addTorus(1.4 * k, 0, 0, 1, 0.2)
        occ.rotate([(3, torus)], 1.4 * k, 0, 0, 1, 0, 0, k % 2 * np.pi / 2)
    occ.synchronize()
    graded_around(gmsh, f"{size} * (0.03 + 0.03 * (1 + Sin(4 * x)))")


# === TetGen
def shell(size: float) -> Cells:
    """A ball with a round cavity, graded from its inner to its outer surface."""
    import pyvista
    import tetgen

    inner = pyvista.Icosphere(radius=0.3, nsub=4).flip_faces()
    outer = pyvista.Icosphere(radius=3.0, nsub=2)
    maker = tetgen.TetGen(inner + outer)
    maker.add_hole([0.0, 0.0, 0.0])
    points, cells, *_ = maker.tetrahedralize(switches=f"pq1.3a{0.05 * size**3}Q")
    return used(points, cells)


# === fTetWild
def by_ftetwild(surface: Any, size: float) -> Cells:
    import pytetwild

    points, faces = np.asarray(surface.points, float), surface.triangulate().faces.reshape(-1, 4)
    here = Path.cwd()
    with TemporaryDirectory() as folder:  # fTetWild writes a file to the current folder
        os.chdir(folder)
        try:
            made = pytetwild.tetrahedralize(
                points, faces[:, 1:], edge_length_fac=0.04 * size, num_threads=2
            )
        finally:
            os.chdir(here)
    return used(*made[:2])


def ant(size: float) -> Cells:
    """The ant that PyVista contains."""
    from pyvista import examples

    return by_ftetwild(examples.load_ant(), size)


def gyroid_plate(size: float) -> Cells:
    """A thickened gyroid, which has many tunnels."""
    import pyvista

    grid = pyvista.ImageData(dimensions=(24,) * 3, spacing=(0.35,) * 3)
    x, y, z = grid.points.T
    value = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)
    edge = np.minimum.reduce([*grid.points.T, *(8.05 - grid.points.T)])
    grid["inside"] = np.minimum(0.6 - np.abs(value), edge - 0.05)
    return by_ftetwild(grid.contour([0.0], scalars="inside"), size)


# === irregular
def crumbs(size: float) -> Cells:
    """A third of the tetrahedra of the block, at random: pinched vertices and edges everywhere."""
    points, cells = by_gmsh(drilled_block, size)
    kept = np.random.default_rng(3).random(len(cells)) < 0.34
    return used(points, cells[kept])


MESHES: dict[str, tuple[Callable[[float], Cells], tuple[int, int, int] | None]] = {
    # With Betti numbers, if the shape decides them.
    "drilled block, gmsh HXT": (lambda size: by_gmsh(drilled_block, size), (1, 3, 2)),
    "three tori, gmsh HXT": (lambda size: by_gmsh(three_tori, size), (3, 3, 0)),
    "shell, TetGen": (shell, (1, 0, 1)),
    "ant, fTetWild": (ant, None),
    "gyroid, fTetWild": (gyroid_plate, None),
    "crumbs, gmsh HXT": (crumbs, None),
}


def used(points: np.ndarray, cells: np.ndarray) -> Cells:
    """The mesh without points that no cell uses."""
    some, corners = np.unique(np.asarray(cells, np.int64), return_inverse=True)
    return np.asarray(points, np.float64)[some], corners.reshape(-1, 4)


def grading(points: np.ndarray, cells: np.ndarray) -> float:
    """Ratio of the longest to the shortest edge."""
    pairs = cells[:, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]].reshape(-1, 2)
    length = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    return float(length.max() / length.min())


def by_gudhi(cells: np.ndarray, values: np.ndarray) -> tuple[dict[int, np.ndarray], list[int]]:
    """Bars by dimension, and Betti numbers."""
    import gudhi

    tree = gudhi.SimplexTree()
    tree.insert_batch(np.ascontiguousarray(cells.T, np.int32), np.full(len(cells), -np.inf))
    vertices = np.arange(len(values), dtype=np.int32)[None]
    tree.insert_batch(vertices, np.full(len(values), -np.inf))
    for vertex, value in enumerate(values.tolist()):
        tree.assign_filtration([vertex], value)
    tree.make_filtration_non_decreasing()
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    intervals = [
        np.array(tree.persistence_intervals_in_dimension(d)).reshape(-1, 2) for d in range(3)
    ]
    return {d: sorted_bars(*bars.T) for d, bars in enumerate(intervals)}, tree.betti_numbers()[:3]


def obeys_morse(counts: Sequence[int], betti: Sequence[int]) -> bool:
    """Whether alternating sums of critical simplices are at least those of Betti numbers."""
    excess, left = 0, []
    for n_critical, number in zip(counts, [*betti, 0], strict=True):
        excess = n_critical - number - excess
        left.append(excess)
    return min(left) >= 0 and left[-1] == 0


def results(points: np.ndarray, cells: np.ndarray, values: np.ndarray, given: Any) -> Any:
    """The mesh, critical simplices, the diagram, a digest of all, and CPU seconds of each step."""
    seconds: dict[str, float] = {}

    def timed(name: str, run: Callable[[], Any]) -> Any:
        begin = time.process_time()
        found = run()
        seconds[name] = round(time.process_time() - begin, 3)
        return found

    mesh = timed("mesh", lambda: sx.TetMesh(points, cells, **given))
    links = timed("critical points", lambda: mesh.critical_points(values))
    gradient = timed("gradient", lambda: mesh.discrete_gradient(values))
    arcs = timed("arcs", lambda: sx.MorseSmaleComplex(gradient).arcs)
    diagram = timed("diagram", lambda: mesh.persistence_diagram(values))
    assert links.euler_characteristic == gradient.euler_characteristic == mesh.euler_characteristic
    arrays = (
        links.types,
        links.vector,
        *gradient.codes(),
        arcs.upper,
        arcs.lower,
        arcs.multiplicity,
    )
    bits = digest(*map(sx.to_host, arrays), *own_bars(diagram).values())
    return mesh, gradient.counts, diagram, bits, seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"words in: {', '.join(MESHES)}")
    parser.add_argument("--size", type=float, default=1.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path, help="append one JSON line per mesh")
    options = parser.parse_args()
    good = True
    for name, (make, known) in MESHES.items():
        if options.names and not any(word in name for word in options.names):
            continue
        points, cells = make(options.size)
        center = points.min(axis=0) + 0.37 * np.ptp(points, axis=0)
        values = np.linalg.norm(points - center, axis=1)
        values += 0.02 * np.random.default_rng(1).standard_normal(len(points))
        given = {"device": options.device, "threads": options.threads}
        mesh, counts, diagram, bits, seconds = results(points, cells, values, given)
        *_, in_packets, packet_seconds = results(
            points, cells, values, {**given, "memory_limit": 8 * len(cells)}
        )
        essential = np.isinf(sx.to_host(diagram.death))
        betti = np.bincount(sx.to_host(diagram.dimension)[essential], minlength=3).tolist()
        checks = {"packets": bits == in_packets, "Morse inequalities": obeys_morse(counts, betti)}
        if known:
            checks["shape"] = betti == list(known)
        if len(cells) <= PEER_TETS:
            bars, numbers = by_gudhi(cells, values)
            own = own_bars(diagram)
            checks["GUDHI"] = all(np.array_equal(own[d], bars[d]) for d in range(3))
            checks["Betti numbers"] = betti == (numbers + [0, 0, 0])[:3]
        good &= all(checks.values())
        case = {
            "date": date.today().isoformat(),
            "separatrix": sx.__version__,
            "machine": cpu_name() if options.device == "cpu" else gpu_name(),
            "mesh_of": name,
            "counts": mesh.counts,
            "grading": round(grading(points, cells), 1),
            "components": mesh.n_components,
            "betti": betti,
            "bars": len(diagram),
            "cpu_seconds": seconds,
            "cpu_seconds_in_packets": packet_seconds,
            "checks": checks,
        }
        print(keep(case, options.output), flush=True)
    print("all checks pass" if good else "A CHECK FAILS")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
