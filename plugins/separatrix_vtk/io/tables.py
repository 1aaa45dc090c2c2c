"""Tables in text files: rows of words, numbers, and names of columns.

Python accepts more as a number than files mean: `1_0`, and digits of other scripts.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from separatrix_vtk.io.compressed import text_of
from separatrix_vtk.io.problems import FileProblem

COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))+")


def real_in(word: str) -> float:
    """The number that a word represents. Raises ValueError with a text for the user."""
    try:
        if word.isascii() and "_" not in word:
            return float(word)
    except ValueError:
        pass
    raise ValueError(f"{word[:40]!r} is not a number")


def is_number(word: str) -> bool:
    """Whether a word represents a number."""
    try:
        real_in(word)
    except ValueError:
        return False
    return True


def read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """The names of the columns of a .csv file ([] without a line of names), and its rows of words.

    There is at least one row, and each has the same number of words, as many as there are names.
    """
    try:
        rows = split_rows(text_of(path))
    except csv.Error as error:
        raise FileProblem(f"not a readable .csv file ({error}).", path) from None
    names = [] if not rows or all(map(is_number, rows[0])) else [name.strip() for name in rows[0]]
    rows = rows[bool(names) :]
    if not rows:
        raise FileProblem("contains no numbers.", path)
    n_columns = len(names or rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != n_columns:
            raise FileProblem(f"row {number} has {len(row)} columns; expected {n_columns}.", path)
    return names, rows


def split_rows(text: str) -> list[list[str]]:
    """Rows of words, separated by the first of ; tab , and blanks that occurs in the first line.

    Leading lines that begin with # are comments. The last of them contains the names of the columns
    if it has as many words as the first row of numbers: numpy.savetxt(header="x,y,z") writes that.
    """
    begin = COMMENTS.match(text)
    if begin is None or "#" not in begin[0]:
        return _split(text)
    rows = _split(text[begin.end() :])
    last = begin[0].split("#")[-1].strip()
    names = next(iter(_split(last)), [])
    is_named = bool(rows) and len(names) == len(rows[0]) and any(map(is_number, rows[0]))
    return [names, *rows] if is_named and not any(map(is_number, names)) else rows


def _split(text: str) -> list[list[str]]:
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    bare = re.sub('"[^"]*"', "", first)  # quoted names may contain any character
    for delimiter in ";\t,":
        if delimiter in bare:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            return [row for row in rows if row]
    if '"' in first:
        return [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    return [line.split() for line in lines if line.strip()]
