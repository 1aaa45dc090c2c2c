"""Damaged files that once caused a traceback, a crash, a wrong result, or high memory use."""

import gzip
import zlib
from pathlib import Path

import numpy as np
import pytest

from reliability.mutations import giant
from separatrix_vtk.cli import main
from separatrix_vtk.functions import read_molecule
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.io.numbers import is_number
from separatrix_vtk.io.rips_files import read_rips
from separatrix_vtk.io.streams import ROOM, TIMES, content_of
from separatrix_vtk.io.volumes import read_volume

CORPUS = Path(__file__).resolve().parents[1] / "reliability" / "corpus"


def sentence(path: Path) -> str:
    with pytest.raises(FileError) as reported:
        read_volume(path)
    return str(reported.value)


def test_a_text_in_an_archive_has_a_maximum_length(tmp_path):
    file = tmp_path / "a.gz"
    for text in (b"1 2 3\n" * 1000, bytes(ROOM)):
        file.write_bytes(gzip.compress(text))
        assert content_of(file) == text
    file.write_bytes(giant())
    with pytest.raises(FileError, match="decompress to more than"):
        content_of(file)
    assert TIMES * len(giant()) + ROOM < 1 << 30


@pytest.mark.parametrize("cells", [b"POLYGONS 999999999 999999999\n", b"POLYGONS -4 -9\n"])
def test_a_reader_of_vtk_that_crashes_is_a_sentence(tmp_path, cells):
    head = b"# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\nPOINTS 1 float\n"
    path = tmp_path / "a.vtk"
    path.write_bytes(head + bytes(12) + b"\n" + cells + bytes(8))
    said = sentence(path)
    assert "damaged" in said or "contains no" in said


def test_packed_data_that_cannot_be_unpacked_are_reported(tmp_path):
    content = bytearray((CORPUS / "zlib.mha").read_bytes())
    content[-40:-20] = bytes(20)
    (tmp_path / "a.mha").write_bytes(content)
    assert "truncated or damaged" in sentence(tmp_path / "a.mha")


@pytest.mark.parametrize("header", [b"{'descr': '<f8', 'shape': (", b"((((((((", b"{1: 2, 'a': 3}"])
def test_the_header_of_a_npy_file_may_be_any_text(tmp_path, header):
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117) + b"\n" + bytes(64))
    assert "not a readable .npy file" in sentence(path)


def test_a_truncated_npy_file_is_rejected_before_memory_is_allocated(tmp_path):
    shape = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000, 9), }"
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + shape.ljust(117) + b"\n" + bytes(64))
    assert "not a readable .npy file" in sentence(path)
    np.save(path, np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    image = read_volume(path)
    assert image.GetDimensions() == (3, 2, 1)
    assert [image.GetPointData().GetScalars().GetValue(i) for i in range(6)] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("sizes: 9 9 99999999999999999", "expected|cannot contain"),
        ("sizes: 9 9 999999999999999999999", "not positive integers"),
        ("sizes: 5 4 \u0663", "not positive integers"),
        ("byte skip: many", "its byte skip is many, not an integer of at least -1"),
        ("line skip: -3", "its line skip is -3, not an integer of at least 0"),
        ("space origin: (1,2,three)", "its space origin: 1 2 three are not numbers"),
        ("spacings: 1 one 1", "its spacings: 1 one 1 are not numbers"),
        ("spacings: 1 -0.5 1", "one of its spacings is -0.5, not a length"),
        ("dimension: 2", "its dimension is 2, but it has 3 sizes"),
        ("endian: litle", "its endian is litle, not little or big"),
        ("kinds: domain vector domain", "nrrd: its axis 1 of 3 is of kind vector: 4 numbers"),
    ],
)
def test_a_field_of_an_nrrd_header_is_named(tmp_path, field, words):
    content = (CORPUS / "raw.nrrd").read_bytes()
    path = tmp_path / "a.nrrd"
    if field.startswith("spacings"):
        content = content.replace(b"space directions", b"spaces")
    path.write_bytes(content.replace(b"\nencoding", f"\n{field}\nencoding".encode()))
    with pytest.raises(FileError, match=words):
        read_volume(path)


def test_a_non_spatial_axis_of_an_nrrd_is_not_a_third_dimension(tmp_path):
    head = b"NRRD0004\ntype: uchar\nencoding: raw\nsizes: 2 3 1\n"
    head += b"space directions: %s (1,0) (0,1)\n\n"
    (tmp_path / "a.nrrd").write_bytes(head % b"none" + bytes(6))
    assert "nrrd: its axis 0 of 3 is not a spatial axis" in sentence(tmp_path / "a.nrrd")
    (tmp_path / "b.nrrd").write_bytes(head % b"(1,1)" + bytes(6))
    assert read_volume(tmp_path / "b.nrrd").GetDimensions() == (2, 3, 1)


