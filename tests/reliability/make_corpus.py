"""tests/reliability/corpus/: a tiny valid file of each format, which the fuzzing spoils.

python tests/reliability/make_corpus.py
"""

from __future__ import annotations

import bz2
import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np

CORPUS = Path(__file__).resolve().parent / "corpus"
VALUES = np.random.default_rng(3).random((3, 4, 5)).astype(np.float32)
POINTS = np.random.default_rng(4).random((8, 3))
DISTANCES = np.linalg.norm(POINTS[:, None] - POINTS, axis=2)
TETRAHEDRA = ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5))
TRIANGLES = ((0, 1, 2), (1, 2, 3), (2, 3, 4))
NRRD = "NRRD0004\n# a note\ntype: float\ndimension: 3\nsizes: 5 4 3\nendian: little\n"
METAIMAGE = """ObjectType = Image
NDims = 3
BinaryData = True
BinaryDataByteOrderMSB = False
CompressedData = {compressed}
{size}ElementSpacing = 1 1 2
Offset = 0 0 0
DimSize = 5 4 3
ElementType = MET_FLOAT
ElementDataFile = {file}
"""
PDB = "{:<6}{:>5} {:<4} {:<3} {}{:>4}    {:8.3f}{:8.3f}{:8.3f}{:6.2f}{:6.2f}          {:>2}\n"
ATOMS = (("N", 2.0, 1.0, 0.5), ("CA", 3.2, 1.4, 0.4), ("C", 3.9, 2.6, 0.1), ("O", 3.3, 3.6, 0.7))


def main() -> None:
    """Write all of them."""
    CORPUS.mkdir(exist_ok=True)
    for write in (volumes, meshes, point_sets, distances, molecules):
        write()
    print(sum(path.stat().st_size for path in CORPUS.iterdir()), "bytes")


def keep(name: str, content: str | bytes) -> None:
    """One file of the corpus."""
    (CORPUS / name).write_bytes(content.encode() if isinstance(content, str) else content)


def volumes() -> None:
    """Images: VTK's, MetaImage, NRRD, NumPy's, and numbers alone."""
    raw = VALUES.astype("<f4").tobytes()
    packed = zlib.compress(raw)
    keep("raw_5x4x3_float32.raw", raw)
    np.save(CORPUS / "volume.npy", VALUES)
    space = "space: left-posterior-superior\nspace directions: (1,0,0) (0,1,0) (0,0,2)\n"
    keep("raw.nrrd", f"{NRRD}{space}space origin: (0,1,2)\nencoding: raw\n\n".encode() + raw)
    keep(
        "gzip.nrrd",
        f"{NRRD}spacings: 1 1 2\nencoding: gzip\n\n".encode() + gzip.compress(raw, mtime=0),
    )
    keep("bzip2.nrrd", f"{NRRD}encoding: bzip2\nbyte skip: 0\n\n".encode() + bz2.compress(raw))
    text = " ".join(f"{value:.4f}" for value in VALUES.ravel())
    keep("text.nrrd", f"{NRRD}encoding: ascii\n\n{text}\n")
    keep("beside.nhdr", f"{NRRD}encoding: raw\ndata file: raw_5x4x3_float32.raw\n\n")
    beside = METAIMAGE.format(compressed=False, size="", file="raw_5x4x3_float32.raw")
    keep("beside.mhd", beside)
    keep("raw.mha", METAIMAGE.format(compressed=False, size="", file="LOCAL").encode() + raw)
    size = f"CompressedDataSize = {len(packed)}\n"
    keep("zlib.mha", METAIMAGE.format(compressed=True, size=size, file="LOCAL").encode() + packed)
    from separatrix_vtk.filters.scalar_field.image import image_of

    image = image_of(VALUES, "Values", (1.0, 1.0, 2.0), (0.0, 0.0, 0.0))
    for mode in ("Ascii", "Binary", "Appended"):
        keep_dataset(f"{mode.lower()}.vti", "vtkXMLImageDataWriter", image, mode)
    keep_legacy("image.vtk", image)


