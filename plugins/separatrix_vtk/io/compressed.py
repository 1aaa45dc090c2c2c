"""Contents of files that may be compressed with gzip or bzip2, with a limit on their size.

An archive of one megabyte can contain gigabytes. Text is at most `ROOM` bytes plus `TIMES` times
its archive; real text is 3 to 20 times as long as its archive, and deflate's own limit is 1032.
"""

from __future__ import annotations

import bz2
import gzip
import io
import sys
import zlib
from pathlib import Path

from separatrix_vtk.io.problems import FileProblem, damaged, reader, require_file

STANDARD_INPUT = Path("-")
MARKS = {"gzip": b"\x1f\x8b", "bzip2": b"BZh"}
CHUNK = 1 << 20
ROOM, TIMES = 64 << 20, 100
ERRORS = (EOFError, OSError, zlib.error)


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
        raise FileProblem(f"cannot be read ({error.strerror or error}).") from None
    if not content.startswith(MARKS["gzip"]):
        if path.suffix.lower() == ".gz":
            raise FileProblem("not compressed with gzip, or damaged.")
        return content
    limit = ROOM + TIMES * len(content)
    try:
        whole = decompressed(content, limit + 1)
    except ERRORS as error:
        raise damaged(error) from None
    if len(whole) > limit:
        raise FileProblem(
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
        raise FileProblem("not a text file in UTF-8.") from None


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
