"""Damage to valid files: seeded mutations of lines, words, numbers, and archives.

`mutant(content, random, others)` changes the bytes of a file in one to three ways. The same seed
gives the same file.
"""

import gzip
import re
from collections.abc import Callable, Sequence
from random import Random

NUMBER = re.compile(rb"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
NUMBERS = (
    b"0", b"-1", b"1", b"2", b"3", b"255", b"65536", b"2147483647", b"2147483648", b"-2147483648",
    b"4294967296", b"1000000000000", b"9223372036854775807", b"9223372036854775808", b"1e30",
    b"1e308", b"1e999", b"-1e-320", b"nan", b"NaN", b"inf", b"-inf", b"1_0", b"0x10", b"1,5",
    b"1.5.2", b"", b"--", b"+", "\u0663".encode(), "\u00b2".encode(), b"9" * 5000, b"true",
)  # fmt: skip
WORDS = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"../../../etc/passwd", b"/dev/zero", b"/dev/full", b".",
    b"/proc/self/mem", b"%s%n%d", b"LIST", b"'", b'"', b"<!--", b"]]>", b"&lol;", b"\x1b[2J",
    b"\r", b"\xc3\x28", b"#", b";", b"A" * 70000, b"\t", "\u2028".encode(), b"file", b"${HOME}",
)  # fmt: skip
Mutation = Callable[[bytes, Random], bytes]


def mutant(content: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """The content changed in one to three ways; others: contents to take pieces from."""
    for _ in range(random.choice((1, 1, 2, 3))):
        if others and random.random() < 0.05:
            content = spliced(content, random.choice(others), random)
        else:
            content = random.choice(MUTATIONS)(content, random)
    return content[:4_000_000]


# === bytes


def cut(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def without_piece(content: bytes, random: Random) -> bytes:
    a = random.randrange(len(content) + 1)
    return content[:a] + content[a + random.choice((1, 2, 7, 64)) :]


def flipped(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 2, 8)) if changed else 0):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def extreme_bytes(content: bytes, random: Random) -> bytes:
    """1, 2, 4 or 8 bytes as the smallest or largest number, or NaN."""
    a = random.randrange(len(content) + 1)
    n = random.choice((1, 2, 4, 8))
    piece = random.choice((b"\x00" * 8, b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\x00" * 7 + b"\x80"))
    return content[:a] + piece[-n:] + content[a + n :]


def repeated(content: bytes, random: Random) -> bytes:
    a = random.randrange(len(content) + 1)
    b = min(len(content), a + random.choice((1, 10, 100)))
    return content[:a] + content[a:b] * random.choice((2, 3, 50)) + content[b:]


def spliced(content: bytes, other: bytes, random: Random) -> bytes:
    return cut(content, random) + other[random.randrange(len(other) + 1) :]


# === text


def other_number(content: bytes, random: Random) -> bytes:
    """Replace a number of the text, usually in the header."""
    head = content[:2000] if random.random() < 0.7 else content
    found = list(NUMBER.finditer(head))
    if not found:
        return content
    at = random.choice(found)
    return content[: at.start()] + random.choice(NUMBERS) + content[at.end() :]


def other_word(content: bytes, random: Random) -> bytes:
    """Replace or insert a word."""
    found = list(re.finditer(rb"[^\s<>=\"/]+", content[:3000]))
    if not found:
        return random.choice(WORDS)
    at = random.choice(found)
    end = at.end() if random.random() < 0.7 else at.start()
    return content[: at.start()] + random.choice(WORDS) + content[end:]


def other_lines(content: bytes, random: Random) -> bytes:
    """Repeat, move, remove, or join a line, or change the line endings."""
    lines = content.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(5)
    if kind == 0:
        lines.insert(i, lines[i])
    elif kind == 1:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 2:
        del lines[i]
    elif kind == 3:
        lines[i] += b" " + lines[j]
    else:
        return b"\r\n".join(lines)
    return b"\n".join(lines)


def swapped_values(content: bytes, random: Random) -> bytes:
    """Swap the values of two fields of a header: `a: 1` and `b = 2`, or a="1"."""
    found = list(re.finditer(rb"[:=] ?([^\n]{1,60})\n|=\"([^\"]*)\"", content[:3000]))
    if len(found) < 2:
        return content
    first, second = sorted(random.sample(found, 2), key=lambda match: match.start())
    return (
        content[: first.start()] + second[0] + content[first.end() : second.start()] + first[0]
        + content[second.end() :]
    )  # fmt: skip


def prefixed(content: bytes, random: Random) -> bytes:
    """Insert a byte order mark, blanks, or a comment at the beginning."""
    return random.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\n\n", b" ", b"# a\n", b"\x00")) + content


# === archives


def packed(content: bytes, random: Random) -> bytes:
    """Compress the content, and perhaps damage it."""
    archive = gzip.compress(content, mtime=0)
    return random.choice((archive, archive[:-4], archive * 2, archive + b"more", archive[:12]))


def giant() -> bytes:
    """An archive of 1 GiB of zeros, of 1 MB."""
    return gzip.compress(bytes(1 << 24), mtime=0) * 64


MUTATIONS: tuple[Mutation, ...] = (
    cut, without_piece, flipped, flipped, extreme_bytes, extreme_bytes, repeated, other_number,
    other_number, other_number, other_number, other_word, other_word, other_lines, other_lines,
    swapped_values, prefixed, packed,
)  # fmt: skip
