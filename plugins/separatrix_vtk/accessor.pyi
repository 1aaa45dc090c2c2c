"""Methods of `mesh.separatrix`, for type checkers and editors.

Written by `make generated` (plugins/separatrix_vtk/generate/stubs.py).
"""

from collections.abc import Iterable
from typing import Any, Literal

from separatrix_vtk.base.filter import Progress
from separatrix_vtk.function_outputs import (
    AlphaComplexOutputs,
    DelaunayOutputs,
    DiscreteGradientOutputs,
    MeshRelationsOutputs,
    MorseSmaleOutputs,
    PersistenceDiagramOutputs,
    RipsBarcodesOutputs,
)

class Methods:
    def __init__(self, dataset: Any) -> None: ...
    def alpha_complex(
        self,
        alpha: float = 0.0,
        *,
        radius: Any = None,
        weights: Any = None,
        radius_source: Literal[
            "automatic", "array", "elements", "constant", "points", "weights"
        ] = "automatic",
        element_array: str | None = None,
        radius_overrides: str = "",
        use_hetatm: bool = True,
        model: int = 0,
        resolution: float = 0.001,
        box_source: Literal["none", "cell", "custom"] = "none",
        box: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 90.0, 90.0, 90.0),
        probe: float = 0.0,
        largest_alpha: float | None = None,
        compute_complex: bool = True,
        compute_boundary: bool = True,
        compute_voids: bool = True,
        compute_pockets: bool = False,
        protrusion_radius: float | None = None,
        compute_measures: bool = True,
        compute_diagram: bool = False,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        work_limit: float = 100000000000.0,
        method: Literal["auto", "local", "complete"] = "auto",
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> AlphaComplexOutputs:
        """Compute the weighted alpha complex of balls, with voids, pockets, and measures."""

    def critical_points(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        method: Literal["gradient", "link"] = "gradient",
        order: Literal["index", "plateau", "array"] = "index",
        order_array: str | None = None,
        periodic: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = "none",
        nan: Literal["error", "mask"] = "error",
        resample: bool = False,
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        devices: tuple[str, ...] = (),
        scratch: str = "",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> Any:
        """Compute the critical points of a scalar field on an image or a mesh."""

    def delaunay(
        self,
        weights: Any = None,
        *,
        resolution: float | None = None,
        neighbors: bool = False,
        max_tetrahedra: int | None = None,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> DelaunayOutputs:
        """Compute the Delaunay triangulation of points, or the regular one of weighted points."""

    def discrete_gradient(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        stride: int = 1,
        order: Literal["index", "plateau", "array"] = "index",
        order_array: str | None = None,
        periodic: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = "none",
        nan: Literal["error", "mask"] = "error",
        resample: bool = False,
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        devices: tuple[str, ...] = (),
        scratch: str = "",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> DiscreteGradientOutputs:
        """Compute the discrete gradient of a scalar field on an image or a mesh."""

    def mesh_relations(
        self,
        segments: str | None = None,
        *,
        segmentation: Literal["octree", "runs", "array"] = "octree",
        segment_size: int = 100,
        compute_counts: bool = True,
        compute_neighbors: bool = False,
        compute_edges: bool = False,
        compute_triangles: bool = False,
        compute_boundary: bool = True,
        relations: tuple[str, ...] = (),
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> MeshRelationsOutputs:
        """Compute the relations of a mesh of tetrahedra or triangles."""

    def morse_smale_complex(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        persistence: float = 0.0,
        relative: bool = False,
        rematch_saddles: bool = False,
        keep_skipped_saddles: bool = False,
        compute_critical_points: bool = True,
        compute_descending_separatrices_1: bool = True,
        compute_ascending_separatrices_1: bool = True,
        compute_saddle_connectors: bool = True,
        most_line_points: int | None = 100000,
        smoothing_iterations: int = 0,
        compute_descending_separatrices_2: bool = False,
        compute_ascending_separatrices_2: bool = False,
        compute_ascending_segmentation: bool = True,
        compute_descending_segmentation: bool = True,
        compute_morse_smale_segmentation: bool = True,
        compute_top_cell_labels: bool = False,
        compute_simplified_field: bool = False,
        compute_graph: bool = True,
        compute_persistence_pairs: bool = True,
        region_table: Literal["none", "descending", "ascending", "morse_smale"] = "none",
        order: Literal["index", "plateau", "array"] = "index",
        order_array: str | None = None,
        periodic: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = "none",
        nan: Literal["error", "mask"] = "error",
        resample: bool = False,
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        devices: tuple[str, ...] = (),
        scratch: str = "",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> MorseSmaleOutputs:
        """Compute the Morse-Smale complex of a scalar field on an image or a mesh."""

    def neighbor_statistics(
        self,
        critical_points: Any = None,
        weights: Any = None,
        *,
        kernel: Literal[
            "gaussian", "laplacian", "epanechnikov", "wendland", "cubic_spline"
        ] = "gaussian",
        sigma: float | None = None,
        lengths: str | None = None,
        cutoff: float | None = None,
        normalize: bool = True,
        boxsize: tuple[float, float, float] | None = None,
        compute_gradient: bool = False,
        critical_kind: Literal["all", "minima", "1-saddles", "2-saddles", "maxima"] = "all",
        number_of_neighbors: int = 8,
        include_self: bool = True,
        radius: float | None = None,
        all_neighbors: bool = False,
        kernel_density: bool = False,
        flat: bool = False,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> Any:
        """Compute distances to neighbors, local densities, and nearest critical points."""

    def persistence_diagram(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        dimensions: Iterable[int] = (0, 1, 2),
        show_zero_persistence: bool = False,
        show_inside_domain: bool = False,
        order: Literal["index", "plateau", "array"] = "index",
        order_array: str | None = None,
        periodic: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = "none",
        nan: Literal["error", "mask"] = "error",
        resample: bool = False,
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        devices: tuple[str, ...] = (),
        scratch: str = "",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> PersistenceDiagramOutputs:
        """Compute the persistence diagram of a scalar field on an image or a mesh."""

    def point_density(
        self,
        weights: Any = None,
        *,
        kernel: Literal[
            "gaussian", "laplacian", "epanechnikov", "wendland", "cubic_spline"
        ] = "gaussian",
        sigma: float | None = None,
        lengths: str | None = None,
        cutoff: float | None = None,
        normalize: bool = True,
        boxsize: tuple[float, float, float] | None = None,
        compute_gradient: bool = False,
        spacing: float | None = None,
        dimensions: tuple[int, int, int] | None = None,
        padding: float | None = None,
        use_bounds: bool = False,
        bounds: tuple[float, float, float, float, float, float] = (0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
        flat: bool = False,
        double_precision: bool = False,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> Any:
        """Compute the density of points on an image."""

    def rips_barcodes(
        self,
        weights: Any = None,
        *,
        positions: Any = None,
        columns: tuple[str, ...] = (),
        distance_matrix: bool = False,
        dtm_neighbors: int | None = None,
        weight_power: Literal[1, 2, "infinity"] = 1,
        metric: Literal[
            "euclidean", "cityblock", "chebyshev", "cosine", "correlation"
        ] = "euclidean",
        threshold: float | None = None,
        epsilon: float = 0.0,
        collapse: Literal["auto", True, False] = "auto",
        method: Literal["auto", "cohomology"] = "auto",
        min_persistence: float = 0.0,
        max_dimension: int = 1,
        field: int = 2,
        number_of_representatives: int = 10,
        shortening: float = 0.3,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        work_limit: float = 10000000000000.0,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> RipsBarcodesOutputs:
        """Compute the Vietoris-Rips barcodes of points or of a distance matrix."""

    def topological_simplification(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        critical_points: Any = None,
        persistence: float = 0.0,
        relative: bool = False,
        order: Literal["index", "plateau", "array"] = "index",
        order_array: str | None = None,
        periodic: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = "none",
        nan: Literal["error", "mask"] = "error",
        resample: bool = False,
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        devices: tuple[str, ...] = (),
        scratch: str = "",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> Any:
        """Remove minima and maxima from a scalar field on an image or a mesh."""
