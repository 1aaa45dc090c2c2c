"""Numbers in files of text. Python takes more for a number than files mean: 1_0."""

from __future__ import annotations


def real_in(word: str) -> float:
    """The number that a word is. Raises ValueError with a text for the user."""
    try:
        if word.isascii() and "_" not in word:
            return float(word)
    except ValueError:
        pass
    raise ValueError(f"{word[:40]!r} is no number")


def is_number(word: str) -> bool:
    """Whether a word is a number."""
    try:
        real_in(word)
    except ValueError:
        return False
    return True
