"""Options of the readers: molecules, points or distances, and volumes."""

from __future__ import annotations

from typing import Literal

from .declaration import Options
from .option import option


class MoleculeReaderOptions(Options, group="Atoms"):
    """Options of the molecule reader, in the order of its panel."""

    file_name: str = option(
        default="",
        affects_result=False,
        summary="File to read: .pdb, .ent, .cif, .mmcif, .pqr, .xyz, or .crd, also with .gz.",
    )
    model: int = option(
        default=0,
        at_least=-1,
        summary="Number of the model to read; 0 makes each model, or frame, a time step, and -1 "
        "reads all models together.",
        details="All models together overlap, unless the file describes an assembly.",
    )
    hetatm: bool = option(
        default=False,
        title="HETATM",
        summary="Also read HETATM records: ligands, ions, and modified residues.",
        details="Water and dummy atoms have separate options.",
    )
    water: bool = option(
        default=False,
        summary="Also read water (residues HOH, WAT, DOD, SOL, TIP3, and similar).",
    )
    hydrogens: bool = option(
        default=True,
        summary="Read hydrogen and deuterium atoms.",
        details="Most X-ray structures do not contain any.",
    )
    dummies: bool = option(
        default=False,
        advanced=True,
        summary="Read the dummy atoms (residue DUM) that mark a membrane, as in files of OPM.",
        details="If their element is unknown, they require a radius in {radii}, such as X=1.",
    )
    altloc: Literal["fullest", "first", "all", "label"] = option(
        default="fullest",
        title="Alternate Locations",
        summary="Which alternate locations of an atom to read.",
        details="Fullest: the one with the highest occupancy. First: the first in the file. All: "
        "all of them. Label: those with {altloc_label}, and the atoms without a label.",
    )
    altloc_label: str = option(
        default="",
        title="Alternate Label",
        advanced=True,
        needs=("altloc", "label"),
        summary="Letter of the alternate locations to read if {altloc} is Label, such as A.",
    )
    assembly: str = option(
        default="",
        summary="Name of the biological assembly to create from the operators in the file, usually "
        "1; by default the atoms are read as they are.",
        details="A virus capsid is an example. Copies are rounded to 0.001 Angstrom.",
    )
    radii: str = option(
        default="",
        group="Output",
        summary="Radii in Angstrom that replace all others, by element: C=1.7, Fe=2.05.",
        details="X is an atom of unknown element, which has no radius otherwise.",
    )
    file_radii: bool = option(
        default=True,
        advanced=True,
        group="Output",
        summary="Use the radii of files that contain radii (.pqr and .crd).",
        details="If disabled, radii are chosen by element.",
    )
    names: bool = option(
        default=True,
        advanced=True,
        group="Output",
        summary="Add the names of atoms, residues, and chains as string arrays.",
        details="Reading them takes about a second per million atoms.",
    )


class DistanceReaderOptions(Options, group="Points"):
    """Options of the reader of points and distances, in the order of its panel."""

    file_name: str = option(
        default="",
        affects_result=False,
        summary="File to read, in one of Ripser's formats, such as .point_cloud, .distance_matrix, "
        "or .lower_distance_matrix, also compressed as .gz.",
    )
    format: Literal[
        "auto", "point-cloud", "distance", "lower-distance", "upper-distance", "dipha", "binary",
        "npy", "csv",
    ] = option(
        default="auto",
        labels=("Auto", "Point Cloud", "Distance", "Lower Distance", "Upper Distance", "DIPHA",
                "Binary", "NumPy", "CSV"),
        summary="Format of the file; Auto derives it from the name.",
        details="Only the lower triangle of a distance matrix is used, as in Ripser.",
    )  # fmt: skip


class VolumeReaderOptions(Options, group="Field"):
    """Options of the reader of images and grids, in the order of its panel."""

    file_name: str = option(
        default="",
        affects_result=False,
        summary="File to read: .nii, .nii.gz, .nc, .cdf, .h5, .hdf5, .he5, .map, .ccp4, or .npy, "
        "any .dcm slice in its folder, or a file in a zarr folder.",
    )
    array: str = option(
        default="",
        summary="Variable of a NetCDF file, path in an HDF5 or zarr file, or level of OME-NGFF; "
        "by default all arrays of the largest shape, or the finest level.",
    )