def test_an_nrrd_archive_that_cannot_hold_its_sizes_is_not_inflated(tmp_path):
    head = b"NRRD0004\ntype: uchar\nencoding: gzip\nsizes: 100000 100000 100\n\n"
    (tmp_path / "a.nrrd").write_bytes(head + giant())
    assert "cannot contain the 1000000000000" in sentence(tmp_path / "a.nrrd")
    (tmp_path / "b.nrrd").write_bytes(head + zlib.compress(b"1"))
    assert "not compressed with gzip" in sentence(tmp_path / "b.nrrd")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xyz", f"{'9' * 5000}\n\nC 0 0 0\n"),
        ("a.xyz", f"1\n\n{'9' * 5000} 0 0 0\n"),
        ("a.pqr", "ATOM 1 N ALA A 99999999999 1 2 3 0 1.5\n"),
        ("a.pqr", f"MODEL {'9' * 30}\nATOM 1 N ALA A 1 1_0 2 3 0 1.5\n"),
    ],
)
def test_integers_of_molecules_that_exceed_an_array_are_rejected(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    if "C 0" not in text and name == "a.xyz":
        assert read_molecule(tmp_path / name, radii="X=1").GetNumberOfPoints() == 1
        return
    with pytest.raises(ValueError, match=r"line [12] "):
        read_molecule(tmp_path / name)


def test_python_reads_more_as_a_number_than_files_mean(tmp_path):
    assert is_number("1.5e3")
    assert is_number("-inf")
    assert not any(map(is_number, ("1_0", "\u0663", "", "0x10")))
    for word in ("1_0", "\u0663"):
        (tmp_path / "a.point_cloud").write_text(f"1 2\n3 {word}\n")
        with pytest.raises(FileError, match=r"line 2 contains .*; expected a number"):
            read_rips(tmp_path / "a.point_cloud")
    head = b"NRRD0004\ntype: float\nencoding: ascii\nsizes: 2\n\n"
    (tmp_path / "a.nrrd").write_bytes(head + b"1_0 2")
    assert "words that are not numbers" in sentence(tmp_path / "a.nrrd")


ATOM = "{:6}{:5}  CA  ALA A   1    {:>8}   2.000   3.000  1.00  0.00           C  \n"


@pytest.mark.parametrize("record", ["ATOM", "atom", "HETATM", "hetatm"])
@pytest.mark.parametrize("word", ["1_0.000", "1.000_0", "1.0x"])
def test_a_coordinate_that_gemmi_would_truncate_is_rejected(tmp_path, word, record):
    pytest.importorskip("gemmi")
    (tmp_path / "a.pdb").write_text(ATOM.format(record, 1, word))
    with pytest.raises(ValueError, match=f"for x in columns 31 to 38; got '{word}'"):
        read_molecule(tmp_path / "a.pdb")


def test_a_mark_of_utf_8_hides_no_first_atom(tmp_path):
    pytest.importorskip("gemmi")
    texts = {
        "a.pdb": ATOM.format("ATOM", 1, "1.000") + ATOM.format("ATOM", 2, "5.000"),
        "a.xyz": "2\n\nC 1 2 3\nC 5 2 3\n",
        "a.pqr": "".join(f"ATOM {i} N ALA A 1 {i} 2 3 0 1.5\n" for i in (1, 5)),
        "a.crd": "2\n1 2 3 1.5\n5 2 3 1.5\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode("utf-8-sig"))
        atoms = read_molecule(tmp_path / name)
        assert [atoms.GetPoint(i)[0] for i in range(atoms.GetNumberOfPoints())] == [1, 5], name


def test_a_name_that_gemmi_has_no_room_for_is_a_sentence(tmp_path):
    pytest.importorskip("gemmi")
    tags = "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id "
    tags += "label_seq_id Cartn_x Cartn_y Cartn_z auth_seq_id auth_asym_id pdbx_PDB_model_num"
    loop = "".join(f"_atom_site.{tag}\n" for tag in tags.split())
    text = f"data_x\nloop_\n{loop}ATOM 1 C a_name_too_long . ALA A 1 1.0 2.0 3.0 1 A 1\n"
    (tmp_path / "a.cif").write_text(text)
    with pytest.raises(ValueError, match=r"a\.cif: cannot be read \(.*a_name_too_long\)"):
        read_molecule(tmp_path / "a.cif")


def test_an_angstrom_sign_in_utf_8_ends_no_line(tmp_path):
    (tmp_path / "a.xyz").write_bytes("2\nenergy -1.5, lengths in Å\nC 0 0 0\nO 1 2 3\n".encode())
    atoms = read_molecule(tmp_path / "a.xyz")
    assert [atoms.GetPoint(i) for i in range(2)] == [(0, 0, 0), (1, 2, 3)]


def test_decimal_commas_are_not_read_as_additional_coordinates(tmp_path):
    (tmp_path / "a.point_cloud").write_text("0,5;1,5\n2,5;3,5\n")
    with pytest.raises(FileError, match="line 1 contains commas and semicolons"):
        read_rips(tmp_path / "a.point_cloud")


def test_a_csv_field_of_any_length_is_accepted(tmp_path):
    (tmp_path / "a.csv").write_text(f'1,2\n"{"3" * 200_000},4\n')
    with pytest.raises(FileError, match=r"not a readable \.csv file"):
        read_rips(tmp_path / "a.csv")


def test_a_mesh_file_truncated_before_its_cells_is_rejected(tmp_path, capfd):
    text = (CORPUS / "solid.vtk").read_text()
    (tmp_path / "a.vtk").write_text(text[: text.index("CELLS")])
    assert main(["relations", str(tmp_path / "a.vtk"), "--threads", "1"]) == 2
    assert "has neither tetrahedra nor triangles" in capfd.readouterr().err


def test_two_columns_with_the_same_name_are_rejected(tmp_path):
    from separatrix_vtk.io.point_files import read_points

    (tmp_path / "a.csv").write_text("x,y,z,x\n1,2,3,4\n")
    with pytest.raises(FileError, match="two columns are named 'x'"):
        read_points(tmp_path / "a.csv")


def test_an_empty_word_too_many_is_a_sentence(capfd):
    assert main(["devices", ""]) == 2
    assert "unexpected extra argument" in capfd.readouterr().err
