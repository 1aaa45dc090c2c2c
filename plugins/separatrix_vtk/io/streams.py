"""Standard input, and archives without a suffix inside, whose format is judged by their content."""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from separatrix_vtk.io.compressed import STANDARD_INPUT, content_of
from separatrix_vtk.io.formats import suffix_of
from separatrix_vtk.io.problems import FileProblem

Read = TypeVar("Read", bound=Callable[..., Any])
HEAD = 4096  # bytes that tell the format
XML = re.compile(rb"""<VTKFile[^>]*?\btype=["'](\w+)["']""")
OF_XML = {
    b"ImageData": ".vti", b"PolyData": ".vtp", b"UnstructuredGrid": ".vtu",
    b"RectilinearGrid": ".vtr", b"StructuredGrid": ".vts",
}  # fmt: skip
MARKS = (  # by how the content begins
    (rb"\x93NUMPY", ".npy"), (rb"NRRD", ".nrrd"), (rb"# vtk DataFile", ".vtk"),
    (rb"\x89PNG", ".png"), (rb"II[*+]\0|MM\0[*+]", ".tif"), (rb"CDF[\1\2\5]", ".nc"),
    (rb"(?s)\x89HDF(?=.*VTKHDF)", ".vtkhdf"), (rb"\x89HDF", ".h5"), (rb"(?s).{128}DICM", ".dcm"),
    (rb"(?s).{344}n[+]1\0|(?s:.{4})n[+]2\0", ".nii"), (rb"(?s).{208}MAP ", ".mrc"),
    (rb"ply\s", ".ply"), (rb"solid\b", ".stl"), (rb"OFF\s", ".off"), (rb"\$MeshFormat", ".msh"),
    (rb"(?s)(ObjectType|NDims|Comment)\s*=.*ElementType", ".mha"), (rb"data_", ".cif"),
    (rb"(HEADER|TITLE|COMPND|REMARK|CRYST1|MODEL|ATOM|HETATM)\b", ".pdb"),
    (rb"\s*\d+\s*\n[^\n]*\n\s*[A-Za-z]{1,2}\s+[-+.\d]", ".xyz"), (rb"(?s).*?^v\s+[-+.\d]", ".obj"),
)  # fmt: skip


@contextmanager
def named_file(path: Path) -> Iterator[Path]:
    """A path, or a temporary file of the content of standard input or of an archive.

    Errors have the path that was given.
    """
    if path != STANDARD_INPUT and (suffix_of(path) != ".gz" or not path.is_file()):
        yield path
        return
    content = content_of(path)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "input").with_suffix(suffix_in(path, content))
        file.write_bytes(content)
        try:
            yield file
        except FileProblem as error:
            raise error.of(path) from None


def suffix_in(path: Path, content: bytes) -> str:
    """The suffix of the format of a content; text that is none of these is .csv."""
    inner = Path(path.name.removesuffix(".gz")).suffix.lower()
    head = content[:HEAD]
    if found := XML.search(head):
        return OF_XML.get(found[1], ".xml")
    known = (suffix for mark, suffix in MARKS if re.match(mark, head, re.MULTILINE))
    if suffix := inner or next(known, ""):
        return suffix
    if not head.strip() or b"\0" in head:
        raise FileProblem("the format is not recognized. Give it a name with a suffix.", path)
    return ".csv"


def takes_streams(read: Read) -> Read:
    """Decorate a reader: its path may be -, standard input, or an archive of any format."""

    @functools.wraps(read)
    def reading(path: Path, *arguments: Any, **keywords: Any) -> Any:
        with named_file(path) as file:
            return read(file, *arguments, **keywords)

    return cast(Read, reading)
