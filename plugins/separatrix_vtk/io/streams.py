"""Standard input, and archives of gzip and bzip2, with a limit on their size.

An archive of one megabyte can contain gigabytes. Text is at most `ROOM` bytes plus `TIMES` times
its archive; real text is 3 to 20 times as long as its archive, and deflate's own limit is 1032. The
format of standard input and of an archive without a suffix inside is detected from the content.
"""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from separatrix_vtk.io.errors import FileError, damaged, reader, require_file
from separatrix_vtk.io.formats import suffix_of

Read = TypeVar("Read", bound=Callable[..., Any])
STANDARD_INPUT = Path("-")
MARKS = {"gzip": b"\x1f\x8b", "bzip2": b"BZh"}
CHUNK = 1 << 20
ROOM, TIMES = 64 << 20, 100
ERRORS = (EOFError, OSError, zlib.error)
HEAD = 4096  # bytes from which the format is detected
XML = re.compile(rb"""<VTKFile[^>]*?\btype=["'](\w+)["']""")
OF_XML = {
    b"ImageData": ".vti", b"PolyData": ".vtp", b"UnstructuredGrid": ".vtu",
    b"RectilinearGrid": ".vtr", b"StructuredGrid": ".vts",
}  # fmt: skip
CONTENTS = (  # by how the content begins
    (rb"\x93NUMPY", ".npy"), (rb"NRRD", ".nrrd"), (rb"# vtk DataFile", ".vtk"),
    (rb"\x89PNG", ".png"), (rb"II[*+]\0|MM\0[*+]", ".tif"), (rb"CDF[\1\2\5]", ".nc"),
    (rb"(?s)\x89HDF(?=.*VTKHDF)", ".vtkhdf"), (rb"\x89HDF", ".h5"), (rb"(?s).{128}DICM", ".dcm"),
    (rb"(?s).{344}n[+]1\0|(?s:.{4})n[+]2\0", ".nii"), (rb"(?s).{208}MAP ", ".mrc"),
    (rb"ply\s", ".ply"), (rb"solid\b", ".stl"), (rb"OFF\s", ".off"), (rb"\$MeshFormat", ".msh"),
    (rb"(?s)(ObjectType|NDims|Comment)\s*=.*ElementType", ".mha"), (rb"data_", ".cif"),
    (rb"(HEADER|TITLE|COMPND|REMARK|CRYST1|MODEL|ATOM|HETATM)\b", ".pdb"),
    (rb"\s*\d+\s*\n[^\n]*\n\s*[A-Za-z]{1,2}\s+[-+.\d]", ".xyz"), (rb"(?s).*?^v\s+[-+.\d]", ".obj"),
)  # fmt: skip


@reader
def content_of(path: Path) -> bytes:
    """The bytes of a file; of a file that is compressed with gzip, those that it contains."""
    try:
        if path == STANDARD_INPUT:
            content = sys.stdin.buffer.read()
        else:
            require_file(path)
            content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot be read ({error.strerror or error}).") from None
    if not content.startswith(MARKS["gzip"]):
        if path.suffix.lower() == ".gz":
            raise FileError("not compressed with gzip, or damaged.")
        return content
    limit = ROOM + TIMES * len(content)
    try:
        whole = decompressed(content, limit + 1)
    except ERRORS as error:
        raise damaged(error) from None
    if len(whole) > limit:
        raise FileError(
            f"{len(content):,} bytes decompress to more than {limit:,}. Decompress the file "
            "beforehand if this is intended."
        )
    return whole


@reader
def text_of(path: Path) -> str:
    """The text of a file, which may be compressed with gzip."""
    try:
        return content_of(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError("not a text file in UTF-8.") from None


def decompressed(content: bytes, n_bytes: int) -> bytes:
    """The first bytes that a gzip or bzip2 archive contains. Raises one of ERRORS."""
    source = io.BytesIO(content)
    is_gzip = content.startswith(MARKS["gzip"])
    parts, left = [], n_bytes
    with gzip.GzipFile(fileobj=source) if is_gzip else bz2.BZ2File(source) as archive:
        while left > 0 and (part := archive.read(min(CHUNK, left))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


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
        except FileError as error:
            raise error.of(path) from None


def suffix_in(path: Path, content: bytes) -> str:
    """The suffix of the format of a content; text that is none of these is .csv."""
    inner = Path(path.name.removesuffix(".gz")).suffix.lower()
    head, is_named = content[:HEAD], path != STANDARD_INPUT
    if not content:
        raise FileError(f"{'the file' if is_named else 'standard input'} is empty.", path)
    if found := XML.search(head):
        return OF_XML.get(found[1], ".xml")
    known = (suffix for mark, suffix in CONTENTS if re.match(mark, head, re.MULTILINE))
    if suffix := inner or next(known, ""):
        return suffix
    if not head.strip() or b"\0" in head:
        remedy = "Give it a name" if is_named else "Write it to a file whose name ends"
        raise FileError(f"the format is not recognized. {remedy} with a suffix.", path)
    return ".csv"


def takes_streams(read: Read) -> Read:
    """Decorate a reader: its path may be -, standard input, or an archive of any format."""

    @functools.wraps(read)
    def reading(path: Path, *arguments: Any, **keywords: Any) -> Any:
        with named_file(path) as file:
            return read(file, *arguments, **keywords)

    return cast(Read, reading)
