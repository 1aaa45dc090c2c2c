"""Every long call of the engine at a size given by a factor, and its longest gap.

Scale 1 is seconds of work. A gap is the time between two calls of progress, the lesser of wall
time and CPU time of the process, so that other programs do not count.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import separatrix as sx
from oracles.meshes import split_grid

Told = Callable[[float, str], None]
Run = Callable[[Told | None], Any]
Options = dict[str, Any]


def noisy(edge: int, seed: int = 1) -> np.ndarray:
    """Waves and noise (edge, edge, edge) float32."""
    t = np.cos(np.arange(edge) / 5)
    waves = t[:, None, None] * t[:, None] * t
    noise = np.random.default_rng(seed).random((edge,) * 3, np.float32)
    return (waves + 0.5 * noise).astype(np.float32)


def cloud(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Balls with the density of the atoms of a protein."""
    random = np.random.default_rng(0)
    side = round(n ** (1 / 3)) + 1
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)[:n] * 2.15
    return lattice + random.uniform(-0.5, 0.5, (n, 3)), random.choice([1.7, 1.55, 1.52, 1.8], n)


def on_a_sphere(n: int) -> np.ndarray:
    """Points (n, 3) near a unit sphere."""
    points = np.random.default_rng(4).standard_normal((n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def edge_of(scale: float, edge: int, least: int = 8) -> int:
    """The edge of a cube with `scale` times as many points."""
    return max(least, round(edge * scale ** (1 / 3)))


# === calls, whose input is made in advance
def _image(make: Callable[[np.ndarray, Options, Told | None], Any], edge: int = 128) -> Any:
    def prepare(scale: float, **options: Any) -> Run:
        values = noisy(edge_of(scale, edge))
        return lambda progress: make(values, options, progress)

    return prepare


def _mesh(scale: float, edge: int, options: Options) -> tuple[sx.TetMesh, np.ndarray]:
    points, tets = split_grid((edge_of(scale, edge, 5),) * 3, seed=0)
    x, y, z = points.T / 4
    values = np.sin(x) + np.sin(1.3 * y) * np.cos(z)
    values += 0.3 * np.random.default_rng(1).random(len(points))
    return sx.TetMesh(points, tets, **options), values


def _of_mesh(part: Callable[..., Any], edge: int) -> Any:
    def prepare(scale: float, **options: Any) -> Run:
        mesh, values = _mesh(scale, edge, options)
        return lambda progress: part(mesh, values, progress)

    return prepare


def _built(scale: float, **options: Any) -> Run:
    points, tets = split_grid((edge_of(scale, 80, 5),) * 3, seed=0)
    return lambda progress: sx.TetMesh(points, tets, progress=progress, **options)


def _of_complex(
    part: Callable[[Any, Told | None], Any], edge: int, level: float, *, of_mesh: bool
) -> Any:
    def prepare(scale: float, **options: Any) -> Run:
        if of_mesh:
            mesh, _ = _mesh(scale, edge, options)
            found = mesh.morse_smale(np.random.default_rng(1).random(len(mesh.points)))
        else:
            found = sx.morse_smale(noisy(edge_of(scale, edge)), **options)
        found = found.simplify(level) if level else found
        return lambda progress: part(found, progress)

    return prepare


PARTS: dict[str, Callable[[Any, Told | None], Any]] = {
    "pairs": lambda c, p: c.pair(progress=p),
    "simplify": lambda c, p: c.simplify(0.45, progress=p),
    "arcs": lambda c, p: c.trace_arcs(progress=p),
    "cells": lambda c, p: c.segmentation("morse_smale", progress=p),
    "cell labels": lambda c, p: c.cell_labels(progress=p),
    "lines up": lambda c, p: c.separatrices(1, "ascending", progress=p),
    "saddle lines": lambda c, p: c.separatrices(1, "saddle", progress=p),
    "surfaces up": lambda c, p: c.separatrices(2, "ascending", progress=p),
    "surfaces down": lambda c, p: c.separatrices(2, "descending", progress=p),
}
"""For a complex of an image or a mesh."""
OF_IMAGE: dict[str, Callable[[Any, Told | None], Any]] = {
    "simplify much": lambda c, p: c.simplify(1.6, progress=p),
    "descending": lambda c, p: c.segmentation("descending", progress=p),
    "ascending": lambda c, p: c.segmentation("ascending", progress=p),
    "sizes": lambda c, p: c.manifold_sizes(progress=p),
    "regions": lambda c, p: c.regions("morse_smale", progress=p),
    "lines down": lambda c, p: c.separatrices(1, "descending", progress=p),
    "arcs by matrices": lambda c, p: c.trace_arcs(method="matrix", progress=p),
    "one surface": lambda c, p: c.separatrices(
        2, "ascending", sources=[c.critical.rows(1).start], progress=p
    ),
}
OF_LEVEL: dict[str, Callable[[Any, Told | None], Any]] = {
    "values": lambda c, p: c.simplified_field(progress=p).values,
    **{name: PARTS[name] for name in ("cells", "lines up", "saddle lines", "surfaces up", "arcs")},
}
LARGE = ("descending", "ascending", "cells")  # faster than the others


def _of_union(part: Callable[[Any, Told | None], Any]) -> Any:
    def prepare(scale: float, **options: Any) -> Run:
        largest = sx.alpha_complex(*cloud(max(40, round(12_000 * scale))), 30.0, **options)
        return lambda progress: part(largest, progress)

    return prepare


def _of_balls(number: int, make: Callable[..., Any]) -> Any:
    def prepare(scale: float, **options: Any) -> Run:
        balls = cloud(max(40, round(number * scale)))
        return lambda progress: make(*balls, progress=progress, **options)

    return prepare


def _frames(centers: np.ndarray, radii: np.ndarray, **options: Any) -> Any:
    frames = np.stack([centers + 0.1 * k for k in range(6)])
    return [complex.counts for complex in sx.alpha_complexes(frames, radii, 3.0, **options)]


def _of_points(number: int, make: Callable[..., Any]) -> Any:
    def prepare(scale: float, **options: Any) -> Run:
        points = np.random.default_rng(3).random((max(50, round(number * scale)), 3))
        return lambda progress: make(points, progress=progress, **options)

    return prepare


def _of_bars(number: int, **how: Any) -> Any:
    def prepare(scale: float, **options: Any) -> Run:
        n = max(30, round(number * scale**0.5))
        points = on_a_sphere(n)
        return lambda progress: sx.rips_barcodes(points, **how, **options, progress=progress)

    return prepare


def near(n: int, neighbors: float) -> float:
    """The radius within which each of n scattered points has `neighbors` neighbors."""
    return float((neighbors / n * 3 / (4 * np.pi)) ** (1 / 3))


def lasting(bars: Any) -> Any:
    """Whether each bar of a barcode has a positive length."""
    return bars.persistence > 0


def _stream(mesh: Any, values: Any, progress: Told | None) -> Any:
    del values
    names = ("VV", "VT", "TT", "EF")
    return [
        {name: batch[name].items for name in names}
        for batch in mesh.stream(*names, progress=progress)
    ]


CALLS: dict[str, Callable[..., Run]] = {
    # === images
    "image: gradient": _image(lambda v, o, p: sx.discrete_gradient(v, progress=p, **o), 160),
    "image: complex": _image(lambda v, o, p: sx.morse_smale(v, progress=p, **o), 144),
    "image: complex, level": _image(
        lambda v, o, p: sx.morse_smale(v, persistence=0.4, progress=p, **o)
    ),
    "image: diagram": _image(lambda v, o, p: sx.persistence_diagram(v, progress=p, **o), 128),
    "image: plateaus": _image(
        lambda v, o, p: sx.morse_smale(np.floor(v * 3), progress=p, **o), 144
    ),
    **{
        f"image: {name}": _of_complex(part, 160 if name in LARGE else 112, 0.0, of_mesh=False)
        for name, part in (PARTS | OF_IMAGE).items()
    },
    **{
        f"image: level, {name}": _of_complex(part, 96, 0.4, of_mesh=False)
        for name, part in OF_LEVEL.items()
    },
    # === meshes
    "mesh: built": _built,
    "mesh: stream": _of_mesh(_stream, 56),
    "mesh: critical points": _of_mesh(lambda m, v, p: m.critical_points(v, progress=p), 64),
    "mesh: gradient": _of_mesh(lambda m, v, p: m.discrete_gradient(v, progress=p), 56),
    "mesh: complex": _of_mesh(lambda m, v, p: m.morse_smale(v, progress=p), 56),
    "mesh: complex, level": _of_mesh(
        lambda m, v, p: m.morse_smale(v, persistence=0.2, progress=p), 48
    ),
    "mesh: diagram": _of_mesh(lambda m, v, p: m.persistence_diagram(v, progress=p), 48),
    **{f"mesh: {name}": _of_complex(part, 40, 0.0, of_mesh=True) for name, part in PARTS.items()},
    **{
        f"mesh: level, {name}": _of_complex(OF_LEVEL[name], 40, 0.5, of_mesh=True)
        for name in ("values", "cells")
    },
    # === alpha complexes
    "alpha: complex": _of_balls(60_000, lambda c, r, **o: sx.alpha_complex(c, r, 3.0, **o)),
    "alpha: frames": _of_balls(12_000, _frames),
    "alpha: measures": _of_union(lambda c, p: c.per_ball(progress=p)),
    "alpha: voids": _of_union(lambda c, p: c.at(3.0).voids(progress=p)),
    "alpha: pockets": _of_union(lambda c, p: c.at(3.0).pockets(progress=p)),
    "alpha: boundary": _of_union(lambda c, p: c.at(3.0).boundary_surface(progress=p)),
    "alpha: diagram": _of_union(lambda c, p: c.persistence_diagram(progress=p)),
    # === Rips
    "rips: loops": _of_bars(1500),
    "rips: voids": _of_bars(350, max_dimension=2),
    "rips: field 3": _of_bars(300, max_dimension=2, field=3),
    "rips: collapse": _of_bars(1000, max_dimension=2, threshold=0.8, collapse=True),
    "rips: representatives": _of_bars(700, representatives=lasting),
    "rips: representatives of voids": _of_bars(200, max_dimension=2, representatives=lasting),
    "rips: cocycles": _of_bars(700, cocycles=True),
    "rips: sparse": _of_bars(1500, epsilon=0.5),
    "rips: dtm": _of_bars(700, weights="dtm", dtm_neighbors=10),
    "rips: threshold": _of_bars(6000, threshold=0.15),
    # === points
    "points: neighbors": _of_points(
        400_000, lambda x, **o: sx.neighbors(x, radius=near(len(x), 60), **o)
    ),
    "points: pairs": _of_points(
        400_000,
        lambda x, **o: sx.neighbors(x, radius=near(len(x), 60), pairs=True, distances=True, **o),
    ),
    "points: counts": _of_points(
        400_000, lambda x, **o: sx.count_neighbors(x, radius=near(len(x), 60), **o)
    ),
    "points: nearest": _of_points(300_000, lambda x, **o: sx.nearest(x, k=16, **o)),
    "points: sparse distances": _of_points(
        300_000, lambda x, **o: sx.sparse_distances(x, near(len(x), 60), **o)
    ),
    "points: clusters": _of_points(
        2_000_000, lambda x, **o: sx.cluster(x, near(len(x), 8), levels=3, **o)
    ),
    "points: pattern": _of_points(
        300_000, lambda x, **o: sx.BlockPattern.from_cells(x, x, near(len(x), 60), **o)
    ),
    "points: density": _of_points(
        300_000,
        lambda x, **o: sx.density(x, np.ones(len(x)), sigma=0.02, dimensions=(96, 96, 96), **o),
    ),
    "points: sum": _of_points(20_000, lambda x, **o: sx.reduce("squared_distance", x, x, **o)),
    "points: sum within": _of_points(
        200_000,
        lambda x, **o: sx.reduce("squared_distance", x, x, radius=near(len(x), 200), **o),
    ),
    "points: nearest by sum": _of_points(
        12_000, lambda x, **o: sx.reduce("squared_distance", x, x, reduction="argkmin", k=8, **o)
    ),
    "points: collected": _of_points(
        200_000,
        lambda x, **o: sx.reduce(
            "distance", x, x, reduction="collect", radius=near(len(x), 60), **o
        ),
    ),
}  # fmt: skip


@dataclass
class Gaps:
    """A progress that records its gaps: [(seconds, stage before, stage after)]."""

    gaps: list[tuple[float, str, str]] = field(default_factory=list)
    n_calls: int = 0
    _last: tuple[float, float] = (0.0, 0.0)
    _stage: str = "the beginning"

    def begin(self) -> None:
        self._last = time.perf_counter(), time.process_time()

    def __call__(self, fraction: float, stage: str) -> None:
        now = time.perf_counter(), time.process_time()
        seconds = min(now[0] - self._last[0], now[1] - self._last[1])
        self.gaps.append((seconds, f"{self._stage}", stage))
        self.n_calls += 1
        self._stage = f"{stage} {fraction:.2f}"
        self._last = time.perf_counter(), time.process_time()


def measured(name: str, scale: float = 1.0, **options: Any) -> tuple[float, Gaps]:
    """CPU seconds of a call, and its gaps, longest first."""
    run = CALLS[name](scale, **options)
    gaps, begin = Gaps(), time.process_time()
    gaps.begin()
    run(gaps)
    if options.get("device", "cpu") != "cpu":
        import cupy

        cupy.cuda.get_current_stream().synchronize()
    gaps(1.0, "the end")
    gaps.gaps.sort(reverse=True)
    return time.process_time() - begin, gaps
