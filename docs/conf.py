"""How the pages become HTML: `make docs`, or `sphinx-build -c docs . build/docs`.

The source folder is the whole repository, so that a link from one page to another, README.md
included, is the same here, in an editor and where the sources are browsed. Nothing is fetched.
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
    "reference_pages",
]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "benchmarks/README.md",
    "docs/**.md",
    "sample_data/README.md",
]
exclude_patterns = [".*", "build", "demo*", "engine", "examples", "plugins", "tests", "xml", "dist"]
source_suffix = {".md": "markdown"}

# A heading is linked to by its words, as GitHub does it.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

smartquotes_action = "qe"  # quotes and dots; a dash would take the place of those of --port

html_theme = "furo"
html_title = f"Separatrix {release}"
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

# Every reference must lead somewhere, but for the types of signatures that have no page here:
# Python's, NumPy's, VTK's, and our own inner ones.
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"(collections|dataclasses|numpy|os|pathlib|vtkmodules)\..*"),
    ("py:class", r"separatrix(_vtk)?\.[a-z]\w*\..*"),
    ("py:class", "Array|Batch|RelationScheduler|Minor|Progress"),
]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseException, tuple, object, ReprMixin",
}
python_maximum_signature_line_length = 80
toc_object_entries = False
