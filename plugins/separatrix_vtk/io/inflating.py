"""gzip and bzip2 in memory, bounded: an archive of a megabyte can hold gigabytes.

Knows no VTK.
"""

from __future__ import annotations

import bz2
import gzip
import io

GZIP_MARK = b"\x1f\x8b"
CHUNK = 1 << 20
ROOM, TIMES = 64 << 20, 100
"""Text may be so many bytes, and so many times as long as its archive. Real text is 3 to 20 times
as long; deflate's own limit is 1032."""


class TooLarge(ValueError):
    """An archive holds more than a file of its size is trusted to."""


def inflated(content: bytes) -> bytes:
    """What a gzip archive holds. Raises EOFError, OSError, zlib.error, TooLarge."""
    limit = ROOM + TIMES * len(content)
    whole = inflated_up_to(content, limit + 1)
    if len(whole) > limit:
        raise TooLarge(
            f"its {len(content):,} bytes inflate to more than {limit:,}; decompress it first if "
            "that is meant"
        )
    return whole


def inflated_up_to(content: bytes, n_bytes: int) -> bytes:
    """The first bytes of a gzip or bzip2 archive. Raises EOFError, OSError, zlib.error."""
    source = io.BytesIO(content)
    is_gzip = content[:2] == GZIP_MARK
    parts, left = [], n_bytes
    with gzip.GzipFile(fileobj=source) if is_gzip else bz2.BZ2File(source) as archive:
        while left > 0 and (part := archive.read(min(CHUNK, left))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)
