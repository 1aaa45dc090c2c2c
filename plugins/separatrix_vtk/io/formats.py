"""The formats that are read: one table for the shell, Python, and the docs.

`suffix_of` is the suffix in this table, also of names with two, such as .nii.gz, and of folders.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from separatrix_vtk.io.errors import FileError


class Format(NamedTuple):
    """A format: its suffixes, what the file gives, the library that reads it, VTK's reader."""

    suffixes: tuple[str, ...]
    gives: str
    library: str
    reader: str = ""


FOLDER = "folder"  # instead of a suffix
IMAGES = (
    Format((".vti",), "image", "VTK", "vtkIOXML.vtkXMLImageDataReader"),
    Format((".pvti",), "image in pieces", "VTK", "vtkIOXML.vtkXMLPImageDataReader"),
    Format((".mhd", ".mha"), "image", "VTK", "vtkIOImage.vtkMetaImageReader"),
    Format((".nrrd", ".nhdr"), "image", "NumPy"),
    Format(
        (".nii", ".nii.gz"), "image, rescaled, in the frame of its sform or qform", "VTK",
        "vtkIOImage.vtkNIFTIImageReader",
    ),
    Format((".mrc", ".map", ".ccp4", ".rec", ".st"), "image, in the order of its axes", "NumPy"),
    Format(
        (".tif", ".tiff"), "image, or volume of the pages with spacing of ImageJ or OME", "VTK",
        "vtkIOImage.vtkTIFFReader",
    ),
    Format((".png",), "flat image", "VTK", "vtkIOImage.vtkPNGReader"),
    Format(
        (".dcm",), "one slice, rescaled, in the patient's frame", "VTK",
        "vtkIOImage.vtkDICOMImageReader",
    ),
    Format((FOLDER,), "volume of the DICOM slices, or of the .png or .tif images by number", "VTK"),
    Format((".npy",), "image of values (nz, ny, nx); points (n, 3) where points are read", "NumPy"),
    Format((".raw",), "image; `dimensions` and `dtype` specify the layout", "NumPy"),
)  # fmt: skip
GRIDS = (
    Format(
        (".nc", ".cdf"), "image, or grid by its coordinates; `array` chooses the variable", "VTK",
        "vtkIONetCDF.vtkNetCDFCFReader",
    ),
    Format(
        (".h5", ".hdf5", ".he5"),
        "image or grid of the arrays, by scales or the attribute element_size_um", "h5py",
    ),
    Format((".zarr",), "image or grid of the arrays; of OME-NGFF the finest level", "zarr"),
    Format((".vtr",), "rectilinear grid", "VTK", "vtkIOXML.vtkXMLRectilinearGridReader"),
    Format((".pvtr",), "rectilinear grid", "VTK", "vtkIOXML.vtkXMLPRectilinearGridReader"),
    Format((".vts",), "structured grid", "VTK", "vtkIOXML.vtkXMLStructuredGridReader"),
    Format((".pvts",), "structured grid", "VTK", "vtkIOXML.vtkXMLPStructuredGridReader"),
)  # fmt: skip
MESHES = (
    Format((".vtu",), "mesh", "VTK", "vtkIOXML.vtkXMLUnstructuredGridReader"),
    Format((".pvtu",), "mesh in pieces", "VTK", "vtkIOXML.vtkXMLPUnstructuredGridReader"),
    Format((".vtp",), "surface or points", "VTK", "vtkIOXML.vtkXMLPolyDataReader"),
    Format((".pvtp",), "surface in pieces", "VTK", "vtkIOXML.vtkXMLPPolyDataReader"),
    Format((".vtk",), "mesh, grid, or image", "VTK", "vtkIOLegacy.vtkDataSetReader"),
    Format((".vtkhdf",), "mesh or image", "VTK", "vtkIOHDF.vtkHDFReader"),
    Format((".stl",), "surface", "VTK", "vtkIOGeometry.vtkSTLReader"),
    Format((".ply",), "surface", "VTK", "vtkIOPLY.vtkPLYReader"),
    Format((".obj",), "surface", "VTK", "vtkIOGeometry.vtkOBJReader"),
    Format(
        (
            ".msh", ".inp", ".mesh", ".off", ".med", ".xdmf", ".xmf", ".su2", ".bdf", ".nas",
            ".fem", ".avs", ".ugrid", ".cgns", ".e", ".exo",
        ),
        "mesh", "meshio",
    ),
)  # fmt: skip
OF_MESHIO = MESHES[-1].suffixes
TABLES = (Format((".csv",), "table with one column per name", "NumPy"),)
MOLECULES = (
    Format((".pdb", ".ent", ".cif", ".mmcif"), "atoms with radii, also .gz", "gemmi"),
    Format((".pqr", ".xyz", ".crd"), "atoms with radii, also .gz", "NumPy"),
)
FORMATS = (*IMAGES, *GRIDS, *MESHES, *TABLES, *MOLECULES)


