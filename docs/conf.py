"""Configuration of Sphinx: `make docs`, or `sphinx-build -c docs . build/docs`.

The source folder is the whole repository, so that links between pages, including README.md, are the
same in HTML, in an editor, and in a browser of the sources. Nothing is downloaded.
"""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / name) for name in ("docs", "engine", "plugins")]

import separatrix  # noqa: E402

project = "Separatrix"
author = copyright = "The Separatrix developers"
release = version = separatrix.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "notebook_pages",
    "reference_pages",
]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "benchmarks/README.md",
    "docs/**.md",
    "docs/notebooks/*.ipynb",
    "sample_data/README.md",
]
exclude_patterns = [".*", "build", "demo*", "engine", "examples", "plugins", "tests", "xml", "dist"]
source_suffix = {".md": "markdown"}

# Links to a heading use its words, as on GitHub.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

smartquotes_action = "qe"  # quotes and dots; dashes would change options such as --port

html_theme = "furo"
html_title = f"Separatrix {release}"
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

# Every reference must resolve, except types in signatures that have no page here: those of Python,
# NumPy, and VTK, and private ones of Separatrix.
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"(collections|dataclasses|numpy|os|pathlib|vtkmodules)\..*"),
    ("py:class", r"separatrix(_vtk)?\.[a-z]\w*\..*"),
    ("py:class", "Array|Batch|MemoryUse|Minor|Progress"),
]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseException, tuple, object, ReprMixin",
}
python_maximum_signature_line_length = 80
toc_object_entries = False
