"""Sentences that the shell rewords are those of the filters."""

import re

import pytest

from pages.blocks import REPOSITORY
from separatrix_vtk.cli.wording import WORDS, in_shell_terms

SOURCES = [
    path
    for folder in ("engine/separatrix", "plugins/separatrix_vtk")
    for path in sorted((REPOSITORY / folder).rglob("*.py"))
    if path.name != "wording.py"
]


@pytest.fixture(scope="module")
def texts() -> str:
    """All sources, with literals that continue on the next line in one piece."""
    return re.sub(r'"\s*\n\s*f?"', "", "\n".join(path.read_text() for path in SOURCES))


COMPOSED = ("Tetrahedralize", "Resample To Image", "--")  # of parts, or with names of options


@pytest.mark.parametrize(
    "text", [text for text in WORDS if not any(part in text for part in COMPOSED)]
)
def test_each_text_is_one_of_a_filter(text, texts):
    stem = text.removeprefix(", or ").removesuffix(".")
    assert stem[0].lower() + stem[1:] in texts or stem in texts


def test_texts_are_replaced():
    assert in_shell_terms("Apply Resample To Image.") == "Write the image to one file beforehand."
    assert in_shell_terms("Reduce it with the Calculator filter.") == "Reduce it to one beforehand."