def meshes() -> None:
    """Tetrahedra and triangles."""
    import vtkmodules.vtkIOGeometry as geometry  # noqa: N813
    from vtkmodules.vtkCommonDataModel import VTK_TETRA, vtkPolyData, vtkUnstructuredGrid
    from vtkmodules.vtkIOPLY import vtkPLYWriter

    solid = vtkUnstructuredGrid()
    for cell in TETRAHEDRA:
        solid.InsertNextCell(VTK_TETRA, 4, cell)
    surface = vtkPolyData()
    surface.AllocateExact(3, 9)
    for cell in TRIANGLES:
        surface.InsertNextCell(5, 3, cell)
    for dataset in (solid, surface):
        with_points(dataset)
    for mode in ("Ascii", "Binary", "Appended"):
        keep_dataset(f"{mode.lower()}.vtu", "vtkXMLUnstructuredGridWriter", solid, mode)
        keep_dataset(f"{mode.lower()}.vtp", "vtkXMLPolyDataWriter", surface, mode)
    keep_legacy("solid.vtk", solid)
    keep_legacy("surface_binary.vtk", surface, binary=True)
    for binary in (False, True):
        kind = "binary" if binary else "text"
        for name, writer in (("stl", geometry.vtkSTLWriter()), ("ply", vtkPLYWriter())):
            writer.SetFileName(str(CORPUS / f"{kind}.{name}"))
            writer.SetInputData(surface)
            writer.SetFileType(2 if binary else 1)
            writer.Write()
    corners = "".join(f"v {x:.4f} {y:.4f} {z:.4f}\n" for x, y, z in POINTS)
    normals = "vn 0 0 1\nvt 0 1\n"
    faces = "".join(f"f {a + 1}/1/1 {b + 1}/1/1 {c + 1}/1/1\n" for a, b, c in TRIANGLES)
    keep("surface.obj", f"o surface\n{corners}{normals}{faces}")


def with_points(dataset: Any) -> None:
    """Give a mesh its points, and a scalar field."""
    from vtkmodules.vtkCommonCore import vtkPoints

    from separatrix_vtk.base.arrays import to_vtk

    points = vtkPoints()
    points.SetData(to_vtk(POINTS.astype(np.float32), "Points"))
    dataset.SetPoints(points)
    dataset.GetPointData().SetScalars(to_vtk(POINTS[:, 2].copy(), "height"))


def keep_dataset(name: str, writer_name: str, dataset: Any, mode: str) -> None:
    """A file of VTK's XML formats."""
    import vtkmodules.vtkIOXML as xml  # noqa: N813

    writer = getattr(xml, writer_name)()
    writer.SetFileName(str(CORPUS / name))
    writer.SetInputData(dataset)
    getattr(writer, f"SetDataModeTo{mode}")()
    if mode == "Appended":
        writer.EncodeAppendedDataOff()
        writer.SetCompressorTypeToLZ4()
    writer.Write()


def keep_legacy(name: str, dataset: Any, binary: bool = False) -> None:
    """A file of VTK's old format."""
    from vtkmodules.vtkIOLegacy import vtkDataSetWriter

    writer = vtkDataSetWriter()
    writer.SetFileName(str(CORPUS / name))
    writer.SetInputData(dataset)
    writer.SetFileType(2 if binary else 1)
    writer.Write()


def point_sets() -> None:
    """Points with columns of numbers, and as an array."""
    rows = "".join(f"{x:.4f},{y:.4f},{z:.4f},{z + 1:.3f}\n" for x, y, z in POINTS)
    keep("points.csv", f'x,y,z,"a, b"\n{rows}')
    keep("blanks.csv", rows.replace(",", " "))
    np.save(CORPUS / "points.npy", POINTS)


