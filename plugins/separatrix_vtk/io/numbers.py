"""Numbers in text files and in the arguments of commands.

Python accepts more than such texts mean by a number: `1_0`, and digits of other scripts.
"""

from __future__ import annotations


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
