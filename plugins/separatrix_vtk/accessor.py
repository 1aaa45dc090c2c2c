"""The functions on one PyVista dataset, as methods.

Written by `make generated` from the declarations in `separatrix.options`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from separatrix.options import known_keywords
from separatrix_vtk import functions
from separatrix_vtk.base.filter import Progress
from separatrix_vtk.function_outputs import (
    AlphaComplexOutputs,
    DiscreteGradientOutputs,
    MeshRelationsOutputs,
    MorseSmaleOutputs,
    PersistenceDiagramOutputs,
    RipsBarcodesOutputs,
)


class Methods:
    """Methods of `mesh.separatrix`."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    @known_keywords
    def morse_smale_complex(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        order: Literal["index", "plateau"] = "index",
        persistence: float = 0.0,
        relative: bool = False,
        compute_critical_points: bool = True,
        compute_descending_separatrices_1: bool = True,
        compute_ascending_separatrices_1: bool = True,
        compute_saddle_connectors: bool = True,
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
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> MorseSmaleOutputs:
        """Compute the Morse-Smale complex of a scalar field on an image or a mesh.

        Parameters
        ----------
        array : str, optional
            Name of the scalar field; by default the active scalars.
        association : {"point", "cell"}, optional
            Location of the scalar field; by default points are searched before cells.
        order : {"index", "plateau"}, default "index"
            How to order points with equal values. Index orders them by point number. Plateau Aware
            orders them by their distances to the lower and the higher rim of their plateau, which
            takes longer but produces far fewer critical points in data with many equal values, such
            as 8-bit images.
        persistence : float, default 0.0
            Cancel pairs of critical points whose values differ by less than this threshold; 0 keeps
            all pairs. Pairs that include a minimum or maximum are always canceled, but some pairs
            of saddles cannot be: the field data array SkippedPairs of "Critical Points" counts
            them. Changing the threshold does not recompute the complex.
        relative : bool, default False
            Whether `persistence` is a difference in value (Absolute), in the unit of the scalar
            field, or a number from 0 to 1 that is multiplied by the range of the scalar field
            (Fraction Of Range). In ParaView, a number larger than 1 is interpreted as absolute even
            so, with a warning.
        compute_critical_points : bool, default True
            Compute the output "Critical Points", with one point per minimum, saddle, and maximum.
            The array CriticalType is 0 for minima, 1 for 1-saddles (in 2D, all saddles), 2 for
            2-saddles, and 3 for maxima; CellDimension is the dimension of the critical cell.
        compute_descending_separatrices_1 : bool, default True
            Add the descending lines from each 1-saddle to its minima to the output "1-Separatrices"
            (SeparatrixType 0). They follow the valley floors and connect the minima.
        compute_ascending_separatrices_1 : bool, default True
            Add the ascending lines from each 2-saddle (in 2D, each saddle) to its maxima to the
            output "1-Separatrices" (SeparatrixType 2; in 2D, 1). They follow the ridges; a line
            that leaves the domain has a DestinationId of -1.
        compute_saddle_connectors : bool, default True
            Add the lines between 1-saddles and 2-saddles to the output "1-Separatrices"
            (SeparatrixType 1; 3D only). All lines between the same two saddles share one
            SeparatrixId, and Multiplicity is their number of V-paths.
        smoothing_iterations : int, default 0
            Number of smoothing passes applied to the lines of "1-Separatrices"; 0 leaves the lines
            on the cell centers. Critical points and junctions do not move. At most 1000 passes,
            also where a slider ends earlier. Must be an integer from 0 to 1,000.
        compute_descending_separatrices_2 : bool, default False
            Add the descending surface of each 2-saddle to the output "2-Separatrices"
            (SeparatrixType 2; 3D only). Large or noisy images have very many surfaces, so try a
            subset first.
        compute_ascending_separatrices_2 : bool, default False
            Add the ascending surface of each 1-saddle to the output "2-Separatrices"
            (SeparatrixType 1; 3D only). These surfaces separate the basins of minima. Large or
            noisy images have very many surfaces, so try a subset first.
        compute_ascending_segmentation : bool, default True
            Add the array AscendingManifold to the output "Segmentation": the number of the maximum
            that each point ascends to, or -1 if the path leaves the domain. The name refers to the
            direction of the path, as in TTK; many textbooks call the same region the descending
            manifold of the maximum.
        compute_descending_segmentation : bool, default True
            Add the array DescendingManifold to the output "Segmentation": the number of the minimum
            that each point descends to. The name refers to the direction of the path, as in TTK;
            many textbooks call the same region the ascending manifold of the minimum.
        compute_morse_smale_segmentation : bool, default True
            Add the array MorseSmaleManifold to the output "Segmentation": one number per
            combination of a minimum and a maximum. Points with equal numbers descend to the same
            minimum and ascend to the same maximum. They form one or more cells of the Morse-Smale
            complex.
        compute_top_cell_labels : bool, default False
            Add AscendingManifold to the output "Segmentation" as cell data, with the exact label of
            each voxel (in 2D, each pixel). The point data are less precise, because a point
            inherits the label of its highest adjacent voxel. This option has no effect if the
            scalar field is cell data.
        compute_simplified_field : bool, default False
            Add the array SimplifiedField to the output "Segmentation": the scalar field without the
            canceled minima and maxima. It differs from the scalar field by less than the threshold
            everywhere. Pairs of saddles are not removed.
        compute_graph : bool, default True
            Compute the output "Graph", with one straight line per pair of connected critical
            points. Persistence is the difference of their values. Multiplicity is their number of
            V-paths (after simplification without `compute_saddle_connectors`, an upper bound).
        compute_persistence_pairs : bool, default True
            Add the persistence partner of each point to "Critical Points". PairedId is the CellId
            of the partner, and Persistence is the difference of their values, in the unit of the
            scalar field.
        region_table : {"none", "descending", "ascending", "morse_smale"}, default "none"
            Segmentation whose regions are listed in the output "Regions". Each row contains the
            label of a region, its number of points, its lowest and highest values, and the CellIds
            of its minimum and maximum. In ParaView, open it in a SpreadSheet View.
        tetrahedralize : bool, default False
            Split cells that are not tetrahedra (for surfaces, triangles) without adding points, as
            the Tetrahedralize filter does. If this option is off, meshes with such cells are
            rejected. It applies to meshes only.
        on_duplicates : {"error", "drop"}, default "error"
            How to handle duplicate cells and cells that contain a point more than once. Error
            rejects the mesh and reports the first such cell; Drop removes them and keeps the first
            of several equal cells. It applies to meshes only.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        MorseSmaleOutputs
            critical_points, separatrices_1, separatrices_2 (polydata), segmentation (of the class
            of the input), graph (polydata), and regions (table).

        Examples
        --------
        >>> import numpy as np, pyvista
        >>> image = pyvista.ImageData(dimensions=(20, 20, 20), spacing=(0.5, 0.5, 0.5))
        >>> image["waves"] = np.sin(image.points).prod(axis=1)
        >>> complex = image.separatrix.morse_smale_complex("waves", persistence=0.2)
        >>> complex.critical_points["CriticalType"].max().item()
        3
        >>> complex.segmentation.dimensions
        (20, 20, 20)
        """
        return functions.morse_smale_complex(
            self._dataset,
            array=array,
            association=association,
            order=order,
            persistence=persistence,
            relative=relative,
            compute_critical_points=compute_critical_points,
            compute_descending_separatrices_1=compute_descending_separatrices_1,
            compute_ascending_separatrices_1=compute_ascending_separatrices_1,
            compute_saddle_connectors=compute_saddle_connectors,
            smoothing_iterations=smoothing_iterations,
            compute_descending_separatrices_2=compute_descending_separatrices_2,
            compute_ascending_separatrices_2=compute_ascending_separatrices_2,
            compute_ascending_segmentation=compute_ascending_segmentation,
            compute_descending_segmentation=compute_descending_segmentation,
            compute_morse_smale_segmentation=compute_morse_smale_segmentation,
            compute_top_cell_labels=compute_top_cell_labels,
            compute_simplified_field=compute_simplified_field,
            compute_graph=compute_graph,
            compute_persistence_pairs=compute_persistence_pairs,
            region_table=region_table,
            tetrahedralize=tetrahedralize,
            on_duplicates=on_duplicates,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            progress_bar=progress_bar,
        )

    @known_keywords
    def persistence_diagram(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        dimensions: Iterable[int] = (0, 1, 2),
        order: Literal["index", "plateau"] = "index",
        show_zero_persistence: bool = False,
        show_inside_domain: bool = False,
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> PersistenceDiagramOutputs:
        """Compute the persistence diagram of a scalar field on an image or a mesh.

        Parameters
        ----------
        array : str, optional
            Name of the scalar field; by default the active scalars.
        association : {"point", "cell"}, optional
            Location of the scalar field; by default points are searched before cells.
        dimensions : sequence of int, default (0, 1, 2)
            Dimensions of the pairs to compute: 0 components, 1 tunnels (in 2D, hills), 2 voids (3D
            only).
        order : {"index", "plateau"}, default "index"
            How to order points with equal values. Index orders them by point number. Plateau Aware
            orders them by their distances to the lower and the higher rim of their plateau, which
            takes longer but produces far fewer critical points in data with many equal values, such
            as 8-bit images.
        show_zero_persistence : bool, default False
            Include pairs of equal values. They result from the order of equal values, not from the
            data; 8-bit images have very many of them.
        show_inside_domain : bool, default False
            Draw each pair as a line between its two critical points in the domain, instead of in
            the plane of births and deaths. To see it in ParaView, activate the view of the input
            and click the eye icon of the diagram. In the plane, the array Coordinates contains
            these positions.
        tetrahedralize : bool, default False
            Split cells that are not tetrahedra (for surfaces, triangles) without adding points, as
            the Tetrahedralize filter does. If this option is off, meshes with such cells are
            rejected. It applies to meshes only.
        on_duplicates : {"error", "drop"}, default "error"
            How to handle duplicate cells and cells that contain a point more than once. Error
            rejects the mesh and reports the first such cell; Drop removes them and keeps the first
            of several equal cells. It applies to meshes only.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        PersistenceDiagramOutputs
            diagram (unstructured grid) and curves (table).

        Examples
        --------
        >>> import numpy as np, pyvista
        >>> sphere = pyvista.Sphere()
        >>> sphere["height"] = sphere.points[:, 2]
        >>> diagram = sphere.separatrix.persistence_diagram("height").diagram
        >>> births_of_voids = diagram["Birth"][diagram["PairType"] == 2]
        >>> len(births_of_voids)  # a sphere encloses one, which is essential
        1
        """
        return functions.persistence_diagram(
            self._dataset,
            array=array,
            association=association,
            dimensions=dimensions,
            order=order,
            show_zero_persistence=show_zero_persistence,
            show_inside_domain=show_inside_domain,
            tetrahedralize=tetrahedralize,
            on_duplicates=on_duplicates,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            progress_bar=progress_bar,
        )

    @known_keywords
    def critical_points(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        method: Literal["link", "gradient"] = "link",
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> Any:
        """Compute the critical points of a scalar field on an image or a mesh.

        Parameters
        ----------
        array : str, optional
            Name of the scalar field; by default the active scalars.
        association : {"point", "cell"}, optional
            Location of the scalar field; by default points are searched before cells.
        method : {"link", "gradient"}, default "link"
            Definition of a critical point of a mesh. Link (Banchoff): a point whose lower or upper
            neighbors do not form exactly one connected piece each; it may be degenerate. Gradient:
            a critical simplex of the discrete gradient, as in the Morse-Smale complex. Images
            always use Gradient.
        tetrahedralize : bool, default False
            Split cells that are not tetrahedra (for surfaces, triangles) without adding points, as
            the Tetrahedralize filter does. If this option is off, meshes with such cells are
            rejected. It applies to meshes only.
        on_duplicates : {"error", "drop"}, default "error"
            How to handle duplicate cells and cells that contain a point more than once. Error
            rejects the mesh and reports the first such cell; Drop removes them and keeps the first
            of several equal cells. It applies to meshes only.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        dataset
            vtkPolyData with one vertex per critical point.

        Examples
        --------
        >>> import numpy as np, pyvista
        >>> image = pyvista.ImageData(dimensions=(30, 30, 1), spacing=(0.4, 0.4, 1.0))
        >>> image["waves"] = np.sin(image.points[:, 0]) * np.sin(image.points[:, 1])
        >>> points = image.separatrix.critical_points()
        >>> maxima = points.points[points["CriticalType"] == 3]
        >>> len(maxima)
        8
        """
        return functions.critical_points(
            self._dataset,
            array=array,
            association=association,
            method=method,
            tetrahedralize=tetrahedralize,
            on_duplicates=on_duplicates,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            progress_bar=progress_bar,
        )

    @known_keywords
    def discrete_gradient(
        self,
        array: str | None = None,
        *,
        association: Literal["point", "cell"] | None = None,
        stride: int = 1,
        tetrahedralize: bool = False,
        on_duplicates: Literal["error", "drop"] = "error",
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> DiscreteGradientOutputs:
        """Compute the discrete gradient of a scalar field on an image or a mesh.

        Parameters
        ----------
        array : str, optional
            Name of the scalar field; by default the active scalars.
        association : {"point", "cell"}, optional
            Location of the scalar field; by default points are searched before cells.
        stride : int, default 1
            Show only the pairs at every n-th voxel along each axis (of a mesh, every n-th pair); 1
            shows all pairs. All critical points are shown. The stride may exceed the range of a
            slider.
        tetrahedralize : bool, default False
            Split cells that are not tetrahedra (for surfaces, triangles) without adding points, as
            the Tetrahedralize filter does. If this option is off, meshes with such cells are
            rejected. It applies to meshes only.
        on_duplicates : {"error", "drop"}, default "error"
            How to handle duplicate cells and cells that contain a point more than once. Error
            rejects the mesh and reports the first such cell; Drop removes them and keeps the first
            of several equal cells. It applies to meshes only.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        DiscreteGradientOutputs
            critical_points, gradient (points with vectors), and arrows (lines).

        Examples
        --------
        >>> import numpy as np, pyvista
        >>> image = pyvista.ImageData(dimensions=(12, 12, 1))
        >>> image["hill"] = -((image.points - 5.5) ** 2).sum(axis=1)
        >>> gradient = image.separatrix.discrete_gradient(stride=4)
        >>> gradient.arrows.n_lines == gradient.gradient.n_points
        True
        """
        return functions.discrete_gradient(
            self._dataset,
            array=array,
            association=association,
            stride=stride,
            tetrahedralize=tetrahedralize,
            on_duplicates=on_duplicates,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            progress_bar=progress_bar,
        )

    @known_keywords
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
        """Compute the relations of a mesh of tetrahedra or triangles.

        Parameters
        ----------
        segments : str, optional
            Name of a point array of integers, the segment of each point; by default an octree
            groups the points.
        segmentation : {"octree", "runs", "array"}, default "octree"
            How to group the points into segments, for which relations are computed together.
            Octree: leaves of an octree. Runs: equal numbers of points along a space-filling curve.
            Array: the array `segments`. For Octree and Runs, the ids of edges and triangles do not
            depend on the segments.
        segment_size : int, default 100
            Maximum number of points per segment, if `segmentation` is Octree or Runs.
        compute_counts : bool, default True
            Add the numbers of neighbors, triangles, and tetrahedra of each point to "Mesh", and the
            number of neighbors of each cell. The arrays are NumberOfNeighbors, NumberOfTriangles,
            and NumberOfTetrahedra, and for cells NumberOfFaceNeighbors (of triangles,
            NumberOfEdgeNeighbors).
        compute_neighbors : bool, default False
            Add the cell array Neighbors to "Mesh": the tetrahedron across each of the four faces of
            a tetrahedron, or -1.
        compute_edges : bool, default False
            Compute the output "Edges": all edges as lines, with their numbers of triangles and
            tetrahedra. A mesh has about seven times as many edges as points.
        compute_triangles : bool, default False
            Compute the output "Triangles": all triangles, with their number of tetrahedra. That
            number is 1 or 2, or larger if the mesh is not a manifold. A mesh has about twelve times
            as many triangles as points.
        compute_boundary : bool, default True
            Compute the output "Boundary": the triangles with a single tetrahedron, oriented
            outward, with the point data of the input. Of a triangle mesh, it consists of the edges
            with a single triangle.
        relations : sequence of str, optional
            Relations to compute for the output "Relations", separated by commas. Each is named by
            two of the letters V (point), E (edge), F (triangle), and T (tetrahedron): VT lists the
            tetrahedra of each point, and VV, EE, FF, and TT list neighbors. The lists are field
            data: XY_Items, split into rows at XY_Offsets.
        tetrahedralize : bool, default False
            Split cells that are not tetrahedra (for surfaces, triangles) without adding points, as
            the Tetrahedralize filter does. If this option is off, meshes with such cells are
            rejected. It applies to meshes only.
        on_duplicates : {"error", "drop"}, default "error"
            How to handle duplicate cells and cells that contain a point more than once. Error
            rejects the mesh and reports the first such cell; Drop removes them and keeps the first
            of several equal cells. It applies to meshes only.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        MeshRelationsOutputs
            mesh, edges, triangles, boundary (polydata), relations, and statistics (tables).

        Examples
        --------
        >>> import pyvista
        >>> mesh = pyvista.Icosahedron()
        >>> found = mesh.separatrix.mesh_relations(relations=("VV", "EF"), compute_edges=True)
        >>> found.edges.n_lines
        30
        >>> len(found.relations.field_data["VV_Items"])  # each edge from both its ends
        60
        """
        return functions.mesh_relations(
            self._dataset,
            segments=segments,
            segmentation=segmentation,
            segment_size=segment_size,
            compute_counts=compute_counts,
            compute_neighbors=compute_neighbors,
            compute_edges=compute_edges,
            compute_triangles=compute_triangles,
            compute_boundary=compute_boundary,
            relations=relations,
            tetrahedralize=tetrahedralize,
            on_duplicates=on_duplicates,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            progress_bar=progress_bar,
        )

    @known_keywords
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
        min_persistence: float = 0.0,
        max_dimension: int = 1,
        field: int = 2,
        number_of_representatives: int = 10,
        shortening: float = 0.0,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        work_limit: float = 10000000000000.0,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> RipsBarcodesOutputs:
        """Compute the Vietoris-Rips barcodes of points or of a distance matrix.

        Parameters
        ----------
        weights : str or (n,) array_like, optional
            Birth values of the points on the scale of the distances, or the name of their array,
            for a weighted filtration.
        positions : like `points`, optional
            Where to draw the points; by default at their first three coordinates.
        columns : sequence of str, optional
            Columns of a table that contain the coordinates of the points, or the columns of a
            distance matrix. They are used in the order of the table; by default, x, y, and z. Other
            inputs have points of their own.
        distance_matrix : bool, default False
            Interpret the columns as a distance matrix. It must be symmetric, with as many rows as
            columns and 0 on the diagonal. Distances are non-negative; inf denotes a missing edge.
        dtm_neighbors : int, optional
            Weight the points by twice their distance to the measure defined by this number of
            nearest points, including the point itself; by default there are no such weights.
            Isolated points are born late, which reduces the influence of outliers.
        weight_power : {1, 2, "infinity"}, default 1
            Exponent of the weighted filtration, which determines how balls grow after their birth.
        metric : str, default "euclidean"
            Metric that defines the distance between two points. All metrics except Euclidean
            require SciPy. Must be 'euclidean', 'cityblock', 'chebyshev', 'cosine', or
            'correlation'.
        threshold : float, optional
            Ignore edges longer than this length; by default all edges up to the enclosing radius
            are used, because longer ones cannot change the bars. Bars that are alive at the
            threshold are reported as essential.
        epsilon : float, default 0.0
            Relative error permitted in the bars; 0 computes exact bars, and positive values build a
            sparse Rips filtration, which has fewer edges.
        collapse : {"auto", True, False}, default "auto"
            Whether to collapse edges first. The bars do not change, but their simplices may. Auto
            decides by the estimated cost.
        min_persistence : float, default 0.0
            Omit bars shorter than this from all outputs except the statistics.
        max_dimension : int, default 1
            Highest dimension of the bars: 0 components, 1 also loops, 2 also voids. Each additional
            dimension may multiply the computation time by the number of points. Must be an integer
            from 0 to 16.
        field : int, default 2
            Prime p of the coefficient field Z/p. The bars depend on it only in the presence of
            torsion, as in a projective plane. Must be an integer from 2 to 65,521.
        number_of_representatives : int, default 10
            Number of the longest bars per dimension for which the output Representatives contains a
            cycle.
        shortening : float, default 0.0
            Shorten the loops of the output Representatives, by allowing edges up to this fraction
            of the bar; 0 draws each loop as it is born. A shortened loop still surrounds the same
            hole. This requires the field 2 and Euclidean or given distances, without weights,
            epsilon, or a forced edge collapse; otherwise a warning is issued. Must be a number from
            0 to 0.99.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        work_limit : float, default 10000000000000.0
            Maximum estimated number of simplices in all dimensions. If the estimate is larger, an
            error reports it and says which options to lower.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        RipsBarcodesOutputs
            barcode and representatives (polydata), diagram (unstructured grid), bars, betti_curves,
            and statistics (tables).

        Examples
        --------
        >>> import pyvista
        >>> ring = pyvista.Polygon(n_sides=30)
        >>> outputs = ring.separatrix.rips_barcodes(max_dimension=1)
        >>> int((outputs.bars["Dimension"] == 1).sum())  # one loop
        1
        >>> outputs.representatives.n_lines  # and a line through its points
        1
        """
        return functions.rips_barcodes(
            self._dataset,
            weights=weights,
            positions=positions,
            columns=columns,
            distance_matrix=distance_matrix,
            dtm_neighbors=dtm_neighbors,
            weight_power=weight_power,
            metric=metric,
            threshold=threshold,
            epsilon=epsilon,
            collapse=collapse,
            min_persistence=min_persistence,
            max_dimension=max_dimension,
            field=field,
            number_of_representatives=number_of_representatives,
            shortening=shortening,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            work_limit=work_limit,
            progress=progress,
            progress_bar=progress_bar,
        )

    @known_keywords
    def point_density(
        self,
        weights: Any = None,
        *,
        kernel: Literal["gaussian", "wendland"] = "gaussian",
        sigma: float | None = None,
        cutoff: float | None = None,
        normalize: bool = True,
        spacing: float | None = None,
        dimensions: tuple[int, int, int] | None = None,
        padding: float | None = None,
        use_bounds: bool = False,
        bounds: tuple[float, float, float, float, float, float] = (0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
        flat: bool = False,
        compute_gradient: bool = False,
        double_precision: bool = False,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> Any:
        """Compute the density of points on an image.

        Parameters
        ----------
        weights : str or (n,) array_like, optional
            Weights of the points, or the name of their array; by default 1 each.
        kernel : {"gaussian", "wendland"}, default "gaussian"
            Shape of the kernel around each point. Gaussian: exp(-d^2 / (2 sigma^2)) minus its value
            at the cutoff. Wendland: the polynomial (1 - q)^4 (4 q + 1) of q = distance / cutoff,
            which is twice differentiable and ends at the cutoff.
        sigma : float, optional
            Width of the kernel, the standard deviation of the Gaussian, in the unit of the points;
            by default the median distance to the nearest point. About 1 Angstrom shows the atom
            groups of a molecule, and 2 its residues. Must be a positive number or None.
        cutoff : float, optional
            Distance at which the kernel ends, in the unit of the points; by default 4 sigma. The
            computation time is proportional to its cube. Must be a positive number or None.
        normalize : bool, default True
            Scale the kernels so that each integrates to the weight of its point. If this option is
            off, the value of a kernel at its point is the weight (Gaussian: minus the value at the
            cutoff).
        spacing : float, optional
            Distance between the points of the image, in the unit of the input points; by default
            half of sigma, or as `dimensions` determines. Half of sigma or less resolves the
            kernels. Must be a positive number or None.
        dimensions : sequence of 3 int, optional
            Number of points of the image along x, y, and z; by default the spacing determines it.
            If both are given, the image is centered on the points.
        padding : float, optional
            Distance between the points and the faces of the image, in the unit of the points; by
            default the cutoff, so that no kernel is clipped.
        use_bounds : bool, default False
            Sample the image within `bounds` instead of around the points. Points outside contribute
            the part of their kernels that is inside.
        bounds : sequence of 6 float, default (0.0, 1.0, 0.0, 1.0, 0.0, 1.0)
            Bounds of the image: xmin, xmax, ymin, ymax, zmin, zmax, in the unit of the points. They
            are used if `use_bounds` is on. With a given spacing, the image may exceed the upper
            bounds by up to one step.
        flat : bool, default False
            Compute the density of points in a plane z = constant: an image of one layer, with the
            weight per area. If this option is off, such points are in the middle of a volume. In
            ParaView, use the Slice representation, because a Volume of one layer is empty.
        compute_gradient : bool, default False
            Add the gradient of the density, the array DensityGradient. It has three components and
            is exact, not computed by finite differences.
        double_precision : bool, default False
            Sum and store in double precision, which takes more time and twice the memory. Single
            precision is accurate to about 7 digits.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        dataset
            vtkImageData with the point array Density, and DensityGradient if requested.

        Examples
        --------
        >>> import numpy as np, pyvista
        >>> points = pyvista.PointSet(np.random.default_rng(0).normal(size=(100, 3)))
        >>> image = points.separatrix.point_density(sigma=0.5, spacing=0.25)
        >>> round(image["Density"].sum() * 0.25**3)  # the sum of the weights
        100
        """
        return functions.point_density(
            self._dataset,
            weights=weights,
            kernel=kernel,
            sigma=sigma,
            cutoff=cutoff,
            normalize=normalize,
            spacing=spacing,
            dimensions=dimensions,
            padding=padding,
            use_bounds=use_bounds,
            bounds=bounds,
            flat=flat,
            compute_gradient=compute_gradient,
            double_precision=double_precision,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            progress_bar=progress_bar,
        )

    @known_keywords
    def neighbor_statistics(
        self,
        critical_points: Any = None,
        *,
        critical_kind: Literal["all", "minima", "1-saddles", "2-saddles", "maxima"] = "all",
        number_of_neighbors: int = 8,
        include_self: bool = True,
        radius: float | None = None,
        all_neighbors: bool = False,
        flat: bool = False,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> Any:
        """Compute distances to neighbors, local densities, and nearest critical points.

        Parameters
        ----------
        critical_points : like `points`, optional
            Other points, such as the first output of `morse_smale_complex`.
        critical_kind : str, default "all"
            Kind of critical points to measure the distance to, by their array CriticalType. All
            accepts any points, with or without that array. In 2D, the saddles are 1-saddles. Must
            be 'all', 'minima', '1-saddles', '2-saddles', or 'maxima'.
        number_of_neighbors : int, default 8
            Number k of nearest other points for DistanceToKthNearest, DistanceToMeasure, and
            LocalDensity. It must be smaller than the number of points.
        include_self : bool, default True
            Count each point as the first of its own k neighbors, at distance 0, in
            DistanceToMeasure. This is the usual definition of the distance to a measure. The other
            arrays never count the point itself.
        radius : float, optional
            Add the array NeighborsWithinRadius, the number of other points up to this distance, in
            the unit of the points; by default it is omitted.
        all_neighbors : bool, default False
            Add the arrays NearestDistances and NearestIds, with one component for each of the k
            neighbors, the nearest first.
        flat : bool, default False
            Compute LocalDensity per area, for points on a plane or a surface, instead of per
            volume. The other arrays do not depend on it.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        dataset
            vtkPointSet of the class of the points, with arrays added.

        Examples
        --------
        >>> import pyvista
        >>> row = pyvista.Line((0, 0, 0), (4, 0, 0), resolution=4)
        >>> row.separatrix.neighbor_statistics(number_of_neighbors=1)["DistanceToNearest"].tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]
        """
        return functions.neighbor_statistics(
            self._dataset,
            critical_points=critical_points,
            critical_kind=critical_kind,
            number_of_neighbors=number_of_neighbors,
            include_self=include_self,
            radius=radius,
            all_neighbors=all_neighbors,
            flat=flat,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            progress_bar=progress_bar,
        )

    @known_keywords
    def alpha_complex(
        self,
        alpha: float = 0.0,
        *,
        radius: Any = None,
        radius_source: Literal["automatic", "array", "elements", "constant"] = "automatic",
        element_array: str | None = None,
        radius_overrides: str = "",
        use_hetatm: bool = True,
        model: int = 0,
        resolution: float = 0.001,
        probe: float = 0.0,
        largest_alpha: float | None = None,
        compute_complex: bool = True,
        compute_boundary: bool = True,
        compute_voids: bool = True,
        compute_pockets: bool = False,
        compute_measures: bool = True,
        compute_diagram: bool = False,
        device: Literal["auto", "cpu", "cuda"] | str = "auto",
        threads: int | None = None,
        memory_limit: int | None = None,
        work_limit: float = 100000000000.0,
        fallback: Literal["refuse", "gudhi"] = "refuse",
        progress: Progress | None = None,
        progress_bar: bool = False,
    ) -> AlphaComplexOutputs:
        """Compute the weighted alpha complex of balls, with voids, pockets, and measures.

        Parameters
        ----------
        alpha : float, default 0.0
            Squared length to add to each squared radius.
        radius : float, str, or (n,) array_like, optional
            One radius for all balls, one radius per ball, or the name of their array; by default
            the array "radius", otherwise the van der Waals radii of Bondi by atomic number.
        radius_source : {"automatic", "array", "elements", "constant"}, default "automatic"
            Source of the radii. Array: the array `radius_array`. Elements: the van der Waals radii
            of Bondi in Angstrom, by atomic number. Constant: `constant_radius` for all atoms.
            Automatic: the selected array, otherwise an array "radius" with one component, otherwise
            the elements. The array radius with three components of ParaView's PDB reader does not
            contain Bondi's radii, so Automatic uses the elements.
        element_array : str, optional
            Point array of atomic numbers (1 hydrogen, 6 carbon, ...). By default, an array named
            "atom_type" or "Atomic Numbers" is used, as molecule readers create it.
        radius_overrides : str, default ""
            Radii of elements in Angstrom that replace Bondi's, such as C=1.76, FE=2.05. X is the
            unknown element. If given, an array named "radius" is not used automatically.
        use_hetatm : bool, default True
            Use the atoms that the file marks as HETATM, too: ligands, ions, and water. A ligand
            fills the pocket that it occupies, and water hides a cavity. The atoms are recognized by
            an array is_hetatm or ishetatm.
        model : int, default 0
            Number of the model to use, by the array "model"; 0 uses the first model, and -1 uses
            all models together. All models together overlap, which is rarely useful and slow.
        resolution : float, default 0.001
            Step to whose multiples positions and radii are rounded, in the unit of the points. All
            computations on the rounded numbers are exact. 0.001 Angstrom preserves the coordinates
            of PDB files. Larger coordinates or radii require a larger step, which the error message
            states.
        probe : float, default 0.0
            Length to add to each radius, in the unit of the points. With 1.4 Angstrom, the radius
            of a water molecule, the area is the solvent-accessible surface, and voids contain the
            possible centers of such a molecule.
        largest_alpha : float, optional
            Largest alpha to compute, a squared length; by default `alpha`, or with pockets or the
            diagram 12 times the square of the largest radius (about 40 square Angstrom for
            proteins) or twice `alpha`. Pockets and the diagram extend up to it; 20 to 60 square
            Angstrom are usual. Any smaller `alpha` then follows without another computation.
        compute_complex : bool, default True
            Compute the output "Complex": vertices, edges, triangles, and tetrahedra with their
            AlphaValue. The other outputs do not depend on it.
        compute_boundary : bool, default True
            Compute the output "Boundary": the triangles next to empty space, with normals that
            point away from the solid. The arrays contain the component of each triangle and the
            void that it faces.
        compute_voids : bool, default True
            Compute the output "Voids": the walls of each enclosed piece of empty space, with its
            volume and area. A space with an opening is not a void but a pocket.
        compute_pockets : bool, default False
            Compute the output "Pockets": empty space that widens inward, with its walls and mouths.
            Pockets depend on `largest_alpha`; wider space is outside. Voids are pockets without
            mouths.
        compute_measures : bool, default True
            Add Volume and Area to the atoms, and TotalVolume and TotalArea to the field data. They
            are in the cubed and squared unit of the points.
        compute_diagram : bool, default False
            Compute the output "Diagram": the alpha at which each component, tunnel, and void of the
            complex begins and ends. It extends to `largest_alpha`, where features that do not end
            before are drawn.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "auto"
            Device to compute on. Auto uses the device named by the SEPARATRIX_DEVICE environment
            variable if it is set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU
            never uses a GPU, and CUDA reports an error if no GPU is usable; the results are
            identical.
        threads : int, optional
            Maximum number of CPU threads; by default all available threads. The result does not
            depend on this number. Must be an integer from 1 to 1,024 or None.
        memory_limit : int, optional
            Maximum amount of device memory to use, in bytes; by default there is no limit. Leave
            enough memory for rendering if ParaView renders on the same GPU.
        work_limit : float, default 100000000000.0
            Maximum estimated number of tests; more raise an error. Many tests result from balls
            that intersect many others, as with a large alpha or with several models in one place.
        fallback : {"refuse", "gudhi"}, default "refuse"
            What to do beyond `work_limit`. Refuse raises an error. GUDHI computes the complete
            regular triangulation on the CPU with that package, which must be installed; the complex
            is the same.
        progress : callable, optional
            Called with the completed fraction and the name of a stage. It may raise
            `separatrix.Cancelled` to stop the computation.
        progress_bar : bool, default False
            Whether to show the progress on stderr.

        Returns
        -------
        AlphaComplexOutputs
            complex, boundary, voids, pockets, atoms, and diagram.

        Examples
        --------
        >>> import numpy as np, pyvista
        >>> corners = pyvista.PointSet([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
        >>> found = corners.separatrix.alpha_complex(radius=0.8)
        >>> found.complex.n_cells  # three points, three edges, and the triangle
        7
        >>> area = found.atoms["Area"]  # of each ball, on the surface of the union
        """
        return functions.alpha_complex(
            self._dataset,
            alpha=alpha,
            radius=radius,
            radius_source=radius_source,
            element_array=element_array,
            radius_overrides=radius_overrides,
            use_hetatm=use_hetatm,
            model=model,
            resolution=resolution,
            probe=probe,
            largest_alpha=largest_alpha,
            compute_complex=compute_complex,
            compute_boundary=compute_boundary,
            compute_voids=compute_voids,
            compute_pockets=compute_pockets,
            compute_measures=compute_measures,
            compute_diagram=compute_diagram,
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            work_limit=work_limit,
            fallback=fallback,
            progress=progress,
            progress_bar=progress_bar,
        )