def suffixes_of(*groups: tuple[Format, ...]) -> tuple[str, ...]:
    """All suffixes of some groups of the table."""
    return tuple(suffix for group in groups for one in group for suffix in one.suffixes)


OF_MESHES, OF_MOLECULES = suffixes_of(MESHES), suffixes_of(MOLECULES)
OF_FIELDS = suffixes_of(IMAGES, GRIDS, MESHES)
OF_POINTS = (".vtp", ".vtu", ".csv", ".npy", *OF_MOLECULES)
READERS = {suffix: one.reader for one in FORMATS for suffix in one.suffixes if one.reader}
ALL = suffixes_of(FORMATS)
TWO_PARTS = tuple(suffix for suffix in OF_FIELDS if suffix.count(".") > 1)
# Formats that are not read, and what reads them.
OTHERS = {
    **dict.fromkeys((".czi", ".lif", ".nd2", ".oib", ".oif", ".lsm", ".svs"), "bioio"),
    **dict.fromkeys((".mgz", ".mgh", ".img", ".hdr"), "nibabel"),
    **dict.fromkeys((".dm3", ".dm4", ".ser", ".emd"), "ncempy"),
    **dict.fromkeys((".fits", ".fit"), "astropy"),
    **dict.fromkeys((".grib", ".grb", ".grib2", ".grb2"), "cfgrib"),
    **dict.fromkeys((".jpg", ".jpeg", ".bmp", ".gif", ".webp"), "imageio"),
    **dict.fromkeys((".las", ".laz"), "laspy"),
    **dict.fromkeys((".gltf", ".glb", ".dae", ".3mf"), "trimesh"),
    **dict.fromkeys((".xlsx", ".xls", ".parquet", ".feather"), "pandas"),
    **dict.fromkeys((".step", ".stp", ".iges", ".igs"), "gmsh"),
    **dict.fromkeys((".gro", ".dcd", ".xtc", ".trr", ".psf", ".mol2"), "MDAnalysis"),
    **dict.fromkeys((".sdf", ".mol"), "rdkit"),
    **dict.fromkeys((".cube", ".xsf"), "ase"),
    ".mtz": "gemmi", ".mat": "scipy", ".pcd": "open3d", ".root": "uproot", ".hdf": "pyhdf",
}  # fmt: skip


def suffix_of(path: Path) -> str:
    """The suffix of a format: ".nii.gz" of a.nii.gz, ".pdb" of A.PDB.gz, "folder" of a folder."""
    name = path.name.lower()
    if two := next((suffix for suffix in TWO_PARTS if name.endswith(suffix)), ""):
        return two
    suffix = Path(name.removesuffix(".gz")).suffix
    if suffix not in OF_MOLECULES:
        suffix = path.suffix.lower()
    return FOLDER if suffix not in ALL and path.is_dir() else suffix


def unsupported(path: Path, expected: str) -> FileError:
    """The error about an input of a format that is not read here: which library reads it."""
    suffix = suffix_of(path)
    remedy = ""
    if library := OTHERS.get(suffix):
        remedy = (
            f" Read it with {library} (pip install {library}), and pass the arrays or save them as "
            ".npy."
        )
    elif known := next((one for one in FORMATS if suffix in one.suffixes), None):
        remedy = f" Such a file contains: {known.gives}."
    return FileError(
        f"unsupported file type '{suffix or path.name}'; expected {expected}.{remedy}", path
    )
