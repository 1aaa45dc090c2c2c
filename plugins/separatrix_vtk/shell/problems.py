"""What is wrong with a file, as one sentence with its path."""

from __future__ import annotations


class FileProblem(ValueError):
    """A file cannot be read or written; the text says which and why."""

    is_of_machine = False


class NoRoom(FileProblem):
    """A file cannot be written since the disk is full."""

    is_of_machine = True
