"""Damaged files of every format give a result or a one-line error (spoiled_files.py)."""

import bz2
import gzip
import shutil
from pathlib import Path

import pytest

pytest.importorskip("vtkmodules")
pytest.importorskip("gemmi")

from reliability.mutations import giant
from reliability.spoiled_files import (
    CORPUS,
    ON_ONE_THREAD,
    Shell,
    commands_of,
    complaint,
    end_of,
    spoil,
)

NAMES = sorted(path.name for path in CORPUS.iterdir())
BESIDE = "raw_5x4x3_float32.raw"
LONG_SEEDS = 16


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spoiled")
    shutil.copy(CORPUS / BESIDE, folder)
    shell = Shell(folder, **ON_ONE_THREAD)
    yield shell
    shell.close()


def all_contents() -> list[bytes]:
    return [(CORPUS / name).read_bytes() for name in NAMES]


def written(shell: Shell, name: str, content: bytes) -> Path:
    """Write the content to the folder of the shell, where headers find their data."""
    path = shell.folder / name.replace("raw_", "spoiled_")
    path.write_bytes(content)
    return path


def test_every_file_of_the_corpus_is_read_by_each_of_its_commands(shell, request):
    names = NAMES[::6] if "not long" in request.config.option.markexpr else NAMES
    for name in names:
        path = written(shell, name, (CORPUS / name).read_bytes())
        for command in commands_of(name):
            wrong, ended = end_of(shell, path, command)
            assert not wrong, (name, wrong)
            assert ended["status"] == 0, (name, ended)


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, LONG_SEEDS))]
)
def test_a_damaged_file_gives_a_result_or_a_one_line_error(shell, seed):
    for i, name in enumerate(NAMES):
        check(shell, name, spoil(seed, name, all_contents()), i if seed == 1 else seed)


def check(shell: Shell, name: str, content: bytes, turn: int) -> None:
    commands = commands_of(name)
    path = written(shell, name, content)
    wrong, _ = end_of(shell, path, commands[turn % len(commands)])
    assert not wrong, (name, content[:4000], wrong)


# === archives that are larger than they seem


@pytest.mark.long
def test_an_archive_that_inflates_to_gigabytes_is_rejected(shell):
    bomb = giant()
    assert len(bomb) < 1 << 22
    head = b"NRRD0004\ntype: uchar\ndimension: 3\nendian: little\nencoding: %s\nsizes: %s\n\n"
    bombs = {
        "bomb.pdb.gz": bomb,
        "bomb.xyz.gz": bomb,
        "bomb.distance_matrix.gz": bomb,
        "cut.distance_matrix": bomb[:-100],
        "bomb.nrrd": head % (b"gzip", b"100000 10000 10000") + bomb,
        "members.nrrd": head % (b"gzip", b"1000 1000 1000000") + gzip.compress(b"1") * 100_000,
        "blocks.nrrd": head % (b"bzip2", b"1000000 1000000 1") + bz2.compress(bytes(1 << 24)) * 99,
    }
    for name, content in bombs.items():
        path = written(shell, name, content)
        command = {".nrrd": ("critical-points", "out.npz")}.get(path.suffix, ("rips", "out.npz"))
        wrong, ended = end_of(shell, path, command)
        assert not wrong, (name, wrong)
        assert ended["status"] == 2, (name, ended)
        path.unlink()


def test_headers_that_claim_terabytes_are_rejected(shell):
    numbers = [b"1000000 1000000 1000000", b"4294967296 4294967296 4294967296", b"99999999999 1 1"]
    heads = {
        "claims.nrrd": b"NRRD0004\ntype: double\nencoding: raw\nsizes: %s\n\n....",
        "claims.mha": b"NDims = 3\nDimSize = %s\nElementType = MET_UCHAR\n"
        b"ElementDataFile = LOCAL\n",
        "packed.mha": b"NDims = 3\nDimSize = %s\nElementType = MET_UCHAR\nCompressedData = True\n"
        b"CompressedDataSize = 3\nElementDataFile = LOCAL\nabc",
        "claims.vtk": b"# vtk DataFile Version 3.0\nx\nBINARY\nDATASET STRUCTURED_POINTS\n"
        b"DIMENSIONS %s\nORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 999999999999\nSCALARS a double\n"
        b"LOOKUP_TABLE default\n",
    }
    for name, head in heads.items():
        for sizes in numbers:
            path = written(shell, name, head % sizes)
            wrong, ended = end_of(shell, path, ("critical-points", "out.npz"))
            assert not wrong, (name, sizes, wrong)
            assert ended["status"] == 2, (name, sizes, ended)
    shape = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000, 9), }"
    npy = b"\x93NUMPY\x01\x00\x76\x00" + shape.ljust(117) + b"\n" + bytes(64)
    ended = shell.run("critical-points", written(shell, "claims.npy", npy).name, "out.npz")
    assert not complaint(ended, None, set())
    assert ended["status"] == 2
    for kind, of in (("Poly", "NumberOfPoints"), ("Unstructured", "NumberOfCells")):
        name, tag = f"claims.vt{kind[0].lower()}", kind + ("Data" if kind == "Poly" else "Grid")
        text = (
            f'<?xml version="1.0"?><VTKFile type="{tag}" version="1.0" byte_order="LittleEndian">'
            f'<{tag}><Piece NumberOfPoints="3" {of}="999999999999"><Points><DataArray '
            'type="Float64" NumberOfComponents="3" format="ascii">0 0 0</DataArray></Points>'
            f"</Piece></{tag}></VTKFile>"
        ).replace('NumberOfPoints="3" NumberOfPoints', "NumberOfPoints")
        wrong, ended = end_of(shell, written(shell, name, text.encode()), ("neighbors", "out.npz"))
        assert not wrong, (name, wrong)


def test_entities_of_xml_are_neither_expanded_nor_fetched(shell):
    laughs = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    text = (CORPUS / "ascii.vti").read_text()
    for i, entities in enumerate((
        f'<!ENTITY a0 "1 "> {laughs}', '<!ENTITY a11 SYSTEM "file:///etc/passwd">'
    )):  # fmt: skip
        head, _, rest = text.partition("<VTKFile")
        spoiled = f"{head}<!DOCTYPE VTKFile [{entities}]><VTKFile{rest}"
        at = spoiled.index("</DataArray>")
        path = written(shell, f"entities{i}.vti", f"{spoiled[:at]}&a11;{spoiled[at:]}".encode())
        wrong, ended = end_of(shell, path, ("critical-points", "out.npz"))
        assert not wrong, wrong
        assert "root:" not in ended["err"]
