"""Options of the Morse-Smale complex."""

from __future__ import annotations

from typing import Literal

from .option import option
from .shared import (
    ARRAY,
    RELATIVE,
    ImageExecutionOptions,
    KeepOptions,
    ScalarFieldOptions,
    check_level,
)


class MorseSmaleOptions(ScalarFieldOptions, ImageExecutionOptions, KeepOptions, group="Output"):
    """Options of the Morse-Smale complex, in the order of its panel."""

    array: str | None = ARRAY

    persistence: float = option(
        default=0.0,
        title="Persistence Threshold",
        at_least=0,
        unit="field",
        group="Simplification",
        summary="Cancel pairs of critical points whose values differ by less than this threshold; "
        "0 keeps all pairs.",
        details="Pairs that include a minimum or maximum are always canceled, but some pairs of "
        'saddles cannot be: the field data array SkippedPairs of "Critical Points" counts them. '
        "Changing the threshold does not recompute the gradient.",
    )
    relative: bool = RELATIVE
    automatic_threshold: bool = option(
        default=False,
        panel_default=True,
        pipeline_only=True,
        group="Simplification",
        summary="While {persistence} is 0, use 1% of the range of the scalar field instead, or a "
        "higher threshold if more than 25 pairs (in 2D, 100) remain.",
        details="The higher one is the suggested threshold, which is in a clear gap of the "
        "persistence curve. Without a gap, it is the lowest that leaves so few pairs. "
        "This option is enabled in ParaView, so that noise does not hide the features at the first "
        "Apply. Disable it to keep all pairs, or set {persistence}, which has priority.",
    )
    rematch_saddles: bool = option(
        default=False,
        panel_default=True,
        group="Simplification",
        summary="If a saddle cannot be canceled with its persistence partner, cancel it with "
        "another saddle whose value differs from its own by less than the threshold.",
        details="Fewer saddles remain; the first threshold of noisy data takes up to three times "
        "as long. The persistence diagram at and above the threshold has not changed in any field "
        "tested, but this is not proved; the partners of the remaining saddles below the threshold "
        "can change. This option is enabled in ParaView.",
    )
    keep_skipped_saddles: bool = option(
        default=False,
        group="Simplification",
        only_for="3D",
        summary="Keep saddles of pairs below the threshold that could not be canceled, in the "
        'outputs "Critical Points", "1-Separatrices", "2-Separatrices", and "Graph".',
        details="By default, these saddles are omitted with their lines, surfaces, and arcs, "
        "because they obscure the other saddles in noisy data; the field data array OmittedSaddles "
        'of "Critical Points" counts them. Keep them if the outputs must form a complete complex, '
        "with its Euler characteristic and boundary operator. Labels do not depend on this.",
    )
    compute_critical_points: bool = option(
        default=True,
        summary='Compute the output "Critical Points", with one point per minimum, saddle, and '
        "maximum.",
        details="The array CriticalType is 0 for minima, 1 for 1-saddles (in 2D, all saddles), 2 "
        "for 2-saddles, and 3 for maxima; CellDimension is the dimension of the critical cell.",
    )
    compute_descending_separatrices_1: bool = option(
        default=True,
        title="Descending 1-Separatrices",
        summary="Add the descending lines from each 1-saddle to its minima to the output "
        '"1-Separatrices" (SeparatrixType 0).',
        details="They follow the valley floors and connect the minima.",
    )
    compute_ascending_separatrices_1: bool = option(
        default=True,
        title="Ascending 1-Separatrices",
        summary="Add the ascending lines from each 2-saddle (in 2D, each saddle) to its maxima to "
        'the output "1-Separatrices" (SeparatrixType 2; in 2D, 1).',
        details="They follow the ridges; a line that leaves the domain has a DestinationId of -1.",
    )
    compute_saddle_connectors: bool = option(
        default=True,
        only_for="3D",
        summary='Add the lines between 1-saddles and 2-saddles to the output "1-Separatrices" '
        "(SeparatrixType 1; 3D only).",
        details="All lines between the same two saddles share one SeparatrixId, and Multiplicity "
        "is their number of V-paths.",
    )
    most_line_points: int | None = option(
        default=100_000,
        at_least=1,
        none_number=0,
        usual=(0, 2_000_000),
        summary='Maximum number of points of "1-Separatrices"; 0 draws all. Beyond it, the lines '
        "of the least persistent saddles are omitted, with a warning.",
        details='Lines of large or noisy data have millions of points. "Graph" contains all arcs.',
    )
    smoothing_iterations: int = option(
        default=0,
        at_least=0,
        at_most=1000,
        usual=(0, 100),
        summary='Number of smoothing passes applied to the lines of "1-Separatrices"; 0 leaves the '
        "lines on the cell centers.",
        details="Critical points and junctions do not move. The maximum is 1000 passes; type "
        "numbers beyond the range of the slider.",
    )
    compute_descending_separatrices_2: bool = option(
        default=False,
        title="Descending 2-Separatrices",
        only_for="3D",
        summary='Add the descending surface of each 2-saddle to the output "2-Separatrices" '
        "(SeparatrixType 2; 3D only).",
        details="Large or noisy images have very many surfaces, so try a subset first.",
    )
    compute_ascending_separatrices_2: bool = option(
        default=False,
        title="Ascending 2-Separatrices",
        only_for="3D",
        summary='Add the ascending surface of each 1-saddle to the output "2-Separatrices" '
        "(SeparatrixType 1; 3D only).",
        details="These surfaces separate the basins of minima. Large or noisy images have very "
        "many surfaces, so try a subset first.",
    )
    compute_ascending_segmentation: bool = option(
        default=True,
        summary='Add the array AscendingManifold to the output "Segmentation": the number of the '
        "maximum that each point ascends to (-1 if the path leaves the domain).",
        details="The name refers to the direction of the path, as in TTK; many textbooks call the "
        "same region the descending manifold of the maximum.",
    )
    compute_descending_segmentation: bool = option(
        default=True,
        summary='Add the array DescendingManifold to the output "Segmentation": the number of the '
        "minimum that each point descends to.",
        details="The name refers to the direction of the path, as in TTK; many textbooks call the "
        "same region the ascending manifold of the minimum.",
    )
    compute_morse_smale_segmentation: bool = option(
        default=True,
        title="Morse-Smale Segmentation",
        summary='Add the array MorseSmaleManifold to the output "Segmentation": one number per '
        "combination of a minimum and a maximum.",
        details="Points with equal numbers descend to the same minimum and ascend to the same "
        "maximum. They form one or more cells of the Morse-Smale complex.",
    )
    compute_top_cell_labels: bool = option(
        default=False,
        advanced=True,
        summary='Add AscendingManifold to the output "Segmentation" as cell data, with the exact '
        "label of each voxel (in 2D, each pixel).",
        details="The point data are less precise, because a point inherits the label of its "
        "highest adjacent voxel. This option has no effect if the scalar field is cell data.",
    )
    compute_simplified_field: bool = option(
        default=False,
        summary='Add the array SimplifiedField to the output "Segmentation": the scalar field '
        "without the canceled minima and maxima.",
        details="It differs from the scalar field by less than the threshold everywhere. Pairs of "
        "saddles are not removed. The array SimplifiedField_Order contains the rank of each point, "
        "by which other filters must order the equal values of this field.",
    )
    compute_graph: bool = option(
        default=True,
        summary='Compute the output "Graph", with one straight line per pair of connected critical '
        "points.",
        details="Persistence is the difference of their values, and Multiplicity their number of "
        "V-paths.",
    )
    compute_persistence_pairs: bool = option(
        default=True,
        summary='Add the persistence partner of each point to "Critical Points".',
        details="PairedId is the CellId of the partner, and Persistence is the difference of their "
        "values, in the unit of the scalar field.",
    )
    region_table: Literal["none", "descending", "ascending", "morse_smale"] = option(
        default="none",
        summary='Segmentation whose regions are listed in the output "Regions".',
        details="Each row contains the label of a region, its number of points, its lowest and "
        "highest values, and the CellIds of its minimum and maximum. In ParaView, open it in a "
        "SpreadSheet View.",
    )

    def check_together(self) -> None:
        """Raise InputError if a relative threshold is larger than 1."""
        check_level(self.persistence, self.relative)