def distances() -> None:
    """Ripser's formats."""
    rows = [" ".join(f"{value:.4f}" for value in row) for row in DISTANCES]
    keep("square.distance_matrix", "\n".join(rows) + "\n")
    keep("packed.distance_matrix.gz", gzip.compress("\n".join(rows).encode(), mtime=0))
    lower = [",".join(f"{v:.4f}" for v in DISTANCES[i, :i]) for i in range(1, len(DISTANCES))]
    keep("triangle.lower_distance_matrix", "\n".join(lower) + "\n")
    upper = [" ".join(f"{v:.4f}" for v in row[i + 1 :]) for i, row in enumerate(DISTANCES)]
    keep("triangle.upper_distance_matrix", "\n".join(upper) + "\n")
    keep(
        "cloud.point_cloud",
        "# x y z\n" + "\n".join(" ".join(f"{v:.4f}" for v in p) for p in POINTS),
    )
    entries = ((i, j, DISTANCES[i, j]) for i in range(8) for j in range(i))
    keep("pairs.sparse", "".join(f"{i} {j} {d:.4f}\n" for i, j, d in entries))
    head = np.array([8067171840, 7, 8], "<i8").tobytes()
    keep("matrix.dipha", head + DISTANCES.astype("<f8").tobytes())
    keep("matrix.bin", DISTANCES[np.tril_indices(8, -1)].astype("<f4").tobytes())
    np.save(CORPUS / "matrix.npy", DISTANCES)


def molecules() -> None:
    """Four atoms in every format."""
    lines = [
        PDB.format("ATOM", i, name, "ALA", "A", 1, x, y, z, 1, 20, name[0])
        for i, (name, x, y, z) in enumerate(ATOMS, start=1)
    ]
    matrix = "".join(
        f"REMARK 350   BIOMT{row}   {op}{a:10.6f}{b:10.6f}{c:10.6f}{t:15.5f}\n"
        for op, sign in ((1, 1), (2, -1))
        for row, (a, b, c, t) in enumerate(
            ((sign, 0, 0, 0), (0, sign, 0, 0), (0, 0, 1, 9 - 9 * sign)), start=1
        )
    )
    head = "REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n"
    keep("models.pdb", f"{head}{matrix}MODEL        1\n{''.join(lines)}ENDMDL\nMODEL        2\n"
         f"{''.join(lines)}ENDMDL\nEND\n")  # fmt: skip
    keep("packed.pdb.gz", gzip.compress("".join(lines).encode() + b"END\n", mtime=0))
    keep("four.pqr", "".join(
        f"ATOM {i} {name} ALA A 1 {x} {y} {z} 0.10 1.70\n"
        for i, (name, x, y, z) in enumerate(ATOMS, start=1)
    ) + "TER\nEND\n")  # fmt: skip
    frame = "4\na frame\n" + "".join(f"{name[0]} {x} {y} {z}\n" for name, x, y, z in ATOMS)
    keep("frames.xyz", frame * 2)
    keep("balls.crd", "4\n" + "".join(f"{x} {y} {z} 1.7\n" for _, x, y, z in ATOMS))
    columns = (
        "group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id",
        "label_asym_id", "label_entity_id", "label_seq_id", "pdbx_PDB_ins_code", "Cartn_x",
        "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv", "auth_seq_id", "auth_asym_id",
        "pdbx_PDB_model_num",
    )  # fmt: skip
    rows = "".join(
        f"ATOM {i} {name[0]} {name} . ALA A 1 1 ? {x} {y} {z} 1.00 20.0 1 A 1\n"
        for i, (name, x, y, z) in enumerate(ATOMS, start=1)
    )
    assembly = (
        "_pdbx_struct_assembly.id 1\n_pdbx_struct_assembly_gen.assembly_id 1\n"
        "_pdbx_struct_assembly_gen.oper_expression 1\n"
        "_pdbx_struct_assembly_gen.asym_id_list A\n_pdbx_struct_oper_list.id 1\n"
    ) + "".join(
        f"_pdbx_struct_oper_list.matrix[{i}][{j}] {int(i == j)}\n" for i in (1, 2, 3)
        for j in (1, 2, 3)
    ) + "".join(f"_pdbx_struct_oper_list.vector[{i}] 0\n" for i in (1, 2, 3))  # fmt: skip
    head = "\n".join(f"_atom_site.{column}" for column in columns)
    keep("four.cif", f"data_four\n{assembly}loop_\n{head}\n{rows}")


if __name__ == "__main__":
    main()
